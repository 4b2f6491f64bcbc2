// What people read fits 80 columns, where no word is longer: nothing is lost beside the edge of a terminal.
#include <catch2/catch.hpp>
#include <sstream>

#include "headroom/report/terminal.hpp"
#include "program.hpp"

using headroom::cli::run;
using headroom::report::display_width;

namespace {

void check_width(const std::vector<std::string>& args) {
  std::istringstream lines(run({args}).out);
  CAPTURE(args);
  bool config = false;  // an example of a rule's page
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("```")) config = !config;
    if (config) continue;
    // A command to be copied, or a word that is longer than the rest of the line.
    const std::size_t word = line.find_last_of(' ');
    const bool single = word != std::string::npos && line.find_first_not_of(' ') > word;
    if (line.starts_with("  headroom ") || single) continue;
    CAPTURE(line);
    CHECK(display_width(line) <= 80);
  }
}

}  // namespace

TEST_CASE("help, lists and tables fit 80 columns") {
  const std::string example = "examples/nemotron3_nano_h100.yaml",
                    other = "examples/broken/nemotron3_nano_h100.yaml";
  check_width({"--help"});
  for (const char* command : {"check", "effective", "convert", "estimate", "plan", "diff", "calibrate", "run",
                              "explain", "rule", "test-rules", "schema", "lsp", "generate"})
    check_width({command, "--help"});
  check_width({"rule"});
  check_width({"rule", "batch/length-twice-megatron-lm"});
  check_width({"effective", example});
  check_width({"effective", example, "--all"});
  check_width({"check", "--bridge", "all", example, other});
  check_width({"estimate", example, "--why"});
  check_width({"diff", example, other});
}

TEST_CASE("a table that is too wide keeps every character of its cells") {
  const std::string table = headroom::report::wrapped_table(
      {{"name", "value", "who"}, {std::string(50, 'n'), std::string(70, 'v'), "somebody"}}, 60, false);
  CHECK(std::count(table.begin(), table.end(), 'v') == 70 + 1);
  CHECK(std::count(table.begin(), table.end(), 'n') == 50 + 1);
}

TEST_CASE("long texts are cut between words") {
  CHECK(headroom::report::first_words("one two three four", 12) == "one two …");
  CHECK(headroom::report::first_words("one two", 12) == "one two");
  CHECK(headroom::report::first_words(std::string(40, 'x'), 12) == std::string(10, 'x') + " …");
}
