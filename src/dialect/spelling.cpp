// From canonical changes to the words of the file's language.
#include <fmt/format.h>

#include <algorithm>

#include "flag_words.hpp"
#include "headroom/dialect/bridge.hpp"
#include "headroom/dialect/writer.hpp"
#include "headroom/source/edit.hpp"
#include "mapper.hpp"
#include "words.hpp"

namespace headroom::dialect {

using schema::Arity;
using schema::DialectRow;
using schema::DialectTable;
using schema::FieldId;
using schema::RowKind;
using schema::Schema;
using source::Value;

namespace {

bool names_field(const DialectRow& row, FieldId field) {
  return std::ranges::find(row.fields, field) != row.fields.end();
}

bool cases_name(const DialectRow& row, FieldId field) {
  return std::ranges::any_of(row.cases, [&](const schema::DialectCase& c) {
    return std::ranges::find(c.sets, field, &schema::FieldValue::field) != c.sets.end();
  });
}

class Speller {
 public:
  Speller(const Settings& settings, const Schema& schema, schema::Release r)
      : settings_(settings), schema_(schema) {
    add_rows(settings.table, r);
  }

  /// Rows that could carry the field, best first.
  std::vector<const DialectRow*> candidates(FieldId field) const {
    std::vector<const DialectRow*> out;
    const Setting* now = settings_.find(field);
    const auto take = [&](auto wanted) {
      for (const DialectRow* row : rows_)
        if (wanted(*row) && std::ranges::find(out, row) == out.end()) out.push_back(row);
    };
    if (now != nullptr)
      take([&](const DialectRow& r) { return !r.below && r.name == now->place.written_name; });
    const std::string own = flag_of(field);
    take([&](const DialectRow& r) {
      return r.kind == RowKind::fields && r.name == own && names_field(r, field);
    });
    // One field alone before rows that set others beside it.
    take([&](const DialectRow& r) {
      return r.kind == RowKind::fields && !r.below && r.fields.size() == 1 && names_field(r, field);
    });
    take([&](const DialectRow& r) { return r.kind == RowKind::fields && !r.below && names_field(r, field); });
    take([&](const DialectRow& r) {
      return r.kind == RowKind::choice && (names_field(r, field) || cases_name(r, field));
    });
    take([&](const DialectRow& r) { return r.below && !r.section.empty() && below(r, field); });
    return out;
  }

  std::optional<Spelling> spell(FieldId field, const std::optional<Value>& value,
                                const std::vector<Change>& all) const {
    std::optional<Spelling> removal;
    for (const DialectRow* row : candidates(field)) {
      auto out = by_row(*row, field, value, all);
      if (!out) continue;
      // Taking away a flag that is not there changes nothing: another row may say it.
      if (out->value || is_written(row->name)) return out;
      if (!removal) removal = std::move(out);
    }
    return removal;
  }

  std::string name_of(const DialectRow& row, FieldId field) const {
    if (!row.below) return std::string(row.name);
    const std::string_view canonical = schema_.field(field).name;
    return fmt::format("{}.{}", row.name, canonical.substr(canonical.find('.') + 1));
  }

 private:
  void add_rows(const DialectTable* table, schema::Release r) {
    for (; table != nullptr; table = table->include.empty() ? nullptr : schema_.find_dialect(table->include))
      for (const DialectRow& row : table->rows)
        if (schema::contains(row.releases, r)) rows_.push_back(&row);
  }

  /// `--num-layers` for `model.num_layers`.
  std::string flag_of(FieldId field) const {
    const std::string_view name = schema_.field(field).name;
    std::string out = fmt::format("--{}", name.substr(name.rfind('.') + 1));
    std::ranges::replace(out, '_', '-');
    return out;
  }

  bool below(const DialectRow& row, FieldId field) const {
    const std::string_view name = schema_.field(field).name;
    return name.size() > row.section.size() + 1 && name.starts_with(row.section) &&
           name[row.section.size()] == '.';
  }

  bool is_written(std::string_view name) const {
    return std::ranges::any_of(settings_.settings,
                               [&](const Setting& s) { return s.place.written_name == name; });
  }

  Spelling named(const DialectRow& row, FieldId field, std::optional<Value> value) const {
    Spelling out;
    out.name = name_of(row, field);
    out.kind = out.name.starts_with("--") ? Spelling::Kind::flag : Spelling::Kind::key;
    out.value = std::move(value);
    out.addition = row.below;
    return out;
  }

  std::optional<Spelling> by_row(const DialectRow& row, FieldId field, const std::optional<Value>& value,
                                 const std::vector<Change>& all) const {
    if (row.kind == RowKind::choice) return by_case(row, field, value, all);
    if (row.arity == Arity::none) return by_presence(row, field, value);
    const bool flag = row.name.starts_with("--");
    std::optional<Value> out = value;
    if (out && row.invert && out->is_bool()) out = Value(!out->as_bool());
    if (flag && out && out->is_null()) out.reset();  // a flag has no null
    if (flag && out) out = sayable(std::move(*out), row);
    if (out && out->is_opaque()) return std::nullopt;
    return named(row, field, std::move(out));
  }

  std::optional<Spelling> by_presence(const DialectRow& row, FieldId field,
                                      const std::optional<Value>& value) const {
    Spelling out = named(row, field, std::nullopt);
    out.bare = true;
    if (value && !value->is_bool() && !value->is_null()) return std::nullopt;
    const bool wanted = value ? value->truthy() : !row.action;
    if (wanted == (row.invert ? !row.action : row.action)) out.value = Value(true);
    return out;
  }

  /// What a field would hold after all changes; null where nothing sets it.
  Value after(FieldId field, const std::vector<Change>& all) const {
    for (const Change& c : all)
      if (c.field == schema_.field(field).name) return c.value.value_or(Value());
    const Setting* now = settings_.find(field);
    return now == nullptr ? Value() : now->value;
  }

  std::optional<Spelling> by_case(const DialectRow& row, FieldId field, const std::optional<Value>& value,
                                  const std::vector<Change>& all) const {
    std::vector<FieldId> touched;
    for (const auto& c : row.cases)
      for (const auto& item : c.sets)
        if (std::ranges::find(touched, item.field) == touched.end()) touched.push_back(item.field);
    for (const schema::DialectCase& c : row.cases) {
      const bool fits = std::ranges::all_of(touched, [&](FieldId f) {
        const auto it = std::ranges::find(c.sets, f, &schema::FieldValue::field);
        const Value wanted = after(f, all);
        // A switch of the language itself comes along with what it means.
        if (it != c.sets.end() && schema_.field(f).space == schema::Space::extra && wanted.is_null())
          return true;
        return it != c.sets.end() ? schema_.value(it->value) == wanted : !wanted.truthy();
      });
      if (!fits) continue;
      Spelling out = named(row, field, schema_.value(c.when));
      out.bare = row.arity == Arity::none;
      return out;
    }
    // No value of a flag says so: without the flag nothing of it is set.
    const bool nothing = std::ranges::all_of(touched, [&](FieldId f) { return !after(f, all).truthy(); });
    if (nothing && row.arity == Arity::none) {
      Spelling out = named(row, field, std::nullopt);
      out.bare = true;
      return out;
    }
    if (!names_field(row, field)) return std::nullopt;
    return named(row, field, value);
  }

  const Settings& settings_;
  const Schema& schema_;
  std::vector<const DialectRow*> rows_;
};

std::string joined_path(const Settings& settings, const Schema& schema, std::string_view canonical) {
  return fmt::format("{}", fmt::join(path_in_file(settings, schema, canonical), "."));
}

bool plain_for_shell(std::string_view word) {
  return source::shell_quote(word) == word;
}

}  // namespace

std::string name_in_file(const Settings& settings, const Schema& schema, std::string_view canonical) {
  const FieldId field = schema.find(canonical);
  if (field == schema::no_field) return std::string(canonical);
  if (settings.table == nullptr) {
    return settings.script != nullptr ? std::string(canonical) : joined_path(settings, schema, canonical);
  }
  const Setting* written = settings.find(field);
  if (written != nullptr && !written->place.written_name.empty()) return written->place.written_name;
  const Speller speller(settings, schema, schema::newest_release);
  const auto rows = speller.candidates(field);
  return rows.empty() ? std::string(canonical) : speller.name_of(*rows.front(), field);
}

std::optional<Spelling> spell_among(const Settings& settings, const Schema& schema, schema::Release r,
                                    const Change& change, const std::vector<Change>& all) {
  const FieldId field = schema.find(change.field);
  if (field != schema::no_field && schema.field(field).space == schema::Space::environment)
    return Spelling{Spelling::Kind::variable, change.field.substr(4), change.value, false, false};
  if (settings.table == nullptr)
    return Spelling{Spelling::Kind::key, joined_path(settings, schema, change.field), change.value, false,
                    false};
  if (field != schema::no_field) return Speller(settings, schema, r).spell(field, change.value, all);
  if (change.value) return std::nullopt;
  // What no field stands for can only go, under the name it was written with.
  const auto kind = change.field.starts_with("--") ? Spelling::Kind::flag : Spelling::Kind::key;
  return Spelling{kind, change.field, std::nullopt, false, false};
}

std::optional<std::vector<Spelling>> spell(const Settings& settings, const Schema& schema, schema::Release r,
                                           const std::vector<Change>& changes) {
  std::vector<Spelling> out;
  for (const Change& change : changes) {
    auto one = spell_among(settings, schema, r, change, changes);
    if (!one) return std::nullopt;
    const auto same = [&](const Spelling& s) { return s.name == one->name; };
    if (std::ranges::none_of(out, same)) out.push_back(std::move(*one));
  }
  return out;
}

std::vector<std::string> flag_words(const Value& value) {
  if (!value.is_list()) return {value.is_string() ? std::string(value.as_string()) : value.to_text()};
  std::vector<std::string> out;
  for (const Value& item : value.as_list()) out.push_back(flag_words(item).front());
  return out;
}

std::string words_of(const Spelling& s) {
  if (s.kind == Spelling::Kind::variable) {
    return s.value ? fmt::format("env {}={}", s.name, source::shell_quote(flag_words(*s.value).front()))
                   : fmt::format("env -u {}", s.name);
  }
  if (s.kind == Spelling::Kind::key) {
    if (!s.value) return fmt::format("~{}", s.name);
    const std::string word = fmt::format("{}={}", s.name, source::to_yaml(*s.value, source::Loader::hydra));
    return plain_for_shell(word) ? word : source::shell_quote(word);
  }
  if (!s.value) return fmt::format("without {}", s.name);
  std::string out = s.name;
  if (s.bare) return out;
  for (const std::string& word : flag_words(*s.value)) out += " " + source::shell_quote(word);
  return out;
}

}  // namespace headroom::dialect
