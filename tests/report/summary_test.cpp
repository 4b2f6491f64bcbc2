#include <catch2/catch.hpp>

#include "sample.hpp"

using namespace headroom;
using namespace headroom::report;

namespace {

FileReport clean() {
  FileReport file = sample_report();
  file.diagnostics.clear();
  return file;
}

FileReport with(rules::Severity severity) {
  FileReport file = clean();
  rules::Diagnostic d;
  d.rule = "a/b";
  d.severity = severity;
  file.diagnostics = {d};
  return file;
}

FileReport unreadable() {
  FileReport file;
  file.path = "b.yaml";
  file.unreadable = source::Error{"no", "b.yaml", {}, false};
  return file;
}

FileReport elsewhere() {
  FileReport file = clean();
  file.context = {{"bridge", "main"}};
  return file;
}

FileReport lacking() {
  FileReport file = clean();
  file.context = {{"bridge", "0.6.0"}};
  file.left_out = {{"the number of GPUs (--gpus)", 3}, {"the GPU kind (--gpu)", 1}};
  return file;
}

}  // namespace

TEST_CASE("the summary counts and says what was assumed") {
  struct Row {
    std::vector<FileReport> files;
    std::string line;
  };
  const std::vector<Row> rows{
      {{}, "no files\n"},
      {{clean()}, "no findings in 1 file (bridge 0.6.0, 32 h100)\n"},
      {{sample_report()}, "1 error in 1 file (bridge 0.6.0, 32 h100)\n"},
      {{sample_report(), sample_report(), with(rules::Severity::ignored)},
       "2 errors, 1 ignored in 3 files (bridge 0.6.0, 32 h100)\n"},
      {{with(rules::Severity::warning), with(rules::Severity::warning)},
       "2 warnings in 2 files (bridge 0.6.0, 32 h100)\n"},
      {{clean(), elsewhere()}, "no findings in 2 files\n"},
      {{clean(), unreadable()}, "no findings in 1 file (bridge 0.6.0, 32 h100); 1 file unreadable\n"},
      {{unreadable()}, "1 file unreadable\n"},
      {{lacking()},
       "no findings in 1 file (bridge 0.6.0); left out: 3 checks need the number of GPUs (--gpus), 1 check "
       "needs the GPU kind (--gpu)\n"},
  };
  for (const auto& row : rows) CHECK(summary(row.files) == row.line);
}

TEST_CASE("verdicts") {
  CHECK(verdict(clean()) == "ok");
  CHECK(verdict(with(rules::Severity::warning)) == "findings");
  CHECK(verdict(with(rules::Severity::error)) == "error");
  CHECK(verdict(unreadable()) == "unreadable");
}
