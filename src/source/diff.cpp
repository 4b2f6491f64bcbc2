#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "headroom/source/difference.hpp"

namespace headroom::source {
namespace {

using Lines = std::vector<std::string_view>;  // with their line breaks

constexpr std::size_t context = 3;
constexpr std::size_t table_limit = 4U << 20U;  // cells; beyond it the differing middle counts as replaced

Lines split(std::string_view text) {
  Lines lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
    lines.push_back(text.substr(0, end));
    text.remove_prefix(end);
  }
  return lines;
}

/// One line of the comparison: kept (both), removed (old only) or added (new only).
struct Step {
  char kind;
  std::size_t old_line;
  std::size_t new_line;
};

/// Longest common subsequence of the parts between equal heads and tails.
std::vector<Step> compare(const Lines& a, const Lines& b) {
  std::size_t head = 0;
  while (head < a.size() && head < b.size() && a[head] == b[head]) ++head;
  std::size_t tail = 0;
  while (tail < a.size() - head && tail < b.size() - head && a[a.size() - 1 - tail] == b[b.size() - 1 - tail])
    ++tail;
  const std::size_t n = a.size() - head - tail;
  const std::size_t m = b.size() - head - tail;
  std::vector<Step> steps;
  for (std::size_t i = 0; i < head; ++i) steps.push_back({' ', i, i});
  std::vector<std::uint32_t> table;  // length of the longest common subsequence of the rests
  const bool small = (n + 1) * (m + 1) <= table_limit;
  const auto cell = [&](std::size_t i, std::size_t j) -> std::uint32_t& { return table[i * (m + 1) + j]; };
  if (small) {
    table.assign((n + 1) * (m + 1), 0);
    for (std::size_t i = n; i-- > 0;) {
      for (std::size_t j = m; j-- > 0;) {
        const bool equal = a[head + i] == b[head + j];
        cell(i, j) = equal ? cell(i + 1, j + 1) + 1 : std::max(cell(i + 1, j), cell(i, j + 1));
      }
    }
  }
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < n || j < m) {
    if (small && i < n && j < m && a[head + i] == b[head + j]) {
      steps.push_back({' ', head + i++, head + j++});
    } else if (i < n && (j == m || !small || cell(i + 1, j) >= cell(i, j + 1))) {
      steps.push_back({'-', head + i++, head + j});
    } else {
      steps.push_back({'+', head + i, head + j++});
    }
  }
  for (std::size_t k = 0; k < tail; ++k) steps.push_back({' ', head + n + k, head + m + k});
  return steps;
}

/// `12`, or `12,0` and `12,5` where it is not one line; an empty range names the line before it.
std::string range(std::size_t first, std::size_t count) {
  if (count == 1) return fmt::format("{}", first + 1);
  return fmt::format("{},{}", count == 0 ? first : first + 1, count);
}

void write_hunk(const Lines& a, const Lines& b, const Step* begin, const Step* end, std::string& out) {
  const auto old_count =
      static_cast<std::size_t>(std::count_if(begin, end, [](const Step& s) { return s.kind != '+'; }));
  const auto new_count =
      static_cast<std::size_t>(std::count_if(begin, end, [](const Step& s) { return s.kind != '-'; }));
  out += fmt::format("@@ -{} +{} @@\n", range(begin->old_line, old_count), range(begin->new_line, new_count));
  for (const Step* step = begin; step != end; ++step) {
    const std::string_view line = step->kind == '+' ? b[step->new_line] : a[step->old_line];
    out += step->kind;
    out += line;
    if (!line.ends_with('\n')) out += "\n\\ No newline at end of file\n";
  }
}

/// A replaced stretch without the ends that stay; bytes of one character are not parted.
Edit trimmed(std::string_view old_text, std::string_view new_text, std::size_t begin) {
  const auto inside = [](std::string_view text, std::size_t at) {
    return at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0U) == 0x80U;
  };
  std::size_t head = 0;
  const std::size_t most = std::min(old_text.size(), new_text.size());
  while (head < most && old_text[head] == new_text[head]) ++head;
  while (head > 0 && (inside(old_text, head) || inside(new_text, head))) --head;
  std::size_t tail = 0;
  while (tail < most - head && old_text[old_text.size() - 1 - tail] == new_text[new_text.size() - 1 - tail])
    ++tail;
  while (tail > 0 && inside(old_text, old_text.size() - tail)) --tail;
  return {
      {static_cast<std::uint32_t>(begin + head), static_cast<std::uint32_t>(begin + old_text.size() - tail)},
      std::string(new_text.substr(head, new_text.size() - tail - head))};
}

}  // namespace

std::vector<Edit> edits_between(std::string_view before, std::string_view after) {
  const Lines a = split(before);
  const Lines b = split(after);
  std::vector<Edit> edits;
  std::string added;
  std::size_t at = 0;       // offset in `before`
  std::size_t removed = 0;  // bytes before `at` that the open stretch replaces
  const auto close = [&] {
    if (removed != 0 || !added.empty())
      edits.push_back(trimmed(before.substr(at - removed, removed), added, at - removed));
    removed = 0;
    added.clear();
  };
  for (const Step& step : compare(a, b)) {
    if (step.kind == '+') {
      added += b[step.new_line];
      continue;
    }
    if (step.kind == ' ') close();
    at += a[step.old_line].size();
    if (step.kind == '-') removed += a[step.old_line].size();
  }
  close();
  return edits;
}

std::string unified_diff(std::string_view name, std::string_view before, std::string_view after) {
  if (before == after) return {};
  const Lines a = split(before);
  const Lines b = split(after);
  const std::vector<Step> steps = compare(a, b);
  std::string out = fmt::format("--- {}\n+++ {}\n", name, name);
  for (std::size_t at = 0; at < steps.size();) {
    if (steps[at].kind == ' ') {
      ++at;
      continue;
    }
    const std::size_t first = at < context ? 0 : at - context;
    std::size_t last = at;  // last changed line of the hunk
    for (std::size_t k = at; k < steps.size() && k <= last + 2 * context; ++k) {
      if (steps[k].kind != ' ') last = k;
    }
    const std::size_t end = std::min(last + context + 1, steps.size());
    write_hunk(a, b, steps.data() + first, steps.data() + end, out);
    at = end;
  }
  return out;
}

}  // namespace headroom::source
