#include <fmt/format.h>

#include <csignal>
#include <cstdio>
#include <exception>
#include <string_view>

#include "command_line.hpp"
#include "commands.hpp"
#include "headroom/schema/data_date.hpp"
#include "output.hpp"

#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace headroom::app {
namespace {

int dispatch(int argc, const char* const* argv) {
  // Answered before the tree of options is built: editors and scripts ask often.
  if (argc >= 2 && std::string_view(argv[1]) == "--version") {
    const std::string text = fmt::format("headroom {} (data of {})\n", HEADROOM_VERSION, schema::data_date);
    return write(stdout, text) ? exit_clean : exit_usage;
  }
  const Parsed parsed = parse_command_line(argc, argv);
  if (!parsed.options) {
    return write(parsed.status == exit_clean ? stdout : stderr, parsed.text) ? parsed.status : exit_usage;
  }
  switch (parsed.options->command) {
    case Command::check:
      return check(*parsed.options);
    case Command::effective:
      return effective(*parsed.options);
    case Command::convert:
      return convert(*parsed.options);
    case Command::calibrate:
      return calibrate(*parsed.options);
    case Command::estimate:
      return estimate(*parsed.options);
    case Command::plan:
      return plan(*parsed.options);
    case Command::diff:
      return diff(*parsed.options);
    case Command::explain:
      return explain(*parsed.options);
    case Command::rule:
      return rule(*parsed.options);
    case Command::test_rules:
      return test_rules(*parsed.options);
    case Command::run: {
      int status = exit_clean;
      const ExitStatus refused = run(*parsed.options, status);
      return refused == exit_clean ? status : refused;
    }
    case Command::schema:
      return schema_document(*parsed.options);
    case Command::lsp:
      return lsp_server(*parsed.options);
    case Command::generate:
      return generate(*parsed.options);
  }
  return exit_bug;
}

}  // namespace
}  // namespace headroom::app

int main(int argc, char** argv) {
#ifdef __GLIBC__
  // Memory goes back to the system at the end only: each page given back and asked for again costs a fault,
  // and those are a tenth of a check.
  mallopt(M_MMAP_THRESHOLD, 32 << 20);
  mallopt(M_TRIM_THRESHOLD, 64 << 20);
#endif
  // A reader that closed the pipe is no reason to die with a signal: writes then fail with EPIPE.
  std::signal(SIGPIPE, SIG_IGN);
  // The same for a limit on the size of files: the write fails, and the temporary file of --fix goes away.
  std::signal(SIGXFSZ, SIG_IGN);
  try {
    return headroom::app::dispatch(argc, argv);
  } catch (const std::exception& error) {
    static_cast<void>(headroom::app::write(
        stderr,
        fmt::format("error: a bug in headroom: {}\nPlease report it with the input.\n", error.what())));
  } catch (...) {
    static_cast<void>(
        headroom::app::write(stderr, "error: a bug in headroom\nPlease report it with the input.\n"));
  }
  return headroom::app::exit_bug;
}
