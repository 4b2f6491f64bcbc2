// The field table: every config field of every release, plus the other names that rules can use
// (environment variables, launch facts, derived values). One dense numbering: FieldId indexes the value
// arrays of a config.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "headroom/schema/release.hpp"
#include "headroom/source/value.hpp"

namespace headroom::schema {

using FieldId = std::uint16_t;
inline constexpr FieldId no_field = 0xffff;

enum class Type : std::uint16_t {  // bit set: a field may take several
  none = 0, boolean = 1, integer = 2, floating = 4, string = 8, enumeration = 16, dtype = 32, callable = 64,
  config = 128, dict = 256, any = 512, list = 1024, version = 2048, section = 4096,
};
using TypeSet = std::uint16_t;
[[nodiscard]] constexpr bool has(TypeSet set, Type t) { return (set & static_cast<TypeSet>(t)) != 0; }

enum class Space : std::uint8_t { config, section, environment, launch, derived };

/// A default in text form, typed lazily (`null`, `true`, `1`, `0.1`, `"text"`, `[…]`: JSON).
struct Default {
  ReleaseSet releases = all_releases;
  std::string_view cls;   ///< class it holds for; empty = every class
  std::string_view json;  ///< empty = required (no default); "?" = computed, unknown here
};
struct Choices {
  ReleaseSet releases = all_releases;
  std::span<const std::string_view> values;
};

struct Field {
  std::string_view name;     ///< canonical: `model.recompute_granularity`, `env.NCCL_ALGO`, `derived.dp`, or a section `model`
  Space space = Space::config;
  TypeSet type = 0;          ///< of the value itself
  TypeSet element = 0;       ///< of list elements
  bool nullable = false;
  bool provider_specific = false;   ///< only in providers of one model family
  ReleaseSet releases = all_releases;
  ReleaseSet deprecated = 0;
  std::string_view replacement;     ///< canonical name of the successor, or a sentence
  std::string_view doc;             ///< one line, own words; may be empty
  std::string_view enum_class;
  std::span<const std::string_view> classes;  ///< config classes that have it
  std::span<const Default> defaults;  ///< first match wins
  std::span<const Choices> choices;
};

/// A config class: its section and its bases, nearest first, so that defaults and `subclass()` work for
/// `_target_: megatron.bridge.models.qwen.qwen_provider.Qwen3MoEModelProvider`.
struct ClassInfo {
  std::string_view name;      ///< last dotted part
  std::string_view section;
  std::span<const std::string_view> bases;  ///< all, nearest first, itself not included
};

/// A named precision recipe: `mixed_precision: bf16_mixed`.
struct PrecisionRecipe {
  std::string_view name;      ///< with underscores
  ReleaseSet releases = all_releases;
  std::span<const std::pair<FieldId, std::string_view>> sets;  ///< mixed_precision.FIELD -> JSON
};

struct Rename {
  std::string_view from, to;  ///< canonical names
  std::string_view note;
};

/// GPU kinds: bytes and bytes per second, FLOP per second (dense). Source: rules/gpus.yaml.
struct Gpu {
  std::string_view kind;
  std::span<const std::string_view> aliases;
  std::uint64_t total_bytes = 0;
  double compute_capability = 0;
  double memory_bandwidth = 0;
  int gpus_per_node = 8;
};

/// Architecture of a well-known model as canonical `model.*` values. Source: rules/models/.
struct ModelFacts {
  std::string_view id;                           ///< "meta-llama/Meta-Llama-3-70B"
  std::span<const std::string_view> aliases;     ///< "llama3-70b"
  std::string_view provider;                     ///< config class of `model`
  std::span<const std::pair<FieldId, std::string_view>> values;  ///< JSON
};

class Schema {
 public:
  std::span<const Field> fields;                    ///< indexed by FieldId
  std::span<const FieldId> by_name;                 ///< FieldIds sorted by name
  std::span<const std::string_view> section_names;  ///< "model", "optimizer", …
  std::span<const ClassInfo> classes;
  std::span<const PrecisionRecipe> recipes;
  std::span<const Rename> renames;
  std::span<const Gpu> gpus;
  std::span<const ModelFacts> models;

  [[nodiscard]] FieldId find(std::string_view canonical) const;
  [[nodiscard]] const Field& field(FieldId id) const { return fields[id]; }
  [[nodiscard]] std::size_t size() const { return fields.size(); }
  [[nodiscard]] const ClassInfo* find_class(std::string_view last_part) const;
  [[nodiscard]] bool is_subclass(std::string_view cls, std::string_view base) const;
  /// Default of `id` for a section of class `cls` (last part; empty = the standard class) in `r`.
  /// nullopt: none (a required field, or the release lacks it); unknown: computed at run time.
  [[nodiscard]] std::optional<source::Value> default_value(FieldId id, Release r, std::string_view cls) const;
  [[nodiscard]] std::span<const std::string_view> choices(FieldId id, Release r) const;
  [[nodiscard]] const PrecisionRecipe* find_recipe(std::string_view name, Release r) const;  ///< hyphens = underscores
  [[nodiscard]] const Gpu* find_gpu(std::string_view spelling) const;     ///< any usual spelling, case-insensitive
  [[nodiscard]] const ModelFacts* find_model(std::string_view name) const;
  /// Names close to a misspelt one, best first, at most three (edit distance; same section first).
  [[nodiscard]] std::vector<std::string_view> suggest(std::string_view canonical, Release r) const;
};

/// The table embedded at build time from rules/schema, rules/gpus.yaml and rules/models. Costs nothing to get.
[[nodiscard]] const Schema& embedded_schema();

/// Canonical spelling of a dtype ("torch.bfloat16", "bf16" -> "bfloat16"); nullopt if it is none.
[[nodiscard]] std::optional<std::string_view> canonical_dtype(std::string_view text);

}  // namespace headroom::schema
