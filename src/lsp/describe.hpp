// A field in words, for hovers and completions.
#pragma once
#include <string>
#include <vector>

#include "headroom/schema/schema.hpp"

namespace headroom::lsp {

/// `integer or null`, `list of strings`.
[[nodiscard]] std::string type_words(const schema::Field& field);

/// Markdown paragraphs: the description, type, default and choices, deprecation.
[[nodiscard]] std::vector<std::string> describe(const schema::Schema& schema, schema::FieldId id,
                                                schema::Release release, std::string_view cls);

/// The same without marks, for clients that show plain text.
[[nodiscard]] std::string without_marks(std::string text);

}  // namespace headroom::lsp
