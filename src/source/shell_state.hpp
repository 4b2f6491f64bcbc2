// What a script has set so far, and what is to be said about it.
#pragma once
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "shell_text.hpp"

namespace headroom::source {

struct ShellValue {
  enum class State : std::uint8_t { scalar, array, unset, unknown };
  State state = State::unset;
  std::vector<Field> fields;
  std::uint32_t given = 0;
};

struct ShellVariable {
  std::shared_ptr<const ShellValue> value;  ///< none: exported only
  bool exported = false;
  bool conditional = false;
  Span name_span;
  Span span;
  Span value_span;
};

class ShellState {
 public:
  using Variables = std::unordered_map<std::string, ShellVariable>;
  using Changes = std::map<std::string, ShellVariable>;

  ShellState(std::shared_ptr<const SourceText> source, const Limits& limits);

  [[nodiscard]] const SourceText& source() const { return *script.source; }
  /// Null: the script never set it, so the environment may.
  [[nodiscard]] const ShellVariable* find(const std::string& name) const;
  void set(const std::string& name, ShellVariable variable);

  // Changes can be taken back: branches, subshells.
  [[nodiscard]] std::size_t mark() const { return undo_.size(); }
  [[nodiscard]] Changes changes(std::size_t mark) const;
  void roll_back(std::size_t mark);

  /// The set of one assumption, kept once for each text.
  [[nodiscard]] std::uint32_t assume(std::string text);
  void note(Unevaluated::Kind kind, Span span, std::string variable = {});
  void note_text(Unevaluated::Kind kind, Span span, std::string_view text, std::string variable = {});
  /// Counts bytes that expansion makes; false: reading ends.
  bool spend(std::size_t bytes);
  /// Counts commands and words; false: reading ends.
  bool step(std::size_t count = 1);
  void fail(Span span, std::string message);
  [[nodiscard]] bool failed() const { return error.has_value(); }

  Limits limits;
  Script script;
  Routes routes;
  Givens givens;
  std::optional<Error> error;
  std::optional<std::vector<Field>> positionals;  ///< none: not known
  std::string target;                             ///< the variable being set, for notes
  Span place;                                     ///< the command being read, for errors

 private:
  Variables variables_;
  std::vector<std::pair<std::string, std::optional<ShellVariable>>> undo_;
  std::map<std::string, std::uint32_t> assumed_;
  std::set<std::pair<int, std::uint32_t>> noted_;
  std::size_t bytes_ = 0;
  std::size_t steps_ = 0;
};

}  // namespace headroom::source
