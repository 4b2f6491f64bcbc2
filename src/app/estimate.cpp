// `headroom estimate`: memory by pipeline stage, component and phase.
#include <fmt/format.h>

#include "commands.hpp"
#include "headroom/memory/ledger.hpp"
#include "headroom/report/memory.hpp"
#include "headroom/report/terminal.hpp"
#include "output.hpp"
#include "single.hpp"

namespace headroom::app {
namespace {

class Estimate {
 public:
  explicit Estimate(const Options& options) : options_(options) {}

  ExitStatus run() {
    Single input;
    if (const ExitStatus status = read_single(options_, "estimate", input); status != exit_clean)
      return status;
    if (!input.rest.empty()) {
      complain(options_, "estimate takes one CONFIG");
      return exit_usage;
    }
    for (const auto& note : input.outcome.notes)
      static_cast<void>(write(stderr, "note: " + report::printable(note) + "\n"));
    const auto shape = memory::read_shape(input.outcome.config);
    if (!shape) {
      source::Error error = shape.error();
      error.source = input.path;
      return fail(error, nullptr);
    }
    return print(input.path, *shape);
  }

 private:
  [[nodiscard]] ExitStatus print(const std::string& path, const memory::ShapeAndNotes& shape) const {
    report::MemoryReport report{path, memory::explain(shape.shape), shape.assumptions, {}};
    report.verdict = memory::verdict(shape.shape, report.ledger.peaks);
    const std::string out = options_.format == Format::json
                                ? report::memory_json(report)
                                : report::memory_text(report, options_.why, text_options(options_, stdout));
    return write(stdout, out) ? exit_clean : exit_usage;
  }

  ExitStatus fail(const source::Error& error, const source::SourceText* text) const {
    static_cast<void>(write(stderr, report::error_text(error, text, text_options(options_, stderr))));
    return exit_usage;
  }

  const Options& options_;
};

}  // namespace

ExitStatus estimate(const Options& options) {
  return Estimate(options).run();
}

}  // namespace headroom::app
