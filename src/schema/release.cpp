#include "headroom/schema/release.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>

namespace headroom::schema {

namespace {

constexpr Version mcore_0_2_2{0, 16, 0, -1};

// Transformer Engine and torch: what the containers and lock files of each release name.
constexpr std::array<ReleaseInfo, release_count> releases{{
    {Release::v0_2_2, "0.2.2", {0, 2, 2, 0}, mcore_0_2_2, {2, 9, 0, 0}, {2, 9, 0, 0}, "cba6b0ed0f"},
    {Release::v0_3_1, "0.3.1", {0, 3, 1, 0}, {0, 16, 1, 0}, {2, 12, 0, 0}, {2, 10, 0, 0}, "55ac708251"},
    {Release::v0_4_2, "0.4.2", {0, 4, 2, 0}, {0, 17, 1, 0}, {2, 14, 0, 0}, {2, 11, 0, 0}, "2edffadb52"},
    {Release::v0_5_1, "0.5.1", {0, 5, 1, 0}, {0, 18, 2, 0}, {2, 16, 0, 0}, {2, 12, 0, 0}, "458c8d0eca"},
    {Release::v0_6_0, "0.6.0", {0, 6, 0, 0}, {0, 19, 0, 0}, {2, 17, 1, 0}, {2, 12, 0, 0}, "cd4afffa64"},
    {Release::main, "main", {0, 7, 0, 0}, {0, 20, 0, 0}, {2, 17, 1, 0}, {2, 12, 0, 0}, "2a75ac12c5"},
}};

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

std::string_view trim(std::string_view s) {
  while (!s.empty() && (s.front() == ' ' || s.front() == '\t')) s.remove_prefix(1);
  while (!s.empty() && (s.back() == ' ' || s.back() == '\t')) s.remove_suffix(1);
  return s;
}

bool equals_ignoring_case(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](char x, char y) {
    return std::tolower(static_cast<unsigned char>(x)) == std::tolower(static_cast<unsigned char>(y));
  });
}

/// Takes a run of digits off the front; nullopt where there is none or it is absurdly long.
std::optional<std::int32_t> take_number(std::string_view& s) {
  std::size_t n = 0;
  std::int32_t value = 0;
  while (n < s.size() && is_digit(s[n])) {
    if (n >= 9) return std::nullopt;
    value = value * 10 + (s[n] - '0');
    ++n;
  }
  if (n == 0) return std::nullopt;
  s.remove_prefix(n);
  return value;
}

struct Tag {
  std::string_view text;
  std::int32_t stage;
};
// Longest first, so that `rc` is not taken for `r` and `alpha` not for `a`.
constexpr std::array<Tag, 12> tags{{{"preview", -1},
                                    {"alpha", -3},
                                    {"beta", -2},
                                    {"post", 1},
                                    {"dev", -4},
                                    {"pre", -1},
                                    {"rev", 1},
                                    {"rc", -1},
                                    {"a", -3},
                                    {"b", -2},
                                    {"c", -1},
                                    {"r", 1}}};

/// The part of a PEP 440 version behind its numbers (`rc1`, `.post2`, `a0.dev3`); nullopt where it is
/// something else.
std::optional<std::int32_t> take_stage(std::string_view s) {
  std::int32_t stage = 0;
  while (!s.empty()) {
    if (s.front() == '.' || s.front() == '-' || s.front() == '_') s.remove_prefix(1);
    const auto* tag = std::find_if(tags.begin(), tags.end(), [&](const Tag& t) {
      return s.size() >= t.text.size() && equals_ignoring_case(s.substr(0, t.text.size()), t.text);
    });
    if (tag == tags.end()) return std::nullopt;
    s.remove_prefix(tag->text.size());
    if (!s.empty() && (s.front() == '.' || s.front() == '-' || s.front() == '_') && s.size() > 1 &&
        is_digit(s[1]))
      s.remove_prefix(1);
    if (!s.empty() && is_digit(s.front()) && !take_number(s)) return std::nullopt;
    // The first tag decides: 1.0a1.dev2 is an alpha.
    if (stage == 0) stage = tag->stage;
  }
  return stage;
}

std::string_view without_prefix(std::string_view s) {
  if (s.starts_with("core_")) s.remove_prefix(5);
  if (!s.empty() && (s.front() == 'v' || s.front() == 'V')) s.remove_prefix(1);
  return s;
}

bool names_main(std::string_view text) {
  return equals_ignoring_case(text, "main") || equals_ignoring_case(text, "head") ||
         equals_ignoring_case(text, "latest");
}

using Member = Version ReleaseInfo::*;

/// Whether `text` gives no patch number (`0.6`), so that any release of the minor is what was asked for.
bool is_minor_only(std::string_view text) {
  return std::count(text.begin(), text.end(), '.') < 2;
}

std::int64_t distance(const Version& a, const Version& b) {
  auto line = [](const Version& v) {
    return (std::int64_t{v.major} * 1000 + v.minor) * 10000 + std::min(v.patch, 999) * 10 +
           std::clamp(v.stage, -4, 1);
  };
  return std::abs(line(a) - line(b));
}

std::optional<ReleaseMatch> match(std::string_view text, Member member) {
  text = trim(text);
  if (names_main(text)) return ReleaseMatch{Release::main, true};
  auto wanted = parse_version(text);
  if (!wanted) return std::nullopt;
  const ReleaseInfo* best = &releases.front();
  bool best_minor = false;
  for (const auto& r : releases) {
    const Version& v = r.*member;
    bool same_minor = v.major == wanted->major && v.minor == wanted->minor;
    if (same_minor != best_minor) {
      if (same_minor) best = &r;
    } else if (distance(v, *wanted) <= distance(best->*member, *wanted)) {
      best = &r;
    }
    best_minor = best_minor || same_minor;
  }
  bool exact = best->*member == *wanted || (best_minor && is_minor_only(text));
  return ReleaseMatch{best->release, exact};
}

enum class Relation { equal, not_equal, less, less_equal, greater, greater_equal };

Relation take_relation(std::string_view& s) {
  struct Sign {
    std::string_view text;
    Relation relation;
  };
  constexpr std::array<Sign, 7> signs{{{">=", Relation::greater_equal},
                                       {"<=", Relation::less_equal},
                                       {"==", Relation::equal},
                                       {"!=", Relation::not_equal},
                                       {">", Relation::greater},
                                       {"<", Relation::less},
                                       {"=", Relation::equal}}};
  for (const auto& sign : signs) {
    if (s.starts_with(sign.text)) {
      s = trim(s.substr(sign.text.size()));
      return sign.relation;
    }
  }
  return Relation::equal;
}

bool holds(const Version& v, Relation relation, const Version& bound, bool minor_only) {
  bool equal = minor_only ? v.major == bound.major && v.minor == bound.minor : v == bound;
  switch (relation) {
    case Relation::equal:
      return equal;
    case Relation::not_equal:
      return !equal;
    case Relation::less:
      return v < bound;
    case Relation::less_equal:
      return v <= bound || equal;
    case Relation::greater:
      return v > bound && !(minor_only && equal);
    case Relation::greater_equal:
      return v >= bound;
  }
  return false;
}

/// One comparison (`>=0.4.2`, `main`) as a release set.
std::optional<ReleaseSet> parse_comparison(std::string_view word, Member member) {
  Relation relation = take_relation(word);
  Version bound;
  bool minor_only = false;
  if (names_main(word)) {
    bound = info(Release::main).*member;
  } else {
    auto v = parse_version(word);
    if (!v) return std::nullopt;
    bound = *v;
    minor_only = is_minor_only(word);
  }
  ReleaseSet set = 0;
  for (const auto& r : releases)
    if (holds(r.*member, relation, bound, minor_only))
      set = static_cast<ReleaseSet>(set | (1u << static_cast<unsigned>(r.release)));
  return set;
}

/// Comparisons joined by blanks or commas: all must hold.
std::optional<ReleaseSet> parse_conjunction(std::string_view text, Member member) {
  ReleaseSet set = all_releases;
  bool any = false;
  while (!(text = trim(text)).empty()) {
    // A blank may stand between the sign and its number: the word ends at the first blank after a digit or
    // letter.
    std::size_t start = text.find_first_not_of("<>=! \t");
    if (start == std::string_view::npos) return std::nullopt;
    std::size_t end = std::min(text.find_first_of(" \t,", start), text.size());
    auto part = parse_comparison(text.substr(0, end), member);
    if (!part) return std::nullopt;
    set = static_cast<ReleaseSet>(set & *part);
    any = true;
    text = trim(text.substr(end));
    if (text.starts_with(',')) text.remove_prefix(1);
  }
  if (!any) return std::nullopt;
  return set;
}

std::optional<ReleaseSet> parse_range(std::string_view text, Member member) {
  ReleaseSet set = 0;
  while (true) {
    std::size_t bar = text.find("||");
    auto part = parse_conjunction(text.substr(0, bar), member);
    if (!part) return std::nullopt;
    set = static_cast<ReleaseSet>(set | *part);
    if (bar == std::string_view::npos) return set;
    text.remove_prefix(bar + 2);
  }
}

}  // namespace

std::optional<Version> parse_version(std::string_view text) {
  text = without_prefix(trim(text));
  if (auto plus = text.find('+'); plus != std::string_view::npos) text = text.substr(0, plus);
  Version v;
  std::array<std::int32_t*, 3> parts{&v.major, &v.minor, &v.patch};
  for (std::size_t i = 0;; ++i) {
    auto number = take_number(text);
    if (!number) return std::nullopt;
    if (i < parts.size()) *parts[i] = *number;
    if (text.size() < 2 || text.front() != '.' || !is_digit(text[1])) break;
    text.remove_prefix(1);
  }
  auto stage = take_stage(text);
  if (!stage) return std::nullopt;
  v.stage = *stage;
  return v;
}

std::string to_string(const Version& v) {
  std::string_view suffix;
  switch (v.stage) {
    case -4:
      suffix = ".dev0";
      break;
    case -3:
      suffix = "a0";
      break;
    case -2:
      suffix = "b0";
      break;
    case -1:
      suffix = "rc0";
      break;
    case 1:
      suffix = ".post0";
      break;
    default:
      break;
  }
  return fmt::format("{}.{}.{}{}", v.major, v.minor, v.patch, suffix);
}

const ReleaseInfo& info(Release r) {
  return releases[static_cast<std::size_t>(r)];
}

std::string_view name(Release r) {
  return info(r).name;
}

std::optional<ReleaseMatch> match_bridge(std::string_view text) {
  return match(text, &ReleaseInfo::bridge);
}

std::optional<ReleaseMatch> match_mcore(std::string_view text) {
  return match(text, &ReleaseInfo::mcore);
}

std::optional<ReleaseSet> parse_release_range(std::string_view text) {
  return parse_range(text, &ReleaseInfo::bridge);
}

std::optional<ReleaseSet> parse_mcore_range(std::string_view text) {
  return parse_range(text, &ReleaseInfo::mcore);
}

}  // namespace headroom::schema
