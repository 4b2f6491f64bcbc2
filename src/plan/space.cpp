#include "space.hpp"

#include <algorithm>
#include <map>

#include "stages.hpp"

namespace headroom::plan {
namespace {

using resolve::EffectiveConfig;
using source::Value;

/// The config before any start-up step: what edits change directly.
EffectiveConfig before_startup(const dialect::Settings& settings, const resolve::LaunchContext& launch,
                               const schema::Schema& schema) {
  return resolve::resolve(settings, launch, schema, resolve::ResolvePack{});
}

bool same(const Value& a, const Value& b) {
  return a == b && a.is_null() == b.is_null() && a.is_bool() == b.is_bool() &&
         a.is_unknown() == b.is_unknown();
}

std::vector<Entry> differences(const EffectiveConfig& from, const EffectiveConfig& to) {
  std::vector<Entry> out;
  for (std::size_t i = 0; i < from.now.size(); ++i) {
    const auto id = static_cast<schema::FieldId>(i);
    if (!same(from.now[i], to.now[i])) out.push_back({{id, Aspect::now}, to.now[i]});
    if (!same(from.raw[i], to.raw[i])) out.push_back({{id, Aspect::raw}, to.raw[i]});
    if (from.set[i] != to.set[i]) out.push_back({{id, Aspect::has}, Value(to.set[i] != 0)});
  }
  return out;
}

class Maker {
 public:
  explicit Maker(const Request& request) : request_(request), bench_(request.bench) {
    space_.before = before_startup(*bench_.settings, *bench_.launch, *bench_.schema);
  }

  Space run() {
    for (const rules::Dimension& dimension : request_.choices->dimensions) {
      if (dimension.part == rules::Part::job) continue;
      Axis axis{&dimension, {Choice{}}};
      for (rules::Fix& fix : changes(dimension)) add(axis, std::move(fix));
      if (axis.choices.size() > 1) of_part(dimension.part).push_back(std::move(axis));
    }
    // Tensor and context parallelism outside, stages innermost: layers cost the same on any number of stages.
    std::ranges::reverse(space_.layout);
    std::stable_partition(space_.layout.begin(), space_.layout.end(),
                          [](const Axis& a) { return !a.dimension->stages; });
    return std::move(space_);
  }

 private:
  std::vector<Axis>& of_part(rules::Part part) {
    switch (part) {
      case rules::Part::activations:
        return space_.activations;
      case rules::Part::states:
        return space_.states;
      case rules::Part::allocator:
        return space_.allocator;
      default:
        return space_.layout;
    }
  }

  std::vector<rules::Fix> changes(const rules::Dimension& dimension) const {
    const lang::ExprPool& pool = request_.choices->pool;
    if (!dimension.stages) return rules::choices_of(dimension, pool, *bench_.config);
    std::vector<rules::Fix> out = stage_choices(*bench_.config);
    for (rules::Fix& fix : out) {
      EffectiveConfig changed = *bench_.config;
      for (const auto& [name, value] : fix.set) changed.now[bench_.schema->find(name)] = value;
      const std::string title = fix.title;
      fix = joined(fix, rules::companions_of(dimension, pool, changed));
      fix.title = title;
    }
    return out;
  }

  void add(Axis& axis, rules::Fix fix) const {
    if (fix.set.empty() && fix.unset.empty() && fix.env.empty()) return;
    const advise::Applied applied = advise::apply(fix, bench_);
    auto entries =
        differences(space_.before, before_startup(applied.settings, applied.launch, *bench_.schema));
    if (!entries.empty()) axis.choices.push_back({std::move(fix), std::move(entries)});
  }

  const Request& request_;
  const advise::Bench& bench_;
  Space space_;
};

/// Entries of several choices; a later choice wins.
std::vector<Entry> merged(const std::vector<const Choice*>& choices) {
  std::map<Var, Value> all;
  for (const Choice* choice : choices)
    for (const Entry& e : choice->entries) all.insert_or_assign(e.var, e.value);
  std::vector<Entry> out;
  for (auto& [var, value] : all) {
    Entry& entry = out.emplace_back();
    entry.var = var;
    entry.value = value;
  }
  return out;
}

std::string key_of(const std::vector<Entry>& entries) {
  std::string key;
  for (const Entry& e : entries)
    key += std::to_string(e.var.field) + "." + std::to_string(static_cast<int>(e.var.aspect)) + "=" +
           e.value.to_text() + ";";
  return key;
}

}  // namespace

Space make_space(const Request& request) {
  return Maker(request).run();
}

rules::Fix joined(const rules::Fix& first, const rules::Fix& second) {
  rules::Fix out = first;
  for (const auto& [field, value] : second.set) {
    std::erase(out.unset, field);
    const auto it = std::ranges::find(out.set, field, &std::pair<std::string, Value>::first);
    if (it == out.set.end())
      out.set.emplace_back(field, value);
    else
      it->second = value;
  }
  for (const auto& field : second.unset) {
    std::erase_if(out.set, [&wanted = field](const auto& s) { return s.first == wanted; });
    if (std::ranges::find(out.unset, field) == out.unset.end()) out.unset.push_back(field);
  }
  for (const auto& [name, value] : second.env) {
    std::erase_if(out.env, [&wanted = name](const auto& e) { return e.first == wanted; });
    out.env.emplace_back(name, value);
  }
  out.safety = std::max(first.safety, second.safety);
  return out;
}

std::vector<Combination> combinations(const std::vector<Axis>& axes) {
  std::size_t count = 1;
  for (const Axis& axis : axes) count *= axis.choices.size();
  std::map<std::string, std::size_t> seen;
  std::vector<Combination> out;
  for (std::size_t n = 0; n < count; ++n) {
    Combination c;
    std::vector<const Choice*> chosen;
    std::size_t rest = n;
    for (const Axis& axis : axes) {
      const std::size_t i = rest % axis.choices.size();
      rest /= axis.choices.size();
      c.choice.push_back(static_cast<std::uint16_t>(i));
      c.changed += i > 0 ? 1 : 0;
      c.change = joined(c.change, axis.choices[i].change);
      chosen.push_back(&axis.choices[i]);
    }
    c.entries = merged(chosen);
    const auto [it, fresh] = seen.emplace(key_of(c.entries), out.size());
    if (fresh)
      out.push_back(std::move(c));
    else if (c.changed < out[it->second].changed)
      out[it->second] = std::move(c);
  }
  return out;
}

}  // namespace headroom::plan
