// https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-commands
#include <fmt/format.h>

#include <array>

#include "entry.hpp"
#include "headroom/report/formats.hpp"
#include "headroom/report/terminal.hpp"

namespace headroom::report {
namespace {

constexpr std::size_t most_of_a_level =
    10;                                   // annotations that GitHub keeps of one step (actions/toolkit#734)
constexpr std::size_t most_bytes = 4000;  // of one message; GitHub cuts at 4,096

std::string_view command_of(Level level) {
  return level == Level::error ? "error" : level == Level::warning ? "warning" : "notice";
}

std::string escaped(std::string_view text, bool property) {
  std::string out;
  for (const char c : text) {
    const bool special = c == '%' || c == '\r' || c == '\n' || (property && (c == ':' || c == ','));
    out += special ? fmt::format("%{:02X}", static_cast<unsigned char>(c)) : std::string(1, c);
  }
  return out;
}

std::string annotation(const Entry& e) {
  const source::Location& at = e.location;
  std::string out = fmt::format("::{} file={},line={}", command_of(level_of(e.severity)),
                                escaped(printable(path_of(*e.file)), true), at.start.line);
  // Columns over several lines make GitHub drop the place.
  if (at.start.line == at.end.line) {
    out += fmt::format(",col={},endLine={},endColumn={}", at.start.column, at.end.line, at.end.column);
  } else {
    out += fmt::format(",endLine={}", at.end.line);
  }
  std::string text = e.message;
  if (const std::string fix = best_fix(e); !fix.empty()) text += "\nFix: " + fix;
  const std::string title = fmt::format("headroom: {}[{}]", rules::to_string(e.severity), printable(e.rule));
  return out +
         fmt::format(",title={}::{}\n", escaped(title, true), escaped(cut_bytes(text, most_bytes), false));
}

// A line of the log that the runner must not take for a command: `::` at its start, `##[` anywhere.
std::string log_line(const Entry& e) {
  std::string out = fmt::format("- {}:{}:{}: {}: {} [{}]\n", shown_path(*e.file), e.location.start.line,
                                e.location.start.column, rules::to_string(e.severity), e.message, e.rule);
  for (std::size_t at = out.find("##["); at != std::string::npos; at = out.find("##[", at))
    out.replace(at, 3, "# #[");
  return out;
}

}  // namespace

std::string github(const std::vector<FileReport>& files) {
  std::array<std::size_t, 3> shown{};
  std::string commands;
  std::string rest;
  std::size_t left_out = 0;
  for (const Entry& e : worst_first(files)) {
    if (shown.at(static_cast<std::size_t>(level_of(e.severity)))++ < most_of_a_level) {
      commands += annotation(e);
    } else {
      rest += log_line(e);
      ++left_out;
    }
  }
  if (left_out == 0) return commands;
  return commands +
         fmt::format(
             "::group::headroom: {} more {} without an annotation (GitHub shows {} of each level a step)\n{}"
             "::endgroup::\n",
             left_out, left_out == 1 ? "finding" : "findings", most_of_a_level, rest);
}

}  // namespace headroom::report
