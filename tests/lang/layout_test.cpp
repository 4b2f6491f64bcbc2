#include <catch2/catch.hpp>

#include "headroom/lang/layout.hpp"

namespace headroom {
namespace {

std::string joined(const std::optional<lang::PipelineLayout>& layout) {
  if (!layout) return "invalid";
  std::string out;
  for (std::size_t i = 0; i < layout->stages.size(); ++i) out += (i == 0 ? "" : "|") + layout->stages[i];
  return out;
}

TEST_CASE("layout strings unroll as Megatron-Core does") {
  struct Case {
    const char* text;
    const char* stages;
  };
  const Case cases[] = {
      {"Et|tL", "Et|tL"},
      {"E,t*3|t,L", "Ettt|tL"},
      {"Ettt|(tt|)*3,m|L", "Ettt|tt|tt|tt|m|L"},
      {"(t|t)*2", "t|tt|t"},
      {"", ""},
      {"|", "|"},
      {"E|*2L", "E||L"},
      {"(t*2)*2", "tttt"},
      {"t*0", ""},
      {"()*2", "invalid"},
      {"(t)", "invalid"},
      {"((t)*2", "invalid"},
      {"e", "invalid"},
      {"E t", "invalid"},
      {"t*", "invalid"},
      {"t*2*2", "invalid"},
      {"(t)*1048577", "invalid"},
      {"(tt|)*2(m)*1L", "tt|tt|mL"},
      {"(t|)*2048", "invalid"},  // every rule that looks at a stage reads the layout again
  };
  for (const auto& c : cases) {
    INFO(c.text);
    CHECK(joined(lang::parse_layout(c.text)) == c.stages);
  }
}

}  // namespace
}  // namespace headroom
