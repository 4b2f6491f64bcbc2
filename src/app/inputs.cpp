#include "inputs.hpp"

#include <algorithm>
#include <filesystem>
#include <set>

namespace headroom::app {
namespace {

namespace fs = std::filesystem;

bool is_key(std::string_view s) {
  constexpr std::string_view first = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_";
  constexpr std::string_view rest = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789.";
  return !s.empty() && first.find(s.front()) != std::string_view::npos &&
         s.find_first_not_of(rest) == std::string_view::npos;
}

bool is_override(const std::string& word) {
  std::string_view s = word;
  const bool removes = s.starts_with('~');
  const std::size_t marks = s.find_first_not_of("+~");
  s.remove_prefix(std::min(marks, s.size()));
  const std::size_t equals = s.find('=');
  if (!is_key(s.substr(0, equals)) || (equals == std::string_view::npos && !removes)) return false;
  std::error_code ignored;
  return !fs::exists(word, ignored);
}

bool is_config_name(const fs::path& path) {
  const std::string extension = path.extension().string();
  return extension == ".yaml" || extension == ".yml" || extension == ".json";
}

source::Error cannot_read(const std::string& folder, const std::error_code& error) {
  return {"cannot read the folder: " + error.message(), folder, {}, false};
}

source::Result<std::vector<std::string>> configs_below(const std::string& folder) {
  std::vector<std::string> files;
  std::error_code error;
  fs::recursive_directory_iterator it(folder, error);
  if (error) return tl::unexpected(cannot_read(folder, error));
  while (it != fs::recursive_directory_iterator()) {
    std::error_code kind;
    const fs::path& path = it->path();
    if (path.filename().string().starts_with('.')) {
      if (it->is_directory(kind)) it.disable_recursion_pending();
    } else if (is_config_name(path) && it->is_regular_file(kind)) {
      files.push_back(path.string());
    }
    it.increment(error);
    if (error) return tl::unexpected(cannot_read(folder, error));
  }
  if (files.empty())
    return tl::unexpected(source::Error{"no *.yaml, *.yml or *.json file in it", folder, {}, false});
  std::sort(files.begin(), files.end());
  return files;
}

/// Standard input can be read once; a file that --fix has rewritten is another one for the second who reads
/// it.
void keep_first(std::vector<std::string>& files, bool rewritten) {
  std::set<std::string> seen;
  std::erase_if(files, [&](const std::string& name) {
    if (name == "-") return !seen.insert(name).second;
    if (!rewritten) return false;
    std::error_code error;
    const fs::path target = fs::canonical(name, error);
    return !error && !seen.insert(target.string()).second;
  });
}

}  // namespace

source::Result<Words> split_words(const Options& options) {
  Words out;
  const auto add = [&out](const std::string& word, const std::string& name) -> source::Result<void> {
    auto parsed = source::parse_override(word, name);
    if (!parsed) return tl::unexpected(parsed.error());
    out.overrides.push_back(std::move(*parsed));
    return {};
  };
  for (const auto& word : options.sets) {
    if (auto ok = add(word, "--set"); !ok) return tl::unexpected(ok.error());
  }
  for (const auto& word : options.words) {
    if (!is_override(word)) {
      out.names.push_back(word);
    } else if (auto ok = add(word, word); !ok) {
      return tl::unexpected(ok.error());
    }
  }
  return out;
}

source::Result<lint::ContextOptions> take_scripts(std::vector<std::string>& paths) {
  lint::ContextOptions out;
  const auto is_config = [](const std::string& path) { return path == "-" || is_config_name(path); };
  const auto by_name = [](const std::string& path) {
    return path.ends_with(".sh") || path.ends_with(".sbatch") || path.ends_with(".slurm") ||
           path.ends_with(".bash");
  };
  if (std::none_of(paths.begin(), paths.end(), is_config)) return out;
  for (const std::string& path : paths) {
    if (!by_name(path)) continue;
    const auto text = source::read_file(path);
    if (!text) return tl::unexpected(text.error());
    auto context = lint::context_of_script(*text);
    if (!context) return tl::unexpected(context.error());
    if (!out.gpus) out.gpus = context->gpus;
    out.env.insert(context->env.begin(), context->env.end());
  }
  std::erase_if(paths, by_name);
  return out;
}

source::Result<std::vector<std::string>> expand(const std::vector<std::string>& names, bool rewritten) {
  std::vector<std::string> files;
  for (const auto& name : names) {
    std::error_code ignored;
    if (name == "-" || !fs::is_directory(name, ignored)) {
      files.push_back(name);
      continue;
    }
    auto below = configs_below(name);
    if (!below) return tl::unexpected(below.error());
    files.insert(files.end(), below->begin(), below->end());
  }
  keep_first(files, rewritten);
  return files;
}

}  // namespace headroom::app
