#include <fmt/format.h>

#include <algorithm>

#include "headroom/lang/check.hpp"
#include "schema_builder.hpp"

namespace headroom::embed {

using schema::FieldId;
using schema::LiteralId;
using schema::ReleaseSet;
using source::NodeId;
using source::NodeKind;
using Kind = schema::Literal::Kind;

namespace {

ReleaseSet without(ReleaseSet set, ReleaseSet removed) {
  return static_cast<ReleaseSet>(set & ~removed & schema::all_releases);
}

}  // namespace

LiteralId SchemaBuilder::intern(Literal value, const std::string& key) {
  auto [it, fresh] = literal_ids_.try_emplace(key, static_cast<LiteralId>(literals_.size()));
  if (!fresh) return it->second;
  if (literals_.size() >= 0xffff)
    errors_.push_back({"too many different constants for 16-bit numbers", dir_, {}, false});
  value.text = arena_.keep(value.text);
  literals_.push_back(value);
  return it->second;
}

LiteralId SchemaBuilder::literal(const Literal& value) {
  return intern(value, fmt::format("{} {} {} {}", static_cast<int>(value.kind), value.integer, value.number,
                                   value.text));
}

LiteralId SchemaBuilder::list_literal(const std::vector<LiteralId>& items) {
  std::string key = fmt::format("list {}", fmt::join(items, ","));
  if (auto it = literal_ids_.find(key); it != literal_ids_.end()) return it->second;
  Literal out;
  out.kind = Kind::list;
  out.count = static_cast<std::uint32_t>(items.size());
  out.integer = static_cast<std::int64_t>(list_items_.size());
  list_items_.insert(list_items_.end(), items.begin(), items.end());
  return intern(out, key);
}

LiteralId SchemaBuilder::null_literal() {
  return literal(Literal{});
}

LiteralId SchemaBuilder::literal(const TableReader& in, NodeId id) {
  const source::Node& n = in.node(id);
  Literal out;
  if (n.kind == NodeKind::sequence) {
    std::vector<LiteralId> items;
    for (NodeId item : n.items) items.push_back(literal(in, item));
    return list_literal(items);
  }
  if (n.kind == NodeKind::mapping) {
    out.kind = Kind::opaque;
    if (!n.members.empty()) in.fail(id, "a mapping cannot be a constant ({} stands for one)");
    return literal(out);
  }
  const source::Value& v = n.value;
  if (v.is_bool()) {
    out.kind = Kind::boolean;
    out.integer = v.as_bool() ? 1 : 0;
  } else if (v.is_int()) {
    out.kind = Kind::integer;
    out.integer = v.as_int();
  } else if (v.is_double()) {
    out.kind = Kind::floating;
    out.number = v.as_double();
  } else if (v.is_string()) {
    out.kind = v.as_string() == "?"           ? Kind::computed
               : v.as_string() == "!absent"   ? Kind::absent
               : v.as_string() == "!required" ? Kind::required
                                              : Kind::string;
    if (out.kind == Kind::string) out.text = v.as_string();
  }
  return literal(out);
}

std::vector<SchemaBuilder::Valued> SchemaBuilder::values(const TableReader& in, NodeId id) {
  std::vector<Valued> out;
  for (const ReleaseValue& v : in.by_release(id)) out.push_back({v.releases, literal(in, v.node)});
  return out;
}

std::span<const std::string_view> SchemaBuilder::keep_texts(const std::vector<std::string>& texts) {
  std::vector<std::string_view> out;
  out.reserve(texts.size());
  for (const std::string& t : texts) out.push_back(arena_.keep(t));
  return arena_.keep(std::move(out));
}

FieldId SchemaBuilder::field_named(const TableReader& in, NodeId at, const std::string& name) {
  auto it = ids_.find(name);
  if (it != ids_.end()) return it->second;
  auto near = out_.suggest(name, schema::newest_release);
  in.fail(at, near.empty() ? fmt::format("there is no field '{}'", name)
                           : fmt::format("there is no field '{}'; did you mean '{}'?", name, near.front()));
  return schema::no_field;
}

void SchemaBuilder::check_value(const TableReader& in, NodeId at, FieldId field, LiteralId value) {
  Kind kind = literals_[value].kind;
  if (kind == Kind::computed || kind == Kind::absent || kind == Kind::required || kind == Kind::opaque)
    return;
  // The tables are still growing: look at them as they are.
  schema::Schema now = out_;
  now.literals = literals_;
  now.list_items = list_items_;
  if (auto problem = lang::check_value(now, field, now.value(value))) in.fail(at, *problem);
}

void SchemaBuilder::read_classes() {
  std::vector<std::string> files = files_in(dir_ + "/schema/classes", ".yaml");
  for (const std::string& path : files) {
    auto in = TableReader::open(path, errors_);
    if (!in) continue;
    in->each(in->root(),
             [&](std::string_view name, NodeId key, NodeId body) { read_class(*in, name, key, body); });
  }
  for (auto& [name, cls] : classes_) flatten(cls);
}

void SchemaBuilder::read_class(const TableReader& in, std::string_view name, NodeId key, NodeId body) {
  in.only(body, {"section", "releases", "bases", "like", "defaults"});
  ClassSource cls;
  cls.name = name;
  cls.section = in.text(body, "section");
  cls.releases = in.releases(body, "releases");
  cls.bases = in.texts(body, "bases");
  NodeId like = in.get(body, "like");
  if (like == source::no_node) {
    if (!cls.bases.empty()) cls.like = cls.bases.front();
  } else {
    cls.like = in.text(body, "like");
  }
  in.each(in.get(body, "defaults"), [&](std::string_view field, NodeId field_key, NodeId value) {
    FieldId id = field_named(in, field_key, fmt::format("{}.{}", cls.section, field));
    if (id == schema::no_field) return;
    auto list = values(in, value);
    for (Valued& v : list) {
      v.releases = static_cast<ReleaseSet>(v.releases & cls.releases);
      check_value(in, value, id, v.value);
    }
    cls.defaults.emplace(id, std::move(list));
  });
  if (!classes_.try_emplace(cls.name, cls).second)
    in.fail(key, fmt::format("class '{}' is defined twice", name));
}

/// Inherited defaults first, own ones over them, release by release.
void SchemaBuilder::flatten(ClassSource& cls) {
  if (cls.state == 2) return;
  if (cls.state == 1) {
    errors_.push_back(
        {fmt::format("class '{}' is like itself", cls.name), dir_ + "/schema/classes", {}, false});
    return;
  }
  cls.state = 1;
  if (auto base = classes_.find(cls.like); base != classes_.end() && base->second.section == cls.section) {
    flatten(base->second);
    cls.flat = base->second.flat;
  }
  for (const auto& [field, own] : cls.defaults) {
    ReleaseSet covered = 0;
    for (const Valued& v : own) covered = static_cast<ReleaseSet>(covered | v.releases);
    auto& entries = cls.flat[field];
    for (Valued& v : entries) v.releases = without(v.releases, covered);
    std::erase_if(entries, [](const Valued& v) { return v.releases == 0; });
    entries.insert(entries.end(), own.begin(), own.end());
  }
  cls.state = 2;
}

void SchemaBuilder::finish_classes() {
  std::vector<schema::ClassInfo> out;
  for (auto& [name, cls] : classes_) {
    schema::ClassInfo info;
    info.name = arena_.keep(cls.name);
    info.section = arena_.keep(cls.section);
    info.releases = cls.releases;
    info.bases = keep_texts(cls.bases);
    std::vector<schema::ClassDefault> defaults;
    for (const auto& [field, entries] : cls.flat)
      for (const Valued& v : entries)
        if ((v.releases & cls.releases) != 0)
          defaults.push_back({field, static_cast<ReleaseSet>(v.releases & cls.releases), v.value});
    info.defaults = arena_.keep(std::move(defaults));
    out.push_back(info);
  }
  for (schema::Section& s : sections_) {
    auto it = std::find_if(out.begin(), out.end(), [&](const auto& c) { return c.name == s.standard_class; });
    if (it != out.end()) s.class_index = static_cast<std::uint16_t>(it - out.begin());
  }
  out_.classes = arena_.keep(std::move(out));
  out_.sections = arena_.keep(sections_);
}

/// Every class that a field or a section names must exist.
void SchemaBuilder::check_class_names() {
  for (const schema::Field& f : fields_) {
    for (std::string_view cls : f.classes) {
      if (classes_.contains(cls)) continue;
      const auto& [file, place] = where_.at(std::string(f.name));
      errors_.push_back(
          {fmt::format("{} is in class '{}', which rules/schema/classes does not have", f.name, cls), file,
           place, true});
    }
  }
  for (const schema::Section& s : sections_)
    if (!s.standard_class.empty() && !classes_.contains(s.standard_class))
      errors_.push_back({fmt::format("section {} names class '{}', which rules/schema/classes does not have",
                                     s.name, s.standard_class),
                         dir_ + "/schema/sections.yaml",
                         {},
                         false});
}

}  // namespace headroom::embed
