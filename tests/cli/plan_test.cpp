// `headroom plan` and `headroom diff` as programs: what they write passes check.
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "program.hpp"

using headroom::cli::read;
using headroom::cli::run;
using headroom::cli::TemporaryFolder;
using Json = nlohmann::json;

TEST_CASE("a plan that is written passes check, with its variables where the config keeps them") {
  const TemporaryFolder folder;
  for (const std::string name : {"llama3_70b_sft_h100", "moonlight_16b_h100", "qwen3_8b_lora"}) {
    INFO(name);
    const std::string config = "examples/" + name + ".yaml", path = folder.path() + "/" + name + ".yaml";
    const auto plan = run({{"plan", config, "--top", "1", "--format", "json"}});
    REQUIRE(plan.status == 0);
    const Json best = Json::parse(plan.out)["plans"][0];
    REQUIRE(run({{"plan", config, "--write", path}}).status == 0);
    const std::string text = read(path);
    for (const auto& [variable, value] : best["env"].items())
      if (value.is_string()) CHECK_THAT(text, Catch::Contains("  " + variable + ": "));
    const auto checked = run({{"check", path}});
    INFO(checked.out);
    CHECK(checked.status == 0);
    CHECK(run({{"plan", config, "--write", path}}).status == 2);  // never over a file
  }
}

TEST_CASE("diff says what a change does") {
  const TemporaryFolder folder;
  const auto result = run({{"diff", "examples/llama3_70b_sft_h100.yaml",
                            "examples/broken/llama3_70b_sft_h100.yaml", "--format", "json"}});
  const Json doc = Json::parse(result.out);
  CHECK_FALSE(doc["appeared"].empty());
  CHECK_FALSE(doc["changed"].empty());
  const auto same =
      run({{"diff", "examples/qwen3_8b_lora.yaml", "examples/qwen3_8b_lora.yaml", "--format", "json"}});
  CHECK(same.status == 0);
  CHECK(Json::parse(same.out)["changed"].empty());
}
