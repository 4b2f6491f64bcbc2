// Into Bridge's YAML.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "fit.hpp"
#include "headroom/source/edit.hpp"
#include "lost.hpp"

namespace headroom::convert {

using resolve::EffectiveConfig;
using schema::FieldId;
using schema::Schema;
using schema::Space;
using source::Value;

namespace {

/// Model classes to try: the first whose values come nearest is taken.
constexpr std::array<std::string_view, 3> model_classes{
    "megatron.bridge.models.gpt_provider.GPTModelProvider",
    "megatron.bridge.models.mla_provider.MLAModelProvider",
    "megatron.bridge.models.mamba.mamba_provider.MambaModelProvider",
};

/// A YAML mapping in the making: keys in the order of the schema.
struct Tree {
  std::map<std::string, Tree, std::less<>> below;
  std::optional<Value> value;
};

void put(Tree& root, std::string_view dotted, const Value& value) {
  Tree* at = &root;
  while (true) {
    const std::size_t dot = std::min(dotted.find('.'), dotted.size());
    at = &at->below[std::string(dotted.substr(0, dot))];
    if (dot == dotted.size()) break;
    dotted.remove_prefix(dot + 1);
  }
  at->value = value;
}

// NOLINTNEXTLINE(misc-no-recursion): as deep as field names have dots
void print(const Tree& tree, std::size_t indent, std::string& out) {
  for (const auto& [key, child] : tree.below) {
    if (child.below.empty()) {
      out += fmt::format("{:{}}{}: {}\n", "", indent, key,
                         source::to_yaml(child.value.value_or(Value()), source::Loader::omega_conf));
      continue;
    }
    out += fmt::format("{:{}}{}:\n", "", indent, key);
    print(child, indent + 2, out);
  }
}

class Conversion {
 public:
  Conversion(const From& from, const resolve::ResolvePack& pack)
      : from_(from), wanted_(*from.config), schema_(*from.config->schema), pack_(pack) {
    wanted_.launch.model = nullptr;  // its sizes are written
  }

  Converted run() {
    Target target;
    target.fields = covered();
    Fitted best = nearest(target);
    Converted out;
    Tree tree;
    for (const dialect::Setting& s : best.settings.settings) {
      out.changes.push_back({std::string(schema_.field(s.field).name), s.value});
      put(tree, schema_.field(s.field).name, s.value);
    }
    environment(tree);
    std::ranges::sort(out.changes, {}, &dialect::Change::field);
    out.text = fmt::format("# The settings of {}, for Megatron Bridge {}.\n", from_.name,
                           schema::name(wanted_.launch.release));
    print(tree, 0, out.text);
    out.lost = lost(from_, best, target.fields, "Megatron Bridge", pack_);
    return out;
  }

 private:
  /// What the language of the source speaks of, and what it sets besides.
  std::vector<FieldId> covered() const {
    std::vector<FieldId> out;
    const schema::Release r = wanted_.launch.release;
    const bool flags = wanted_.layer == schema::Layer::megatron_lm;
    if (flags) {
      out = fields_with_flags(schema_, r);
      // Bridge leaves open (null) much that Megatron-LM's parser gives a default of its own.
      std::erase_if(out, [&](FieldId id) {
        if (wanted_.set[id] != 0 || wanted_.origin[id].kind != resolve::OriginKind::default_value)
          return false;
        const auto own = schema_.default_value(id, r, static_cast<const schema::ClassInfo*>(nullptr));
        return own && own->is_null();
      });
    }
    for (std::size_t i = 0; i < schema_.size(); ++i) {
      const auto id = static_cast<FieldId>(i);
      const schema::Field& field = schema_.field(id);
      if (field.space != Space::config || !schema::contains(field.releases, r) ||
          field.name.ends_with("._target_"))
        continue;
      const bool by_model = wanted_.origin[id].kind == resolve::OriginKind::model_facts;
      const bool by_language = !wanted_.origin[id].by.empty() && from_.settings->table != nullptr;
      if (wanted_.set[id] != 0 || by_model || by_language) out.push_back(id);
    }
    std::ranges::sort(out);
    out.erase(std::unique(out.begin(), out.end()), out.end());
    return out;
  }

  /// Fields of the model that a class does not have: its loader would drop them.
  std::vector<FieldId> foreign(std::string_view model, const std::vector<FieldId>& fields) const {
    const schema::ClassInfo* cls = schema_.find_class(model);
    std::vector<FieldId> out;
    for (const FieldId id : fields)
      if (schema_.field(id).name.starts_with("model.") && !schema_.class_has(cls, id, wanted_.launch.release))
        out.push_back(id);
    return out;
  }

  /// What somebody chose and the class has no field for counts as lost.
  std::pair<std::size_t, std::size_t> badness_with(const Fitted& fitted,
                                                   const std::vector<FieldId>& not_in_class) const {
    auto out = badness(fitted, wanted_);
    for (const FieldId id : not_in_class) {
      if (wanted_.now[id].is_null() || wanted_.origin[id].kind == resolve::OriginKind::default_value)
        continue;
      ++out.first;
      ++out.second;
    }
    return out;
  }

  Fitted nearest(Target& target) const {
    std::optional<Fitted> best;
    const std::vector<FieldId> all = target.fields;
    std::pair<std::size_t, std::size_t> least;
    for (const std::string_view model : model_classes) {
      for (const bool own_precision : {false, true}) {
        const std::vector<FieldId> not_in_class = foreign(model, all);
        Target trial;
        std::ranges::set_difference(all, not_in_class, std::back_inserter(trial.fields));
        const FieldId cls = schema_.find("model._target_");
        const FieldId precision = schema_.find("mixed_precision");
        if (model != model_classes.front()) trial.skeleton.assign(cls, Value(model), {});
        if (own_precision) trial.skeleton.assign(precision, Value(), {});
        Fitted next = fit(wanted_, trial, pack_);
        const auto worse = badness_with(next, not_in_class);
        if (best && worse >= least) continue;
        least = worse;
        best = std::move(next);
        target = std::move(trial);
      }
    }
    return without_needless(std::move(*best), wanted_, target, pack_);
  }

  void environment(Tree& tree) const {
    for (std::size_t i = 0; i < schema_.size(); ++i) {
      const schema::Field& field = schema_.field(static_cast<FieldId>(i));
      if (field.space != Space::environment || wanted_.set[i] == 0 || !wanted_.now[i].is_string()) continue;
      put(tree, fmt::format("env_vars.{}", field.name.substr(4)), wanted_.now[i]);
    }
  }

  const From& from_;
  EffectiveConfig wanted_;
  const Schema& schema_;
  const resolve::ResolvePack& pack_;
};

}  // namespace

Converted to_bridge(const From& from, const resolve::ResolvePack& pack) {
  return Conversion(from, pack).run();
}

}  // namespace headroom::convert
