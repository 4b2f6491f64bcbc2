#include "raw_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "choose.hpp"
#include "context.hpp"
#include "formats.hpp"
#include "headroom/lang/check.hpp"

namespace headroom::app {

std::vector<std::string_view> dialect_names() {
  std::vector<std::string_view> names;
  for (const auto& table : schema::embedded_schema().dialects) names.push_back(table.name);
  return names;
}

namespace {

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

}  // namespace

lint::Complaint take(Options& options, const CommandInfo& info, const Raw& raw) {
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
  return complaint;
}

}  // namespace headroom::app
