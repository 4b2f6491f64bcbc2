// Conditions: `[ … ]`, `[[ … ]]`, `(( … ))`, patterns of `case`. Yes, no, or not to be told from the text.
#include <algorithm>
#include <array>

#include "chars.hpp"
#include "shell_arithmetic.hpp"
#include "shell_reader.hpp"

namespace headroom::source {

namespace {

constexpr std::size_t max_pattern_cost = 1u << 20;
constexpr int max_parentheses = 50;

enum class Answer : std::uint8_t { yes, no, undecided };

Answer answer(bool holds) {
  return holds ? Answer::yes : Answer::no;
}

struct Operand {
  Field field;
  std::string text;
  bool known = true;
  bool quoted = false;
};

/// Reads a condition; operands that count are reported to `used`.
class Condition {
 public:
  Condition(std::vector<Operand> operands, bool extended, const ShellState& state)
      : operands_(std::move(operands)), extended_(extended), state_(state) {}

  Answer whole() {
    const Answer out = any(0);
    return at_ == operands_.size() ? out : Answer::undecided;
  }
  /// The operands that the answer rests on.
  [[nodiscard]] const std::vector<const Field*>& used() const { return used_; }

 private:
  [[nodiscard]] bool is(std::string_view sign) const {
    return at_ < operands_.size() && operands_[at_].text == sign && !(extended_ && operands_[at_].quoted);
  }

  Answer any(int depth) {
    Answer left = all(depth);
    while (is(extended_ ? "||" : "-o")) {
      ++at_;
      const Answer right = all(depth);
      left = left == Answer::yes || right == Answer::yes ? Answer::yes
             : left == Answer::no && right == Answer::no ? Answer::no
                                                         : Answer::undecided;
    }
    return left;
  }

  Answer all(int depth) {
    Answer left = one(depth);
    while (is(extended_ ? "&&" : "-a")) {
      ++at_;
      const Answer right = one(depth);
      left = left == Answer::no || right == Answer::no     ? Answer::no
             : left == Answer::yes && right == Answer::yes ? Answer::yes
                                                           : Answer::undecided;
    }
    return left;
  }

  Answer one(int depth) {
    bool negated = false;
    while (is("!") && at_ + 1 < operands_.size()) {
      negated = !negated;
      ++at_;
    }
    Answer out = Answer::undecided;
    if (is("(") && extended_ && depth < max_parentheses) {
      ++at_;
      out = any(depth + 1);
      if (!is(")")) return Answer::undecided;
      ++at_;
    } else {
      out = primary();
    }
    if (!negated || out == Answer::undecided) return out;
    return answer(out == Answer::no);
  }

  [[nodiscard]] static bool is_binary(std::string_view text) {
    static constexpr std::array<std::string_view, 15> signs = {
        "=", "==", "!=", "=~", "<", ">", "-eq", "-ne", "-lt", "-le", "-gt", "-ge", "-nt", "-ot", "-ef"};
    return std::find(signs.begin(), signs.end(), text) != signs.end();
  }

  Answer primary() {
    if (at_ >= operands_.size()) return Answer::undecided;
    if (at_ + 2 < operands_.size() && is_binary(operands_[at_ + 1].text)) {
      const Operand& left = operands_[at_];
      const std::string& sign = operands_[at_ + 1].text;
      const Operand& right = operands_[at_ + 2];
      at_ += 3;
      return compare(left, sign, right);
    }
    const Operand& first = operands_[at_++];
    const bool unary =
        first.text.size() == 2 && first.text.front() == '-' && is_alpha(first.text[1]) && !first.quoted;
    if (!unary || at_ >= operands_.size()) return filled(first);
    const Operand& operand = operands_[at_++];
    if (first.text == "-n") return filled(operand);
    if (first.text == "-v") return is_variable(operand);
    if (first.text != "-z") return Answer::undecided;
    const Answer out = filled(operand);
    return out == Answer::undecided ? out : answer(out == Answer::no);
  }

  Answer filled(const Operand& operand) {
    used_.push_back(&operand.field);
    // Something known in it makes it not empty, whatever the rest is.
    const auto& glyphs = operand.field.glyphs;
    const bool some = std::any_of(glyphs.begin(), glyphs.end(), [](const Glyph& g) { return !g.unknown; });
    if (some) return Answer::yes;
    return operand.known ? Answer::no : Answer::undecided;
  }

  [[nodiscard]] Answer is_variable(const Operand& operand) const {
    const ShellVariable* variable = operand.known ? state_.find(operand.text) : nullptr;
    if (variable == nullptr || variable->value == nullptr) return Answer::undecided;
    return answer(variable->value->state != ShellValue::State::unset);
  }

  Answer compare(const Operand& left, const std::string& sign, const Operand& right) {
    used_.push_back(&left.field);
    used_.push_back(&right.field);
    if (!left.known || !right.known || sign == "=~") return Answer::undecided;
    if (sign == "=" || sign == "==" || sign == "!=") {
      bool equal = left.text == right.text;
      if (extended_) {
        if (left.text.size() * right.text.size() > max_pattern_cost) return Answer::undecided;
        equal = glob_match(right.field.glyphs, left.text);
      }
      return answer(equal == (sign != "!="));
    }
    if (sign == "<" || sign == ">")
      return answer(sign == "<" ? left.text < right.text : left.text > right.text);
    const auto none = [](const std::string&) { return std::optional<std::string>(); };
    const auto a = shell_arithmetic(left.text, none);
    const auto b = shell_arithmetic(right.text, none);
    if (!a || !b) return Answer::undecided;
    if (sign == "-eq") return answer(*a == *b);
    if (sign == "-ne") return answer(*a != *b);
    if (sign == "-lt") return answer(*a < *b);
    if (sign == "-le") return answer(*a <= *b);
    if (sign == "-gt") return answer(*a > *b);
    if (sign == "-ge") return answer(*a >= *b);
    return Answer::undecided;
  }

  std::vector<Operand> operands_;
  bool extended_;
  const ShellState& state_;
  std::size_t at_ = 0;
  std::vector<const Field*> used_;
};

Operand operand_of(Field field) {
  Operand out;
  out.text = text_of(field.glyphs);
  out.known = is_known(field.glyphs);
  out.quoted = std::any_of(field.glyphs.begin(), field.glyphs.end(), [](const Glyph& g) { return g.quoted; });
  out.field = std::move(field);
  return out;
}

bool is_loose(const Field& field) {
  return std::any_of(field.glyphs.begin(), field.glyphs.end(), [](const Glyph& g) { return g.loose; });
}

std::uint32_t given_of(const Field& field, Givens& givens) {
  std::uint32_t given = 0;
  for (const Glyph& glyph : field.glyphs) given = givens.join(given, glyph.given);
  return given;
}

}  // namespace

ShellReader::Truth ShellReader::matches(const Field& subject, const Glyphs& pattern) {
  Truth out{Outcome::undecided, 0};
  const bool anything = pattern.size() == 1 && pattern.front().c == '*' && !pattern.front().quoted;
  if (anything) return {Outcome::yes, 0};
  if (!is_known(subject.glyphs) || !is_known(pattern)) return out;
  if (subject.glyphs.size() * pattern.size() > max_pattern_cost) return out;
  out.given = given_of(subject, state_.givens);
  out.outcome = glob_match(pattern, text_of(subject.glyphs)) ? Outcome::yes : Outcome::no;
  return out;
}

/// `test …` and `[ … ]`.
ShellReader::Truth ShellReader::test_command(const std::vector<Field>& words) {
  std::vector<Operand> operands;
  for (std::size_t i = 1; i < words.size(); ++i) {
    // An unquoted unknown could be no word at all; as one operand of a comparison it is just unknown.
    operands.push_back(operand_of(words[i]));
  }
  if (text_of(words.front().glyphs) == "[" && !operands.empty()) operands.pop_back();
  if (operands.size() == 1 && is_loose(operands.front().field)) return {Outcome::undecided, 0};
  Condition condition(std::move(operands), false, state_);
  const Answer found = condition.whole();
  Truth truth{found == Answer::yes  ? Outcome::yes
              : found == Answer::no ? Outcome::no
                                    : Outcome::undecided,
              0};
  for (const Field* field : condition.used()) {
    truth.given = state_.givens.join(truth.given, given_of(*field, state_.givens));
  }
  return truth;
}

ShellReader::Truth ShellReader::test(const Unit& unit, const ShellNode& node) {
  ShellExpander expander(state_, unit.text);
  std::vector<Operand> operands;
  for (const ShellWord& word : node.words) operands.push_back(operand_of(expander.whole(word)));
  Condition condition(std::move(operands), true, state_);
  const Answer found = condition.whole();
  Truth truth{found == Answer::yes  ? Outcome::yes
              : found == Answer::no ? Outcome::no
                                    : Outcome::undecided,
              0};
  for (const Field* field : condition.used()) {
    truth.given = state_.givens.join(truth.given, given_of(*field, state_.givens));
  }
  return truth;
}

/// `((…))`: a comparison, or something that sets variables, which are unknown from here on.
ShellReader::Truth ShellReader::arithmetic(const Unit& unit, const ShellNode& node) {
  ShellExpander expander(state_, unit.text);
  const ShellWord& word = node.words.front();
  Truth truth{Outcome::undecided, 0};
  if (const auto value = expander.arithmetic(word, truth.given)) {
    truth.outcome = *value != 0 ? Outcome::yes : Outcome::no;
    return truth;
  }
  const std::string_view text = unit.text.chars().substr(word.begin, word.end - word.begin);
  for (std::size_t i = 0; i < text.size();) {
    if (!is_alpha(text[i]) && text[i] != '_') {
      ++i;
      continue;
    }
    const std::size_t begin = i;
    while (i < text.size() && (is_alpha(text[i]) || is_digit(text[i]) || text[i] == '_')) ++i;
    std::size_t sign = i;
    while (sign < text.size() && (is_blank(text[sign]) ||
                                  std::string_view("+-*/%&|^<>").find(text[sign]) != std::string_view::npos))
      ++sign;
    const bool counts =
        text.substr(i).starts_with("++") || text.substr(i).starts_with("--") ||
        (begin >= 2 && (text.substr(begin - 2, 2) == "++" || text.substr(begin - 2, 2) == "--"));
    const bool compares = sign > i && (text[sign - 1] == '<' || text[sign - 1] == '>');
    const bool sets =
        sign < text.size() && text[sign] == '=' && !text.substr(sign).starts_with("==") && !compares;
    if (counts || sets)
      forget(std::string(text.substr(begin, i - begin)), unit.text.span(word.begin, word.end));
  }
  return truth;
}

}  // namespace headroom::source
