#include "fit.hpp"

#include <algorithm>

namespace headroom::convert {

using resolve::EffectiveConfig;
using schema::FieldId;
using source::Value;

namespace {

std::vector<FieldId> differences(const EffectiveConfig& wanted, const EffectiveConfig& now,
                                 const std::vector<FieldId>& fields) {
  std::vector<FieldId> out;
  for (const FieldId id : fields) {
    if (wanted.now[id].is_unknown() || wanted.now[id].is_opaque()) continue;
    if (!agree(wanted.now[id], now.now[id])) out.push_back(id);
  }
  return out;
}

}  // namespace

bool agree(const Value& a, const Value& b) {
  if (a == b) return true;
  const auto off = [](const Value& v) { return v.is_null() || (v.is_bool() && !v.as_bool()); };
  if (off(a) && off(b)) return true;
  // A list of one and its element: flags that take several words.
  if (a.is_list() && a.as_list().size() == 1 && !b.is_list()) return a.as_list().front() == b;
  if (b.is_list() && b.as_list().size() == 1 && !a.is_list()) return b.as_list().front() == a;
  return false;
}

Fitted fit(const EffectiveConfig& wanted, const Target& target, const resolve::ResolvePack& pack) {
  const schema::Schema& schema = *wanted.schema;
  Fitted out;
  out.settings = target.skeleton;
  out.config = resolve::resolve(out.settings, wanted.launch, schema, pack);
  out.different = differences(wanted, out.config, target.fields);
  constexpr int most_rounds = 6;
  for (int round = 0; round < most_rounds && !out.different.empty(); ++round) {
    dialect::Settings trial = out.settings;
    for (const FieldId id : out.different) trial.assign(id, wanted.now[id], {});
    EffectiveConfig config = resolve::resolve(trial, wanted.launch, schema, pack);
    auto different = differences(wanted, config, target.fields);
    const bool stuck = different.size() >= out.different.size() && round > 0;
    if (stuck) break;
    out.settings = std::move(trial);
    out.config = std::move(config);
    out.different = std::move(different);
  }
  return out;
}

std::pair<std::size_t, std::size_t> badness(const Fitted& fitted, const EffectiveConfig& wanted) {
  const auto chosen = std::ranges::count_if(fitted.different, [&](FieldId id) {
    return wanted.origin[id].kind != resolve::OriginKind::default_value;
  });
  return {static_cast<std::size_t>(chosen), fitted.different.size()};
}

Fitted without_needless(Fitted fitted, const EffectiveConfig& wanted, const Target& target,
                        const resolve::ResolvePack& pack) {
  const schema::Schema& schema = *wanted.schema;
  std::vector<FieldId> fields;
  for (const dialect::Setting& s : fitted.settings.settings) fields.push_back(s.field);
  for (const FieldId id : fields) {
    if (target.skeleton.find(id) != nullptr) continue;
    // What the framework turns into something else is still what was asked for.
    if (std::ranges::binary_search(fitted.different, id)) continue;
    dialect::Settings trial = fitted.settings;
    trial.erase(id);
    EffectiveConfig config = resolve::resolve(trial, wanted.launch, schema, pack);
    auto different = differences(wanted, config, target.fields);
    if (!std::ranges::includes(fitted.different, different)) continue;
    fitted.settings = std::move(trial);
    fitted.config = std::move(config);
    fitted.different = std::move(different);
  }
  return fitted;
}

}  // namespace headroom::convert
