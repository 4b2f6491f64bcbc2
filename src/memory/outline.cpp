#include "outline.hpp"

#include <fmt/format.h>

#include <cmath>
#include <initializer_list>

namespace headroom::memory {
namespace {

using schema::TrainingRecipe;
using source::Value;

/// What a recipe sets, by name.
class RecipeValues {
 public:
  RecipeValues(const schema::Schema& schema, const TrainingRecipe& recipe)
      : schema_(schema), recipe_(recipe) {}

  [[nodiscard]] Value get(std::string_view name) const {
    const auto id = schema_.find(name);
    if (id == schema::no_field) return {};
    for (const auto part : recipe_.parts) {
      for (const schema::FieldValue& v : schema_.recipe_parts[part])
        if (v.field == id) return schema_.value(v.value);
    }
    return {};
  }
  [[nodiscard]] double number(std::string_view name, double fallback) const {
    const Value v = get(name);
    return v.is_number() ? v.as_double() : fallback;
  }
  /// A field of the precision recipe, which start-up copies over `ddp` and `optimizer`.
  [[nodiscard]] Value precision(std::string_view field, schema::Release r) const {
    const auto name = fmt::format("mixed_precision.{}", field);
    if (Value v = get(name); !v.is_null()) return v;
    const Value named = get("mixed_precision");
    if (!named.is_string()) return {};
    const auto* recipe = schema_.find_recipe(named.as_string(), r);
    if (recipe == nullptr) return {};
    for (const schema::FieldValue& v : recipe->sets)
      if (schema_.field(v.field).name == name) return schema_.value(v.value);
    return {};
  }

 private:
  const schema::Schema& schema_;
  const TrainingRecipe& recipe_;
};

bool same_model(const Fields& f, const RecipeValues& recipe) {
  for (const std::string_view name : {"model.num_layers", "model.hidden_size", "model.num_moe_experts"}) {
    if (f.number(name) != recipe.number(name, 0)) return false;
  }
  return true;
}

bool same_precision(const Fields& f, const RecipeValues& recipe) {
  const auto r = f.config().launch.release;
  return f.given("model.fp8") == recipe.precision("fp8", r).is_string() &&
         f.given("model.fp4") == recipe.precision("fp4", r).is_string();
}

double distance(const Fields& f, const RecipeValues& recipe, double gpus, const TrainingRecipe& r) {
  double sum = 0;
  for (const std::string_view name :
       {"model.tensor_model_parallel_size", "model.pipeline_model_parallel_size",
        "model.context_parallel_size", "model.expert_model_parallel_size"})
    sum += std::abs(std::log2(std::max(f.number(name, 1), 1.0) / std::max(recipe.number(name, 1), 1.0)));
  if (r.gpus > 0) sum += 0.25 * std::abs(std::log2(gpus / r.gpus));
  return sum;
}

/// Models of one size share recipes, but one of its own name comes first.
double other_name(const Fields& f, const RecipeValues& recipe) {
  const Value id = recipe.get("model.hf_model_id");
  return id.is_string() && id.as_string() != f.config().launch.model->id ? 1 : 0;
}

/// Same model, task, precision and GPU kind, nearest in layout; of equals the first by name.
const TrainingRecipe* nearest(const Fields& f, double gpus) {
  const auto& config = f.config();
  const bool adapter = f.given("derived.peft_class");
  const TrainingRecipe* best = nullptr;
  double least = 0;
  for (const TrainingRecipe& recipe : config.schema->training_recipes) {
    if (!schema::contains(recipe.releases, config.launch.release)) continue;
    if (config.launch.gpu != nullptr && recipe.gpu != config.launch.gpu->kind) continue;
    const RecipeValues values(*config.schema, recipe);
    if (!same_model(f, values) || !same_precision(f, values)) continue;
    if (values.get("peft").is_null() == adapter) continue;
    const double d = distance(f, values, gpus, recipe) + other_name(f, values);
    if (best != nullptr && d >= least) continue;
    best = &recipe;
    least = d;
  }
  return best;
}

bool written(const Fields& f, std::initializer_list<std::string_view> names) {
  for (const auto name : names) {
    if (f.written(name)) return true;
  }
  return false;
}

double bytes_of(const Value& type, double fallback) {
  if (!type.is_string()) return fallback;
  const auto name = type.as_string();
  if (name.find("32") != std::string_view::npos) return 4;
  if (name.find("16") != std::string_view::npos) return 2;
  return name.find('8') != std::string_view::npos ? 1 : fallback;
}

void take_states(const Fields& f, const RecipeValues& recipe, Shape& s) {
  States& o = s.states;
  const bool half = s.numerics.parameter < 4;
  if (written(f, {"optimizer.use_precision_aware_optimizer", "optimizer.exp_avg_dtype",
                  "optimizer.exp_avg_sq_dtype", "optimizer.main_params_dtype"}))
    return;
  if (!recipe.get("optimizer.use_precision_aware_optimizer").truthy()) return;
  o.precision_aware = true;
  o.main = bytes_of(recipe.get("optimizer.main_params_dtype"), 4);
  if (o.main == 4 && half) o.main = 2;  // store_param_remainders
  o.exp_avg = bytes_of(recipe.get("optimizer.exp_avg_dtype"), 4);
  o.exp_avg_sq = bytes_of(recipe.get("optimizer.exp_avg_sq_dtype"), 4);
}

}  // namespace

bool is_outline(const Fields& f) {
  return f.config().layer == resolve::Layer::bridge && f.config().launch.model != nullptr &&
         !f.written("model._target_");
}

void complete_outline(const Fields& f, Shape& s, std::vector<std::string>& assumptions) {
  if (!f.written("model.bias_activation_fusion")) s.kernels.activation_fusion = true;
  if (!f.written("model.apply_rope_fusion")) s.kernels.rope_fusion = true;
  if (!f.written("model.moe_grouped_gemm")) s.kernels.grouped_gemm = true;
  if (!f.written("model.cross_entropy_loss_fusion")) s.kernels.loss = LossKernel::te;
  const TrainingRecipe* recipe = nearest(f, s.parallel.gpus);
  if (recipe == nullptr) {
    assumptions.emplace_back(
        "a model by name and no provider class: fused kernels, as Bridge's recipes have them");
    return;
  }
  take_states(f, RecipeValues(*f.config().schema, *recipe), s);
  assumptions.push_back(fmt::format(
      "a model by name and no provider class: fused kernels, and optimizer state as in the nearest "
      "recipe, {}",
      recipe->name));
}

}  // namespace headroom::memory
