#include "root.hpp"

#include <cstdlib>
#include <filesystem>

namespace headroom::app {
namespace {

namespace fs = std::filesystem;

// Empty where `path` is not below `folder`.
std::string below(const fs::path& path, const fs::path& folder) {
  const fs::path relative = path.lexically_relative(folder);
  if (relative.empty() || *relative.begin() == "..") return {};
  return relative.generic_string();
}

}  // namespace

Root Root::find() {
  std::error_code error;
  const fs::path here = fs::weakly_canonical(fs::current_path(error), error);
  for (const char* name : {"GITHUB_WORKSPACE", "CI_PROJECT_DIR"}) {
    const char* value = std::getenv(name);
    if (value == nullptr || *value != '/') continue;
    const fs::path folder = fs::weakly_canonical(value, error);
    if (!error && !below(here, folder).empty()) return Root(folder.string());
  }
  for (fs::path folder = here;; folder = folder.parent_path()) {
    if (fs::exists(folder / ".git", error)) return Root(folder.string());
    if (folder == folder.parent_path()) return Root(here.string());
  }
}

std::string Root::name_of(const std::string& path) const {
  if (path == "-") return "<stdin>";
  std::error_code error;
  const fs::path full = fs::weakly_canonical(fs::absolute(path, error), error);
  if (error) return path;
  std::string relative = below(full, folder_);
  return relative.empty() ? full.generic_string() : relative;
}

}  // namespace headroom::app
