#include "legality.hpp"

#include <algorithm>
#include <bit>
#include <set>

namespace headroom::plan {

std::size_t PolicySet::count() const {
  std::size_t n = 0;
  for (const std::uint64_t word : words_) n += static_cast<std::size_t>(std::popcount(word));
  return n;
}

void PolicySet::add(const PolicySet& other) {
  for (std::size_t i = 0; i < words_.size(); ++i) words_[i] |= other.words_[i];
}

std::size_t PolicySet::remove(const PolicySet& other) {
  std::size_t n = 0;
  for (std::size_t i = 0; i < words_.size(); ++i) {
    n += static_cast<std::size_t>(std::popcount(words_[i] & other.words_[i]));
    words_[i] &= ~other.words_[i];
  }
  return n;
}

Legality::Legality(const Graph& graph)
    : graph_(graph),
      run_(graph),
      policies_axis_(graph.axes().size() - 1),
      count_(graph.axes().back().size()),
      ever_(count_),
      current_(count_) {
  sort_nodes();
  run_policies();
}

void Legality::sort_nodes() {
  levels_.resize(policies_axis_);
  level_rules_.resize(policies_axis_);
  const AxisMask policy = AxisMask{1} << policies_axis_;
  for (std::size_t i = 0; i < graph_.nodes().size(); ++i) {
    const Node& node = graph_.nodes()[i];
    const auto id = static_cast<NodeId>(i);
    const bool is_rule = node.kind == Node::Kind::rule;
    if ((node.axes & policy) == 0) {
      std::size_t level = 0;
      for (std::size_t a = 0; a < policies_axis_; ++a)
        if ((node.axes >> a) & 1U) level = a;
      (is_rule ? level_rules_ : levels_)[level].push_back(id);
    } else if (node.axes == policy) {
      policy_nodes_.push_back(id);
    } else if (!is_rule) {
      mixed_nodes_.push_back(id);
    }
  }
}

void Legality::run_policies() {
  by_policy_.resize(graph_.nodes().size());
  for (const NodeId id : policy_nodes_) by_policy_[static_cast<std::size_t>(id)].resize(count_);
  for (std::size_t p = 0; p < count_; ++p) {
    run_.chosen[policies_axis_] = static_cast<std::uint32_t>(p);
    bool legal = true;
    for (const NodeId id : policy_nodes_) {
      const auto at = static_cast<std::size_t>(id);
      by_policy_[at][p] = run_.results[at] = run_.run(id);
      if (graph_.nodes()[at].kind == Node::Kind::rule && run_.fires(id)) legal = false;
    }
    if (legal) ever_.insert(p);
  }
  const AxisMask policy = AxisMask{1} << policies_axis_;
  for (std::size_t i = 0; i < graph_.nodes().size(); ++i) {
    const Node& node = graph_.nodes()[i];
    if (node.kind == Node::Kind::rule && (node.axes & policy) != 0 && node.axes != policy)
      make_mixed(static_cast<NodeId>(i));
  }
}

void Legality::make_mixed(NodeId rule) {
  const AxisMask policy = AxisMask{1} << policies_axis_;
  std::set<NodeId> cone, layout, own;
  std::vector<NodeId> open{rule};
  while (!open.empty()) {
    const NodeId id = open.back();
    open.pop_back();
    const Node& node = graph_.nodes()[static_cast<std::size_t>(id)];
    if ((node.axes & policy) == 0) {
      layout.insert(id);
    } else if (node.axes == policy) {
      own.insert(id);
    } else if (cone.insert(id).second) {
      for (const Input& input : node.inputs)
        if (input.node != no_node) open.push_back(input.node);
      if (node.before.node != no_node) open.push_back(node.before.node);
    }
  }
  Mixed mixed;
  mixed.rule = rule;
  mixed.cone.assign(cone.begin(), cone.end());
  mixed.layout.assign(layout.begin(), layout.end());
  mixed.own.assign(own.begin(), own.end());
  mixed.choices = std::ranges::any_of(mixed.cone, [&](NodeId id) {
    return graph_.nodes()[static_cast<std::size_t>(id)].kind == Node::Kind::choice;
  });
  std::map<std::vector<ValueId>, std::size_t> classes;
  for (std::size_t p = 0; p < count_; ++p) {
    if (!ever_.contains(p)) continue;
    std::vector<ValueId> key;
    for (const NodeId id : own) key.push_back(by_policy_[static_cast<std::size_t>(id)][p]);
    if (mixed.choices) key.push_back(static_cast<ValueId>(p));
    const auto [it, fresh] = classes.emplace(std::move(key), mixed.members.size());
    if (fresh) {
      mixed.representative.push_back(static_cast<std::uint32_t>(p));
      mixed.members.emplace_back(count_);
    }
    mixed.members[it->second].insert(p);
  }
  mixed_.push_back(std::move(mixed));
}

const rules::Rule* Legality::choose(std::size_t axis, std::uint32_t choice) {
  run_.chosen[axis] = choice;
  for (const NodeId id : levels_[axis]) run_.results[static_cast<std::size_t>(id)] = run_.run(id);
  for (const NodeId id : level_rules_[axis])
    if (run_.fires(id)) return graph_.nodes()[static_cast<std::size_t>(id)].rule;
  return nullptr;
}

const PolicySet& Legality::broken(Mixed& mixed) {
  std::uint64_t key = 0;
  for (const NodeId id : mixed.layout) key = mix(key ^ run_.results[static_cast<std::size_t>(id)]);
  if (mixed.choices)
    for (std::size_t a = 0; a < policies_axis_; ++a) key = mix(key ^ run_.chosen[a]);
  if (const std::uint32_t* at = mixed.known.find(key)) return mixed.sets[*at];
  PolicySet out(count_);
  for (std::size_t c = 0; c < mixed.representative.size(); ++c) {
    const std::size_t p = mixed.representative[c];
    run_.chosen[policies_axis_] = static_cast<std::uint32_t>(p);
    for (const NodeId id : mixed.own)
      run_.results[static_cast<std::size_t>(id)] = by_policy_[static_cast<std::size_t>(id)][p];
    for (const NodeId id : mixed.cone) run_.results[static_cast<std::size_t>(id)] = run_.run(id);
    if (!run_.fires(mixed.rule)) continue;
    out.add(mixed.members[c]);
  }
  mixed.known.insert(key, static_cast<std::uint32_t>(mixed.sets.size()));
  mixed.sets.push_back(std::move(out));
  return mixed.sets.back();
}

const PolicySet& Legality::policies(std::map<const rules::Rule*, std::size_t>* counts) {
  current_ = ever_;
  for (Mixed& mixed : mixed_) {
    const std::size_t n = current_.remove(broken(mixed));
    if (counts != nullptr && n > 0) (*counts)[graph_.nodes()[static_cast<std::size_t>(mixed.rule)].rule] += n;
  }
  return current_;
}

const source::Value& Legality::value(schema::FieldId field) const {
  const NodeId id = graph_.after_startup(field);
  return id == no_node ? graph_.final().now[field] : run_.value(run_.results[static_cast<std::size_t>(id)]);
}

}  // namespace headroom::plan
