#include "headroom/schema/schema.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cctype>

namespace headroom::schema {

namespace {

std::string_view last_part(std::string_view dotted) {
  std::size_t dot = dotted.rfind('.');
  return dot == std::string_view::npos ? dotted : dotted.substr(dot + 1);
}

constexpr std::string_view core_prefix = "megatron.core.";

/// The value of the first entry that holds in `r`.
template <class Entries>
const LiteralId* value_in(const Entries& entries, Release r) {
  for (const auto& e : entries)
    if (contains(e.releases, r)) return &e.value;
  return nullptr;
}

std::span<const ClassDefault> overrides(const ClassInfo& cls, FieldId id) {
  auto [first, last] =
      std::equal_range(cls.defaults.begin(), cls.defaults.end(), ClassDefault{id, 0, 0},
                       [](const ClassDefault& a, const ClassDefault& b) { return a.field < b.field; });
  return {first, last};
}

bool has_member(std::span<const std::string_view> list, std::string_view name) {
  return std::find(list.begin(), list.end(), name) != list.end();
}

/// The class whose fields and defaults count for `f`: `cls` where it is a class of the same section, else the
/// standard one; null where the section has none.
const ClassInfo* class_for(const Schema& schema, const Field& f, const ClassInfo* cls) {
  if (f.section >= schema.sections.size()) return nullptr;
  const Section& section = schema.sections[f.section];
  if (cls != nullptr && cls->section == section.name) return cls;
  return section.class_index < schema.classes.size() ? &schema.classes[section.class_index] : nullptr;
}

bool has_field(const ClassInfo& cls, const Field& f) {
  if (f.classes.empty() || has_member(f.classes, cls.name)) return true;
  if (cls.bases.empty()) return false;
  return std::any_of(f.classes.begin(), f.classes.end(),
                     [&](std::string_view owner) { return has_member(cls.bases, owner); });
}

/// The table is written on the machine that builds: the order of its bytes must not count.
std::uint64_t little_endian(const char* bytes, std::size_t count) {
  std::uint64_t word = 0;
  for (std::size_t i = 0; i < count; ++i)
    word |= std::uint64_t{static_cast<unsigned char>(bytes[i])} << (8 * i);
  return word;
}

/// Eight bytes at a time: names are long, and a check looks up thousands.
std::uint64_t hash_of(std::string_view name) {
  constexpr std::uint64_t odd = 0x9e3779b97f4a7c15;
  std::uint64_t hash = name.size();
  const auto mix = [&](std::uint64_t word) {
    hash = (hash ^ word) * odd;
    hash ^= hash >> 32;
  };
  const char* const end = name.data() + name.size();
  if (name.size() < 8) {
    mix(little_endian(name.data(), name.size()));
    return hash;
  }
  for (const char* at = name.data(); end - at > 8; at += 8) mix(little_endian(at, 8));
  mix(little_endian(end - 8, 8));  // may read some bytes a second time
  return hash;
}

bool is_absent(const Schema& schema, const LiteralId* value) {
  return value != nullptr && schema.literals[*value].kind == Literal::Kind::absent;
}

}  // namespace

FieldId Schema::find(std::string_view canonical) const {
  if (by_hash.empty()) return no_field;
  const std::size_t mask = by_hash.size() - 1;
  for (std::size_t at = hash_of(canonical) & mask; by_hash[at] != no_field; at = (at + 1) & mask)
    if (fields[by_hash[at]].name == canonical) return by_hash[at];
  return no_field;
}

std::vector<FieldId> hash_table(std::span<const Field> fields) {
  std::vector<FieldId> table(std::bit_ceil(2 * fields.size() + 1), no_field);
  const std::size_t mask = table.size() - 1;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    std::size_t at = hash_of(fields[i].name) & mask;
    while (table[at] != no_field) at = (at + 1) & mask;
    table[at] = static_cast<FieldId>(i);
  }
  return table;
}

const Section* Schema::find_section(std::string_view name) const {
  auto it = std::find_if(sections.begin(), sections.end(), [&](const Section& s) { return s.name == name; });
  return it == sections.end() ? nullptr : &*it;
}

source::Value Schema::value(LiteralId id) const {
  const Literal& l = literals[id];
  switch (l.kind) {
    case Literal::Kind::required:
    case Literal::Kind::absent:
    case Literal::Kind::null:
      return {};
    case Literal::Kind::computed:
      return source::Value::unknown();
    case Literal::Kind::boolean:
      return l.integer != 0;
    case Literal::Kind::integer:
      return l.integer;
    case Literal::Kind::floating:
      return l.number;
    case Literal::Kind::string:
      return l.text;
    case Literal::Kind::opaque:
      return source::Opaque{};
    case Literal::Kind::list:
      break;
  }
  source::List items;
  items.reserve(l.count);
  for (LiteralId item : list_items.subspan(static_cast<std::size_t>(l.integer), l.count))
    items.push_back(value(item));
  return items;
}

const ClassInfo* Schema::find_class(std::string_view name) const {
  auto find_name = [this](std::string_view wanted) -> const ClassInfo* {
    auto it = std::lower_bound(classes.begin(), classes.end(), wanted,
                               [](const ClassInfo& c, std::string_view n) { return c.name < n; });
    return it != classes.end() && it->name == wanted ? &*it : nullptr;
  };
  std::string_view last = last_part(name);
  if (name.starts_with(core_prefix)) {
    std::string core(core_prefix);
    core += last;
    if (const ClassInfo* c = find_name(core)) return c;
  }
  return find_name(last);
}

bool Schema::is_subclass(std::string_view cls, std::string_view base) const {
  std::string_view wanted = last_part(base);
  if (last_part(cls) == wanted) return true;
  const ClassInfo* c = find_class(cls);
  return c != nullptr && has_member(c->bases, wanted);
}

bool Schema::class_has(const ClassInfo* cls, FieldId id, Release r) const {
  const Field& f = fields[id];
  if (!contains(f.releases, r)) return false;
  cls = class_for(*this, f, cls);
  return cls == nullptr || (has_field(*cls, f) && !is_absent(*this, value_in(overrides(*cls, id), r)));
}

std::optional<source::Value> Schema::default_value(FieldId id, Release r, std::string_view cls) const {
  return default_value(id, r, cls.empty() ? nullptr : find_class(cls));
}

std::optional<source::Value> Schema::default_value(FieldId id, Release r, const ClassInfo* cls) const {
  const Field& f = fields[id];
  if (!contains(f.releases, r)) return std::nullopt;
  cls = class_for(*this, f, cls);
  const LiteralId* found = nullptr;
  if (cls != nullptr) {
    if (!has_field(*cls, f)) return std::nullopt;
    found = value_in(overrides(*cls, id), r);
  }
  if (found == nullptr) found = value_in(f.defaults, r);
  if (found == nullptr || is_absent(*this, found)) return std::nullopt;
  if (literals[*found].kind == Literal::Kind::required) return std::nullopt;
  return value(*found);
}

std::span<const std::string_view> Schema::choices(FieldId id, Release r) const {
  for (const Choices& c : fields[id].choices)
    if (contains(c.releases, r)) return c.values;
  return {};
}

const PrecisionRecipe* Schema::find_recipe(std::string_view name, Release r) const {
  auto same = [](std::string_view a, std::string_view b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [](char x, char y) { return (x == '-' ? '_' : x) == (y == '-' ? '_' : y); });
  };
  // A recipe whose values changed has one entry for each group of releases.
  for (const PrecisionRecipe& p : recipes)
    if (contains(p.releases, r) && same(p.name, name)) return &p;
  return nullptr;
}

std::optional<std::string_view> canonical_dtype(std::string_view text) {
  struct Spelling {
    std::string_view text, canonical;
  };
  // What Bridge's own table of names takes, and torch's names.
  static constexpr std::array<Spelling, 27> spellings{{{"float32", "float32"},
                                                       {"fp32", "float32"},
                                                       {"float", "float32"},
                                                       {"bfloat16", "bfloat16"},
                                                       {"bf16", "bfloat16"},
                                                       {"float16", "float16"},
                                                       {"fp16", "float16"},
                                                       {"half", "float16"},
                                                       {"float64", "float64"},
                                                       {"fp64", "float64"},
                                                       {"double", "float64"},
                                                       {"uint8", "uint8"},
                                                       {"fp8", "float8_e4m3fn"},
                                                       {"int8", "int8"},
                                                       {"int16", "int16"},
                                                       {"int32", "int32"},
                                                       {"int64", "int64"},
                                                       {"long", "int64"},
                                                       {"bool", "bool"},
                                                       {"float8_e4m3fn", "float8_e4m3fn"},
                                                       {"float8_e5m2", "float8_e5m2"},
                                                       {"float4_e2m1fn_x2", "float4_e2m1fn_x2"},
                                                       {"32", "float32"},
                                                       {"32-true", "float32"},
                                                       {"16", "float16"},
                                                       {"16-mixed", "float16"},
                                                       {"bf16-mixed", "bfloat16"}}};
  std::string lower(text);
  for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  std::string_view word = lower;
  if (word.starts_with("torch.")) word.remove_prefix(6);
  for (const Spelling& s : spellings)
    if (s.text == word) return s.canonical;
  return std::nullopt;
}

}  // namespace headroom::schema
