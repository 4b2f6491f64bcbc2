// The common ground of Jenkins', GitLab's and pytest's readers.
#include <fmt/format.h>

#include "entry.hpp"
#include "headroom/report/formats.hpp"
#include "headroom/report/terminal.hpp"

namespace headroom::report {
namespace {

// Characters that XML 1.0 lacks are gone already: printable() leaves none below U+0020 but line breaks.
std::string xml(std::string_view text) {
  std::string out;
  const std::string safe = printable(text);
  for (std::size_t i = 0; i < safe.size(); ++i) {
    switch (const char c = safe[i]) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&apos;";
        break;
      case '\n':  // a reader makes a blank of one in an attribute
        out += "&#10;";
        break;
      default:
        out += c;
    }
  }
  for (const std::string_view lacking : {"\xEF\xBF\xBE", "\xEF\xBF\xBF"}) {  // U+FFFE, U+FFFF
    for (std::size_t at = out.find(lacking); at != std::string::npos; at = out.find(lacking, at))
      out.replace(at, lacking.size(), "\xEF\xBF\xBD");
  }
  return out;
}

std::string body(const Entry& e) {
  std::string out = fmt::format("{}:{}:{}: {}", shown_path(*e.file), e.location.start.line,
                                e.location.start.column, e.message);
  if (const std::string fix = best_fix(e); !fix.empty()) out += "\nFix: " + fix;
  return out;
}

std::string test_case(const Entry& e, const std::string& path) {
  const bool unreadable = e.finding == nullptr;
  const std::string_view element = unreadable ? "error" : "failure";
  return fmt::format(
      "    <testcase name=\"{0} at {1}:{2}\" classname=\"{3}\" time=\"0\">\n"
      "      <{4} message=\"{5}\" type=\"{6}\">{7}</{4}>\n"
      "    </testcase>\n",
      xml(e.rule), e.location.start.line, e.location.start.column, path, element, xml(e.message),
      rules::to_string(e.severity), xml(body(e)));
}

struct Count {
  std::size_t tests = 0, failures = 0, errors = 0;
};

std::string suite(const FileReport& file, Count& total) {
  const std::string path = xml(path_of(file));
  const auto findings = entries(file);
  Count count;
  std::string cases;
  for (const Entry& e : findings) {
    cases += test_case(e, path);
    ++count.tests;
    ++(e.finding == nullptr ? count.errors : count.failures);
  }
  if (findings.empty()) {
    cases = fmt::format("    <testcase name=\"no findings\" classname=\"{}\" time=\"0\"/>\n", path);
    count.tests = 1;
  }
  total.tests += count.tests;
  total.failures += count.failures;
  total.errors += count.errors;
  return fmt::format(
      "  <testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"0\" time=\"0\">\n{}"
      "  </testsuite>\n",
      path, count.tests, count.failures, count.errors, cases);
}

}  // namespace

std::string junit(const std::vector<FileReport>& files) {
  Count total;
  std::string suites;
  for (const auto& file : files) suites += suite(file, total);
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
      "<testsuites name=\"headroom\" tests=\"{}\" failures=\"{}\" errors=\"{}\" time=\"0\">\n{}"
      "</testsuites>\n",
      total.tests, total.failures, total.errors, suites);
}

}  // namespace headroom::report
