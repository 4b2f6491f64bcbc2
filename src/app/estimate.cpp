// `headroom estimate`: memory by pipeline stage, component and phase.
#include <fmt/format.h>

#include "commands.hpp"
#include "headroom/memory/ledger.hpp"
#include "headroom/report/memory.hpp"
#include "inputs.hpp"
#include "output.hpp"
#include "repository.hpp"

namespace headroom::app {
namespace {

class Estimate {
 public:
  explicit Estimate(const Options& options) : options_(options) {}

  ExitStatus run() {
    const auto words = split_words(options_);
    if (!words) return fail(words.error(), nullptr);
    if (words->names.size() != 1) {
      complain(options_,
               "estimate needs one CONFIG, or `-` for standard input (see headroom estimate --help)");
      return exit_usage;
    }
    const std::string& path = words->names.front();
    const auto text = source::read_file(path);
    if (!text) return fail(text.error(), nullptr);
    auto repository = RepositoryFinder().find(path);
    if (!repository) return fail(repository.error().error, repository.error().text.get());
    lint::Job job;
    job.text = *text;
    job.sets = words->overrides;
    job.command_line = options_.context;
    if (*repository != nullptr) job.repository = (*repository)->context;
    job.loader = options_.loader;
    job.selection.ignore = {"*"};  // an estimate is no check
    job.want_fixes = false;
    const lint::Outcome outcome = lint::lint(job);
    if (outcome.unreadable) return fail(*outcome.unreadable, text->get());
    for (const auto& note : outcome.notes) static_cast<void>(write(stderr, "note: " + note + "\n"));
    const auto shape = memory::read_shape(outcome.config);
    if (!shape) {
      source::Error error = shape.error();
      error.source = path;
      return fail(error, nullptr);
    }
    return print(path, *shape);
  }

 private:
  [[nodiscard]] ExitStatus print(const std::string& path, const memory::ShapeAndNotes& shape) const {
    report::MemoryReport report{path, memory::explain(shape.shape), shape.assumptions};
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
