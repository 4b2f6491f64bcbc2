#include "headroom/dialect/bridge.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "checks.hpp"
#include "normalise.hpp"

namespace headroom::dialect {

using schema::FieldId;
using schema::Release;
using schema::Schema;
using source::Document;
using source::Node;
using source::NodeId;
using source::NodeKind;
using source::Opaque;
using source::Value;

namespace {

bool is_directive(std::string_view key) {
  return key == "_target_" || key == "_call_" || key == "_partial_" || key == "_args_" || key == "_name_" ||
         key == "_builder_" || key == "_convert_" || key == "_recursive_";
}

std::string_view last_part(std::string_view dotted) {
  auto dot = dotted.rfind('.');
  return dot == std::string_view::npos ? dotted : dotted.substr(dot + 1);
}

/// Nobody reads more: a text with so many unknown keys is no config, or of another program.
constexpr std::size_t most_hints = 1000;

class Reader {
 public:
  Reader(std::shared_ptr<const Document> doc, const Schema& schema, Release r)
      : schema_(schema), release_(r) {
    out_.document = std::move(doc);
  }

  Settings read() && {
    const Document& doc = *out_.document;
    if (doc.root == source::no_node) return std::move(out_);
    if (doc.node(doc.root).kind != NodeKind::mapping) return std::move(out_);
    out_.full_dump = is_full_dump();
    find_layer();
    for (const source::Member& m : doc.node(doc.root).members) read_section(m);
    drop_duplicates();
    const std::vector<const schema::ClassInfo*> classes = find_classes();
    for (const Setting& setting : out_.settings) {
      const std::uint8_t section = schema_.field(setting.field).section;
      check_setting(out_, setting, schema_, release_, section < classes.size() ? classes[section] : nullptr);
    }
    add_remarks();
    return std::move(out_);
  }

 private:
  /// A saved config lists every field of every section, so a value there is not evidence that somebody chose
  /// it.
  bool is_full_dump() const {
    const Document& doc = *out_.document;
    NodeId target = doc.find(doc.root, "_target_");
    return target != source::no_node && last_part(doc.node(target).text) == "ConfigContainer" &&
           doc.nodes.size() > 600;
  }

  void find_layer() {
    const Document& doc = *out_.document;
    NodeId model = doc.find(doc.root, "model");
    if (model == source::no_node) return;
    NodeId target = doc.find(model, "_target_");
    if (target == source::no_node) return;
    if (doc.node(target).text.starts_with("megatron.core.")) out_.layer = schema::Layer::megatron_core;
  }

  Place place(const source::Member& m, std::string written) const {
    const Document& doc = *out_.document;
    return {doc.source, doc.node(m.key).span, doc.node(m.value).span, From::file, std::move(written)};
  }

  void add(FieldId field, Value value, Place where) {
    out_.settings.push_back({field, normalise(std::move(value), schema_.field(field)), std::move(where)});
  }

  /// Only remarks ask for the name of a node, and few documents have any.
  void note_name(NodeId node, const std::string& canonical) {
    if (!out_.document->remarks.empty()) node_field_[node] = canonical;
  }

  void read_section(const source::Member& m) {
    const Document& doc = *out_.document;
    const std::string& name = doc.node(m.key).text;
    if (name == "headroom" || is_directive(name)) return;
    const Node& node = doc.node(m.value);
    if (name == "env_vars") {
      read_environment(m);
      return;
    }
    FieldId section = schema_.find(name);
    if (section == schema::no_field || schema_.field(section).space != schema::Space::section) {
      if (!read_extra(m, name)) unknown_section(m, name);
      return;
    }
    note_name(m.value, name);
    if (node.kind != NodeKind::mapping) {
      add(section, node_value(doc, m.value), place(m, name));
      check_recipe_name(name, m);
      return;
    }
    add(section, Opaque{}, place(m, name));
    read_members(m.value, name, name, name == "model");
  }

  /// Settings of another language in canonical names (`args: {swiglu: true}`), where the headroom block names
  /// the layer that has them.
  bool read_extra(const source::Member& m, const std::string& name) {
    const Document& doc = *out_.document;
    const NodeId block = doc.find(doc.root, "headroom");
    if (block == source::no_node || doc.find(block, "layer") == source::no_node) return false;
    if (doc.node(m.value).kind != NodeKind::mapping) return false;
    for (const source::Member& item : doc.node(m.value).members) {
      const std::string field = name + "." + doc.node(item.key).text;
      const FieldId id = schema_.find(field);
      if (id == schema::no_field || schema_.field(id).space != schema::Space::extra) return false;
      add(id, node_value(doc, item.value), place(item, field));
    }
    return true;
  }

  void unknown_section(const source::Member& m, const std::string& name) {
    const Document& doc = *out_.document;
    Problem p{"schema-check/unknown-section",
              name,
              fmt::format("Bridge {} has no section '{}'; its loader drops it with a warning",
                          schema::name(release_), name),
              place(m, name),
              {},
              {name}};
    for (auto near : schema_.suggest(name, release_)) {
      FieldId id = schema_.find(near);
      if (id != schema::no_field && schema_.field(id).space == schema::Space::section) {
        p.message += fmt::format(" (did you mean '{}'?)", near);
        break;
      }
    }
    // A field written at top level instead of in its section.
    if (doc.node(m.value).kind != NodeKind::mapping) {
      for (auto section : schema_.section_names) {
        std::string canonical = fmt::format("{}.{}", section, name);
        if (schema_.find(canonical) == schema::no_field) continue;
        p.message += fmt::format("; the field is {}", canonical);
        p.suggest_set.emplace_back(canonical, node_value(doc, m.value));
        break;
      }
    }
    out_.problems.push_back(std::move(p));
  }

  void check_recipe_name(const std::string& section, const source::Member& m) {
    const Document& doc = *out_.document;
    const Node& node = doc.node(m.value);
    if (section != "mixed_precision" || !node.value.is_string()) return;
    if (schema_.find_recipe(node.value.as_string(), release_) != nullptr) return;
    std::vector<std::string_view> known;
    for (const schema::PrecisionRecipe& recipe : schema_.recipes)
      if (schema::contains(recipe.releases, release_)) known.push_back(recipe.name);
    const std::string_view meant = schema::nearest(node.value.as_string(), known);
    Problem p{
        "schema-check/unknown-recipe",
        section,
        fmt::format("mixed_precision names the recipe '{}', which Bridge {} does not have: start-up stops",
                    node.value.as_string(), schema::name(release_)),
        place(m, section),
        {{section, Value(meant.empty() ? "bf16_mixed" : meant)}},
        {}};
    out_.problems.push_back(std::move(p));
  }

  void read_environment(const source::Member& m) {
    const Document& doc = *out_.document;
    if (doc.node(m.value).kind != NodeKind::mapping) return;
    for (const source::Member& var : doc.node(m.value).members) {
      const std::string& name = doc.node(var.key).text;
      FieldId field = schema_.find("env." + name);
      if (field == schema::no_field) continue;  // a variable that no rule asks for
      const Node& value = doc.node(var.value);
      // str(value) in Python: what os.environ receives.
      Value text = value.value.is_bool() ? Value(value.value.as_bool() ? "True" : "False")
                   : value.value.is_null()
                       ? Value()
                       : Value(value.value.is_number() ? value.value.to_text() : value.text);
      out_.settings.push_back({field, std::move(text), place(var, "env_vars." + name)});
    }
  }

  void read_members(NodeId map, const std::string& prefix, const std::string& written, bool is_model) {
    const Document& doc = *out_.document;
    for (const source::Member& m : doc.node(map).members) {
      const std::string& key = doc.node(m.key).text;
      if (is_directive(key)) {
        read_directive(m, prefix, written, key);
        continue;
      }
      const Node& node = doc.node(m.value);
      if (is_model && key == "transformer" && node.kind == NodeKind::mapping) {
        out_.builder_model = true;
        read_members(m.value, prefix, written + ".transformer", false);
        continue;
      }
      std::string canonical = prefix + "." + key;
      note_name(m.value, canonical);
      FieldId field = schema_.find(canonical);
      if (field == schema::no_field) {
        unknown_key(m, canonical, written + "." + key);
        continue;
      }
      add(field, node_value(doc, m.value), place(m, written + "." + key));
      if (node.kind == NodeKind::mapping) read_nested(m.value, canonical, written + "." + key);
    }
  }

  void read_directive(const source::Member& m, const std::string& prefix, const std::string& written,
                      const std::string& key) {
    if (prefix != written) return;  // the builder's transformer has a class of its own, which decides nothing
    FieldId field = schema_.find(prefix + "." + key);
    if (field == schema::no_field) return;
    out_.settings.push_back({field, out_.document->node(m.value).value, place(m, written + "." + key)});
  }

  /// Only the nested fields that the schema lists are followed: nested mappings are mostly free-form.
  void read_nested(NodeId map, const std::string& prefix, const std::string& written) {
    const Document& doc = *out_.document;
    for (const source::Member& m : doc.node(map).members) {
      const std::string& key = doc.node(m.key).text;
      std::string canonical = prefix + "." + key;
      FieldId field = schema_.find(canonical);
      if (field == schema::no_field) continue;
      note_name(m.value, canonical);
      if (is_directive(key)) {
        out_.settings.push_back({field, doc.node(m.value).value, place(m, written + "." + key)});
        continue;
      }
      add(field, node_value(doc, m.value), place(m, written + "." + key));
      if (doc.node(m.value).kind == NodeKind::mapping) read_nested(m.value, canonical, written + "." + key);
    }
  }

  /// Whether the table knows the class that a section names; one that names none has its standard class.
  bool class_known(std::string_view section) {
    const auto asked = class_known_.find(section);
    if (asked != class_known_.end()) return asked->second;
    const Document& doc = *out_.document;
    const NodeId target = doc.find(doc.find(doc.root, section), "_target_");
    const bool known = target == source::no_node || schema_.find_class(doc.node(target).text) != nullptr;
    class_known_.emplace(section, known);
    return known;
  }

  void unknown_key(const source::Member& m, const std::string& canonical, std::string written) {
    // A class of the user's own may have any field.
    if (!class_known(std::string_view(canonical).substr(0, canonical.find('.')))) return;
    Value value = node_value(*out_.document, m.value);
    const bool hint = out_.problems.size() < most_hints;
    out_.problems.push_back(
        unknown_field(schema_, release_, canonical, value, place(m, std::move(written)), hint));
  }

  /// The loader keeps the last of two equal keys.
  void drop_duplicates() {
    std::vector<std::size_t> last(schema_.size());
    for (std::size_t i = 0; i < out_.settings.size(); ++i) last[out_.settings[i].field] = i;
    std::size_t kept = 0;
    for (std::size_t i = 0; i < out_.settings.size(); ++i) {
      if (last[out_.settings[i].field] != i) continue;
      if (kept != i) out_.settings[kept] = std::move(out_.settings[i]);
      ++kept;
    }
    out_.settings.resize(kept);
  }

  /// By section, for all settings at once.
  std::vector<const schema::ClassInfo*> find_classes() const {
    std::vector<const schema::ClassInfo*> classes;
    classes.reserve(schema_.sections.size());
    for (const schema::Section& section : schema_.sections) {
      const Setting* target = out_.find(section.target);
      const bool named = target != nullptr && target->value.is_string();
      classes.push_back(schema_.find_class(named ? target->value.as_string() : section.standard_class));
    }
    return classes;
  }

  void add_remarks() {
    using Kind = source::Remark::Kind;
    static constexpr std::pair<Kind, std::string_view> rules[] = {
        {Kind::duplicate_key, "schema-check/duplicate-key"},
        {Kind::surprising_scalar, "schema-check/surprising-scalar"},
        {Kind::more_documents, "schema-check/more-documents"},
        {Kind::unknown_tag, "schema-check/unknown-tag"},
        {Kind::interpolation, "schema-check/unresolved-interpolation"}};
    for (const source::Remark& remark : out_.document->remarks) {
      auto rule = std::ranges::find(rules, remark.kind, &std::pair<Kind, std::string_view>::first);
      if (rule == std::end(rules)) continue;  // number_is_string is judged with the field's type
      auto field = node_field_.find(remark.node);
      Place where{out_.document->source, remark.span, remark.span, From::file, ""};
      std::string name = field == node_field_.end() ? std::string() : field->second;
      where.written_name = name;
      out_.problems.push_back({std::string(rule->second), name, remark.text, std::move(where), {}, {}});
    }
  }

  const Schema& schema_;
  Release release_;
  Settings out_;
  std::map<NodeId, std::string> node_field_;
  std::map<std::string, bool, std::less<>> class_known_;  ///< by section: a mapping may have many keys
};

}  // namespace

Settings read_bridge(std::shared_ptr<const Document> doc, const Schema& schema, Release r) {
  return Reader(std::move(doc), schema, r).read();
}

void apply_override(Settings& settings, const source::Override& word, const Schema& schema, Release r,
                    const std::string& option_name) {
  auto text = std::make_shared<source::SourceText>(option_name, word.text);
  auto end = static_cast<std::uint32_t>(word.text.size());
  apply_override(settings, word, schema, r, Place{text, {0, end}, {0, end}, From::set_option, word.key});
}

void apply_override(Settings& settings, const source::Override& word, const Schema& schema, Release r,
                    const Place& where) {
  auto set_one = [&](std::string key, const Value& value) {
    if (key.starts_with("model.transformer.")) key = "model." + key.substr(18);
    if (key.starts_with("env_vars.")) key = "env." + key.substr(9);
    FieldId field = schema.find(key);
    if (field == schema::no_field) {
      settings.problems.push_back(unknown_field(schema, r, key, value, where));
      return;
    }
    if (word.kind == source::Override::Kind::remove) {
      settings.erase(field);
      return;
    }
    std::erase_if(settings.problems, [&](const Problem& p) { return p.field == key; });
    // A name or null in place of a section leaves nothing of what stood in it.
    if (schema.field(field).space == schema::Space::section && !value.is_opaque()) {
      std::erase_if(settings.settings, [&](const Setting& old) {
        return schema.field(old.field).section == schema.field(field).section && old.field != field;
      });
    }
    settings.assign(field, normalise(value, schema.field(field)), where);
    check_setting(settings, *settings.find(field), schema, r, nullptr);
  };
  if (word.members.empty()) {
    set_one(word.key, word.value);
    return;
  }
  set_one(word.key, Opaque{});
  for (const auto& [sub, value] : word.members) set_one(word.key + "." + sub, value);
}

namespace {

std::vector<std::string> split(std::string_view dotted) {
  std::vector<std::string> path;
  std::size_t start = 0;
  while (start <= dotted.size()) {
    std::size_t dot = std::min(dotted.find('.', start), dotted.size());
    path.emplace_back(dotted.substr(start, dot - start));
    start = dot + 1;
  }
  return path;
}

/// Builder configs keep the fields of TransformerConfig one level down; the rest belongs to the config class
/// itself.
bool sits_in_transformer(const schema::Schema& schema, std::string_view canonical) {
  FieldId id = schema.find(canonical);
  if (id == schema::no_field || canonical.ends_with("._target_")) return false;
  auto classes = schema.field(id).classes;
  auto is_builder = [](std::string_view c) {
    return c == "GPTModelConfig" || c == "HybridModelConfig" || c == "MambaModelConfig";
  };
  return std::ranges::none_of(classes, is_builder);
}

}  // namespace

std::vector<std::string> path_in_file(const Settings& settings, const schema::Schema& schema,
                                      std::string_view canonical) {
  FieldId id = schema.find(canonical);
  const Setting* written = id == schema::no_field ? nullptr : settings.find(id);
  if (written != nullptr && written->place.from == From::file && !written->place.written_name.empty()) {
    return split(written->place.written_name);
  }
  std::vector<std::string> path = split(canonical);
  if (path.front() == "env") path.front() = "env_vars";
  if (settings.builder_model && path.front() == "model" && path.size() > 1 &&
      sits_in_transformer(schema, canonical)) {
    path.insert(path.begin() + 1, "transformer");
  }
  return path;
}

}  // namespace headroom::dialect
