// Names of files as the pages of a code host know them.
#pragma once
#include <string>

namespace headroom::app {

/// The root of a repository, and the names of files below it.
class Root {
 public:
  /// `GITHUB_WORKSPACE` or `CI_PROJECT_DIR` where one is set and holds the current folder, else the nearest
  /// folder at or above it with a `.git`, else the current folder.
  [[nodiscard]] static Root find();
  explicit Root(std::string folder) : folder_(std::move(folder)) {}

  /// Relative, with `/` between, links followed; the full path of a file outside.
  [[nodiscard]] std::string name_of(const std::string& path) const;
  [[nodiscard]] const std::string& folder() const { return folder_; }

 private:
  std::string folder_;  // absolute, links followed
};

}  // namespace headroom::app
