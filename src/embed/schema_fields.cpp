#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "schema_builder.hpp"

namespace headroom::embed {

using schema::Field;
using schema::FieldId;
using schema::LiteralId;
using schema::Space;
using schema::Type;
using schema::TypeSet;
using source::NodeId;
using source::NodeKind;

namespace {

struct TypeName {
  std::string_view text;
  Type type;
};
constexpr std::array<TypeName, 13> type_names{{{"bool", Type::boolean},
                                               {"int", Type::integer},
                                               {"float", Type::floating},
                                               {"str", Type::string},
                                               {"string", Type::string},
                                               {"enum", Type::enumeration},
                                               {"dtype", Type::dtype},
                                               {"callable", Type::callable},
                                               {"config", Type::config},
                                               {"dict", Type::dict},
                                               {"any", Type::any},
                                               {"list", Type::list},
                                               {"version", Type::version}}};

TypeSet bits(Type t) {
  return static_cast<TypeSet>(t);
}

/// Splits `a|list[b|c]` at the bars outside brackets.
std::vector<std::string_view> alternatives(std::string_view text) {
  std::vector<std::string_view> out;
  int depth = 0;
  std::size_t start = 0;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    if (i == text.size() || (text[i] == '|' && depth == 0)) {
      out.push_back(text.substr(start, i - start));
      start = i + 1;
    } else if (text[i] == '[') {
      ++depth;
    } else if (text[i] == ']') {
      --depth;
    }
  }
  return out;
}

struct ParsedType {
  TypeSet type = 0, element = 0;
  bool ok = true;
};

ParsedType parse_type(std::string_view text) {
  ParsedType out;
  for (std::string_view part : alternatives(text)) {
    if (part.starts_with("list[") && part.ends_with(']')) {
      out.type = static_cast<TypeSet>(out.type | bits(Type::list));
      auto inner = parse_type(part.substr(5, part.size() - 6));
      out.element = static_cast<TypeSet>(out.element | inner.type);
      out.ok = out.ok && inner.ok;
      continue;
    }
    auto it =
        std::find_if(type_names.begin(), type_names.end(), [&](const TypeName& n) { return n.text == part; });
    if (it == type_names.end()) {
      out.ok = false;
    } else {
      out.type = static_cast<TypeSet>(out.type | bits(it->type));
      if (it->type == Type::list) out.element = bits(Type::any);
    }
  }
  return out;
}

}  // namespace

Field SchemaBuilder::named(std::string_view name, Space space, TypeSet type) {
  Field f;
  f.name = arena_.keep(name);
  f.space = space;
  f.type = type;
  f.nullable = true;
  return f;
}

void SchemaBuilder::add_field(Field field, const TableReader& in, NodeId at) {
  auto place = in.doc().source->location(in.node(at).span);
  auto [it, fresh] = where_.try_emplace(std::string(field.name), in.file(), place);
  if (!fresh)
    return in.fail(at, fmt::format("'{}' is defined twice, before in {}:{}", field.name, it->second.first,
                                   it->second.second.start.line));
  fields_.push_back(field);
}

void SchemaBuilder::read_type(const TableReader& in, NodeId body, Field& field) {
  NodeId at = in.get(body, "type");
  if (at == source::no_node) {
    field.type = field.space == Space::environment ? bits(Type::string) : bits(Type::any);
    if (field.space != Space::environment) in.fail(body, "a field needs a type");
    return;
  }
  auto parsed = parse_type(in.text(at));
  if (!parsed.ok) in.fail(at, fmt::format("'{}' is no type", in.text(at)));
  field.type = parsed.type;
  field.element = parsed.element;
}

void SchemaBuilder::read_choices(const TableReader& in, NodeId body, Field& field) {
  NodeId at = in.get(body, "choices");
  if (at != source::no_node) {
    std::vector<schema::Choices> choices;
    for (const ReleaseValue& v : in.by_release(at)) {
      std::vector<std::string> texts;
      in.each_item(v.node, [&](NodeId item) { texts.push_back(in.text(item)); });
      choices.push_back({v.releases, keep_texts(texts)});
    }
    field.choices = arena_.keep(std::move(choices));
  }
  field.also_accepted = keep_texts(in.texts(body, "also"));
  field.choices_checked = in.boolean(body, "checked", false);
}

Field SchemaBuilder::read_field(const TableReader& in, NodeId body, std::string_view name, Space space) {
  in.only(body, {"type", "nullable", "default", "choices", "checked", "also", "enum", "releases",
                 "deprecated", "replacement", "provider_specific", "in", "doc", "expr"});
  Field f = named(name, space, 0);
  f.nullable = in.boolean(body, "nullable", space != Space::config);
  read_type(in, body, f);
  read_choices(in, body, f);
  f.releases = in.releases(body, "releases");
  if (NodeId at = in.get(body, "deprecated"); at != source::no_node) {
    f.deprecated = in.node(at).value.is_bool()
                       ? (in.node(at).value.as_bool() ? f.releases : schema::ReleaseSet{0})
                       : in.range(at, in.text(at));
  }
  f.replacement = arena_.keep(in.text(body, "replacement"));
  f.provider_specific = in.boolean(body, "provider_specific", false);
  f.classes = keep_texts(in.texts(body, "in"));
  f.doc = arena_.keep(in.text(body, "doc"));
  f.enum_class = arena_.keep(in.text(body, "enum"));
  if (NodeId at = in.get(body, "default"); at != source::no_node) {
    std::vector<schema::Default> defaults;
    for (const Valued& v : values(in, at)) defaults.push_back({v.releases, v.value});
    f.defaults = arena_.keep(std::move(defaults));
  }
  return f;
}

void SchemaBuilder::read_sections() {
  auto in = TableReader::open(dir_ + "/schema/sections.yaml", errors_);
  if (!in) return;
  in->each(in->root(), [&](std::string_view name, NodeId key, NodeId body) {
    in->only(body, {"class", "nullable", "present", "required", "releases", "doc"});
    schema::Section s;
    s.name = arena_.keep(name);
    s.standard_class = arena_.keep(in->text(body, "class"));
    s.releases = in->releases(body, "releases");
    s.nullable = in->boolean(body, "nullable", false);
    s.present = in->boolean(body, "present", true);
    s.required = in->boolean(body, "required", false);
    Field f = named(name, Space::section, bits(Type::section));
    if (name == "mixed_precision") f.type = static_cast<TypeSet>(f.type | bits(Type::string));
    f.nullable = s.nullable;
    f.releases = s.releases;
    f.doc = arena_.keep(in->text(body, "doc"));
    sections_.push_back(s);
    add_field(f, *in, key);
    if (s.standard_class.empty()) return;
    Field target = named(fmt::format("{}._target_", name), Space::config, bits(Type::string));
    target.releases = s.releases;
    target.doc = "Class of the section, a dotted name";
    add_field(target, *in, key);
    if (name != "model") return;
    Field builder = named("model._builder_", Space::config, bits(Type::string));
    builder.doc = "Builder of a model config that is no provider, a dotted name";
    add_field(builder, *in, key);
  });
}

void SchemaBuilder::read_field_files() {
  for (const std::string& path : files_in(dir_ + "/schema/fields", ".yaml")) {
    auto in = TableReader::open(path, errors_);
    if (!in) continue;
    // `model.parallel.yaml` holds fields of `model`.
    std::string file = stem(path);
    std::string section = file.substr(0, file.find('.'));
    bool known =
        std::any_of(sections_.begin(), sections_.end(), [&](const auto& s) { return s.name == section; });
    if (!known) in->fail(in->root(), fmt::format("there is no section '{}' in sections.yaml", section));
    in->each(in->root(), [&](std::string_view name, NodeId key, NodeId body) {
      add_field(read_field(*in, body, fmt::format("{}.{}", section, name), Space::config), *in, key);
    });
  }
}

void SchemaBuilder::read_nested() {
  auto in = TableReader::open(dir_ + "/schema/nested.yaml", errors_);
  if (!in) return;
  in->each(in->root(), [&](std::string_view, NodeId, NodeId body) { read_nested_class(*in, body); });
}

void SchemaBuilder::read_nested_class(const TableReader& in, NodeId body) {
  in.only(body, {"under", "releases", "open", "fields"});
  auto releases = in.releases(body, "releases");
  for (const std::string& holder : in.texts(body, "under")) {
    auto parent =
        std::find_if(fields_.begin(), fields_.end(), [&](const Field& f) { return f.name == holder; });
    if (parent == fields_.end()) {
      in.fail(in.get(body, "under"), fmt::format("there is no field '{}'", holder));
      continue;
    }
    auto classes = parent->classes;
    auto within = static_cast<schema::ReleaseSet>(releases & parent->releases);
    in.each(in.get(body, "fields"), [&](std::string_view name, NodeId key, NodeId field_body) {
      Field f = read_field(in, field_body, fmt::format("{}.{}", holder, name), Space::config);
      f.releases = static_cast<schema::ReleaseSet>(f.releases & within);
      f.classes = classes;
      if (f.releases == 0) return;  // the holder came after the field went
      parent_names_.emplace(std::string(f.name), holder);
      add_field(f, in, key);
    });
  }
}

void SchemaBuilder::read_plain(const std::string& file, std::string_view prefix, Space space) {
  auto in = TableReader::open(dir_ + file, errors_);
  if (!in) return;
  in->each(in->root(), [&](std::string_view name, NodeId key, NodeId body) {
    add_field(read_field(*in, body, fmt::format("{}.{}", prefix, name), space), *in, key);
  });
}

void SchemaBuilder::read_derived() {
  for (const std::string& path : files_in(dir_ + "/schema/derived", ".yaml")) {
    auto in = TableReader::open(path, errors_);
    if (!in) continue;
    in->each(in->root(), [&](std::string_view name, NodeId key, NodeId body) {
      if (in->get(body, "expr") == source::no_node) in->fail(key, "a derived value needs an 'expr'");
      add_field(read_field(*in, body, fmt::format("derived.{}", name), Space::derived), *in, key);
    });
  }
}

/// `args.yaml` holds `args.…`: settings that only other config languages have.
void SchemaBuilder::read_extra() {
  for (const std::string& path : files_in(dir_ + "/schema/extra", ".yaml"))
    read_plain("/schema/extra/" + stem(path) + ".yaml", stem(path), Space::extra);
}

/// Sorted by name: look-ups are binary searches and the fields of a section lie together.
void SchemaBuilder::number_fields() {
  std::sort(fields_.begin(), fields_.end(), [](const Field& a, const Field& b) { return a.name < b.name; });
  if (fields_.size() >= schema::no_field) {
    errors_.push_back({"too many fields for 16-bit numbers", dir_, {}, false});
    fields_.resize(1000);
  }
  for (std::size_t i = 0; i < fields_.size(); ++i) ids_.emplace(fields_[i].name, static_cast<FieldId>(i));
  for (Field& f : fields_) {
    if (f.space != Space::config && f.space != Space::section) continue;
    std::string_view section = f.name.substr(0, f.name.find('.'));
    auto it =
        std::find_if(sections_.begin(), sections_.end(), [&](const auto& s) { return s.name == section; });
    if (it != sections_.end()) f.section = static_cast<std::uint8_t>(it - sections_.begin());
    if (auto p = parent_names_.find(f.name); p != parent_names_.end()) f.parent = ids_.at(p->second);
  }
  for (schema::Section& s : sections_) {
    s.field = ids_.at(std::string(s.name));
    auto target = ids_.find(fmt::format("{}._target_", s.name));
    if (target != ids_.end()) s.target = target->second;
  }
  std::vector<FieldId> by_name(fields_.size());
  for (std::size_t i = 0; i < by_name.size(); ++i) by_name[i] = static_cast<FieldId>(i);
  out_.fields = arena_.keep(fields_);
  out_.by_name = arena_.keep(std::move(by_name));
  out_.by_hash = arena_.keep(schema::hash_table(fields_));
  std::vector<std::string_view> names;
  for (const auto& s : sections_) names.push_back(s.name);
  out_.section_names = arena_.keep(std::move(names));
  out_.sections = arena_.keep(sections_);
}

}  // namespace headroom::embed
