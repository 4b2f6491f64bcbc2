#include <catch2/catch.hpp>

#include <fstream>
#include <nlohmann/json.hpp>

#include "../lint/support.hpp"
#include "headroom/advise/fixes.hpp"

using headroom::rules::Severity;
using headroom::test::find;
using headroom::test::lint_text;

TEST_CASE("only fixes that repair without breaking are shown") {
  auto out = lint_text(R"(
headroom: {gpus: 8, gpu: h100, env: {}}
model: {num_layers: 4, hidden_size: 64, num_attention_heads: 4, cpu_offloading: true, cpu_offloading_num_layers: 2, recompute_granularity: selective}
)");
  bool any_error = false;
  for (const auto& d : out.findings.diagnostics) {
    if (d.severity != Severity::error) continue;
    any_error = true;
    REQUIRE_FALSE(d.fixes.empty());
    for (const auto& fix : d.fixes) {
      CHECK(fix.verified);
      std::vector<std::string> words;
      for (const auto& [field, value] : fix.set) words.push_back(field + "=" + value.to_text());
      // Applied with --set, the finding is gone.
      std::string yaml = out.document->source->text();
      auto again = lint_text(yaml, words);
      CHECK(find(again, d.rule) == nullptr);
    }
  }
  CHECK(any_error);
}

namespace {

using headroom::rules::Fix;

/// All first fixes at once; where two set a field, the first counts.
Fix first_fixes(const headroom::lint::Outcome& out) {
  Fix all;
  for (const auto& d : out.findings.diagnostics) {
    if (d.severity != Severity::error || d.fixes.empty()) continue;
    for (const auto& edit : d.fixes.front().set) {
      const bool taken =
          std::any_of(all.set.begin(), all.set.end(), [&](const auto& e) { return e.first == edit.first; });
      if (!taken) all.set.push_back(edit);
    }
    const Fix& fix = d.fixes.front();
    all.unset.insert(all.unset.end(), fix.unset.begin(), fix.unset.end());
    all.env.insert(all.env.end(), fix.env.begin(), fix.env.end());
  }
  return all;
}

/// Errors that are left where the first fix of every error is carried out.
std::string left_after_first_fixes(const headroom::lint::Outcome& out) {
  const headroom::rules::RulePack* packs[] = {&headroom::rules::embedded_rules()};
  const headroom::rules::Selection everything;
  const auto& schema = headroom::schema::embedded_schema();
  const auto& steps = headroom::rules::embedded_resolve();
  const headroom::advise::Bench bench{&out.settings, &out.config.launch, &schema, &steps,
                                      packs,         &everything,        nullptr, {}};
  const auto applied = headroom::advise::apply(first_fixes(out), bench);
  const auto config = headroom::resolve::resolve(applied.settings, applied.launch, schema, steps);
  std::string left;
  for (const auto& d : headroom::rules::evaluate(config, applied.settings, packs, everything).diagnostics) {
    if (d.severity == Severity::error) left += d.rule + " ";
  }
  return left;
}

}  // namespace

TEST_CASE("first fixes that would contradict each other are not both first") {
  // Either error alone could keep interleaving; together only a plain schedule (or another batch) repairs
  // both.
  auto out = lint_text(R"(
headroom: {gpus: 16, gpu: h100, env: {}}
model: {num_layers: 32, hidden_size: 64, num_attention_heads: 8, tensor_model_parallel_size: 2, sequence_parallel: true,
  pipeline_model_parallel_size: 4, virtual_pipeline_model_parallel_size: 3, pipeline_dtype: torch.bfloat16, seq_length: 64}
train: {train_iters: 10, micro_batch_size: 1, global_batch_size: 2}
mixed_precision: bf16_mixed
)");
  REQUIRE(find(out, "pipeline/chunks-divide-stage") != nullptr);
  REQUIRE(find(out, "pipeline/micro-batch-groups") != nullptr);
  CHECK(left_after_first_fixes(out) == "");
}

TEST_CASE("the first fix of every error of a rejected config leaves none") {
  auto release = GENERATE("0.2.2", "0.3.1", "0.4.2", "0.5.1", "0.6.0", "main");
  std::ifstream file(std::string(HEADROOM_SOURCE_DIR "/tests/data/oracle/") + release + ".jsonl");
  REQUIRE(file.good());
  int repaired = 0;
  for (std::string line; std::getline(file, line);) {
    const auto c = nlohmann::json::parse(line);
    if (c["verdict"] != "error") continue;
    auto out = lint_text(c["config"].dump());
    INFO(c["id"].get<std::string>());
    CHECK(left_after_first_fixes(out) == "");
    ++repaired;
  }
  CHECK(repaired > 20);
}
