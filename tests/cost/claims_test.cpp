// What NVIDIA measured and concluded, on the configs of examples/measured: which change helps, what it costs,
// and in which order changes come.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <set>

#include "headroom/cost/evidence.hpp"
#include "headroom/lint/lint.hpp"
#include "headroom/memory/ledger.hpp"

using namespace headroom;
using cost::Basis;

namespace {

/// An example with some changes, as it would run.
struct Run {
  resolve::EffectiveConfig config;
  memory::Shape shape;
  memory::Peaks peaks;
  cost::StepTime time;
};

Run run(const std::string& example, const std::vector<std::string>& changes = {},
        const std::optional<std::string>& allocator = {}) {
  lint::Job job;
  auto text = source::read_file(HEADROOM_SOURCE_DIR "/examples/measured/" + example + ".yaml");
  REQUIRE(text);
  job.text = *text;
  for (const auto& word : changes) {
    auto parsed = source::parse_override(word, "--set");
    REQUIRE(parsed);
    job.sets.push_back(*parsed);
  }
  if (allocator) job.command_line.env["PYTORCH_CUDA_ALLOC_CONF"] = *allocator;
  job.want_fixes = false;
  auto outcome = lint::lint(job);
  REQUIRE_FALSE(outcome.unreadable);
  auto shape = memory::read_shape(outcome.config);
  REQUIRE(shape);
  Run out{std::move(outcome.config), std::move(shape->shape), {}, {}};
  out.peaks = memory::peaks(out.shape);
  out.time = cost::step_time(out.shape, cost::read_job(out.config));
  return out;
}

std::string modules(const std::string& list) {
  return "model.recompute_modules=[" + list + "]";
}

double peak(const Run& r) {
  return r.peaks.peak().peak;
}

double gigabytes_saved(const Run& before, const Run& after) {
  return (peak(before) - peak(after)) / 1e9;
}

/// Measured where the configs are the measured ones, and the model near to it.
double measured(const Run& before, const Run& after) {
  const auto comparison = cost::compare(before.config, before.time, after.config);
  CHECK(comparison.basis == Basis::measured);
  return comparison.ratio.value;
}

double modelled(const Run& before, const Run& after) {
  return cost::ratio(before.time, after.time).value;
}

}  // namespace

TEST_CASE("Moonlight 16B: moe_act first, mla_up_proj next, nothing else", "[claims]") {
  const std::string example = "moonlight_16b_recompute";
  const Run nothing = run(example), moe_act = run(example, {modules("moe_act")}),
            mla = run(example, {modules("mla_up_proj")}), core = run(example, {modules("core_attn")}),
            mla_mlp = run(example, {modules("mla_up_proj,mlp")}),
            norms = run(example, {modules("layernorm,moe_act")});
  // Both narrow boundaries lower the peak as far as it goes, and moe_act costs less.
  CHECK(peak(moe_act) < peak(nothing));
  CHECK(peak(mla) < peak(nothing));
  CHECK(measured(nothing, moe_act) == Approx(1.0199).margin(1e-3));
  CHECK(measured(nothing, mla) == Approx(1.0519).margin(1e-3));
  CHECK(modelled(nothing, moe_act) < modelled(nothing, mla));
  // core_attn frees nothing under fused attention; what is added to either frees nothing more. All cost time.
  CHECK(std::abs(gigabytes_saved(nothing, core)) < 0.02);
  CHECK(std::abs(gigabytes_saved(mla, mla_mlp)) < 0.05);
  CHECK(std::abs(gigabytes_saved(moe_act, norms)) < 0.05);
  CHECK(measured(nothing, core) > measured(nothing, moe_act));
  CHECK(modelled(nothing, core) > modelled(nothing, moe_act));
  CHECK(modelled(mla, mla_mlp) > 1);
  CHECK(modelled(moe_act, norms) > 1.02);
  CHECK(measured(nothing, norms) == Approx(1.1079).margin(1e-3));
}

TEST_CASE("Nemotron 3 Nano: whole moe is the smallest boundary that passes", "[claims]") {
  const std::string example = "nemotron3_nano_recompute";
  for (const std::string too_little : {"", "core_attn", "moe_act", "layernorm,moe_act"}) {
    INFO(too_little);
    CHECK_FALSE(run(example, {modules(too_little)}).peaks.fits());
  }
  const Run moe = run(example, {modules("moe")}), norms = run(example, {modules("moe,layernorm")});
  CHECK(moe.peaks.fits());
  CHECK(norms.peaks.fits());
  CHECK(gigabytes_saved(moe, norms) == Approx(1.014).margin(0.4));
  CHECK(measured(moe, norms) == Approx(1.0307).margin(1e-3));
  CHECK(modelled(moe, norms) > 1);
  CHECK(gigabytes_saved(run(example), run(example, {modules("moe_act")})) > 3);
}

TEST_CASE("Llama 3 70B fine-tuning: allocator first, then stages; tensor ranks last", "[claims]") {
  const std::string example = "llama3_70b_sft";
  const Run base = run(example), segments = run(example, {}, "expandable_segments:True"),
            stages = run(example, {"model.pipeline_model_parallel_size=8"}),
            tensor = run(example, {"model.tensor_model_parallel_size=8"}),
            mlp = run(example, {modules("mlp")}),
            virtual_stages =
                run(example, {"model.virtual_pipeline_model_parallel_size=10"}, "expandable_segments:True");
  CHECK(measured(base, segments) == Approx(1));
  CHECK(modelled(base, segments) == Approx(1));
  CHECK(segments.peaks.used < base.peaks.used);
  CHECK(measured(base, stages) == Approx(1 / (1 - 0.051)).margin(0.01));
  CHECK(measured(base, tensor) == Approx(1 / (1 - 0.277)).margin(0.01));
  CHECK(measured(base, mlp) == Approx(1 / (1 - 0.157)).margin(0.01));
  // The model finds the same order, and about the same prices.
  CHECK(modelled(base, stages) < modelled(base, mlp));
  CHECK(modelled(base, mlp) < modelled(base, tensor));
  CHECK(modelled(base, mlp) == Approx(1.186).margin(0.06));
  CHECK(modelled(base, tensor) == Approx(1.384).margin(0.15));
  CHECK(peak(stages) < peak(base));
  CHECK(peak(tensor) < peak(base));
  CHECK(gigabytes_saved(base, mlp) > 3);
  // More virtual stages are no memory fix.
  CHECK(std::abs(peak(virtual_stages) / peak(segments) - 1) < 0.03);
}

TEST_CASE("Qwen3 30B-A3B: memory and time by the offloaded fraction of the optimizer", "[claims]") {
  const std::string example = "qwen3_30b_a3b_offload";
  const Run none = run(example);
  const auto offloaded = [&](const std::string& fraction) {
    return run(example,
               {"optimizer.optimizer_cpu_offload=true", "optimizer.optimizer_offload_fraction=" + fraction});
  };
  struct Row {
    std::string fraction;
    double saved, times;
  };
  for (const Row& row :
       {Row{"0.25", 3.8, 1.879}, Row{"0.5", 7.6, 2.494}, Row{"0.75", 11.6, 3.2}, Row{"1.0", 15.2, 4.206}}) {
    INFO(row.fraction);
    const Run some = offloaded(row.fraction);
    CHECK(gigabytes_saved(none, some) == Approx(row.saved).margin(0.3));
    CHECK(measured(none, some) == Approx(row.times).margin(0.01));
    CHECK(modelled(none, some) == Approx(row.times).epsilon(0.25));
  }
}

TEST_CASE("LoRA with sequence parallelism: gathering again saves memory for a little time", "[claims]") {
  double last = 0;
  struct Row {
    std::string example;
    double times;
  };
  // Dearest and most useful where adapters are many of the activations: dense before sparse, small before
  // large.
  for (const Row& row : {Row{"gpt_oss_120b_lora_regather", 1.0034},
                         Row{"qwen3_30b_a3b_lora_regather", 1.0298}, Row{"qwen3_8b_lora_regather", 1.0723}}) {
    INFO(row.example);
    const Run kept = run(row.example),
              again = run(row.example, {"peft.sequence_parallel_input_regather=true"});
    const double saved = gigabytes_saved(kept, again);
    CHECK(saved > last);
    last = saved;
    CHECK(measured(kept, again) == Approx(row.times).margin(1e-3));
    CHECK(modelled(kept, again) > 1);
    CHECK(modelled(kept, again) < 1.15);
  }
}

TEST_CASE("a measurement counts only for the same comparison on the same model", "[claims]") {
  const std::string example = "qwen3_30b_a3b_offload";
  const Run none = run(example), half = run(example, {"optimizer.optimizer_cpu_offload=true",
                                                      "optimizer.optimizer_offload_fraction=0.5"});
  REQUIRE(cost::measured_ratio(none.config, half.config));
  // Another layout, another setting beside it, a fraction that nobody ran.
  const auto other = [&](std::vector<std::string> more) {
    more.insert(more.end(),
                {"optimizer.optimizer_cpu_offload=true", "optimizer.optimizer_offload_fraction=0.5"});
    return run(example, more);
  };
  CHECK_FALSE(cost::measured_ratio(none.config, other({"model.expert_model_parallel_size=8"}).config));
  CHECK_FALSE(cost::measured_ratio(none.config, other({"train.global_batch_size=16"}).config));
  const Run odd =
      run(example, {"optimizer.optimizer_cpu_offload=true", "optimizer.optimizer_offload_fraction=0.6"});
  CHECK_FALSE(cost::measured_ratio(none.config, odd.config));
  const auto comparison = cost::compare(none.config, none.time, odd.config);
  CHECK(comparison.basis == Basis::modelled);
  CHECK(comparison.ratio.low < comparison.ratio.value);
  CHECK(comparison.ratio.value < comparison.ratio.high);
}

TEST_CASE("what rules cite is there, and every comparison is cited", "[claims]") {
  const auto& evidence = schema::embedded_schema().evidence;
  REQUIRE_FALSE(evidence.empty());
  std::set<std::string_view> cited;
  for (const auto& rule : rules::embedded_rules().rules) {
    for (const auto& fix : rule.fixes) cited.insert(fix.evidence.begin(), fix.evidence.end());
  }
  for (const auto id : cited) {
    INFO(id);
    CHECK(std::ranges::any_of(evidence, [&](const auto& e) { return e.id == id; }));
  }
  for (const auto& e : evidence) {
    INFO(e.id);
    CHECK(cited.contains(e.id));
    CHECK(e.runs.size() >= 2);
  }
}
