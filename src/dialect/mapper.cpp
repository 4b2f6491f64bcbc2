#include "mapper.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "checks.hpp"
#include "normalise.hpp"
#include "words.hpp"

namespace headroom::dialect {

using schema::DialectRow;
using schema::DialectTable;
using schema::FieldId;
using schema::RowKind;
using schema::Schema;
using source::Value;

namespace {

/// `--tensor-model-parallel-size` and `--tensor_model_parallel_size`.
std::string with_dashes(std::string_view name) {
  std::string out(name);
  std::ranges::replace(out, '_', '-');
  return out;
}

const DialectRow* find_either_dash(const DialectTable& table, std::string_view name) {
  const std::string wanted = with_dashes(name);
  const auto same = [&](const DialectRow& r) { return with_dashes(r.name) == wanted; };
  const auto it = std::ranges::find_if(table.rows, same);
  return it == table.rows.end() ? nullptr : &*it;
}

std::span<const std::string_view> choices_in(const DialectRow& row, schema::Release release) {
  for (const schema::DialectChoices& c : row.choices)
    if (schema::contains(c.releases, release)) return c.words;
  return {};
}

/// The value, or an item of it, that is none of `words`; null where all are.
const Value* first_other(const Value& value, std::span<const std::string_view> words) {
  const auto other = [&](const Value& v) {
    return (v.is_string() || v.is_int()) && std::ranges::find(words, v.to_text()) == words.end();
  };
  if (!value.is_list()) return other(value) ? &value : nullptr;
  const auto it = std::ranges::find_if(value.as_list(), other);
  return it == value.as_list().end() ? nullptr : &*it;
}

}  // namespace

const DialectRow* find_row(const Schema& schema, const DialectTable& table, std::string_view name) {
  const DialectRow* row = table.find(name);
  if (row != nullptr && row->below) row = nullptr;
  const DialectTable* more = table.include.empty() ? nullptr : schema.find_dialect(table.include);
  if (row == nullptr && more != nullptr) row = find_row(schema, *more, name);
  if (row != nullptr || !table.either_dash || !name.starts_with("--")) return row;
  row = find_either_dash(table, name);
  return row == nullptr && more != nullptr ? find_either_dash(*more, name) : row;
}

const DialectRow* Mapper::row(std::string_view name) const {
  return find_row(schema_, table_, name);
}

const DialectRow* Mapper::row_above(std::string_view name) const {
  for (std::size_t dot = name.rfind('.'); dot != std::string_view::npos;
       dot = dot == 0 ? dot : name.rfind('.', dot - 1)) {
    const std::string_view prefix = name.substr(0, dot);
    for (const DialectRow& r : table_.rows)
      if (r.below && r.name == prefix) return &r;
    if (dot == 0) break;
  }
  return nullptr;
}

void Mapper::set(FieldId field, Value value, Place place) {
  out_.assign(field, normalise(std::move(value), schema_.field(field)), std::move(place));
}

void Mapper::apply(const DialectRow& row, Value value, Place place) {
  if (!schema::contains(row.releases, release_)) {
    too_new_.emplace_back(row.name);
    return;
  }
  place.written_name = row.name;
  const auto words = choices_in(row, release_);
  if (const Value* wrong = words.empty() ? nullptr : first_other(value, words); wrong != nullptr)
    refuse(row, value, *wrong, words, place);
  switch (row.kind) {
    case RowKind::ignored:
    case RowKind::environment:  // read member by member, by whoever has the mapping
      return;
    case RowKind::launch:
      return set_launch(row, value);
    case RowKind::choice:
      return choose(row, value, place);
    case RowKind::fields:
      break;
  }
  if (row.invert && value.is_bool()) value = Value(!value.as_bool());
  for (const FieldId field : row.fields) set(field, value, place);
}

/// The parser stops there; the value is kept, so that its place is known to fixes.
void Mapper::refuse(const DialectRow& row, const Value& value, const Value& wrong,
                    std::span<const std::string_view> words, Place place) {
  const std::string word = wrong.to_text();
  std::vector<std::string> fields;
  for (const FieldId field : row.fields) fields.emplace_back(schema_.field(field).name);
  Problem p{"schema-check/flag-value",
            fields.empty() ? std::string(row.name) : fields.front(),
            fmt::format("{} takes {}; '{}' is none of them in {}", row.name, fmt::join(words, ", "), word,
                        schema::name(release_)),
            std::move(place),
            {},
            {}};
  if (const std::string_view meant = schema::nearest(word, words); !meant.empty()) {
    source::List items = value.is_list() ? value.as_list() : source::List{value};
    std::ranges::replace(items, wrong, Value(meant));
    const Value better = value.is_list() ? Value(std::move(items)) : items.front();
    for (const std::string& field : fields) p.suggest_set.emplace_back(field, better);
  } else {
    p.suggest_unset = std::move(fields);
  }
  out_.problems.push_back(std::move(p));
}

void Mapper::choose(const DialectRow& row, const Value& value, const Place& place) {
  const auto same = [&](const schema::DialectCase& c) { return schema_.value(c.when) == value; };
  const auto it = std::ranges::find_if(row.cases, same);
  if (it == row.cases.end()) {
    for (const FieldId field : row.fields) set(field, value, place);
    return;
  }
  for (const schema::FieldValue& item : it->sets) set(item.field, schema_.value(item.value), place);
}

void Mapper::set_launch(const DialectRow& row, const Value& value) {
  LaunchHints& hints = out_.hints;
  const std::optional<std::int64_t> number =
      value.is_int() ? std::optional(value.as_int()) : std::optional<std::int64_t>();
  switch (row.launch) {
    case schema::LaunchKey::gpus:
      hints.gpus = number;
      break;
    case schema::LaunchKey::nodes:
      hints.nodes = number;
      break;
    case schema::LaunchKey::gpus_per_node:
      // A list of devices, as Lightning takes it.
      hints.gpus_per_node =
          value.is_list() ? std::optional(static_cast<std::int64_t>(value.as_list().size())) : number;
      break;
    case schema::LaunchKey::gpu:
      if (value.is_string()) hints.gpu = value.as_string();
      break;
    case schema::LaunchKey::model:
      if (value.is_string()) hints.model = value.as_string();
      break;
  }
}

void Mapper::apply_below(const DialectRow& row, std::string_view name, Value value, Place place) {
  if (row.section.empty()) return;
  place.written_name = name;
  const std::string canonical = fmt::format("{}.{}", row.section, name.substr(row.name.size() + 1));
  const FieldId field = schema_.find(canonical);
  if (field != schema::no_field) return set(field, std::move(value), std::move(place));
  Problem p = unknown_field(schema_, release_, canonical, value, std::move(place));
  p.message = fmt::format("{} is no field of the section it is handed to ({})", name, row.section);
  if (!p.suggest_set.empty()) p.message += fmt::format("; did you mean {}?", p.suggest_set.front().first);
  out_.problems.push_back(std::move(p));
}

void Mapper::set_environment(std::string_view name, std::optional<std::string> value, Place place) {
  const FieldId field = schema_.find(fmt::format("env.{}", name));
  if (field != schema::no_field && value) out_.assign(field, Value(*value), std::move(place));
  if (field == schema::no_field || !value)
    out_.hints.env.insert_or_assign(std::string(name), std::move(value));
}

const DialectRow* Mapper::meant(std::string_view name) const {
  std::vector<std::string_view> known;
  for (const DialectTable* t = &table_; t != nullptr;
       t = t->include.empty() ? nullptr : schema_.find_dialect(t->include))
    for (const DialectRow& r : t->rows)
      if (!r.below) known.push_back(r.name);
  // Short words are near to many others.
  constexpr std::size_t shortest = 10;
  const std::string_view near = name.size() < shortest ? std::string_view() : schema::nearest(name, known);
  return near.empty() || near == name ? nullptr : row(near);
}

void Mapper::unknown(std::string_view name, const Value& value, Place place) {
  const DialectRow* near = meant(name);
  if (near == nullptr) {
    unknown_.emplace_back(name);
    return;
  }
  place.written_name = name;
  Problem p{"schema-check/unknown-flag",
            std::string(name),
            fmt::format("{} is no argument of {}; did you mean {}?", name, table_.title, near->name),
            std::move(place),
            {},
            {std::string(name)}};
  if (near->kind == RowKind::fields) {
    const Value meant = near->arity == schema::Arity::none ? Value(near->action) : typed_value(value, *near);
    if (!near->fields.empty()) p.suggest_set.emplace_back(schema_.field(near->fields.front()).name, meant);
  }
  out_.problems.push_back(std::move(p));
}

void Mapper::finish() {
  const auto list = [](std::vector<std::string>& names) {
    std::ranges::sort(names);
    names.erase(std::unique(names.begin(), names.end()), names.end());
    return fmt::format("{}", fmt::join(names, ", "));
  };
  if (!unknown_.empty()) {
    const std::string names = list(unknown_);
    out_.notes.push_back(
        fmt::format("not known to headroom as arguments of {}, and left alone: {}", table_.title, names));
  }
  if (!too_new_.empty()) {
    const std::string names = list(too_new_);
    out_.notes.push_back(
        fmt::format("not in the Megatron-Core that is checked against, and left alone: {}", names));
  }
  // Checks append problems: over a copy, as settings are looked at one by one.
  const std::vector<Setting> settings = out_.settings;
  for (const Setting& s : settings) {
    // What the parser takes and what it refuses is known better than what the field allows.
    const DialectRow* by = row(s.place.written_name);
    if (by == nullptr || by->choices.empty()) check_setting(out_, s, schema_, release_, nullptr);
  }
}

}  // namespace headroom::dialect
