// https://docs.gitlab.com/ci/testing/code_quality/#code-quality-report-format
#include <nlohmann/json.hpp>

#include "fingerprint.hpp"
#include "headroom/report/formats.hpp"
#include "headroom/report/json.hpp"

namespace headroom::report {
namespace {

using Json = nlohmann::ordered_json;

std::string_view severity_of(rules::Severity severity) {
  switch (severity) {
    case rules::Severity::error:
      return "critical";
    case rules::Severity::warning:
    case rules::Severity::memory:
      return "major";
    case rules::Severity::ignored:
    case rules::Severity::slow:
      return "minor";
    case rules::Severity::advice:
      break;
  }
  return "info";
}

}  // namespace

std::string gitlab(const std::vector<FileReport>& files) {
  Json out = Json::array();
  Fingerprints fingerprints;
  for (const Entry& e : entries(files)) {
    out.push_back(
        {{"description", e.rule + ": " + e.message},  // GitLab's pages do not show the name of the check
         {"check_name", e.rule},
         {"fingerprint", fingerprints.next(e)},
         {"severity", severity_of(e.severity)},
         {"location",
          {{"path", path_of(*e.file)},
           {"lines", {{"begin", e.location.start.line}, {"end", e.location.end.line}}}}}});
  }
  return dump(out);
}

}  // namespace headroom::report
