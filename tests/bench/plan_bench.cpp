#include "plan_bench.hpp"

#include <fmt/format.h>

#include "headroom/dialect/recipe.hpp"
#include "headroom/plan/plan.hpp"

namespace headroom::bench {
namespace {

bool same(const plan::Result& a, const plan::Result& b) {
  if (a.searched != b.searched || a.legal != b.legal || a.fitting != b.fitting) return false;
  if (a.plans.size() != b.plans.size()) return false;
  for (std::size_t i = 0; i < a.plans.size(); ++i)
    if (a.plans[i].change.set != b.plans[i].change.set || a.plans[i].used != b.plans[i].used) return false;
  return true;
}

}  // namespace

void plan_rows() {
  const schema::Schema& schema = schema::embedded_schema();
  const auto match =
      schema::find_training_recipe(schema, "deepseek_v3_pretrain_256gpu_gb200_bf16", schema::newest_release);
  if (!match) return;
  const dialect::Settings settings = dialect::settings_of_recipe(*match->recipe, schema);
  resolve::LaunchContext launch;
  launch.release = match->release;
  launch.gpus = 1024;
  launch.gpu = schema.find_gpu("h100");
  const auto config = resolve::resolve(settings, launch, schema, rules::embedded_resolve());
  const rules::RulePack* packs[] = {&rules::embedded_rules()};
  const rules::Selection everything;
  plan::Request request;
  request.bench = {&settings, &launch, &schema, &rules::embedded_resolve(), packs, &everything, &config};
  request.choices = &rules::embedded_choices();
  std::optional<plan::Result> first;
  for (const unsigned threads : {1U, 2U}) {
    request.threads = threads;
    auto result = plan::search(request);
    if (!result) {
      fmt::print("no plan: {}\n", result.error().message);
      return;
    }
    fmt::print(
        "671B MoE on 1024 GPUs, {} thread{}: {:.2f} s, {} candidates ({:.0f} a second), {} legal, {} fit{}\n",
        threads, threads == 1 ? " " : "s", result->seconds, result->searched,
        static_cast<double>(result->searched) / result->seconds, result->legal, result->fitting,
        !first                  ? ""
        : same(*first, *result) ? ", the same result"
                                : ", ANOTHER RESULT");
    if (!first) first = std::move(*result);
  }
}

}  // namespace headroom::bench
