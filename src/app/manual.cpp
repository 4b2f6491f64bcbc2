#include "manual.hpp"

#include <fmt/format.h>

namespace headroom::app {
namespace {

// Text that troff would take for its own: backslashes, hyphens that must stay ASCII, a leading dot or quote.
std::string escaped(std::string_view text) {
  std::string out;
  bool line_start = true;
  for (const char c : text) {
    if (line_start && (c == '.' || c == '\'')) out += "\\&";
    line_start = c == '\n';
    if (c == '\\') {
      out += "\\e";
    } else if (c == '-') {
      out += "\\-";
    } else {
      out += c;
    }
  }
  return out;
}

// Paragraphs; lines that are indented keep their layout.
std::string paragraphs(std::string_view text) {
  std::string out;
  bool literal = false;
  bool gap = true;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    const bool indented = line.starts_with("  ");
    if (indented != literal) {
      out += indented ? ".PP\n.nf\n.RS 2\n" : ".RE\n.fi\n";
      literal = indented;
      gap = !indented;
    }
    if (line.empty()) {
      gap = true;
      continue;
    }
    if (gap && !indented) out += ".PP\n";
    gap = false;
    out += escaped(indented ? line.substr(2) : line) + "\n";
  }
  return literal ? out + ".RE\n.fi\n" : out;
}

std::string option_entry(const OptionSheet& option) {
  std::string names;
  for (const auto& name : option.names)
    names += fmt::format("{}\\fB{}\\fR", names.empty() ? "" : ", ", escaped(name));
  if (!option.value.empty()) names += fmt::format(" \\fI{}\\fR", escaped(option.value));
  return fmt::format(".TP\n{}\n{}\n", names, escaped(option.what));
}

std::string options_of(const std::vector<OptionSheet>& options) {
  std::string out;
  for (const auto& option : options) out += option_entry(option);
  return out;
}

}  // namespace

std::string manual(const ProgramSheet& program, std::string_view version, std::string_view date) {
  std::string out = fmt::format(".TH HEADROOM 1 \"{}\" \"headroom {}\" \"User Commands\"\n", date, version);
  out += ".SH NAME\nheadroom \\- check configs of large language model training before the launch\n";
  out += ".SH SYNOPSIS\n";
  for (const auto& command : program.commands) {
    std::string_view usage = command.usage;
    constexpr std::string_view name = "headroom ";
    if (usage.starts_with(name)) usage.remove_prefix(name.size());
    const std::string_view first = usage.substr(0, usage.find(' '));
    out += fmt::format("\\fBheadroom {}\\fR{}\n.br\n", escaped(first), escaped(usage.substr(first.size())));
  }
  out += ".SH DESCRIPTION\n" + paragraphs(program.what);
  out += ".SH OPTIONS\n" + options_of(program.options);
  out += ".SH COMMANDS\n";
  for (const auto& command : program.commands) {
    out += fmt::format(".SS headroom {}\n{}.\n{}", escaped(command.name), escaped(command.what),
                       options_of(command.options));
    if (!command.footer.empty()) out += paragraphs(command.footer);
  }
  out += ".SH EXIT STATUS AND EXAMPLES\n" + paragraphs(program.footer);
  return out;
}

}  // namespace headroom::app
