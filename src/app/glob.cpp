#include "glob.hpp"

#include <algorithm>
#include <string>
#include <vector>

namespace headroom::app {
namespace {

constexpr std::size_t most_alternatives = 256;

/// `a{b,c}d` as `abd`, `acd`; the first braces, then those of the results. Braces without a partner are
/// themselves.
std::vector<std::string> alternatives(std::string_view pattern) {
  std::vector<std::string> done;
  std::vector<std::string> open{std::string(pattern)};
  while (!open.empty()) {
    const std::string p = std::move(open.back());
    open.pop_back();
    const std::size_t close = p.find('}');
    const std::size_t begin = close == std::string::npos ? close : p.rfind('{', close);
    if (begin == std::string::npos || done.size() + open.size() > most_alternatives) {
      done.push_back(p);
      continue;
    }
    for (std::size_t at = begin + 1; at <= close;) {
      const std::size_t end = std::min(p.find(',', at), close);
      open.push_back(p.substr(0, begin) + p.substr(at, end - at) + p.substr(close + 1));
      at = end + 1;
    }
  }
  return done;
}

/// Length of `[…]` at the start of `pattern`, 0 where it is not closed; `in`: whether it holds `c`.
std::size_t bracket(std::string_view pattern, char c, bool& in) {
  const bool negated = pattern.size() > 1 && (pattern[1] == '!' || pattern[1] == '^');
  const std::size_t first = negated ? 2 : 1;
  const std::size_t close = pattern.find(']', first + 1);
  if (close == std::string_view::npos) return 0;
  bool found = false;
  for (std::size_t i = first; i < close; ++i) {
    if (i + 2 < close && pattern[i + 1] == '-') {
      found = found || (pattern[i] <= c && c <= pattern[i + 2]);
      i += 2;
    } else {
      found = found || pattern[i] == c;
    }
  }
  in = found != negated;
  return close + 1;
}

/// One name against one part of a pattern. Only the last star is tried again: no blow-up.
bool name_matches(std::string_view pattern, std::string_view name) {
  std::size_t p = 0, n = 0, star = std::string_view::npos, retry = 0;
  while (n < name.size()) {
    bool in = false;
    const std::size_t set =
        p < pattern.size() && pattern[p] == '[' ? bracket(pattern.substr(p), name[n], in) : 0;
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      retry = n;
    } else if (set != 0 ? in : p < pattern.size() && (pattern[p] == '?' || pattern[p] == name[n])) {
      p += set != 0 ? set : 1;
      ++n;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      n = ++retry;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', p) == std::string_view::npos;
}

std::vector<std::string_view> parts_of(std::string_view path) {
  std::vector<std::string_view> out;
  while (!path.empty()) {
    const std::size_t end = std::min(path.find('/'), path.size());
    if (const auto part = path.substr(0, end); !part.empty() && part != ".") out.push_back(part);
    path.remove_prefix(std::min(end + 1, path.size()));
  }
  return out;
}

/// Parts of a pattern against parts of a path; what lies below a folder that matches is meant, too.
bool parts_match(const std::vector<std::string_view>& pattern, const std::vector<std::string_view>& path) {
  std::size_t p = 0, n = 0, star = std::string_view::npos, retry = 0;
  while (n < path.size()) {
    if (p == pattern.size()) return p != 0;
    if (pattern[p] == "**") {
      star = p++;
      retry = n;
      if (p == pattern.size()) return true;
    } else if (name_matches(pattern[p], path[n])) {
      ++p;
      ++n;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      n = ++retry;
    } else {
      return false;
    }
  }
  return p == pattern.size();
}

}  // namespace

bool path_matches(std::string_view pattern, std::string_view path) {
  const auto path_parts = parts_of(path);
  return std::ranges::any_of(alternatives(pattern), [&](const std::string& p) {
    auto parts = parts_of(p);
    if (p.find('/') == std::string::npos) parts.insert(parts.begin(), "**");
    return parts_match(parts, path_parts);
  });
}

}  // namespace headroom::app
