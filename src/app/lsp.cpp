// `headroom lsp`: the language server on standard input and output.
#include "headroom/lsp/server.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <filesystem>
#include <set>

#include "commands.hpp"
#include "headroom/lsp/framing.hpp"
#include "inputs.hpp"
#include "output.hpp"
#include "packs.hpp"
#include "repository.hpp"

namespace headroom::app {
namespace {

namespace fs = std::filesystem;

// Pages of the embedded rules as files: installed beside the program, or in the tree that it was built in.
fs::path page_folder() {
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  if (error) return {};
  for (const fs::path& folder : {program.parent_path().parent_path() / "share" / "doc" / "headroom" / "rules",
                                 program.parent_path().parent_path().parent_path() / "rules"}) {
    if (fs::exists(folder / "README.md", error)) return folder;
  }
  return {};
}

// What the server asks of files, with the options of the command line.
class Files {
 public:
  Files(const Options& options, std::vector<source::Override> sets)
      : options_(options), sets_(std::move(sets)), pages_(page_folder()) {}

  lsp::Configuration configure(const std::string& path) {
    lsp::Configuration out;
    lint::Job& job = out.job;
    job.command_line = options_.context;
    job.sets = sets_;
    job.loader = options_.loader;
    job.dialect = options_.dialect;
    job.want_advice = options_.advice;
    RepositorySettings settings;
    std::vector<std::string> dirs = options_.rule_dirs;
    auto repository = finder_.find(path.empty() ? "-" : path);
    if (!repository) {
      out.errors.push_back(repository.error().error);
    } else if (*repository != nullptr) {
      settings = (*repository)->settings_for(path.empty() ? "-" : path);
      job.repository = settings.context;
      dirs.insert(dirs.end(), settings.rule_dirs.begin(), settings.rule_dirs.end());
    }
    job.selection = selection_of(options_, settings);
    if (auto packs = packs_.load(dirs)) {
      job.extra_packs = std::move(*packs);
      known_.insert(job.extra_packs.begin(), job.extra_packs.end());
    } else {
      for (auto& error : packs.error()) out.errors.push_back(std::move(error));
    }
    return out;
  }

  void forget() {
    finder_ = {};
    packs_ = {};
    known_.clear();
  }

  [[nodiscard]] std::string page(std::string_view id) const {
    std::error_code error;
    for (const auto* pack : known_) {
      if (const auto* rule = rules::find_rule(*pack, id))
        return fs::absolute(fs::path(rule->file), error).lexically_normal().string();
    }
    if (pages_.empty() || rules::find_rule(rules::embedded_rules(), id) == nullptr) return {};
    return (pages_ / (std::string(id) + ".md")).string();
  }

 private:
  const Options& options_;
  std::vector<source::Override> sets_;
  fs::path pages_;
  RepositoryFinder finder_;
  Packs packs_;
  std::set<const rules::RulePack*> known_;
};

bool more_waits() {
  pollfd input{STDIN_FILENO, POLLIN, 0};
  return ::poll(&input, 1, 0) > 0 && (input.revents & POLLIN) != 0;
}

// Bytes that are there, waiting for the first; false at the end.
bool read_some(lsp::MessageReader& reader) {
  std::array<char, 1 << 16> buffer{};
  ssize_t got = -1;
  do {
    got = ::read(STDIN_FILENO, buffer.data(), buffer.size());
  } while (got < 0 && errno == EINTR);
  if (got <= 0) return false;
  reader.feed({buffer.data(), static_cast<std::size_t>(got)});
  return true;
}

// What arrived together, up to a bound: a client that types faster than a check takes gets one answer for
// several keys.
constexpr std::size_t most_at_once = 256;

ExitStatus serve(lsp::Server& server) {
  lsp::MessageReader reader;
  const auto say = [](const std::string& message) { return write(stdout, lsp::framed(message)); };
  while (read_some(reader)) {
    std::vector<std::string> batch;
    bool open = true;
    do {
      while (auto message = reader.next()) {
        if (message->problem.empty()) {
          batch.push_back(std::move(message->body));
        } else if (!say(lsp::Server::unreadable(message->problem))) {
          return exit_usage;
        }
      }
    } while (batch.size() < most_at_once && more_waits() && (open = read_some(reader)));
    for (const auto& answer : server.handle(batch)) {
      if (!say(answer)) return exit_usage;
    }
    if (const auto status = server.exit_status()) return *status == 0 ? exit_clean : exit_findings;
    if (!open || reader.broken()) break;
  }
  return exit_findings;  // the client went away without `exit`
}

}  // namespace

ExitStatus lsp_server(const Options& options) {
  const auto words = split_words(options);
  if (!words || !words->names.empty()) {
    complain(options, words ? fmt::format("lsp takes no files, and '{}' is one: editors send their texts",
                                          words->names.front())
                            : words.error().message);
    return exit_usage;
  }
  Files files(options, words->overrides);
  lsp::Server server({HEADROOM_VERSION, [&](const std::string& path) { return files.configure(path); },
                      [&] { files.forget(); }, [&](std::string_view id) { return files.page(id); }});
  return serve(server);
}

}  // namespace headroom::app
