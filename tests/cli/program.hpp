// Runs the real program and keeps what it printed.
#pragma once
#include <string>
#include <utility>
#include <vector>

namespace headroom::cli {

struct Result {
  int status = -1;  ///< exit status; 128 + N where signal N ended it
  std::string out, err;
};

struct Run {
  std::vector<std::string> args = {};
  std::string input = {};                                     ///< standard input
  std::vector<std::pair<std::string, std::string>> env = {};  ///< added to a nearly empty environment
  std::string folder = HEADROOM_SOURCE_DIR;                   ///< current folder
  std::string stdout_path = {};                               ///< written there instead (`/dev/full`)
  bool closed_pipe = false;                                   ///< standard output is a pipe that nobody reads
  bool terminal = false;                                      ///< standard output is a terminal, 80 columns
};

[[nodiscard]] Result run(const Run& what);

/// A folder that is gone with the object.
class TemporaryFolder {
 public:
  TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder();
  /// Writes a file (folders in between are made) and gives its full path.
  std::string file(const std::string& name, const std::string& text) const;
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
};

[[nodiscard]] std::string read(const std::string& path);

}  // namespace headroom::cli
