// `.headroom.yaml`: what a repository says about all its configs.
#pragma once
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "headroom/lint/lint.hpp"
#include "options.hpp"

namespace headroom::app {

/// A rule's new severity from its name, or from `off`; else what is wrong with it.
[[nodiscard]] tl::expected<rules::SeverityChange, std::string> severity_change(const std::string& glob,
                                                                               const std::string& severity);

/// What can be said of all files, and again of some.
struct RepositorySettings {
  lint::ContextOptions context;
  std::vector<std::string> select, ignore;
  std::vector<rules::SeverityChange> severities;
  std::vector<std::string> rule_dirs;  ///< relative ones made relative to the file's folder
  std::optional<rules::Severity> fail_on;
  bool never_fail = false;
};

/// `{files: conf/h200/**, gpu: h200}`
struct RepositoryOverride {
  std::vector<std::string> files;  ///< globs, relative to the folder of the file
  RepositorySettings settings;
};

struct Repository {
  std::string path;  ///< of the file
  RepositorySettings settings;
  std::vector<RepositoryOverride> overrides;

  /// What holds for one config: later overrides win over earlier ones, those over the rest; lists of
  /// `ignore`, `rules` and `severity` add up.
  [[nodiscard]] RepositorySettings settings_for(const std::string& config) const;
};

/// What the command line and the repository together choose: `--select` replaces, the rest adds.
[[nodiscard]] rules::Selection selection_of(const Options& options, const RepositorySettings& settings);

struct RepositoryError {
  source::Error error;
  std::shared_ptr<const source::SourceText> text;  ///< for the excerpt
};

/// Looks upward from a config's folder to the one that holds `.git`; the nearest file wins. Remembers
/// folders, so that many configs cost one look each.
class RepositoryFinder {
 public:
  /// Null pointer: none. `config` may be `-`: the current folder.
  [[nodiscard]] tl::expected<std::shared_ptr<const Repository>, RepositoryError> find(
      const std::string& config);

 private:
  std::map<std::string, std::shared_ptr<const Repository>> known_;  // by folder
};

/// Reads one `.headroom.yaml`. Unknown keys and wrong values are errors with their place.
[[nodiscard]] tl::expected<Repository, RepositoryError> read_repository(const std::string& path);

}  // namespace headroom::app
