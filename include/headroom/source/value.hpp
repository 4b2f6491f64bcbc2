// A configuration value after its loader's scalar rules. Cheap to copy (lists are shared, immutable).
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace headroom::source {

class Value;
using List = std::vector<Value>;
/// A mapping whose content counts: what a fix writes for a whole section.
using Mapping = std::vector<std::pair<std::string, Value>>;

/// A mapping or a section: known to exist, its content not a value (compare it with null only).
struct Opaque {
  friend bool operator==(const Opaque&, const Opaque&) { return true; }
};
/// Nobody said. Not the same as null (unset).
struct Unknown {
  friend bool operator==(const Unknown&, const Unknown&) { return true; }
};

class Value {
 public:
  Value() = default;                                     ///< null
  Value(bool b) : data_(b) {}                            // NOLINT(google-explicit-constructor)
  Value(std::int64_t i) : data_(i) {}                    // NOLINT(google-explicit-constructor)
  Value(int i) : data_(static_cast<std::int64_t>(i)) {}  // NOLINT(google-explicit-constructor)
  Value(double d) : data_(d) {}                          // NOLINT(google-explicit-constructor)
  Value(std::string s) : data_(std::make_shared<const std::string>(std::move(s))) {}  // NOLINT
  Value(std::string_view s) : Value(std::string(s)) {}                  // NOLINT(google-explicit-constructor)
  Value(const char* s) : Value(std::string(s)) {}                       // NOLINT(google-explicit-constructor)
  Value(List l) : data_(std::make_shared<const List>(std::move(l))) {}  // NOLINT(google-explicit-constructor)
  Value(Mapping m);                                                     // NOLINT(google-explicit-constructor)
  Value(Opaque o) : data_(o) {}                                         // NOLINT(google-explicit-constructor)
  Value(Unknown u) : data_(u) {}                                        // NOLINT(google-explicit-constructor)
  static Value unknown() { return Value(Unknown{}); }

  [[nodiscard]] bool is_null() const { return std::holds_alternative<std::monostate>(data_); }
  [[nodiscard]] bool is_unknown() const { return std::holds_alternative<Unknown>(data_); }
  [[nodiscard]] bool is_opaque() const { return std::holds_alternative<Opaque>(data_); }
  [[nodiscard]] bool is_bool() const { return std::holds_alternative<bool>(data_); }
  [[nodiscard]] bool is_int() const { return std::holds_alternative<std::int64_t>(data_); }
  [[nodiscard]] bool is_double() const { return std::holds_alternative<double>(data_); }
  [[nodiscard]] bool is_number() const { return is_int() || is_double(); }
  [[nodiscard]] bool is_string() const { return std::holds_alternative<Str>(data_); }
  [[nodiscard]] bool is_list() const { return std::holds_alternative<Lst>(data_); }
  [[nodiscard]] bool is_mapping() const { return std::holds_alternative<Map>(data_); }

  // Preconditions: the matching is_…() holds.
  [[nodiscard]] bool as_bool() const { return std::get<bool>(data_); }
  [[nodiscard]] std::int64_t as_int() const { return std::get<std::int64_t>(data_); }
  [[nodiscard]] double as_double() const {
    return is_int() ? static_cast<double>(as_int()) : std::get<double>(data_);
  }
  [[nodiscard]] std::string_view as_string() const { return *std::get<Str>(data_); }
  [[nodiscard]] const List& as_list() const { return *std::get<Lst>(data_); }
  [[nodiscard]] const Mapping& as_mapping() const { return *std::get<Map>(data_); }

  /// Python's truth: null, false, 0, "" and [] are false. Unknown is neither: ask is_unknown() first.
  [[nodiscard]] bool truthy() const;
  /// Python's ==: numbers compare by value, true == 1, lists element by element.
  friend bool operator==(const Value& a, const Value& b);
  /// As YAML would write it: `null`, `true`, `12`, `0.5`, `[a, b]`, `'a: b'`; unknown prints `unknown`,
  /// opaque `{…}`.
  [[nodiscard]] std::string to_text() const;

 private:
  using Str = std::shared_ptr<const std::string>;
  using Lst = std::shared_ptr<const List>;
  using Map = std::shared_ptr<const Mapping>;
  std::variant<std::monostate, bool, std::int64_t, double, Str, Lst, Map, Opaque, Unknown> data_;
};

}  // namespace headroom::source
