// `headroom explain`: what filled the memory, how sure that is, and what to change.
#include <fmt/format.h>
#include <unistd.h>

#include "commands.hpp"
#include "explain_snapshot.hpp"
#include "explaining.hpp"
#include "headroom/oom/input.hpp"
#include "headroom/report/explain.hpp"
#include "output.hpp"
#include "prompt.hpp"

namespace headroom::app {
namespace {

class Explain {
 public:
  explicit Explain(const Options& options) : options_(options) {}

  ExitStatus run() {
    if (options_.words.size() > 1) return usage("explain takes one FILE, or `-` for standard input");
    if (options_.words.empty() && !options_.configs.empty()) return explain(options_.configs.front(), {});
    const std::string path = options_.words.empty() ? "-" : options_.words.front();
    auto input = oom::Input::open(path);
    if (!input) return fail(input.error());
    if (input->content() != oom::Content::log || is_snapshot_name(path))
      return explain_snapshot(options_, path, *input);
    if (!options_.against.empty() || !options_.html.empty())
      return usage(fmt::format("{} is for memory snapshots, and {} is none",
                               options_.against.empty() ? "--html" : "--against", path));
    auto log = oom::read_log(*input);
    if (!log) return fail(log.error());
    return explain(path == "-" ? "<stdin>" : path, std::move(*log));
  }

 private:
  ExitStatus explain(const std::string& path, oom::LogFacts log) {
    Explaining run(options_, path, std::move(log));
    if (const auto ok = run.take_options(); !ok) return fail(ok.error());
    if (talks()) return converse(options_, run);
    const auto report = run.run();
    if (!report) return fail(report.error());
    const std::string out = options_.format == Format::json
                                ? report::explain_json(*report, HEADROOM_VERSION)
                                : report::explain_text(*report, text_options(options_, stdout));
    return write(stdout, out) ? exit_clean : exit_usage;
  }

  /// Somebody sits there, and the log does not come from where answers would.
  [[nodiscard]] bool talks() const {
    return options_.format == Format::text && !options_.no_ask && !options_.words.empty() &&
           options_.words.front() != "-" && isatty(fileno(stdin)) == 1 && isatty(fileno(stdout)) == 1;
  }

  ExitStatus usage(std::string_view message) const {
    complain(options_, message);
    return exit_usage;
  }

  ExitStatus fail(const source::Error& error) const {
    static_cast<void>(write(stderr, report::error_text(error, nullptr, text_options(options_, stderr))));
    return exit_usage;
  }

  const Options& options_;
};

}  // namespace

ExitStatus explain(const Options& options) {
  return Explain(options).run();
}

}  // namespace headroom::app
