// Runs nodes of a graph and remembers what they gave. One per thread.
#pragma once
#include <string>
#include <unordered_map>
#include <vector>

#include "flat_map.hpp"
#include "graph.hpp"

namespace headroom::plan {

/// A value by number: equal numbers are equal values.
using ValueId = std::uint32_t;

class Evaluator {
 public:
  explicit Evaluator(const Graph& graph);

  [[nodiscard]] ValueId intern(const source::Value& value);
  [[nodiscard]] const source::Value& value(ValueId id) const { return values_[id]; }

  /// The current result of each node; whoever drives the evaluator keeps them up to date.
  std::vector<ValueId> results;
  /// The chosen number of each axis.
  std::vector<std::uint32_t> chosen;

  /// Result of a node for the current results of its inputs and, of a choice, the chosen numbers.
  [[nodiscard]] ValueId run(NodeId id);
  /// Of a rule.
  [[nodiscard]] bool fires(NodeId id) { return run(id) == yes_; }

 private:
  struct Slots {
    std::vector<ValueId> now, raw, has;
  };

  [[nodiscard]] ValueId of_choice(const Node& node, std::size_t at) const;
  [[nodiscard]] ValueId of_input(const Input& input, std::size_t node, std::size_t i) const;
  [[nodiscard]] source::Value compute(const Node& node, std::size_t at);
  [[nodiscard]] source::Value assigned(const Node& node, const source::Value& before);
  void load(const Node& node, std::size_t at);
  void load(Var var, ValueId id);

  const Graph& graph_;
  resolve::EffectiveConfig scratch_;
  Slots loaded_;
  std::vector<source::Value> values_;
  std::unordered_map<std::string, ValueId> numbers_;
  std::vector<FlatMap> memo_;                    ///< by node
  std::vector<std::vector<ValueId>> constants_;  ///< by node, then input
  std::vector<ValueId> before_;                  ///< by node: constant of `before`
  struct ChoiceTable {
    int axis = 0;
    std::vector<ValueId> values;  ///< absent_ where the choice leaves the field alone
  };
  std::vector<std::vector<ChoiceTable>> tables_;  ///< by node, the last axis that speaks first
  std::vector<ValueId> otherwise_;
  ValueId yes_ = 0, no_ = 0;
};

}  // namespace headroom::plan
