// Which candidates the rules allow. Layouts are tried axis by axis, so that a rule that is broken ends the
// whole branch; for the policies of a layout (everything that is no layout) each rule gives a set, remembered
// by what the rule reads of the layout.
#pragma once
#include <cstdint>
#include <vector>

#include "evaluator.hpp"

namespace headroom::plan {

/// A set of policies.
class PolicySet {
 public:
  explicit PolicySet(std::size_t size = 0) : words_((size + 63) / 64, 0) {}
  void insert(std::size_t i) { words_[i / 64] |= std::uint64_t{1} << (i % 64); }
  [[nodiscard]] bool contains(std::size_t i) const { return ((words_[i / 64] >> (i % 64)) & 1U) != 0; }
  [[nodiscard]] std::size_t count() const;
  void add(const PolicySet& other);
  /// Takes out what is in `other`; returns how many that were.
  std::size_t remove(const PolicySet& other);
  [[nodiscard]] bool empty() const { return count() == 0; }

 private:
  std::vector<std::uint64_t> words_;
};

class Legality {
 public:
  /// Axes of the graph: the layout's in loop order, then that of the policies.
  explicit Legality(const Graph& graph);

  /// Chooses on one axis of the layout; those before it are chosen. The rule that the choice breaks, or null.
  [[nodiscard]] const rules::Rule* choose(std::size_t axis, std::uint32_t choice);
  /// The policies that go with the chosen layout. `broken` counts by rule what is kept out, where it is not
  /// null.
  [[nodiscard]] const PolicySet& policies(std::map<const rules::Rule*, std::size_t>* broken);
  /// Policies that no layout can make legal are not in it.
  [[nodiscard]] const PolicySet& ever() const { return ever_; }
  /// The value after start-up for the chosen layout; only of fields that no policy changes.
  [[nodiscard]] const source::Value& value(schema::FieldId field) const;

 private:
  /// A rule that reads the layout and the policy.
  struct Mixed {
    NodeId rule = no_node;
    std::vector<NodeId> cone;         ///< nodes that depend on both, inputs first, the rule last
    std::vector<NodeId> layout, own;  ///< what they read of the layout, and of the policy
    bool choices = false;             ///< a field that both change: then the choices themselves are read
    std::vector<std::uint32_t> representative;  ///< a policy of each class
    std::vector<PolicySet> members;             ///< policies of each class, equal in all that the cone reads
    FlatMap known;                              ///< what is read of the layout -> index into `sets`
    std::vector<PolicySet> sets;                ///< policies that break the rule
  };

  void sort_nodes();
  void run_policies();
  void make_mixed(NodeId rule);
  [[nodiscard]] const PolicySet& broken(Mixed& mixed);

  const Graph& graph_;
  Evaluator run_;
  std::size_t policies_axis_, count_;
  std::vector<std::vector<NodeId>> levels_;  ///< values that follow from axes up to this one, in order
  std::vector<std::vector<NodeId>> level_rules_;
  std::vector<NodeId> policy_nodes_, mixed_nodes_;
  std::vector<std::vector<ValueId>> by_policy_;  ///< by node, for nodes of the policy alone
  std::vector<Mixed> mixed_;
  PolicySet ever_, current_;
};

}  // namespace headroom::plan
