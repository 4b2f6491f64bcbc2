#include "candidates.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "describe.hpp"

namespace headroom::lsp {
namespace {

using schema::DialectRow;
using schema::Field;
using schema::FieldId;
using schema::RowKind;
using schema::Type;

constexpr std::string_view block_name = "headroom";

Candidate plain(std::string_view label, std::string detail = "") {
  Candidate out;
  out.label = label;
  out.detail = std::move(detail);
  return out;
}

std::vector<Candidate> context_keys() {
  std::vector<Candidate> out;
  for (const std::string_view key : lint::context_keys()) out.push_back(plain(key, "launch context"));
  return out;
}

std::vector<Candidate> context_values(const schema::Schema& schema, std::string_view key) {
  std::vector<Candidate> out;
  if (key == "gpu") {
    for (const auto& gpu : schema.gpus) out.push_back(plain(gpu.kind, "GPU kind"));
  } else if (key == "bridge") {
    for (int i = 0; i < schema::release_count; ++i)
      out.push_back(plain(schema::name(static_cast<schema::Release>(i)), "release"));
  } else if (key == "model") {
    for (const auto& model : schema.models) {
      out.push_back(plain(model.aliases.empty() ? model.id : model.aliases.front(), std::string(model.id)));
    }
  }
  return out;
}

Candidate of_field(const Surroundings& around, FieldId id, std::string_view label) {
  const Field& field = around.schema->field(id);
  Candidate out = plain(label, type_words(field));
  out.field = id;
  out.deprecated = schema::contains(field.deprecated, around.release);
  out.mapping = schema::has(field.type, Type::dict) || schema::has(field.type, Type::section);
  return out;
}

/// Fields of which `prefix` is all but the last part of the name.
std::vector<Candidate> fields_below(const Surroundings& around, std::string_view prefix) {
  const schema::Schema& schema = *around.schema;
  std::vector<Candidate> out;
  for (const FieldId id : schema.by_name) {
    const Field& field = schema.field(id);
    if (field.space != schema::Space::config || !schema::contains(field.releases, around.release)) continue;
    if (field.name.size() <= prefix.size() + 1 || !field.name.starts_with(prefix) ||
        field.name[prefix.size()] != '.') {
      continue;
    }
    const std::string_view rest = field.name.substr(prefix.size() + 1);
    if (rest.starts_with('_') || rest.find('.') != std::string_view::npos) continue;
    const schema::ClassInfo* cls = schema.find_class(around.class_of(field));
    if (schema.class_has(cls, id, around.release)) out.push_back(of_field(around, id, rest));
  }
  return out;
}

std::vector<Candidate> bridge_keys(const Surroundings& around, std::vector<std::string> path) {
  if (!path.empty()) {
    if (path.size() == 2 && path[0] == "model" && path[1] == "transformer") path.pop_back();
    return fields_below(around, fmt::format("{}", fmt::join(path, ".")));
  }
  std::vector<Candidate> out;
  for (const auto& section : around.schema->sections) {
    if (!schema::contains(section.releases, around.release)) continue;
    out.push_back(of_field(around, section.field, section.name));
    out.back().mapping = true;
  }
  return out;
}

/// Rows of the language and of the one that it includes, in this release.
std::vector<const DialectRow*> rows_of(const Surroundings& around) {
  std::vector<const DialectRow*> out;
  for (const auto* table = around.table; table != nullptr;
       table = table->include.empty() ? nullptr : around.schema->find_dialect(table->include)) {
    for (const DialectRow& row : table->rows) {
      if (schema::contains(row.releases, around.release)) out.push_back(&row);
    }
  }
  return out;
}

Candidate of_row(const Surroundings& around, const DialectRow& row, std::string_view label) {
  if (row.kind == RowKind::fields && !row.fields.empty()) {
    Candidate out = of_field(around, row.fields.front(), label);
    out.mapping = false;
    return out;
  }
  return plain(label);
}

std::vector<Candidate> row_keys(const Surroundings& around, const std::vector<std::string>& path) {
  const std::string prefix = path.empty() ? "" : fmt::format("{}.", fmt::join(path, "."));
  std::vector<Candidate> out;
  std::set<std::string, std::less<>> seen;
  for (const DialectRow* row : rows_of(around)) {
    std::string_view name = row->name;
    if (row->below && prefix == std::string(name) + ".") {
      for (auto& candidate : fields_below(around, row->section)) {
        if (seen.insert(candidate.label).second) out.push_back(std::move(candidate));
      }
      continue;
    }
    if (name.starts_with("--")) name.remove_prefix(2);
    if (name.starts_with('-') || !name.starts_with(prefix)) continue;
    std::string label(name.substr(prefix.size()));
    const std::size_t dot = label.find('.');
    Candidate candidate = of_row(around, *row, label);
    if (dot != std::string::npos || row->below) {
      candidate = plain(label.substr(0, dot));
      candidate.mapping = true;
    }
    if (row->name.starts_with("--")) std::ranges::replace(candidate.label, '-', '_');
    if (!candidate.label.empty() && seen.insert(candidate.label).second) out.push_back(std::move(candidate));
  }
  return out;
}

std::vector<Candidate> values_of_field(const Surroundings& around, FieldId id) {
  const schema::Schema& schema = *around.schema;
  const Field& field = schema.field(id);
  std::vector<Candidate> out;
  const auto add = [&](std::string_view label, std::string_view what) {
    const auto same = [&](const Candidate& c) { return c.label == label; };
    if (std::ranges::none_of(out, same)) out.push_back(plain(label, std::string(what)));
  };
  for (const std::string_view choice : schema.choices(id, around.release)) add(choice, "choice");
  if (schema::has(field.type, Type::boolean)) {
    add("true", "boolean");
    add("false", "boolean");
  }
  if (schema::has(field.type, Type::dtype)) {
    for (const auto* dtype : {"torch.bfloat16", "torch.float16", "torch.float32"}) add(dtype, "dtype");
  }
  if (field.space == schema::Space::section && field.name == "mixed_precision") {
    for (const auto& recipe : schema.recipes) {
      if (schema::contains(recipe.releases, around.release)) add(recipe.name, "precision recipe");
    }
  }
  if (field.nullable) add("null", "unset");
  const auto value = schema.default_value(id, around.release, around.class_of(field));
  if (value && (value->is_number() || value->is_bool() || value->is_string()))
    add(value->to_text(), "default");
  return out;
}

std::vector<Candidate> values_of_row(const Surroundings& around, const DialectRow& row) {
  std::vector<Candidate> out;
  for (const auto& choices : row.choices) {
    if (!schema::contains(choices.releases, around.release)) continue;
    for (const std::string_view word : choices.words) out.push_back(plain(word, "choice"));
  }
  for (const auto& one : row.cases) out.push_back(plain(around.schema->value(one.when).to_text(), "choice"));
  if (out.empty() && row.kind == RowKind::fields && !row.fields.empty())
    out = values_of_field(around, row.fields.front());
  if (row.kind == RowKind::launch && row.launch == schema::LaunchKey::gpu)
    out = context_values(*around.schema, "gpu");
  return out;
}

}  // namespace

std::string Surroundings::class_of(const Field& field) const {
  if (outcome == nullptr || outcome->config.now.empty() || field.section == 0xff) return {};
  const schema::Section& section = schema->sections[field.section];
  if (section.target == schema::no_field) return {};
  const source::Value& target = outcome->config.now[section.target];
  return target.is_string() ? std::string(target.as_string()) : std::string();
}

Surroundings surroundings(const lint::Outcome* outcome) {
  Surroundings out;
  out.outcome = outcome;
  out.schema = &schema::embedded_schema();
  if (outcome != nullptr) {
    out.release = outcome->config.launch.release;
    out.table = outcome->opened.table;
  }
  return out;
}

std::vector<Candidate> keys_at(const Surroundings& around, const std::vector<std::string>& path) {
  if (!path.empty() && path.front() == block_name)
    return path.size() == 1 ? context_keys() : std::vector<Candidate>();
  std::vector<Candidate> out = around.table == nullptr ? bridge_keys(around, path) : row_keys(around, path);
  if (path.empty()) {
    out.push_back(plain(block_name, "launch context of headroom"));
    out.back().mapping = true;
  }
  return out;
}

std::vector<Candidate> values_at(const Surroundings& around, const std::vector<std::string>& path,
                                 const std::string& key) {
  if (!path.empty() && path.front() == block_name) return context_values(*around.schema, key);
  if (around.table == nullptr) {
    std::string name = path.empty() ? key : fmt::format("{}.{}", fmt::join(path, "."), key);
    if (name.starts_with("model.transformer.") && around.schema->find(name) == schema::no_field)
      name = "model." + name.substr(std::string_view("model.transformer.").size());
    const FieldId id = around.schema->find(name);
    return id == schema::no_field ? std::vector<Candidate>() : values_of_field(around, id);
  }
  const std::string prefix = path.empty() ? "" : fmt::format("{}.", fmt::join(path, "."));
  for (const DialectRow* row : rows_of(around)) {
    if (row->name == prefix + key) return values_of_row(around, *row);
    if (row->below && prefix == std::string(row->name) + ".") {
      const FieldId id = around.schema->find(fmt::format("{}.{}", row->section, key));
      if (id != schema::no_field) return values_of_field(around, id);
    }
  }
  std::string flag = "--" + key;
  if (auto found = values_of_flag(around, flag); !found.empty()) return found;
  std::ranges::replace(flag, '_', '-');
  return values_of_flag(around, flag);
}

std::vector<Candidate> words_of_script(const Surroundings& around) {
  std::vector<Candidate> out;
  for (const DialectRow* row : rows_of(around)) {
    if (row->name.starts_with("--")) out.push_back(of_row(around, *row, row->name));
    if (!row->name.starts_with('-') && !row->below && around.table->words == schema::WordForm::overrides)
      out.push_back(of_row(around, *row, std::string(row->name) + "="));
  }
  return out;
}

std::vector<Candidate> values_of_flag(const Surroundings& around, const std::string& flag) {
  for (const DialectRow* row : rows_of(around)) {
    if (row->name == flag) return values_of_row(around, *row);
  }
  return {};
}

}  // namespace headroom::lsp
