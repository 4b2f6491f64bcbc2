// Samples of other config languages (tests/data/dialects): verdict, findings and effective values.
#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>

#include "headroom/source/document.hpp"
#include "support.hpp"

using headroom::rules::Severity;
using headroom::source::Document;
using headroom::source::NodeId;
using headroom::source::Value;

namespace {

namespace fs = std::filesystem;

std::vector<fs::path> samples() {
  std::vector<fs::path> out;
  for (const auto& entry : fs::recursive_directory_iterator(HEADROOM_SOURCE_DIR "/tests/data/dialects")) {
    const std::string name = entry.path().string();
    if (entry.is_regular_file() && name.find(".expected.yaml") == std::string::npos && !name.ends_with(".md"))
      out.push_back(entry.path());
  }
  std::sort(out.begin(), out.end());
  return out;
}

Document expectation(const fs::path& sample) {
  fs::path path = sample;
  path.replace_extension(".expected.yaml");
  auto text = headroom::source::read_file(path.string());
  REQUIRE(text);
  auto doc = headroom::source::read_yaml(*text, headroom::source::Loader::omega_conf);
  REQUIRE(doc);
  return std::move(*doc);
}

headroom::lint::Outcome check(const fs::path& sample, const Document& expected) {
  headroom::lint::Job job;
  job.text = *headroom::source::read_file(sample.string());
  job.command_line.env_complete = true;  // what the sample does not set is unset
  const NodeId context = expected.find(expected.root, "context");
  if (context != headroom::source::no_node) {
    for (const auto& m : expected.node(context).members) {
      const std::string& key = expected.node(m.key).text;
      if (key == "dialect") {
        job.dialect = expected.node(m.value).text;
      } else {
        CHECK_FALSE(set_context(job.command_line, key, expected.node(m.value).text, key));
      }
    }
  }
  return headroom::lint::lint(job);
}

std::string verdict(const headroom::lint::Outcome& out) {
  const auto& all = out.findings.diagnostics;
  const auto is_error = [](const auto& d) { return d.severity == Severity::error; };
  return std::any_of(all.begin(), all.end(), is_error) ? "error" : all.empty() ? "ok" : "warning";
}

}  // namespace

TEST_CASE("samples of other config languages") {
  for (const fs::path& sample : samples()) {
    const Document expected = expectation(sample);
    const auto out = check(sample, expected);
    std::string found;
    for (const auto& d : out.findings.diagnostics) found += d.rule + ": " + d.message + "\n";
    INFO(sample.string() << "\n" << found);
    REQUIRE_FALSE(out.unreadable.has_value());
    CHECK(out.settings.dialect != "bridge");
    CHECK(verdict(out) == expected.node(expected.find(expected.root, "verdict")).text);
    const NodeId rules = expected.find(expected.root, "rules");
    for (const NodeId id : expected.node(rules).items) {
      INFO("wanted: " << expected.node(id).text);
      CHECK(found.find(expected.node(id).text + ":") != std::string::npos);
    }
    const NodeId values = expected.find(expected.root, "effective");
    if (values == headroom::source::no_node) continue;
    for (const auto& m : expected.node(values).members) {
      const auto field = out.config.schema->find(expected.node(m.key).text);
      INFO(expected.node(m.key).text);
      REQUIRE(field != headroom::schema::no_field);
      CHECK(out.config.now[field].to_text() == expected.node(m.value).value.to_text());
    }
  }
}

TEST_CASE("the performance launcher's mock data starts for fine-tuning, too") {
  headroom::lint::Job job;
  job.text = std::make_shared<const headroom::source::SourceText>(
      "run.sh",
      "python scripts/performance/run_script.py --task sft --model_family_name llama --model_recipe_name "
      "llama3_70b --num_gpus 32 --gpu h100 --compute_dtype bf16\n");
  const auto out = headroom::lint::lint(job);
  REQUIRE_FALSE(out.unreadable);
  CHECK(headroom::test::effective(out, "dataset.eod_mask_loss") == Value(false));
  CHECK(headroom::test::find(out, "dataset/masks-defined") == nullptr);
}
