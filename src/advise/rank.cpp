#include "rank.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <tuple>

namespace headroom::advise {

using rules::Fix;

namespace {

const schema::Evidence* find(const schema::Schema& schema, std::string_view id) {
  const auto it = std::ranges::find(schema.evidence, id, &schema::Evidence::id);
  return it == schema.evidence.end() ? nullptr : &*it;
}

auto key_of(const Fix& fix) {
  const bool too_big = fix.memory && !fix.memory->fits;
  const auto percent = fix.time ? std::llround(100 * fix.time->ratio) : 100;
  return std::tuple(too_big, fix.safety, percent, fix.set.size() + fix.unset.size() + fix.env.size());
}

}  // namespace

void add_outlook(Fix& fix, const Outlook& before, const resolve::EffectiveConfig& after,
                 const std::optional<memory::Facts>& after_memory) {
  if (after_memory && before.memory)
    fix.memory =
        rules::FixMemory{after_memory->peak, after_memory->peak - before.memory->peak, after_memory->fits};
  const cost::Comparison time = cost::compare(*before.config, before.time, after);
  if (time.basis != cost::Basis::unknown)
    fix.time = rules::FixTime{time.ratio.value, time.ratio.low, time.ratio.high,
                              time.basis == cost::Basis::measured};
  if (!time.evidence.empty() && std::ranges::find(fix.evidence, time.evidence) == fix.evidence.end())
    fix.evidence.emplace_back(time.evidence);
  fix.quotes.clear();
  for (const std::string& id : fix.evidence) {
    if (const auto* evidence = find(*after.schema, id))
      fix.quotes.push_back(fmt::format("{}, on {}", evidence->title, evidence->on));
  }
}

void rank(std::vector<Fix>& fixes) {
  std::ranges::stable_sort(fixes, {}, key_of);
}

}  // namespace headroom::advise
