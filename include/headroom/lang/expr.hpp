// The expression language of docs/rule-language.md: parse and check once, evaluate often.
#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "headroom/schema/schema.hpp"
#include "headroom/source/error.hpp"
#include "headroom/source/value.hpp"

namespace headroom::lang {

/// One node of a checked expression. Plain data so that packs can live in read-only memory.
enum class Op : std::uint8_t {
  literal_null,
  literal_bool,
  literal_int,
  literal_float,
  literal_string,
  field,
  raw_field,
  has_field,
  variable,
  list,
  choices,
  logical_not,
  negate,
  logical_and,
  logical_or,
  equal,
  not_equal,
  less,
  less_equal,
  greater,
  greater_equal,
  add,
  subtract,
  multiply,
  divide,
  modulo,
  in,
  index,
  conditional,
  call,  // a = function number, children = arguments
  all,
  exists,
  filter,
  map,  // a = variable slot, children = list, body
};
struct ExprNode {
  Op op{};
  std::uint8_t a = 0;                  ///< bool value, variable slot, function number
  std::uint16_t field = 0;             ///< FieldId; version comparisons: see below
  std::uint32_t first = 0, count = 0;  ///< children: indices `children[first … first+count)`
  std::int64_t integer = 0;
  double number = 0;
  std::string_view text;
};
/// A pool of nodes; an expression is the index of its root.
struct ExprPool {
  std::span<const ExprNode> nodes;
  std::span<const std::uint32_t> children;
};
using ExprId = std::uint32_t;
inline constexpr ExprId no_expr = 0xffffffff;

/// Growing pool, used when rules are compiled. Strings are kept alive by the builder.
class PoolBuilder {
 public:
  /// Parses and checks `text`. `context` names the file for errors, `origin` is the place of the text's first
  /// character there. Errors: syntax, unknown name (with did-you-mean), type clash, wrong argument count.
  [[nodiscard]] source::Result<ExprId> compile(std::string_view text, const schema::Schema& schema,
                                               const std::string& file, source::Position origin);
  [[nodiscard]] ExprPool pool() const { return {nodes_, children_}; }
  /// Every config, environment, launch or derived field that the expression reads (raw and has() included).
  [[nodiscard]] std::vector<schema::FieldId> fields_of(ExprId id) const;

 private:
  friend class Parser;
  std::vector<ExprNode> nodes_;
  std::vector<std::uint32_t> children_;
  std::vector<std::unique_ptr<std::string>> strings_;
};

/// What names mean during evaluation. All spans are indexed by FieldId. Versions (`launch.te`) are strings
/// there; comparing a version field with a string compares versions.
struct Scope {
  const schema::Schema* schema = nullptr;
  schema::Release release = schema::default_release;
  std::span<const source::Value> now;
  std::span<const source::Value> raw;
  std::span<const std::uint8_t> set;
};

/// Never fails: see null and unknown in docs/rule-language.md.
[[nodiscard]] source::Value evaluate(const ExprPool& pool, ExprId id, const Scope& scope);

/// Which unknown fields made `id` unknown (for "make sure …" findings).
[[nodiscard]] std::vector<schema::FieldId> unknown_causes(const ExprPool& pool, ExprId id,
                                                          const Scope& scope);

}  // namespace headroom::lang
