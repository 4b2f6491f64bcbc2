// A script as text, for golden files: one line for each command, export, directive, remark and assumption.
#pragma once
#include <string>

#include "headroom/source/shell.hpp"

namespace headroom::source::test {

/// `text@line:column`, then `=` exact, `?` unknown, `*` any number of words, `a0` under assumption 0.
inline std::string describe(const Script& script, const Word& word) {
  const Position at = script.source->position(word.span.begin);
  std::string out = word.text + "@" + std::to_string(at.line) + ":" + std::to_string(at.column);
  if (word.exact) out += "=";
  if (!word.known) out += "?";
  if (word.any_number) out += "*";
  for (const std::uint32_t assumption : word.assumptions) out += "a" + std::to_string(assumption);
  return out;
}

inline std::string describe(const Script& script) {
  std::string out;
  for (const Command& command : script.commands) {
    out += "command";
    if (command.conditional) out += " maybe";
    if (command.dead) out += " dead";
    if (command.inside != no_command) out += " inside " + std::to_string(command.inside);
    for (const Assignment& set : command.environment)
      out += " | " + set.name + "=" + describe(script, set.value);
    for (const Word& word : command.words) out += " | " + describe(script, word);
    out += "\n";
  }
  for (const Assignment& set : script.exports) {
    out += "export" + std::string(set.conditional ? " maybe " : " ") + set.name + "=" +
           describe(script, set.value) + "\n";
  }
  for (const Directive& directive : script.directives) {
    out += "directive " + directive.name;
    for (const Word& word : directive.words) out += " | " + describe(script, word);
    out += "\n";
  }
  for (const Unevaluated& what : script.not_evaluated) {
    const Position at = script.source->position(what.span.begin);
    out += "not evaluated " + std::to_string(at.line) + ":" + std::to_string(at.column) + " ";
    out += std::string(kind_name(what.kind)) + (what.variable.empty() ? "" : " for " + what.variable) + ": " +
           what.text + "\n";
  }
  for (const std::string& assumption : script.assumptions) out += "assumption " + assumption + "\n";
  return out;
}

}  // namespace headroom::source::test
