// A text in any config language to canonical settings: which language it is, and what it sets.
#pragma once
#include <optional>

#include "headroom/dialect/settings.hpp"

namespace headroom::dialect {

/// A text that was parsed and whose language is known.
struct Opened {
  std::shared_ptr<const source::SourceText> text;
  std::shared_ptr<const source::Document> document;  ///< trees; else null
  std::shared_ptr<const source::Script> script;      ///< scripts and argument lists; else null
  const schema::DialectTable* table = nullptr;       ///< null: Bridge
  std::string why;                                   ///< "launch.sh starts pretrain_gpt.py"; empty for Bridge
  bool trains = true;         ///< false: a script that starts no training program that is known
  std::uint32_t command = 0;  ///< scripts: the command that starts training
  std::uint32_t program = 0;  ///< its word that names the program, or words.size() of the launcher alone
  std::uint32_t arguments = 0;
};

/// `loader` unset: detected. `dialect`: a name of schema.dialects, "bridge", or empty: detected. Errors: what
/// the readers refuse, and a document that is no mapping.
[[nodiscard]] source::Result<Opened> open(std::shared_ptr<const source::SourceText> text,
                                          std::optional<source::Loader> loader, std::string_view dialect,
                                          const schema::Schema& schema);

/// Settings, findings about the text itself and hints about the launch. `r` decides which names exist.
[[nodiscard]] Settings read(const Opened& opened, const schema::Schema& schema, schema::Release r);

/// Whether a text is a script or a list of arguments rather than YAML or JSON: by its name (`.sh`,
/// `.sbatch`), a
/// `#!` line, or a first word that starts with dashes or is a launcher.
[[nodiscard]] bool is_script(const source::SourceText& text);

}  // namespace headroom::dialect
