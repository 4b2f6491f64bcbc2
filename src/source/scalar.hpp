// Scalar rules beyond resolve_scalar: explicit tags, and texts that a person reads in another way than a
// loader.
#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "headroom/source/document.hpp"

namespace headroom::source {

/// `text` under an explicit core tag (`!!int`, `!!str`, …); nothing where the loader would fail on it.
[[nodiscard]] std::optional<Value> resolve_tagged(std::string_view text, std::string_view tag, Loader loader);
[[nodiscard]] bool is_scalar_tag(std::string_view tag);
[[nodiscard]] bool is_collection_tag(std::string_view tag, NodeKind kind);

/// What a reader would not expect of a plain scalar that resolved to `value`, else an empty text.
struct Surprise {
  Remark::Kind kind{};
  std::string text;
};
[[nodiscard]] std::optional<Surprise> surprise_in(std::string_view text, const Value& value, Loader loader);

/// Hydra's `int`, `float`, `true`, `null` for one unquoted word.
[[nodiscard]] Value resolve_hydra(std::string_view text);

/// Decimal text to double; out of range gives infinity or 0 as in Python.
[[nodiscard]] double to_double(const std::string& text);

}  // namespace headroom::source
