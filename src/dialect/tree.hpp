// YAML and JSON in a language that a table describes.
#pragma once
#include "headroom/dialect/reader.hpp"
#include "mapper.hpp"

namespace headroom::dialect {

/// Keys by their dotted path; for languages of flags the keys of the mapping that holds the flags.
void read_tree(const Opened& opened, Settings& out, Mapper& mapper);

/// The mapping that holds the flags of a document in a language of flags: below a `detect` key, else the
/// root.
[[nodiscard]] source::NodeId flags_mapping(const source::Document& doc, const schema::DialectTable& table);

/// The flag that a key of such a mapping stands for: `tensor_model_parallel_size` is written without dashes.
[[nodiscard]] std::string flag_of_key(std::string_view key);

/// Node at a dotted path; no_node where there is none.
[[nodiscard]] source::NodeId node_at(const source::Document& doc, std::string_view dotted);

}  // namespace headroom::dialect
