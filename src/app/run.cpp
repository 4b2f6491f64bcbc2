// `headroom run CONFIG -- CMD`: check, run the command, explain if it dies of memory.
#include <fmt/format.h>

#include <csignal>
#include <cstring>

#include "child.hpp"
#include "commands.hpp"
#include "explaining.hpp"
#include "inputs.hpp"
#include "log_tap.hpp"
#include "output.hpp"

namespace headroom::app {
namespace {

void note(std::string_view text) {
  static_cast<void>(write(stderr, fmt::format("headroom: {}\n", text)));
}

std::string start_message(const std::vector<std::string>& command, int error) {
  if (error == ENOENT) return fmt::format("cannot run '{}': command not found", command.front());
  return fmt::format("cannot run '{}': {}", command.front(), std::strerror(error));
}

/// A death without a word is one by the kernel or the scheduler: the log can't tell.
void add_death(oom::LogFacts& log, int status) {
  if (status != 128 + SIGKILL || !log.failures.empty()) return;
  oom::Failure killed;
  killed.kind = oom::LineKind::killed;
  killed.says = "the command was killed by signal 9";
  killed.where.text = "status 137";
  ++log.counts[killed.kind];
  log.failures.push_back(std::move(killed));
}

/// On standard error, and only where it is a matter of memory or of the config.
void explain_end(const Options& options, int status, oom::LogFacts log) {
  add_death(log, status);
  const auto words = split_words(options);
  if (!words) return;
  Explaining explaining(options, "the command", std::move(log));
  for (const auto& name : words->names)
    if (const auto added = explaining.add_config(name); !added) break;  // --force went on without it
  explaining.set(words->overrides);
  const auto report = explaining.run();
  if (!report) return;
  const auto cause = report->diagnosis.cause;
  if (cause == oom::Cause::unknown || cause == oom::Cause::not_memory) return;
  note(fmt::format("the command ended with status {}", status));
  static_cast<void>(write(stderr, report::explain_text(*report, text_options(options, stderr))));
}

}  // namespace

ExitStatus run(const Options& options, int& status) {
  if (options.command_words.empty()) {
    complain(options, "run needs a command: headroom run CONFIG [options] -- COMMAND [words...]");
    return exit_usage;
  }
  const ExitStatus checked = check(options);
  if (checked != exit_clean && !options.force) {
    if (checked == exit_findings) note("the command was not started; --force starts it all the same");
    return checked;
  }
  LogTap log;
  const ChildEnd end = run_child(options.command_words,
                                 [&log](int stream, std::string_view bytes) { log.take(stream, bytes); });
  if (end.start_error != 0) complain(options, start_message(options.command_words, end.start_error));
  status = end.status;
  if (end.start_error == 0 && end.status != 0) explain_end(options, end.status, log.finish());
  return exit_clean;
}

}  // namespace headroom::app
