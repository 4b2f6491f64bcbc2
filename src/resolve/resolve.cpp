#include "headroom/resolve/effective.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace headroom::resolve {

using dialect::Settings;
using schema::FieldId;
using schema::Schema;
using schema::Space;
using source::Value;

namespace {

/// Whether the launch line may say more than it shows: `"$@"`, or arguments without their program.
bool is_open_ended(const Settings& settings) {
  const source::Script* script = settings.script.get();
  if (script == nullptr) return false;
  if (script->form == source::Script::Form::words || settings.command >= script->commands.size()) return true;
  const std::vector<source::Word>& words = script->commands[settings.command].words;
  const auto first = words.begin() + std::min<std::ptrdiff_t>(settings.arguments, std::ssize(words));
  return std::any_of(first, words.end(), [](const source::Word& w) { return w.any_number; });
}

/// The program that a script starts, without its folders; empty for other configs.
std::string program_of(const Settings& settings) {
  const source::Script* script = settings.script.get();
  if (script == nullptr || settings.command >= script->commands.size() || settings.arguments == 0) return {};
  const std::vector<source::Word>& words = script->commands[settings.command].words;
  if (settings.arguments > words.size()) return {};
  const std::string& path = words[settings.arguments - 1].text;
  return path.substr(path.find_last_of('/') + 1);
}

class Resolver {
 public:
  Resolver(const Settings& settings, const LaunchContext& launch, const Schema& schema,
           const ResolvePack& pack)
      : settings_(settings), schema_(schema), pack_(pack) {
    out_.schema = &schema;
    out_.launch = launch;
    out_.layer = settings.layer;
    auto n = schema.size();
    out_.now.resize(n);
    out_.raw.resize(n);
    out_.set.assign(n, 0);
    out_.origin.resize(n);
    last_step_.assign(n, nullptr);
    written_.assign(n, nullptr);
    for (const dialect::Setting& s : settings.settings) written_[s.field] = &s;
  }

  EffectiveConfig run() && {
    fill_launch();
    find_classes();
    fill_defaults();
    apply_dialect(table());
    apply_model_facts();
    apply_settings();
    close_absent_sections();
    expand_precision_recipe();
    out_.now = out_.raw;
    overlay_environment();
    for (const Step& step : pack_.steps) run_step(step);
    for (const Derived& d : pack_.derived) {
      out_.now[d.field] = lang::evaluate(pack_.pool, d.value, out_.scope());
      out_.raw[d.field] = out_.now[d.field];
      out_.origin[d.field] = {OriginKind::derived, {}};
    }
    collect_rewrites();
    return std::move(out_);
  }

 private:
  std::string_view keep(std::string text) {
    out_.owned.push_back(std::make_shared<const std::string>(std::move(text)));
    return *out_.owned.back();
  }

  void put(std::string_view name, Value value, OriginKind kind) {
    FieldId id = schema_.find(name);
    if (id == schema::no_field) return;
    out_.raw[id] = std::move(value);
    out_.origin[id] = {kind, {}};
  }

  void fill_launch() {
    const LaunchContext& l = out_.launch;
    const schema::ReleaseInfo& release = schema::info(l.release);
    put("launch.gpus", l.gpus ? Value(*l.gpus) : Value::unknown(), OriginKind::launch);
    put("launch.gpu", l.gpu != nullptr ? Value(l.gpu->kind) : Value::unknown(), OriginKind::launch);
    // A kind whose capability is not published counts as unknown.
    bool sm_known = l.gpu != nullptr && l.gpu->compute_capability > 0;
    put("launch.sm", sm_known ? Value(l.gpu->compute_capability) : Value::unknown(), OriginKind::launch);
    put("launch.dialect", settings_.dialect, OriginKind::launch);
    put("launch.open_ended", Value(is_open_ended(settings_)), OriginKind::launch);
    const std::string program = program_of(settings_);
    put("launch.program", program.empty() ? Value{} : Value(program), OriginKind::launch);
    put("launch.dump", Value(settings_.full_dump), OriginKind::launch);
    put("launch.te", schema::to_string(l.te.value_or(release.te)), OriginKind::launch);
    put("launch.torch", schema::to_string(l.torch.value_or(release.torch)), OriginKind::launch);
    put("launch.bridge", schema::to_string(release.bridge), OriginKind::launch);
    put("launch.mcore", schema::to_string(l.mcore.value_or(release.mcore)), OriginKind::launch);
    for (const auto& [name, value] : l.facts) put(name, value, OriginKind::launch);
  }

  /// The class of every section decides its defaults and its fields.
  void find_classes() {
    classes_.resize(schema_.sections.size());
    for (std::size_t i = 0; i < classes_.size(); ++i) {
      const schema::Section& section = schema_.sections[i];
      if (section.target == schema::no_field) continue;
      const dialect::Setting* s = written_[section.target];
      std::string_view name = section.standard_class;
      if (s != nullptr && s->value.is_string()) {
        name = s->value.as_string();
      } else if (section.name == "model" && out_.launch.model != nullptr) {
        name = out_.launch.model->provider;
        out_.raw[section.target] = Value(name);
      }
      classes_[i] = schema_.find_class(name);
    }
  }

  const schema::ClassInfo* class_of(const schema::Field& field) const {
    return field.section < classes_.size() ? classes_[field.section] : nullptr;
  }

  void fill_defaults() {
    for (std::size_t i = 0; i < schema_.size(); ++i) {
      auto id = static_cast<FieldId>(i);
      const schema::Field& field = schema_.field(id);
      if (field.space != Space::config || field.name.ends_with("._target_")) continue;
      auto value = schema_.default_value(id, out_.launch.release, class_of(field));
      if (value) out_.raw[id] = std::move(*value);
    }
    for (const schema::Section& section : schema_.sections) {
      bool present = section.present && schema::contains(section.releases, out_.launch.release);
      out_.raw[section.field] = present ? Value(source::Opaque{}) : Value();
    }
  }

  /// The language of the file, or that of the layer: rules of Megatron-LM are tried on canonical names too.
  const schema::DialectTable* table() const {
    if (settings_.table != nullptr) return settings_.table;
    return settings_.layer == schema::Layer::megatron_lm ? schema_.find_dialect("megatron-lm") : nullptr;
  }

  /// What the program uses where the file is silent; an including table after the one that it includes.
  // NOLINTNEXTLINE(misc-no-recursion): as deep as `include`, which tables use once
  void apply_dialect(const schema::DialectTable* table) {
    if (table == nullptr) return;
    if (!table->include.empty()) apply_dialect(schema_.find_dialect(table->include));
    fill_extra(*table);
    std::string_view by = table->title;
    for (const schema::DialectDefault& d : table->defaults) {
      if (!schema::contains(d.releases, out_.launch.release)) continue;
      const schema::Field& field = schema_.field(d.field);
      if (field.space == Space::config && !schema::contains(field.releases, out_.launch.release)) continue;
      out_.raw[d.field] = schema_.value(d.value);
      out_.origin[d.field] = {OriginKind::default_value, by};
    }
    if (table->architecture && out_.launch.model == nullptr) forget_architecture();
  }

  /// Fields that only this language has, at their own defaults.
  void fill_extra(const schema::DialectTable& table) {
    for (std::size_t i = 0; i < schema_.size(); ++i) {
      const schema::Field& field = schema_.field(static_cast<FieldId>(i));
      if (field.space != Space::extra) continue;
      const std::string_view prefix = field.name.substr(0, field.name.find('.'));
      if (std::ranges::find(table.extra, prefix) == table.extra.end()) continue;
      for (const schema::Default& d : field.defaults)
        if (schema::contains(d.releases, out_.launch.release)) out_.raw[i] = schema_.value(d.value);
    }
  }

  /// The sizes of a model that is named but not known here are unknown, which is not their class defaults.
  void forget_architecture() {
    for (const schema::ModelFacts& model : schema_.models) {
      for (const schema::FieldValue& fact : model.values) {
        out_.raw[fact.field] = Value::unknown();
        out_.origin[fact.field] = {OriginKind::model_facts, {}};
      }
    }
  }

  void apply_model_facts() {
    if (out_.launch.model == nullptr) return;
    for (const schema::FieldValue& fact : out_.launch.model->values) {
      const schema::ClassInfo* cls = class_of(schema_.field(fact.field));
      if (!schema_.class_has(cls, fact.field, out_.launch.release)) continue;
      out_.raw[fact.field] = schema_.value(fact.value);
      out_.origin[fact.field] = {OriginKind::model_facts, out_.launch.model->id};
    }
  }

  void apply_settings() {
    std::string_view by_recipe;
    for (const dialect::Setting& s : settings_.settings) {
      const schema::Field& field = schema_.field(s.field);
      bool exists = field.space != Space::config || schema::contains(field.releases, out_.launch.release);
      if (!exists) continue;  // dropped by the loader
      // A dump writes defaults too; only what differs from them was chosen by somebody.
      const bool listed = settings_.full_dump || s.place.from == dialect::From::recipe;
      bool chosen = !listed || !(s.value == out_.raw[s.field]);
      out_.raw[s.field] = s.value;
      out_.set[s.field] = chosen ? 1 : 0;
      switch (s.place.from) {
        case dialect::From::file:
          out_.origin[s.field] = {OriginKind::file, {}};
          break;
        case dialect::From::set_option:
          out_.origin[s.field] = {OriginKind::set_option, {}};
          break;
        case dialect::From::recipe:
          if (by_recipe.empty()) by_recipe = keep("recipe " + settings_.recipe);
          out_.origin[s.field] = {OriginKind::recipe, by_recipe};
          break;
      }
    }
  }

  /// Fields of a section that the config does not have are null, not their class defaults.
  void close_absent_sections() {
    std::vector<bool> inhabited(schema_.sections.size());
    for (const dialect::Setting& s : settings_.settings) {
      const std::uint8_t section = schema_.field(s.field).section;
      if (section < inhabited.size()) inhabited[section] = true;
    }
    for (std::size_t i = 0; i < inhabited.size(); ++i) {
      Value& section = out_.raw[schema_.sections[i].field];
      // One field given with --set brings the section to life.
      if (section.is_null() && inhabited[i] && written_[schema_.sections[i].field] == nullptr)
        section = source::Opaque{};
    }
    for (std::size_t i = 0; i < schema_.size(); ++i) {
      const schema::Field& field = schema_.field(static_cast<FieldId>(i));
      if (field.space != Space::config || field.section >= inhabited.size()) continue;
      if (out_.raw[schema_.sections[field.section].field].is_null()) out_.raw[i] = Value();
    }
    close_absent_configs();
  }

  /// The same for configs inside sections: one of its fields brings such a config to life.
  void close_absent_configs() {
    for (const dialect::Setting& s : settings_.settings) {
      FieldId parent = schema_.field(s.field).parent;
      if (parent != schema::no_field && out_.raw[parent].is_null()) out_.raw[parent] = source::Opaque{};
    }
    for (std::size_t i = 0; i < schema_.size(); ++i) {
      FieldId parent = schema_.field(static_cast<FieldId>(i)).parent;
      if (parent != schema::no_field && out_.raw[parent].is_null()) out_.raw[i] = Value();
    }
  }

  /// What a recipe that the release does not have would set is not known, which is not the class defaults.
  void forget_section(FieldId section) {
    for (std::size_t i = 0; i < schema_.size(); ++i) {
      const schema::Field& field = schema_.field(static_cast<FieldId>(i));
      if (field.space == Space::config && field.section == schema_.field(section).section) {
        out_.raw[i] = Value::unknown();
      }
    }
  }

  void expand_precision_recipe() {
    FieldId section = schema_.find("mixed_precision");
    if (section == schema::no_field || !out_.raw[section].is_string()) return;
    recipe_name_ = out_.raw[section].as_string();
    const schema::PrecisionRecipe* recipe = schema_.find_recipe(recipe_name_, out_.launch.release);
    if (recipe == nullptr) {
      forget_section(section);
      return;
    }
    std::string_view by = keep(fmt::format("mixed_precision {}", recipe_name_));
    for (const schema::FieldValue& item : recipe->sets) {
      if (!schema::contains(schema_.field(item.field).releases, out_.launch.release)) continue;
      out_.raw[item.field] = schema_.value(item.value);
      out_.origin[item.field] = {OriginKind::recipe, by};
    }
  }

  /// The process environment wins over the config's own env_vars (os.environ.setdefault).
  void overlay_environment() {
    for (std::size_t i = 0; i < schema_.size(); ++i) {
      const schema::Field& field = schema_.field(static_cast<FieldId>(i));
      if (field.space != Space::environment) continue;
      auto it = out_.launch.env.find(field.name.substr(4));
      if (it != out_.launch.env.end() && (it->second || out_.raw[i].is_null())) {
        out_.now[i] = it->second ? Value(*it->second) : Value();
        out_.origin[i] = {OriginKind::environment, {}};
      } else if (out_.raw[i].is_null() && !out_.launch.env_complete) {
        out_.now[i] = Value::unknown();
        out_.origin[i] = {OriginKind::environment, {}};
      }
    }
  }

  bool applies(const Step& step) const {
    return schema::contains(step.releases, out_.launch.release) &&
           ((step.layers >> static_cast<int>(out_.layer)) & 1) != 0;
  }

  void run_step(const Step& step) {
    if (!applies(step)) return;
    bool certain = true;
    if (step.when != lang::no_expr) {
      Value when = lang::evaluate(pack_.pool, step.when, out_.scope());
      certain = !when.is_unknown();
      if (certain && !when.truthy()) return;
    }
    std::string_view by = step.by;
    if (by.find("{name}") != std::string_view::npos) {
      std::string text(by);
      text.replace(text.find("{name}"), 6,
                   recipe_name_.empty() ? std::string("(own values)") : std::string(recipe_name_));
      by = keep(std::move(text));
    }
    if (!step.copy_from.empty()) {
      copy(step, by);
      return;
    }
    std::vector<Value> values;
    values.reserve(step.set.size());
    for (const Assignment& a : step.set) {
      Value v = lang::evaluate(pack_.pool, a.value, out_.scope());
      // Whether this step runs is not known: then the value is known only where it would not change anything.
      values.push_back(certain || v == out_.now[a.field] ? std::move(v) : Value::unknown());
    }
    for (std::size_t i = 0; i < values.size(); ++i) write(step.set[i].field, std::move(values[i]), step, by);
  }

  void write(FieldId field, Value value, const Step& step, std::string_view by) {
    if (!schema::contains(schema_.field(field).releases, out_.launch.release)) return;
    if (value == out_.now[field] && value.is_null() == out_.now[field].is_null()) return;
    out_.now[field] = std::move(value);
    out_.origin[field] = {step.is_default ? OriginKind::default_value : OriginKind::rewritten, by};
    last_step_[field] = &step;
    last_by_.resize(schema_.size());
    last_by_[field] = by;
  }

  /// Every field of one section over the fields of the same name in others, where their class has them.
  void copy(const Step& step, std::string_view by) {
    FieldId section = schema_.find(step.copy_from);
    if (section == schema::no_field || out_.now[section].is_null()) return;
    std::string to_name;
    for (std::size_t i = 0; i < schema_.size(); ++i) {
      const schema::Field& field = schema_.field(static_cast<FieldId>(i));
      if (field.space != Space::config || field.section != schema_.field(section).section) continue;
      std::string_view leaf = field.name.substr(step.copy_from.size() + 1);
      if (leaf.starts_with('_') || leaf.find('.') != std::string_view::npos) continue;
      if (std::ranges::find(step.copy_skip, leaf) != step.copy_skip.end()) continue;
      if (!schema::contains(field.releases, out_.launch.release)) continue;
      for (std::string_view to : step.copy_to) {
        FieldId target = schema_.find(to_name.assign(to).append(".").append(leaf));
        if (target == schema::no_field) continue;
        if (!schema_.class_has(class_of(schema_.field(target)), target, out_.launch.release)) continue;
        write(target, out_.now[i], step, by);
      }
    }
  }

  void collect_rewrites() {
    for (const dialect::Setting& s : settings_.settings) {
      const Step* step = last_step_[s.field];
      if (step == nullptr || out_.now[s.field] == s.value || out_.now[s.field].is_unknown()) continue;
      const bool listed = settings_.full_dump || s.place.from == dialect::From::recipe;
      // What a dump writes into a deprecated field is a leftover.
      bool leftover = listed && schema::contains(schema_.field(s.field).deprecated, out_.launch.release);
      bool chosen = out_.set[s.field] != 0 && !s.value.is_null() && !leftover;
      out_.rewrites.push_back({s.field, s.value, step->name, last_by_[s.field],
                               step->is_default || !chosen || (step->is_moved && listed)});
    }
  }

  const Settings& settings_;
  const Schema& schema_;
  const ResolvePack& pack_;
  EffectiveConfig out_;
  std::vector<const schema::ClassInfo*> classes_;  ///< by section
  std::vector<const dialect::Setting*> written_;   ///< by FieldId
  std::vector<const Step*> last_step_;             ///< by FieldId: who changed it last
  std::vector<std::string_view> last_by_;
  std::string_view recipe_name_;
};

}  // namespace

EffectiveConfig resolve(const Settings& settings, const LaunchContext& launch, const Schema& schema,
                        const ResolvePack& pack) {
  return Resolver(settings, launch, schema, pack).run();
}

}  // namespace headroom::resolve
