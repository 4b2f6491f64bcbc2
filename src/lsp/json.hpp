// Reading messages of a client: what is absent or of another type reads as empty, never throws.
#pragma once
#include <cstdint>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace headroom::lsp {

using Json = nlohmann::json;

/// Member at a path of keys; null where there is none.
[[nodiscard]] inline const Json& at(const Json& from, std::initializer_list<const char*> path) {
  static const Json nothing;
  const Json* here = &from;
  for (const char* key : path) {
    if (!here->is_object()) return nothing;
    const auto found = here->find(key);
    if (found == here->end()) return nothing;
    here = &*found;
  }
  return *here;
}

[[nodiscard]] inline std::string string_at(const Json& from, std::initializer_list<const char*> path) {
  const Json& found = at(from, path);
  return found.is_string() ? found.get<std::string>() : std::string();
}

[[nodiscard]] inline std::optional<std::int64_t> integer_at(const Json& from,
                                                            std::initializer_list<const char*> path) {
  const Json& found = at(from, path);
  if (!found.is_number_integer()) return {};
  return found.get<std::int64_t>();
}

[[nodiscard]] inline bool is_true(const Json& from, std::initializer_list<const char*> path) {
  const Json& found = at(from, path);
  return found.is_boolean() && found.get<bool>();
}

}  // namespace headroom::lsp
