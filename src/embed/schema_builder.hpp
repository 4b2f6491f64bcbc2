// Builds the field table from the files of rules/schema, rules/gpus.yaml and rules/models.
#pragma once
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "headroom/embed/embed.hpp"
#include "table_reader.hpp"

namespace headroom::embed {

struct LoadedSchema::Storage {
  Arena arena;
  schema::Schema view;
};

class RecipeCatalogue;

class SchemaBuilder {
 public:
  SchemaBuilder(std::string rules_dir, Arena& arena, Errors& errors)
      : dir_(std::move(rules_dir)), arena_(arena), errors_(errors) {}
  /// Reads everything; what it returns is complete only where `errors` stayed empty.
  schema::Schema build();

  /// One literal with the releases in which it holds.
  struct Valued {
    schema::ReleaseSet releases = 0;
    schema::LiteralId value = 0;
  };
  // For tables that speak of fields.
  schema::LiteralId literal(const TableReader& in, source::NodeId id);
  std::vector<Valued> values(const TableReader& in, source::NodeId id);
  std::span<const std::string_view> keep_texts(const std::vector<std::string>& texts);
  void check_value(const TableReader& in, source::NodeId at, schema::FieldId field, schema::LiteralId value);
  schema::FieldId field_named(const TableReader& in, source::NodeId at, const std::string& name);
  [[nodiscard]] bool is_extra(schema::FieldId id) const;
  /// Whether there are fields `NAME.…`.
  [[nodiscard]] bool has_prefix(std::string_view name) const;

 private:
  friend class RecipeCatalogue;  // reads values as the tables do
  using Literal = schema::Literal;
  struct ClassSource {
    std::string name, section, like;
    bool like_standard = false;
    schema::ReleaseSet releases = schema::all_releases;
    std::vector<std::string> bases;
    std::map<schema::FieldId, std::vector<Valued>> defaults;  ///< own ones
    std::map<schema::FieldId, std::vector<Valued>> flat;      ///< with inherited ones
    int state = 0;                                            ///< 0 not flattened, 1 being flattened, 2 done
  };

  // fields
  void read_sections();
  void read_field_files();
  void read_nested();
  void read_nested_class(const TableReader& in, source::NodeId body);
  void read_plain(const std::string& file, std::string_view prefix, schema::Space space);
  void read_derived();
  void read_extra();
  void number_fields();
  void add_field(schema::Field field, const TableReader& in, source::NodeId at);
  schema::Field read_field(const TableReader& in, source::NodeId body, std::string_view name,
                           schema::Space space);
  schema::Field named(std::string_view name, schema::Space space, schema::TypeSet type);
  void read_type(const TableReader& in, source::NodeId body, schema::Field& field);
  void read_choices(const TableReader& in, source::NodeId body, schema::Field& field);

  // classes, recipes, models
  void read_classes();
  void read_class(const TableReader& in, std::string_view name, source::NodeId key, source::NodeId body);
  void flatten(ClassSource& cls);
  void finish_classes();
  void check_class_names();
  void read_recipes();
  void read_renames();
  void read_gpus();
  void read_models();
  void read_dialects();
  void read_training_recipes();  ///< schema_recipes.cpp
  void read_evidence();          ///< schema_evidence.cpp
  std::span<const schema::FieldValue> field_values(const TableReader& in, source::NodeId map);
  schema::Evidence one_evidence(const TableReader& in, const std::string& id);

  // literals
  schema::LiteralId intern(Literal value, const std::string& key);
  schema::LiteralId literal(const Literal& value);
  schema::LiteralId list_literal(const std::vector<schema::LiteralId>& items);
  schema::LiteralId null_literal();

  std::string dir_;
  Arena& arena_;
  Errors& errors_;
  schema::Schema out_;
  std::vector<schema::Section> sections_;
  std::vector<schema::Field> fields_;
  std::map<std::string, std::pair<std::string, source::Location>, std::less<>>
      where_;                                                     ///< field -> place, for errors
  std::map<std::string, std::string, std::less<>> parent_names_;  ///< nested field -> its holder
  std::map<std::string, schema::FieldId, std::less<>> ids_;
  std::vector<Literal> literals_;
  std::vector<schema::LiteralId> list_items_;
  std::map<std::string, schema::LiteralId> literal_ids_;
  std::map<std::string, ClassSource, std::less<>> classes_;
};

}  // namespace headroom::embed
