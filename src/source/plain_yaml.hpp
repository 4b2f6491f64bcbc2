// Plain block YAML without yaml-cpp, whose scanner takes two thirds of a whole check.
#pragma once
#include <cstdint>
#include <memory>
#include <string_view>

#include "headroom/source/document.hpp"
#include "yaml_builder.hpp"

namespace headroom::source {

/// Delivers to `builder` the events that yaml-cpp's parser would, where the text is as PyYAML dumps it: block
/// mappings and sequences of scalars on one line, plain or in quotes without escapes, `[…]` and `{…}`
/// on one line, comments. False at anything else, then `builder` and its document hold a part and are of no
/// use. Throws what `builder` throws.
[[nodiscard]] bool deliver_plain_yaml(std::string_view text, YamlBuilder& builder);

/// Who reads: the fast path where it can, or yaml-cpp whatever the text is (tests compare the two).
enum class YamlParser : std::uint8_t { fastest, library };
[[nodiscard]] Result<Document> read_yaml_with(YamlParser parser, std::shared_ptr<const SourceText> text,
                                              Loader loader, const Limits& limits);

}  // namespace headroom::source
