#include "operand.hpp"

#include <cmath>
#include <limits>
#include <string>
#include <utility>

namespace headroom::lang {

using Kind = Operand::Kind;

Operand Operand::borrow(const source::Value& v) {
  Operand o;
  if (v.is_bool()) return of(v.as_bool());
  if (v.is_int()) return of(v.as_int());
  if (v.is_double()) return of(v.as_double());
  if (v.is_string()) return literal(v.as_string());
  if (v.is_unknown()) return unknown();
  if (v.is_opaque() || v.is_mapping()) o.kind = Kind::opaque;
  if (v.is_list()) {
    o.kind = Kind::list;
    o.list = &v.as_list();
  }
  return o;
}

Operand Operand::own(source::Value v) {
  // Strings and lists are shared and immutable: what is borrowed stays where it is when the owner moves.
  Operand o = borrow(v);
  if (o.kind == Kind::string || o.kind == Kind::list) o.owner = std::move(v);
  return o;
}

bool Operand::truthy() const {
  switch (kind) {
    case Kind::boolean:
    case Kind::integer:
      return integer != 0;
    case Kind::floating:
      return number != 0;
    case Kind::string:
      return !text.empty();
    case Kind::list:
      return !list->empty();
    case Kind::opaque:
      return true;
    default:
      return false;
  }
}

source::Value Operand::value() const {
  switch (kind) {
    case Kind::boolean:
      return {integer != 0};
    case Kind::integer:
      return {integer};
    case Kind::floating:
      return {number};
    case Kind::string:
      return owner.is_string() ? owner : source::Value(text);
    case Kind::list:
      return owner.is_list() ? owner : source::Value(*list);
    case Kind::opaque:
      return {source::Opaque{}};
    case Kind::unknown:
      return source::Value::unknown();
    default:
      return {};
  }
}

int order(const Operand& a, const Operand& b) {
  const auto three_way = [](const auto& x, const auto& y) { return x < y ? -1 : x > y ? 1 : x == y ? 0 : 2; };
  if (a.is_integer() && b.is_integer()) return three_way(a.integer, b.integer);
  if (a.is_number() && b.is_number()) {
    // 64 bits of mantissa: exact for every int64 and every double.
    const auto wide = [](const Operand& o) {
      return o.is_integer() ? static_cast<long double>(o.integer) : static_cast<long double>(o.number);
    };
    return three_way(wide(a), wide(b));
  }
  if (a.is(Kind::string) && b.is(Kind::string)) return three_way(a.text, b.text);
  return 2;
}

bool equal(const Operand& a, const Operand& b) {
  if (a.is_number() && b.is_number()) return order(a, b) == 0;
  if (a.kind != b.kind) return false;
  if (a.is(Kind::string)) return a.text == b.text;
  if (!a.is(Kind::list)) return true;
  if (a.list->size() != b.list->size()) return false;
  for (std::size_t i = 0; i < a.list->size(); ++i)
    if (!equal(Operand::borrow((*a.list)[i]), Operand::borrow((*b.list)[i]))) return false;
  return true;
}

namespace {

Operand float_arithmetic(Arithmetic op, double x, double y) {
  switch (op) {
    case Arithmetic::add:
      return Operand::of(x + y);
    case Arithmetic::subtract:
      return Operand::of(x - y);
    case Arithmetic::multiply:
      return Operand::of(x * y);
    case Arithmetic::divide:
      return y == 0 ? Operand() : Operand::of(x / y);
    default:
      break;
  }
  if (y == 0) return {};
  const double r = std::fmod(x, y);
  return Operand::of(r != 0 && (r < 0) != (y < 0) ? r + y : r);
}

// What passes 64 bits goes on as a float: Python's integers do not wrap.
Operand integer_arithmetic(Arithmetic op, std::int64_t x, std::int64_t y) {
  std::int64_t r = 0;
  const auto dx = static_cast<double>(x), dy = static_cast<double>(y);
  switch (op) {
    case Arithmetic::add:
      return __builtin_add_overflow(x, y, &r) ? Operand::of(dx + dy) : Operand::of(r);
    case Arithmetic::subtract:
      return __builtin_sub_overflow(x, y, &r) ? Operand::of(dx - dy) : Operand::of(r);
    case Arithmetic::multiply:
      return __builtin_mul_overflow(x, y, &r) ? Operand::of(dx * dy) : Operand::of(r);
    default:
      break;
  }
  if (y == 0) return {};
  const bool divide = op == Arithmetic::divide;
  if (y == -1) return divide ? negate(Operand::of(x)) : Operand::of(std::int64_t{0});
  const std::int64_t q = x / y, rest = x % y;
  const bool floor_lower = rest != 0 && (rest < 0) != (y < 0);
  if (divide) return Operand::of(floor_lower ? q - 1 : q);
  return Operand::of(floor_lower ? rest + y : rest);
}

}  // namespace

Operand arithmetic(Arithmetic op, const Operand& a, const Operand& b) {
  if (a.is_unknown() || b.is_unknown()) return Operand::unknown();
  if (a.is_integer() && b.is_integer()) return integer_arithmetic(op, a.integer, b.integer);
  if (a.is_number() && b.is_number()) return float_arithmetic(op, a.as_double(), b.as_double());
  if (op != Arithmetic::add) return {};
  if (a.is(Kind::string) && b.is(Kind::string))
    return Operand::own(std::string(a.text) + std::string(b.text));
  if (a.is(Kind::list) && b.is(Kind::list)) {
    source::List joined = *a.list;
    joined.insert(joined.end(), b.list->begin(), b.list->end());
    return Operand::own(std::move(joined));
  }
  return {};
}

Operand negate(const Operand& a) {
  if (a.is_unknown()) return a;
  if (a.is_integer()) {
    if (a.integer == std::numeric_limits<std::int64_t>::min())
      return Operand::of(-static_cast<double>(a.integer));
    return Operand::of(-a.integer);
  }
  return a.is(Kind::floating) ? Operand::of(-a.number) : Operand();
}

}  // namespace headroom::lang
