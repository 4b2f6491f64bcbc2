#include "headroom/report/json_schema.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "field_schema.hpp"
#include "headroom/report/json.hpp"

namespace headroom::report {
namespace {

using schema::DialectRow;
using schema::DialectTable;
using schema::Field;
using schema::FieldId;
using schema::Release;
using schema::RowKind;
using schema::Schema;
using schema::Type;

constexpr const char* draft = "http://json-schema.org/draft-07/schema#";

// The launch context of headroom itself (docs/checking.md).
SchemaJson block_schema(const Schema& schema) {
  SchemaJson gpus = SchemaJson::array();
  for (const auto& gpu : schema.gpus) gpus.push_back(gpu.kind);
  SchemaJson releases = SchemaJson::array();
  for (int i = 0; i < schema::release_count; ++i) releases.push_back(schema::name(static_cast<Release>(i)));
  const SchemaJson text = {{"type", {"string", "number", "null"}}};
  const auto with = [&](SchemaJson known, const char* what) {
    SchemaJson out = {{"description", what}};
    out["anyOf"] = SchemaJson::array({{{"enum", std::move(known)}}, text});
    return out;
  };
  SchemaJson keys;
  keys["bridge"] = with(releases, "Release of Megatron Bridge");
  keys["gpus"] = {
      {"description", "Number of GPUs of the run"}, {"type", {"integer", "null"}}, {"minimum", 1}};
  keys["gpu"] = with(gpus, "GPU kind");
  keys["gpu_memory"] = {{"description", "Memory of a GPU: 80GB, 141GiB"},
                        {"type", {"string", "integer", "null"}}};
  keys["env"] = {{"description", "The environment of the run; null: known to be unset"},
                 {"type", {"object", "null"}}};
  keys["host_memory"] = {{"description", "Host memory of a node: 2TB, 960GiB"},
                         {"type", {"string", "integer", "null"}}};
  keys["margin"] = {{"description", "Memory of a GPU that is to stay free: 4GiB, 5%"},
                    {"type", {"string", "integer", "null"}}};
  keys["dump"] = {{"description", "Whether the config lists every field, defaults too"},
                  {"type", {"boolean", "null"}}};
  keys["calibration"] = {{"description", "What `headroom calibrate` learned from the logs of a cluster"},
                         {"type", {"object", "null"}}};
  for (const auto* key : {"mcore", "te", "torch", "model", "layer"}) keys[key] = text;
  return {{"description", "What headroom is told about the launch"},
          {"type", {"object", "null"}},
          {"properties", keys}};
}

// What has keys below it is a mapping, none, or a text that is replaced when the file is loaded.
void be_mapping(SchemaJson& out) {
  if (!out.contains("type")) {
    out["type"] = {"object", "string", "null"};
  } else if (SchemaJson& types = out["type"];
             types.is_array() && std::find(types.begin(), types.end(), SchemaJson("object")) == types.end()) {
    types.push_back("object");
  }
}

// Fields by the section or the field that holds them.
class Fields {
 public:
  Fields(const Schema& schema, Release release) : schema_(schema), release_(release) {
    for (const FieldId id : schema.by_name) {
      const Field& field = schema.field(id);
      if (field.space != schema::Space::config || !schema::contains(field.releases, release)) continue;
      const std::size_t dot = field.name.rfind('.');
      if (dot != std::string_view::npos) below_[field.name.substr(0, dot)].push_back(id);
    }
  }

  /// Properties of what stands directly below `name`.
  [[nodiscard]] SchemaJson properties(std::string_view name) const {
    SchemaJson out = SchemaJson::object();
    const auto found = below_.find(name);
    if (found == below_.end()) return out;
    for (const FieldId id : found->second) {
      const Field& field = schema_.field(id);
      SchemaJson one = field_schema(schema_, id, release_);
      if (SchemaJson nested = properties(field.name); !nested.empty()) {
        be_mapping(one);
        one["properties"] = std::move(nested);
      }
      out[std::string(field.name.substr(name.size() + 1))] = std::move(one);
    }
    return out;
  }

 private:
  const Schema& schema_;
  Release release_;
  std::map<std::string_view, std::vector<FieldId>, std::less<>> below_;
};

SchemaJson section_schema(const Schema& schema, const schema::Section& section, const Fields& fields,
                          Release release) {
  SchemaJson out;
  annotate(out, schema, section.field, release);
  out.erase("default");
  SchemaJson types = {"object", "null"};
  const Field& field = schema.field(section.field);
  if (schema::has(field.type, Type::string)) types.push_back("string");
  out["type"] = types;
  SchemaJson properties = fields.properties(section.name);
  if (properties.empty()) return out;  // a plain mapping
  if (section.name == "model") {
    // Sizes of a builder's config; the whole section again would double the schema.
    properties["transformer"] = {{"type", {"object", "null"}}};
  }
  if (section.name == "mixed_precision") {
    SchemaJson names = SchemaJson::array();
    for (const auto& recipe : schema.recipes) {
      if (schema::contains(recipe.releases, release)) names.push_back(recipe.name);
    }
    out["anyOf"] = SchemaJson::array({{{"enum", names}}, {{"type", types}}});
  }
  out["properties"] = std::move(properties);
  out["patternProperties"] = {{"^_", SchemaJson::object()}};  // _target_, _call_, _args_, _partial_
  out["additionalProperties"] = false;
  return out;
}

SchemaJson bridge_schema(const Schema& schema, Release release) {
  const Fields fields(schema, release);
  SchemaJson properties;
  for (const auto& section : schema.sections) {
    if (schema::contains(section.releases, release))
      properties[std::string(section.name)] = section_schema(schema, section, fields, release);
  }
  properties["headroom"] = block_schema(schema);
  return {
      {"type", "object"}, {"properties", properties}, {"patternProperties", {{"^_", SchemaJson::object()}}}};
}

SchemaJson row_schema(const Schema& schema, const DialectRow& row, Release release) {
  if (row.kind != RowKind::fields && row.kind != RowKind::choice) return SchemaJson::object();
  SchemaJson out = SchemaJson::object();
  if (row.fields.size() == 1 && !row.invert && row.arity != schema::Arity::none && row.cases.empty() &&
      row.choices.empty() && row.type == schema::WordType::text) {
    out = field_schema(schema, row.fields.front(), release);
    out.erase("default");  // the program's own may differ
    return out;
  }
  if (!row.fields.empty()) {
    annotate(out, schema, row.fields.front(), release);
    out.erase("default");
  }
  for (const auto& choices : row.choices) {
    if (!schema::contains(choices.releases, release)) continue;
    SchemaJson words = SchemaJson::array();
    for (const auto word : choices.words) words.push_back(word);
    out.update(one_of_words(std::move(words)));
  }
  return out;
}

// Dotted names and flags as one tree of properties.
class Tree {
 public:
  Tree(const Schema& schema, const DialectTable& table, Release release)
      : schema_(schema), fields_(schema, release), release_(release) {
    for (const std::string_view key : table.detect) {
      if (table.words == schema::WordForm::flags && key.find('.') == std::string_view::npos &&
          table.find(fmt::format("--{}", key)) == nullptr)
        holder_ = key;  // `MODEL_ARGS`: its keys are the flags as they are written
    }
    add_rows(&table);
    root_["properties"]["headroom"] = block_schema(schema);
  }
  [[nodiscard]] const SchemaJson& root() const { return root_; }

 private:
  void add_rows(const DialectTable* table) {
    for (; table != nullptr;
         table = table->include.empty() ? nullptr : schema_.find_dialect(table->include)) {
      for (const DialectRow& row : table->rows) {
        if (schema::contains(row.releases, release_)) add(row);
      }
    }
  }

  void add(const DialectRow& row) {
    std::string name(row.name);
    SchemaJson* here = &root_;
    if (name.starts_with('-')) {
      if (!name.starts_with("--")) return;  // a short flag
      if (!holder_.empty()) {
        here = &child(root_, holder_);
      } else {
        name.erase(0, 2);
        std::ranges::replace(name, '-', '_');
      }
      add_leaf(*here, name, row);
      return;
    }
    std::string_view rest = name;
    for (std::size_t dot = rest.find('.'); dot != std::string_view::npos; dot = rest.find('.')) {
      here = &child(*here, rest.substr(0, dot));
      rest.remove_prefix(dot + 1);
    }
    add_leaf(*here, rest, row);
  }

  static SchemaJson& child(SchemaJson& of, std::string_view key) {
    be_mapping(of);
    SchemaJson& out = of["properties"][std::string(key)];
    if (out.is_null()) out = SchemaJson::object();
    return out;
  }

  void add_leaf(SchemaJson& of, std::string_view key, const DialectRow& row) {
    SchemaJson& out = child(of, key);
    if (!row.below) {
      if (out.empty()) out = row_schema(schema_, row, release_);  // a row of the table itself comes first
      return;
    }
    const SchemaJson members = fields_.properties(row.section);
    for (const auto& [name, one] : members.items()) {
      SchemaJson& member = child(out, name);
      if (!member.empty()) continue;
      member = one;
      member.erase("default");
    }
  }

  const Schema& schema_;
  Fields fields_;
  Release release_;
  std::string_view holder_;
  SchemaJson root_ = {{"type", "object"}, {"properties", SchemaJson::object()}};
};

}  // namespace

bool has_file(const DialectTable* table) {
  return table == nullptr || !table->detect.empty();
}

std::string json_schema(const Schema& schema, const DialectTable* table, Release release) {
  const std::string_view name = table == nullptr ? std::string_view("bridge") : table->name;
  const std::string_view title = table == nullptr ? std::string_view("Megatron Bridge") : table->title;
  SchemaJson out;
  out["$schema"] = draft;
  out["$id"] = fmt::format("urn:headroom:schema:{}:{}", name, schema::name(release));
  out["title"] = table == nullptr ? fmt::format("{} {}", title, schema::name(release)) : std::string(title);
  out["description"] =
      table == nullptr
          ? std::string("Training config: a saved run_config.yaml or a file of overrides")
          : fmt::format("Read from {}; fields as of Megatron Bridge {}", table->read, schema::name(release));
  const SchemaJson body =
      table == nullptr ? bridge_schema(schema, release) : Tree(schema, *table, release).root();
  out.update(body);
  return dump(out);
}

}  // namespace headroom::report
