#include <fmt/format.h>

#include "entry.hpp"
#include "headroom/report/formats.hpp"

namespace headroom::report {

std::string concise(const std::vector<FileReport>& files) {
  std::string out;
  for (const Entry& e : entries(files)) {
    const source::Position at = e.location.start;
    out += fmt::format("{}:{}:{}: {}: {} [{}]\n", shown_path(*e.file), at.line, at.column,
                       rules::to_string(e.severity), e.message, e.rule);
  }
  return out;
}

}  // namespace headroom::report
