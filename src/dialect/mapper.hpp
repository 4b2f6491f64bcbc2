// Applies the rows of a table: names and values of another language become settings.
#pragma once
#include <span>
#include <string_view>

#include "headroom/dialect/settings.hpp"

namespace headroom::dialect {

class Mapper {
 public:
  Mapper(Settings& out, const schema::DialectTable& table, const schema::Schema& schema, schema::Release r)
      : out_(out), table_(table), schema_(schema), release_(r) {}

  /// The row of exactly this name, of an included table too; null where there is none.
  [[nodiscard]] const schema::DialectRow* row(std::string_view name) const;
  /// The row `PREFIX.*` with the longest prefix of `name`.
  [[nodiscard]] const schema::DialectRow* row_above(std::string_view name) const;

  void apply(const schema::DialectRow& row, source::Value value, Place place);
  /// `name` is a key below a `PREFIX.*` row.
  void apply_below(const schema::DialectRow& row, std::string_view name, source::Value value, Place place);
  /// A mapping of variables or one `NAME=value`.
  void set_environment(std::string_view name, std::optional<std::string> value, Place place);

  /// A flag or key that no row names, and the words or value given with it.
  void unknown(std::string_view name, const source::Value& value, Place place);
  /// Last: one note for all unknown names, checks of every setting.
  void finish();

 private:
  void set(schema::FieldId field, source::Value value, Place place);
  void set_launch(const schema::DialectRow& row, const source::Value& value);
  void refuse(const schema::DialectRow& row, const source::Value& value, const source::Value& wrong,
              std::span<const std::string_view> words, Place place);
  void choose(const schema::DialectRow& row, const source::Value& value, const Place& place);
  [[nodiscard]] const schema::DialectRow* meant(std::string_view name) const;

  Settings& out_;
  const schema::DialectTable& table_;
  const schema::Schema& schema_;
  schema::Release release_;
  std::vector<std::string> unknown_, too_new_;
};

/// The row of a table or of the one that it includes.
[[nodiscard]] const schema::DialectRow* find_row(const schema::Schema& schema,
                                                 const schema::DialectTable& table, std::string_view name);

}  // namespace headroom::dialect
