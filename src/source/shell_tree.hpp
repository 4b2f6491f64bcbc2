// A shell text as a tree. Offsets are bytes in the ShellText that was parsed.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace headroom::source {

struct ShellPart;

struct ShellWord {
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
  std::vector<ShellPart> parts;
};

/// `${name[subscript]op operand…}`
struct ShellParameter {
  enum class Subscript : std::uint8_t { none, at, star, index };
  std::string name;
  std::string op;  ///< `:-`, `%%`, …; empty: the plain value; `?`: not understood
  Subscript subscript = Subscript::none;
  bool length = false;
  bool indirect = false;
  std::vector<ShellWord> operands;
  ShellWord index;
};

struct ShellPart {
  enum class Kind : std::uint8_t { literal, parameter, substitution, arithmetic, braces, placeholder };
  Kind kind = Kind::literal;
  bool quoted = false;
  bool escaped = false;  ///< literal: `value` is what the bytes mean
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
  std::uint32_t outer_begin = 0;  ///< with the quote that opens before it
  std::uint32_t outer_end = 0;    ///< with the quote that closes behind it
  std::string value;
  std::unique_ptr<ShellParameter> parameter;
  ShellWord expression;  ///< arithmetic
};

struct ShellAssignment {
  std::string name;
  bool append = false;
  bool indexed = false;
  bool array = false;
  bool declared = false;  ///< an argument of `export`, `declare`, …
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
  std::uint32_t name_end = 0;
  ShellWord index;
  ShellWord value;
  std::vector<ShellWord> elements;
};

struct ShellRedirection {
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
  bool here_document = false;
  bool here_string = false;
  bool literal = false;          ///< here-document with a quoted delimiter
  std::uint32_t body_begin = 0;  ///< here-document
  std::uint32_t body_end = 0;
  ShellWord target;  ///< file or here-string
};

struct ShellNode {
  enum class Kind : std::uint8_t {
    simple,
    list,
    and_or,  ///< operators[i] stands before children[i + 1]
    pipeline,
    conditional,  ///< condition, body, condition, body, …, else body
    loop,         ///< condition, body
    each,         ///< `for name in words`: body
    choice,       ///< `case words[0]`: patterns[i] with children[i]
    group,
    subshell,
    function,    ///< body
    test,        ///< `[[ words ]]`
    arithmetic,  ///< `(( words[0] ))`
  };
  Kind kind = Kind::simple;
  bool negated = false;
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
  std::string name;
  std::vector<ShellAssignment> assignments;
  std::vector<ShellWord> words;
  std::vector<ShellRedirection> redirections;
  std::vector<std::unique_ptr<ShellNode>> children;
  std::vector<char> operators;  ///< `&` or `|`
  std::vector<std::vector<ShellWord>> patterns;
};

}  // namespace headroom::source
