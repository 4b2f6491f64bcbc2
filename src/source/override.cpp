#include <fmt/format.h>

#include <optional>

#include "chars.hpp"
#include "headroom/source/document.hpp"
#include "scalar.hpp"

// Hydra 1.3's override grammar (OverrideLexer.g4, OverrideParser.g4), without sweeps and functions: a launch
// has one value a key.
namespace headroom::source {
namespace {

constexpr std::uint32_t depth_limit = 50;
constexpr std::size_t length_limit = 1U << 16U;

/// Unwinds the recursive descent below; never leaves parse_override.
struct Refused {
  std::size_t at;
  std::string why;
};

bool is_key_character(char c) {
  return is_alpha(c) || is_digit(c) || c == '_' || c == '-' || c == '$';
}

class OverrideParser {
 public:
  explicit OverrideParser(std::string_view word) : word_(word) {}

  Override run() {
    Override result;
    result.text = std::string(word_);
    parse_prefix(result);
    result.key = parse_key();
    if (done() && result.kind == Override::Kind::remove) return result;
    if (peek() != '=') {
      if (done()) throw Refused{at_, "`=` and a value are missing"};
      throw Refused{at_, fmt::format("`{}` cannot stand in a key", printable(at_))};
    }
    ++at_;
    skip_blanks();
    parse_value(result);
    return result;
  }

 private:
  [[nodiscard]] bool done() const { return at_ >= word_.size(); }
  [[nodiscard]] char peek(std::size_t ahead = 0) const {
    return at_ + ahead < word_.size() ? word_[at_ + ahead] : '\0';
  }
  void skip_blanks() {
    while (is_blank(peek())) ++at_;
  }
  [[nodiscard]] std::string printable(std::size_t p) const {
    std::size_t end = p + 1;
    while (end < word_.size() && (static_cast<unsigned char>(word_[end]) & 0xC0U) == 0x80U) ++end;
    return std::string(word_.substr(p, end - p));
  }

  void parse_prefix(Override& result) {
    if (peek() == '~') {
      result.kind = Override::Kind::remove;
      ++at_;
    } else if (peek() == '+') {
      const bool twice = peek(1) == '+';
      result.kind = twice ? Override::Kind::force : Override::Kind::add;
      at_ += twice ? 2 : 1;
    }
  }

  std::string parse_key() {
    const std::size_t begin = at_;
    while (is_key_character(peek()) || peek() == '.') ++at_;
    const std::string_view key = word_.substr(begin, at_ - begin);
    if (key.empty()) throw Refused{begin, "a key is missing"};
    if (peek() == '@' || peek() == '/' || peek() == ':') {
      throw Refused{at_, "this names a group of Hydra configs; a single config has none"};
    }
    const std::size_t hole = key.starts_with('.') ? 0 : key.find("..");
    if (hole != std::string_view::npos) throw Refused{begin + hole, "an empty part in the key"};
    if (key.ends_with('.')) throw Refused{at_, "an empty part in the key"};
    return std::string(key);
  }

  void parse_value(Override& result) {
    if (done()) {
      result.value = Value("");
      return;
    }
    if (peek() == '{') {
      parse_mapping("", result.members, 1);
      result.value = Opaque{};
    } else {
      result.value = parse_element(1);
    }
    skip_blanks();
    if (done()) return;
    if (peek() == ',') throw Refused{at_, "several values are a sweep; a list is written [a,b]"};
    throw Refused{at_, fmt::format("`{}` is unexpected here: quote the value", printable(at_))};
  }

  Value parse_element(std::uint32_t depth) {
    if (depth > depth_limit) throw Refused{at_, "nested too deep"};
    if (peek() == '[') return parse_list(depth);
    if (peek() == '{') {
      std::vector<std::pair<std::string, Value>> members;
      parse_mapping("", members, depth);
      return Opaque{};
    }
    if (peek() == '\'' || peek() == '"') {
      std::string text = parse_quoted();
      return text.find("${") == std::string::npos ? Value(std::move(text)) : Value::unknown();
    }
    return parse_words(false);
  }

  Value parse_list(std::uint32_t depth) {
    const std::size_t open = at_++;
    List list;
    skip_blanks();
    if (peek() == ']') {
      ++at_;
      return list;
    }
    while (true) {
      list.push_back(parse_element(depth + 1));
      skip_blanks();
      if (peek() == ',') {
        ++at_;
        skip_blanks();
        continue;
      }
      if (peek() != ']')
        throw Refused{done() ? open : at_, done() ? "`[` is never closed" : "`,` or `]` expected"};
      ++at_;
      return list;
    }
  }

  void parse_mapping(const std::string& prefix, std::vector<std::pair<std::string, Value>>& members,
                     std::uint32_t depth) {
    if (depth > depth_limit) throw Refused{at_, "nested too deep"};
    const std::size_t open = at_++;
    skip_blanks();
    if (peek() == '}') {
      ++at_;
      return;
    }
    while (true) {
      const std::string key = prefix + parse_member_key();
      if (peek() == '{') {
        members.emplace_back(key, Opaque{});
        parse_mapping(key + ".", members, depth + 1);
      } else {
        members.emplace_back(key, parse_element(depth + 1));
      }
      skip_blanks();
      if (peek() == ',') {
        ++at_;
        skip_blanks();
        continue;
      }
      if (peek() != '}')
        throw Refused{done() ? open : at_, done() ? "`{` is never closed" : "`,` or `}` expected"};
      ++at_;
      return;
    }
  }

  std::string parse_member_key() {
    const std::size_t begin = at_;
    if (peek() == '\'' || peek() == '"') throw Refused{at_, "a key in `{…}` has no quotes"};
    const Value key = parse_words(true);
    std::string text = key.is_string() ? std::string(key.as_string()) : key.to_text();
    if (peek() != ':') throw Refused{done() ? begin : at_, "`:` expected behind a key"};
    ++at_;
    skip_blanks();
    return text;
  }

  std::string parse_quoted() {
    const std::size_t open = at_;
    const char quote = word_[at_++];
    std::string text;
    while (!done()) {
      const char c = word_[at_++];
      if (c == quote) return text;
      // Only `\'`, and backslashes in front of a quote, are escapes: "a\b" keeps its backslash.
      if (c == '\\') {
        std::size_t run = 1;
        while (peek() == '\\') ++at_, ++run;
        if (peek() != quote) {
          text.append(run, '\\');
          continue;
        }
        text.append(run / 2, '\\');
        if (run % 2 == 1) text += word_[at_++];
        continue;
      }
      text += c;
    }
    throw Refused{open, "a quote is never closed"};
  }

  /// Unquoted words: typed where they are one number, boolean or null, else their characters.
  Value parse_words(bool is_key) {
    const std::size_t begin = at_;
    std::string text;
    bool escaped = false;
    bool interpolated = false;
    std::size_t trailing_blanks = 0;
    while (!done()) {
      const char c = peek();
      if (c == ',' || c == ']' || c == '}' || (is_key && c == ':')) break;
      if (c == '\\' && std::string_view("\\()[]{}:=, \t").find(peek(1)) != std::string_view::npos &&
          peek(1) != '\0') {
        text += peek(1);
        at_ += 2;
        escaped = true;
        trailing_blanks = 0;
        continue;
      }
      if (c == '$' && peek(1) == '{') {
        text += parse_interpolation();
        interpolated = true;
        trailing_blanks = 0;
        continue;
      }
      check_word_character(c);
      trailing_blanks = is_blank(c) ? trailing_blanks + 1 : 0;
      text += c;
      ++at_;
    }
    text.resize(text.size() - trailing_blanks);
    if (text.empty()) throw Refused{begin, "a value is missing"};
    if (interpolated) return Value::unknown();
    return escaped ? Value(std::move(text)) : resolve_hydra(text);
  }

  void check_word_character(char c) const {
    if (c == '(') throw Refused{at_, "functions are not read here: quote the value if `(` belongs to it"};
    const bool fine = is_alpha(c) || is_digit(c) || is_blank(c) ||
                      std::string_view("_/-\\+.$%*@?|:").find(c) != std::string_view::npos;
    if (!fine) throw Refused{at_, fmt::format("`{}` needs quotes around the value", printable(at_))};
  }

  std::string parse_interpolation() {
    const std::size_t open = at_;
    std::size_t depth = 0;
    for (; !done(); ++at_) {
      if (peek() == '{') ++depth;
      if (peek() == '}' && --depth == 0) {
        ++at_;
        return std::string(word_.substr(open, at_ - open));
      }
    }
    throw Refused{open, "`${` without its `}`"};
  }

  std::string_view word_;
  std::size_t at_ = 0;
};

}  // namespace

Result<Override> parse_override(std::string_view word, std::string_view name) {
  const auto refuse = [&](std::size_t at, std::string why) {
    const SourceText place{std::string(name), std::string(word)};
    const auto begin = static_cast<std::uint32_t>(std::min(at, word.size()));
    const auto end = static_cast<std::uint32_t>(std::min(word.size(), std::size_t{begin} + 1));
    return tl::unexpected(error_at(place, {begin, end}, std::move(why)));
  };
  if (word.size() > length_limit) return refuse(0, "longer than 64 KiB");
  if (const auto bad = find_bad_byte(word)) return refuse(bad->offset, bad->why);
  try {
    return OverrideParser(word).run();
  } catch (const Refused& refused) {
    return refuse(refused.at, refused.why);
  }
}

}  // namespace headroom::source
