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

struct Repository {
  std::string path;  ///< of the file; empty where there is none
  lint::ContextOptions context;
  std::vector<std::string> select, ignore;
  std::vector<std::string> rule_dirs;  ///< relative ones made relative to the file's folder
  std::optional<rules::Severity> fail_on;
  bool never_fail = false;
};

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
