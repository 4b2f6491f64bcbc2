// The catalogue of Megatron Bridge's training recipes (rules/recipes), and how its launch scripts name them.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "headroom/schema/release.hpp"

namespace headroom::schema {

class Schema;

/// `library`: a function of `megatron.bridge.recipes`; `benchmark`: one of `megatron.bridge.perf_recipes`, up
/// to 0.5 a preset of `scripts/performance/configs`.
enum class RecipeKind : std::uint8_t { library, benchmark };

/// The settings of one recipe in the releases in which they are the same. Another entry of that name has
/// those of other releases.
struct TrainingRecipe {
  std::string_view name;                      ///< of the function, without `_config`
  std::span<const std::string_view> aliases;  ///< other public names of the function, without `_config`
  ReleaseSet releases = 0;
  RecipeKind kind = RecipeKind::library;
  std::int32_t gpus = 0;  ///< that the recipe is made for; 0 where it does not say
  std::string_view gpu;   ///< GPU kind that it is made for; empty where it does not say
  bool usual_size =
      false;  ///< chosen before larger ones where a benchmark has no recipe for a number of GPUs
  /// Indices into `Schema::recipe_parts`: one for each section with settings, by number of the section.
  std::span<const std::uint16_t> parts;
};

/// A recipe that somebody named, and the release whose settings these are: the one asked for, else the
/// nearest one that has the recipe, the older of two.
struct RecipeMatch {
  const TrainingRecipe* recipe = nullptr;
  Release release{};
  bool exact = true;  ///< `release` is the one asked for
};

/// What `run_recipe.py --recipe NAME` starts: a name or an alias, with or without `_config`, or a dotted path
/// that ends in one. Upstream takes full function names only. nullopt: not in the catalogue.
[[nodiscard]] std::optional<RecipeMatch> find_training_recipe(const Schema& schema, std::string_view name,
                                                              Release r);

/// Name of the function that `run_recipe.py --model MODEL --mode MODE` (0.6.0 and later) and the performance
/// scripts with `--use_recipes` start: `llama3_8b`, `lora` -> `llama3_8b_peft_config`. `mode`: pretrain, sft,
/// peft, lora or dora.
[[nodiscard]] std::string library_recipe_name(std::string_view model, std::string_view mode);

/// A job of scripts/performance, in the words of its options. The family (`--model_family_name`) is only the
/// package in which upstream looks and is no part of the name.
struct BenchmarkJob {
  std::string_view model;               ///< --model_recipe_name
  std::string_view task = "pretrain";   ///< --task: pretrain, sft, lora (0.6.0 and later: peft)
  std::string_view gpu;                 ///< --gpu
  std::string_view precision = "bf16";  ///< --compute_dtype: bf16, fp8_cs, fp8_mx, fp8_sc, nvfp4
  std::int64_t gpus = 0;                ///< --num_gpus; 0: not known
  std::string_view variant;             ///< --config_variant; empty: not given
};

struct BenchmarkMatch : RecipeMatch {
  /// The recipe is made for another number of GPUs: upstream scales `train.global_batch_size`, where the user
  /// gives none, to `scaled_batch`.
  bool same_gpus = true;
};

/// The recipe that `run_script.py` and `setup_experiment.py` choose. From 0.6.0 on it is the one for just
/// this number of GPUs, else the one of the usual size, else the largest; before, the preset
/// `MODEL_TASK_config_GPU_PRECISION_VARIANT`, of whatever size, `v2` before `v1` where no variant is given.
/// The other release is looked at where this one has none.
[[nodiscard]] std::optional<BenchmarkMatch> find_benchmark_recipe(const Schema& schema,
                                                                  const BenchmarkJob& job, Release r);

}  // namespace headroom::schema
