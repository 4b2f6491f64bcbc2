// Expands the words of a shell text with what the script has set.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "shell_state.hpp"
#include "shell_tree.hpp"

namespace headroom::source {

class ShellExpander {
 public:
  ShellExpander(ShellState& state, const ShellText& text) : state_(state), text_(text) {}

  /// The words that `word` becomes: none, one, several.
  [[nodiscard]] std::vector<Field> fields(const ShellWord& word);
  /// `word` as one text, as in an assignment.
  [[nodiscard]] Field whole(const ShellWord& word);
  /// The value of an arithmetic expression, and the assumptions behind it. None: not constant.
  [[nodiscard]] std::optional<std::int64_t> arithmetic(const ShellWord& expression, std::uint32_t& given);

 private:
  /// What a parameter stands for.
  struct Value {
    enum class Kind : std::uint8_t { unknown, absent, unset, text, list };
    Kind kind = Kind::unknown;
    Glyphs glyphs;
    std::vector<Field> list;
    std::uint32_t given = 0;
  };
  struct Output {
    std::vector<Field> done;
    Field now;
    bool present = false;
    bool split = true;
  };

  void emit_word(Output& out, const ShellWord& word);
  void emit_literal(Output& out, const ShellWord& word, const ShellPart& part);
  void emit_parameter(Output& out, const ShellPart& part);
  void emit_arithmetic(Output& out, const ShellPart& part);
  void emit_unknown(Output& out, const ShellPart& part, bool loose);
  void emit_glyphs(Output& out, const ShellPart& part, const Glyphs& glyphs, std::uint32_t given);
  void emit_list(Output& out, const ShellPart& part, const Value& value);
  void emit_computed(Output& out, const ShellPart& part, const std::string& text, std::uint32_t given);
  void finish(Output& out);
  [[nodiscard]] Site site_of(const ShellPart& part) const;

  [[nodiscard]] Value evaluate(const ShellPart& part);
  [[nodiscard]] Value look_up(const ShellPart& part, const ShellParameter& parameter);
  [[nodiscard]] Value positional(const ShellPart& part, const std::string& name);
  [[nodiscard]] Value computed_number(const ShellPart& part, std::size_t number, std::uint32_t given);
  [[nodiscard]] Value element(const ShellParameter& parameter, const ShellVariable& variable);
  [[nodiscard]] Value with_default(const ShellParameter& parameter, Value value);
  [[nodiscard]] Value changed(const ShellParameter& parameter, Value value);
  [[nodiscard]] Value replaced(const ShellParameter& parameter, Value value);
  [[nodiscard]] Value substring(const ShellParameter& parameter, Value value);
  [[nodiscard]] Value length(const ShellPart& part, const ShellParameter& parameter, const Value& value);
  [[nodiscard]] Value operand(const ShellParameter& parameter, std::size_t index);

  ShellState& state_;
  const ShellText& text_;
};

/// Whether `text` matches a pattern of `*`, `?` and `[…]`; quoted glyphs of the pattern are ordinary.
[[nodiscard]] bool glob_match(const Glyphs& pattern, std::string_view text);

}  // namespace headroom::source
