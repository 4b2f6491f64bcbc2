#include <fmt/format.h>

#include "diff_words.hpp"
#include "headroom/report/terminal.hpp"

namespace headroom::report {
namespace {

/// Text that stays text in a cell.
std::string cell(std::string_view text) {
  std::string out;
  for (const char c : printable(text)) {
    if (c == '|' || c == '<' || c == '*' || c == '_' || c == '`' || c == '\\' || c == '[') out += '\\';
    out += c == '\n' ? ' ' : c;
  }
  return out;
}

std::string code(std::string_view text) {
  std::string out;
  for (const char c : printable(text)) out += c == '`' ? '\'' : c == '|' ? '/' : c == '\n' ? ' ' : c;
  return "`" + out + "`";
}

std::string findings(std::string_view title, const std::vector<rules::Diagnostic>& list) {
  if (list.empty()) return {};
  std::string out = fmt::format("\n**{}**\n\n", title);
  for (const auto& d : list)
    out += fmt::format("- {} {}: {}\n", rules::to_string(d.severity), code(d.rule), cell(d.message));
  return out;
}

std::string values(const std::vector<diff::Change>& changed) {
  if (changed.empty()) return {};
  std::string rows, more;
  std::size_t implied = 0;
  for (const auto& c : changed) {
    const std::string row = fmt::format("| {} | {} | {} | {} |\n", code(c.field), code(shown_value(c.before)),
                                        code(shown_value(c.after)), cell(shown_origin(c.after_origin)));
    (c.written ? rows : more) += row;
    implied += c.written ? 0 : 1;
  }
  const std::string_view head =
      "| value that will run | old | new | because of |\n| --- | --- | --- | --- |\n";
  std::string out;
  if (!rows.empty()) out += fmt::format("\n{}{}", head, rows);
  if (!more.empty())
    out += fmt::format("\n<details><summary>{} value{} follow from that</summary>\n\n{}{}\n</details>\n",
                       implied, implied == 1 ? "" : "s", head, more);
  return out;
}

std::string memory(const diff::Diff& d) {
  if (!d.memory) return fmt::format("\nMemory not known: {}\n", cell(d.no_memory));
  std::string out = "\n| stage | old peak, GiB | new | change |\n| --- | --- | --- | --- |\n";
  for (const auto& s : d.memory->stages)
    out += fmt::format("| {} | {} | {} | {} |\n", s.stage, shown_gib(s.before), shown_gib(s.after),
                       shown_change(s.before, s.after));
  return out + "\n" + memory_line(*d.memory) + "\n";
}

}  // namespace

std::string diff_markdown(const DiffReport& report) {
  const diff::Diff& d = report.diff;
  std::string out = fmt::format("### headroom: {} → {}\n", code(report.before), code(report.after));
  for (const auto& over : report.over) out += fmt::format("\n**Over budget**: {}\n", cell(over));
  out += findings("Appeared", d.appeared) + findings("Gone", d.gone) + values(d.changed) + memory(d);
  if (d.time) out += "\n" + time_line(d) + "\n";
  if (d.appeared.empty() && d.gone.empty() && d.changed.empty()) out += "\nNo difference in what will run.\n";
  return out;
}

}  // namespace headroom::report
