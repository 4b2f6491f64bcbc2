// A value during evaluation: like source::Value, but strings and lists are borrowed where they can be, so
// that comparing a field with a literal touches no heap.
#pragma once
#include <cstdint>
#include <string_view>

#include "headroom/source/value.hpp"

namespace headroom::lang {

struct Operand {
  enum class Kind : std::uint8_t { null, boolean, integer, floating, string, list, opaque, unknown };
  Kind kind = Kind::null;
  std::int64_t integer = 0;  ///< also a boolean, as 0 or 1
  double number = 0;
  std::string_view text;
  const source::List* list = nullptr;
  source::Value owner;  ///< keeps `text` or `list` alive where nobody else does

  static Operand of(bool b) {
    Operand o;
    o.kind = Kind::boolean;
    o.integer = b ? 1 : 0;
    return o;
  }
  static Operand of(std::int64_t i) {
    Operand o;
    o.kind = Kind::integer;
    o.integer = i;
    return o;
  }
  static Operand of(double d) {
    Operand o;
    o.kind = Kind::floating;
    o.number = d;
    return o;
  }
  static Operand unknown() {
    Operand o;
    o.kind = Kind::unknown;
    return o;
  }
  /// Borrows a string that outlives the evaluation.
  static Operand literal(std::string_view s) {
    Operand o;
    o.kind = Kind::string;
    o.text = s;
    return o;
  }
  /// Borrows from `v`, which must outlive the operand.
  static Operand borrow(const source::Value& v);
  static Operand own(source::Value v);

  [[nodiscard]] bool is(Kind k) const { return kind == k; }
  [[nodiscard]] bool is_unknown() const { return kind == Kind::unknown; }
  [[nodiscard]] bool is_null() const { return kind == Kind::null; }
  [[nodiscard]] bool is_integer() const { return kind == Kind::integer || kind == Kind::boolean; }
  [[nodiscard]] bool is_number() const { return is_integer() || kind == Kind::floating; }
  [[nodiscard]] double as_double() const { return is_integer() ? static_cast<double>(integer) : number; }
  [[nodiscard]] bool truthy() const;
  [[nodiscard]] source::Value value() const;
};

/// Python's ==.
[[nodiscard]] bool equal(const Operand& a, const Operand& b);
/// -1, 0, 1 for two numbers or two strings; 2 where there is no order (other kinds, NaN).
[[nodiscard]] int order(const Operand& a, const Operand& b);

enum class Arithmetic : std::uint8_t { add, subtract, multiply, divide, modulo };
[[nodiscard]] Operand arithmetic(Arithmetic op, const Operand& a, const Operand& b);
[[nodiscard]] Operand negate(const Operand& a);

}  // namespace headroom::lang
