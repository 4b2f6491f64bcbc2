// Keys that the loader drops are taken away without evaluating anything: what comes out is the same.
#include <catch2/catch.hpp>

#include "headroom/lint/lint.hpp"

using namespace headroom;

TEST_CASE("a field of another release can be removed, alone in its mapping or not") {
  // Each is unknown to Bridge 0.2.2; the last stands alone in its section.
  for (const char* text :
       {"model: {num_layers: 4, hidden_size: 64, num_attention_heads: 4, cuda_graph_impl: none}\n",
        "model: {num_layers: 4, hidden_size: 64, num_attention_heads: 4, num_layer: 1}\n",
        "model: {cuda_graph_impl: none}\n"}) {
    CAPTURE(text);
    lint::Job job;
    job.text = std::make_shared<const source::SourceText>("a.yaml", text);
    job.command_line.bridge = "0.2.2";
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
