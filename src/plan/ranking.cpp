#include "ranking.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "headroom/memory/facts.hpp"

namespace headroom::plan {
namespace {

/// Steps that differ by less are equally fast: the model knows no better.
constexpr double same_time = 0.002;

}  // namespace

std::optional<Checked> check_in_full(const rules::Fix& change, const advise::Bench& bench) {
  const advise::Applied applied = advise::apply(change, bench);
  resolve::EffectiveConfig config =
      resolve::resolve(applied.settings, applied.launch, *bench.schema, *bench.resolve);
  const auto shape = memory::read_shape(config);
  if (!shape) return std::nullopt;
  Checked out;
  out.run = {shape->shape, cost::read_job(config)};
  out.memory = memory::peaks(shape->shape);
  out.time = cost::step_time(shape->shape, out.run.job);
  static_cast<void>(memory::add_facts(config));
  const auto findings = rules::evaluate(config, applied.settings, bench.packs, *bench.selection);
  for (const auto& d : findings.diagnostics) {
    if (d.severity == rules::Severity::error) out.errors.push_back(d.rule);
    if (d.severity == rules::Severity::warning) out.warnings.push_back(d.rule);
    if (d.severity == rules::Severity::ignored) out.ignored.push_back(d);
  }
  out.legal = out.errors.empty();
  return out;
}

Ranking::Ranking(const SweepInput& input, Found& found) : input_(input), found_(found) {
  std::size_t layouts = 1;
  for (const Axis& axis : input.space->layout) layouts *= axis.choices.size();
  layout_changes_.resize(layouts);
  for (std::size_t i = 0; i < layouts; ++i)
    for (const std::uint32_t c : choices_of(*input.space, static_cast<std::uint32_t>(i)))
      layout_changes_[i] += c > 0 ? 1 : 0;
  for (const Policies::Parts& p : input.policies->parts)
    policy_changes_.push_back(input.policies->activations[p.activation].changed +
                              input.policies->states[p.state].changed +
                              input.policies->allocator[p.allocator].changed);
}

unsigned Ranking::changes(const Candidate& c) const {
  return layout_changes_[c.layout] + policy_changes_[c.policy];
}

void Ranking::by_time() {
  auto& all = found_.candidates;
  if (all.empty()) return;
  const double best = std::ranges::min(all, {}, &Candidate::time).time;
  const auto key = [&](const Candidate& c) {
    return std::make_tuple(std::floor(std::log(c.time / best) / same_time), changes(c), c.used, c.layout,
                           c.policy);
  };
  std::vector<std::pair<decltype(key(all.front())), std::uint32_t>> order;
  order.reserve(all.size());
  for (std::uint32_t i = 0; i < all.size(); ++i) order.emplace_back(key(all[i]), i);
  std::ranges::sort(order);
  std::vector<Candidate> sorted;
  sorted.reserve(all.size());
  for (const auto& [k, i] : order) sorted.push_back(all[i]);
  all = std::move(sorted);
}

/// Numbers of the changed dimensions in the order of rules/plan, the most reluctant first.
std::vector<unsigned> Ranking::order_of_change(const Candidate& c) const {
  const auto place = [&](const Axis& axis) {
    return static_cast<unsigned>(axis.dimension - input_.request->choices->dimensions.data()) + 1;
  };
  std::vector<unsigned> out;
  const std::vector<std::uint32_t> layout = choices_of(*input_.space, c.layout);
  for (std::size_t a = 0; a < layout.size(); ++a)
    if (layout[a] > 0) out.push_back(place(input_.space->layout[a]));
  const Policies::Parts& parts = input_.policies->parts[c.policy];
  const auto add = [&](const std::vector<Axis>& axes, const Combination& combination) {
    for (std::size_t a = 0; a < axes.size(); ++a)
      if (combination.choice[a] > 0) out.push_back(place(axes[a]));
  };
  add(input_.space->activations, input_.policies->activations[parts.activation]);
  add(input_.space->states, input_.policies->states[parts.state]);
  add(input_.space->allocator, input_.policies->allocator[parts.allocator]);
  std::ranges::sort(out, std::ranges::greater{});
  return out;
}

void Ranking::by_change() {
  auto& all = found_.candidates;
  std::erase_if(all, [&](const Candidate& c) { return only_virtual(c); });
  if (all.empty()) return;
  unsigned least = changes(all.front());
  for (const Candidate& c : all) least = std::min(least, changes(c));
  // More changes than needed are not what was asked for; a few more rows give a choice.
  std::erase_if(all, [&](const Candidate& c) { return changes(c) > least + 1; });
  using Key = std::tuple<unsigned, std::vector<unsigned>, double, std::uint32_t, std::uint32_t>;
  std::vector<std::pair<Key, Candidate>> order;
  for (const Candidate& c : all)
    order.push_back({{changes(c), order_of_change(c), c.time, c.layout, c.policy}, c});
  std::ranges::sort(order, {}, &std::pair<Key, Candidate>::first);
  all.clear();
  for (const auto& [key, c] : order) all.push_back(c);
}

rules::Fix Ranking::change_of(const Candidate& c) const {
  rules::Fix fix;
  const std::vector<std::uint32_t> layout = choices_of(*input_.space, c.layout);
  for (std::size_t a = 0; a < layout.size(); ++a)
    fix = joined(fix, input_.space->layout[a].choices[layout[a]].change);
  const Policies::Parts& parts = input_.policies->parts[c.policy];
  fix = joined(fix, input_.policies->activations[parts.activation].change);
  fix = joined(fix, input_.policies->states[parts.state].change);
  return joined(fix, input_.policies->allocator[parts.allocator].change);
}

std::vector<std::string> Ranking::titles_of(const Candidate& c) const {
  std::vector<std::string> out;
  const Policies::Parts& parts = input_.policies->parts[c.policy];
  const auto add = [&](const std::vector<Axis>& axes, const Combination& combination) {
    for (std::size_t a = 0; a < axes.size(); ++a)
      if (combination.choice[a] > 0) out.push_back(axes[a].choices[combination.choice[a]].change.title);
  };
  add(input_.space->activations, input_.policies->activations[parts.activation]);
  add(input_.space->states, input_.policies->states[parts.state]);
  add(input_.space->allocator, input_.policies->allocator[parts.allocator]);
  return out;
}

bool Ranking::only_virtual(const Candidate& c) const {
  const std::vector<std::uint32_t> layout = choices_of(*input_.space, c.layout);
  for (std::size_t a = 0; a < layout.size(); ++a) {
    if (layout[a] == 0 || !input_.space->layout[a].dimension->stages) continue;
    const rules::Fix& change = input_.space->layout[a].choices[layout[a]].change;
    return std::ranges::none_of(
        change.set, [](const auto& edit) { return edit.first == "model.pipeline_model_parallel_size"; });
  }
  return false;
}

}  // namespace headroom::plan
