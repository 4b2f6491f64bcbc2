// From what a loader hands over to canonical values: dtypes, enums, functions, lists of them.
#pragma once
#include "headroom/schema/schema.hpp"
#include "headroom/source/document.hpp"

namespace headroom::dialect {

/// The value of a mapping that stands for one object: `{_target_: torch.bfloat16, _call_: false}` is the
/// dtype's name, an enum is its member's name, anything else Opaque.
[[nodiscard]] source::Value object_value(const source::Document& doc, source::NodeId node);

/// Any node as a value: scalars as typed, sequences element by element, mappings through object_value.
[[nodiscard]] source::Value node_value(const source::Document& doc, source::NodeId node);

/// Spellings of dtypes and enum members made canonical for a field of this type.
[[nodiscard]] source::Value normalise(source::Value value, const schema::Field& field);

}  // namespace headroom::dialect
