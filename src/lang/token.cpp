#include "token.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <utility>

namespace headroom::lang {
namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_name_start(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
bool is_name(char c) {
  return is_name_start(c) || is_digit(c);
}
bool is_space(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

class Tokenizer {
 public:
  Tokenizer(std::string_view text, std::vector<Token>& tokens, Fault& fault)
      : text_(text), tokens_(tokens), fault_(fault) {}

  bool run() {
    while (true) {
      while (pos_ < text_.size() && is_space(text_[pos_])) ++pos_;
      if (pos_ >= text_.size()) break;
      const char c = text_[pos_];
      const bool ok = is_digit(c)               ? number()
                      : is_name_start(c)        ? name()
                      : (c == '\'' || c == '"') ? string()
                                                : symbol();
      if (!ok) return false;
    }
    push(Tok::end, text_.size());
    return true;
  }

 private:
  Token& push(Tok kind, std::size_t begin) {
    tokens_.push_back({kind, begin, pos_, 0, 0, {}});
    return tokens_.back();
  }
  bool fail(std::string message, std::size_t begin, std::size_t end) {
    fault_ = {std::move(message), begin, end};
    return false;
  }

  bool number() {
    const std::size_t begin = pos_;
    const auto digits = [&] {
      while (pos_ < text_.size() && is_digit(text_[pos_])) ++pos_;
    };
    digits();
    bool floating = false;
    if (pos_ + 1 < text_.size() && text_[pos_] == '.' && is_digit(text_[pos_ + 1])) {
      floating = true;
      ++pos_;
      digits();
    }
    if (pos_ < text_.size() && (text_[pos_] == 'e' || text_[pos_] == 'E')) {
      std::size_t next = pos_ + 1;
      if (next < text_.size() && (text_[next] == '+' || text_[next] == '-')) ++next;
      if (next < text_.size() && is_digit(text_[next])) {
        floating = true;
        pos_ = next;
        digits();
      }
    }
    if (pos_ < text_.size() && is_name(text_[pos_])) {
      while (pos_ < text_.size() && is_name(text_[pos_])) ++pos_;
      return fail(fmt::format("'{}' is not a number", text_.substr(begin, pos_ - begin)), begin, pos_);
    }
    return push_number(begin, floating);
  }

  bool push_number(std::size_t begin, bool floating) {
    const std::string digits(text_.substr(begin, pos_ - begin));
    Token& token = push(floating ? Tok::floating : Tok::integer, begin);
    if (floating) {
      // strtod reads `.` whatever the user's locale as long as nobody calls setlocale, and headroom does not.
      token.number = std::strtod(digits.c_str(), nullptr);
      if (!std::isfinite(token.number)) return fail("this number is too large", begin, pos_);
      return true;
    }
    const auto result = std::from_chars(digits.data(), digits.data() + digits.size(), token.integer);
    if (result.ec != std::errc()) return fail("this number needs more than 64 bits", begin, pos_);
    return true;
  }

  bool name() {
    const std::size_t begin = pos_;
    while (pos_ < text_.size() && is_name(text_[pos_])) ++pos_;
    const auto word = text_.substr(begin, pos_ - begin);
    // A word after a dot is part of a name or a method, whatever it spells.
    const bool after_dot = !tokens_.empty() && tokens_.back().kind == Tok::dot;
    Tok kind = Tok::name;
    if (!after_dot) {
      if (word == "true") kind = Tok::true_;
      if (word == "false") kind = Tok::false_;
      if (word == "null") kind = Tok::null;
      if (word == "in") kind = Tok::in;
      static constexpr std::array<std::pair<std::string_view, std::string_view>, 7> python{
          {{"and", "&&"},
           {"or", "||"},
           {"not", "!"},
           {"None", "null"},
           {"True", "true"},
           {"False", "false"},
           {"is", "=="}}};
      for (const auto& [theirs, ours] : python)
        if (word == theirs) return fail(fmt::format("'{}' is Python; write '{}'", theirs, ours), begin, pos_);
    }
    push(kind, begin).text = std::string(word);
    return true;
  }

  bool string() {
    const std::size_t begin = pos_;
    const char quote = text_[pos_++];
    std::string value;
    while (pos_ < text_.size() && text_[pos_] != quote) {
      char c = text_[pos_++];
      if (c == '\\') {
        const char escaped = pos_ < text_.size() ? text_[pos_] : '\0';
        if (escaped == 'n')
          c = '\n';
        else if (escaped == 't')
          c = '\t';
        else if (escaped == '\\' || escaped == '\'' || escaped == '"')
          c = escaped;
        else
          return fail(R"(after a backslash only \\ \' \" \n \t are known)", pos_ - 1, pos_);
        ++pos_;
      }
      value += c;
    }
    if (pos_ >= text_.size()) return fail("this string has no closing quote", begin, begin + 1);
    ++pos_;
    push(Tok::string, begin).text = std::move(value);
    return true;
  }

  bool symbol() {
    static constexpr std::array<std::pair<std::string_view, Tok>, 22> symbols{
        {{"&&", Tok::and_},        {"||", Tok::or_},          {"==", Tok::equal},
         {"!=", Tok::not_equal},   {"<=", Tok::less_equal},   {">=", Tok::greater_equal},
         {"<", Tok::less},         {">", Tok::greater},       {"!", Tok::not_},
         {"+", Tok::plus},         {"-", Tok::minus},         {"*", Tok::star},
         {"/", Tok::slash},        {"%", Tok::percent},       {"?", Tok::question},
         {":", Tok::colon},        {"(", Tok::left_paren},    {")", Tok::right_paren},
         {"[", Tok::left_bracket}, {"]", Tok::right_bracket}, {",", Tok::comma},
         {".", Tok::dot}}};
    const std::size_t begin = pos_;
    const auto rest = text_.substr(pos_);
    for (const auto& [spelling, kind] : symbols) {
      if (rest.substr(0, spelling.size()) != spelling) continue;
      pos_ += spelling.size();
      push(kind, begin);
      return true;
    }
    if (rest[0] == '&') return fail("write '&&'", begin, begin + 1);
    if (rest[0] == '|') return fail("write '||'", begin, begin + 1);
    if (rest[0] == '=') return fail("write '==' to compare", begin, begin + 1);
    const auto byte = static_cast<unsigned char>(rest[0]);
    if (byte < 0x20 || byte >= 0x7f)
      return fail(fmt::format("unexpected byte 0x{:02x}", byte), begin, begin + 1);
    return fail(fmt::format("unexpected '{}'", rest[0]), begin, begin + 1);
  }

  std::string_view text_;
  std::vector<Token>& tokens_;
  Fault& fault_;
  std::size_t pos_ = 0;
};

}  // namespace

bool tokenize(std::string_view text, std::vector<Token>& tokens, Fault& fault) {
  return Tokenizer(text, tokens, fault).run();
}

std::string describe(const Token& token, std::string_view text) {
  if (token.kind == Tok::end) return "the end";
  return fmt::format("'{}'", text.substr(token.begin, token.end - token.begin));
}

}  // namespace headroom::lang
