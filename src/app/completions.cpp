// Completions of bash, zsh and fish from the sheet of the command line.
#include <fmt/format.h>

#include <algorithm>

#include "manual.hpp"

namespace headroom::app {
namespace {

bool is_path(const std::string& value) {
  return value == "FILE" || value == "DIR";
}

std::vector<std::string> names_of(const std::vector<OptionSheet>& options) {
  std::vector<std::string> out;
  for (const auto& option : options) out.insert(out.end(), option.names.begin(), option.names.end());
  return out;
}

std::string words_of(const ProgramSheet& program) {
  std::vector<std::string> out;
  for (const auto& command : program.commands) out.push_back(command.name);
  return fmt::format("{}", fmt::join(out, " "));
}

/// In single quotes of any of the shells.
std::string quoted(std::string_view text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

/// A description in a zsh specification: brackets and colons are its own.
std::string zsh_text(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '[' || c == ']' || c == ':' || c == '\\') out += '\\';
    out += c;
  }
  return out;
}

std::string zsh_option(const OptionSheet& option) {
  std::string out;
  for (const auto& name : option.names) {
    std::string spec = fmt::format("{}{}[{}]", option.repeatable ? "*" : "",
                                   option.value.empty() ? name : name + "=", zsh_text(option.what));
    if (!option.value.empty()) {
      const std::string values = !option.choices.empty() ? fmt::format("({})", fmt::join(option.choices, " "))
                                 : option.value == "DIR" ? std::string("_files -/")
                                 : is_path(option.value) ? std::string("_files")
                                                         : std::string(" ");
      spec += fmt::format(":{}:{}", zsh_text(option.value), values);
    }
    out += fmt::format(" \\\n        {}", quoted(spec));
  }
  return out;
}

std::string fish_option(const OptionSheet& option, const std::string& condition) {
  std::string out = fmt::format("complete -c headroom -n {}", quoted(condition));
  for (const auto& name : option.names)
    out += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
  if (!option.value.empty()) out += is_path(option.value) ? " -r -F" : " -x";
  if (!option.choices.empty())
    out += fmt::format(" -a {}", quoted(fmt::format("{}", fmt::join(option.choices, " "))));
  return out + fmt::format(" -d {}\n", quoted(option.what));
}

}  // namespace

std::string bash_completion(const ProgramSheet& program) {
  std::string out =
      "# bash completion for headroom\n"
      "_headroom() {\n"
      "  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} command='' word\n"
      "  for word in \"${COMP_WORDS[@]:1:COMP_CWORD-1}\"; do\n"
      "    case $word in -*) ;; *) command=$word; break ;; esac\n"
      "  done\n"
      "  COMPREPLY=()\n"
      "  case $command in\n";
  out +=
      fmt::format("    '') COMPREPLY=($(compgen -W {} -- \"$cur\")); return ;;\n",
                  quoted(fmt::format("{} {}", words_of(program), fmt::join(names_of(program.options), " "))));
  for (const auto& command : program.commands) {
    out += fmt::format("    {})\n      case $prev in\n", command.name);
    for (const auto& option : command.options) {
      if (option.value.empty()) continue;
      out += fmt::format("        {}) ", fmt::join(option.names, "|"));
      if (!option.choices.empty()) {
        out += fmt::format("COMPREPLY=($(compgen -W {} -- \"$cur\"))",
                           quoted(fmt::format("{}", fmt::join(option.choices, " "))));
      } else if (is_path(option.value)) {
        out += fmt::format("COMPREPLY=($(compgen -{} -- \"$cur\")); compopt -o filenames",
                           option.value == "DIR" ? "d" : "f");
      } else {
        out += ":";
      }
      out += "; return ;;\n";
    }
    out += "      esac\n";
    out += fmt::format("      case $cur in -*) COMPREPLY=($(compgen -W {} -- \"$cur\")); return ;; esac ;;\n",
                       quoted(fmt::format("{}", fmt::join(names_of(command.options), " "))));
  }
  out +=
      "  esac\n"
      "  COMPREPLY=($(compgen -f -- \"$cur\"))\n"
      "  compopt -o filenames 2>/dev/null\n"
      "}\n"
      "complete -F _headroom headroom\n";
  return out;
}

std::string zsh_completion(const ProgramSheet& program) {
  std::string out =
      "#compdef headroom\n"
      "_headroom() {\n"
      "  local -a commands\n"
      "  commands=(\n";
  for (const auto& command : program.commands)
    out += fmt::format("    {}\n", quoted(fmt::format("{}:{}", command.name, zsh_text(command.what))));
  out += "  )\n  if (( CURRENT == 2 )); then\n    _describe command commands\n    _arguments";
  for (const auto& option : program.options) out += zsh_option(option);
  out += "\n    return\n  fi\n  case $words[2] in\n";
  for (const auto& command : program.commands) {
    out += fmt::format("    {})\n      (( CURRENT-- )); shift words\n      _arguments", command.name);
    for (const auto& option : command.options) out += zsh_option(option);
    out += " \\\n        '*:file:_files' ;;\n";
  }
  return out + "  esac\n}\n_headroom \"$@\"\n";
}

std::string fish_completion(const ProgramSheet& program) {
  std::string out = "# fish completion for headroom\n";
  for (const auto& command : program.commands) {
    out += fmt::format("complete -c headroom -n __fish_use_subcommand -f -a {} -d {}\n", command.name,
                       quoted(command.what));
  }
  for (const auto& option : program.options) out += fish_option(option, "__fish_use_subcommand");
  for (const auto& command : program.commands) {
    for (const auto& option : command.options)
      out += fish_option(option, "__fish_seen_subcommand_from " + command.name);
  }
  return out;
}

}  // namespace headroom::app
