// Tokens of the rule language.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace headroom::lang {

enum class Tok : std::uint8_t {
  end,
  integer,
  floating,
  string,
  name,
  true_,
  false_,
  null,
  in,
  and_,
  or_,
  not_,
  equal,
  not_equal,
  less,
  less_equal,
  greater,
  greater_equal,
  plus,
  minus,
  star,
  slash,
  percent,
  question,
  colon,
  left_paren,
  right_paren,
  left_bracket,
  right_bracket,
  comma,
  dot,
};

struct Token {
  Tok kind = Tok::end;
  std::size_t begin = 0, end = 0;  ///< bytes in the text
  std::int64_t integer = 0;
  double number = 0;
  std::string text;  ///< name, or string after unescaping
};

/// A fault in an expression: a message and the bytes that it is about.
struct Fault {
  std::string message;
  std::size_t begin = 0, end = 0;
};

/// Splits `text`; false fills `fault`. The last token is `end`.
[[nodiscard]] bool tokenize(std::string_view text, std::vector<Token>& tokens, Fault& fault);

/// A token as messages call it.
[[nodiscard]] std::string describe(const Token& token, std::string_view text);

}  // namespace headroom::lang
