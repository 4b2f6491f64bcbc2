// Keys that the loader drops are taken away without evaluating anything: what comes out is the same.
#include <catch2/catch.hpp>

#include "headroom/lint/lint.hpp"

using namespace headroom;

TEST_CASE("a field of another release can be removed, alone in its mapping or not") {
  // Bridge 0.6.0 drops each; the last stands alone in its section.
  for (const char* text :
       {"model: {num_layers: 4, hidden_size: 64, num_attention_heads: 4, logit_dtype: torch.float32}\n",
        "model: {num_layers: 4, hidden_size: 64, num_attention_heads: 4, num_layer: 1}\n",
        "model: {logit_dtype: torch.float32}\n"}) {
    CAPTURE(text);
    lint::Job job;
    job.text = std::make_shared<const source::SourceText>("a.yaml", text);
    job.command_line.bridge = "0.6.0";
    const lint::Outcome outcome = lint::lint(job);
    REQUIRE(!outcome.unreadable);
    bool found = false;
    for (const auto& d : outcome.findings.diagnostics) {
      if (!d.rule.starts_with("schema-check/")) continue;
      found = true;
      REQUIRE(!d.fixes.empty());
      CHECK(d.fixes.back().verified);
      CHECK(d.fixes.back().unset == std::vector<std::string>{d.fields.front()});
      CHECK(d.fixes.back().also_repairs.empty());
    }
    CHECK(found);
  }
}
