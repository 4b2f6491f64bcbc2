// The words of a flag as a value.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "headroom/schema/dialect_table.hpp"
#include "headroom/source/value.hpp"

namespace headroom::dialect {

/// One word by the flag's type; nullopt where it is none of that type.
[[nodiscard]] std::optional<source::Value> typed_word(std::string_view word, schema::WordType type);

/// A value that stands in YAML for a flag (`--moe-layer-freq: ([0]*3+[1]*45)`): words in it read by the type.
[[nodiscard]] source::Value typed_value(source::Value value, const schema::DialectRow& row);

/// A value in the form in which one word of a flag says it: lists of numbers, whole numbers that were written
/// with a point, pipeline layouts.
[[nodiscard]] source::Value sayable(source::Value value, const schema::DialectRow& row);

/// What the type takes, for messages: "a whole number".
[[nodiscard]] std::string_view words_for(schema::WordType type);

/// A list in Python's notation, of whole numbers: `([0]*3+[1]*45)`; at most 100,000 items.
[[nodiscard]] std::optional<source::List> python_list(std::string_view text);

}  // namespace headroom::dialect
