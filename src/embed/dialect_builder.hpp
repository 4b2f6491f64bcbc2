// Builds the tables of rules/dialects.
#pragma once
#include <set>

#include "schema_builder.hpp"

namespace headroom::embed {

/// Reads one table. Names and constants are those of the schema that `schema` has built so far.
class DialectBuilder {
 public:
  DialectBuilder(SchemaBuilder& schema, const TableReader& in, Arena& arena)
      : schema_(schema), in_(in), arena_(arena) {}
  [[nodiscard]] schema::DialectTable build();

 private:
  void read_head(schema::DialectTable& out) const;
  void read_row(std::string_view name, source::NodeId key, source::NodeId body);
  void read_below(schema::DialectRow row, source::NodeId body);
  void read_kind(schema::DialectRow& row, source::NodeId key, source::NodeId body);
  void read_arity(schema::DialectRow& row, source::NodeId body) const;
  void read_choices(schema::DialectRow& row, source::NodeId body) const;
  void read_cases(schema::DialectRow& row, source::NodeId map);
  void read_fields(schema::DialectRow& row, source::NodeId at);
  void read_aliases();
  [[nodiscard]] std::span<const schema::DialectDefault> read_defaults(source::NodeId map);

  SchemaBuilder& schema_;
  const TableReader& in_;
  Arena& arena_;
  std::vector<schema::DialectRow> rows_;
  std::vector<std::pair<source::NodeId, schema::DialectRow>> aliases_;  ///< key node, name and releases
  std::set<std::string> extra_;  ///< prefixes of fields of Space::extra
};

}  // namespace headroom::embed
