// JSON documents: values of a config, and the one way to write a document out.
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "headroom/source/error.hpp"
#include "headroom/source/value.hpp"

namespace headroom::report {

/// Null, booleans, numbers, strings and lists as themselves; a mapping as `{}`, an unknown value as null;
/// infinities and NaN, which JSON lacks, as the strings "inf", "-inf", "nan".
[[nodiscard]] nlohmann::ordered_json to_json(const source::Value& value);

/// {"line", "column", "end_line", "end_column"}; ends are exclusive.
[[nodiscard]] nlohmann::ordered_json to_json(const source::Location& location);

/// Indented text with a final newline; bytes that are no UTF-8 become U+FFFD.
[[nodiscard]] std::string dump(const nlohmann::ordered_json& document);

}  // namespace headroom::report
