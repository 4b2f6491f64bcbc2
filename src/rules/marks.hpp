// Places of settings, for diagnostics.
#pragma once
#include <optional>

#include "headroom/dialect/settings.hpp"
#include "headroom/rules/diagnostic.hpp"

namespace headroom::rules {

/// The place of `place`: its value, or the key of a section or an empty value. nullopt where it has no text.
[[nodiscard]] std::optional<Mark> mark_of(const dialect::Place& place, std::string_view canonical,
                                          bool whole_section);

/// Fills `fields`, `primary` (the first field written in a file, else on the command line) and `related` from
/// `at`.
void place(Diagnostic& diagnostic, std::span<const schema::FieldId> at, const schema::Schema& schema,
           const dialect::Settings& settings);

}  // namespace headroom::rules
