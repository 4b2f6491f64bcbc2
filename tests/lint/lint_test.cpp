#include <catch2/catch.hpp>

#include "support.hpp"

using headroom::test::lint_text;

TEST_CASE("the headroom block is checked like everything else") {
  struct Case {
    const char* yaml;
    const char* message;
    unsigned line, column;
  };
  const Case cases[] = {
      {"headroom: {gpu: h1000}\n", "GPU kind", 1, 17},
      {"headroom: {bridge: blue}\n", "no release", 1, 20},
      {"headroom: {layer: middle}\n", "no layer", 1, 19},
      {"headroom: {dump: maybe}\n", "neither true nor false", 1, 18},
      {"headroom:\n  env: {\"A B\": \"1\"}\n", "no NAME=value", 2, 9},
      {"headroom: {gpus: many}\n", "number of GPUs", 1, 18},
      {"headroom:\n  bridgee: 0.6.0\n", "no key 'bridgee'", 2, 3},
      {"headroom: [1]\n", "is a mapping", 1, 11},
      {"- a\n", "a config is a mapping", 1, 1},
  };
  for (const Case& c : cases) {
    INFO(c.yaml);
    auto out = lint_text(c.yaml);
    REQUIRE(out.unreadable.has_value());
    CHECK(out.unreadable->message.find(c.message) != std::string::npos);
    CHECK(out.unreadable->location.start.line == c.line);
    CHECK(out.unreadable->location.start.column == c.column);
  }
}

TEST_CASE("an empty config has nothing to complain about") {
  auto out = lint_text("");
  CHECK_FALSE(out.unreadable.has_value());
  CHECK(out.findings.diagnostics.empty());
}

TEST_CASE("another Bridge release takes the nearest and says so") {
  auto out = lint_text("headroom: {bridge: 0.5.0}\n");
  CHECK(out.config.launch.release == headroom::schema::Release::v0_5_1);
  REQUIRE(out.notes.size() == 1);
}

TEST_CASE("memory sizes") {
  using headroom::lint::parse_size;
  CHECK(parse_size("80GB") == 80'000'000'000u);
  CHECK(parse_size("1.5 GiB") == 1'610'612'736u);
  CHECK(parse_size("12") == 12u);
  CHECK_FALSE(parse_size("").has_value());
  CHECK_FALSE(parse_size("0GB").has_value());
  CHECK_FALSE(parse_size("1.2.3GB").has_value());
  CHECK_FALSE(parse_size("12 bananas").has_value());
}

TEST_CASE("checks of the launch are told from those of the config in a saved recipe") {
  using headroom::rules::FailsAt;
  const std::string model =
      "model: {num_layers: 5, hidden_size: 64, num_attention_heads: 4, pipeline_model_parallel_size: 2, "
      "pipeline_dtype: torch.bfloat16}\nmixed_precision: bf16_mixed\n";
  auto written = lint_text("headroom: {gpus: 2}\n" + model);
  auto saved = lint_text("headroom: {gpus: 2, dump: true}\n" + model);
  REQUIRE(headroom::test::find(written, "pipeline/layers-divisible") != nullptr);
  REQUIRE(headroom::test::find(saved, "pipeline/layers-divisible") != nullptr);
  CHECK(headroom::test::find(written, "pipeline/layers-divisible")->fails_at == FailsAt::startup);
  CHECK(headroom::test::find(saved, "pipeline/layers-divisible")->fails_at == FailsAt::model_build);
}

TEST_CASE("a value that an old spelling replaces is told, but not in a saved config") {
  const std::string config = "validation: {eval_iters: 20}\ntrain: {eval_iters: 4}\n";
  CHECK(headroom::test::find(lint_text(config), "resolve-check/overwritten") != nullptr);
  CHECK(headroom::test::find(lint_text("headroom: {dump: true}\n" + config), "resolve-check/overwritten") ==
        nullptr);
}

TEST_CASE("advice comes only where it is asked for") {
  headroom::lint::Job job;
  job.text = std::make_shared<const headroom::source::SourceText>(
      "config.yaml",
      "model: {num_layers: 4, hidden_size: 64, num_attention_heads: 4, cross_entropy_loss_fusion: true, "
      "cross_entropy_fusion_impl: te}\nmixed_precision: bf16_mixed\n");
  CHECK(headroom::test::find(headroom::lint::lint(job), "fusion/cross-entropy-te") == nullptr);
  job.want_advice = true;
  CHECK(headroom::test::find(headroom::lint::lint(job), "fusion/cross-entropy-te") != nullptr);
}
