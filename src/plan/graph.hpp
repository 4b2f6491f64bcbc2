// Start-up and rules as a graph of values. What no choice can change is computed once; the rest are nodes,
// each a pure function of a few others, so that its results can be kept and shared by all candidates that
// agree on them.
//
// The conditions are those of the rule packs and of rules/resolve: nothing about legality is said here.
#pragma once
#include <cstdint>
#include <map>
#include <string_view>
#include <vector>

#include "space.hpp"

namespace headroom::plan {

using NodeId = std::int32_t;
inline constexpr NodeId no_node = -1;
using AxisMask = std::uint32_t;  ///< bit i: the i-th axis of the graph

struct Input {
  Var var;
  NodeId node = no_node;     ///< who computes it
  source::Value constant{};  ///< where nobody does, and it is not what the final config has
};

struct Node {
  enum class Kind : std::uint8_t { choice, assign, copy, derive, rule } kind = Kind::choice;
  Var var;                    ///< what it defines; unused for rules
  AxisMask axes = 0;          ///< that it depends on
  std::vector<Input> inputs;  ///< without those that are always as in the final config
  const lang::ExprPool* pool = nullptr;
  lang::ExprId when = lang::no_expr, value = lang::no_expr;  ///< rule: `value` is the condition
  Input before{};  ///< assign, copy: the value that stands where nothing is written
  Var source;      ///< copy: what is copied
  schema::FieldId section = schema::no_field;  ///< copy: nothing happens where this is null
  const rules::Rule* rule = nullptr;
  /// Of a choice: by axis of the graph, the value of each of its choices; absent where it leaves the field
  /// alone.
  std::map<int, std::vector<std::optional<source::Value>>> choices;
  source::Value otherwise{};  ///< of a choice: where no axis speaks
};

/// An axis of the graph: what each of its choices changes. Axes of the layout come first; the policies (all
/// combinations of everything else) are one more.
using GraphAxis = std::vector<const std::vector<Entry>*>;

class Graph {
 public:
  Graph(const Request& request, const resolve::EffectiveConfig& before, std::vector<GraphAxis> axes);

  [[nodiscard]] const std::vector<Node>& nodes() const { return nodes_; }  ///< inputs before users
  [[nodiscard]] const std::vector<GraphAxis>& axes() const { return axes_; }
  /// The config after start-up where no axis matters.
  [[nodiscard]] const resolve::EffectiveConfig& final() const { return base_; }
  /// Error rules that fire whatever is chosen.
  [[nodiscard]] const std::vector<const rules::Rule*>& always() const { return always_; }
  /// Who computes the value of a field after start-up; no_node: it is as in `final`.
  [[nodiscard]] NodeId after_startup(schema::FieldId field) const;

 private:
  void choices();
  void startup(const resolve::ResolvePack& pack);
  void assign(const resolve::Step& step, const lang::ExprPool& pool);
  void copy(const resolve::Step& step);
  void copy_field(const resolve::Step& step, schema::FieldId from, schema::FieldId to,
                  schema::FieldId section);
  void derive(const resolve::ResolvePack& pack);
  void rules();
  void drop_constants();
  /// Whether the condition is false whatever is chosen: the other language's step, the other model's rule.
  [[nodiscard]] bool never(const lang::ExprPool& pool, lang::ExprId condition, const Node& node);

  [[nodiscard]] const source::Value current(Var var) const;
  [[nodiscard]] Input input(Var var) const;
  void read(const lang::ExprPool& pool, lang::ExprId id, Node& node) const;
  void define(Node node);

  const Request& request_;
  std::vector<GraphAxis> axes_;
  resolve::EffectiveConfig base_;
  std::vector<Node> nodes_;
  std::map<Var, NodeId> current_;
  std::map<Var, bool> moved_;  ///< constants that a later step replaced
  std::vector<const rules::Rule*> always_;
};

}  // namespace headroom::plan
