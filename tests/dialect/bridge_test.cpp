#include <catch2/catch.hpp>

#include "../lint/support.hpp"
#include "headroom/dialect/bridge.hpp"

using headroom::source::Value;
using headroom::test::effective;
using headroom::test::find;
using headroom::test::lint_text;

TEST_CASE("objects written with _target_ are data") {
  auto out = lint_text(R"(
model:
  _target_: megatron.bridge.models.gpt_provider.GPTModelProvider
  params_dtype: {_target_: torch.bfloat16, _call_: false}
  activation_func: {_target_: torch.nn.functional.silu, _call_: false}
  attention_backend: {_target_: megatron.core.transformer.enums.AttnBackend, _call_: true, _args_: [1], _name_: flash}
  pipeline_dtype: bf16
)");
  CHECK(effective(out, "model.params_dtype") == Value("bfloat16"));
  CHECK(effective(out, "model.pipeline_dtype") == Value("bfloat16"));
  CHECK(effective(out, "model.activation_func") == Value("torch.nn.functional.silu"));
  CHECK(effective(out, "model.attention_backend") == Value("flash"));
}

TEST_CASE("builder models keep their sizes one level down") {
  auto out = lint_text(R"(
model:
  _target_: megatron.bridge.models.gpt.gpt_builder.GPTModelConfig
  seq_length: 4096
  transformer:
    _target_: megatron.core.transformer.transformer_config.TransformerConfig
    num_layers: 12
)");
  CHECK(effective(out, "model.num_layers") == Value(12));
  CHECK(effective(out, "model.seq_length") == Value(4096));
  const auto& schema = headroom::schema::embedded_schema();
  using Path = std::vector<std::string>;
  CHECK(headroom::dialect::path_in_file(out.settings, schema, "model.num_layers") ==
        Path{"model", "transformer", "num_layers"});
  CHECK(headroom::dialect::path_in_file(out.settings, schema, "model.recompute_granularity") ==
        Path{"model", "transformer", "recompute_granularity"});
  CHECK(headroom::dialect::path_in_file(out.settings, schema, "model.seq_length") ==
        Path{"model", "seq_length"});
}

TEST_CASE("unknown keys are found and the right name is offered") {
  auto out = lint_text("model: {tensor_model_paralel_size: 2}\n");
  const auto* d = find(out, "schema-check/unknown-field");
  REQUIRE(d != nullptr);
  CHECK(d->message.find("model.tensor_model_parallel_size") != std::string::npos);
  REQUIRE(d->primary.has_value());
  CHECK(d->primary->location.start.column == 9);
  REQUIRE_FALSE(d->fixes.empty());
  CHECK(d->fixes.front().set.front().second == Value(2));
}

TEST_CASE("numbers that the loader of a saved config reads as strings") {
  auto out =
      lint_text("optimizer:\n  _target_: megatron.bridge.training.config.OptimizerConfig\n  lr: 3e-4\n");
  const auto* d = find(out, "schema-check/number-is-string");
  REQUIRE(d != nullptr);
  CHECK(d->fields.front() == "optimizer.lr");
  CHECK(find(lint_text("optimizer:\n  lr: 3e-4\n"), "schema-check/number-is-string") ==
        nullptr);  // OmegaConf: a float
}

TEST_CASE("fields of other releases name the release") {
  auto out = lint_text("headroom: {bridge: 0.2.2}\nmodel: {cuda_graph_modules: [attn]}\n");
  const auto* d = find(out, "schema-check/not-in-release");
  REQUIRE(d != nullptr);
  CHECK(d->message.find("exists since 0.5.1") != std::string::npos);
}

TEST_CASE("key=value words win over the file") {
  auto out = lint_text("model: {num_layers: 4}\n", {"model.num_layers=8", "model.recompute_modules=[mlp]"});
  CHECK(effective(out, "model.num_layers") == Value(8));
  CHECK(effective(out, "model.recompute_modules").as_list().size() == 1);
}

TEST_CASE("a misspelt choice is corrected, any other removed") {
  auto out = lint_text("model: {attention_backend: falsh, cuda_graph_modules: [atn, mlp], fp8: nonsense}\n");
  const auto fix_of = [&](std::string_view field) {
    for (const auto& d : out.findings.diagnostics)
      if (d.rule == "schema-check/invalid-choice" && d.fields.front() == field) return d.fixes.at(0);
    return headroom::rules::Fix{};
  };
  const headroom::rules::Fix scalar = fix_of("model.attention_backend");
  REQUIRE(scalar.set.size() == 1);
  CHECK(scalar.set[0].second == Value("flash"));
  CHECK(fix_of("model.fp8").unset == std::vector<std::string>{"model.fp8"});
}

TEST_CASE("a section given by name") {
  auto out = lint_text("model: {num_layers: 4}\nmixed_precision: bf16_mixd\n");
  const auto* d = find(out, "schema-check/unknown-recipe");
  REQUIRE(d != nullptr);
  REQUIRE(!d->fixes.empty());
  CHECK(d->fixes.front().set.front().second == Value("bf16_mixed"));
  auto good = lint_text("model: {num_layers: 4}\nmixed_precision: bf16-mixed\n");
  CHECK(find(good, "schema-check/unknown-recipe") == nullptr);
  CHECK(effective(good, "model.bf16") == Value(true));
}

TEST_CASE("a misspelt key is found in a saved config too, unless its class is not known") {
  const std::string path = HEADROOM_SOURCE_DIR "/tests/data/recipes/llama3_70b_sft_32gpu_h100_fp8cs.yaml";
  std::string saved = headroom::source::read_file(path).value()->text();
  CHECK(find(lint_text(saved), "schema-check/unknown-field") == nullptr);
  saved.replace(saved.find("recompute_granularity:"), 21, "recompute_granularty");
  const auto out = lint_text(saved);
  REQUIRE(out.settings.full_dump);
  const auto* d = find(out, "schema-check/unknown-field");
  REQUIRE(d != nullptr);
  CHECK(d->message.find("model.recompute_granularity") != std::string::npos);

  const std::string own = "model: {_target_: my_team.models.OurProvider, our_field: 1}\n";
  CHECK(find(lint_text(own), "schema-check/unknown-field") == nullptr);
}
