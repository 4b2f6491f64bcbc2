#include "schema_builder.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "dialect_builder.hpp"

namespace headroom::embed {

using schema::FieldId;
using schema::FieldValue;
using schema::Release;
using schema::ReleaseSet;
using source::NodeId;

void SchemaBuilder::read_recipes() {
  auto in = TableReader::open(dir_ + "/schema/precision_recipes.yaml", errors_);
  if (!in) return;
  std::vector<schema::PrecisionRecipe> out;
  in->each(in->root(), [&](std::string_view name, NodeId, NodeId body) {
    in->only(body, {"releases", "sets"});
    ReleaseSet releases = in->releases(body, "releases");
    std::vector<std::pair<FieldId, std::vector<Valued>>> sets;
    in->each(in->get(body, "sets"), [&](std::string_view field, NodeId key, NodeId value) {
      FieldId id = field_named(*in, key, fmt::format("mixed_precision.{}", field));
      if (id == schema::no_field) return;
      sets.emplace_back(id, values(*in, value));
      for (const Valued& v : sets.back().second) check_value(*in, value, id, v.value);
    });
    // One entry for each group of releases in which the recipe sets the same.
    std::vector<std::pair<ReleaseSet, std::vector<FieldValue>>> groups;
    for (int i = 0; i < schema::release_count; ++i) {
      auto r = static_cast<Release>(i);
      if (!schema::contains(releases, r)) continue;
      std::vector<FieldValue> now;
      for (const auto& [field, list] : sets)
        for (const Valued& v : list)
          if (schema::contains(v.releases, r)) now.push_back({field, v.value});
      auto same = std::find_if(groups.begin(), groups.end(), [&](const auto& g) {
        return std::equal(
            g.second.begin(), g.second.end(), now.begin(), now.end(),
            [](FieldValue a, FieldValue b) { return a.field == b.field && a.value == b.value; });
      });
      auto bit = static_cast<ReleaseSet>(1u << static_cast<unsigned>(i));
      if (same == groups.end()) {
        groups.emplace_back(bit, std::move(now));
      } else {
        same->first = static_cast<ReleaseSet>(same->first | bit);
      }
    }
    std::string_view kept = arena_.keep(name);
    for (auto& [set, list] : groups) out.push_back({kept, set, arena_.keep(std::move(list))});
  });
  out_.recipes = arena_.keep(std::move(out));
}

void SchemaBuilder::read_renames() {
  auto in = TableReader::open(dir_ + "/schema/renames.yaml", errors_);
  if (!in) return;
  std::vector<schema::Rename> out;
  in->each_item(in->root(), [&](NodeId item) {
    in->only(item, {"from", "to", "note"});
    schema::Rename r{arena_.keep(in->text(item, "from")), arena_.keep(in->text(item, "to")),
                     arena_.keep(in->text(item, "note"))};
    if (!r.to.empty()) (void)field_named(*in, in->get(item, "to"), std::string(r.to));
    out.push_back(r);
  });
  out_.renames = arena_.keep(std::move(out));
}

void SchemaBuilder::read_gpus() {
  auto in = TableReader::open(dir_ + "/gpus.yaml", errors_);
  if (!in) return;
  std::vector<schema::Gpu> out;
  in->each(in->root(), [&](std::string_view name, NodeId key, NodeId body) {
    in->only(body, {"aliases", "total_bytes", "host_bytes", "basis", "compute_capability", "memory_bandwidth",
                    "bf16", "fp16", "fp8", "fp4", "nvlink_bandwidth", "gpus_per_node", "nvlink_domain",
                    "network_bandwidth", "host_bandwidth", "host_memory_bandwidth"});
    schema::Gpu g;
    g.kind = arena_.keep(name);
    g.aliases = keep_texts(in->texts(body, "aliases"));
    auto bytes = in->integer(body, "total_bytes");
    if (!bytes || *bytes <= 0) in->fail(key, "a GPU kind needs total_bytes");
    g.total_bytes = static_cast<std::uint64_t>(bytes.value_or(0));
    g.host_bytes = static_cast<std::uint64_t>(in->integer(body, "host_bytes").value_or(0));
    g.compute_capability = in->number(body, "compute_capability").value_or(0);
    g.memory_bandwidth = in->number(body, "memory_bandwidth").value_or(0);
    g.bf16_flops = in->number(body, "bf16").value_or(0);
    g.fp16_flops = in->number(body, "fp16").value_or(0);
    g.fp8_flops = in->number(body, "fp8").value_or(0);
    g.fp4_flops = in->number(body, "fp4").value_or(0);
    g.nvlink_bandwidth = in->number(body, "nvlink_bandwidth").value_or(0);
    g.gpus_per_node = static_cast<int>(in->integer(body, "gpus_per_node").value_or(8));
    g.nvlink_domain = static_cast<int>(in->integer(body, "nvlink_domain").value_or(g.gpus_per_node));
    g.network_bandwidth = in->number(body, "network_bandwidth").value_or(0);
    g.host_bandwidth = in->number(body, "host_bandwidth").value_or(0);
    g.host_memory_bandwidth = in->number(body, "host_memory_bandwidth").value_or(0);
    out.push_back(g);
  });
  out_.gpus = arena_.keep(std::move(out));
}

void SchemaBuilder::read_models() {
  std::vector<schema::ModelFacts> out;
  for (const std::string& path : files_in(dir_ + "/models", ".yaml")) {
    auto in = TableReader::open(path, errors_);
    if (!in) continue;
    in->each(in->root(), [&](std::string_view name, NodeId key, NodeId body) {
      in->only(body, {"aliases", "provider", "note", "source", "values"});
      schema::ModelFacts m;
      m.id = arena_.keep(name);
      m.aliases = keep_texts(in->texts(body, "aliases"));
      m.provider = arena_.keep(in->text(body, "provider"));
      if (!classes_.contains(m.provider)) in->fail(key, fmt::format("there is no class '{}'", m.provider));
      std::vector<FieldValue> list;
      in->each(in->get(body, "values"), [&](std::string_view field, NodeId field_key, NodeId value) {
        FieldId id = field_named(*in, field_key, fmt::format("model.{}", field));
        if (id == schema::no_field) return;
        list.push_back({id, literal(*in, value)});
        check_value(*in, value, id, list.back().value);
      });
      m.values = arena_.keep(std::move(list));
      out.push_back(m);
    });
  }
  out_.models = arena_.keep(std::move(out));
}

void SchemaBuilder::read_dialects() {
  std::vector<schema::DialectTable> out;
  for (const std::string& path : files_in(dir_ + "/dialects", ".yaml")) {
    auto in = TableReader::open(path, errors_);
    if (in) out.push_back(DialectBuilder(*this, *in, arena_).build());
  }
  std::sort(out.begin(), out.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
  out_.dialects = arena_.keep(std::move(out));
}

bool SchemaBuilder::is_extra(FieldId id) const {
  return fields_[id].space == schema::Space::extra;
}

bool SchemaBuilder::has_prefix(std::string_view name) const {
  const auto it = ids_.lower_bound(fmt::format("{}.", name));
  return it != ids_.end() && std::string_view(it->first).starts_with(fmt::format("{}.", name));
}

schema::Schema SchemaBuilder::build() {
  (void)null_literal();  // number 0
  read_sections();
  read_field_files();
  read_nested();
  read_plain("/schema/environment.yaml", "env", schema::Space::environment);
  read_plain("/schema/launch.yaml", "launch", schema::Space::launch);
  read_plain("/schema/memory.yaml", "memory", schema::Space::launch);
  read_plain("/schema/oom.yaml", "oom", schema::Space::launch);
  read_derived();
  read_extra();
  if (!errors_.empty() && sections_.empty()) return out_;
  number_fields();
  read_classes();
  finish_classes();
  check_class_names();
  read_recipes();
  read_renames();
  read_gpus();
  read_models();
  read_dialects();
  read_training_recipes();
  read_evidence();
  out_.literals = arena_.keep(std::move(literals_));
  out_.list_items = arena_.keep(std::move(list_items_));
  return out_;
}

LoadedSchema::LoadedSchema() : storage(std::make_unique<Storage>()) {}
LoadedSchema::~LoadedSchema() = default;
LoadedSchema::LoadedSchema(LoadedSchema&&) noexcept = default;
LoadedSchema& LoadedSchema::operator=(LoadedSchema&&) noexcept = default;
const schema::Schema& LoadedSchema::view() const {
  return storage->view;
}

tl::expected<LoadedSchema, Errors> load_schema(const std::string& rules_dir) {
  LoadedSchema out;
  Errors errors;
  out.storage->view = SchemaBuilder(rules_dir, out.storage->arena, errors).build();
  if (!errors.empty()) return tl::unexpected(std::move(errors));
  return out;
}

}  // namespace headroom::embed
