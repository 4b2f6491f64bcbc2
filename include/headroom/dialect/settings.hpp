// What the user wrote, in canonical field names, whatever the file's language.
#pragma once
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "headroom/schema/schema.hpp"
#include "headroom/source/document.hpp"
#include "headroom/source/shell.hpp"

namespace headroom::dialect {

enum class From : std::uint8_t { file, set_option, recipe };

/// Where a setting was written. `key` and `value` are spans in `source`.
struct Place {
  std::shared_ptr<const source::SourceText> source;
  source::Span key;
  source::Span value;
  From from = From::file;
  std::string written_name;  ///< the file's own dotted name, "model.transformer.num_layers"
};

/// One field as written, typed by its loader and normalised (dtypes, enums, functions: see "Values" in
/// docs/rule-language.md).
struct Setting {
  schema::FieldId field = schema::no_field;
  source::Value value;
  Place place;
};

/// A finding about the text itself, which needs no rule language: turned into a diagnostic by the native
/// rules named here (`schema-check/unknown-field`, `schema-check/wrong-type`, …).
struct Problem {
  std::string rule;
  std::string field;  ///< canonical, or the file's dotted path
  std::string message;
  Place place;
  std::vector<std::pair<std::string, source::Value>> suggest_set;  ///< fix: canonical field -> value
  std::vector<std::string> suggest_unset;
};

/// What a config or a launch script says about the launch itself.
struct LaunchHints {
  std::optional<std::int64_t> gpus, nodes, gpus_per_node;
  std::optional<std::string> gpu, model;
  std::map<std::string, std::optional<std::string>, std::less<>> env;

  /// `gpus`, or what nodes and GPUs a node make.
  [[nodiscard]] std::optional<std::int64_t> total_gpus() const;
};

/// A whole config as written. One entry a field: the one that counts where several are written.
struct Settings {
  std::shared_ptr<const source::Document> document;  ///< YAML and JSON; null for scripts
  std::shared_ptr<const source::Script> script;      ///< launch scripts and argument lists; else null
  std::uint32_t command = 0;                         ///< of the script: the one that starts training
  std::uint32_t arguments = 0;                       ///< its first word after the program
  std::vector<Setting> settings;
  std::vector<Problem> problems;
  std::vector<std::string> notes;
  LaunchHints hints;
  std::string dialect = "bridge";
  const schema::DialectTable* table = nullptr;  ///< null: Bridge's own YAML
  schema::Layer layer = schema::Layer::bridge;
  bool full_dump = false;      ///< a saved config that lists defaults too
  bool builder_model = false;  ///< sizes sit under model.transformer
  std::string recipe;          ///< training recipe that the places `From::recipe` mean; empty without one

  [[nodiscard]] const Setting* find(schema::FieldId field) const;
  /// Replaces or adds; used by `--set` and by fixes tried in memory. The place of a new one is empty.
  void assign(schema::FieldId field, source::Value value, Place place);
  void erase(schema::FieldId field);
};

}  // namespace headroom::dialect
