// Look-ups in the catalogue of training recipes.
#include "headroom/schema/training_recipe.hpp"

#include <algorithm>
#include <charconv>
#include <cstdlib>

#include "headroom/schema/schema.hpp"

namespace headroom::schema {

namespace {

constexpr std::string_view config_suffix = "_config";

/// `megatron.bridge.recipes.llama.llama3_8b_pretrain_config` -> `llama3_8b_pretrain`.
std::string_view bare_name(std::string_view name) {
  if (auto dot = name.rfind('.'); dot != std::string_view::npos) name.remove_prefix(dot + 1);
  if (name.ends_with(config_suffix)) name.remove_suffix(config_suffix.size());
  return name;
}

/// Of the releases in `set` the one nearest to `r`, the older of two.
Release nearest_release(ReleaseSet set, Release r) {
  Release best{};
  int best_distance = release_count;
  for (int i = 0; i < release_count; ++i) {
    if (!contains(set, static_cast<Release>(i))) continue;
    const int distance = std::abs(i - static_cast<int>(r));
    if (distance >= best_distance) continue;
    best = static_cast<Release>(i);
    best_distance = distance;
  }
  return best;
}

int distance(Release a, Release b) {
  return std::abs(static_cast<int>(a) - static_cast<int>(b));
}

RecipeMatch match(const TrainingRecipe& recipe, Release r) {
  const Release known = nearest_release(recipe.releases, r);
  return {&recipe, known, known == r};
}

/// Nearer to `r`, or as near and older.
bool better(const RecipeMatch& a, const RecipeMatch& b, Release r) {
  if (distance(a.release, r) != distance(b.release, r))
    return distance(a.release, r) < distance(b.release, r);
  return a.release < b.release;
}

std::string_view task_in_names(std::string_view task) {
  return task == "lora" || task == "dora" ? std::string_view("peft") : task;
}

/// Bridge 0.6.0 made functions of the presets; since then a name holds the number of GPUs and a variant has a
/// name.
bool has_presets(Release r) {
  return r < Release::v0_6_0;
}

/// The number in `MODEL_TASK_<number>gpu_GPU_PRECISION<variant>`; nullopt where `name` is built of other
/// parts.
std::optional<std::int64_t> gpus_in_name(std::string_view name, std::string_view head,
                                         std::string_view tail) {
  if (!name.starts_with(head)) return std::nullopt;
  name.remove_prefix(head.size());
  std::int64_t gpus = 0;
  auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), gpus);
  if (error != std::errc()) return std::nullopt;
  name.remove_prefix(static_cast<std::size_t>(end - name.data()));
  if (name != tail) return std::nullopt;
  return gpus;
}

/// Variants to look for, the first that is there counts.
std::vector<std::string> variants(std::string_view given, bool presets) {
  const bool numbered = given == "v1" || given == "v2";
  if (!presets) return {given.empty() || numbered ? std::string() : "_" + std::string(given)};
  if (given.empty() || given == "v2") return {"_v2", "_v1", ""};
  return {"_" + std::string(given), ""};
}

class BenchmarkSearch {
 public:
  BenchmarkSearch(const Schema& schema, const BenchmarkJob& job, Release r)
      : schema_(schema), job_(job), release_(r) {
    head_ = std::string(job.model) + "_" + std::string(task_in_names(job.task)) + "_";
    tail_ = "gpu_" + std::string(job.gpu) + "_";
    for (char c : job.precision)
      if (c != '_') tail_ += c;
  }

  std::optional<BenchmarkMatch> run() {
    for (bool presets : {has_presets(release_), !has_presets(release_)}) {
      for (const std::string& variant : variants(job_.variant, presets)) {
        look(variant, presets);
        if (best_) return best_;
      }
    }
    return best_;
  }

 private:
  void look(const std::string& variant, bool presets) {
    for (const TrainingRecipe& recipe : schema_.training_recipes) {
      if (recipe.kind != RecipeKind::benchmark) continue;
      const RecipeMatch m = match(recipe, release_);
      if (has_presets(m.release) != presets) continue;
      const auto gpus = gpus_in_name(recipe.name, head_, tail_ + variant);
      if (!gpus) continue;
      BenchmarkMatch found;
      static_cast<RecipeMatch&>(found) = m;
      found.same_gpus = job_.gpus == 0 || *gpus == job_.gpus;
      if (!best_ || preferred(found)) best_ = found;
    }
  }

  [[nodiscard]] bool preferred(const BenchmarkMatch& found) const {
    if (found.same_gpus != best_->same_gpus) return found.same_gpus;
    if (found.recipe->usual_size != best_->recipe->usual_size) return found.recipe->usual_size;
    if (found.recipe->gpus != best_->recipe->gpus) return found.recipe->gpus > best_->recipe->gpus;
    return better(found, *best_, release_);
  }

  const Schema& schema_;
  const BenchmarkJob& job_;
  Release release_;
  std::string head_, tail_;
  std::optional<BenchmarkMatch> best_;
};

}  // namespace

std::optional<RecipeMatch> find_training_recipe(const Schema& schema, std::string_view name, Release r) {
  const std::string_view wanted = bare_name(name);
  if (wanted.empty()) return std::nullopt;
  std::optional<RecipeMatch> best;
  for (const TrainingRecipe& recipe : schema.training_recipes) {
    if (recipe.name != wanted &&
        std::find(recipe.aliases.begin(), recipe.aliases.end(), wanted) == recipe.aliases.end())
      continue;
    const RecipeMatch found = match(recipe, r);
    if (!best || better(found, *best, r)) best = found;
  }
  return best;
}

std::string library_recipe_name(std::string_view model, std::string_view mode) {
  // The one function whose name does not follow the pattern.
  if (model == "deepseek_v3_32nodes" && mode == "pretrain") return "deepseek_v3_pretrain_config_32nodes";
  return std::string(model) + "_" + std::string(task_in_names(mode)) + std::string(config_suffix);
}

std::optional<BenchmarkMatch> find_benchmark_recipe(const Schema& schema, const BenchmarkJob& job,
                                                    Release r) {
  return BenchmarkSearch(schema, job, r).run();
}

}  // namespace headroom::schema
