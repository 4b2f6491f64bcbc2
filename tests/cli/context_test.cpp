// Where settings and launch facts come from, and which of them wins.
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "program.hpp"

using headroom::cli::run;
using headroom::cli::Run;
using headroom::cli::TemporaryFolder;
using Json = nlohmann::json;

namespace {

constexpr const char* model = "model: {num_layers: 4, hidden_size: 64, num_attention_heads: 4}\n";

Json context(const std::vector<std::string>& args) {
  std::vector<std::string> all{"check", "--format", "json"};
  all.insert(all.end(), args.begin(), args.end());
  return Json::parse(run({all}).out)["files"][0]["context"];
}

Json effective(const std::string& config, const std::vector<std::string>& args) {
  std::vector<std::string> all{"effective", "--format", "json", config};
  all.insert(all.end(), args.begin(), args.end());
  const auto result = run({all});
  INFO(result.err);
  REQUIRE(result.status == 0);
  return Json::parse(result.out)["values"];
}

}  // namespace

TEST_CASE("the command line wins, then the config, then the repository") {
  const TemporaryFolder folder;
  const std::string plain = folder.file("repo/configs/plain.yaml", model);
  const std::string own = folder.file("repo/configs/own.yaml", std::string("headroom: {gpus: 16}\n") + model);
  folder.file("repo/.headroom.yaml", "bridge: 0.5.1\ngpus: 8\ngpu: h100\n");
  folder.file("repo/.git/HEAD", "");
  folder.file(".headroom.yaml", "gpus: 999\n");
  CHECK(context({plain})["gpus"] == 8);
  CHECK(context({plain})["bridge"] == "0.5.1");
  CHECK(context({own})["gpus"] == 16);
  CHECK(context({own})["gpu"] == "h100");
  CHECK(context({own, "--gpus", "32", "--bridge", "main"})["gpus"] == 32);
  CHECK(context({own, "--gpus", "32", "--bridge", "main"})["bridge"] == "main");
  const auto verbose = run({{"check", plain, "-v"}});
  CHECK_THAT(verbose.err, Catch::Contains("repo/.headroom.yaml"));
}

TEST_CASE("the search for .headroom.yaml stops at the repository") {
  const TemporaryFolder folder;
  const std::string config = folder.file("repo/a.yaml", model);
  folder.file("repo/.git/HEAD", "");
  folder.file(".headroom.yaml", "gpus: 8\n");
  CHECK(!context({config}).contains("gpus"));
}

TEST_CASE("a repository can select, ignore and choose what fails") {
  const TemporaryFolder folder;
  const std::string config = folder.file("a.yaml", "mixed_precision: bf16_mixed\nmodel: {num_layer: 4}\n");
  const auto with = [&](const std::string& text) {
    folder.file(".headroom.yaml", text);
    return run({{"check", config}});
  };
  CHECK_THAT(with("{}\n").out, Catch::Contains("unknown-field"));
  CHECK(with("ignore: ['*/unknown-field']\n").out.empty());
  CHECK(with("select: [offload]\n").out.empty());
  CHECK(with("fail_on: ignored\n").status == 1);
  CHECK(with("fail_on: never\n").status == 0);
  folder.file(".headroom.yaml", "ignore: ['*/unknown-field']\nselect: [offload]\n");
  CHECK(run({{"check", config, "--select", "schema-check/*"}}).out.empty());  // still ignored
}

TEST_CASE("--select and --ignore take globs") {
  const TemporaryFolder folder;
  const std::string config = folder.file("a.yaml", "mixed_precision: bf16_mixed\nmodel: {num_layer: 4}\n");
  CHECK_THAT(run({{"check", config, "--select", "offload/*,schema-check"}}).out,
             Catch::Contains("unknown-field"));
  CHECK(run({{"check", config, "--select", "offload/*"}}).out.empty());
  CHECK(run({{"check", config, "--ignore", "*/unknown-*"}}).out.empty());
  const auto misspelt = run({{"check", config, "--select", "offlaod/*"}});
  CHECK(misspelt.status == 2);
  CHECK_THAT(misspelt.err, Catch::Contains("no rule matches 'offlaod/*'"));
}

TEST_CASE("settings of the command line") {
  const TemporaryFolder folder;
  const std::string config = folder.file("a.yaml", model);
  const auto value = [&](const std::vector<std::string>& words) {
    auto args = words;
    args.push_back("model.num_layers");
    return effective(config, args)["model.num_layers"];
  };
  CHECK(value({})["value"] == 4);
  CHECK(value({})["origin"] == "file");
  CHECK(value({})["location"]["line"] == 1);
  CHECK(value({"--set", "model.num_layers=8"})["value"] == 8);
  CHECK(value({"--set", "model.num_layers=8"})["origin"] == "set");
  CHECK(value({"model.num_layers=12"})["value"] == 12);
  CHECK(value({"+model.num_layers=12"})["value"] == 12);
  CHECK(value({"--set", "model.num_layers=8", "model.num_layers=12"})["value"] == 12);
  CHECK(value({"--set", "model.num_layers=8", "--set", "model.num_layers=9"})["value"] == 9);
}

TEST_CASE("the environment of the run") {
  const TemporaryFolder folder;
  const std::string config = folder.file("a.yaml", model);
  const std::string file = folder.file("run.env", "# comment\nexport A=1\nB='two words'\n\n");
  const std::string wrong = folder.file("wrong.env", "A=1\nnot an assignment\n");
  CHECK(run({{"check", config, "--env-file", file}}).status == 0);
  CHECK(run({{"check", config, "--env-file", "/dev/null"}}).status == 0);
  CHECK(run({{"check", config, "--env", "NCCL_ALGO=Ring", "--env", "NCCL_GRAPH_REGISTER"}}).status == 0);
  const auto bad = run({{"check", config, "--env-file", wrong}});
  CHECK(bad.status == 2);
  CHECK_THAT(bad.err, Catch::Contains("wrong.env:2:1"));
}

TEST_CASE("what is assumed is shown") {
  const TemporaryFolder folder;
  const Json c = context({folder.file("a.yaml", model)});
  CHECK(c["bridge"] == "0.6.0");
  CHECK(c["te"].is_string());
  CHECK(c["torch"].is_string());
  CHECK(!c.contains("gpus"));
}

TEST_CASE("all releases side by side") {
  const TemporaryFolder folder;
  const std::string config =
      folder.file("a.yaml",
                  "headroom: {env: {}}\nmodel: {num_layers: 4, hidden_size: 64, num_attention_heads: 4,\n"
                  "  cpu_offloading: true, cpu_offloading_num_layers: 1, pipeline_model_parallel_size: 2}\n");
  const auto text = run({{"check", config, "--bridge", "all"}});
  CHECK(text.status == 1);
  CHECK_THAT(text.out, Catch::Contains("0.2.2") && Catch::Contains("main") &&
                           Catch::Contains("offload/pipeline-parallel") && Catch::Contains("fails"));
  const Json json = Json::parse(run({{"check", config, "--bridge", "all", "--format", "json"}}).out);
  CHECK(json["files"].size() == 6);
  CHECK(json["files"][0]["context"]["bridge"] == "0.2.2");
}

TEST_CASE("the summary names memory checks that lack the sizes of the model") {
  const TemporaryFolder folder;
  const std::string config =
      folder.file("c.yaml", "model: {hidden_size: 4096}\nheadroom: {gpus: 8, gpu: h100, env: {}}\n");
  CHECK_THAT(run({{"check", config}}).err, Catch::Contains("checks need the sizes of the model (--model)"));
  CHECK_THAT(run({{"check", config, "--model", "llama3-8b"}}).err, !Catch::Contains("sizes of the model"));
}
