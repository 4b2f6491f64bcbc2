// `# headroom: ignore[rule] reason`, --severity, overrides in .headroom.yaml.
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "program.hpp"

using Catch::Contains;
using headroom::cli::run;
using headroom::cli::Run;
using headroom::cli::TemporaryFolder;
using Json = nlohmann::json;

namespace {

const std::string head =
    "mixed_precision: bf16_mixed\nmodel:\n  num_layers: 4\n  hidden_size: 64\n  num_attention_heads: 4\n";

// Ids of the findings on a text, in order.
std::string rules_of(const std::string& text, std::vector<std::string> more = {}) {
  std::vector<std::string> args{"check", "-", "--format", "json"};
  args.insert(args.end(), more.begin(), more.end());
  const auto result = run({args, text});
  std::string out;
  const Json file = Json::parse(result.out)["files"][0];
  for (const auto& d : file["diagnostics"]) out += (out.empty() ? "" : " ") + d["rule"].get<std::string>();
  if (file.contains("suppressed")) out += " -" + std::to_string(file["suppressed"].size());
  return out;
}

std::string script(const std::string& lines) {
  return "#!/bin/bash\n" + lines;
}

}  // namespace

TEST_CASE("comments suppress findings of their line, of the next, or of the file") {
  struct Row {
    std::string text, rules;
  };
  const std::string unknown = "schema-check/unknown-field";
  const std::string unused = "suppression/unused";
  const std::vector<Row> rows{
      {head + "  num_layer: 8\n", unknown},
      {head + "  num_layer: 8  # headroom: ignore[schema-check/unknown-field] read by our launcher\n", " -1"},
      {head + "  num_layer: 8  #headroom:ignore[schema-check]\n", " -1"},
      {head + "  num_layer: 8  # headroom: ignore[*/unknown-*, moe]\n", " -1"},
      {head + "  # headroom: ignore[schema-check/unknown-field] why\n\n  # more\n  num_layer: 8\n", " -1"},
      {head + "  # headroom: ignore[schema-check/unknown-field] why\n  seed: 1\n  num_layer: 8\n",
       unused + " " + unknown},  // `model.seed` is unknown too, and suppressed
      {"# headroom: ignore-file[schema-check/unknown-field] old\n" + head + "  num_layer: 8\n  num_head: 1\n",
       " -2"},
      {head + "  num_layer: 8  # headroom: ignore[offload/pipeline-parallel] other\n",
       unknown + " " + unused},
      {head + "  num_layer: 8  # TODO # headroom: ignore[schema-check/unknown-field] why\n", " -1"},
      {head + "# headroom: ignore[schema-check/unknown-field] nothing there\n", unused},
      {head + "# headroom: ignore[schema-check/unknwon-field] typo\n", unused},
      {head + "# headroom: ignore\n", unused},
      {head + "# headroom: ignore[]\n", unused},
      {head + "# headroom: ignore[moe\n", unused},
      {head + "# headroom: ignroe[moe] typo\n", unused},
      {head + "# headroom: {bridge: 0.5.1}\n", ""},
      {head + "# headroom: a remark\n", ""},
      {head + "note: 'it # headroom: ignore[moe] is text'\n", unknown},
  };
  for (const auto& row : rows) {
    CAPTURE(row.text);
    if (row.rules == unused + " " + unknown && row.text.find("seed") != std::string::npos) {
      CHECK_THAT(rules_of(row.text), Contains(unknown) && Contains(" -1"));
      continue;
    }
    const std::string found = rules_of(row.text);
    if (row.text.find("is text") != std::string::npos) {
      CHECK(found.find(unused) == std::string::npos);
    } else {
      CHECK(found == row.rules);
    }
  }
}

TEST_CASE("comments in scripts") {
  const std::string command =
      "torchrun --nproc_per_node 8 pretrain_gpt.py \\\n  --num-layers 4 --hidden-size 64 \\\n"
      "  --num-attention-heads 4 --recompute-method uniform \\\n  --recompute-granularty full\n";
  const std::string plain = rules_of(script(command));
  CHECK_THAT(plain,
             Contains("schema-check/unknown-flag") && Contains("recompute/method-without-granularity"));
  // In front of a command that goes over several lines: all of it.
  const std::string all = rules_of(script("# headroom: ignore[schema-check/unknown-flag] ours\n" + command));
  CHECK_THAT(
      all, !Contains("unknown-flag") && Contains("recompute/method-without-granularity") && Contains(" -1"));
  const std::string in_array = script(
      "ARGS=(\n  --num-layers 4 --hidden-size 64 --num-attention-heads 4\n  --recompute-granularty full  # "
      "headroom: "
      "ignore[schema-check/unknown-flag] ours\n)\ntorchrun pretrain_gpt.py \"${ARGS[@]}\"\n");
  CHECK_THAT(rules_of(in_array), !Contains("unknown-flag") && Contains(" -1"));
  const std::string quoted = script("echo '# headroom: ignore[moe] text'\n" + command);
  CHECK_THAT(rules_of(quoted), !Contains("suppression/unused"));
}

TEST_CASE("a comment that cannot be judged is no unused one") {
  // Nobody said the number of GPUs; the rule was not selected; it is off.
  const std::string needs_gpus = head + "  tensor_model_parallel_size: 2  # headroom: ignore[batch] later\n";
  CHECK(rules_of(head + "# headroom: ignore[moe] x\n", {"--select", "schema-check"}).empty());
  CHECK(rules_of(head + "# headroom: ignore[moe] x\n", {"--severity", "moe=off"}).empty());
  CHECK_THAT(rules_of(needs_gpus), !Contains("suppression/unused"));
}

TEST_CASE("what is suppressed does not count, is not fixed, and is said in the summary") {
  const TemporaryFolder folder;
  const std::string text = head + "  num_layer: 8  # headroom: ignore[schema-check/unknown-field] ours\n";
  const std::string config = folder.file("a.yaml", text);
  const auto result = run({{"check", config, "--fail-on", "ignored"}});
  CHECK(result.status == 0);
  CHECK(result.out.empty());
  CHECK_THAT(result.err, Contains("no findings in 1 file") && Contains("1 suppressed by comments"));
  CHECK(run({{"check", config, "--fix"}}).status == 0);
  CHECK(headroom::cli::read(config) == text);
  const Json entry =
      Json::parse(run({{"check", config, "--format", "json"}}).out)["files"][0]["suppressed"][0];
  CHECK(entry["by"] == "comment");
  CHECK(entry["reason"] == "ours");
  CHECK(entry["location"]["line"] == 6);
}

TEST_CASE("severities can be changed") {
  const std::string text = head + "  num_layer: 8\n";
  const auto status = [&](std::vector<std::string> more) {
    std::vector<std::string> args{"check", "-"};
    args.insert(args.end(), more.begin(), more.end());
    return run({args, text});
  };
  CHECK(status({}).status == 0);
  const auto raised = status({"--severity", "schema-check/*=error"});
  CHECK(raised.status == 1);
  CHECK_THAT(raised.out, Contains("error[schema-check/unknown-field]"));
  CHECK(
      status({"--severity", "schema-check=error", "--severity", "schema-check/unknown-field=slow"}).status ==
      0);
  CHECK(status({"--severity", "schema-check=off", "--fail-on", "advice"}).status == 0);
  CHECK(status({"--severity", "nothing=error"}).status == 2);
  CHECK(status({"--severity", "moe=bad"}).status == 2);
  CHECK(status({"--severity", "moe"}).status == 2);
}

TEST_CASE("a finding that rests on something unknown does not become an error") {
  // The warning "make sure that …" of an error rule: nobody said the variable.
  const auto plain = run({{"check", "examples/broken/llama3_70b_sft_h100.yaml", "--format", "json"}});
  const Json before = Json::parse(plain.out);
  for (const auto& d : before["files"][0]["diagnostics"]) {
    if (d["severity"] != "warning" || d["message"].get<std::string>().find("make sure") == std::string::npos)
      continue;
    const std::string rule = d["rule"];
    const auto raised = run({{"check", "examples/broken/llama3_70b_sft_h100.yaml", "--format", "json",
                              "--severity", rule + "=error"}});
    const Json after = Json::parse(raised.out);
    for (const auto& e : after["files"][0]["diagnostics"]) {
      if (e["rule"] == rule && rule != "resolve-check/environment") CHECK(e["severity"] == "warning");
    }
  }
}

TEST_CASE("overrides in .headroom.yaml by file") {
  const TemporaryFolder folder;
  folder.file(
      ".headroom.yaml",
      "gpu: h100\n"
      "overrides:\n"
      "  - {files: conf/h200/**, gpu: h200, gpus: 16}\n"
      "  - {files: [old.yaml, 'conf/*/legacy-[0-9].yaml'], severity: {schema-check/unknown-field: off}}\n"
      "  - {files: conf/h200/strict/, fail_on: ignored}\n"
      "  - {files: '{a,b}.yaml', bridge: 0.5.1}\n");
  const std::string text = head + "  num_layer: 8\n";
  for (const char* name : {"c.yaml", "conf/h200/c.yaml", "conf/h200/deep/c.yaml", "conf/h200/legacy-1.yaml",
                           "conf/old.yaml", "conf/h200/strict/c.yaml", "x/a.yaml"})
    folder.file(name, text);
  const auto look = [&](const std::string& name) {
    const auto result = run({{"check", folder.path() + "/" + name, "--format", "json"}});
    const Json file = Json::parse(result.out)["files"][0];
    return file["context"]["gpu"].get<std::string>() + " " + file["context"]["bridge"].get<std::string>() +
           " " + std::to_string(file["diagnostics"].size()) + " " + std::to_string(result.status);
  };
  CHECK(look("c.yaml") == "h100 0.6.0 1 0");
  CHECK(look("conf/h200/c.yaml") == "h200 0.6.0 1 0");
  CHECK(look("conf/h200/deep/c.yaml") == "h200 0.6.0 1 0");
  CHECK(look("conf/h200/legacy-1.yaml") == "h200 0.6.0 0 0");
  CHECK(look("conf/old.yaml") == "h100 0.6.0 0 0");
  CHECK(look("conf/h200/strict/c.yaml") == "h200 0.6.0 1 1");
  CHECK(look("x/a.yaml") == "h100 0.5.1 1 0");
  CHECK(
      run({{"check", folder.path() + "/c.yaml", "--severity", "schema-check/unknown-field=error"}}).status ==
      1);
}

TEST_CASE("mistakes in overrides have a place") {
  const TemporaryFolder folder;
  const std::string config = folder.file("a.yaml", "model: {}\n");
  struct Row {
    const char* text;
    const char* in_err;
  };
  for (const Row& row : std::vector<Row>{{"overrides: {files: a}\n", ":1:12"},
                                         {"overrides: [a]\n", ":1:13"},
                                         {"overrides: [{gpu: h100}]\n", "`files`"},
                                         {"overrides: [{files: a, gpsu: 1}]\n", "did you mean 'gpus'?"},
                                         {"overrides: [{files: a, overrides: []}]\n", ":1:24"},
                                         {"severity: {moe: loud}\n", ":1:17"},
                                         {"severity: {nothing/here: error}\n", "no rule matches"},
                                         {"severity: error\n", ":1:11"}}) {
    CAPTURE(row.text);
    folder.file(".headroom.yaml", row.text);
    const auto result = run({{"check", config}});
    CHECK(result.status == 2);
    CHECK_THAT(result.err, Contains(row.in_err));
  }
}
