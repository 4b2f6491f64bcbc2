// The command line as plain values, read off its definitions: what manual and completions are made from.
#pragma once
#include <string>
#include <vector>

namespace headroom::app {

struct OptionSheet {
  std::vector<std::string> names;  ///< with dashes, short ones first
  std::string value;               ///< `N`, `FILE`; empty: a flag
  std::string what, group;
  std::vector<std::string> choices;  ///< of the value; empty: any
  bool repeatable = false;
};

struct CommandSheet {
  std::string name, usage, what, footer;
  std::vector<OptionSheet> options;
};

struct ProgramSheet {
  std::string what, footer;
  std::vector<OptionSheet> options;
  std::vector<CommandSheet> commands;
};

[[nodiscard]] ProgramSheet program_sheet();

}  // namespace headroom::app
