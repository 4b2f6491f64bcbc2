// What docs/ci.md and docs/ci/ show, run as a runner would run it.
#include <sys/wait.h>

#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>

#include "headroom/source/document.hpp"
#include "program.hpp"

using Catch::Contains;
using headroom::cli::read;
using headroom::cli::TemporaryFolder;
using headroom::source::Document;
using headroom::source::NodeId;
namespace fs = std::filesystem;
using Json = nlohmann::json;

namespace {

const std::string root = HEADROOM_SOURCE_DIR;
const std::string good =
    "model: {num_layers: 4, hidden_size: 64, num_attention_heads: 4}\nmixed_precision: bf16_mixed\n";
const std::string bad =
    "model: {num_layers: 5, hidden_size: 64, num_attention_heads: 4, pipeline_model_parallel_size: 2}\n";

struct Done {
  int status = -1;
  std::string out, err;
};

// `script` under the shell of both runners, with headroom on the PATH and nothing else of ours.
Done shell(const TemporaryFolder& place, const std::string& folder, const std::string& script,
           const std::vector<std::pair<std::string, std::string>>& env = {}) {
  std::string text = "cd '" + folder + "'\n";
  for (const auto& [name, value] : env) {
    std::string quoted;
    for (const char c : value) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
    text += "export " + name + "='" + quoted + "'\n";
  }
  const std::string path = fs::path(HEADROOM_PROGRAM).parent_path().string();
  const std::string file =
      place.file("script.sh", "export PATH='" + path + "':/usr/bin:/bin\n" + text + script);
  const std::string out = place.path() + "/out", err = place.path() + "/err";
  const int status = std::system(("env -i HOME=/nonexistent bash --noprofile --norc -eo pipefail '" + file +
                                  "' >'" + out + "' 2>'" + err + "' </dev/null")
                                     .c_str());
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, read(out), read(err)};
}

Document yaml(const std::string& path) {
  const auto text = headroom::source::read_file(path);
  REQUIRE(text);
  auto doc = headroom::source::read_yaml(*text, headroom::source::Loader::py_yaml);
  REQUIRE(doc);
  return std::move(*doc);
}

NodeId at(const Document& doc, std::vector<std::string> path) {
  NodeId node = doc.root;
  for (const auto& key : path) node = doc.find(node, key);
  REQUIRE(node != headroom::source::no_node);
  return node;
}

// `${{ inputs.NAME }}` as the runner fills it in.
std::string filled(std::string text, const std::vector<std::pair<std::string, std::string>>& inputs) {
  for (const auto& [name, value] : inputs) {
    const std::string expression = "${{ inputs." + name + " }}";
    for (std::size_t i = text.find(expression); i != std::string::npos; i = text.find(expression))
      text.replace(i, expression.size(), value);
  }
  CHECK(text.find("${{") == std::string::npos);
  return text;
}

// Runs the steps of the action until one fails.
Done action(const TemporaryFolder& place, const std::string& folder,
            std::vector<std::pair<std::string, std::string>> inputs,
            std::vector<std::pair<std::string, std::string>> env) {
  const Document doc = yaml(root + "/docs/ci/github/action.yml");
  for (const auto& member : doc.node(at(doc, {"inputs"})).members) {
    const std::string name = doc.node(member.key).text;
    const auto known = [&](const auto& i) { return i.first == name; };
    if (std::none_of(inputs.begin(), inputs.end(), known))
      inputs.emplace_back(name, doc.node(doc.find(member.value, "default")).text);
  }
  CHECK(doc.node(at(doc, {"runs", "using"})).text == "composite");
  env.emplace_back("GITHUB_ACTION_PATH", root + "/docs/ci/github");
  env.emplace_back("GITHUB_PATH", place.path() + "/github-path");
  Done last;
  for (const NodeId step : doc.node(at(doc, {"runs", "steps"})).items) {
    CHECK(doc.node(doc.find(step, "shell")).text == "bash");
    auto step_env = env;
    if (const NodeId own = doc.find(step, "env"); own != headroom::source::no_node) {
      for (const auto& m : doc.node(own).members)
        step_env.emplace_back(doc.node(m.key).text, filled(doc.node(m.value).text, inputs));
    }
    last = shell(place, folder, doc.node(doc.find(step, "run")).text, step_env);
    if (last.status != 0) break;
  }
  return last;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> out;
  for (std::string line; std::getline(stream, line);) out.push_back(line);
  return out;
}

// The first block of YAML behind `mark`.
std::string block_behind(const std::string& text, const std::string& mark) {
  const std::size_t begin = text.find("```yaml\n", text.find(mark)) + 8;
  return text.substr(begin, text.find("```", begin) - begin);
}

std::string git_repository(const TemporaryFolder& place) {
  const std::string git = "git -c user.name=t -c user.email=t@example.org -c init.defaultBranch=main ";
  place.file("repo/conf/a.yaml", good);
  place.file("repo/conf/h200/c.yaml", good);
  const auto done = shell(place, place.path() + "/repo",
                          "git init -q .\n" + git + "add -A\n" + git +
                              "commit -qm first\ngit update-ref refs/remotes/origin/main HEAD\n");
  REQUIRE(done.status == 0);
  place.file("repo/conf/b.yaml", bad);
  return place.path() + "/repo";
}

}  // namespace

TEST_CASE("the GitHub Action checks, annotates, and writes SARIF and a summary") {
  const TemporaryFolder place;
  place.file("repo/conf/a b.yaml", bad);
  place.file("repo/other/c.yaml", good);
  const std::string repo = place.path() + "/repo";
  const std::string summary = place.file("summary", "");
  const auto done = action(
      place, repo, {{"paths", "conf\nother\n"}, {"options", "--gpus 2 --gpu h100"}, {"sarif", "out/h.sarif"}},
      {{"GITHUB_STEP_SUMMARY", summary}, {"GITHUB_WORKSPACE", repo}});
  CHECK(done.status == 1);
  CHECK_THAT(done.out, Contains("::error file=conf/a b.yaml,line=1,"));
  CHECK_THAT(read(summary), Contains("### headroom"));
  CHECK(Json::parse(read(repo + "/out/h.sarif"))["runs"][0]["results"].size() >= 1);
  CHECK(action(place, repo, {{"paths", "other"}}, {}).status == 0);
  // Inputs are words, not shell.
  const auto hostile = action(place, repo, {{"paths", "$(touch x)"}, {"options", "--gpus 2"}}, {});
  CHECK(hostile.status == 2);
  CHECK(!fs::exists(repo + "/x"));
}

TEST_CASE("the GitHub Action looks at what a pull request brings") {
  const TemporaryFolder place;
  const std::string repo = git_repository(place);
  const auto done =
      action(place, repo, {{"paths", "conf"}, {"changed-only", "true"}}, {{"GITHUB_BASE_REF", "main"}});
  CHECK(done.status == 1);
  CHECK_THAT(done.out, Contains("conf/b.yaml"));
  CHECK_THAT(done.err, Contains("2 files not changed since origin/main..."));
}

TEST_CASE("the GitHub workflow uses inputs that the action has") {
  const Document workflow = yaml(root + "/docs/ci/github/workflow.yml");
  const Document definition = yaml(root + "/docs/ci/github/action.yml");
  bool used = false;
  for (const NodeId step : workflow.node(at(workflow, {"jobs", "headroom", "steps"})).items) {
    const std::string uses = workflow.node(workflow.find(step, "uses")).text;
    if (uses.find("headroom") == std::string::npos) continue;
    used = true;
    for (const auto& m : workflow.node(workflow.find(step, "with")).members)
      CHECK(definition.find(at(definition, {"inputs"}), workflow.node(m.key).text) !=
            headroom::source::no_node);
  }
  CHECK(used);
}

TEST_CASE("the GitLab job writes the reports that it promises") {
  const TemporaryFolder place;
  place.file("repo/conf/a.yaml", bad);
  const std::string repo = place.path() + "/repo";
  const Document doc = yaml(root + "/docs/ci/gitlab.yml");
  const auto run_job = [&](const std::string& paths) {
    std::vector<std::pair<std::string, std::string>> env{{"CI_PROJECT_DIR", repo}};
    for (const auto& m : doc.node(at(doc, {"headroom", "variables"})).members)
      env.emplace_back(doc.node(m.key).text, doc.node(m.value).text);
    env.emplace_back("HEADROOM_PATHS", paths);
    Done last;
    for (const NodeId line : doc.node(at(doc, {"headroom", "script"})).items) {
      last = shell(place, repo, doc.node(line).text, env);
      if (last.status != 0) break;
    }
    return last.status;
  };
  CHECK(run_job("conf") == 1);
  const NodeId reports = at(doc, {"headroom", "artifacts", "reports"});
  const Json issues = Json::parse(read(repo + "/" + doc.node(doc.find(reports, "codequality")).text));
  CHECK(issues[0]["location"]["path"] == "conf/a.yaml");
  CHECK_THAT(read(repo + "/" + doc.node(doc.find(reports, "junit")).text), Contains("<testsuites"));
  place.file("repo/conf/a.yaml", good);
  CHECK(run_job("conf") == 0);
}

TEST_CASE("the commands of docs/ci.md and of the README's section run") {
  const std::string page = read(root + "/docs/ci.md");
  const std::string readme = read(root + "/README.md");
  const std::size_t section = readme.find("## In pull requests");
  REQUIRE(section != std::string::npos);
  for (const auto& text : {page, readme.substr(section, readme.find("\n## ", section + 1) - section)}) {
    const TemporaryFolder place;
    const std::string repo = git_repository(place);
    std::size_t commands = 0;
    for (const auto& line : lines_of(text)) {
      if (line.rfind("    headroom ", 0) != 0) continue;
      ++commands;
      CAPTURE(line);
      const auto done = shell(place, repo, line.substr(4) + "\n", {{"CI_PROJECT_DIR", repo}});
      CHECK(done.status <= 1);
      CHECK(done.err.find("error:") == std::string::npos);
    }
    CHECK(commands >= 4);
  }
}

TEST_CASE("the YAML of docs/ci.md is what the templates and the program know") {
  const std::string page = read(root + "/docs/ci.md");
  CHECK_THAT(read(root + "/docs/ci/pre-commit-config.yaml"), Contains(block_behind(page, "## pre-commit")));
  const TemporaryFolder place;
  const std::string repo = git_repository(place);
  place.file("repo/.headroom.yaml", block_behind(page, "### Severities and files"));
  const auto done = shell(place, repo, "headroom check conf/h200 --format json\n");
  CHECK(done.status == 0);
  CHECK(Json::parse(done.out)["files"][0]["context"]["gpu"] == "h200");
  // The comment of the page hides what it says it does.
  const std::string mark = "    num_layer: 8   # headroom: ";
  const std::size_t begin = page.find(mark) + 4;
  REQUIRE(begin > 4);
  const std::string line = page.substr(begin, page.find('\n', begin) - begin);
  place.file("repo/conf/d.yaml", "model:\n  num_layers: 4\n  hidden_size: 64\n  num_attention_heads: 4\n  " +
                                     line + "\nmixed_precision: bf16_mixed\n");
  CHECK(shell(place, repo, "rm .headroom.yaml; headroom check conf/d.yaml --fail-on ignored\n").status == 0);
}
