// The catalogue of training recipes: what its reader refuses, and who is found by which name.
#include <catch2/catch.hpp>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>

#include "headroom/embed/embed.hpp"

using namespace headroom;
using schema::Release;
namespace fs = std::filesystem;

namespace {

const std::string rules_dir = std::string(HEADROOM_SOURCE_DIR) + "/rules";

/// The tables with a catalogue of this one file.
tl::expected<embed::LoadedSchema, embed::Errors> with_recipes(const std::string& text) {
  const fs::path dir = fs::temp_directory_path() / "headroom-recipes";
  fs::remove_all(dir);
  fs::create_directories(dir / "recipes");
  for (const char* part : {"schema", "gpus.yaml"})
    fs::copy(rules_dir + "/" + part, dir / part, fs::copy_options::recursive);
  std::ofstream(dir / "recipes/some.yaml") << text;
  auto out = embed::load_schema(dir.string());
  fs::remove_all(dir);
  return out;
}

bool reports(const embed::Errors& errors, std::uint32_t line, std::string_view text) {
  return std::any_of(errors.begin(), errors.end(), [&](const source::Error& e) {
    return e.source.ends_with("some.yaml") && e.location.start.line == line &&
           e.message.find(text) != std::string::npos;
  });
}

/// Fields and values of a recipe.
std::map<std::string, std::string> values(const schema::Schema& s, const schema::TrainingRecipe& recipe) {
  std::map<std::string, std::string> out;
  for (auto part : recipe.parts)
    for (const auto& v : s.recipe_parts[part]) out.emplace(s.field(v.field).name, s.value(v.value).to_text());
  return out;
}

std::string found(std::string_view name, Release r) {
  const auto match = schema::find_training_recipe(schema::embedded_schema(), name, r);
  return match ? std::string(match->recipe->name) : "";
}

std::string benchmark(schema::BenchmarkJob job, Release r) {
  const auto match = schema::find_benchmark_recipe(schema::embedded_schema(), job, r);
  return match ? std::string(match->recipe->name) + (match->same_gpus ? "" : " of another size") : "";
}

}  // namespace

TEST_CASE("a recipe has what its base has, release by release") {
  auto loaded = with_recipes(R"(
common:
  releases: '>=0.5.1'
  kind: shared
  values:
    train: {micro_batch_size: 2, global_batch_size: {'<0.6.0': 16, '>=0.6.0': 32}}
    mixed_precision: {fp8: hybrid, bf16: true}
    comm_overlap: {}
    env: {CUDA_DEVICE_MAX_CONNECTIONS: '1'}
plain:
  base: common
  aliases: [other]
  releases: '>=0.6.0'
  kind: library
derived:
  base: plain
  releases: '>=0.6.0'
  kind: benchmark
  gpus: 8
  gpu: h100
  values:
    train: {micro_batch_size: {main: '!absent'}}
    mixed_precision: bf16_mixed
    comm_overlap: '!absent'
)");
  REQUIRE(loaded);
  const auto& s = loaded->view();
  REQUIRE(s.training_recipes.size() == 3);  // derived differs between the releases
  auto at = [&](std::string_view name, Release r) {
    return schema::find_training_recipe(s, name, r)->recipe;
  };
  using Values = std::map<std::string, std::string>;
  CHECK(values(s, *at("other", Release::main)) == Values{{"comm_overlap", "{…}"},
                                                         {"env.CUDA_DEVICE_MAX_CONNECTIONS", "'1'"},
                                                         {"mixed_precision", "{…}"},
                                                         {"mixed_precision.bf16", "true"},
                                                         {"mixed_precision.fp8", "hybrid"},
                                                         {"train.global_batch_size", "32"},
                                                         {"train.micro_batch_size", "2"}});
  CHECK(values(s, *at("derived", Release::v0_6_0)) == Values{{"env.CUDA_DEVICE_MAX_CONNECTIONS", "'1'"},
                                                             {"mixed_precision", "bf16_mixed"},
                                                             {"train.global_batch_size", "32"},
                                                             {"train.micro_batch_size", "2"}});
  CHECK(values(s, *at("derived", Release::main)).count("train.micro_batch_size") == 0);
  CHECK(at("derived", Release::main)->gpus == 8);
  CHECK(at("derived", Release::main)->gpu == "h100");
}

TEST_CASE("mistakes in a recipe are reported with their place") {
  auto loaded = with_recipes(
      "a: {kind: library, base: nobody}\n"
      "b: {kind: recipe}\n"
      "c: {kind: library, gpu: h1000}\n"
      "d: {kind: library, colour: red}\n"
      "e: {kind: library, values: {modle: {num_layers: 1}}}\n"
      "f: {kind: library, values: {model: {num_layer: 1}}}\n"
      "g: {kind: library, base: h}\n"
      "h: {kind: library, base: g}\n"
      "i: {kind: library, aliases: [a]}\n"
      "j: {kind: library, base: k}\n"
      "k: {kind: library, releases: '0.4.2'}\n"
      "l: {kind: library, values: {env: '1'}}\n"
      "m: {kind: library, gpus: -1}\n");
  REQUIRE_FALSE(loaded);
  const auto& errors = loaded.error();
  CHECK(reports(errors, 1, "no recipe 'nobody'"));
  CHECK(reports(errors, 2, "library or benchmark"));
  CHECK(reports(errors, 3, "h1000"));
  CHECK(reports(errors, 4, "unknown key 'colour'"));
  CHECK(reports(errors, 5, "no section 'modle'"));
  CHECK(reports(errors, 6, "did you mean 'model.num_layers'?"));
  CHECK(reports(errors, 8, "its own base"));
  CHECK(reports(errors, 9, "'a' names two recipes"));
  CHECK(reports(errors, 10, "all releases"));
  CHECK(reports(errors, 12, "mapping of variables"));
  CHECK(reports(errors, 13, "number of GPUs"));
}

TEST_CASE("recipes are found by the names that run_recipe.py takes") {
  CHECK(found("llama3_8b_pretrain_config", Release::main) == "llama3_8b_pretrain_2gpu_h100_bf16");
  CHECK(found("llama3_8b_pretrain", Release::main) == "llama3_8b_pretrain_2gpu_h100_bf16");
  CHECK(found("megatron.bridge.recipes.deepseek.deepseek_v3.deepseek_v3_pretrain_config", Release::v0_4_2) ==
        "deepseek_v3_pretrain");
  CHECK(found("llama3_70b_sft_config", Release::v0_6_0) == "llama3_70b_sft_32gpu_h100_bf16__library");
  CHECK(found("no_such_recipe_config", Release::main).empty());
  CHECK(found("_config", Release::main).empty());
  CHECK(found("", Release::main).empty());
}

TEST_CASE("a recipe that a release lacks is that of the nearest one") {
  const auto& s = schema::embedded_schema();
  const auto old = schema::find_training_recipe(s, "deepseek_v3_pretrain_config", Release::v0_2_2);
  REQUIRE(old);
  CHECK(old->release == Release::v0_4_2);
  CHECK_FALSE(old->exact);
  const auto now =
      schema::find_training_recipe(s, "llama3_70b_sft_32gpu_h100_bf16__library", Release::v0_6_0);
  REQUIRE(now);
  CHECK(now->exact);
}

TEST_CASE("a mode decides about the name of a model's recipe") {
  CHECK(schema::library_recipe_name("llama3_8b", "pretrain") == "llama3_8b_pretrain_config");
  CHECK(schema::library_recipe_name("llama3_8b", "lora") == "llama3_8b_peft_config");
  CHECK(schema::library_recipe_name("llama3_8b", "dora") == "llama3_8b_peft_config");
  CHECK(schema::library_recipe_name("deepseek_v3_32nodes", "pretrain") ==
        "deepseek_v3_pretrain_config_32nodes");
}

TEST_CASE("benchmarks are found by the options of the performance scripts") {
  CHECK(benchmark({"deepseek_v3", "pretrain", "gb300", "fp8_mx", 64, "fsdp"}, Release::v0_6_0) ==
        "deepseek_v3_pretrain_64gpu_gb300_fp8mx_fsdp");
  CHECK(benchmark({"deepseek_v3", "pretrain", "b200", "bf16", 256, ""}, Release::main) ==
        "deepseek_v3_pretrain_256gpu_b200_bf16");
  // Numbered variants are left from older launchers and mean nothing here.
  CHECK(benchmark({"deepseek_v3", "pretrain", "b200", "bf16", 256, "v2"}, Release::main) ==
        "deepseek_v3_pretrain_256gpu_b200_bf16");
  CHECK(benchmark({"deepseek_v3", "pretrain", "b200", "bf16", 512, ""}, Release::main) ==
        "deepseek_v3_pretrain_256gpu_b200_bf16 of another size");
  CHECK(
      benchmark({"deepseek_v3", "pretrain", "b200", "bf16", 512, "no_such_variant"}, Release::main).empty());
  // Presets: of whatever size, the second variant before the first.
  CHECK(benchmark({"deepseek_v3", "pretrain", "b200", "bf16", 256, ""}, Release::v0_4_2) ==
        "deepseek_v3_pretrain_256gpu_b200_bf16_v2");
  CHECK(benchmark({"deepseek_v3", "pretrain", "b200", "bf16", 256, "v1"}, Release::v0_5_1) ==
        "deepseek_v3_pretrain_256gpu_b200_bf16_v1");
  CHECK(benchmark({"deepseek_v3", "pretrain", "b300", "bf16", 128, ""}, Release::v0_4_2) ==
        "deepseek_v3_pretrain_256gpu_b300_bf16_v1 of another size");
  CHECK(benchmark({"llama3_70b", "lora", "b300", "bf16", 8, ""}, Release::v0_4_2) ==
        "llama3_70b_peft_8gpu_b300_bf16_v1");
  CHECK(benchmark({"llama3_70b", "pretrain", "h1000", "bf16", 64, ""}, Release::main).empty());
}
