// --fix and --diff.
#include <catch2/catch.hpp>
#include <filesystem>

#include "program.hpp"

using headroom::cli::read;
using headroom::cli::run;
using headroom::cli::TemporaryFolder;

namespace {

std::string example(const char* name) {
  return read(std::string(HEADROOM_SOURCE_DIR "/examples/broken/") + name);
}

}  // namespace

TEST_CASE("--fix repairs and keeps everything else") {
  const TemporaryFolder folder;
  const std::string before = example("llama3_70b_sft_h100.yaml");
  const std::string path = folder.file("a.yaml", before);
  CHECK(run({{"check", path}}).status == 1);
  const auto fixed = run({{"check", path, "--fix"}});
  INFO(fixed.out << fixed.err);
  CHECK(fixed.status == 0);
  CHECK_THAT(fixed.err, Catch::Contains("fixed: "));
  const std::string after = read(path);
  CHECK(after != before);
  CHECK_THAT(after, Catch::Contains("# Parallelism: 80 layers over 4 pipeline ranks"));
  CHECK(run({{"check", path}}).status == 0);
  const auto again = run({{"check", path, "--fix"}});
  CHECK(again.status == 0);
  CHECK(read(path) == after);
}

TEST_CASE("a report over a config is refused before the config is mended") {
  const TemporaryFolder folder;
  const std::string before = example("llama3_70b_sft_h100.yaml");
  const std::string path = folder.file("a.yaml", before);
  CHECK(run({{"check", path, "--fix", "-o", "json=" + path}}).status == 2);
  CHECK(read(path) == before);
}

TEST_CASE("--diff shows and does not write") {
  const TemporaryFolder folder;
  const std::string before = example("llama3_70b_sft_h100.yaml");
  const std::string path = folder.file("a.yaml", before);
  const auto diff = run({{"check", path, "--diff"}});
  CHECK(diff.status == 1);
  CHECK_THAT(diff.out, Catch::StartsWith("--- ") && Catch::Contains("\n@@ ") && Catch::Contains("\n-") &&
                           Catch::Contains("\n+"));
  CHECK(read(path) == before);
}

TEST_CASE("fixes that change results are made only when allowed") {
  const TemporaryFolder folder;
  // Half precision is another training: a warning whose only fix is unsafe.
  const std::string before = "model: {num_layers: 4, hidden_size: 64, num_attention_heads: 4}\n";
  const std::string path = folder.file("a.yaml", before);
  CHECK(run({{"check", path, "--fail-on", "warning"}}).status == 1);
  static_cast<void>(run({{"check", path, "--fix"}}));
  CHECK(read(path) == before);
  static_cast<void>(run({{"check", path, "--fix", "--unsafe-fixes"}}));
  CHECK_THAT(read(path), Catch::Contains("mixed_precision"));
  CHECK(run({{"check", path, "--fail-on", "warning"}}).status == 0);
}

TEST_CASE("a clean file is not touched") {
  const TemporaryFolder folder;
  const std::string before = read(HEADROOM_SOURCE_DIR "/examples/nemotron3_nano_h100.yaml");
  const std::string path = folder.file("a.yaml", before);
  CHECK(run({{"check", path, "--fix"}}).status == 0);
  CHECK(read(path) == before);
}

TEST_CASE("JSON configs are fixed as JSON") {
  const TemporaryFolder folder;
  const std::string path = folder.file(
      "a.json",
      "{\n  \"headroom\": {\"env\": {}},\n  \"model\": {\n    \"num_layers\": 4, \"hidden_size\": 64, "
      "\"num_attention_heads\": 4,\n    \"cpu_offloading\": true, \"cpu_offloading_num_layers\": 1,\n"
      "    \"pipeline_model_parallel_size\": 2, \"pipeline_dtype\": \"torch.bfloat16\"\n  }\n}\n");
  CHECK(run({{"check", path}}).status == 1);
  const auto fixed = run({{"check", path, "--fix"}});
  INFO(read(path) << fixed.out << fixed.err);
  CHECK(fixed.status == 0);
}

TEST_CASE("--fix takes a file once, whatever it is called") {
  const TemporaryFolder folder;
  const std::string path = folder.file("a.yaml", example("llama3_70b_sft_h100.yaml"));
  std::filesystem::create_symlink("a.yaml", folder.path() + "/link.yaml");
  const auto fixed = run({{"check", path, path, folder.path(), "--fix"}});
  INFO(fixed.out << fixed.err);
  CHECK(fixed.status == 0);
  CHECK_THAT(fixed.err, Catch::Contains("in 1 file "));
  CHECK(std::filesystem::is_symlink(folder.path() + "/link.yaml"));
}
