// Megatron Bridge's YAML and JSON: saved configs, override files, `key=value` words.
#pragma once
#include <span>

#include "headroom/dialect/settings.hpp"

namespace headroom::dialect {

/// Maps a Bridge document to canonical settings. The top-level `headroom:` block is skipped. `_target_` & co.
/// are interpreted as data: dtypes, functions, enums, nested configs. Unknown keys, wrong types, values
/// outside the choices become `problems` (for release `r`), never failures.
[[nodiscard]] Settings read_bridge(std::shared_ptr<const source::Document> doc, const schema::Schema& schema,
                                   schema::Release r);

/// Applies one `key=value` word. Unknown keys become a Problem as in a file.
void apply_override(Settings& settings, const source::Override& word, const schema::Schema& schema,
                    schema::Release r, const std::string& option_name);

/// The same for a word that stands at `where`.
void apply_override(Settings& settings, const source::Override& word, const schema::Schema& schema,
                    schema::Release r, const Place& where);

/// The file's own path for a canonical field (`model.num_layers` -> model, transformer, num_layers for
/// builder configs).
[[nodiscard]] std::vector<std::string> path_in_file(const Settings& settings, const schema::Schema& schema,
                                                    std::string_view canonical);

}  // namespace headroom::dialect
