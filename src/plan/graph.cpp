#include "graph.hpp"

#include <algorithm>
#include <set>

namespace headroom::plan {
namespace {

using source::Value;

bool applies(const resolve::Step& step, const resolve::EffectiveConfig& config) {
  return schema::contains(step.releases, config.launch.release) &&
         ((step.layers >> static_cast<int>(config.layer)) & 1) != 0;
}

bool same(const Value& a, const Value& b) {
  return a == b && a.is_null() == b.is_null();
}

/// Every name that an expression reads.
void names_of(const lang::ExprPool& pool, lang::ExprId id, std::set<Var>& out) {
  if (id == lang::no_expr) return;
  const lang::ExprNode& n = pool.nodes[id];
  if (n.op == lang::Op::field) out.insert({n.field, Aspect::now});
  if (n.op == lang::Op::raw_field) out.insert({n.field, Aspect::raw});
  if (n.op == lang::Op::has_field) out.insert({n.field, Aspect::has});
  for (std::size_t i = 0; i < n.count; ++i) names_of(pool, pool.children[n.first + i], out);
}

bool applies(const rules::Rule& rule, const Request& request, const resolve::EffectiveConfig& config) {
  return rule.severity == rules::Severity::error && rule.when != lang::no_expr &&
         ((rule.layers >> static_cast<unsigned>(config.layer)) & 1u) != 0 &&
         schema::contains(rule.releases, config.launch.release) && request.bench.selection->wants(rule.id);
}

}  // namespace

Graph::Graph(const Request& request, const resolve::EffectiveConfig& before, std::vector<GraphAxis> axes)
    : request_(request), axes_(std::move(axes)), base_(before) {
  choices();
  startup(*request.bench.resolve);
  derive(*request.bench.resolve);
  rules();
  drop_constants();
}

const Value Graph::current(Var var) const {
  if (var.aspect == Aspect::has) return Value(base_.set[var.field] != 0);
  return var.aspect == Aspect::raw ? base_.raw[var.field] : base_.now[var.field];
}

Input Graph::input(Var var) const {
  const auto it = current_.find(var);
  if (it != current_.end() && it->second != no_node) return {var, it->second, {}};
  return {var, no_node, current(var)};
}

void Graph::read(const lang::ExprPool& pool, lang::ExprId id, Node& node) const {
  std::set<Var> names;
  names_of(pool, id, names);
  for (const Var var : names) {
    const bool known = std::ranges::any_of(node.inputs, [&](const Input& i) { return i.var == var; });
    if (!known) node.inputs.push_back(input(var));
  }
}

void Graph::define(Node node) {
  for (const Input& i : node.inputs)
    if (i.node != no_node) node.axes |= nodes_[static_cast<std::size_t>(i.node)].axes;
  if (node.before.node != no_node) node.axes |= nodes_[static_cast<std::size_t>(node.before.node)].axes;
  if (node.kind != Node::Kind::rule) current_[node.var] = static_cast<NodeId>(nodes_.size());
  nodes_.push_back(std::move(node));
}

void Graph::choices() {
  std::map<Var, Node> found;
  for (std::size_t a = 0; a < axes_.size(); ++a) {
    for (std::size_t c = 0; c < axes_[a].size(); ++c) {
      for (const Entry& e : *axes_[a][c]) {
        Node& node = found[e.var];
        node.var = e.var;
        node.axes |= AxisMask{1} << a;
        node.otherwise = current(e.var);
        auto& values = node.choices[static_cast<int>(a)];
        values.resize(axes_[a].size());
        values[c] = e.value;
      }
    }
  }
  for (auto& [var, node] : found) define(std::move(node));
}

bool Graph::never(const lang::ExprPool& pool, lang::ExprId condition, const Node& node) {
  if (condition == lang::no_expr) return false;
  constexpr std::size_t most_switches = 6;
  std::vector<std::pair<Value*, Value>> hidden;  // values that choices decide: unknown here
  std::vector<schema::FieldId> switches;         // what is written or not has no third state: both are tried
  for (const Input& i : node.inputs) {
    if (i.node == no_node) continue;
    if (i.var.aspect == Aspect::has) {
      switches.push_back(i.var.field);
      continue;
    }
    Value& value = (i.var.aspect == Aspect::raw ? base_.raw : base_.now)[i.var.field];
    hidden.emplace_back(&value, value);
    value = Value::unknown();
  }
  bool out = switches.size() <= most_switches;
  std::vector<std::uint8_t> before;
  for (const auto id : switches) before.push_back(base_.set[id]);
  for (std::size_t n = 0; out && n < (std::size_t{1} << switches.size()); ++n) {
    for (std::size_t k = 0; k < switches.size(); ++k) base_.set[switches[k]] = (n >> k) & 1U;
    const Value verdict = lang::evaluate(pool, condition, base_.scope());
    out = !verdict.is_unknown() && !verdict.truthy();
  }
  for (std::size_t k = 0; k < switches.size(); ++k) base_.set[switches[k]] = before[k];
  for (auto& [value, old] : hidden) *value = std::move(old);
  return out;
}

void Graph::startup(const resolve::ResolvePack& pack) {
  for (const resolve::Step& step : pack.steps) {
    if (!applies(step, base_)) continue;
    if (!step.copy_from.empty())
      copy(step);
    else
      assign(step, pack.pool);
  }
}

void Graph::assign(const resolve::Step& step, const lang::ExprPool& pool) {
  std::vector<Node> made;
  for (const resolve::Assignment& a : step.set) {
    if (!schema::contains(base_.schema->field(a.field).releases, base_.launch.release)) continue;
    Node node;
    node.kind = Node::Kind::assign;
    node.var = {a.field, Aspect::now};
    node.pool = &pool;
    node.when = step.when;
    node.value = a.value;
    node.before = input(node.var);
    read(pool, step.when, node);
    read(pool, a.value, node);
    made.push_back(std::move(node));
  }
  const auto is_node = [](const Input& i) { return i.node != no_node; };
  std::vector<std::pair<schema::FieldId, Value>> constants;
  std::vector<Node> open;
  for (Node& node : made) {
    if (std::ranges::any_of(node.inputs, is_node)) {
      if (!never(pool, step.when, node)) open.push_back(std::move(node));
      continue;
    }
    // Nothing that the step reads can change: it runs now, or never.
    bool certain = true;
    if (step.when != lang::no_expr) {
      const Value when = lang::evaluate(pool, step.when, base_.scope());
      certain = !when.is_unknown();
      if (certain && !when.truthy()) continue;
    }
    Value value = lang::evaluate(pool, node.value, base_.scope());
    if (!certain && is_node(node.before)) {
      open.push_back(std::move(node));
      continue;
    }
    if (!certain && !(value == base_.now[node.var.field])) value = Value::unknown();
    constants.emplace_back(node.var.field, std::move(value));
  }
  for (Node& node : open) define(std::move(node));
  for (auto& [field, value] : constants) {
    const Var var{field, Aspect::now};
    current_.erase(var);
    if (same(value, base_.now[field])) continue;
    base_.now[field] = std::move(value);
    moved_[var] = true;
  }
}

void Graph::copy(const resolve::Step& step) {
  const schema::Schema& schema = *base_.schema;
  const auto section = schema.find(step.copy_from);
  if (section == schema::no_field) return;
  if (input({section, Aspect::now}).node == no_node && base_.now[section].is_null()) return;
  for (std::size_t i = 0; i < schema.size(); ++i) {
    const schema::Field& field = schema.field(static_cast<schema::FieldId>(i));
    if (field.space != schema::Space::config || field.section != schema.field(section).section) continue;
    const std::string_view leaf = field.name.substr(std::min(field.name.size(), step.copy_from.size() + 1));
    if (leaf.starts_with('_') || leaf.find('.') != std::string_view::npos) continue;
    if (std::ranges::find(step.copy_skip, leaf) != step.copy_skip.end()) continue;
    if (!schema::contains(field.releases, base_.launch.release)) continue;
    for (const std::string_view to : step.copy_to) {
      const auto target = schema.find(std::string(to).append(".").append(leaf));
      if (target == schema::no_field ||
          !schema::contains(schema.field(target).releases, base_.launch.release))
        continue;
      const schema::Section* place = schema.find_section(to);
      const Value& named =
          place == nullptr || place->target == schema::no_field ? Value() : base_.now[place->target];
      const schema::ClassInfo* cls = schema.find_class(named.is_string()  ? named.as_string()
                                                       : place != nullptr ? place->standard_class
                                                                          : std::string_view());
      if (schema.class_has(cls, target, base_.launch.release))
        copy_field(step, static_cast<schema::FieldId>(i), target, section);
    }
  }
}

void Graph::copy_field(const resolve::Step&, schema::FieldId from, schema::FieldId to,
                       schema::FieldId section) {
  const Var var{to, Aspect::now};
  const Input source = input({from, Aspect::now}), whole = input({section, Aspect::now});
  if (source.node == no_node && whole.node == no_node) {
    current_.erase(var);
    if (same(base_.now[from], base_.now[to])) return;
    base_.now[to] = base_.now[from];
    moved_[var] = true;
    return;
  }
  Node node;
  node.kind = Node::Kind::copy;
  node.var = var;
  node.source = {from, Aspect::now};
  node.section = section;
  node.before = input(var);
  node.inputs = {source, whole};
  define(std::move(node));
}

void Graph::derive(const resolve::ResolvePack& pack) {
  for (const resolve::Derived& d : pack.derived) {
    Node node;
    node.kind = Node::Kind::derive;
    node.var = {d.field, Aspect::now};
    node.pool = &pack.pool;
    node.value = d.value;
    read(pack.pool, d.value, node);
    if (std::ranges::any_of(node.inputs, [](const Input& i) { return i.node != no_node; })) {
      define(std::move(node));
      current_[{d.field, Aspect::raw}] = current_[{d.field, Aspect::now}];
      continue;
    }
    base_.now[d.field] = lang::evaluate(pack.pool, d.value, base_.scope());
    base_.raw[d.field] = base_.now[d.field];
  }
}

void Graph::rules() {
  const auto& packs = request_.bench.packs;
  for (std::size_t p = 0; p < packs.size(); ++p) {
    for (const rules::Rule& rule : packs[p]->rules) {
      if (!applies(rule, request_, base_)) continue;
      const bool replaced = std::ranges::any_of(
          packs.subspan(p + 1), [&](const auto* later) { return find_rule(*later, rule.id) != nullptr; });
      if (replaced) continue;
      Node node;
      node.kind = Node::Kind::rule;
      node.pool = &packs[p]->pool;
      node.value = rule.when;
      node.rule = &rule;
      read(packs[p]->pool, rule.when, node);
      if (std::ranges::any_of(node.inputs, [](const Input& i) { return i.node != no_node; })) {
        if (!never(packs[p]->pool, rule.when, node)) define(std::move(node));
        continue;
      }
      const Value verdict = lang::evaluate(packs[p]->pool, rule.when, base_.scope());
      if (!verdict.is_unknown() && verdict.truthy()) always_.push_back(&rule);
    }
  }
}

/// Inputs that always are what the final config has need no loading.
void Graph::drop_constants() {
  std::set<Var> varying;
  for (const Node& node : nodes_)
    if (node.kind != Node::Kind::rule) varying.insert(node.var);
  for (const auto& [var, moved] : moved_) varying.insert(var);
  for (const Node& node : nodes_)
    if (node.kind == Node::Kind::derive) varying.insert({node.var.field, Aspect::raw});
  for (Node& node : nodes_)
    std::erase_if(node.inputs, [&](const Input& i) { return i.node == no_node && !varying.contains(i.var); });
}

NodeId Graph::after_startup(schema::FieldId field) const {
  const auto it = current_.find({field, Aspect::now});
  return it == current_.end() ? no_node : it->second;
}

}  // namespace headroom::plan
