// Named access to a resolved config. Absent, null and unknown values and nan take a fallback.
#pragma once
#include <cmath>
#include <string>
#include <string_view>

#include "headroom/resolve/effective.hpp"

namespace headroom::memory {

/// Bytes of an element of a dtype by its name (`bfloat16`, `torch.float32`, `uint8`).
[[nodiscard]] inline double bytes_of_type(const source::Value& type, double fallback) {
  if (!type.is_string()) return fallback;
  const std::string_view name = type.as_string();
  if (name.find("32") != std::string_view::npos) return 4;
  if (name.find("16") != std::string_view::npos) return 2;
  return name.find('8') != std::string_view::npos ? 1 : fallback;
}

/// Whether a list of names (or one string with commas) holds `word`.
[[nodiscard]] inline bool holds_name(const source::Value& names, std::string_view word) {
  if (names.is_string()) return names.as_string().find(word) != std::string_view::npos;
  if (!names.is_list()) return false;
  for (const auto& item : names.as_list()) {
    if (item.is_string() && item.as_string() == word) return true;
  }
  return false;
}

class Fields {
 public:
  explicit Fields(const resolve::EffectiveConfig& config) : config_(config) {}

  [[nodiscard]] const source::Value& value(std::string_view name) const {
    const auto id = config_.schema->find(name);
    return id == schema::no_field || id >= config_.now.size() ? null_ : config_.now[id];
  }
  [[nodiscard]] bool given(std::string_view name) const {
    const auto& v = value(name);
    return !v.is_null() && !v.is_unknown();
  }
  [[nodiscard]] double number(std::string_view name, double fallback = 0) const {
    const auto& v = value(name);
    if (v.is_bool()) return v.as_bool() ? 1 : 0;
    return v.is_number() && !std::isnan(v.as_double()) ? v.as_double() : fallback;
  }
  [[nodiscard]] bool flag(std::string_view name, bool fallback = false) const {
    const auto& v = value(name);
    return v.is_null() || v.is_unknown() ? fallback : v.truthy();
  }
  [[nodiscard]] std::string_view text(std::string_view name) const {
    const auto& v = value(name);
    return v.is_string() ? v.as_string() : std::string_view();
  }
  /// Bytes of an element of a dtype field (`bfloat16`, `torch.float32`, `uint8`).
  [[nodiscard]] double element_bytes(std::string_view name, double fallback) const {
    return bytes_of_type(value(name), fallback);
  }
  /// Whether a list of names (or one string with commas) holds `word`.
  [[nodiscard]] bool lists(std::string_view name, std::string_view word) const {
    return holds_name(value(name), word);
  }
  /// The same, the word anywhere inside an item (`*.layers.0.linear_qkv`).
  [[nodiscard]] bool mentions(std::string_view name, std::string_view word) const {
    const auto& v = value(name);
    if (!v.is_list()) return v.is_string() && v.as_string().find(word) != std::string_view::npos;
    for (const auto& item : v.as_list()) {
      if (item.is_string() && item.as_string().find(word) != std::string_view::npos) return true;
    }
    return false;
  }
  [[nodiscard]] schema::FieldId id(std::string_view name) const { return config_.schema->find(name); }
  /// Whether the config names the field.
  [[nodiscard]] bool written(std::string_view name) const {
    const auto found = id(name);
    return found != schema::no_field && found < config_.set.size() && config_.set[found] != 0;
  }
  [[nodiscard]] const resolve::EffectiveConfig& config() const { return config_; }

 private:
  const resolve::EffectiveConfig& config_;
  source::Value null_;
};

}  // namespace headroom::memory
