#include "headroom/memory/facts.hpp"

#include <array>
#include <cmath>
#include <string_view>

#include "headroom/memory/ledger.hpp"
#include "headroom/memory/parts.hpp"

namespace headroom::memory {

using source::Value;

namespace {

constexpr std::array<std::string_view, 15> names{
    "memory.used",  "memory.used_low", "memory.used_high",   "memory.used_expandable", "memory.capacity",
    "memory.peak",  "memory.states",   "memory.activations", "memory.logits",          "memory.mean_used",
    "memory.stage", "memory.host",     "memory.host_node",   "memory.host_capacity",   "memory.margin"};

void set(resolve::EffectiveConfig& config, std::string_view name, Value value) {
  const schema::FieldId id = config.schema->find(name);
  if (id == schema::no_field) return;
  config.now[id] = value;
  config.raw[id] = std::move(value);
  config.origin[id] = {resolve::OriginKind::derived, {}};
}

/// Tenths are what a reader can use, and keep messages short.
Value gib(double bytes) {
  constexpr double one = 1024.0 * 1024.0 * 1024.0;
  return Value(std::round(bytes / one * 10) / 10);
}

double mean_peak(const Peaks& peaks) {
  double sum = 0;
  for (const StagePeaks& s : peaks.stages) sum += s.peak;
  return peaks.stages.empty() ? 0 : sum / static_cast<double>(peaks.stages.size());
}

std::optional<Facts> fill(resolve::EffectiveConfig& config, const Shape& shape) {
  const Peaks now = peaks(shape);
  if (now.capacity <= 0 || now.stages.empty()) return std::nullopt;
  Shape other = shape;
  other.expandable_segments = true;
  const StagePeaks& worst = now.peak();
  const double beside = now.used - worst.peak;  // what the allocator and the libraries add
  set(config, "memory.used", gib(now.used));
  set(config, "memory.used_low", gib(now.low + beside));
  set(config, "memory.used_high", gib(now.used_high()));
  set(config, "memory.used_expandable", gib(shape.expandable_segments ? now.used : peaks(other).used));
  set(config, "memory.capacity", gib(now.capacity));
  set(config, "memory.peak", gib(worst.peak));
  set(config, "memory.states", gib(worst.weights + worst.gradients + worst.optimizer));
  set(config, "memory.activations", gib(worst.activations + worst.logits));
  set(config, "memory.logits", gib(worst.logits));
  set(config, "memory.mean_used", gib(mean_peak(now) + beside));
  set(config, "memory.stage", Value(static_cast<std::int64_t>(worst.stage)));
  set(config, "memory.host", gib(now.host));
  set(config, "memory.host_node", gib(host_of_node(shape, now.host)));
  if (shape.host_capacity > 0) set(config, "memory.host_capacity", gib(shape.host_capacity));
  set(config, "memory.margin", gib(now.margin));
  return Facts{worst.peak, now.used, now.capacity, now.fits()};
}

}  // namespace

std::optional<Facts> add_facts(resolve::EffectiveConfig& config) {
  for (const std::string_view name : names) set(config, name, Value::unknown());
  const resolve::LaunchContext& launch = config.launch;
  if (!launch.gpus || (launch.gpu == nullptr && !launch.gpu_memory_bytes)) return std::nullopt;
  const auto shape = read_shape(config);
  return shape ? fill(config, shape->shape) : std::nullopt;
}

}  // namespace headroom::memory
