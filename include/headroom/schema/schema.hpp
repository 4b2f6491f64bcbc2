// The field table: every config field of every release, plus the other names that rules can use
// (environment variables, launch facts, derived values). One dense numbering: FieldId indexes the value
// arrays of a config.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "headroom/schema/dialect_table.hpp"
#include "headroom/schema/evidence.hpp"
#include "headroom/schema/release.hpp"
#include "headroom/schema/training_recipe.hpp"
#include "headroom/source/value.hpp"

namespace headroom::schema {

inline constexpr FieldId no_field = 0xffff;

enum class Type : std::uint16_t {  // bit set: a field may take several
  none = 0,
  boolean = 1,
  integer = 2,
  floating = 4,
  string = 8,
  enumeration = 16,
  dtype = 32,
  callable = 64,
  config = 128,
  dict = 256,
  any = 512,
  list = 1024,
  version = 2048,
  section = 4096,
};
using TypeSet = std::uint16_t;
[[nodiscard]] constexpr bool has(TypeSet set, Type t) {
  return (set & static_cast<TypeSet>(t)) != 0;
}

/// `extra`: settings of other config languages that Bridge has no field for (rules/schema/extra).
enum class Space : std::uint8_t { config, section, environment, launch, derived, extra };

/// A constant of the tables, typed when they were built. LiteralId indexes `Schema::literals`;
/// `Schema::value(id)` makes a source::Value. Lists are runs of `Schema::list_items`. `required`: there is no
/// default; `computed`: the framework computes it at run time, unknown here; `absent`: the class does not
/// have the field in that release.
struct Literal {
  enum class Kind : std::uint8_t {
    required,
    computed,
    absent,
    null,
    boolean,
    integer,
    floating,
    string,
    list,
    opaque
  };
  Kind kind = Kind::null;
  std::uint32_t count = 0;   ///< list: number of items
  std::int64_t integer = 0;  ///< boolean, integer; list: index of the first item in `Schema::list_items`
  double number = 0;
  std::string_view text;  ///< string
};
/// Default of a field in the standard class of its section, or where only other classes have the field, in
/// those.
struct Default {
  ReleaseSet releases = all_releases;
  LiteralId value = 0;
};
/// Default of a field in one class, where it differs from `Field::defaults`.
struct ClassDefault {
  FieldId field = no_field;
  ReleaseSet releases = all_releases;
  LiteralId value = 0;
};
struct FieldValue {
  FieldId field = no_field;
  LiteralId value = 0;
};
struct Choices {
  ReleaseSet releases = all_releases;
  std::span<const std::string_view> values;
};

struct Field {
  std::string_view name;  ///< canonical: `model.recompute_granularity`, `env.NCCL_ALGO`, `derived.dp`, or a
                          ///< section `model`
  Space space = Space::config;
  TypeSet type = 0;     ///< of the value itself
  TypeSet element = 0;  ///< of list elements
  bool nullable = false;
  bool provider_specific = false;  ///< only in providers of one model family
  ReleaseSet releases = all_releases;
  ReleaseSet deprecated = 0;
  std::string_view replacement;  ///< canonical name of the successor, or a sentence
  std::string_view doc;          ///< one line, own words; may be empty
  std::string_view enum_class;
  std::span<const std::string_view>
      classes;  ///< topmost config classes that have it; empty = every class of the section
  std::span<const Default> defaults;  ///< first match wins
  std::span<const Choices> choices;
  std::span<const std::string_view> also_accepted;  ///< spellings beside the choices that upstream takes
  bool choices_checked =
      false;  ///< upstream refuses other values at start-up (else only the annotation names them)
  std::uint8_t section =
      0xff;  ///< index into `Schema::sections`; 0xff outside Space::config and Space::section
  FieldId parent =
      no_field;  ///< nested field: the field that holds it. Its default holds where the parent is given
};

/// A top-level section of a config.
struct Section {
  std::string_view name;  ///< "model"
  std::string_view
      standard_class;         ///< of a section without `_target_`; empty for a plain mapping (`env_vars`)
  FieldId field = no_field;   ///< the section itself
  FieldId target = no_field;  ///< its `_target_`
  ReleaseSet releases = all_releases;
  bool nullable = false;
  bool present = true;                 ///< exists where the config does not name it (else null)
  bool required = false;               ///< a config must name it
  std::uint16_t class_index = 0xffff;  ///< of the standard class in `Schema::classes`
};

/// A config class: its section and its bases, nearest first, so that defaults and `subclass()` work for
/// `_target_: megatron.bridge.models.qwen.qwen_provider.Qwen3MoEModelProvider`.
/// Where Megatron-Core and Bridge have classes of one name with other defaults, that of Megatron-Core is
/// entered as `megatron.core.NAME`.
struct ClassInfo {
  std::string_view name;     ///< last dotted part
  std::string_view section;  ///< empty for a class inside a section
  ReleaseSet releases = all_releases;
  std::span<const std::string_view> bases;  ///< all of all releases, nearest first, itself not included
  std::span<const ClassDefault> defaults;   ///< inherited ones included, sorted by field
};

/// A named precision recipe: `mixed_precision: bf16_mixed`.
struct PrecisionRecipe {
  std::string_view name;  ///< with underscores
  ReleaseSet releases = all_releases;
  std::span<const FieldValue> sets;  ///< of mixed_precision.FIELD
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
  std::uint64_t host_bytes = 0;  ///< usual host memory of a node; 0 not known
  double compute_capability = 0;
  double memory_bandwidth = 0;
  int gpus_per_node = 8;
  double bf16_flops = 0, fp16_flops = 0, fp8_flops = 0, fp4_flops = 0;  ///< 0 where the kind lacks the format
  double nvlink_bandwidth = 0;                                          ///< 0 without NVLink
  int nvlink_domain = 8;                                                ///< GPUs that NVLink joins
  double network_bandwidth = 0;      ///< of a GPU's share of the network adapters, one direction
  double host_bandwidth = 0;         ///< between GPU and host, one direction
  double host_memory_bandwidth = 0;  ///< a GPU's share of the host's memory
};

/// Architecture of a well-known model as canonical `model.*` values. Source: rules/models/.
struct ModelFacts {
  std::string_view id;                        ///< "meta-llama/Meta-Llama-3-70B"
  std::span<const std::string_view> aliases;  ///< "llama3-70b"
  std::string_view provider;                  ///< config class of `model`
  std::span<const FieldValue> values;
};

/// The word of `known` nearest to a misspelt one, or one that it is the start of; empty where none is near.
/// Case counts for nothing.
[[nodiscard]] std::string_view nearest(std::string_view word, std::span<const std::string_view> known);

/// A hash table of the names of `fields`, which `Schema::find` reads: free places hold no_field.
[[nodiscard]] std::vector<FieldId> hash_table(std::span<const Field> fields);

class Schema {
 public:
  std::span<const Field> fields;                    ///< indexed by FieldId
  std::span<const FieldId> by_name;                 ///< FieldIds sorted by name
  std::span<const FieldId> by_hash;                 ///< the same as `hash_table` puts them
  std::span<const std::string_view> section_names;  ///< "model", "optimizer", …
  std::span<const Section> sections;                ///< in the same order
  std::span<const Literal> literals;
  std::span<const LiteralId> list_items;
  std::span<const ClassInfo> classes;  ///< sorted by name
  std::span<const PrecisionRecipe> recipes;
  std::span<const Rename> renames;
  std::span<const Gpu> gpus;
  std::span<const ModelFacts> models;
  std::span<const DialectTable> dialects;                     ///< sorted by name
  std::span<const TrainingRecipe> training_recipes;           ///< sorted by name, then by release
  std::span<const std::span<const FieldValue>> recipe_parts;  ///< settings of one section, shared by recipes
  std::span<const Evidence> evidence;                         ///< sorted by id

  [[nodiscard]] FieldId find(std::string_view canonical) const;
  [[nodiscard]] const Field& field(FieldId id) const { return fields[id]; }
  [[nodiscard]] std::size_t size() const { return fields.size(); }
  [[nodiscard]] const Section* find_section(std::string_view name) const;
  [[nodiscard]] source::Value value(
      LiteralId id) const;  ///< `required` and `null` give null, `computed` unknown
  /// `name`: the last part or the whole dotted name; the latter tells Megatron-Core's classes from Bridge's.
  [[nodiscard]] const ClassInfo* find_class(std::string_view name) const;
  [[nodiscard]] bool is_subclass(std::string_view cls, std::string_view base) const;
  /// Whether a section of class `cls` (null or one that the table does not know: the standard class) has the
  /// field in `r`.
  [[nodiscard]] bool class_has(const ClassInfo* cls, FieldId id, Release r) const;
  /// Default of `id` for a section of class `cls` (as for find_class; empty or unknown = the standard class)
  /// in `r`. nullopt: none (a required field, or the class or the release lacks it); unknown: computed at run
  /// time.
  [[nodiscard]] std::optional<source::Value> default_value(FieldId id, Release r, std::string_view cls) const;
  /// The same with the class looked up before, for many fields of one section.
  [[nodiscard]] std::optional<source::Value> default_value(FieldId id, Release r, const ClassInfo* cls) const;
  [[nodiscard]] std::span<const std::string_view> choices(FieldId id, Release r) const;
  [[nodiscard]] const PrecisionRecipe* find_recipe(std::string_view name,
                                                   Release r) const;  ///< hyphens = underscores
  [[nodiscard]] const Gpu* find_gpu(
      std::string_view spelling) const;  ///< any usual spelling, case-insensitive
  /// By id, alias or the last part of a path; variants such as `-Instruct` count as their base.
  [[nodiscard]] const ModelFacts* find_model(std::string_view name) const;
  [[nodiscard]] const ModelFacts* find_exact_model(std::string_view name) const;
  [[nodiscard]] const DialectTable* find_dialect(std::string_view name) const;
  /// Names close to a misspelt one, best first, at most three (edit distance; same section first).
  [[nodiscard]] std::vector<std::string_view> suggest(std::string_view canonical, Release r) const;
};

/// The table embedded at build time from rules/schema, rules/gpus.yaml, rules/models, rules/recipes. Costs
/// nothing to get.
[[nodiscard]] const Schema& embedded_schema();

/// Canonical spelling of a dtype ("torch.bfloat16", "bf16" -> "bfloat16"); nullopt if it is none.
[[nodiscard]] std::optional<std::string_view> canonical_dtype(std::string_view text);

}  // namespace headroom::schema
