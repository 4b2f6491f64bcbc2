#include <catch2/catch.hpp>

#include "program.hpp"

using headroom::cli::run;
using headroom::cli::Run;

TEST_CASE("colours: the option, NO_COLOR, FORCE_COLOR, TERM, the terminal") {
  struct Row {
    std::vector<std::pair<std::string, std::string>> env;
    std::string option;
    bool terminal, colored;
  };
  const std::vector<Row> rows{
      {{}, "", false, false},
      {{}, "", true, true},
      {{}, "always", false, true},
      {{}, "never", true, false},
      {{{"NO_COLOR", "1"}}, "", true, false},
      {{{"NO_COLOR", ""}}, "", true, true},
      {{{"NO_COLOR", "1"}}, "always", false, true},
      {{{"NO_COLOR", "1"}, {"FORCE_COLOR", "1"}}, "", true, false},
      {{{"FORCE_COLOR", "1"}}, "", false, true},
      {{{"CLICOLOR_FORCE", "1"}}, "", false, true},
      {{{"CLICOLOR_FORCE", "0"}}, "", false, false},
      {{{"CLICOLOR", "0"}}, "", true, false},
      {{{"TERM", "dumb"}}, "", true, false},
      {{{"TERM", "dumb"}, {"FORCE_COLOR", "1"}}, "", true, true},
      {{{"FORCE_COLOR", "1"}}, "never", true, false},
  };
  for (const auto& row : rows) {
    std::string env;
    for (const auto& [name, value] : row.env) env += name + "=" + value + " ";
    CAPTURE(env, row.option, row.terminal);
    Run what{{"check", "-"}, "model: {num_layer: 4}\n", row.env};
    if (!row.option.empty()) what.args.insert(what.args.end(), {"--color", row.option});
    what.terminal = row.terminal;
    CHECK((run(what).out.find('\033') != std::string::npos) == row.colored);
  }
}
