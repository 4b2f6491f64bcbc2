// What the program prints on the examples, word for word. HEADROOM_UPDATE_GOLDENS=1 writes the files anew.
#include <catch2/catch.hpp>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <sstream>

#include "program.hpp"

using headroom::cli::read;
using headroom::cli::run;

namespace {

struct Case {
  std::string name;
  std::vector<std::string> args;
};

std::vector<Case> cases() {
  std::vector<Case> all;
  for (const char* example : {"llama3_70b_sft_h100", "moonlight_16b_h100", "nemotron3_nano_h100",
                              "qwen3_30b_a3b_optimizer_offload", "qwen3_8b_lora"}) {
    const std::string name = example;
    all.push_back({name, {"check", "examples/" + name + ".yaml"}});
    all.push_back({"broken_" + name, {"check", "examples/broken/" + name + ".yaml"}});
  }
  all.push_back({"diff", {"check", "examples/broken/llama3_70b_sft_h100.yaml", "--diff"}});
  all.push_back({"effective",
                 {"effective", "examples/qwen3_8b_lora.yaml", "model.num_layers", "model.kv_channels",
                  "model.pipeline_dtype", "ddp.grad_reduce_in_fp32", "peft.alpha"}});
  all.push_back({"rule_page", {"rule", "offload/pipeline-parallel"}});
  all.push_back({"releases", {"check", "examples/broken/llama3_70b_sft_h100.yaml", "--bridge", "all"}});
  for (const char* format : {"concise", "sarif", "github", "gitlab", "junit", "markdown"}) {
    all.push_back({std::string("format_") + format,
                   {"check", "examples/broken/moonlight_16b_h100.yaml", "tests/cli/data/unreadable.yaml",
                    "--format", format}});
  }
  all.push_back({"help", {"--help"}});
  all.push_back({"help_check", {"check", "--help"}});
  all.push_back({"unreadable", {"check", "tests/cli/data/unreadable.yaml"}});
  return all;
}

std::string transcript(const Case& c) {
  std::string command = "$ headroom";
  for (const auto& arg : c.args) command += " " + arg;
  const auto result = run({c.args});
  return command + "\n" + result.out + "--- standard error\n" + result.err + "--- exit status " +
         std::to_string(result.status) + "\n";
}

std::vector<std::string> words_of(const std::string& line) {
  std::istringstream stream(line);
  return {std::istream_iterator<std::string>(stream), {}};
}

}  // namespace

TEST_CASE("golden output") {
  for (const auto& c : cases()) {
    CAPTURE(c.name);
    const std::string path = HEADROOM_SOURCE_DIR "/tests/cli/golden/" + c.name + ".txt";
    const std::string now = transcript(c);
    if (std::getenv("HEADROOM_UPDATE_GOLDENS") != nullptr) std::ofstream(path, std::ios::binary) << now;
    CHECK(now == read(path));
  }
}

TEST_CASE("the clean examples are clean, the broken ones are not") {
  for (const auto& c : cases()) {
    if (c.args.back().rfind("examples/", 0) != 0 || c.args.front() != "check") continue;
    CAPTURE(c.name);
    const auto result = run({c.args});
    if (c.name.rfind("broken_", 0) == 0) {
      CHECK(!result.out.empty());
    } else {
      CHECK(result.status == 0);
      CHECK(result.out.empty());
    }
  }
}

// A session between ```console fences is what the program prints today.
TEST_CASE("the README shows real output") {
  const std::string path = HEADROOM_SOURCE_DIR "/README.md";
  std::string readme = read(path);
  const std::string fence = "```console\n$ ./bootstrap ";
  unsigned sessions = 0;
  for (std::size_t at = readme.find(fence); at != std::string::npos; at = readme.find(fence, at + 1)) {
    const std::size_t begin = at + fence.size();
    const std::size_t line = readme.find('\n', begin) + 1;
    const std::size_t end = readme.find("```", line);
    const auto result = run({words_of(readme.substr(begin, line - 1 - begin))});
    const std::string now = result.out + result.err;
    if (std::getenv("HEADROOM_UPDATE_GOLDENS") != nullptr) {
      readme.replace(line, end - line, now);
      std::ofstream(path, std::ios::binary) << readme;
    } else {
      CHECK(now == readme.substr(line, end - line));
    }
    ++sessions;
  }
  CHECK(sessions >= 1);
}
