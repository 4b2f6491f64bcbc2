#include <catch2/catch.hpp>

#include "headroom/schema/release.hpp"

using namespace headroom::schema;

TEST_CASE("versions sort as PEP 440 says") {
  // Rising order; each must be smaller than the next.
  const char* rising[] = {"0.15.9", "0.16.0.dev3",  "0.16.0a1",         "0.16.0b2", "0.16.0rc0",
                          "0.16.0", "0.16.0.post1", "0.16.1",           "0.17",     "0.17.1",
                          "1",      "2.9.0",        "2.10.0a0+git1234", "2.10.0",   "2.11.0"};
  for (std::size_t i = 0; i + 1 < std::size(rising); ++i) {
    INFO(rising[i] << " < " << rising[i + 1]);
    auto a = parse_version(rising[i]), b = parse_version(rising[i + 1]);
    REQUIRE(a);
    REQUIRE(b);
    CHECK(*a < *b);
  }
}

TEST_CASE("what is a version and what is none") {
  CHECK(parse_version("v0.6.0") == Version{0, 6, 0, 0});
  CHECK(parse_version("core_v0.16.1") == Version{0, 16, 1, 0});
  CHECK(parse_version("2.9.0+cu128") == Version{2, 9, 0, 0});
  CHECK(parse_version("2.10.0a0+b558c986e8.nv25.11") == Version{2, 10, 0, -3});
  CHECK(parse_version("1.2.3.4") == Version{1, 2, 3, 0});
  CHECK(to_string(*parse_version("0.16.0rc0")) == "0.16.0rc0");
  CHECK(to_string(*parse_version("2.9")) == "2.9.0");
  for (const char* bad : {"", "abc", "1.x", "1..2", "v", "1.2-banana", "99999999999.0", "-1"}) {
    INFO(bad);
    CHECK_FALSE(parse_version(bad));
  }
}

TEST_CASE("the nearest known release is taken, and said so") {
  struct Case {
    const char* text;
    Release release;
    bool exact;
  };
  const Case cases[] = {
      {"0.6.0", Release::v0_6_0, true},  {"v0.6.0", Release::v0_6_0, true},
      {"main", Release::main, true},     {"HEAD", Release::main, true},
      {"0.7.0", Release::main, true},    {"0.7.0rc1", Release::main, false},
      {"0.5.0", Release::v0_5_1, false}, {"0.5", Release::v0_5_1, true},
      {"0.5.3", Release::v0_5_1, false}, {"0.1.0", Release::v0_2_2, false},
      {"0.9.0", Release::main, false},   {"1.0", Release::main, false},
      {"0.2.0", Release::v0_2_2, false}, {"0.6.1", Release::v0_6_0, false},
  };
  for (const Case& c : cases) {
    INFO(c.text);
    auto m = match_bridge(c.text);
    REQUIRE(m);
    CHECK(m->release == c.release);
    CHECK(m->exact == c.exact);
  }
  CHECK_FALSE(match_bridge("newest please"));
  CHECK(match_mcore("0.17.1")->release == Release::v0_4_2);
  CHECK(match_mcore("0.17.0")->release == Release::v0_4_2);
  CHECK(match_mcore("0.16.1")->release == Release::v0_3_1);
  CHECK(match_mcore("0.16.0rc0")->release == Release::v0_2_2);
  CHECK(match_mcore("0.14.0")->release == Release::v0_2_2);
  CHECK(match_mcore("core_v0.19.0")->exact);
}

TEST_CASE("release ranges") {
  auto set = [](std::initializer_list<Release> list) {
    unsigned out = 0;
    for (Release r : list) out |= 1u << static_cast<unsigned>(r);
    return static_cast<ReleaseSet>(out);
  };
  struct Case {
    const char* text;
    ReleaseSet set;
  };
  const Case cases[] = {
      {">=0.2", all_releases},
      {">=0.4.2 <0.6.0", set({Release::v0_4_2, Release::v0_5_1})},
      {">= 0.4.2, < 0.6.0", set({Release::v0_4_2, Release::v0_5_1})},
      {"0.5.1", set({Release::v0_5_1})},
      {"main", set({Release::main})},
      {"<main", set({Release::v0_2_2, Release::v0_3_1, Release::v0_4_2, Release::v0_5_1, Release::v0_6_0})},
      {">0.6.0", set({Release::main})},
      {"!=0.6.0 >=0.5.1", set({Release::v0_5_1, Release::main})},
      {"0.2.2 || >=0.6.0", set({Release::v0_2_2, Release::v0_6_0, Release::main})},
      {"<=0.5", set({Release::v0_2_2, Release::v0_3_1, Release::v0_4_2, Release::v0_5_1})},
      {"<0.2", set({})},
  };
  for (const Case& c : cases) {
    INFO(c.text);
    auto got = parse_release_range(c.text);
    REQUIRE(got);
    CHECK(int{*got} == int{c.set});
  }
  for (const char* bad : {"", "soon", ">=", "0.5.1 ||", ">=0.4 banana"}) {
    INFO(bad);
    CHECK_FALSE(parse_release_range(bad));
  }
  CHECK(parse_mcore_range(">=0.17") ==
        set({Release::v0_4_2, Release::v0_5_1, Release::v0_6_0, Release::main}));
  CHECK(parse_mcore_range("<0.19") ==
        set({Release::v0_2_2, Release::v0_3_1, Release::v0_4_2, Release::v0_5_1}));
}

TEST_CASE("every release pins a Megatron-Core, and they rise together") {
  for (int i = 0; i < release_count; ++i) {
    auto r = static_cast<Release>(i);
    CHECK(info(r).release == r);
    CHECK(match_bridge(name(r))->release == r);
    if (i > 0) {
      CHECK(info(static_cast<Release>(i - 1)).bridge < info(r).bridge);
      CHECK(info(static_cast<Release>(i - 1)).mcore < info(r).mcore);
    }
  }
  CHECK(to_string(info(default_release).mcore) == "0.19.0");
  CHECK(to_string(info(default_release).te) == "2.17.1");
}
