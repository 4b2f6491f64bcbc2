// Verdicts against those of the framework's own validators (tests/data/oracle).
#include <algorithm>
#include <catch2/catch.hpp>
#include <fstream>
#include <nlohmann/json.hpp>

#include "support.hpp"

using headroom::rules::FailsAt;
using headroom::rules::Severity;
using nlohmann::json;

namespace {

std::string last_part(const std::string& dotted) {
  return dotted.substr(dotted.rfind('.') + 1);
}

bool blames(const headroom::lint::Outcome& out, const json& fields) {
  for (const auto& d : out.findings.diagnostics) {
    if (d.severity != Severity::error) continue;
    for (const auto& field : d.fields) {
      for (const auto& want : fields) {
        if (last_part(want.get<std::string>()) == last_part(field)) return true;
      }
    }
  }
  return fields.empty();
}

}  // namespace

TEST_CASE("verdicts of the real validators") {
  auto release = GENERATE("0.2.2", "0.3.1", "0.4.2", "0.5.1", "0.6.0", "main");
  std::ifstream file(std::string(HEADROOM_SOURCE_DIR "/tests/data/oracle/") + release + ".jsonl");
  REQUIRE(file.good());
  int cases = 0;
  for (std::string line; std::getline(file, line); ++cases) {
    json c = json::parse(line);
    INFO(c["id"].get<std::string>() << " " << c.value("key", ""));
    headroom::lint::Job job;
    job.want_fixes = false;
    job.text = std::make_shared<const headroom::source::SourceText>("case.json", c["config"].dump());
    auto out = headroom::lint::lint(job);
    REQUIRE_FALSE(out.unreadable.has_value());
    std::string errors;
    for (const auto& d : out.findings.diagnostics) {
      if (d.severity == Severity::error && d.fails_at == FailsAt::startup) errors += d.rule + " ";
    }
    INFO("errors: " << errors);
    bool rejected = c["verdict"] == "error";
    CHECK(!errors.empty() == rejected);
    if (rejected && !errors.empty()) CHECK(blames(out, c["fields"]));
  }
  CHECK(cases > 30);
}
