#include "explaining.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "file_report.hpp"
#include "headroom/advise/remedies.hpp"
#include "headroom/lang/check.hpp"
#include "headroom/lint/printed_arguments.hpp"
#include "headroom/oom/input.hpp"
#include "inputs.hpp"
#include "repository.hpp"

namespace headroom::app {
namespace {

source::Error wrong(std::string message) {
  return {std::move(message), "", {}, false};
}

std::optional<oom::LogPhase> phase_named(std::string_view name) {
  for (std::size_t i = 1; i < schema::log_phases; ++i)
    if (schema::to_string(static_cast<oom::LogPhase>(i)) == name) return static_cast<oom::LogPhase>(i);
  return std::nullopt;
}

/// What the fixes of an explanation are called by in a report of a config.
rules::Diagnostic carrier(std::vector<rules::Fix> fixes) {
  rules::Diagnostic d;
  d.rule = "explain";
  d.fixes = std::move(fixes);
  return d;
}

}  // namespace

Explaining::Explaining(const Options& options, std::string path, oom::LogFacts log)
    : options_(options), path_(std::move(path)), log_(std::move(log)), command_line_(options.context) {
  std::string line = lint::launch_line(log_.layout.arguments, schema::embedded_schema());
  if (!line.empty())
    printed_ = std::make_shared<const source::SourceText>("arguments in the log", std::move(line));
}

source::Result<void> Explaining::take_options() {
  for (const auto& word : options_.sets) {
    auto parsed = source::parse_override(word, "--set");
    if (!parsed) return tl::unexpected(parsed.error());
    sets_.push_back(std::move(*parsed));
  }
  for (const auto& config : options_.configs)
    if (auto ok = add_config(config); !ok) return ok;
  for (const auto& [key, value] : options_.answers)
    if (auto ok = answer(key, value); !ok) return ok;
  return {};
}

source::Result<void> Explaining::add_config(const std::string& path) {
  const auto text = source::read_file(path);
  if (!text) return tl::unexpected(text.error());
  if (config_ != nullptr) {
    auto context = lint::context_of_script(*text);
    if (!context) return tl::unexpected(context.error());
    if (!beside_.gpus) beside_.gpus = context->gpus;
    beside_.env.insert(context->env.begin(), context->env.end());
    return {};
  }
  auto repository = RepositoryFinder().find(path);
  if (!repository) return tl::unexpected(repository.error().error);
  if (*repository != nullptr) repository_ = (*repository)->settings_for(path).context;
  config_ = *text;
  config_path_ = path;
  return {};
}

source::Result<void> Explaining::read_other_log(const std::string& path) {
  auto input = oom::Input::open(path);
  if (!input) return tl::unexpected(input.error());
  auto facts = oom::read_log(*input);
  if (!facts) return tl::unexpected(facts.error());
  log_ = std::move(*facts);
  path_ = path;
  return {};
}

source::Result<void> Explaining::answer(std::string_view key, std::string_view value) {
  if (key == "config") return value == "none" ? source::Result<void>{} : add_config(std::string(value));
  if (value == "unknown") return {};
  if (key == "log") return value == "none" ? source::Result<void>{} : read_other_log(std::string(value));
  if (key == "phase") {
    const auto phase = phase_named(value);
    if (!phase) return tl::unexpected(wrong(fmt::format("'{}' is no phase of a run", value)));
    for (oom::Failure& f : log_.failures)
      if (f.trace.phase == oom::LogPhase::unknown) f.trace.phase = *phase;
    return {};
  }
  if (key.starts_with("env.")) {
    const std::string name(key.substr(4));
    const std::string word = value == "unset" ? name : fmt::format("{}={}", name, value);
    if (const auto complaint = lint::set_environment(command_line_, word, key))
      return tl::unexpected(wrong(*complaint));
    return {};
  }
  const auto keys = lint::context_keys();
  if (std::find(keys.begin(), keys.end(), key) == keys.end()) {
    std::vector<std::string_view> known{"config", "phase", "env.NAME"};
    known.insert(known.end(), keys.begin(), keys.end());
    return tl::unexpected(wrong(fmt::format("there is no question '{}'; known: {}{}", key,
                                            fmt::join(known, ", "), lang::did_you_mean(key, known))));
  }
  if (const auto complaint = lint::set_context(command_line_, key, value, key))
    return tl::unexpected(wrong(*complaint));
  return {};
}

lint::Job Explaining::job() const {
  lint::Job job;
  job.text = config_ != nullptr ? config_ : printed_;
  if (job.text == nullptr) job.text = std::make_shared<const source::SourceText>("", "{}\n");
  job.sets = sets_;
  job.sets.insert(job.sets.end(), trial_.begin(), trial_.end());
  job.command_line = command_line_;
  job.beside = beside_;
  job.repository = repository_;
  if (config_ != nullptr) {
    job.loader = options_.loader;
    job.dialect = options_.dialect;
  }
  if (config_ == nullptr && printed_ != nullptr) job.dialect = "megatron-lm";
  job.want_advice = true;
  job.log = &log_;
  return job;
}

source::Result<report::ExplainReport> Explaining::run() {
  lint::Outcome outcome = lint::lint(job());
  if (outcome.unreadable) return tl::unexpected(*outcome.unreadable);
  report::ExplainReport out;
  out.path = path_;
  out.diagnosis = *outcome.diagnosis;
  out.has_config = config_ != nullptr || printed_ != nullptr;
  if (config_ == nullptr && printed_ != nullptr)
    out.diagnosis.notes.emplace_back(
        "no config was given: the settings are those that the log prints at its start");
  for (const auto& d : outcome.findings.diagnostics)
    if (advise::is_about_failure(d)) out.advice.push_back(d.message);
  out.caught_by = outcome.caught_by;
  outcome_ = outcome;
  // Without a config nothing was tried.
  if (!out.has_config) {
    for (rules::Fix& fix : outcome.remedies) fix.verified = false;
  }
  outcome.findings.diagnostics = {carrier(std::move(outcome.remedies))};
  out.config = file_report(config_path_, config_, std::move(outcome), true);
  out.fixes = out.config.diagnostics.front().fixes;
  return out;
}

}  // namespace headroom::app
