// A directory of rule files for one test.
#pragma once
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace headroom::test {

class TemporaryRules {
 public:
  TemporaryRules() {
    std::string pattern = (std::filesystem::temp_directory_path() / "headroom-rules-XXXXXX").string();
    dir_ = mkdtemp(pattern.data());
  }
  ~TemporaryRules() {
    std::error_code ec;
    std::filesystem::remove_all(dir_, ec);
  }
  TemporaryRules(const TemporaryRules&) = delete;
  TemporaryRules& operator=(const TemporaryRules&) = delete;

  void add(const std::string& name, const std::string& text) const {
    const auto path = std::filesystem::path(dir_) / name;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << text;
  }
  [[nodiscard]] const std::string& dir() const { return dir_; }

 private:
  std::string dir_;
};

/// Front matter of a sound rule over the small schema, `more` lines added, with a page.
inline std::string rule_text(const std::string& front) {
  return "---\n" + front +
         "---\n# A title\nProse.\n\n## Fails\n```yaml\nmodel: {flag: true}\n```\n## "
         "Passes\n```yaml\n{}\n```\n";
}

}  // namespace headroom::test
