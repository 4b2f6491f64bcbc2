// What a finding is recognised by when lines have moved.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "entry.hpp"

namespace headroom::report {

/// Hashes of all lines of a text, as GitHub's code scanning computes `primaryLocationLineHash`: each covers
/// the next 100 characters that are no blanks (github/codeql-action, src/fingerprints.ts). At least one.
[[nodiscard]] std::vector<std::string> line_hashes(std::string_view text);

/// One a finding, unique within a document: of rule, path, fields, and how often these came before. The line
/// takes no part.
class Fingerprints {
 public:
  [[nodiscard]] std::string next(const Entry& entry);

 private:
  std::map<std::string, unsigned> seen_;
};

}  // namespace headroom::report
