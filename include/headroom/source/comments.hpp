// Where the comments of a text are. Readers drop them; what people write there for headroom is found here.
#pragma once
#include <vector>

#include "headroom/source/document.hpp"

namespace headroom::source {

/// Comments of a YAML text, from `#` to the end of the line; a `#` inside a value is none. JSON has none.
[[nodiscard]] std::vector<Span> yaml_comments(const Document& document);

/// Comments of a launch script or a list of arguments. A `#` inside quotes or a here-document is none.
/// Nothing where the text cannot be parsed.
[[nodiscard]] std::vector<Span> shell_comments(const SourceText& text);

}  // namespace headroom::source
