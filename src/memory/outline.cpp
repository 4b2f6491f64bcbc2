#include "outline.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <initializer_list>

#include "read_graphs.hpp"
#include "read_states.hpp"

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

/// An outline says nothing of data and checkpoints, as benchmarks do.
double other_kind(const Fields& f, const TrainingRecipe& recipe) {
  const bool release = schema::contains(recipe.releases, f.config().launch.release);
  return (recipe.kind == schema::RecipeKind::benchmark ? 0 : 1) + (release ? 0 : 0.5);
}

/// Same model, task, precision and GPU kind, nearest in layout; of equals the first by name.
const TrainingRecipe* nearest(const Fields& f, double gpus) {
  const auto& config = f.config();
  const bool adapter = f.given("derived.peft_class");
  const TrainingRecipe* best = nullptr;
  double least = 0;
  for (const TrainingRecipe& recipe : config.schema->training_recipes) {
    if (config.launch.gpu != nullptr && recipe.gpu != config.launch.gpu->kind) continue;
    const RecipeValues values(*config.schema, recipe);
    if (!same_model(f, values) || !same_precision(f, values)) continue;
    if (values.get("peft").is_null() == adapter) continue;
    const double d = distance(f, values, gpus, recipe) + other_name(f, values) + other_kind(f, recipe);
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

void take_optimizer(const Fields& f, const RecipeValues& recipe, Shape& s) {
  if (written(f, {"optimizer.use_precision_aware_optimizer", "optimizer.exp_avg_dtype",
                  "optimizer.exp_avg_sq_dtype", "optimizer.main_params_dtype"}))
    return;
  if (!recipe.get("optimizer.use_precision_aware_optimizer").truthy()) return;
  s.states.exp_avg = bytes_of_type(recipe.get("optimizer.exp_avg_dtype"), 4);
  s.states.exp_avg_sq = bytes_of_type(recipe.get("optimizer.exp_avg_sq_dtype"), 4);
  set_precision_aware(f, bytes_of_type(recipe.get("optimizer.main_params_dtype"), 4), s);
}

void take_gradients(const Fields& f, const RecipeValues& recipe, Shape& s) {
  if (written(f, {"ddp.grad_reduce_in_fp32", "mixed_precision.grad_reduce_in_fp32"})) return;
  const Value fp32 = recipe.precision("grad_reduce_in_fp32", f.config().launch.release);
  if (fp32.is_bool()) s.states.gradient = fp32.truthy() ? 4 : s.numerics.parameter;
}

/// Prediction depths belong to the recipe rather than to the model: Bridge leaves them out when it converts
/// some models, and the recipes add them.
void take_depths(const Fields& f, const RecipeValues& recipe, Shape& s) {
  if (f.written("model.mtp_num_layers") || !f.text("derived.hybrid_pattern").empty()) return;
  s.model.mtp_depths = std::max(s.model.mtp_depths, recipe.number("model.mtp_num_layers", 0));
}

/// What graphs capture depends on the model, and is rarely changed.
void take_graph_modules(const Fields& f, const RecipeValues& recipe, Shape& s) {
  if (s.graphs.kind != Graphs::Kind::te || written(f, {"model.cuda_graph_scope", "model.cuda_graph_modules"}))
    return;
  for (const std::string_view name : {"model.cuda_graph_modules", "model.cuda_graph_scope"}) {
    if (const Value modules = recipe.get(name); modules.is_list()) set_graph_modules(modules, s.graphs);
  }
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
  // Not from the nearest recipe: library recipes leave kernels unfused, and taking that over fits the
  // published runs less well (docs/memory.md).
  const TrainingRecipe* recipe = nearest(f, s.parallel.gpus);
  if (recipe == nullptr) {
    assumptions.emplace_back(
        "a model by name and no provider class: fused kernels, as Bridge's recipes have them");
    return;
  }
  const RecipeValues values(*f.config().schema, *recipe);
  take_optimizer(f, values, s);
  take_gradients(f, values, s);
  take_depths(f, values, s);
  take_graph_modules(f, values, s);
  assumptions.push_back(fmt::format(
      "a model by name and no provider class: fused kernels; prediction depths, graphed modules, and types "
      "of gradients and optimizer state as in the nearest recipe, {}",
      recipe->name));
}

}  // namespace headroom::memory
