// `headroom generate`: the manual page and shell completions, from the definitions of the command line.
#include <fmt/format.h>

#include "commands.hpp"
#include "headroom/schema/data_date.hpp"
#include "manual.hpp"
#include "output.hpp"

namespace headroom::app {

ExitStatus generate(const Options& options) {
  const std::string what = options.words.size() == 1 ? options.words.front() : std::string();
  std::string text;
  if (what == "man") text = manual(program_sheet(), HEADROOM_VERSION, schema::data_date);
  if (what == "bash") text = bash_completion(program_sheet());
  if (what == "zsh") text = zsh_completion(program_sheet());
  if (what == "fish") text = fish_completion(program_sheet());
  if (text.empty()) {
    complain(options, "generate needs one of man, bash, zsh, fish");
    return exit_usage;
  }
  return write(stdout, text) ? exit_clean : exit_usage;
}

}  // namespace headroom::app
