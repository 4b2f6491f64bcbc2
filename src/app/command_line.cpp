// The only file that knows CLI11: its headers cost seconds of compile time, and building its tree
// milliseconds.
#include "command_line.hpp"

#include <fmt/format.h>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <array>
#include <charconv>

#include "choose.hpp"
#include "command_texts.hpp"
#include "context.hpp"
#include "formats.hpp"
#include "headroom/lang/check.hpp"
#include "headroom/report/terminal.hpp"
#include "sheet.hpp"

namespace headroom::app {
namespace {

struct Raw {
  std::vector<std::string> words, plain, sets, env, env_files, rule_dirs, select, ignore, configs, answers,
      outputs, severities, free, budgets;
  std::map<std::string, std::string> context;  // bridge, gpus, …: text as given
  std::string loader = "auto", dialect = "auto", format = "text", color = "auto", fail_on, jobs, to, against,
              html, baseline, diff_base, top, pick, write;
  bool force = false;
  bool no_ask = false;
  bool advice = false, diff = false, fix = false, unsafe_fixes = false, quiet = false, verbose = false,
       all = false, version = false, why = false, update_baseline = false, fit = false;
};

std::vector<std::string_view> dialect_names() {
  std::vector<std::string_view> names;
  for (const auto& table : schema::embedded_schema().dialects) names.push_back(table.name);
  return names;
}

class Formatter : public CLI::Formatter {
 public:
  Formatter() { column_width(26); }
  std::string make_usage(const CLI::App* app, std::string /*name*/) const override {
    for (const auto& c : commands) {
      if (c.name == app->get_name()) return fmt::format("usage: {}\n\n", c.usage);
    }
    return "usage: headroom COMMAND [options]\n\n";
  }
  std::string make_description(const CLI::App* app) const override { return app->get_description() + "\n\n"; }
  std::string make_group(std::string group, bool positional,
                         std::vector<const CLI::Option*> options) const override {
    std::string out = group + ":\n";
    for (const CLI::Option* option : options) out += make_option(option, positional);
    return out;
  }
  std::string make_positionals(const CLI::App* /*app*/) const override { return {}; }
  std::string make_footer(const CLI::App* app) const override { return app->get_footer(); }
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

std::vector<std::string> split_globs(const std::vector<std::string>& lists) {
  std::vector<std::string> globs;
  for (const auto& list : lists) {
    for (std::size_t begin = 0; begin <= list.size();) {
      const std::size_t end = std::min(list.find(',', begin), list.size());
      if (end > begin) globs.push_back(list.substr(begin, end - begin));
      begin = end + 1;
    }
  }
  return globs;
}

lint::Complaint read_context(Options& options, const Raw& raw) {
  for (const auto& [key, value] : raw.context) {
    if (value.empty()) continue;
    if (key == "bridge" && value == "all" && options.command == Command::check) {
      options.bridge_all = true;
      continue;
    }
    std::string name = "--" + key;
    std::ranges::replace(name, '_', '-');
    if (auto complaint = lint::set_context(options.context, key, value, name)) return complaint;
  }
  for (const auto& file : raw.env_files) {
    if (auto error = read_environment_file(options.context, file)) {
      const auto& at = error->location.start;
      return fmt::format("--env-file {}{}: {}", file,
                         error->has_location ? fmt::format(":{}:{}", at.line, at.column) : "",
                         error->message);
    }
  }
  for (const auto& word : raw.env) {  // after the files: the single word wins
    if (auto complaint = lint::set_environment(options.context, word, "--env")) return complaint;
  }
  return {};
}

lint::Complaint read_dialect(Options& options, const std::string& text) {
  if (text == "auto") return {};
  options.dialect = text;
  if (text == "bridge" || schema::embedded_schema().find_dialect(text) != nullptr) return {};
  std::vector<std::string_view> names{"auto", "bridge"};
  for (const auto name : dialect_names()) names.push_back(name);
  return fmt::format("--dialect: '{}' is none of {}{}", text, fmt::join(names, ", "),
                     lang::did_you_mean(text, names));
}

using LoaderChoice = std::optional<source::Loader>;
constexpr std::array<std::pair<std::string_view, LoaderChoice>, 3> loaders{
    {{"auto", {}}, {"saved", source::Loader::py_yaml}, {"override", source::Loader::omega_conf}}};
constexpr std::array<std::pair<std::string_view, ColorChoice>, 3> colors{
    {{"auto", ColorChoice::automatic}, {"always", ColorChoice::always}, {"never", ColorChoice::never}}};

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

lint::Complaint read_choices(Options& options, const Raw& raw) {
  if (auto c = choose(options.loader, raw.loader, "--loader", loaders)) return c;
  if (auto c = read_format(options, raw.format)) return c;
  if (auto c = choose(options.color, raw.color, "--color", colors)) return c;
  if (auto c = read_dialect(options, raw.dialect)) return c;
  if (raw.fail_on == "never") {
    options.never_fail = true;
  } else if (!raw.fail_on.empty()) {
    options.fail_on = rules::parse_severity(raw.fail_on);
    if (!options.fail_on) return fmt::format("--fail-on: '{}' is no severity and not `never`", raw.fail_on);
  }
  if (!raw.jobs.empty()) {
    const char* end = raw.jobs.data() + raw.jobs.size();
    const auto [stop, error] = std::from_chars(raw.jobs.data(), end, options.jobs);
    if (error != std::errc() || stop != end || options.jobs == 0 || options.jobs > 1024) {
      return fmt::format("--jobs: '{}' is no number from 1 to 1024", raw.jobs);
    }
  }
  return {};
}

lint::Complaint read_count(std::size_t& into, const std::string& text, std::string_view option) {
  if (text.empty()) return {};
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, into);
  if (error == std::errc() && stop == end && into > 0 && into <= 1000) return {};
  return fmt::format("{}: '{}' is no number from 1 to 1000", option, text);
}

lint::Complaint read_plan(PlanOptions& plan, const Raw& raw) {
  plan.fit = raw.fit;
  plan.free = raw.free;
  plan.write = raw.write;
  if (auto c = read_count(plan.top, raw.top, "--top")) return c;
  if (auto c = read_count(plan.pick, raw.pick, "--pick")) return c;
  if (!plan.write.empty() && raw.diff) return "--diff only shows what --write would write: give one of them";
  return {};
}

lint::Complaint read_answers(Options& options, const Raw& raw) {
  for (const auto& word : raw.answers) {
    const auto equals = word.find('=');
    if (equals == 0 || equals == std::string::npos)
      return fmt::format("--answer: '{}' is no KEY=VALUE", word);
    options.answers.emplace_back(word.substr(0, equals), word.substr(equals + 1));
  }
  return {};
}

Parsed options_of(const CommandInfo& info, const Raw& raw) {
  Options options;
  options.command = info.command;
  options.words = raw.words;
  options.words.insert(options.words.end(), raw.plain.begin(), raw.plain.end());
  options.sets = raw.sets;
  options.rule_dirs = raw.rule_dirs;
  options.select = split_globs(raw.select);
  options.ignore = split_globs(raw.ignore);
  options.advice = raw.advice;
  options.diff = raw.diff;
  options.fix = raw.fix;
  options.unsafe_fixes = raw.unsafe_fixes;
  options.quiet = raw.quiet;
  options.verbose = raw.verbose;
  options.all = raw.all;
  options.to = raw.to;
  options.why = raw.why;
  options.budgets = raw.budgets;
  options.baseline = raw.baseline;
  options.update_baseline = raw.update_baseline;
  options.diff_base = raw.diff_base;
  options.force = raw.force;
  options.configs = raw.configs;
  options.against = raw.against;
  options.html = raw.html;
  options.no_ask = raw.no_ask;
  auto complaint = read_choices(options, raw);
  if (!complaint) complaint = read_outputs(options, raw.outputs);
  if (!complaint) complaint = read_severities(options, raw.severities);
  if (!complaint) complaint = read_context(options, raw);
  if (!complaint) complaint = read_plan(options.plan, raw);
  if (!complaint) complaint = read_answers(options, raw);
  if (!complaint && !options.against.empty() && !options.html.empty())
    complaint = "--html shows one snapshot: give it without --against";
  if (!complaint && options.diff && options.fix)
    complaint = "--diff only shows what --fix would write: give one of them";
  if (!complaint && options.unsafe_fixes && !options.diff && !options.fix)
    complaint = "--unsafe-fixes is for --fix and --diff: give one of them";
  if (!complaint && info.command == Command::convert && raw.to != "bridge" && raw.to != "megatron-lm") {
    complaint = raw.to.empty() ? std::string("convert needs --to bridge or --to megatron-lm")
                               : fmt::format("--to: '{}' is neither bridge nor megatron-lm", raw.to);
  }
  if (!complaint && options.bridge_all && (options.diff || options.fix)) {
    complaint = "--bridge all compares releases: fixes need one";
  }
  if (!complaint && options.update_baseline && options.baseline.empty())
    complaint = "--update-baseline needs --baseline FILE";
  if (!complaint && options.update_baseline && !options.diff_base.empty())
    complaint = "--diff-base reports a part of what is found: no baseline can be made of it";
  if (!complaint && !options.diff_base.empty() && (options.diff || options.fix))
    complaint = "--diff-base reports only what is new: --fix and --diff take all of a file";
  if (complaint) return wrong(*complaint, info.name);
  return {std::move(options), {}, exit_clean};
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
