// A small hand-made schema: the tests of the language do not move with the real tables.
#pragma once
#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "headroom/lang/expr.hpp"
#include "headroom/schema/schema.hpp"

namespace headroom::test {

inline constexpr std::string_view granularity[] = {"full", "selective"};
inline constexpr std::string_view old_modules[] = {"core_attn", "moe"};
inline constexpr std::string_view new_modules[] = {"core_attn", "moe", "mlp"};
inline constexpr std::string_view backends[] = {"auto", "flash", "fused"};
inline constexpr schema::Choices granularity_choices[] = {{schema::all_releases, granularity}};
inline constexpr schema::Choices module_choices[] = {{0x07, old_modules}, {0x38, new_modules}};
inline constexpr schema::Choices backend_choices[] = {{schema::all_releases, backends}};
inline constexpr std::string_view bases[] = {"GPTModelProvider", "TransformerConfig"};
inline constexpr schema::ClassInfo classes[] = {
    {"GPTModelProvider", "model", schema::all_releases, {}, {}},
    {"Qwen3MoEModelProvider", "model", schema::all_releases, bases, {}},
    {"TransformerConfig", "model", schema::all_releases, {}, {}}};

class SmallSchema {
 public:
  SmallSchema() {
    using schema::Space;
    using schema::Type;
    add("model", Space::section, {Type::section});
    add("peft", Space::section, {Type::section});
    add("model._target_", Space::config, {Type::string});
    add("model.num_layers", Space::config, {Type::integer});
    add("model.lr", Space::config, {Type::floating});
    add("model.flag", Space::config, {Type::boolean});
    add("model.name", Space::config, {Type::string});
    add("model.free", Space::config, {Type::any});
    add("model.dict", Space::config, {Type::dict});
    add("model.recompute_granularity", Space::config, {Type::string, Type::enumeration}).choices =
        granularity_choices;
    auto& modules = add("model.recompute_modules", Space::config, {Type::list});
    modules.element = static_cast<schema::TypeSet>(Type::string);
    modules.choices = module_choices;
    add("model.attention_backend", Space::config, {Type::enumeration}).choices = backend_choices;
    add("model.params_dtype", Space::config, {Type::dtype});
    add("model.layout", Space::config, {Type::string, Type::list});
    add("model.pattern", Space::config, {Type::string});
    auto& sizes = add("model.sizes", Space::config, {Type::list});
    sizes.element = static_cast<schema::TypeSet>(Type::integer);
    add("env.NCCL_ALGO", Space::environment, {Type::string});
    add("env.QUEUES", Space::environment, {Type::string});
    add("launch.gpus", Space::launch, {Type::integer});
    add("launch.te", Space::launch, {Type::version});
    add("launch.bridge", Space::launch, {Type::version});
    add("derived.dp", Space::derived, {Type::integer});
    by_name_.resize(fields_.size());
    for (std::size_t i = 0; i < fields_.size(); ++i) by_name_[i] = static_cast<schema::FieldId>(i);
    std::sort(by_name_.begin(), by_name_.end(),
              [&](auto a, auto b) { return fields_[a].name < fields_[b].name; });
    schema.fields = fields_;
    schema.by_name = by_name_;
    by_hash_ = schema::hash_table(fields_);
    schema.by_hash = by_hash_;
    schema.section_names = sections_;
    schema.classes = classes;
  }
  SmallSchema(const SmallSchema&) = delete;
  SmallSchema& operator=(const SmallSchema&) = delete;

  schema::Schema schema;

 private:
  schema::Field& add(std::string_view name, schema::Space space, std::vector<schema::Type> types) {
    schema::Field f;
    f.name = name;
    f.space = space;
    for (const auto t : types)
      f.type = static_cast<schema::TypeSet>(f.type | static_cast<schema::TypeSet>(t));
    f.nullable = true;
    fields_.push_back(f);
    return fields_.back();
  }

  std::vector<schema::Field> fields_;
  std::vector<schema::FieldId> by_name_, by_hash_;
  std::array<std::string_view, 2> sections_{"model", "peft"};
};

/// Values by name; every other field is null, as a config that says nothing.
class Values {
 public:
  explicit Values(const schema::Schema& schema)
      : schema_(schema), now(schema.size()), raw(schema.size()), set(schema.size(), 0) {}

  Values& with(std::string_view name, source::Value value) {
    const auto id = schema_.find(name);
    now[id] = value;
    raw[id] = std::move(value);
    set[id] = 1;
    return *this;
  }
  [[nodiscard]] lang::Scope scope() const { return {&schema_, release, now, raw, set}; }

 private:
  const schema::Schema& schema_;

 public:
  std::vector<source::Value> now, raw;
  std::vector<std::uint8_t> set;
  schema::Release release = schema::Release::main;
};

}  // namespace headroom::test
