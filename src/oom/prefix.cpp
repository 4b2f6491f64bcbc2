#include "prefix.hpp"

#include <algorithm>

#include "text.hpp"

namespace headroom::oom {
namespace {

constexpr std::int64_t most_ranks = 10'000'000;

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

std::uint64_t mix(std::uint64_t seed, std::string_view text) {
  for (const char c : text) seed = (seed ^ static_cast<unsigned char>(c)) * 0x100000001b3ull;
  return seed | 1;
}

class PrefixReader {
 public:
  explicit PrefixReader(std::string_view line) : rest_(line) {}

  Prefix run() {
    for (int parts = 0; parts < 6; ++parts) {
      const std::string_view indented = rest_;
      while (!rest_.empty() && (rest_.front() == ' ' || rest_.front() == '\t')) rest_.remove_prefix(1);
      if (brackets() || actor() || srun() || time() || glog() || pipe()) continue;
      rest_ = indented;  // the indentation of a frame is part of it
      break;
    }
    out_.body = rest_;
    if (out_.rank) {
      out_.stream = mix(1, "rank") ^ (static_cast<std::uint64_t>(*out_.rank) << 1);
    } else if (out_.local_rank && out_.stream == 0) {
      out_.stream = mix(2, "local") ^ (static_cast<std::uint64_t>(*out_.local_rank) << 1);
    }
    return out_;
  }

 private:
  /// Takes `count` characters, and one blank after them.
  bool take(std::size_t count) {
    rest_.remove_prefix(std::min(count, rest_.size()));
    if (!rest_.empty() && rest_.front() == ' ') rest_.remove_prefix(1);
    return true;
  }

  bool take_word(std::size_t count) {
    out_.stream = mix(out_.stream + 3, rest_.substr(0, count));
    return take(count);
  }

  bool brackets() {
    if (rest_.empty() || rest_.front() != '[') return false;
    const auto close = rest_.substr(0, 200).find(']');
    if (close == std::string_view::npos) return false;
    const std::string_view inside = rest_.substr(1, close - 1);
    std::size_t end = close + 1;
    if (rest_.substr(end).starts_with("<stderr>:") || rest_.substr(end).starts_with("<stdout>:")) {
      const auto comma = inside.find(',');
      if (comma == std::string_view::npos) return false;
      out_.rank = sane(leading_integer(inside.substr(comma + 1)));
      return take(end + 9);
    }
    if (end < rest_.size() && rest_[end] == ':') ++end;
    if (inside.starts_with("pod/")) return take_word(end);
    const auto digits = inside.find_last_not_of("0123456789");
    if (!inside.empty() && digits == std::string_view::npos) return false;  // NCCL's device number
    if (is_digit(inside.back()) && named_rank(inside.substr(0, digits + 1), inside.substr(digits + 1)))
      return take(end);
    const bool dated = inside.size() >= 8 && is_digit(inside[0]) && is_digit(inside[1]) &&
                       inside.find_first_not_of("0123456789-:., TZ+/") == std::string_view::npos;
    return dated && take(end);
  }

  bool named_rank(std::string_view name, std::string_view digits) {
    while (!name.empty() && (name.back() == ' ' || name.back() == ':')) name.remove_suffix(1);
    const bool word = !name.empty() && std::all_of(name.begin(), name.end(), is_letter);
    const auto number = sane(leading_integer(digits));
    if (!word || !number) return false;
    if (name == "rank" || name == "Rank" || name == "RANK")
      out_.rank = number;
    else
      out_.local_rank = number;
    return true;
  }

  bool actor() {
    if (!rest_.starts_with('(')) return false;
    const auto close = rest_.substr(0, 300).find(')');
    if (close == std::string_view::npos || !holds(rest_.substr(0, close), "pid=")) return false;
    return take_word(close + 1);
  }

  bool srun() {
    std::size_t n = 0;
    while (n < rest_.size() && n < 8 && is_digit(rest_[n])) ++n;
    if (n == 0 || n + 1 >= rest_.size() || rest_[n] != ':' || rest_[n + 1] != ' ') return false;
    if (!out_.rank) out_.rank = sane(leading_integer(rest_));
    rest_.remove_prefix(n + 2);  // what follows may be indented
    return true;
  }

  /// `2026-06-14T09:41:22.123Z`, `2026-06-14 09:41:22,123`
  bool time() {
    if (rest_.size() < 19 || rest_[4] != '-' || rest_[7] != '-' || (rest_[10] != 'T' && rest_[10] != ' '))
      return false;
    for (const std::size_t i : {0u, 1u, 2u, 3u, 5u, 6u, 8u, 9u, 11u, 12u, 14u, 15u})
      if (!is_digit(rest_[i])) return false;
    std::size_t end = 19;
    while (end < rest_.size() &&
           (is_digit(rest_[end]) || std::string_view(".,Z+:").find(rest_[end]) != std::string_view::npos))
      ++end;
    return take(end);
  }

  /// `E0614 09:41:22.123456 12345 file.py:123] `
  bool glog() {
    if (rest_.size() < 22 || std::string_view("IWEF").find(rest_[0]) == std::string_view::npos) return false;
    for (const std::size_t i : {1u, 2u, 3u, 4u, 6u, 7u, 9u, 10u})
      if (!is_digit(rest_[i])) return false;
    if (rest_[5] != ' ' || rest_[8] != ':') return false;
    const auto close = rest_.substr(0, 200).find("] ");
    return close != std::string_view::npos && take(close + 1);
  }

  /// `trainer-0  | `, at most 64 characters without blanks before the blanks.
  bool pipe() {
    const auto bar = rest_.substr(0, 80).find(" | ");
    if (bar == std::string_view::npos || bar == 0) return false;
    std::string_view name = rest_.substr(0, bar);
    while (!name.empty() && name.back() == ' ') name.remove_suffix(1);
    if (name.empty() || name.find(' ') != std::string_view::npos || !is_letter(name.front())) return false;
    out_.stream = mix(out_.stream + 3, name);
    rest_.remove_prefix(bar + 3);
    return true;
  }

  static std::optional<std::int64_t> sane(std::optional<std::int64_t> rank) {
    return rank && *rank >= 0 && *rank < most_ranks ? rank : std::nullopt;
  }

  std::string_view rest_;
  Prefix out_;
};

}  // namespace

Prefix read_prefix(std::string_view line) {
  return PrefixReader(line).run();
}

}  // namespace headroom::oom
