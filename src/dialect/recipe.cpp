#include "headroom/dialect/recipe.hpp"

#include <fmt/format.h>

namespace headroom::dialect {

using schema::FieldId;
using schema::Release;
using schema::Schema;
using source::Value;

namespace {

Place in_recipe(const schema::Field& field) {
  Place place;
  place.from = From::recipe;
  place.written_name = field.name;
  return place;
}

/// A size of the parallel layout; 1 where nobody set it.
std::int64_t size_of(const Settings& settings, const Schema& schema, std::string_view name) {
  const FieldId id = schema.find(name);
  const Setting* s = id == schema::no_field ? nullptr : settings.find(id);
  return s != nullptr && s->value.is_int() ? s->value.as_int() : 1;
}

/// GPUs that hold one copy of the model.
std::int64_t model_gpus(const Settings& settings, const Schema& schema) {
  std::int64_t out = 1;
  for (std::string_view name : {"model.tensor_model_parallel_size", "model.pipeline_model_parallel_size",
                                "model.context_parallel_size"})
    out *= size_of(settings, schema, name);
  return out;
}

}  // namespace

Settings settings_of_recipe(const schema::TrainingRecipe& recipe, const Schema& schema) {
  Settings out;
  out.full_dump = true;
  out.recipe = recipe.name;
  for (std::uint16_t part : recipe.parts) {
    for (const schema::FieldValue& v : schema.recipe_parts[part])
      out.settings.push_back({v.field, schema.value(v.value), in_recipe(schema.field(v.field))});
  }
  return out;
}

std::optional<std::string> scale_to_gpus(Settings& settings, const schema::TrainingRecipe& recipe,
                                         std::int64_t gpus, const Schema& schema, Release r) {
  const FieldId batch_field = schema.find("train.global_batch_size");
  const Setting* batch = batch_field == schema::no_field ? nullptr : settings.find(batch_field);
  if (batch == nullptr || !batch->value.is_int() || batch->place.from != From::recipe) return std::nullopt;
  if (recipe.gpus <= 0 || gpus <= 0) return std::nullopt;
  const std::int64_t written = batch->value.as_int();
  const std::int64_t before = model_gpus(settings_of_recipe(recipe, schema), schema);
  const std::int64_t now = model_gpus(settings, schema);
  if (r < Release::v0_6_0) {
    if (gpus != recipe.gpus)
      settings.assign(batch_field, Value(written * gpus / recipe.gpus), in_recipe(schema.field(batch_field)));
    return std::nullopt;
  }
  if (now <= 0 || before <= 0) return std::nullopt;
  if (gpus % now != 0) {
    return fmt::format("{} GPUs are no multiple of the {} that tensor, pipeline and context parallelism take",
                       gpus, now);
  }
  const std::int64_t samples = written * (gpus / now), copies = recipe.gpus / before;
  if (copies <= 0) return std::nullopt;
  if (samples % copies != 0) {
    return fmt::format(
        "the global batch size {} of {} for {} copies of the model is no whole number for {}; give one",
        written, recipe.name, copies, gpus / now);
  }
  settings.assign(batch_field, Value(samples / copies), in_recipe(schema.field(batch_field)));
  return std::nullopt;
}

}  // namespace headroom::dialect
