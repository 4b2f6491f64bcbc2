#include "shell_arithmetic.hpp"

#include <array>
#include <charconv>
#include <limits>

#include "chars.hpp"

namespace headroom::source {

namespace {

using Number = std::optional<std::int64_t>;
using Lookup = std::function<std::optional<std::string>(const std::string&)>;

struct Operator {
  std::string_view text;
  int level = 0;  ///< higher binds closer
};
constexpr std::array<Operator, 19> operators = {{{"||", 1},
                                                 {"&&", 2},
                                                 {"==", 6},
                                                 {"!=", 6},
                                                 {"<=", 7},
                                                 {">=", 7},
                                                 {"<<", 8},
                                                 {">>", 8},
                                                 {"**", 11},
                                                 {"|", 3},
                                                 {"^", 4},
                                                 {"&", 5},
                                                 {"<", 7},
                                                 {">", 7},
                                                 {"+", 9},
                                                 {"-", 9},
                                                 {"*", 10},
                                                 {"/", 10},
                                                 {"%", 10}}};
constexpr int power_level = 11;

Number power(std::int64_t base, std::int64_t exponent) {
  if (exponent < 0 || exponent > 64) return std::nullopt;
  std::int64_t out = 1;
  for (; exponent > 0; --exponent) {
    if (__builtin_mul_overflow(out, base, &out)) return std::nullopt;
  }
  return out;
}

Number apply(std::string_view op, std::int64_t a, std::int64_t b) {
  std::int64_t out = 0;
  if (op == "+") return __builtin_add_overflow(a, b, &out) ? Number() : out;
  if (op == "-") return __builtin_sub_overflow(a, b, &out) ? Number() : out;
  if (op == "*") return __builtin_mul_overflow(a, b, &out) ? Number() : out;
  if (op == "**") return power(a, b);
  if (op == "/" || op == "%") {
    if (b == 0 || (a == std::numeric_limits<std::int64_t>::min() && b == -1)) return std::nullopt;
    return op == "/" ? a / b : a % b;
  }
  if (op == "<<" || op == ">>") {
    if (a < 0 || b < 0 || b > 62 || (op == "<<" && a > (std::numeric_limits<std::int64_t>::max() >> b)))
      return std::nullopt;
    return op == "<<" ? a << b : a >> b;
  }
  if (op == "==") return a == b;
  if (op == "!=") return a != b;
  if (op == "<=") return a <= b;
  if (op == ">=") return a >= b;
  if (op == "<") return a < b;
  if (op == ">") return a > b;
  if (op == "|") return a | b;
  if (op == "^") return a ^ b;
  if (op == "&") return a & b;
  if (op == "&&") return a != 0 && b != 0;
  return a != 0 || b != 0;
}

class Reader {
 public:
  Reader(std::string_view text, const Lookup& lookup, int depth)
      : text_(text), lookup_(lookup), depth_(depth) {}

  Number whole() {
    const Number value = choice();
    skip();
    return at_ == text_.size() ? value : std::nullopt;
  }

 private:
  void skip() {
    while (at_ < text_.size() && is_space(text_[at_])) ++at_;
  }
  bool accept(char c) {
    skip();
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }

  /// `a ? b : c`
  Number choice() {
    const Number condition = binary(1);
    if (!condition || !accept('?')) return condition;
    const Number yes = choice();
    if (!accept(':')) return std::nullopt;
    const Number no = choice();
    return *condition != 0 ? yes : no;
  }

  const Operator* peek() {
    skip();
    for (const Operator& op : operators) {
      if (!text_.substr(at_).starts_with(op.text)) continue;
      const char next = at_ + op.text.size() < text_.size() ? text_[at_ + op.text.size()] : '\0';
      const bool assigns = next == '=' && op.level != 6 && op.level != 7;
      return assigns ? nullptr : &op;
    }
    return nullptr;
  }

  Number binary(int level) {
    if (++depth_ > max_depth) return std::nullopt;
    Number left = unary();
    for (const Operator* op = peek(); left && op != nullptr && op->level >= level; op = peek()) {
      at_ += op->text.size();
      const Number right = binary(op->level == power_level ? op->level : op->level + 1);
      left = right ? apply(op->text, *left, *right) : std::nullopt;
    }
    --depth_;
    return left;
  }

  Number unary() {
    skip();
    if (at_ >= text_.size() || ++depth_ > max_depth) return std::nullopt;
    Number out;
    const char c = text_[at_];
    if (c == '-' || c == '+' || c == '!' || c == '~') {
      ++at_;
      const Number value = unary();
      if (value)
        out = c == '-' ? apply("-", 0, *value) : c == '!' ? Number(*value == 0) : c == '~' ? ~*value : *value;
    } else if (accept('(')) {
      out = choice();
      if (!accept(')')) out.reset();
    } else {
      out = is_digit(c) ? number() : variable();
    }
    --depth_;
    return out;
  }

  Number number() {
    std::size_t end = at_;
    while (end < text_.size() && (is_digit(text_[end]) || is_alpha(text_[end]))) ++end;
    std::string_view digits = text_.substr(at_, end - at_);
    at_ = end;
    int base = 10;
    if (digits.starts_with("0x") || digits.starts_with("0X")) {
      base = 16;
      digits.remove_prefix(2);
    } else if (digits.size() > 1 && digits.front() == '0') {
      base = 8;
    }
    std::int64_t value = 0;
    const auto [stop, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value, base);
    return error == std::errc() && stop == digits.data() + digits.size() ? Number(value) : std::nullopt;
  }

  Number variable() {
    std::size_t end = at_;
    while (end < text_.size() && (is_digit(text_[end]) || is_alpha(text_[end]) || text_[end] == '_')) ++end;
    if (end == at_) return std::nullopt;
    const auto value = lookup_(std::string(text_.substr(at_, end - at_)));
    at_ = end;
    if (!value) return std::nullopt;
    if (value->empty()) return 0;
    // The text of a variable is an expression again; one that names variables in turn is not followed.
    constexpr std::size_t longest = 64;
    const Lookup none = [](const std::string&) { return std::optional<std::string>(); };
    return value->size() > longest ? std::nullopt : Reader(*value, none, depth_).whole();
  }

  static constexpr int max_depth = 60;
  std::string_view text_;
  const Lookup& lookup_;
  int depth_;
  std::size_t at_ = 0;
};

}  // namespace

std::optional<std::int64_t> shell_arithmetic(std::string_view expression, const Lookup& lookup) {
  constexpr std::size_t longest = 4096;
  if (expression.size() > longest) return std::nullopt;
  return Reader(expression, lookup, 0).whole();
}

}  // namespace headroom::source
