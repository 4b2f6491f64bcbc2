// The rules of this repository: their files are sound, and their own blocks hold.
#include <fmt/format.h>

#include <catch2/catch.hpp>

#include "headroom/lint/rule_tests.hpp"
#include "headroom/rules/pack.hpp"

namespace headroom {
namespace {

TEST_CASE("every rule file of rules/ can be loaded") {
  const auto pack = rules::load_rules(HEADROOM_SOURCE_DIR "/rules", schema::embedded_schema());
  std::string faults;
  if (!pack)
    for (const auto& e : pack.error())
      faults +=
          fmt::format("\n{}:{}:{}: {}", e.source, e.location.start.line, e.location.start.column, e.message);
  CHECK(faults.empty());
  CAPTURE(faults);
  REQUIRE(pack.has_value());
  for (const auto& rule : pack->view().rules) {
    INFO(rule.file);
    CHECK_FALSE(rule.sources.empty());
    CHECK_FALSE(rule.page.empty());
  }
}

TEST_CASE("the blocks of every embedded rule hold") {
  const auto result = lint::run_rule_tests(rules::embedded_rules());
  CHECK(result.blocks > 100);
  for (const auto& f : result.failures) {
    INFO(f.file << ":" << f.line << ": " << f.rule << ": " << f.message);
    CHECK(false);
  }
}

}  // namespace
}  // namespace headroom
