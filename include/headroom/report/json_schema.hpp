// A config language as JSON Schema, for editors and validators.
#pragma once
#include <string>

#include "headroom/schema/schema.hpp"

namespace headroom::report {

/// Draft-07, with a final newline. `table` null: Megatron Bridge's own files. `contains` tells apart what
/// exists in the release; deprecated fields say what replaces them. Values may always be `${…}`, which a
/// loader resolves later. Precondition: has_file(table).
[[nodiscard]] std::string json_schema(const schema::Schema& schema, const schema::DialectTable* table,
                                      schema::Release release);

/// Whether a language has files of keys and values; others are options of a program alone.
[[nodiscard]] bool has_file(const schema::DialectTable* table);

}  // namespace headroom::report
