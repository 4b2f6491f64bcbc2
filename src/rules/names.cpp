// Names of severities and rules.
#include <algorithm>
#include <array>

#include "headroom/rules/pack.hpp"

namespace headroom::rules {
namespace {

/// `*` any run of characters, `?` one. Linear in practice: only the last star is retried.
bool glob(std::string_view pattern, std::string_view text) {
  std::size_t p = 0, t = 0, star = std::string_view::npos, retry = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      retry = t;
    } else if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == text[t])) {
      ++p;
      ++t;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      t = ++retry;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', p) == std::string_view::npos;
}

constexpr std::array<std::string_view, 6> severities{"advice",  "slow",    "memory",
                                                     "ignored", "warning", "error"};
constexpr std::array<std::string_view, 4> failures{"startup", "model-build", "first-step", "launch"};

}  // namespace

std::string_view to_string(Severity s) {
  return severities[static_cast<std::size_t>(s)];
}
std::string_view to_string(FailsAt f) {
  return failures[static_cast<std::size_t>(f)];
}

std::optional<Severity> parse_severity(std::string_view text) {
  const auto it = std::find(severities.begin(), severities.end(), text);
  if (it == severities.end()) return std::nullopt;
  return static_cast<Severity>(it - severities.begin());
}

const Rule* find_rule(const RulePack& pack, std::string_view id) {
  const auto it = std::lower_bound(pack.rules.begin(), pack.rules.end(), id,
                                   [](const Rule& r, std::string_view wanted) { return r.id < wanted; });
  return it != pack.rules.end() && it->id == id ? &*it : nullptr;
}

bool matches(std::span<const std::string> patterns, std::string_view id) {
  return std::ranges::any_of(patterns, [&](const std::string& p) {
    // An area's name alone means the whole area.
    const bool area =
        p.find_first_of("/*?") == std::string::npos && id.size() > p.size() && id[p.size()] == '/';
    return glob(p, id) || (area && id.substr(0, p.size()) == p);
  });
}

bool Selection::wants(std::string_view id) const {
  if ((!select.empty() && !matches(select, id)) || matches(ignore, id)) return false;
  const SeverityChange* change = change_of(id);
  return change == nullptr || change->severity.has_value();
}

const SeverityChange* Selection::change_of(std::string_view id) const {
  const auto meant = [id](const SeverityChange& c) { return matches({&c.glob, 1}, id); };
  const auto found = std::find_if(severities.rbegin(), severities.rend(), meant);
  return found == severities.rend() ? nullptr : &*found;
}

}  // namespace headroom::rules
