#include "headroom/diff/diff.hpp"

#include <catch2/catch.hpp>

#include "../lint/support.hpp"

using namespace headroom;

namespace {

constexpr const char* base = R"(
headroom: {gpus: 32, gpu: h100, env: {}}
model: {num_layers: 32, hidden_size: 4096, ffn_hidden_size: 14336, num_attention_heads: 32, num_query_groups: 8,
  gated_linear_unit: true, add_bias_linear: false, normalization: RMSNorm, vocab_size: 128256, seq_length: 8192,
  tensor_model_parallel_size: 4, sequence_parallel: true, share_embeddings_and_output_weights: false}
train: {micro_batch_size: 1, global_batch_size: 128, train_iters: 100}
ddp: {use_distributed_optimizer: true}
optimizer: {optimizer: adam, use_distributed_optimizer: true}
mixed_precision: bf16_mixed
)";

diff::Diff compare(const lint::Outcome& a, const lint::Outcome& b) {
  return diff::compare({&a.config, &a.findings}, {&b.config, &b.findings});
}

bool has_rule(const std::vector<rules::Diagnostic>& list, std::string_view rule) {
  return std::any_of(list.begin(), list.end(), [&](const auto& d) { return d.rule == rule; });
}

}  // namespace

TEST_CASE("a config against itself differs in nothing") {
  const auto one = test::lint_text(base), two = test::lint_text(std::string("\n\n# moved\n") + base);
  const auto d = compare(one, two);
  CHECK(d.appeared.empty());
  CHECK(d.gone.empty());
  CHECK(d.changed.empty());
  REQUIRE(d.time);
  CHECK(d.time->value == Approx(1));
  REQUIRE(d.memory);
  CHECK(d.memory->before_peak == d.memory->after_peak);
}

TEST_CASE("findings are matched by what they say, not by their line") {
  const auto one = test::lint_text(base);
  const auto two =
      test::lint_text(base, {"model.cpu_offloading=true", "model.pipeline_model_parallel_size=2"});
  const auto there = compare(one, two), back = compare(two, one);
  CHECK(has_rule(there.appeared, "offload/pipeline-parallel"));
  CHECK_FALSE(has_rule(there.gone, "offload/pipeline-parallel"));
  CHECK(has_rule(back.gone, "offload/pipeline-parallel"));
  CHECK(back.appeared.size() == there.gone.size());
}

TEST_CASE("a memory finding whose figures change is the same finding") {
  const std::vector<std::string> large{"train.micro_batch_size=8"}, larger{"train.micro_batch_size=16"};
  const auto one = test::lint_text(base, large), two = test::lint_text(base, larger);
  const auto is_memory = [](const rules::Diagnostic& d) { return d.severity == rules::Severity::memory; };
  REQUIRE(std::any_of(one.findings.diagnostics.begin(), one.findings.diagnostics.end(), is_memory));
  const auto d = compare(two, one);
  CHECK(std::none_of(d.appeared.begin(), d.appeared.end(), is_memory));
  CHECK(std::none_of(d.gone.begin(), d.gone.end(), is_memory));
}

TEST_CASE("changed values are effective ones, with their origin") {
  const auto one = test::lint_text(base),
             two = test::lint_text(base, {"mixed_precision=bf16_with_fp8_current_scaling_mixed"});
  const auto d = compare(one, two);
  const auto it =
      std::find_if(d.changed.begin(), d.changed.end(), [](const auto& c) { return c.field == "model.fp8"; });
  REQUIRE(it != d.changed.end());
  CHECK(it->before.is_null());
  CHECK(it->after.to_text() == "hybrid");
  CHECK_FALSE(it->written);
  CHECK(it->after_origin.by.find("bf16_with_fp8_current_scaling_mixed") != std::string_view::npos);
  // What was written comes first.
  CHECK(d.changed.front().field == "mixed_precision");
  // Text that changes nothing is no change.
  CHECK(compare(one, test::lint_text(base, {"model.num_layers=32"})).changed.empty());
}

TEST_CASE("stages that only one side has are shown") {
  const auto d = compare(
      test::lint_text(base),
      test::lint_text(base, {"model.pipeline_model_parallel_size=2", "model.pipeline_dtype=torch.bfloat16"}));
  REQUIRE(d.memory);
  REQUIRE(d.memory->stages.size() == 2);
  CHECK(d.memory->stages[0].before.has_value());
  CHECK_FALSE(d.memory->stages[1].before.has_value());
  CHECK(d.memory->stages[1].after.has_value());
}

TEST_CASE("budgets") {
  using Kind = diff::Budget::Kind;
  CHECK(diff::parse_budget("error")->kind == Kind::severity);
  CHECK(diff::parse_budget("never")->kind == Kind::never);
  CHECK(diff::parse_budget("memory+2GiB")->amount == 2.0 * 1024 * 1024 * 1024);
  CHECK(diff::parse_budget("memory+512MiB")->amount == 512.0 * 1024 * 1024);
  CHECK(diff::parse_budget("memory+5%")->kind == Kind::memory_share);
  CHECK(diff::parse_budget("step-time+5%")->amount == Approx(0.05));
  for (const char* wrong : {"", "memory+", "memory+x", "memory-2GiB", "step-time+2GiB", "step-time+5",
                            "time+5%", "memory+-1GiB", "memory+nan%", "errors"})
    CHECK_FALSE(diff::parse_budget(wrong).has_value());

  const auto one = test::lint_text(base), two = test::lint_text(base, {"train.micro_batch_size=2"});
  const auto d = compare(one, two);
  REQUIRE(d.memory);
  const double more = d.memory->after_peak - d.memory->before_peak;
  REQUIRE(more > 1e9);
  CHECK(diff::exceeds(d, *diff::parse_budget("memory+1MB")).has_value());
  CHECK_FALSE(diff::exceeds(d, *diff::parse_budget("memory+1000GB")).has_value());
  CHECK_FALSE(diff::exceeds(d, *diff::parse_budget("never")).has_value());
  CHECK_FALSE(diff::exceeds(compare(two, one), *diff::parse_budget("memory+0GiB")).has_value());
}

TEST_CASE("a budget that cannot be judged is over") {
  const auto one = test::lint_text("headroom: {gpus: 8}\nmodel: {num_layers: 4}\n");
  const auto d = compare(one, one);
  CHECK_FALSE(d.memory.has_value());
  CHECK(diff::exceeds(d, *diff::parse_budget("memory+2GiB")).has_value());
  CHECK(diff::exceeds(d, *diff::parse_budget("step-time+5%")).has_value());
  CHECK_FALSE(diff::exceeds(d, *diff::parse_budget("error")).has_value());
}
