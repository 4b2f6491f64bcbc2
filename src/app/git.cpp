#include "git.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "process.hpp"
#include "root.hpp"

namespace headroom::app {
namespace {

namespace fs = std::filesystem;

source::Error failure(const std::string& what) {
  return {"--diff-base: " + what, "", {}, false};
}

std::string first_line(const std::string& text) {
  return text.substr(0, text.find('\n'));
}

// Lists that git ends with NUL.
std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\0', at), text.size());
    out.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return out;
}

}  // namespace

// Nothing that the repository configures is run: no pager, no monitor, no external diff.
source::Result<std::string> GitBase::git(std::vector<std::string> words) const {
  std::vector<std::string> all{"git", "--no-pager", "--no-optional-locks", "-c", "core.fsmonitor=false"};
  if (!folder_.empty()) all.insert(all.end(), {"-C", folder_});
  all.insert(all.end(), words.begin(), words.end());
  Captured result = capture(all);
  if (result.status == 127 && result.out.empty())
    return tl::unexpected(failure("cannot run git: " + first_line(result.err)));
  if (result.status != 0) {
    const std::string said = first_line(result.err);
    return tl::unexpected(failure(said.empty() ? fmt::format("git {} failed", words.front()) : said));
  }
  return std::move(result.out);
}

source::Result<GitBase> GitBase::open(const std::string& revision) {
  GitBase base;
  base.revision_ = revision;
  const auto folder = base.git({"rev-parse", "--show-toplevel"});
  if (!folder) return tl::unexpected(folder.error());
  base.folder_ = first_line(*folder);
  const bool left = revision.size() > 3 && revision.ends_with("...");
  const std::string name = left ? revision.substr(0, revision.size() - 3) : revision;
  const auto commit = base.git({"rev-parse", "--verify", "--quiet", "--end-of-options", name + "^{commit}"});
  if (!commit) {
    return tl::unexpected(failure(fmt::format(
        "git knows no revision '{}' here (a shallow clone has only the last: fetch it first)", name)));
  }
  base.commit_ = first_line(*commit);
  if (left) {
    const auto fork = base.git({"merge-base", base.commit_, "HEAD"});
    if (!fork) {
      return tl::unexpected(failure(fmt::format(
          "'{}' and the current commit have no common ancestor here (a shallow clone? fetch more of it)",
          name)));
    }
    base.commit_ = first_line(*fork);
  }
  if (auto read = base.read_changes(); !read) return tl::unexpected(read.error());
  return base;
}

source::Result<void> GitBase::read_changes() {
  const auto names = git({"ls-tree", "-r", "-z", "--name-only", "--full-tree", commit_});
  if (!names) return tl::unexpected(names.error());
  for (auto& name : split(*names)) then_.insert(std::move(name));
  const auto diff = git({"diff", "--name-status", "-z", "-M", "--no-relative", "--no-ext-diff",
                         "--no-textconv", "--no-color", commit_, "--"});
  if (!diff) return tl::unexpected(diff.error());
  const auto fields = split(*diff);  // `M` name, `A` name, `R087` old new
  for (std::size_t i = 0; i + 1 < fields.size();) {
    const char kind = fields[i].empty() ? ' ' : fields[i].front();
    const bool two = kind == 'R' || kind == 'C';
    if (two && i + 2 >= fields.size()) break;
    const std::string& then = fields[i + 1];
    const std::string& now = fields[i + (two ? 2 : 1)];
    changed_[now] = kind == 'A' ? std::string() : then;
    i += two ? 3 : 2;
  }
  return {};
}

std::string GitBase::name_of(const std::string& path) const {
  std::error_code error;
  return Root(fs::weakly_canonical(folder_, error).string()).name_of(path);
}

GitBase::State GitBase::state_of(const std::string& path) const {
  const std::string name = name_of(path);
  const auto found = changed_.find(name);
  if (found != changed_.end()) return found->second.empty() ? State::added : State::changed;
  return then_.contains(name) ? State::unchanged : State::added;
}

bool GitBase::changed_below(const std::string& folder) const {
  const std::string prefix = name_of(folder) + "/";
  return std::ranges::any_of(changed_, [&](const auto& c) { return c.first.starts_with(prefix); });
}

source::Result<std::string> GitBase::text_of(const std::string& path) const {
  const auto found = changed_.find(name_of(path));
  if (found == changed_.end() || found->second.empty())
    return tl::unexpected(failure(path + " was not there"));
  return git({"cat-file", "blob", fmt::format("{}:{}", commit_, found->second)});
}

}  // namespace headroom::app
