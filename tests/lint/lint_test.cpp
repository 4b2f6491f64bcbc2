#include <catch2/catch.hpp>

#include "support.hpp"

using headroom::test::lint_text;

TEST_CASE("the headroom block is checked like everything else") {
  struct Case {
    const char* yaml;
    const char* message;
    unsigned line, column;
  };
  const Case cases[] = {
      {"headroom: {gpu: h1000}\n", "GPU kind", 0, 0},
      {"headroom: {gpus: many}\n", "number of GPUs", 1, 18},
      {"headroom:\n  bridgee: 0.6.0\n", "no key 'bridgee'", 2, 3},
      {"headroom: [1]\n", "is a mapping", 1, 11},
      {"- a\n", "a config is a mapping", 1, 1},
  };
  for (const Case& c : cases) {
    INFO(c.yaml);
    auto out = lint_text(c.yaml);
    REQUIRE(out.unreadable.has_value());
    CHECK(out.unreadable->message.find(c.message) != std::string::npos);
    if (c.line == 0) continue;
    CHECK(out.unreadable->location.start.line == c.line);
    CHECK(out.unreadable->location.start.column == c.column);
  }
}

TEST_CASE("an empty config has nothing to complain about") {
  auto out = lint_text("");
  CHECK_FALSE(out.unreadable.has_value());
  CHECK(out.findings.diagnostics.empty());
}

TEST_CASE("another Bridge release takes the nearest and says so") {
  auto out = lint_text("headroom: {bridge: 0.5.0}\n");
  CHECK(out.config.launch.release == headroom::schema::Release::v0_5_1);
  REQUIRE(out.notes.size() == 1);
}

TEST_CASE("memory sizes") {
  using headroom::lint::parse_size;
  CHECK(parse_size("80GB") == 80'000'000'000u);
  CHECK(parse_size("1.5 GiB") == 1'610'612'736u);
  CHECK(parse_size("12") == 12u);
  CHECK_FALSE(parse_size("").has_value());
  CHECK_FALSE(parse_size("0GB").has_value());
  CHECK_FALSE(parse_size("1.2.3GB").has_value());
  CHECK_FALSE(parse_size("12 bananas").has_value());
}
