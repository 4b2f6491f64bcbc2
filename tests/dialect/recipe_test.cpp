// A recipe of the catalogue is the recipe that upstream's own function gives.
#include "headroom/dialect/recipe.hpp"

#include <catch2/catch.hpp>

#include <filesystem>

#include "headroom/dialect/bridge.hpp"
#include "headroom/resolve/effective.hpp"
#include "headroom/rules/pack.hpp"

using namespace headroom;
using schema::Release;
namespace fs = std::filesystem;

namespace {

const schema::Schema& tables() {
  return schema::embedded_schema();
}

/// Kind and text; recipes made paths from the working directory, the catalogue leaves it out.
std::string text_of(const source::Value& v) {
  constexpr std::string_view directory = "/workspace/";
  std::string out = v.to_text();
  if (auto at = out.find(directory); v.is_string() && at != std::string::npos)
    out.erase(at, directory.size());
  return (v.is_bool() ? "bool " : v.is_int() ? "int " : v.is_double() ? "float " : "") + out;
}

resolve::EffectiveConfig run(const dialect::Settings& settings, Release r) {
  resolve::LaunchContext launch;
  launch.release = r;
  launch.env_complete = true;
  return resolve::resolve(settings, launch, tables(), rules::embedded_resolve());
}

dialect::Settings recipe(std::string_view name, Release r) {
  const auto match = schema::find_training_recipe(tables(), name, r);
  REQUIRE(match);
  REQUIRE(match->exact);
  return dialect::settings_of_recipe(*match->recipe, tables());
}

std::string effective(const dialect::Settings& settings, Release r, std::string_view field) {
  return run(settings, r).now[tables().find(field)].to_text();
}

void apply(dialect::Settings& settings, std::string_view word, Release r) {
  dialect::apply_override(settings, *source::parse_override(word, "--set"), tables(), r, "--set");
}

}  // namespace

TEST_CASE("recipes of the catalogue give the values of upstream's own") {
  const fs::path data = HEADROOM_SOURCE_DIR "/tests/data/recipes";
  std::size_t compared = 0;
  for (const auto& folder : fs::directory_iterator(data)) {
    if (!folder.is_directory()) continue;
    const Release r = schema::match_bridge(folder.path().filename().string())->release;
    for (const auto& file : fs::directory_iterator(folder.path())) {
      INFO(file.path().string());
      const auto text = source::read_file(file.path().string());
      REQUIRE(text);
      auto document = source::read_yaml(*text, source::detect_loader(**text));
      REQUIRE(document);
      const auto saved = run(
          dialect::read_bridge(std::make_shared<const source::Document>(std::move(*document)), tables(), r),
          r);
      const auto named = run(recipe(file.path().stem().string(), r), r);
      for (std::size_t i = 0; i < tables().size(); ++i) {
        INFO(tables().fields[i].name);
        CHECK(text_of(named.raw[i]) == text_of(saved.raw[i]));
        CHECK(text_of(named.now[i]) == text_of(saved.now[i]));
        CHECK(named.set[i] == saved.set[i]);
      }
      ++compared;
    }
  }
  CHECK(compared == 8);
}

TEST_CASE("values of a recipe say where they are from") {
  const auto settings = recipe("llama3_8b_peft_config", Release::main);
  const auto config = run(settings, Release::main);
  const auto id = tables().find("peft.dim");
  CHECK(config.origin[id].kind == resolve::OriginKind::recipe);
  CHECK(config.origin[id].by == "recipe llama3_8b_peft_1gpu_h100_bf16");
  REQUIRE(settings.find(id) != nullptr);
  CHECK(settings.find(id)->place.written_name == "peft.dim");
  CHECK(settings.find(id)->place.source == nullptr);
}

TEST_CASE("words change a recipe") {
  auto settings = recipe("llama3_8b_peft_config", Release::main);
  apply(settings, "train.micro_batch_size=3", Release::main);
  apply(settings, "peft=null", Release::main);
  CHECK(effective(settings, Release::main, "train.micro_batch_size") == "3");
  CHECK(effective(settings, Release::main, "peft.dim") == "null");
  const auto config = run(settings, Release::main);
  CHECK(config.origin[tables().find("train.micro_batch_size")].kind == resolve::OriginKind::set_option);
}

TEST_CASE("a precision recipe named in a word takes the place of the whole section") {
  auto settings = recipe("deepseek_v3_pretrain_64gpu_gb300_fp8mx_fsdp", Release::v0_6_0);
  CHECK(effective(settings, Release::v0_6_0, "mixed_precision.fp8_recipe") == "mxfp8");
  apply(settings, "mixed_precision=bf16_mixed", Release::v0_6_0);
  dialect::Settings plain;
  apply(plain, "mixed_precision=bf16_mixed", Release::v0_6_0);
  const auto a = run(settings, Release::v0_6_0), b = run(plain, Release::v0_6_0);
  for (std::size_t i = 0; i < tables().size(); ++i) {
    const auto name = tables().fields[i].name;
    INFO(name);
    if (name.starts_with("mixed_precision.") && !name.ends_with("_target_"))
      CHECK(text_of(a.raw[i]) == text_of(b.raw[i]));
  }
}

TEST_CASE("the batch of a benchmark grows with the GPUs") {
  const auto r = Release::main;
  const auto match = schema::find_training_recipe(tables(), "deepseek_v3_pretrain_256gpu_b200_bf16", r);
  REQUIRE(match);
  auto batch_for = [&](std::int64_t gpus, std::vector<std::string> words) {
    auto settings = dialect::settings_of_recipe(*match->recipe, tables());
    for (const auto& word : words) apply(settings, word, r);
    const auto problem = dialect::scale_to_gpus(settings, *match->recipe, gpus, tables(), r);
    return problem ? *problem : settings.find(tables().find("train.global_batch_size"))->value.to_text();
  };
  const auto own = std::stoll(batch_for(256, {}));
  CHECK(batch_for(512, {}) == std::to_string(2 * own));
  CHECK(batch_for(128, {}) == std::to_string(own / 2));
  CHECK(batch_for(512, {"train.global_batch_size=7"}) == "7");
  CHECK(batch_for(250, {}).find("no multiple") != std::string::npos);
}

TEST_CASE("before 0.6 the batch of a preset grows with the GPUs alone") {
  const auto r = Release::v0_4_2;
  const auto match = schema::find_training_recipe(tables(), "llama31_405b_pretrain_256gpu_gb300_fp8cs_v2", r);
  REQUIRE(match);
  auto settings = dialect::settings_of_recipe(*match->recipe, tables());
  const auto id = tables().find("train.global_batch_size");
  const auto own = settings.find(id)->value.as_int();
  apply(settings, "model.tensor_model_parallel_size=1", r);
  CHECK_FALSE(dialect::scale_to_gpus(settings, *match->recipe, 100, tables(), r));
  CHECK(settings.find(id)->value == source::Value(own * 100 / 256));
}
