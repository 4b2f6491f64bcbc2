// Verdicts and final values against Megatron-LM's own argument parser and checks (tests/data/megatron_lm).
#include <catch2/catch.hpp>
#include <fstream>
#include <nlohmann/json.hpp>

#include "support.hpp"

using headroom::rules::FailsAt;
using headroom::rules::Severity;
using headroom::source::Value;
using nlohmann::json;

namespace {

Value value_of(const json& v) {
  if (v.is_null()) return {};
  if (v.is_boolean()) return v.get<bool>();
  if (v.is_number_integer()) return v.get<std::int64_t>();
  if (v.is_number()) return v.get<double>();
  if (v.is_string()) return v.get<std::string>();
  headroom::source::List items;
  for (const auto& item : v) items.push_back(value_of(item));
  return items;
}

std::string startup_errors(const headroom::lint::Outcome& out) {
  std::string errors;
  for (const auto& d : out.findings.diagnostics) {
    if (d.severity == Severity::error && d.fails_at == FailsAt::startup) errors += d.rule + " ";
  }
  return errors;
}

}  // namespace

TEST_CASE("verdicts and values of Megatron-LM's own arguments") {
  auto release = GENERATE("0.2.2", "0.3.1", "0.4.2", "0.5.1", "0.6.0", "main");
  std::ifstream file(std::string(HEADROOM_SOURCE_DIR "/tests/data/megatron_lm/") + release + ".jsonl");
  REQUIRE(file.good());
  int cases = 0;
  for (std::string line; std::getline(file, line); ++cases) {
    json c = json::parse(line);
    headroom::lint::Job job;
    job.want_fixes = false;
    job.text = std::make_shared<const headroom::source::SourceText>("case.json", c["config"].dump());
    auto out = headroom::lint::lint(job);
    INFO(c["id"].get<std::string>() << ": " << c.value("message", ""));
    REQUIRE_FALSE(out.unreadable.has_value());
    const std::string errors = startup_errors(out);
    INFO("errors: " << errors);
    CHECK(!errors.empty() == (c["verdict"] == "error"));
    const json values = c.value("values", json::object());
    for (auto it = values.begin(); it != values.end(); ++it) {
      const Value is = headroom::test::effective(out, it.key());
      INFO(it.key() << " is " << is.to_text());
      CHECK(is == value_of(it.value()));
    }
  }
  CHECK(cases > 30);
}
