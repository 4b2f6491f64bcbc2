// Order and figures of fixes.
#include <algorithm>
#include <catch2/catch.hpp>

#include "../lint/support.hpp"

using namespace headroom;

namespace {

lint::Outcome example(const std::string& name, const std::vector<std::string>& changes = {}) {
  lint::Job job;
  auto text = source::read_file(HEADROOM_SOURCE_DIR "/examples/measured/" + name + ".yaml");
  REQUIRE(text);
  job.text = *text;
  for (const auto& word : changes) {
    auto parsed = source::parse_override(word, "--set");
    REQUIRE(parsed);
    job.sets.push_back(*parsed);
  }
  job.want_advice = true;
  return lint::lint(job);
}

const rules::Fix* titled(const rules::Diagnostic& d, std::string_view title) {
  const auto it = std::ranges::find(d.fixes, title, &rules::Fix::title);
  return it == d.fixes.end() ? nullptr : &*it;
}

}  // namespace

TEST_CASE("what fits comes first, then the same mathematics, then the shorter step") {
  // Nemotron 3 Nano without recompute: 16 H100 are too small for it.
  const auto outcome = example("nemotron3_nano_recompute");
  const auto* finding = test::find(outcome, "memory/activations-do-not-fit");
  if (finding == nullptr) finding = test::find(outcome, "memory/states-do-not-fit");
  REQUIRE(finding != nullptr);
  REQUIRE(finding->fixes.size() > 1);
  bool fits = true;
  double ratio = 0;
  rules::Safety safety = rules::Safety::execution;
  for (const auto& fix : finding->fixes) {
    INFO(fix.title);
    REQUIRE(fix.memory);
    REQUIRE(fix.time);
    CHECK(fix.memory->peak > 0);
    if (fix.memory->fits == fits && fix.safety == safety) CHECK(fix.time->ratio > ratio - 0.011);
    if (fix.memory->fits == fits) CHECK(fix.safety >= safety);
    CHECK((fits || !fix.memory->fits));
    fits = fix.memory->fits;
    ratio = fix.time->ratio;
    safety = fix.safety;
  }
}

TEST_CASE("a fix says what was measured, and on what") {
  const auto outcome = example("moonlight_16b_recompute", {"model.recompute_modules=[core_attn]"});
  const auto* finding = test::find(outcome, "recompute/core-attn-fused");
  REQUIRE(finding != nullptr);
  const auto* act = titled(*finding, "Recompute the expert activations instead");
  const auto* latent = titled(*finding, "Recompute the up-projections of latent attention instead");
  const auto* none = titled(*finding, "Leave core_attn out");
  REQUIRE(act != nullptr);
  REQUIRE(latent != nullptr);
  REQUIRE(none != nullptr);
  REQUIRE(act->time);
  CHECK(act->time->measured);
  CHECK(act->time->ratio == Approx(466.26 / 474.80));
  CHECK(act->evidence == std::vector<std::string>{"moonlight-16b-recompute"});
  REQUIRE(act->quotes.size() == 1);
  CHECK(act->quotes.front().find("8 H100, TP 2, EP 8, BF16") != std::string::npos);
  // The published order: nothing, moe_act, then mla_up_proj.
  CHECK(none < act);
  CHECK(act < latent);
}

TEST_CASE("another model gets the model's figure, not the measured one") {
  const auto outcome = example("qwen3_30b_a3b_offload",
                               {"optimizer.optimizer_cpu_offload=true",
                                "optimizer.optimizer_offload_fraction=0.5", "train.global_batch_size=64"});
  const auto* finding = test::find(outcome, "optimizer/offload-slowdown");
  REQUIRE(finding != nullptr);
  REQUIRE_FALSE(finding->fixes.empty());
  for (const auto& fix : finding->fixes) {
    REQUIRE(fix.time);
    CHECK_FALSE(fix.time->measured);
    CHECK(fix.time->low <= fix.time->ratio);
    CHECK(fix.time->ratio <= fix.time->high);
  }
  CHECK(finding->fixes.front().title == "Keep the optimizer on the GPU");
}

TEST_CASE("without GPUs or their kind no step time is claimed") {
  const auto outcome = test::lint_text(
      "model: {cpu_offloading: true, cpu_offloading_num_layers: 1, pipeline_model_parallel_size: 2}\n");
  const auto* finding = test::find(outcome, "offload/pipeline-parallel");
  REQUIRE(finding != nullptr);
  REQUIRE_FALSE(finding->fixes.empty());
  for (const auto& fix : finding->fixes) CHECK_FALSE(fix.time);
}
