// The only file that knows libedit.
#include "line_editor.hpp"

#include <editline/readline.h>
#include <array>
#include <cstdlib>
#include <cstring>
#include <memory>

namespace headroom::app {
namespace {

/// The next word of the prompt that begins with `text`, as libedit asks for them: one a call, null at the
/// end.
char* next_word(const char* text, int call) {
  static std::size_t next = 0;  // libedit keeps no state for its callbacks
  if (call == 0) next = 0;
  while (next < prompt_words.size()) {
    const std::string word(prompt_words[next++]);
    if (word.compare(0, std::strlen(text), text) == 0) return strdup(word.c_str());
  }
  return nullptr;
}

/// The first word is one of ours; nothing else is completed: names of users and files are not asked for here.
char** complete(const char* text, int start, int /*end*/) {
  rl_attempted_completion_over = 1;
  return start == 0 ? rl_completion_matches(text, next_word) : nullptr;
}

}  // namespace

std::optional<std::string> read_line(const std::string& prompt, bool remember) {
  rl_attempted_completion_function = complete;
  const std::unique_ptr<char, decltype(&std::free)> line(readline(prompt.c_str()), &std::free);
  if (line == nullptr) return std::nullopt;
  if (remember && line.get()[0] != '\0') add_history(line.get());
  return std::string(line.get());
}

}  // namespace headroom::app
