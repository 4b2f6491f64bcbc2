// Documents for other programs: facts of each format, and input that tries to break out of it.
#include "headroom/report/formats.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <set>

#include "sample.hpp"

using namespace headroom;
using namespace headroom::report;
using Catch::Contains;
using Json = nlohmann::ordered_json;

namespace {

FileReport file_with(const std::string& path, const std::string& content) {
  FileReport file;
  file.path = path;
  file.text = std::make_shared<const source::SourceText>(path, content);
  return file;
}

rules::Diagnostic finding(rules::Severity severity, std::string message) {
  rules::Diagnostic d;
  d.rule = "area/name";
  d.severity = severity;
  d.message = std::move(message);
  return d;
}

rules::Diagnostic at_line(const FileReport& file, std::uint32_t line) {
  rules::Diagnostic d = finding(rules::Severity::error, "wrong");
  d.primary = rules::Mark{"", "", file.text->name(), {{line, 1}, {line, 2}}};
  return d;
}

Json sarif_of(const std::vector<FileReport>& files) {
  return Json::parse(sarif({files, {}, "0.1.0", ""}));
}

FileReport unreadable_file() {
  FileReport bad;
  bad.path = "b.yaml";
  bad.unreadable = source::Error{"mapping values are not allowed here", "b.yaml", {{3, 7}, {3, 8}}, true};
  return bad;
}

// One finding of each severity, a file that cannot be read, a clean one.
std::vector<FileReport> all_kinds() {
  FileReport file = file_with("conf/a.yaml", "model:\n  x: 1\n");
  for (const auto severity : {rules::Severity::advice, rules::Severity::slow, rules::Severity::memory,
                              rules::Severity::ignored, rules::Severity::warning, rules::Severity::error}) {
    file.diagnostics.push_back(finding(severity, std::string(rules::to_string(severity))));
  }
  return {file, unreadable_file(), file_with("clean.yaml", "model: {}\n")};
}

// Breaks lines, quotes, mark-up, commands and encodings.
const std::string hostile = "a\"b'<c>&|`]]>\n::error::x%0A##[error]\x1b[2J\x01 \xff\xEF\xBF\xBF @all [l](u)";

std::vector<FileReport> hostile_reports() {
  FileReport file = file_with("bad \n\xff,:%\"<&|name.yaml", "model: {}\n");
  rules::Diagnostic d = finding(rules::Severity::error, hostile);
  d.rule = "area/<\"name>";
  rules::Fix fix;
  fix.title = hostile;
  fix.env = {{"A", hostile}};
  d.fixes = {fix};
  file.diagnostics = {d};
  FileReport bad;
  bad.path = "::set-env name=x::y";
  bad.unreadable = source::Error{hostile, bad.path, {}, false};
  return {file, bad};
}

bool has_control(const std::string& text) {
  return std::any_of(text.begin(), text.end(),
                     [](char c) { return (static_cast<unsigned char>(c) < 0x20 && c != '\n') || c == 0x7F; });
}

}  // namespace

TEST_CASE("concise: path:line:col: severity: message [rule]") {
  CHECK(concise({sample_report()}) ==
        "conf/a.yaml:2:3: error: cpu_offloading moves whole layers to the host and cannot follow a pipeline "
        "schedule (pipeline_model_parallel_size is 2) [offload/pipeline-parallel]\n");
  CHECK(concise({unreadable_file()}) ==
        "b.yaml:3:7: error: mapping values are not allowed here [unreadable]\n");
  CHECK(concise({file_with("a.yaml", "")}).empty());
}

TEST_CASE("concise: one line a finding, whatever is in it") {
  const std::string out = concise(hostile_reports());
  CHECK(std::count(out.begin(), out.end(), '\n') == 2);
  CHECK(!has_control(out));
}

TEST_CASE("what was given on the command line is said") {
  FileReport file = sample_report();
  file.diagnostics[0].primary->source = "--set";
  const std::string out = concise({file});
  CHECK_THAT(out, Contains("conf/a.yaml:4:3: ") && Contains("(model.cpu_offloading given by --set)"));
}

TEST_CASE("sarif: the hashes of GitHub's own action") {
  struct Row {
    std::string text;
    std::vector<std::string> hashes;
  };
  std::string lorem;
  for (int i = 0; i < 10; ++i) lorem += "Lorem ipsum dolor sit amet.\n";
  const std::vector<Row> rows{
      {"", {"c129715d7a2bc9a3:1"}},
      {" a\nb\n  \t\tc\n d",
       {"271789c17abda88f:1", "54703d4cd895b18:1", "180aee12dab6264:1", "a23a3dc5e078b07b:1"}},
      {lorem,
       {"a7f2ff13bc495cf2:1", "a7f2ff13bc495cf2:2", "a7f2ff13bc495cf2:3", "a7f2ff13bc495cf2:4",
        "a7f2ff13bc495cf2:5", "a7f2ff13bc495cf2:6", "a7f2ff1481e87703:1", "a9cf91f7bbf1862b:1",
        "55ec222b86bcae53:1", "cc97dc7b1d7d8f7b:1", "c129715d7a2bc9a3:1"}},
      {"model:\r\n  recompute_granularity: full\r\n",
       {"7cf975b17f18ad00:1", "1f4cb073442a0f13:1", "c129715d7a2bc9a3:1"}},
  };
  for (const auto& row : rows) {
    CAPTURE(row.text);
    FileReport file = file_with("a.yaml", row.text);
    for (std::uint32_t i = 1; i <= row.hashes.size(); ++i) file.diagnostics.push_back(at_line(file, i));
    const Json results = sarif_of({file})["runs"][0]["results"];
    REQUIRE(results.size() == row.hashes.size());
    for (std::size_t i = 0; i < row.hashes.size(); ++i)
      CHECK(results[i]["partialFingerprints"]["primaryLocationLineHash"] == row.hashes[i]);
  }
}

TEST_CASE("sarif: a finding with its places, rule and fixes") {
  FileReport file = sample_report();
  const auto at = static_cast<std::uint32_t>(file.text->text().find("true"));
  file.diagnostics[0].fixes[0].edits = {{{at, at + 4}, "false"}};
  Run run{{file}, {}, "0.1.0", "https://example.org/"};
  run.rules["offload/pipeline-parallel"] = {"Offload needs one stage",
                                            "# Offload needs one stage\nAll `layers` move.\n\n## Fails\n",
                                            rules::Severity::error};
  const Json log = Json::parse(sarif(run))["runs"][0];
  CHECK(log["columnKind"] == "unicodeCodePoints");
  CHECK(log["tool"]["driver"]["informationUri"] == "https://example.org/");
  const Json& rule = log["tool"]["driver"]["rules"][0];
  CHECK(rule["id"] == "offload/pipeline-parallel");
  CHECK(rule["name"] == "OffloadPipelineParallel");
  CHECK(rule["fullDescription"]["text"] == "All layers move.");
  const Json& result = log["results"][0];
  CHECK(result["ruleIndex"] == 0);
  CHECK(result["level"] == "error");
  CHECK(result["locations"][0]["physicalLocation"]["region"] ==
        Json({{"startLine", 2}, {"startColumn", 3}, {"endLine", 2}, {"endColumn", 23}}));
  CHECK(result["relatedLocations"][0]["message"]["text"] ==
        "model.pipeline_model_parallel_size is set here.");
  REQUIRE(result["fixes"].size() == 1);  // the other has no bytes
  CHECK(result["fixes"][0]["artifactChanges"][0]["replacements"][0] ==
        Json({{"deletedRegion", {{"startLine", 2}, {"startColumn", 19}, {"endLine", 2}, {"endColumn", 23}}},
              {"insertedContent", {{"text", "false"}}}}));
  CHECK(log["invocations"][0]["executionSuccessful"] == true);
}

TEST_CASE("sarif: a clean run has results, an unreadable file is one") {
  CHECK(sarif_of({})["runs"][0]["results"] == Json::array());
  CHECK(sarif_of({file_with("a.yaml", "")})["runs"][0]["results"] == Json::array());
  const Json run = sarif_of({unreadable_file()})["runs"][0];
  CHECK(run["results"][0]["ruleId"] == "unreadable");
  CHECK(run["invocations"][0]["executionSuccessful"] == false);
}

TEST_CASE("sarif: of too many results the worst stay, and it says so") {
  FileReport file = file_with("a.yaml", "model: {}\n");
  for (int i = 0; i < 3; ++i) file.diagnostics.push_back(finding(rules::Severity::slow, "s"));
  file.diagnostics.push_back(finding(rules::Severity::error, "e"));
  const Json run = Json::parse(sarif({{file}, {}, "0", ""}, 2))["runs"][0];
  CHECK(run["results"].size() == 2);
  CHECK(run["results"][0]["level"] == "error");
  CHECK(run["invocations"][0]["toolExecutionNotifications"][0]["message"]["text"] ==
        "2 findings are left out: a run holds 2.");
}

TEST_CASE("sarif: paths are URIs") {
  const std::pair<const char*, const char*> rows[] = {
      {"a b/c.yaml", "a%20b/c.yaml"},   {"a:b.yaml", "a%3Ab.yaml"},  {"x\xffy%.yaml", "x%FFy%25.yaml"},
      {"\xC3\xA9.yaml", "%C3%A9.yaml"}, {"a\nb.yaml", "a%0Ab.yaml"}, {"/etc/a.yaml", "file:///etc/a.yaml"}};
  for (const auto& [path, uri] : rows) {
    FileReport file = file_with("x", "");
    file.repository_path = path;
    file.diagnostics = {finding(rules::Severity::error, "m")};
    const Json artifact =
        sarif_of({file})["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"];
    CHECK(artifact["uri"] == uri);
    CHECK(artifact.contains("uriBaseId") == (path[0] != '/'));
  }
}

TEST_CASE("levels by severity, the same whatever the format") {
  const auto files = all_kinds();
  const Json results = sarif_of(files)["runs"][0]["results"];
  std::string levels;
  for (const auto& r : results) levels += r["level"].get<std::string>() + " ";
  CHECK(levels == "note note warning warning warning error error ");
  std::string severities;
  for (const auto& issue : Json::parse(gitlab(files)))
    severities += issue["severity"].get<std::string>() + " ";
  CHECK(severities == "info minor major minor major critical critical ");
}

TEST_CASE("github: an annotation a finding, worst first, escaped") {
  const std::string out = github({sample_report()});
  CHECK(out ==
        "::error file=conf/a.yaml,line=2,col=3,endLine=2,endColumn=23,title=headroom%3A "
        "error[offload/pipeline-parallel]::cpu_offloading moves whole layers to the host and cannot follow a "
        "pipeline schedule (pipeline_model_parallel_size is 2)%0AFix: Offload optimizer state instead of "
        "activations: model.cpu_offloading=false optimizer.optimizer_cpu_offload=true "
        "optimizer.optimizer_offload_fraction=0.5\n");
  const std::string all = github(all_kinds());
  CHECK(all.find("::error") < all.find("::warning"));
  CHECK(all.find("::warning") < all.find("::notice"));
  CHECK(github({}).empty());
}

TEST_CASE("github: columns only where a place is on one line") {
  FileReport file = file_with("a.yaml", "model:\n  x: 1\n");
  file.diagnostics = {at_line(file, 1)};
  file.diagnostics[0].primary->location.end = {2, 3};
  CHECK_THAT(github({file}), Contains("line=1,endLine=2,title=") && !Contains("col="));
}

TEST_CASE("github: a name of a file cannot steer the terminal that shows the log") {
  FileReport file = file_with("a\x1b[31m\nb.yaml", "model: {}\n");
  file.diagnostics = {at_line(file, 1)};
  CHECK_THAT(github({file}), Contains("file=a\uFFFD[31m%0Ab.yaml,"));
}

TEST_CASE("github: ten of a level, and what was left out") {
  FileReport file = file_with("a.yaml", "model: {}\n");
  for (int i = 0; i < 13; ++i) file.diagnostics.push_back(finding(rules::Severity::warning, "w"));
  for (int i = 0; i < 11; ++i) file.diagnostics.push_back(finding(rules::Severity::error, "e"));
  const std::string out = github({file});
  const auto count = [&](const std::string& what) {
    std::size_t n = 0;
    for (std::size_t at = out.find(what); at != std::string::npos; at = out.find(what, at + 1)) ++n;
    return n;
  };
  CHECK(count("::error ") == 10);
  CHECK(count("::warning ") == 10);
  CHECK(count("\n- a.yaml:1:1: ") == 4);
  CHECK_THAT(out, Contains("::group::headroom: 4 more findings") && Contains("::endgroup::\n"));
}

TEST_CASE("github: no input becomes a command") {
  std::vector<FileReport> files = hostile_reports();
  for (int i = 0; i < 12; ++i) files.push_back(files[1]);
  const std::string out = github(files);
  std::size_t commands = 0;
  for (std::size_t at = 0; at < out.size();) {
    const std::string line = out.substr(at, out.find('\n', at) - at);
    at += line.size() + 1;
    if (line.starts_with("::")) {
      ++commands;
      CHECK((line.starts_with("::error file=") || line.starts_with("::group::headroom: ") ||
             line == "::endgroup::"));
      CHECK(line.find("\r") == std::string::npos);
    } else {
      CHECK(line.starts_with("- "));
      CHECK(line.find("##[") == std::string::npos);
    }
  }
  CHECK(commands == 12);
  CHECK_THAT(out, Contains("%0A\xEF\xBF\xBD%2C%3A%25"));
}

TEST_CASE("github: a message is cut, not a character") {
  FileReport file = file_with("a.yaml", "model: {}\n");
  std::string message;
  for (int i = 0; i < 3000; ++i) message += "\xC3\xA9";
  file.diagnostics = {finding(rules::Severity::error, message)};
  const std::string out = github({file});
  CHECK(out.size() < 4200);
  CHECK(out.find("\xC3\xE2") == std::string::npos);
  CHECK(out.ends_with("…\n"));
}

TEST_CASE("gitlab: the documented keys, unique fingerprints that survive moved lines") {
  FileReport file = file_with("conf/a.yaml", "\nmodel:\n  x: 1\n");
  file.diagnostics = {at_line(file, 2), at_line(file, 3)};
  const Json issues = Json::parse(gitlab({file}));
  REQUIRE(issues.size() == 2);
  CHECK(issues[0]["description"] == "area/name: wrong");
  CHECK(issues[0]["check_name"] == "area/name");
  CHECK(issues[0]["location"] == Json({{"path", "conf/a.yaml"}, {"lines", {{"begin", 2}, {"end", 2}}}}));
  CHECK(issues[0]["fingerprint"] != issues[1]["fingerprint"]);
  file.diagnostics = {at_line(file, 3)};
  CHECK(Json::parse(gitlab({file}))[0]["fingerprint"] == issues[0]["fingerprint"]);
  file.path = "other.yaml";
  CHECK(Json::parse(gitlab({file}))[0]["fingerprint"] != issues[0]["fingerprint"]);
  CHECK(Json::parse(gitlab({})) == Json::array());
}

TEST_CASE("junit: a suite a file, a failure a finding") {
  const std::string out = junit(all_kinds());
  CHECK_THAT(out, Contains("<testsuites name=\"headroom\" tests=\"8\" failures=\"6\" errors=\"1\""));
  CHECK_THAT(out, Contains("<testcase name=\"no findings\" classname=\"clean.yaml\" time=\"0\"/>"));
  CHECK_THAT(out,
             Contains("<error message=\"mapping values are not allowed here\" type=\"error\">b.yaml:3:7: "));
  CHECK_THAT(out, Contains("<failure message=\"slow\" type=\"slow\">conf/a.yaml:1:1: slow</failure>"));
}

TEST_CASE("any bytes give a valid document") {
  const auto files = hostile_reports();
  CHECK(sarif_of(files)["runs"][0]["results"].size() == 2);
  CHECK(Json::parse(gitlab(files)).size() == 2);
  const std::string xml = junit(files);
  CHECK(!has_control(xml));
  CHECK(xml.find("\xEF\xBF\xBF") == std::string::npos);
  CHECK(xml.find('\xff') == std::string::npos);
  CHECK(!has_control(markdown(files)));
}

TEST_CASE("markdown: nothing of a message is mark-up") {
  const std::string out = markdown(hostile_reports());
  CHECK_THAT(out, !Contains("<c>") && !Contains(" @all") && !Contains("[l](u)"));
  std::size_t rows = 0;
  for (std::size_t at = out.find("\n| error"); at != std::string::npos; at = out.find("\n| error", at + 1))
    ++rows;
  CHECK(rows == 2);
}

TEST_CASE("markdown: what has no room is counted") {
  FileReport file = file_with("a.yaml", "model: {}\n");
  for (int i = 0; i < 100; ++i) file.diagnostics.push_back(finding(rules::Severity::error, "e"));
  const std::string out = markdown({file}, 2000);
  CHECK(out.size() <= 2000);
  CHECK_THAT(out, Contains(" more findings are left out here"));
}

TEST_CASE("reports of several releases become one") {
  std::vector<FileReport> reports;
  for (const char* release : {"0.4.2", "0.5.1", "0.6.0"}) {
    FileReport file = file_with("a.yaml", "model: {}\n");
    file.context = {{"bridge", release}};
    file.diagnostics = {at_line(file, 1)};
    reports.push_back(file);
  }
  rules::Diagnostic old = finding(rules::Severity::error, "old");
  old.rule = "area/old";
  reports[0].diagnostics.push_back(old);
  reports[1].diagnostics.push_back(old);
  const auto merged = merge_releases(reports, 3);
  REQUIRE(merged.size() == 1);
  REQUIRE(merged[0].diagnostics.size() == 2);
  CHECK(merged[0].diagnostics[0].message == "wrong");
  CHECK(merged[0].diagnostics[1].message == "old (Bridge 0.4.2, Bridge 0.5.1)");
}
