#include "headroom/lang/layout.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <limits>
#include <utility>

namespace headroom::lang {
namespace {

// Far beyond any real model; keeps `(t)*999999999` from taking all memory, and a million stages, which many
// rules look at, from taking seconds.
constexpr std::size_t max_unrolled = 1u << 16;
// Rules ask for each stage in turn, which reads the layout again.
constexpr std::size_t max_stages = 2048;

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

/// Reads digits at `pos`, moving it past them; saturates.
std::size_t read_count(std::string_view text, std::size_t& pos) {
  std::size_t n = 0;
  for (; pos < text.size() && is_digit(text[pos]); ++pos)
    n = std::min(max_unrolled + 1, n * 10 + static_cast<std::size_t>(text[pos] - '0'));
  return n;
}

bool append_times(std::string& out, std::string_view what, std::size_t times) {
  if (times > max_unrolled || what.size() * times + out.size() > max_unrolled) return false;
  for (std::size_t i = 0; i < times; ++i) out += what;
  return true;
}

bool repeats_at(std::string_view text, std::size_t star) {
  return star + 1 < text.size() && text[star] == '*' && is_digit(text[star + 1]);
}

/// `(ab|c)*3`. The group runs to the first closing bracket, as upstream's pattern has it: groups do not nest.
std::optional<std::string> unroll_groups(std::string_view text) {
  std::string out;
  std::size_t pos = 0, close = 0;
  while (pos < text.size()) {
    if (text[pos] == '(') {
      if (close <= pos && close != std::string_view::npos) close = text.find(')', pos);
      if (close != std::string_view::npos && close > pos + 1 && repeats_at(text, close + 1)) {
        std::size_t next = close + 2;
        const std::size_t times = read_count(text, next);
        if (!append_times(out, text.substr(pos + 1, close - pos - 1), times)) return std::nullopt;
        pos = next;
        continue;
      }
    }
    if (!append_times(out, text.substr(pos, 1), 1)) return std::nullopt;
    ++pos;
  }
  return out;
}

/// `t*3`.
std::optional<std::string> unroll_letters(std::string_view text) {
  std::string out;
  std::size_t pos = 0;
  while (pos < text.size()) {
    std::size_t times = 1, next = pos + 1;
    if (text[pos] != '\n' && repeats_at(text, pos + 1)) {
      next = pos + 2;
      times = read_count(text, next);
    }
    if (!append_times(out, text.substr(pos, 1), times)) return std::nullopt;
    pos = next;
  }
  return out;
}

std::optional<PipelineLayout> from_string(std::string_view text) {
  if (text.size() > max_unrolled) return std::nullopt;
  std::string plain(text);
  std::erase(plain, ',');
  const auto groups = unroll_groups(plain);
  if (!groups) return std::nullopt;
  const auto letters = unroll_letters(*groups);
  if (!letters) return std::nullopt;
  PipelineLayout layout;
  layout.stages.emplace_back();
  for (const char c : *letters) {
    if (c == '|' && layout.stages.size() < max_stages)
      layout.stages.emplace_back();
    else if (c == 'E' || c == 'L' || c == 't' || c == 'm')
      layout.stages.back() += c;
    else
      return std::nullopt;
  }
  return layout;
}

std::string trimmed_lower(std::string_view text) {
  const auto space = [](char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; };
  while (!text.empty() && space(text.front())) text.remove_prefix(1);
  while (!text.empty() && space(text.back())) text.remove_suffix(1);
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return out;
}

char letter_of(std::string_view name) {
  static constexpr std::array<std::pair<std::string_view, char>, 5> names{
      {{"embedding", 'E'}, {"loss", 'L'}, {"encoder", 'e'}, {"decoder", 't'}, {"mtp", 'm'}}};
  const std::string key = trimmed_lower(name);
  const auto it = std::find_if(names.begin(), names.end(), [&](const auto& n) { return n.first == key; });
  return it == names.end() ? '\0' : it->second;
}

std::optional<PipelineLayout> from_list(const source::List& rows) {
  if (rows.size() > max_stages) return std::nullopt;
  PipelineLayout layout;
  for (const auto& row : rows) {
    if (!row.is_list()) return std::nullopt;
    auto& stage = layout.stages.emplace_back();
    for (const auto& layer : row.as_list()) {
      const char letter = layer.is_string() ? letter_of(layer.as_string()) : '\0';
      if (letter == '\0') return std::nullopt;
      stage += letter;
    }
  }
  return layout;
}

/// Which symbols a release knows; see `Symbols` in its hybrid_layer_allocation.py.
std::string_view symbols(schema::Release r) {
  using schema::Release;
  switch (r) {
    case Release::v0_2_2:
      return "M*-";
    case Release::v0_3_1:
      return "M*-E";
    case Release::v0_4_2:
      return "MG*-E";
    case Release::v0_5_1:
      return "MG*D-E";
    default:
      return "MG*D+-E";
  }
}

bool valid_part(std::string_view part, schema::Release r, bool bars) {
  const auto known = symbols(r);
  const bool all_known = std::all_of(part.begin(), part.end(), [&](char c) {
    return (bars && c == '|') || known.find(c) != std::string_view::npos;
  });
  // From 0.5.1 on one model cannot have plain attention beside MLA or DeepSeek attention.
  const bool clash = r >= schema::Release::v0_5_1 && part.find('*') != std::string_view::npos &&
                     part.find_first_of("D+") != std::string_view::npos;
  return all_known && !clash;
}

std::vector<std::string> split(std::string_view text, char sep) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0;;) {
    const std::size_t end = text.find(sep, begin);
    parts.emplace_back(text.substr(begin, end == std::string_view::npos ? end : end - begin));
    if (end == std::string_view::npos) return parts;
    begin = end + 1;
  }
}

std::int64_t count_in(std::string_view text, char c) {
  return static_cast<std::int64_t>(std::count(text.begin(), text.end(), c));
}

}  // namespace

std::int64_t PipelineLayout::count(char layer) const {
  std::int64_t n = 0;
  for (const auto& stage : stages) n += count_in(stage, layer);
  return n;
}

std::string PipelineLayout::flat() const {
  std::string all;
  for (const auto& stage : stages) all += stage;
  return all;
}

std::optional<PipelineLayout> parse_layout(const source::Value& layout) {
  if (layout.is_string()) return from_string(layout.as_string());
  if (layout.is_list()) return from_list(layout.as_list());
  return std::nullopt;
}

std::int64_t HybridPattern::layers() const {
  std::int64_t n = 0;
  for (const auto& segment : segments) n += static_cast<std::int64_t>(segment.size());
  return n;
}

std::int64_t HybridPattern::count(char symbol) const {
  std::int64_t n = mtp_depths * count_in(mtp, symbol);
  for (const auto& segment : segments) n += count_in(segment, symbol);
  return n;
}

HybridPattern parse_hybrid(std::string_view pattern, schema::Release r) {
  HybridPattern out;
  if (r < schema::Release::v0_4_2) {
    out.segments.emplace_back(pattern);
    out.valid = valid_part(pattern, r, false);
    return out;
  }
  const auto parts = split(pattern, '/');
  out.segments = split(parts[0], '|');
  out.valid = valid_part(parts[0], r, true);
  const bool has_mtp = std::any_of(parts.begin() + 1, parts.end(), [](const auto& p) { return !p.empty(); });
  if (!has_mtp) return out;
  out.mtp = parts[1];
  out.mtp_depths = static_cast<std::int64_t>(parts.size()) - 1;
  const bool same = std::all_of(parts.begin() + 1, parts.end(), [&](const auto& p) { return p == out.mtp; });
  out.valid = out.valid && same && valid_part(out.mtp, r, false);
  return out;
}

}  // namespace headroom::lang
