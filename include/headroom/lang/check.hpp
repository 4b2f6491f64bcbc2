// Checks of literal values against the schema, and did-you-mean; shared by expressions, fixes and start-up
// rewrites.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "headroom/schema/schema.hpp"
#include "headroom/source/value.hpp"

namespace headroom::lang {

/// Why `field` can never hold `value` (wrong type, outside its choices in every release, no dtype); nullopt
/// where it can. Null is always taken: the annotations of the frameworks say little about it.
[[nodiscard]] std::optional<std::string> check_value(const schema::Schema& schema, schema::FieldId field,
                                                     const source::Value& value);

/// Choices of `field` in any release, in order of first appearance; empty where it has none.
[[nodiscard]] std::vector<std::string_view> all_choices(const schema::Field& field);

/// `; did you mean 'x'?`, or empty where nothing of `known` is close to `word` (case is a small difference).
[[nodiscard]] std::string did_you_mean(std::string_view word, const std::vector<std::string_view>& known);

}  // namespace headroom::lang
