// Carrying a fix out on settings in memory.
#include <fmt/format.h>

#include <algorithm>

#include "headroom/advise/fixes.hpp"

namespace headroom::advise {

using rules::Fix;
using source::Mapping;
using source::Value;

namespace {

/// A dtype as a config writes it: `torch.float32`.
Value spelled(const Value& value, const schema::Field& field) {
  if (!value.is_string() || !schema::has(field.type, schema::Type::dtype)) return value;
  auto dtype = schema::canonical_dtype(value.as_string());
  return dtype ? Value(fmt::format("torch.{}", *dtype)) : value;
}

/// The recipe's own values as a mapping, to which single fields can be added.
Mapping recipe_mapping(std::string_view name, const Bench& bench) {
  Mapping out;
  out.emplace_back("_target_", Value("megatron.bridge.training.mixed_precision.MixedPrecisionConfig"));
  const schema::PrecisionRecipe* recipe = bench.schema->find_recipe(name, bench.launch->release);
  if (recipe == nullptr) return out;
  for (const schema::FieldValue& item : recipe->sets) {
    const schema::Field& field = bench.schema->field(item.field);
    if (!schema::contains(field.releases, bench.launch->release)) continue;
    out.emplace_back(std::string(field.name.substr(field.name.find('.') + 1)),
                     spelled(bench.schema->value(item.value), field));
  }
  return out;
}

void put(Mapping& mapping, const std::string& key, const Value& value) {
  auto it = std::ranges::find(mapping, key, &std::pair<std::string, Value>::first);
  if (it == mapping.end()) {
    mapping.emplace_back(key, value);
  } else {
    it->second = value;
  }
}

Value canonical(const Value& value, const schema::Field& field) {
  if (!value.is_string() || !schema::has(field.type, schema::Type::dtype)) return value;
  auto dtype = schema::canonical_dtype(value.as_string());
  return dtype ? Value(*dtype) : value;
}

/// Settings to try a fix on. What the file calls each is asked of the original; without these names a copy
/// costs half as much, and most checks make a dozen.
dialect::Settings copy_for_trial(const dialect::Settings& from) {
  dialect::Settings out;
  out.document = from.document;
  out.script = from.script;
  out.command = from.command;
  out.arguments = from.arguments;
  out.settings.reserve(from.settings.size() + 4);
  for (const dialect::Setting& s : from.settings)
    out.settings.push_back(
        {s.field, s.value, {s.place.source, s.place.key, s.place.value, s.place.from, {}}});
  out.problems = from.problems;
  out.notes = from.notes;
  out.hints = from.hints;
  out.dialect = from.dialect;
  out.table = from.table;
  out.layer = from.layer;
  out.full_dump = from.full_dump;
  out.builder_model = from.builder_model;
  out.recipe = from.recipe;
  return out;
}

class Application {
 public:
  Application(const Bench& bench) : bench_(bench), out_{copy_for_trial(*bench.settings), *bench.launch} {}

  Applied run(const Fix& fix) && {
    for (const auto& [field, value] : fix.set) set(field, value);
    for (const auto& field : fix.unset) unset(field);
    for (const auto& [name, value] : fix.env) environment(name, value);
    return std::move(out_);
  }

 private:
  void drop_problems(std::string_view field) {
    std::erase_if(out_.settings.problems, [&](const dialect::Problem& p) { return p.field == field; });
  }

  void set(const std::string& field, const Value& value) {
    schema::FieldId id = bench_.schema->find(field);
    drop_problems(field);
    if (id == schema::no_field) return;
    // Another name, or nothing, for a whole section: its single fields go with it.
    const schema::Section* section = bench_.schema->find_section(field);
    if (section != nullptr) erase_fields(section->name);
    if (!value.is_mapping()) {
      out_.settings.assign(id, canonical(value, bench_.schema->field(id)), {});
      return;
    }
    out_.settings.assign(id, source::Opaque{}, {});
    for (const auto& [key, member] : value.as_mapping()) set(field + "." + key, member);
  }

  void erase_fields(std::string_view section) {
    std::string prefix = fmt::format("{}.", section);
    std::erase_if(out_.settings.settings, [&](const dialect::Setting& s) {
      return bench_.schema->field(s.field).name.starts_with(prefix);
    });
  }

  void unset(const std::string& field) {
    schema::FieldId id = bench_.schema->find(field);
    drop_problems(field);
    const schema::Section* section = bench_.schema->find_section(field);
    if (section != nullptr) erase_fields(section->name);
    if (id != schema::no_field) out_.settings.erase(id);
  }

  void environment(const std::string& name, const std::optional<std::string>& value) {
    out_.launch.env.insert_or_assign(name, value);
    schema::FieldId id = bench_.schema->find("env." + name);
    // Where the config does not set the variable, only the launch changes.
    if (id == schema::no_field || out_.settings.find(id) == nullptr) return;
    if (value) {
      out_.settings.assign(id, Value(*value), {});
    } else {
      out_.settings.erase(id);
    }
  }

  const Bench& bench_;
  Applied out_;
};

}  // namespace

Applied apply(const Fix& fix, const Bench& bench) {
  return Application(bench).run(fix);
}

Fix writable(Fix fix, const Bench& bench) {
  std::vector<std::pair<std::string, Value>> set;
  for (auto& [name, value] : fix.set) {
    schema::FieldId id = bench.schema->find(name);
    const schema::Section* section =
        bench.schema->find_section(std::string_view(name).substr(0, name.find('.')));
    const dialect::Setting* whole = section == nullptr ? nullptr : bench.settings->find(section->field);
    bool by_name = whole != nullptr && whole->value.is_string() && name.find('.') != std::string::npos;
    Value spelt = id == schema::no_field ? value : spelled(value, bench.schema->field(id));
    if (!by_name) {
      set.emplace_back(name, std::move(spelt));
      continue;
    }
    // A section given by name can't take a field: it becomes a mapping with the recipe's values and this one.
    std::string section_name(section->name);
    auto it = std::ranges::find(set, section_name, &std::pair<std::string, Value>::first);
    Mapping mapping =
        it == set.end() ? recipe_mapping(whole->value.as_string(), bench) : it->second.as_mapping();
    put(mapping, name.substr(section_name.size() + 1), spelt);
    if (it == set.end()) {
      set.emplace_back(section_name, std::move(mapping));
    } else {
      it->second = std::move(mapping);
    }
  }
  fix.set = std::move(set);
  return fix;
}

}  // namespace headroom::advise
