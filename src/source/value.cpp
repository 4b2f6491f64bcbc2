#include "headroom/source/value.hpp"

#include "headroom/source/edit.hpp"

namespace headroom::source {
namespace {

/// Python compares an int with a float exactly: 2**53 + 1 is not 2.0**53.
bool same_number(std::int64_t i, double d) {
  constexpr double limit = 9223372036854775808.0;  // 2**63
  if (!(d >= -limit && d < limit)) return false;
  const auto truncated = static_cast<std::int64_t>(d);
  return truncated == i && static_cast<double>(truncated) == d;
}

bool is_numeric(const Value& v) {
  return v.is_bool() || v.is_number();
}
std::int64_t integer(const Value& v) {
  return v.is_bool() ? (v.as_bool() ? 1 : 0) : v.as_int();
}

bool equal_numbers(const Value& a, const Value& b) {
  if (a.is_double() && b.is_double()) return a.as_double() == b.as_double();
  if (a.is_double()) return same_number(integer(b), a.as_double());
  if (b.is_double()) return same_number(integer(a), b.as_double());
  return integer(a) == integer(b);
}

}  // namespace

Value::Value(Mapping m) : data_(std::make_shared<const Mapping>(std::move(m))) {}

bool Value::truthy() const {
  if (is_bool()) return as_bool();
  if (is_int()) return as_int() != 0;
  if (is_double()) return as_double() != 0.0;
  if (is_string()) return !as_string().empty();
  if (is_list()) return !as_list().empty();
  if (is_mapping()) return !as_mapping().empty();
  return !is_null();
}

bool operator==(const Value& a, const Value& b) {
  if (is_numeric(a) && is_numeric(b)) return equal_numbers(a, b);
  if (a.data_.index() != b.data_.index()) return false;
  if (a.is_string()) return a.as_string() == b.as_string();
  if (a.is_list()) return a.as_list() == b.as_list();
  if (a.is_mapping()) return a.as_mapping() == b.as_mapping();
  if (a.is_mapping()) return a.as_mapping() == b.as_mapping();
  return true;  // null, opaque, unknown: one value each
}

std::string Value::to_text() const {
  return to_yaml(*this, Loader::py_yaml);
}

}  // namespace headroom::source
