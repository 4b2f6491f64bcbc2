// The settings of a training recipe, as a launch script starts from them.
#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "headroom/dialect/settings.hpp"

namespace headroom::dialect {

/// What the recipe sets, each with the place `From::recipe` and its canonical name; no document. `key=value`
/// words and options of the script come after it (apply_override). Like a saved config it says much that
/// nobody chose for this run, so `full_dump` is set: only values that differ from the defaults count as set,
/// and paths that a run must give are null.
[[nodiscard]] Settings settings_of_recipe(const schema::TrainingRecipe& recipe, const schema::Schema& schema);

/// What the performance scripts, and from 0.6.0 on `run_recipe.py`, do with a benchmark recipe on another
/// number of GPUs than it is made for, unless the user gives a batch size: `train.global_batch_size` grows or
/// shrinks with data parallelism, before 0.6.0 with the number of GPUs. To be called when all words have been
/// applied. Returns why upstream stops instead: the layout does not divide the GPUs, or the batch is no whole
/// number.
[[nodiscard]] std::optional<std::string> scale_to_gpus(Settings& settings,
                                                       const schema::TrainingRecipe& recipe,
                                                       std::int64_t gpus, const schema::Schema& schema,
                                                       schema::Release r);

}  // namespace headroom::dialect
