#include <catch2/catch.hpp>

#include "../lint/support.hpp"

using headroom::resolve::OriginKind;
using headroom::source::Value;
using headroom::test::effective;
using headroom::test::lint_text;

namespace {

OriginKind origin(const headroom::lint::Outcome& out, std::string_view field) {
  return out.config.origin[headroom::schema::embedded_schema().find(field)].kind;
}

}  // namespace

TEST_CASE("every value knows where it comes from") {
  auto out = lint_text("model: {num_layers: 4, fp8: hybrid}\nmixed_precision: bf16_mixed\n",
                       {"model.hidden_size=64"});
  CHECK(origin(out, "model.num_layers") == OriginKind::file);
  CHECK(origin(out, "model.hidden_size") == OriginKind::set_option);
  CHECK(origin(out, "model.fp8") == OriginKind::rewritten);
  CHECK(effective(out, "model.fp8").is_null());
  CHECK(origin(out, "model.add_bias_linear") == OriginKind::default_value);
  REQUIRE(out.config.rewrites.size() >= 1);
}

TEST_CASE("unknown is not unset") {
  auto bare = lint_text("model: {num_layers: 4}\n");
  CHECK(effective(bare, "launch.gpus").is_unknown());
  CHECK(effective(bare, "env.NCCL_GRAPH_REGISTER").is_unknown());
  auto known = lint_text("headroom: {gpus: 8, env: {}}\nmodel: {num_layers: 4}\n");
  CHECK(effective(known, "launch.gpus") == Value(8));
  CHECK(effective(known, "env.NCCL_GRAPH_REGISTER").is_null());
}

TEST_CASE("the process environment wins over env_vars") {
  auto out = lint_text(
      "headroom: {env: {NCCL_GRAPH_REGISTER: \"1\"}}\nenv_vars: {NCCL_GRAPH_REGISTER: 0, NCCL_NVLS_ENABLE: "
      "0}\n");
  CHECK(effective(out, "env.NCCL_GRAPH_REGISTER") == Value("1"));
  CHECK(effective(out, "env.NCCL_NVLS_ENABLE") == Value("0"));
}

TEST_CASE("sections that a config does not have are null") {
  auto out = lint_text("model: {num_layers: 4}\n");
  CHECK(effective(out, "peft").is_null());
  CHECK(effective(out, "peft.dim").is_null());
  CHECK_FALSE(effective(out, "ddp").is_null());
}

TEST_CASE("the architecture comes by name") {
  auto out = lint_text("headroom: {model: llama3-70b}\nmodel: {tensor_model_parallel_size: 4}\n");
  CHECK(effective(out, "model.num_layers") == Value(80));
  CHECK(origin(out, "model.num_layers") == OriginKind::model_facts);
  CHECK(effective(out, "model.tensor_model_parallel_size") == Value(4));
}

TEST_CASE("a recipe that the release does not have leaves its values unknown") {
  auto out = lint_text("model: {num_layers: 4, fp8: hybrid}\nmixed_precision: bf16_with_fp8_mxed\n");
  CHECK(effective(out, "mixed_precision.fp8").is_unknown());
  CHECK(effective(out, "model.fp8").is_unknown());
  REQUIRE(out.findings.diagnostics.size() == 1);
  CHECK(out.findings.diagnostics.front().rule == "schema-check/unknown-recipe");
}
