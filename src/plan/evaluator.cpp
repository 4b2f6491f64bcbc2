#include "evaluator.hpp"

#include <algorithm>

namespace headroom::plan {
namespace {

using source::Value;

constexpr ValueId absent = 0xffffffff;

/// Values that compare equal but are not the same to a rule (1, 1.0 and true) stay apart.
std::string key_of(const Value& v) {
  char kind = 'n';
  if (v.is_bool()) kind = 'b';
  if (v.is_int()) kind = 'i';
  if (v.is_double()) kind = 'd';
  if (v.is_string()) kind = 's';
  if (v.is_list()) kind = 'l';
  if (v.is_mapping()) kind = 'm';
  if (v.is_opaque()) kind = 'o';
  if (v.is_unknown()) kind = 'u';
  return kind + v.to_text();
}

bool same(const Value& a, const Value& b) {
  return a == b && a.is_null() == b.is_null();
}

}  // namespace

Evaluator::Evaluator(const Graph& graph) : graph_(graph), scratch_(graph.final()) {
  const std::size_t fields = scratch_.now.size(), n = graph.nodes().size();
  loaded_ = {std::vector<ValueId>(fields, absent), std::vector<ValueId>(fields, absent),
             std::vector<ValueId>(fields, absent)};
  results.assign(n, absent);
  chosen.assign(graph.axes().size(), 0);
  memo_.resize(n);
  constants_.resize(n);
  before_.assign(n, absent);
  tables_.resize(n);
  otherwise_.assign(n, absent);
  yes_ = intern(Value(true));
  no_ = intern(Value(false));
  for (std::size_t i = 0; i < n; ++i) {
    const Node& node = graph.nodes()[i];
    for (const Input& input : node.inputs)
      constants_[i].push_back(input.node == no_node ? intern(input.constant) : absent);
    if (node.before.node == no_node) before_[i] = intern(node.before.constant);
    if (node.kind != Node::Kind::choice) continue;
    otherwise_[i] = intern(node.otherwise);
    for (auto it = node.choices.rbegin(); it != node.choices.rend(); ++it) {
      ChoiceTable table{it->first, {}};
      for (const auto& v : it->second) table.values.push_back(v ? intern(*v) : absent);
      tables_[i].push_back(std::move(table));
    }
  }
}

ValueId Evaluator::intern(const Value& value) {
  const auto [it, fresh] = numbers_.try_emplace(key_of(value), static_cast<ValueId>(values_.size()));
  if (fresh) values_.push_back(value);
  return it->second;
}

ValueId Evaluator::of_choice(const Node&, std::size_t at) const {
  for (const ChoiceTable& table : tables_[at]) {
    const ValueId v = table.values[chosen[static_cast<std::size_t>(table.axis)]];
    if (v != absent) return v;
  }
  return otherwise_[at];
}

ValueId Evaluator::of_input(const Input& input, std::size_t node, std::size_t i) const {
  return input.node == no_node ? constants_[node][i] : results[static_cast<std::size_t>(input.node)];
}

ValueId Evaluator::run(NodeId id) {
  const auto at = static_cast<std::size_t>(id);
  const Node& node = graph_.nodes()[at];
  if (node.kind == Node::Kind::choice) return of_choice(node, at);
  std::uint64_t key = 0;
  for (const Input& input : node.inputs)
    if (input.node != no_node) key = mix(key ^ results[static_cast<std::size_t>(input.node)]);
  if (node.before.node != no_node) key = mix(key ^ results[static_cast<std::size_t>(node.before.node)]);
  if (const std::uint32_t* known = memo_[at].find(key)) return *known;
  const ValueId result = intern(compute(node, at));
  memo_[at].insert(key, result);
  return result;
}

void Evaluator::load(Var var, ValueId id) {
  auto& loaded = var.aspect == Aspect::now   ? loaded_.now
                 : var.aspect == Aspect::raw ? loaded_.raw
                                             : loaded_.has;
  if (loaded[var.field] == id) return;
  loaded[var.field] = id;
  if (var.aspect == Aspect::has)
    scratch_.set[var.field] = values_[id].truthy() ? 1 : 0;
  else
    (var.aspect == Aspect::now ? scratch_.now : scratch_.raw)[var.field] = values_[id];
}

void Evaluator::load(const Node& node, std::size_t at) {
  for (std::size_t i = 0; i < node.inputs.size(); ++i)
    load(node.inputs[i].var, of_input(node.inputs[i], at, i));
}

source::Value Evaluator::assigned(const Node& node, const Value& before) {
  bool certain = true;
  if (node.when != lang::no_expr) {
    const Value when = lang::evaluate(*node.pool, node.when, scratch_.scope());
    certain = !when.is_unknown();
    if (certain && !when.truthy()) return before;
  }
  Value value = lang::evaluate(*node.pool, node.value, scratch_.scope());
  if (!certain && !(value == before)) return Value::unknown();
  return same(value, before) ? before : value;
}

source::Value Evaluator::compute(const Node& node, std::size_t at) {
  load(node, at);
  const ValueId before =
      node.before.node == no_node ? before_[at] : results[static_cast<std::size_t>(node.before.node)];
  switch (node.kind) {
    case Node::Kind::assign:
      return assigned(node, values_[before]);
    case Node::Kind::copy: {
      if (scratch_.now[node.section].is_null()) return values_[before];
      const Value& from = scratch_.now[node.source.field];
      return same(from, values_[before]) ? values_[before] : from;
    }
    case Node::Kind::derive:
      return lang::evaluate(*node.pool, node.value, scratch_.scope());
    default: {
      const Value verdict = lang::evaluate(*node.pool, node.value, scratch_.scope());
      return Value(!verdict.is_unknown() && verdict.truthy());
    }
  }
}

}  // namespace headroom::plan
