#include <catch2/catch.hpp>

#include "../lint/support.hpp"

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
