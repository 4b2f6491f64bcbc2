// What one call of `check` has to do, decided before threads start.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "git.hpp"
#include "options.hpp"
#include "packs.hpp"
#include "repository.hpp"

namespace headroom::app {

/// One file on one release.
struct Work {
  std::string path;
  lint::Job job;
  RepositorySettings settings;
  std::shared_ptr<const Repository> repository;  ///< null: none
  /// What was read already: of a pipe the second reader gets nothing.
  std::shared_ptr<const source::Result<std::shared_ptr<const source::SourceText>>> read;
  bool against_base = false;  ///< report only what the file of `--diff-base` does not have
};

struct WorkList {
  std::vector<Work> work;
  std::optional<GitBase> base;  ///< with `--diff-base`
  std::size_t unchanged = 0;    ///< files left out as nothing of them changed
};

/// The least severity that counts for the exit status; nullopt: none does.
[[nodiscard]] std::optional<rules::Severity> least_severity(const Options& options,
                                                            const RepositorySettings& settings);

/// Files, settings and packs of the call. What is wrong was said on standard error: nullopt, status 2.
[[nodiscard]] std::optional<WorkList> work_of(const Options& options, Packs& packs);

}  // namespace headroom::app
