// The functions and methods of docs/rule-language.md, section "Functions and methods".
#pragma once
#include <array>
#include <cstdint>
#include <span>
#include <string_view>

namespace headroom::lang {

/// What a value can be, for the static checks: a bit set.
using Kinds = std::uint8_t;
inline constexpr Kinds k_null = 1, k_bool = 2, k_int = 4, k_float = 8, k_string = 16, k_list = 32,
                       k_opaque = 64;
inline constexpr Kinds k_number = k_bool | k_int | k_float;
inline constexpr Kinds k_any = 127;
/// Whether a value of kinds `k` can never be one of `allowed` (null aside, which every operation takes).
[[nodiscard]] constexpr bool never(Kinds k, Kinds allowed) {
  return (k & ~k_null) != 0 && (k & allowed & ~k_null) == 0;
}

/// Stored in ExprNode::a: append only, a pack compiled earlier must keep its meaning within one build.
enum class Fn : std::uint8_t {
  size,
  either,
  coalesce,
  min,
  max,
  abs,
  sum,
  product,
  lcm,
  to_int,
  to_string,
  is_string,
  is_list,
  is_bool,
  is_int,
  is_float,
  class_name,
  subclass,
  range,
  layout_valid,
  layout_stages,
  layout_count,
  layout_count_in,
  layout_first,
  layout_last,
  layout_stage,
  hybrid_valid,
  hybrid_layers,
  hybrid_count,
  hybrid_stages,
  hybrid_mtp_depths,
  starts_with,
  ends_with,
  contains,
  split,
  lower,
  replace,
  unique,
  index_of,
  known,
};

struct FunctionInfo {
  Fn fn{};
  std::string_view name;
  bool method = false;
  std::uint8_t arguments = 1;  ///< for methods without the receiver
  Kinds result = k_any;
  std::array<Kinds, 3> accepts{k_any, k_any, k_any};  ///< receiver first for methods
};

[[nodiscard]] std::span<const FunctionInfo> functions();
[[nodiscard]] const FunctionInfo* find_function(std::string_view name, bool method);

}  // namespace headroom::lang
