// GitHub-flavoured Markdown: a table of findings, a table of memory.
#include <fmt/format.h>

#include "entry.hpp"
#include "headroom/report/formats.hpp"
#include "headroom/report/terminal.hpp"

namespace headroom::report {
namespace {

// Text that stays text: no mark-up, no cell border, nobody mentioned.
std::string plain(std::string_view text) {
  constexpr std::string_view special = "\\`*_[]<>|&~@#!";
  std::string out;
  for (const char c : text) {
    if (c == '<' || c == '>' || c == '&' || c == '@') {
      out += fmt::format("&#{};", static_cast<int>(c));
    } else {
      if (special.find(c) != std::string_view::npos) out += '\\';
      out += c;
    }
  }
  return out;
}

std::string code(std::string_view text) {
  if (text.empty()) return {};
  if (text.find_first_of("`|\n") == std::string_view::npos) return fmt::format("`{}`", text);
  return plain(text);
}

std::string row(const Entry& e) {
  std::string out = fmt::format("| {} | {} | {} ({}) |", rules::to_string(e.severity),
                                code(fmt::format("{}:{}", shown_path(*e.file), e.location.start.line)),
                                plain(e.message), code(printable(e.rule)));
  std::string fix;
  if (e.finding != nullptr && !e.finding->fixes.empty()) {
    for (const auto& word : fix_words(e.finding->fixes.front(), *e.file))
      fix += (fix.empty() ? "" : " ") + code(printable(word));
  }
  return out + (fix.empty() ? " |\n" : " " + fix + " |\n");
}

std::string gibibytes(double bytes) {
  return fmt::format("{:.1f} GiB", bytes / (1U << 30U));
}

std::string memory_table(const std::vector<FileReport>& files) {
  std::string rows;
  for (const auto& file : files) {
    if (!file.memory) continue;
    const memory::Peaks& p = *file.memory;
    rows +=
        fmt::format("| {} | {} | {} to {} | {} | {} |\n", code(shown_path(file)), gibibytes(p.peak().peak),
                    gibibytes(p.low), gibibytes(p.high), gibibytes(p.capacity), p.fits() ? "yes" : "**no**");
  }
  if (rows.empty()) return {};
  return "\n| config | peak of the fullest stage | range | a GPU has | fits |\n|---|---|---|---|---|\n" +
         rows;
}

}  // namespace

std::string markdown(const std::vector<FileReport>& files, std::size_t most) {
  constexpr std::size_t reserve = 200;  // for the line that counts what was left out
  std::string line = summary(files);
  line.pop_back();
  std::string out = "### headroom\n" + plain(line) + "\n";
  const auto all = worst_first(files);
  if (!all.empty()) out += "\n| severity | place | finding | fix |\n|---|---|---|---|\n";
  std::size_t shown = 0;
  for (const Entry& e : all) {
    const std::string next = row(e);
    if (out.size() + next.size() + reserve > most) break;
    out += next;
    ++shown;
  }
  if (shown < all.size())
    out += fmt::format("\n{} more findings are left out here: no room.\n", all.size() - shown);
  if (std::string memory = memory_table(files); out.size() + memory.size() <= most) out += memory;
  return out + "\n";
}

}  // namespace headroom::report
