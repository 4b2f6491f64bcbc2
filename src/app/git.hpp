// What has changed since a git revision.
#pragma once
#include <map>
#include <set>
#include <string>

#include "headroom/source/error.hpp"

namespace headroom::app {

/// The working tree of the current folder's repository against one revision.
class GitBase {
 public:
  /// `revision` as git spells it; `main...`: the commit at which the current branch left main. The error says
  /// what git said.
  [[nodiscard]] static source::Result<GitBase> open(const std::string& revision);

  enum class State : std::uint8_t { unchanged, changed, added };
  /// Of a file of the repository. A file outside of it counts as added, as does one that git ignores.
  [[nodiscard]] State state_of(const std::string& path) const;
  /// Whether any file in the folder has changed, come or gone.
  [[nodiscard]] bool changed_below(const std::string& folder) const;
  /// The text of a changed file at the revision, under the name that it had there.
  [[nodiscard]] source::Result<std::string> text_of(const std::string& path) const;

 private:
  [[nodiscard]] std::string name_of(const std::string& path) const;
  [[nodiscard]] source::Result<std::string> git(std::vector<std::string> words) const;
  source::Result<void> read_changes();

  std::string revision_, commit_, folder_;
  std::map<std::string, std::string> changed_;  // name now -> name then; empty: there was none
  std::set<std::string> then_;                  // all names at the revision
};

}  // namespace headroom::app
