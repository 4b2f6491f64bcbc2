#include "headroom/dialect/settings.hpp"

#include <algorithm>

namespace headroom::dialect {

std::optional<std::int64_t> LaunchHints::total_gpus() const {
  if (gpus) return gpus;
  if (nodes && gpus_per_node) return *nodes * *gpus_per_node;
  return std::nullopt;
}

const Setting* Settings::find(schema::FieldId field) const {
  auto it = std::ranges::find(settings, field, &Setting::field);
  return it == settings.end() ? nullptr : &*it;
}

void Settings::assign(schema::FieldId field, source::Value value, Place place) {
  auto it = std::ranges::find(settings, field, &Setting::field);
  if (it == settings.end()) {
    settings.push_back({field, std::move(value), std::move(place)});
    return;
  }
  it->value = std::move(value);
  if (place.source != nullptr) it->place = std::move(place);
}

void Settings::erase(schema::FieldId field) {
  std::erase_if(settings, [&](const Setting& s) { return s.field == field; });
}

}  // namespace headroom::dialect
