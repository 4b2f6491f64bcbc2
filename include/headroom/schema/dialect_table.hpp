// How another config language names the fields: the tables of rules/dialects (its README has the columns).
#pragma once
#include <cstdint>
#include <span>
#include <string_view>

#include "headroom/schema/release.hpp"

namespace headroom::schema {

using FieldId = std::uint16_t;
using LiteralId = std::uint16_t;
struct FieldValue;

/// Whose checks apply to a config.
enum class Layer : std::uint8_t { bridge, megatron_core, megatron_lm };

/// What a name stands for. `choice`: which fields get which values depends on the value (`cases`).
enum class RowKind : std::uint8_t { fields, choice, launch, environment, ignored };
enum class LaunchKey : std::uint8_t { gpus, nodes, gpus_per_node, gpu, model };
/// How many words follow a flag.
enum class Arity : std::uint8_t { none, one, some, any, count };
enum class WordType : std::uint8_t { integer, floating, text, boolean, json, frequency, tuple };

struct DialectCase {
  LiteralId when = 0;
  std::span<const FieldValue> sets;
};

/// Words that a flag takes; its parser refuses others.
struct DialectChoices {
  ReleaseSet releases = all_releases;
  std::span<const std::string_view> words;
};

struct DialectRow {
  std::string_view name;     ///< dotted path or flag; of a `below` row without its `.*`
  bool below = false;        ///< every other key below, each a field of `section`
  std::string_view section;  ///< `below` only
  RowKind kind = RowKind::fields;
  LaunchKey launch = LaunchKey::gpus;
  std::span<const FieldId> fields;
  bool invert = false;
  Arity arity = Arity::one;  ///< flags
  std::uint8_t count = 0;    ///< Arity::count
  WordType type = WordType::text;
  bool action = true;  ///< Arity::none: what presence means
  std::span<const DialectCase> cases;
  ReleaseSet releases = all_releases;
  std::span<const DialectChoices> choices;  ///< empty: every word of the type
};

/// Value that the program uses where the file says nothing.
struct DialectDefault {
  FieldId field = 0xffff;
  ReleaseSet releases = all_releases;
  LiteralId value = 0;
};

/// How a launch line names a training recipe of Bridge: `--recipe`, `--model` with `--mode`; or by the parts
/// of a benchmark.
enum class RecipeWords : std::uint8_t { none, library, benchmark };

enum class WordForm : std::uint8_t { none, overrides, flags };

struct DialectTable {
  std::string_view name, title, read;
  Layer layer = Layer::bridge;
  std::span<const std::string_view> detect;    ///< dotted keys; one of them in a tree marks the language
  std::span<const std::string_view> programs;  ///< scripts and modules of a launch line
  WordForm words = WordForm::none;             ///< of a launch line after the program
  bool architecture = false;                   ///< sizes come from a model that the config names
  RecipeWords recipe = RecipeWords::none;      ///< flags change a recipe of that name, with key=value words
  bool either_dash = false;                    ///< flags: `-` and `_` are the same within a name
  std::string_view include;                    ///< a table whose rows and defaults hold too
  std::span<const std::string_view> extra;     ///< prefixes of Space::extra whose fields it has
  std::span<const DialectRow> rows;            ///< sorted by name
  std::span<const DialectDefault> defaults;    ///< sorted by field

  [[nodiscard]] const DialectRow* find(std::string_view row) const;
};

}  // namespace headroom::schema
