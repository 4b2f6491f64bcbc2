// The JSON Schema of one field.
#pragma once
#include <nlohmann/json.hpp>

#include "headroom/schema/schema.hpp"

namespace headroom::report {

using SchemaJson = nlohmann::ordered_json;

[[nodiscard]] SchemaJson field_schema(const schema::Schema& schema, schema::FieldId id,
                                      schema::Release release);

/// Description, default, deprecation: what every field has, whatever its values.
void annotate(SchemaJson& out, const schema::Schema& schema, schema::FieldId id, schema::Release release);

/// One of `values`, or a text with `${…}`.
[[nodiscard]] SchemaJson one_of_words(SchemaJson values);

}  // namespace headroom::report
