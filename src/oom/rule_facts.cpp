#include <cmath>

#include "headroom/oom/diagnosis.hpp"
#include "judge.hpp"

namespace headroom::oom {
namespace {

using source::Value;

Value gib(const std::optional<double>& bytes) {
  if (!bytes) return Value();
  return Value(std::round(*bytes / (1024.0 * 1024 * 1024) * 100) / 100);
}

}  // namespace

std::vector<std::pair<std::string, Value>> rule_facts(const Diagnosis& d, const LogFacts& log) {
  std::int64_t retries = 0;
  for (const MemoryReport& r : log.reports) retries = std::max(retries, r.retries.value_or(0));
  return {{"oom.cause", Value(std::string(to_string(d.cause)))},
          {"oom.kind", Value(d.kind)},
          {"oom.phase", Value(std::string(schema::to_string(d.phase)))},
          {"oom.module", Value(d.module)},
          {"oom.tensor", Value(d.tensors.empty() ? std::string() : d.tensors.front().name)},
          {"oom.tried", gib(d.tried)},
          {"oom.free", gib(d.figures.free)},
          {"oom.allocated", gib(d.figures.allocated)},
          {"oom.reserved_unallocated", gib(d.figures.reserved_unallocated)},
          {"oom.private_pools", gib(d.figures.private_pools.value_or(0))},
          {"oom.capacity", gib(limit_of(d.figures))},
          {"oom.others", gib(held_by_others(d.figures))},
          {"oom.iteration", Value(log.last_iteration ? log.last_iteration->number : std::int64_t{0})},
          {"oom.retries", Value(retries)},
          {"oom.expandable_refused", Value(log.allocator_warning.has_value())}};
}

}  // namespace headroom::oom
