// The planner against layouts that NVIDIA tuned by hand: the benchmark recipes of the catalogue.
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <cstdlib>
#include <fstream>

#include "headroom/dialect/recipe.hpp"
#include "headroom/plan/plan.hpp"

using namespace headroom;

namespace {

/// One recipe on the GPUs that it is made for, started as its own launcher (scripts/performance) starts it.
struct Tuned {
  dialect::Settings settings;
  resolve::LaunchContext launch;
  resolve::EffectiveConfig config;
};

/// The launcher's options that no recipe does without: they decide about data and optimizer states.
void add_launcher(std::string_view recipe, const schema::Schema& schema, dialect::Settings& settings) {
  const auto has = [&](std::string_view word) { return recipe.find(word) != recipe.npos; };
  const auto option = [&](std::string_view name, std::string_view value) {
    const auto id = schema.find(name);
    REQUIRE(id != schema::no_field);
    settings.assign(id, source::Value(std::string(value)), {});
  };
  option("script.task", has("_sft_") ? "sft" : has("_peft_") ? "lora" : "pretrain");
  option("script.data", "mock");
  option("script.domain", "llm");
  if (has("_bf16")) option("script.compute_dtype", "bf16");
}

Tuned tuned(const schema::TrainingRecipe& recipe, schema::Release release) {
  const schema::Schema& schema = schema::embedded_schema();
  Tuned out{dialect::settings_of_recipe(recipe, schema), {}, {}};
  out.launch.release = release;
  out.launch.gpus = recipe.gpus;
  out.launch.gpu = schema.find_gpu(recipe.gpu);
  add_launcher(recipe.name, schema, out.settings);
  // A path that the user must give.
  const auto adapter = schema.find("peft"), base = schema.find("checkpoint.pretrained_checkpoint");
  const auto* section = out.settings.find(adapter);
  if (section != nullptr && !section->value.is_null() && base != schema::no_field)
    out.settings.assign(base, source::Value("/checkpoint"), {});
  out.config = resolve::resolve(out.settings, out.launch, schema, rules::embedded_resolve());
  return out;
}

source::Result<plan::Result> planned(const Tuned& t) {
  const rules::RulePack* packs[] = {&rules::embedded_rules()};
  const rules::Selection everything;
  plan::Request request;
  request.bench = {&t.settings, &t.launch,   t.config.schema, &rules::embedded_resolve(),
                   packs,       &everything, &t.config,       {}};
  request.choices = &rules::embedded_choices();
  request.top = 1;
  request.threads = 4;  // changes nothing but the time
  return plan::search(request);
}

/// Language models whose layers all attend in full: what the page is about.
bool is_gpt(const resolve::EffectiveConfig& config) {
  const auto value = [&](std::string_view name) { return config.now[config.schema->find(name)]; };
  const auto target = value("model._target_");
  const std::string_view cls = target.is_string() ? target.as_string() : std::string_view();
  const bool vision =
      cls.find("VL") != cls.npos || cls.find("_vl") != cls.npos || cls.find("omni") != cls.npos;
  return !vision && !value("derived.is_hybrid").truthy() && !value("derived.is_gdn").truthy();
}

struct Row {
  std::string name, verdict, reason;
  bool good = false, starts = true;
};

std::string gib(double bytes) {
  return fmt::format("{:.0f} GiB", bytes / (1024.0 * 1024 * 1024));
}

Row row_of(const schema::TrainingRecipe& recipe, const plan::Result& r) {
  Row row{std::string(recipe.name), {}, {}};
  const plan::Given& g = r.given;
  if (!g.legal) {
    row.verdict = "cannot start";
    row.reason = fmt::format("{}", fmt::join(g.errors, ", "));
    row.starts = false;
  } else if (!g.fits) {
    row.verdict = "does not fit";
    row.reason = fmt::format("the ledger says {} of {}", gib(g.used), gib(r.capacity));
  } else {
    const double share =
        static_cast<double>(*g.rank) / static_cast<double>(std::max<std::size_t>(r.fitting, 1));
    row.good = share <= 0.05;
    row.verdict = fmt::format("{:.1f} %", 100 * share);
    row.reason = g.why_not_better;
  }
  return row;
}

std::string page(const std::vector<Row>& rows) {
  const auto good = std::ranges::count_if(rows, &Row::good),
             starts = std::ranges::count_if(rows, &Row::starts);
  const auto percent = [&](auto of) {
    return of == 0 ? 0.0 : 100.0 * static_cast<double>(good) / static_cast<double>(of);
  };
  std::string out = fmt::format(
      "# Does the planner find what was tuned by hand?\n"
      "For each benchmark recipe of the gpt family in the catalogue (rules/recipes, newest release), "
      "`headroom plan` is\n"
      "run on the GPUs that the recipe is made for. The shipped config is found again where it is legal, "
      "fits, and\n"
      "belongs to the fastest 5 % of all candidates that fit. This page is written by tests/plan:\n"
      "`HEADROOM_UPDATE_GOLDENS=1 test_plan '[planner-page]'`.\n\n"
      "{} of {} are found ({:.0f} %): {:.0f} % of the {} that Megatron starts. The others ask for more GPUs "
      "than\n"
      "their name says (`pipeline/expert-world-size`: expert ranks times stages do not divide them, as "
      "Megatron-Core's\n"
      "`initialize_model_parallel` says) or contradict themselves (upstream's own validators stop at "
      "them).\n",
      good, rows.size(), percent(rows.size()), percent(starts), starts);
  out +=
      "\n## Not found, and why\n| recipe | place | reason; for a place: what the best plan does better |\n| "
      "--- | --- | --- |\n";
  for (const Row& r : rows)
    if (!r.good) out += fmt::format("| {} | {} | {} |\n", r.name, r.verdict, r.reason);
  out += "\n## Found\n| recipe | place |\n| --- | --- |\n";
  for (const Row& r : rows)
    if (r.good) out += fmt::format("| {} | {} |\n", r.name, r.verdict);
  return out;
}

}  // namespace

TEST_CASE("hand-tuned recipes are among the best plans") {
  for (const char* name : {"llama3_8b_pretrain_8gpu_h100_fp8cs", "qwen3_30b_a3b_pretrain_16gpu_h100_fp8cs",
                           "qwen3_30b_a3b_pretrain_8gpu_gb300_fp8mx"}) {
    INFO(name);
    const auto match = schema::find_training_recipe(schema::embedded_schema(), name, schema::newest_release);
    REQUIRE(match);
    const Tuned t = tuned(*match->recipe, match->release);
    const auto result = planned(t);
    REQUIRE(result);
    CHECK(result->given.legal);
    CHECK(result->given.fits);
    REQUIRE(result->given.rank);
    CHECK(static_cast<double>(*result->given.rank) <= 0.05 * static_cast<double>(result->fitting));
  }
}

// Minutes: run by name.
TEST_CASE("docs/planner.md", "[.][planner-page]") {
  const schema::Schema& schema = schema::embedded_schema();
  std::vector<Row> rows;
  for (const auto& recipe : schema.training_recipes) {
    const bool newest = schema::contains(recipe.releases, schema::newest_release);
    if (!newest || recipe.kind != schema::RecipeKind::benchmark || recipe.gpus <= 0 || recipe.gpu.empty())
      continue;
    const Tuned t = tuned(recipe, schema::newest_release);
    if (!is_gpt(t.config)) continue;
    if (const auto result = planned(t)) rows.push_back(row_of(recipe, *result));
  }
  REQUIRE_FALSE(rows.empty());
  if (std::getenv("HEADROOM_UPDATE_GOLDENS") != nullptr)
    std::ofstream(HEADROOM_SOURCE_DIR "/docs/planner.md") << page(rows);
  CHECK(static_cast<double>(std::ranges::count_if(rows, &Row::good)) >=
        0.8 * static_cast<double>(rows.size()));
}
