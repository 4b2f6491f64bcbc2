// `--baseline`: findings that a repository had when it began to use headroom.
#pragma once
#include <map>
#include <memory>
#include <set>
#include <string>

#include "headroom/rules/pack.hpp"
#include "headroom/source/document.hpp"
#include "known.hpp"

namespace headroom::app {

struct BaselineError {
  source::Error error;
  std::shared_ptr<const source::SourceText> text;  ///< for the excerpt; may be null
};

/// `{"schema": 1, "findings": [{"path": "conf/a.yaml", "rule": "…", "fields": ["…"], "count": 1}]}`; paths
/// are relative to the folder of the file.
class Baseline {
 public:
  explicit Baseline(std::string path) : path_(std::move(path)) {}
  [[nodiscard]] static tl::expected<Baseline, BaselineError> read(const std::string& path);

  /// Takes what is known out of a report.
  void apply(report::FileReport& report);
  /// Takes the findings of these reports in the place of what was known of their files; entries of rules that
  /// were not `wanted` there, of files that were not checked or could not be read stay. Those of files that
  /// are gone go.
  void update(const std::vector<report::FileReport>& reports,
              const std::vector<rules::Selection>& selections);
  /// Entries of the files that were checked which found nothing to take, of rules that were wanted.
  [[nodiscard]] std::size_t stale(const std::vector<report::FileReport>& reports,
                                  const std::vector<rules::Selection>& selections) const;
  /// How many findings it holds.
  [[nodiscard]] std::size_t size() const;
  [[nodiscard]] std::string text() const;
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  [[nodiscard]] std::string name_of(const std::string& config) const;

  std::string path_;
  std::map<std::string, Counts> known_;  // by path
  std::map<std::string, Counts> taken_;
};

}  // namespace headroom::app
