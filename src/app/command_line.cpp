// The only file that knows CLI11: its headers cost seconds of compile time, and building its tree
// milliseconds.
#include "command_line.hpp"

#include <fmt/format.h>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <array>
#include <charconv>

#include "context.hpp"
#include "headroom/lang/check.hpp"

namespace headroom::app {
namespace {

struct CommandInfo {
  std::string_view name;
  Command command;
  std::string_view usage, what;
};
constexpr std::array<CommandInfo, 8> commands{{
    {"check", Command::check, "headroom check CONFIG... [key=value...] [options]",
     "Say what will go wrong with a config before it is launched, and what to change"},
    {"effective", Command::effective, "headroom effective CONFIG [FIELD...] [key=value...] [options]",
     "Show the values that the framework will really run, and where each comes from"},
    {"convert", Command::convert, "headroom convert CONFIG --to bridge|megatron-lm [key=value...] [options]",
     "Write the same settings in another config language; what it has no word for is listed"},
    {"estimate", Command::estimate, "headroom estimate CONFIG [key=value...] [options]",
     "Say how much memory each pipeline stage needs, by component and phase"},
    {"plan", Command::plan, "headroom plan CONFIG [key=value...] [options]",
     "Find configs of the same job that are legal, fit, and run fastest"},
    {"diff", Command::diff, "headroom diff OLD NEW [key=value...] [options]",
     "Say what a change does: findings, memory by stage, step time"},
    {"rule", Command::rule, "headroom rule [ID|GLOB...] [options]",
     "List the rules, or show the page of one"},
    {"test-rules", Command::test_rules, "headroom test-rules DIR|FILE... [options]",
     "Run the examples inside rule files as tests"},
}};

constexpr std::string_view overview_end =
    "Exit status: 0 nothing at or above --fail-on (default: error), 1 findings, 2 wrong usage or unreadable\n"
    "input, 3 a bug in headroom.\n\n"
    "  headroom check run_config.yaml --gpus 32 --gpu h100\n"
    "  headroom check config.yaml model.tensor_model_parallel_size=4 --bridge 0.5.1\n"
    "  headroom effective config.yaml model.fp8 model.recompute_modules\n"
    "  headroom estimate config.yaml --gpus 32 --gpu h100 --why\n"
    "  headroom plan config.yaml --gpus 32 --gpu h100\n"
    "  headroom diff old.yaml new.yaml --gpus 32 --gpu h100 --fail-on memory+2GiB\n"
    "  headroom rule 'offload/*'\n";

constexpr std::string_view check_end =
    "CONFIG is a YAML or JSON file, a launch script, a file of arguments, `-` for standard input, or a\n"
    "directory (*.yaml, *.yml and *.json below it). A script given beside configs supplies their "
    "environment\n"
    "and number of GPUs.\n"
    "Words `key=value`, `+key=value` and `~key` change settings as on Megatron Bridge's command line.\n"
    "A top-level `headroom:` block in a config and the nearest .headroom.yaml above it can say the same as "
    "the\n"
    "launch options; the command line wins, then the config, then .headroom.yaml.\n";

struct Raw {
  std::vector<std::string> words, sets, env, env_files, rule_dirs, select, ignore, free, budgets;
  std::map<std::string, std::string> context;  // bridge, gpus, …: text as given
  std::string loader = "auto", dialect = "auto", format = "text", color = "auto", fail_on, jobs, to, margin,
              top, pick, write;
  bool advice = false, diff = false, fix = false, unsafe_fixes = false, quiet = false, verbose = false,
       all = false, version = false, why = false, fit = false;
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

void add_output(CLI::App& app, Raw& raw, bool summary, bool repository,
                const std::string& formats = "text or json") {
  const std::string group = "Output";
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

void add_check(CLI::App& app, Raw& raw) {
  add_launch(app, raw, true);
  add_rules(app, raw, true);
  one(app, "--fail-on", raw.fail_on,
      "Least severity for exit status 1: error (default), warning, ignored, memory, slow, advice, never",
      "SEVERITY")
      ->group("Rules");
  app.add_flag("--advice", raw.advice, "Show better choices, too")->group("Rules");
  app.add_flag("--fix", raw.fix, "Write the best verified fix of each finding into the file")->group("Fixes");
  app.add_flag("--diff", raw.diff, "Show what --fix would change, as a unified diff")->group("Fixes");
  app.add_flag("--unsafe-fixes", raw.unsafe_fixes, "Allow fixes that change training results")
      ->group("Fixes");
  one(app, "--jobs", raw.jobs, "Files checked at a time (default: one per processor)", "N")->group("Output");
  add_output(app, raw, true, true);
  app.footer(std::string(check_end));
}

constexpr std::string_view plan_end =
    "The job stays the same: model, global batch, sequence length and precision, unless --free opens one.\n"
    "Everything else that rules/plan lists may change. Exit status 1: no plan was found.\n";

void add_plan(CLI::App& app, Raw& raw) {
  const std::string group = "Plan";
  add_launch(app, raw, false);
  app.add_flag("--fit", raw.fit, "The smallest change that fits first, not the fastest run")->group(group);
  many(app, "--free", raw.free, "May change too: precision, global-batch, sequence; repeatable", "WHAT")
      ->group(group);
  one(app, "--margin", raw.margin, "Memory to leave free: 5% or 4GiB", "SIZE")->group(group);
  one(app, "--top", raw.top, "Plans to show (default 5)", "N")->group(group);
  one(app, "--pick", raw.pick, "The plan that --write and --diff take (default 1)", "N")->group(group);
  one(app, "--write", raw.write, "Write the config with that plan to a new file", "FILE")->group(group);
  app.add_flag("--diff", raw.diff, "Show that plan as a unified diff of the config")->group(group);
  one(app, "--jobs", raw.jobs, "Threads (default: one per processor)", "N")->group(group);
  add_rules(app, raw, true);
  add_output(app, raw, true, true);
  app.footer(std::string(plan_end));
}

constexpr std::string_view diff_end =
    "OLD and NEW are configs, launch scripts, or REV:PATH of a git repository; words and --set hold for "
    "both.\n"
    "With one CONFIG the words are the change: `headroom diff c.yaml model.tensor_model_parallel_size=8`.\n"
    "--fail-on: error (default), warning, ignored, memory, slow, advice: a finding of at least that "
    "severity\n"
    "appeared; memory+2GiB, memory+5%: the highest peak rose by more; step-time+5%: a step takes longer; "
    "never.\n";

void add_diff(CLI::App& app, Raw& raw) {
  add_launch(app, raw, false);
  add_rules(app, raw, true);
  many(app, "--fail-on", raw.budgets, "What makes exit status 1 (see below); repeatable", "BUDGET")
      ->group("Rules");
  add_output(app, raw, true, true, "text, json or markdown");
  app.footer(std::string(diff_end));
}

void build(CLI::App& app, Raw& raw) {
  app.formatter(std::make_shared<Formatter>());
  app.set_help_flag("-h,--help", "Print this help");
  app.add_flag("--version", raw.version, "Print the version");
  app.footer(std::string(overview_end));
  for (const auto& info : commands) {
    CLI::App& sub = *app.add_subcommand(std::string(info.name), std::string(info.what));
    sub.set_help_flag("-h,--help", "Print this help")->group("Output");
    sub.group("Commands");
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
        sub.add_flag("--why", raw.why, "Print every allocation with its formula and numbers")
            ->group("Output");
        add_output(sub, raw, false, false);
        break;
      case Command::plan:
        add_plan(sub, raw);
        break;
      case Command::diff:
        add_diff(sub, raw);
        break;
      case Command::rule:
        add_rules(sub, raw, false);
        add_output(sub, raw, false, false);
        break;
      case Command::test_rules:
        add_rules(sub, raw, false);
        add_output(sub, raw, true, false);
        break;
    }
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

Parsed wrong(std::string message, std::string_view command) {
  const std::string help = command.empty() ? "headroom --help" : fmt::format("headroom {} --help", command);
  return {{}, fmt::format("error: {}\nTry `{}`.\n", message, help), exit_usage};
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

template <class T, std::size_t N>
lint::Complaint choose(T& into, const std::string& text, std::string_view option,
                       const std::array<std::pair<std::string_view, T>, N>& choices) {
  std::vector<std::string_view> names;
  for (const auto& [name, value] : choices) {
    if (name == text) {
      into = value;
      return {};
    }
    names.push_back(name);
  }
  return fmt::format("{}: '{}' is none of {}{}", option, text, fmt::join(names, ", "),
                     lang::did_you_mean(text, names));
}

lint::Complaint read_context(Options& options, const Raw& raw) {
  for (const auto& [key, value] : raw.context) {
    if (value.empty()) continue;
    if (key == "bridge" && value == "all" && options.command == Command::check) {
      options.bridge_all = true;
      continue;
    }
    const std::string name = key == "gpu_memory" ? "--gpu-memory" : "--" + key;
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

lint::Complaint read_choices(Options& options, const Raw& raw) {
  using LoaderChoice = std::optional<source::Loader>;
  static constexpr std::array<std::pair<std::string_view, LoaderChoice>, 3> loaders{
      {{"auto", {}}, {"saved", source::Loader::py_yaml}, {"override", source::Loader::omega_conf}}};
  static constexpr std::array<std::pair<std::string_view, Format>, 3> formats{
      {{"text", Format::text}, {"json", Format::json}, {"markdown", Format::markdown}}};
  static constexpr std::array<std::pair<std::string_view, ColorChoice>, 3> colors{
      {{"auto", ColorChoice::automatic}, {"always", ColorChoice::always}, {"never", ColorChoice::never}}};
  if (auto c = choose(options.loader, raw.loader, "--loader", loaders)) return c;
  if (auto c = choose(options.format, raw.format, "--format", formats)) return c;
  if (options.format == Format::markdown && options.command != Command::diff)
    return fmt::format("--format: '{}' is none of text, json", raw.format);
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

lint::Complaint read_margin(PlanOptions& plan, const std::string& text) {
  if (text.empty()) return {};
  if (text.back() == '%') {
    const char* end = text.data() + text.size() - 1;
    double percent = 0;
    const auto [stop, error] = std::from_chars(text.data(), end, percent);
    plan.margin_share = percent / 100;
    if (error == std::errc() && stop == end && percent >= 0 && percent < 100) return {};
  } else if (const auto bytes = lint::parse_size(text)) {
    plan.margin_bytes = static_cast<double>(*bytes);
    return {};
  }
  return fmt::format("--margin: '{}' is no size such as 4GiB and no share such as 5%", text);
}

lint::Complaint read_plan(PlanOptions& plan, const Raw& raw) {
  plan.fit = raw.fit;
  plan.free = raw.free;
  plan.write = raw.write;
  if (auto c = read_margin(plan, raw.margin)) return c;
  if (auto c = read_count(plan.top, raw.top, "--top")) return c;
  if (auto c = read_count(plan.pick, raw.pick, "--pick")) return c;
  if (!plan.write.empty() && raw.diff) return "--diff only shows what --write would write: give one of them";
  return {};
}

Parsed options_of(const CommandInfo& info, const Raw& raw) {
  Options options;
  options.command = info.command;
  options.words = raw.words;
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
  auto complaint = read_choices(options, raw);
  if (!complaint) complaint = read_context(options, raw);
  if (!complaint) complaint = read_plan(options.plan, raw);
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
  for (const auto& info : commands) {
    if (app.got_subcommand(std::string(info.name))) return options_of(info, raw);
  }
  return {{}, app.help(), exit_usage};
}

}  // namespace

Parsed parse_command_line(int argc, const char* const* argv) {
  std::vector<std::string_view> names;
  for (const auto& info : commands) names.push_back(info.name);
  if (argc > 1 && argv[1][0] != '-') {
    const std::string word = argv[1];
    if (std::find(names.begin(), names.end(), word) == names.end()) {
      return wrong(fmt::format("unknown command '{}'{}", word, lang::did_you_mean(word, names)), "");
    }
  }
  CLI::App app(
      "headroom reads LLM training configs for Megatron Bridge and Megatron-Core and says what will go\n"
      "wrong before a GPU is touched.");
  Raw raw;
  build(app, raw);
  return parse_with(app, raw, argc, argv);
}

}  // namespace headroom::app
