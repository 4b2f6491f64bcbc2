// The pipeline in one call: text -> findings. Pure; files, environment and options were read before.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "headroom/dialect/reader.hpp"
#include "headroom/lint/options.hpp"
#include "headroom/oom/diagnosis.hpp"
#include "headroom/resolve/effective.hpp"
#include "headroom/rules/pack.hpp"

namespace headroom::lint {

struct Job {
  std::shared_ptr<const source::SourceText> text;
  std::vector<source::Override> sets;  ///< `--set`, in order
  ContextOptions command_line,
      repository;         ///< the file's own block is read here; command line > file > beside > repository
  ContextOptions beside;  ///< of a launch script that is given with the config
  std::optional<source::Loader> loader;  ///< unset: detected
  std::string dialect;                   ///< name of a config language; empty: detected
  rules::Selection selection;
  std::vector<const rules::RulePack*> extra_packs;
  bool want_fixes = true;
  bool want_advice = false;            ///< keep findings of severity advice
  const oom::LogFacts* log = nullptr;  ///< of a run with this config, to be explained
};

struct Outcome {
  std::optional<source::Error> unreadable;           ///< then nothing else is filled
  std::shared_ptr<const source::Document> document;  ///< null for scripts
  dialect::Opened opened;                            ///< which language the text is in, and why
  dialect::Settings settings;
  resolve::EffectiveConfig config;
  rules::Findings findings;
  std::vector<rules::Suppressed> suppressed;  ///< by comments in the text
  std::vector<std::string> notes;             ///< context remarks: "bridge 0.5.0 is not known, using 0.5.1"
  std::optional<oom::Diagnosis> diagnosis;    ///< of `Job::log`
  std::vector<rules::Fix> remedies;           ///< of the diagnosis, best first
  std::vector<std::string> caught_by;  ///< ids of rules that say before a launch what the log's error says
};

[[nodiscard]] Outcome lint(const Job& job);

/// What a launch script says about the launch: GPUs and environment. Its own settings are not looked at.
[[nodiscard]] source::Result<ContextOptions> context_of_script(
    std::shared_ptr<const source::SourceText> text);

}  // namespace headroom::lint
