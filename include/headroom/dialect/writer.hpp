// Changes in the language of the file: how they read, and how they are written into it.
#pragma once
#include "headroom/dialect/reader.hpp"

namespace headroom::dialect {

/// A canonical field and its new value; nullopt: not set any more.
struct Change {
  std::string field;
  std::optional<source::Value> value;
};

/// The same in the file's language.
struct Spelling {
  enum class Kind : std::uint8_t { key, flag, variable };
  Kind kind = Kind::key;
  std::string name;                    ///< dotted path, flag with its dashes, or environment variable
  std::optional<source::Value> value;  ///< nullopt: removed
  bool bare = false;                   ///< a flag that takes no value
  bool addition = false;               ///< a key that the language's own config does not list: Hydra's `++`
};

/// The file's own name of a canonical field: where it was written, else where the language has it, else
/// canonical.
[[nodiscard]] std::string name_in_file(const Settings& settings, const schema::Schema& schema,
                                       std::string_view canonical);

/// nullopt where the language has no words for one of them.
[[nodiscard]] std::optional<std::vector<Spelling>> spell(const Settings& settings,
                                                         const schema::Schema& schema, schema::Release r,
                                                         const std::vector<Change>& changes);

/// One change among several that are made together.
[[nodiscard]] std::optional<Spelling> spell_among(const Settings& settings, const schema::Schema& schema,
                                                  schema::Release r, const Change& change,
                                                  const std::vector<Change>& all);

/// `--tensor-model-parallel-size 2`, `without --fp8-param-gather`, `actor.x=2`: for people, quoted for a
/// shell.
[[nodiscard]] std::string words_of(const Spelling& spelling);

/// The text with the change carried out, everything else as it was. Errors: the place cannot be edited
/// (repeated by an anchor, made of several variables, …).
[[nodiscard]] source::Result<std::string> write(const Opened& opened, const Settings& settings,
                                                const schema::Schema& schema, const Spelling& spelling);

}  // namespace headroom::dialect
