// The only file that knows CLI11: its headers cost seconds of compile time, and building its tree
// milliseconds.
#include "command_line.hpp"

#include <fmt/format.h>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include "formats.hpp"
#include "headroom/lang/check.hpp"
#include "headroom/report/terminal.hpp"
#include "raw_options.hpp"
#include "sheet.hpp"

namespace headroom::app {
namespace {

class Formatter : public CLI::Formatter {
 public:
  Formatter() { column_width(column); }
  std::string make_usage(const CLI::App* app, std::string /*name*/) const override {
    for (const auto& c : commands) {
      if (c.name == app->get_name()) return fmt::format("usage: {}\n\n", c.usage);
    }
    return "usage: headroom COMMAND [options]\n\n";
  }
  std::string make_description(const CLI::App* app) const override {
    return filled(app->get_description()) + "\n";
  }
  std::string make_option_desc(const CLI::Option* option) const override {
    return fmt::format("{}", fmt::join(report::wrap(option->get_description(), width - column), "\n"));
  }
  std::string make_subcommand(const CLI::App* sub) const override {
    const auto lines = report::wrap(sub->get_description(), width - column);
    return fmt::format("  {:<{}}{}\n", sub->get_name(), column - 2,
                       fmt::join(lines, "\n" + std::string(column, ' ')));
  }
  std::string make_group(std::string group, bool positional,
                         std::vector<const CLI::Option*> options) const override {
    std::string out = group + ":\n";
    for (const CLI::Option* option : options) out += make_option(option, positional);
    return out;
  }
  std::string make_positionals(const CLI::App* /*app*/) const override { return {}; }
  std::string make_footer(const CLI::App* app) const override { return filled(app->get_footer()); }

 private:
  static constexpr unsigned width = 80, column = 26;

  /// Paragraphs fill lines; what is indented is an example, and stays.
  static std::string filled(const std::string& text) {
    std::string out;
    for (std::size_t begin = 0; begin < text.size();) {
      const std::size_t end = std::min(text.find('\n', begin), text.size());
      const std::string line = text.substr(begin, end - begin);
      out += line.starts_with(' ') ? line : fmt::format("{}", fmt::join(report::wrap(line, width), "\n"));
      out += "\n";
      begin = end + 1;
    }
    return out;
  }
};

CLI::Option* many(CLI::App& app, const std::string& name, std::vector<std::string>& into,
                  const std::string& what, const std::string& type) {
  return app.add_option(name, into, what)->type_name(type)->expected(1)->allow_extra_args(false)->take_all();
}

CLI::Option* one(CLI::App& app, const std::string& name, std::string& into, const std::string& what,
                 const std::string& type) {
  return app.add_option(name, into, what)->type_name(type)->take_last();
}

void add_launch(CLI::App& app, Raw& raw, bool matrix) {
  const std::string group = "Launch";
  const auto add = [&](const char* key, const std::string& option, const std::string& what,
                       const std::string& type) {
    one(app, option, raw.context[key], what, type)->group(group);
  };
  many(app, "--set", raw.sets, "Change a setting, as the word key=value does; repeatable", "KEY=VALUE")
      ->group(group);
  add("gpus", "--gpus", "Number of GPUs (ranks) of the run", "N");
  add("gpu", "--gpu", "GPU kind: h100, b200, \"NVIDIA H100 80GB HBM3\", ...", "KIND");
  add("gpu_memory", "--gpu-memory", "Memory of a GPU: 80GB, 141GiB, bytes", "SIZE");
  add("host_memory", "--host-memory", "Host memory of a node: 2TB, 960GiB, bytes", "SIZE");
  add("margin", "--margin", "Memory of a GPU that is to stay free: 4GiB, 5%", "SIZE|%");
  add("bridge", "--bridge",
      std::string("Megatron Bridge release: 0.2.2 ... 0.6.0 (default), main") +
          (matrix ? "; `all` shows the errors of every release side by side" : ""),
      "RELEASE");
  add("mcore", "--mcore", "Megatron-Core release, where it is not the one that Bridge pins", "RELEASE");
  add("te", "--te", "Transformer Engine version (default: pinned by the release)", "VERSION");
  add("torch", "--torch", "PyTorch version (default: pinned by the release)", "VERSION");
  many(app, "--env", raw.env, "Environment variable of the run; NAME alone: known to be unset; repeatable",
       "NAME[=VALUE]")
      ->group(group);
  many(app, "--env-file", raw.env_files,
       "File of NAME=value lines: the whole environment; an empty one: nothing is set", "FILE")
      ->group(group);
  add("model", "--model", "Well-known model whose architecture fills what the config leaves open", "NAME");
  one(app, "--loader", raw.loader,
      "Who reads the file: auto, saved (run_config.yaml, PyYAML), override (OmegaConf)", "WHO")
      ->group(group);
  one(app, "--dialect", raw.dialect,
      "Config language: auto (by content), bridge, " + fmt::format("{}", fmt::join(dialect_names(), ", ")),
      "NAME")
      ->group(group);
}

void add_output(CLI::App& app, Raw& raw, bool summary, bool repository) {
  const std::string group = "Output";
  const auto names = format_names(app.get_name());
  const std::string formats = fmt::format("{}", fmt::join(names, names.size() == 2 ? " or " : ", "));
  one(app, "--format", raw.format, formats, "FORMAT")->group(group);
  one(app, "--color", raw.color, "auto, always or never", "WHEN")->group(group);
  if (summary) app.add_flag("-q,--quiet", raw.quiet, "Print no summary")->group(group);
  if (repository)
    app.add_flag("-v,--verbose", raw.verbose, "Say which .headroom.yaml was used")->group(group);
}

void add_rules(CLI::App& app, Raw& raw, bool selection) {
  const std::string group = "Rules";
  many(app, "--rules", raw.rule_dirs, "Folder of rule files of your own; repeatable", "DIR")->group(group);
  if (!selection) return;
  many(app, "--select", raw.select, "Only these rules: globs, comma separated: 'offload/*,moe'", "GLOBS")
      ->group(group);
  many(app, "--ignore", raw.ignore, "Not these rules", "GLOBS")->group(group);
}

void add_fail_on(CLI::App& app, Raw& raw, const std::string& what) {
  one(app, "--fail-on", raw.fail_on,
      what + ": error (default), warning, ignored, memory, slow, advice, never", "SEVERITY")
      ->group("Rules");
}

void add_check(CLI::App& app, Raw& raw) {
  add_launch(app, raw, true);
  add_rules(app, raw, true);
  add_fail_on(app, raw, "Least severity for exit status 1");
  many(app, "--severity", raw.severities, "Another severity for a rule, or off: 'moe/*=warning'; repeatable",
       "GLOB=SEVERITY")
      ->group("Rules");
  one(app, "--baseline", raw.baseline, "Report only findings that this file does not count", "FILE")
      ->group("Rules");
  app.add_flag("--update-baseline", raw.update_baseline, "Write what is found now into the baseline")
      ->group("Rules");
  one(app, "--diff-base", raw.diff_base,
      "Report only what changed since a git revision; main...: since the branch left main", "REV")
      ->group("Rules");
  app.add_flag("--advice", raw.advice, "Show better choices, too")->group("Rules");
  app.add_flag("--fix", raw.fix, "Write the best verified fix of each finding into the file")->group("Fixes");
  app.add_flag("--diff", raw.diff, "Show what --fix would change, as a unified diff")->group("Fixes");
  app.add_flag("--unsafe-fixes", raw.unsafe_fixes, "Allow fixes that change training results")
      ->group("Fixes");
  many(app, "-o,--output", raw.outputs,
       "Write a report into a file, too: sarif=out.sarif, or by its name (.sarif, .xml, .json, .md, .txt); "
       "repeatable",
       "[FORMAT=]FILE")
      ->group("Output");
  one(app, "--jobs", raw.jobs, "Files checked at a time (default: one per processor)", "N")->group("Output");
  add_output(app, raw, true, true);
  app.footer(std::string(check_end));
}

void add_plan(CLI::App& app, Raw& raw) {
  const std::string group = "Plan";
  add_launch(app, raw, false);
  app.add_flag("--fit", raw.fit, "The smallest change that fits first, not the fastest run")->group(group);
  many(app, "--free", raw.free, "May change too: precision, global-batch, sequence; repeatable", "WHAT")
      ->group(group);
  one(app, "--top", raw.top, "Plans to show (default 5)", "N")->group(group);
  one(app, "--pick", raw.pick, "The plan that --write and --diff take (default 1)", "N")->group(group);
  one(app, "--write", raw.write, "Write the config with that plan to a new file", "FILE")->group(group);
  app.add_flag("--diff", raw.diff, "Show that plan as a unified diff of the config")->group(group);
  one(app, "--jobs", raw.jobs, "Threads (default: one per processor)", "N")->group(group);
  add_rules(app, raw, true);
  add_output(app, raw, true, true);
  app.footer(std::string(plan_end));
}

void add_diff(CLI::App& app, Raw& raw) {
  add_launch(app, raw, false);
  add_rules(app, raw, true);
  many(app, "--fail-on", raw.budgets, "What makes exit status 1 (see below); repeatable", "BUDGET")
      ->group("Rules");
  add_output(app, raw, true, true);
  app.footer(std::string(diff_end));
}

void add_run(CLI::App& app, Raw& raw) {
  app.add_flag("--force", raw.force, "Start the command in spite of errors in the config")->group("Launch");
  add_launch(app, raw, false);
  add_rules(app, raw, true);
  add_fail_on(app, raw, "Least severity that keeps the command from being started");
  one(app, "--color", raw.color, "auto, always or never", "WHEN")->group("Output");
  app.add_flag("-q,--quiet", raw.quiet, "Print no summary of the check")->group("Output");
  app.add_flag("-v,--verbose", raw.verbose, "Say which .headroom.yaml was used")->group("Output");
  app.footer(std::string(run_end));
}

void add_explain(CLI::App& app, Raw& raw) {
  many(app, "--config", raw.configs, "Config of the run; a launch script may stand beside it; repeatable",
       "CONFIG")
      ->group("Input");
  one(app, "--against", raw.against, "Compare the memory snapshot FILE with an older one", "OLD")
      ->group("Input");
  many(app, "--answer", raw.answers, "Answer to a question, for scripts; repeatable", "KEY=VALUE")
      ->group("Input");
  app.add_flag("--no-ask", raw.no_ask, "Ask nothing, also on a terminal")->group("Input");
  add_launch(app, raw, false);
  add_rules(app, raw, false);
  one(app, "--html", raw.html, "Write a memory snapshot as one page, `-` for standard output", "PAGE")
      ->group("Output");
  add_output(app, raw, false, false);
  app.footer(std::string(explain_end));
}

void add_schema(CLI::App& app, Raw& raw) {
  one(app, "--dialect", raw.dialect, "Config language (default: bridge)", "NAME")->group("Output");
  one(app, "--bridge", raw.context["bridge"], "Megatron Bridge release (default: 0.6.0)", "RELEASE")
      ->group("Output");
  one(app, "--color", raw.color, "auto, always or never", "WHEN")->group("Output");
}

void add_options(CLI::App& sub, const CommandInfo& info, Raw& raw) {
  sub.set_help_flag("-h,--help", "Print this help")->group("Output");
  sub.add_option("words", raw.words)->expected(0, 1 << 20)->type_name("");
  switch (info.command) {
    case Command::check:
      add_check(sub, raw);
      break;
    case Command::effective:
      add_launch(sub, raw, false);
      sub.add_flag("--all", raw.all, "Every field, also those at their default")->group("Output");
      add_output(sub, raw, false, true);
      break;
    case Command::convert:
      add_launch(sub, raw, false);
      one(sub, "--to", raw.to, "Language to write: bridge, megatron-lm", "NAME")->group("Output");
      add_output(sub, raw, false, true);
      break;
    case Command::estimate:
      add_launch(sub, raw, false);
      sub.add_flag("--why", raw.why, "Print every allocation with its formula and numbers")->group("Output");
      add_output(sub, raw, false, false);
      break;
    case Command::plan:
      add_plan(sub, raw);
      break;
    case Command::diff:
      add_diff(sub, raw);
      break;
    case Command::calibrate:
      add_launch(sub, raw, false);
      sub.add_flag("--diff", raw.diff, "Show what would be written, and write nothing")->group("Output");
      add_output(sub, raw, false, false);
      break;
    case Command::run:
      add_run(sub, raw);
      break;
    case Command::explain:
      add_explain(sub, raw);
      break;
    case Command::rule:
      add_rules(sub, raw, false);
      add_output(sub, raw, false, false);
      break;
    case Command::test_rules:
      add_rules(sub, raw, false);
      add_output(sub, raw, true, false);
      break;
    case Command::schema:
      add_schema(sub, raw);
      break;
    case Command::lsp:
      add_launch(sub, raw, false);
      add_rules(sub, raw, true);
      sub.add_flag("--advice", raw.advice, "Show better choices, too")->group("Rules");
      break;
    case Command::generate:
      break;
  }
}

/// `wanted` says which commands need their options: CLI11 takes as long to make those of all as a check does.
template <class Wanted>
void build(CLI::App& app, Raw& raw, const Wanted& wanted) {
  app.formatter(std::make_shared<Formatter>());
  app.set_help_flag("-h,--help", "Print this help");
  app.add_flag("--version", raw.version, "Print the version");
  app.footer(std::string(overview_end));
  for (const auto& info : commands) {
    CLI::App& sub = *app.add_subcommand(std::string(info.name), std::string(info.what));
    sub.group("Commands");
    if (wanted(info)) add_options(sub, info, raw);
  }
}

// `; did you mean --gpus?`
std::string nearest_option(const CLI::App& app, const std::string& word) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    for (const auto& name : option->get_lnames()) names.push_back("--" + name);
  }
  return lang::did_you_mean(word, {names.begin(), names.end()});
}

Parsed wrong(const std::string& message, std::string_view command) {
  const std::string help = command.empty() ? "headroom --help" : fmt::format("headroom {} --help", command);
  return {{}, fmt::format("error: {}\nTry `{}`.\n", report::printable(message), help), exit_usage};
}

/// Words that an option takes, where there are only so many.
std::vector<std::string> choices_of(std::string_view command, std::string_view option) {
  std::vector<std::string> out;
  const auto add = [&](const auto& choices) {
    for (const auto& choice : choices) out.emplace_back(choice.first);
  };
  if (option == "--loader") add(loaders);
  if (option == "--format") {
    for (const auto name : format_names(command)) out.emplace_back(name);
  }
  if (option == "--color") add(colors);
  if (option == "--dialect") {
    out = {"auto", "bridge"};
    for (const auto name : dialect_names()) out.emplace_back(name);
  }
  if (option == "--gpu") {
    for (const auto& gpu : schema::embedded_schema().gpus) out.emplace_back(gpu.kind);
  }
  if (option == "--bridge") {
    for (int i = 0; i < schema::release_count; ++i)
      out.emplace_back(schema::name(static_cast<schema::Release>(i)));
  }
  if (option == "--fail-on") {
    for (int i = 0; i <= static_cast<int>(rules::Severity::error); ++i)
      out.emplace_back(rules::to_string(static_cast<rules::Severity>(i)));
    out.emplace_back("never");
  }
  return out;
}

std::vector<OptionSheet> option_sheets(const CLI::App& app) {
  std::vector<OptionSheet> out;
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_positional() || !option->nonpositional()) continue;
    OptionSheet sheet;
    for (const auto& name : option->get_snames()) sheet.names.push_back("-" + name);
    for (const auto& name : option->get_lnames()) {
      sheet.names.push_back("--" + name);
      if (sheet.choices.empty()) sheet.choices = choices_of(app.get_name(), sheet.names.back());
    }
    if (option->get_expected_max() > 0) sheet.value = option->get_type_name();
    sheet.what = option->get_description();
    sheet.group = option->get_group();
    sheet.repeatable = option->get_multi_option_policy() == CLI::MultiOptionPolicy::TakeAll;
    out.push_back(std::move(sheet));
  }
  return out;
}

// The command that was given, or the program where none was.
const CLI::App& command_of(const CLI::App& app) {
  const auto given = app.get_subcommands();
  return given.empty() ? app : *given.front();
}

// CLI11 calls the program by the path that started it.
std::string name_of_command(const CLI::App& app) {
  return app.get_subcommands().empty() ? std::string() : command_of(app).get_name();
}

Parsed options_of(const CommandInfo& info, const Raw& raw) {
  Options options;
  if (const auto complaint = take(options, info, raw)) return wrong(*complaint, info.name);
  return {std::move(options), {}, exit_clean};
}

/// `--gpus "$N"` with an empty variable: what was meant is not known, and leaving it out is not it.
const CLI::Option* without_value(const CLI::App& app) {
  for (const CLI::Option* option : app.get_options()) {
    if (option->count() == 0 || option->get_positional() || option->get_expected_max() == 0) continue;
    const auto& values = option->results();
    if (std::any_of(values.begin(), values.end(), [](const auto& v) { return v.empty(); })) return option;
  }
  return nullptr;
}

Parsed parse_with(CLI::App& app, const Raw& raw, int argc, const char* const* argv) {
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    return {{}, app.help(), exit_clean};
  } catch (const CLI::ExtrasError&) {
    const auto unknown = app.remaining(true);
    const std::string word = unknown.front().substr(0, unknown.front().find('='));
    return wrong(fmt::format("unknown option {}{}", word, nearest_option(command_of(app), word)),
                 name_of_command(app));
  } catch (const CLI::ParseError& error) {
    return wrong(error.what(), name_of_command(app));
  }
  if (const CLI::Option* empty = without_value(command_of(app)))
    return wrong(fmt::format("{}: the value is empty", empty->get_name()), name_of_command(app));
  for (const auto& info : commands) {
    if (app.got_subcommand(std::string(info.name))) return options_of(info, raw);
  }
  return {{}, app.help(), exit_usage};
}

}  // namespace

ProgramSheet program_sheet() {
  CLI::App app{std::string(program_what)};
  Raw raw;
  build(app, raw, [](const CommandInfo&) { return true; });
  ProgramSheet out{app.get_description(), app.get_footer(), option_sheets(app), {}};
  for (const auto& info : commands) {
    const CLI::App* sub = app.get_subcommand(std::string(info.name));
    out.commands.push_back({std::string(info.name), std::string(info.usage), std::string(info.what),
                            sub->get_footer(), option_sheets(*sub)});
  }
  return out;
}

Parsed parse_command_line(int argc, const char* const* argv) {
  std::vector<std::string_view> names;
  for (const auto& info : commands) names.push_back(info.name);
  if (argc > 1 && argv[1][0] != '-') {
    const std::string word = argv[1];
    if (std::find(names.begin(), names.end(), word) == names.end()) {
      return wrong(fmt::format("unknown command '{}'{}", word, lang::did_you_mean(word, names)), "");
    }
  }
  // Behind `--` stand the words of the command that `run` starts; for others names of files and settings,
  // which CLI11 would hand to the program, past the command.
  const char* const* const last = argv + argc;
  const char* const* const end =
      std::find_if(argv, last, [](const char* word) { return std::string_view(word) == "--"; });
  const bool run = argc > 1 && std::string_view(argv[1]) == "run";
  CLI::App app{std::string(program_what)};
  Raw raw;
  if (!run && end != last) raw.plain.assign(end + 1, last);
  build(app, raw, [&](const CommandInfo& info) { return std::find(argv, end, info.name) != end; });
  Parsed parsed = parse_with(app, raw, static_cast<int>(end - argv), argv);
  if (parsed.options && run && end != last) parsed.options->command_words.assign(end + 1, last);
  return parsed;
}

}  // namespace headroom::app
