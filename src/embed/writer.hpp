// Pieces of generated C++: literals and pooled arrays.
#pragma once
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "headroom/lang/expr.hpp"

namespace headroom::embed {

/// `{"text", 4}`: a string_view whose length nobody has to count when the program starts or compiles.
[[nodiscard]] std::string cpp_text(std::string_view text);
[[nodiscard]] std::string cpp_number(double value);
[[nodiscard]] std::string cpp_number(std::int64_t value);
[[nodiscard]] inline std::string_view yes(bool b) {
  return b ? "true" : "false";
}
/// Expression numbers; `no_expr` by name.
[[nodiscard]] std::string cpp_expr(lang::ExprId id);

/// One constant array that many spans share: runs of equal items are stored once.
class ArrayPool {
 public:
  ArrayPool(std::string type, std::string name) : type_(std::move(type)), name_(std::move(name)) {}
  /// A span over `items` (already C++ text): `{name + 3, 2}`, or `{}`.
  [[nodiscard]] std::string span(const std::vector<std::string>& items);
  [[nodiscard]] std::string texts(std::span<const std::string_view> items);
  /// The definition of the array; empty where nobody used it.
  [[nodiscard]] std::string definition() const;

 private:
  std::string type_, name_;
  std::vector<std::string> items_;
  std::map<std::string, std::size_t> runs_;
};

/// Nodes and children of an expression pool as two arrays, `NAME_nodes` and `NAME_children`.
[[nodiscard]] std::string pool_arrays(const lang::ExprPool& pool, std::string_view name);
/// `{{NAME_nodes, n}, {NAME_children, m}}`.
[[nodiscard]] std::string pool_value(const lang::ExprPool& pool, std::string_view name);

}  // namespace headroom::embed
