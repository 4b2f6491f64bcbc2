// One explanation: a log, perhaps its config, and answers that may change. The command and its prompt share
// it.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "headroom/lint/lint.hpp"
#include "headroom/oom/log_facts.hpp"
#include "headroom/report/explain.hpp"
#include "options.hpp"

namespace headroom::app {

class Explaining {
 public:
  Explaining(const Options& options, std::string path, oom::LogFacts log);

  /// Takes the configs and answers of the command line. Fails as the two below do.
  source::Result<void> take_options();
  /// Takes a config, or a launch script beside one. Fails where it can't be read.
  source::Result<void> add_config(const std::string& path);
  /// `key=value` of a question. Fails where the key or its value is none.
  source::Result<void> answer(std::string_view key, std::string_view value);
  /// Settings for a trial, on top of those of the command line.
  void set(std::vector<source::Override> words) { trial_ = std::move(words); }

  /// Diagnosis and remedies as things stand. Fails where the config can't be read in the chosen language.
  source::Result<report::ExplainReport> run();
  /// The whole outcome of the same run, for those who change settings.
  [[nodiscard]] const lint::Outcome& outcome() const { return outcome_; }
  [[nodiscard]] const oom::LogFacts& log() const { return log_; }
  [[nodiscard]] bool has_config() const { return config_ != nullptr; }
  [[nodiscard]] const std::string& config_path() const { return config_path_; }
  /// What run() checks.
  [[nodiscard]] lint::Job job() const;

 private:
  source::Result<void> read_other_log(const std::string& path);

  const Options& options_;
  std::string path_, config_path_;
  oom::LogFacts log_;
  std::shared_ptr<const source::SourceText> config_;   ///< null: none was given
  std::shared_ptr<const source::SourceText> printed_;  ///< the settings that the log itself lists; null: none
  lint::ContextOptions command_line_, beside_, repository_;
  std::vector<source::Override> sets_, trial_;
  lint::Outcome outcome_;
};

}  // namespace headroom::app
