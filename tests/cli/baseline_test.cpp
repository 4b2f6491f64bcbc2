// --baseline and --diff-base.
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "program.hpp"

using Catch::Contains;
using headroom::cli::read;
using headroom::cli::run;
using headroom::cli::Run;
using headroom::cli::TemporaryFolder;
using Json = nlohmann::json;

namespace {

const std::string head =
    "mixed_precision: bf16_mixed\nmodel:\n  num_layers: 4\n  hidden_size: 64\n  num_attention_heads: 4\n";

// git with a name and nothing of the user's settings; false where it fails or is not there.
bool git(const std::string& folder, std::vector<std::string> words) {
  words.insert(words.begin(), {"git", "-C", folder, "-c", "user.name=t", "-c", "user.email=t@example.org",
                               "-c", "commit.gpgsign=false", "-c", "init.defaultBranch=main"});
  const pid_t child = fork();
  if (child == 0) {
    setenv("GIT_CONFIG_GLOBAL", "/dev/null", 1);
    setenv("GIT_CONFIG_SYSTEM", "/dev/null", 1);
    if (std::freopen("/dev/null", "w", stdout) == nullptr ||
        std::freopen("/dev/null", "w", stderr) == nullptr)
      _exit(127);
    std::vector<char*> argv;
    for (auto& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    execvp("git", argv.data());
    _exit(127);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

void commit(const std::string& folder, const std::string& message) {
  REQUIRE(git(folder, {"add", "-A"}));
  REQUIRE(git(folder, {"commit", "-q", "-m", message}));
}

// What one call in `folder` reports: `a.yaml:6 rule`, one a line.
std::string look(const std::string& folder, std::vector<std::string> args, int status) {
  args.insert(args.begin(), {"check"});
  args.insert(args.end(), {"--format", "concise", "-q"});
  Run what{args};
  what.folder = folder;
  const auto result = run(what);
  CHECK(result.status == status);
  CHECK(result.err == "");
  std::string out;
  for (std::size_t at = 0; at < result.out.size();) {
    const std::string line = result.out.substr(at, result.out.find('\n', at) - at);
    at += line.size() + 1;
    out += line.substr(0, line.find(':', line.find(':') + 1)) + " " + line.substr(line.rfind('[')) + "\n";
  }
  return out;
}

}  // namespace

TEST_CASE("a baseline hides what was there, also when lines move, and nothing else") {
  const TemporaryFolder folder;
  const std::string config = folder.file("conf/a.yaml", head + "  num_layer: 8\n");
  const std::string baseline = folder.path() + "/.headroom-baseline.json";
  const std::vector<std::string> common{"check", config, "--baseline", baseline, "--fail-on", "advice"};
  const auto missing = run({common});
  CHECK(missing.status == 2);
  CHECK_THAT(missing.err, Contains("--update-baseline writes it"));
  auto update = common;
  update.push_back("--update-baseline");
  const auto written = run({update});
  CHECK(written.status == 0);
  CHECK_THAT(written.err, Contains("1 finding in the baseline now"));
  CHECK(read(baseline) ==
        "{\n  \"schema\": 1,\n  \"findings\": [\n"
        "    "
        "{\"path\":\"conf/a.yaml\",\"rule\":\"schema-check/"
        "unknown-field\",\"fields\":[\"model.num_layer\"],\"count\":1}\n"
        "  ]\n}\n");
  const auto hidden = run({common});
  CHECK(hidden.status == 0);
  CHECK(hidden.out.empty());
  CHECK_THAT(hidden.err, Contains("1 in the baseline"));
  folder.file("conf/a.yaml", "# moved\n\n" + head + "\n  num_layer: 9\n");
  CHECK(run({common}).status == 0);
  folder.file("conf/a.yaml", head + "  num_layer: 8\n  num_head: 4\n");
  const auto added = run({common});
  CHECK(added.status == 1);
  CHECK_THAT(added.out,
             Contains("num_head") && !Contains("ignored[schema-check/unknown-field]: model.num_layer "));
  folder.file("conf/a.yaml", head);
  const auto repaired = run({common});
  CHECK(repaired.status == 0);
  CHECK_THAT(repaired.err, Contains("1 known finding found here no more"));
  CHECK(run({update}).status == 0);
  CHECK(read(baseline) == "{\n  \"schema\": 1,\n  \"findings\": []\n}\n");
}

TEST_CASE("an update keeps what this call did not look at") {
  const TemporaryFolder folder;
  const std::string a = folder.file("a.yaml", head + "  num_layer: 8\n");
  const std::string b = folder.file("b.yaml", head + "  num_layer: 8\n");
  const std::string gone = folder.file("gone.yaml", head + "  num_layer: 8\n");
  const std::string baseline = folder.path() + "/base.json";
  CHECK(run({{"check", a, b, gone, "--baseline", baseline, "--update-baseline"}}).status == 0);
  const std::string all = read(baseline);
  std::filesystem::remove(gone);
  CHECK(run({{"check", a, "--baseline", baseline, "--update-baseline", "--select", "moe"}}).status == 0);
  CHECK_THAT(read(baseline), Contains("a.yaml") && Contains("b.yaml") && !Contains("gone.yaml"));
  folder.file("b.yaml", "a: [\n");
  CHECK(run({{"check", b, "--baseline", baseline, "--update-baseline"}}).status == 2);
  CHECK_THAT(read(baseline), Contains("b.yaml"));
  CHECK(run({{"check", a, "--bridge", "all", "--baseline", baseline, "--fail-on", "advice"}}).status == 0);
}

TEST_CASE("a broken baseline is an error with a place") {
  const TemporaryFolder folder;
  const std::string config = folder.file("a.yaml", head);
  for (const auto& [text, in_err] : std::vector<std::pair<std::string, std::string>>{
           {"", "not a baseline"},
           {"[]", ":1:1"},
           {"{\"schema\": 2, \"findings\": []}", "schema"},
           {"{\"schema\": 1, \"findings\": [1]}", ":1:28"},
           {"{\"schema\": 1, \"findings\": [{\"path\": \"a\", \"rule\": \"b\", \"count\": 0}]}", "count"},
           {"{\"schema\": 1, \"findings\": [", ":1:"}}) {
    CAPTURE(text);
    const std::string baseline = folder.file("base.json", text);
    const auto result = run({{"check", config, "--baseline", baseline}});
    CHECK(result.status == 2);
    CHECK_THAT(result.err, Contains(in_err) && Contains("base.json"));
  }
  CHECK(run({{"check", config, "--update-baseline"}}).status == 2);
}

TEST_CASE("--diff-base reports what a change brings") {
  const TemporaryFolder repo;
  const std::string& root = repo.path();
  REQUIRE(git(root, {"init", "-q"}));
  repo.file("a.yaml", head + "  num_layer: 8\n");
  repo.file("b.yaml", head + "  num_layer: 8\n");
  repo.file("moved.yaml", head + "  num_layer: 8\n  kept: 1\n  also: 2\n");
  repo.file("sub/c.yaml", head);
  commit(root, "first");
  CHECK(look(root, {".", "--diff-base", "HEAD", "--fail-on", "advice"}, 0).empty());
  // A new finding above an old one; an old one whose line changed; a new file; a renamed one.
  repo.file("a.yaml", head + "  num_head: 4\n  num_layer: 8\n");
  repo.file("b.yaml", "# a remark\n" + head + "  num_layer: 9\n");
  std::filesystem::rename(root + "/moved.yaml", root + "/renamed.yaml");
  repo.file("renamed.yaml", head + "  num_layer: 8\n  kept: 1\n  also: 2\n  fresh: 3\n");
  repo.file("new file.yaml", head + "  num_layer: 8\n");
  REQUIRE(git(root, {"add", "renamed.yaml", "moved.yaml"}));
  const std::string found =
      "a.yaml:6 [schema-check/unknown-field]\nb.yaml:7 [schema-check/unknown-field]\n"
      "new file.yaml:6 [schema-check/unknown-field]\nrenamed.yaml:9 [schema-check/unknown-field]\n";
  CHECK(look(root, {".", "--diff-base", "HEAD", "--fail-on", "advice"}, 1) == found);
  CHECK(look(root + "/sub", {"..", "--diff-base", "HEAD", "--fail-on", "never"}, 0) != "");
  // What a commit holds counts as the working tree does.
  commit(root, "second");
  CHECK(look(root, {".", "--diff-base", "HEAD~1", "--fail-on", "advice"}, 1) == found);
  CHECK(look(root, {".", "--diff-base", "HEAD", "--fail-on", "advice"}, 0).empty());
}

TEST_CASE("--diff-base with three dots: since the branch began") {
  const TemporaryFolder repo;
  const std::string& root = repo.path();
  REQUIRE(git(root, {"init", "-q"}));
  repo.file("a.yaml", head + "  num_layer: 8\n");
  commit(root, "first");
  REQUIRE(git(root, {"checkout", "-q", "-b", "work"}));
  repo.file("b.yaml", head + "  num_layer: 8\n");
  commit(root, "work");
  REQUIRE(git(root, {"checkout", "-q", "main"}));
  repo.file("a.yaml", head);
  commit(root, "repaired on main");
  REQUIRE(git(root, {"checkout", "-q", "work"}));
  CHECK(look(root, {".", "--diff-base", "main..."}, 0) == "b.yaml:6 [schema-check/unknown-field]\n");
  CHECK(look(root, {".", "--diff-base", "main"}, 0) ==
        "a.yaml:6 [schema-check/unknown-field]\nb.yaml:6 [schema-check/unknown-field]\n");
}

TEST_CASE("another launch is another verdict: all findings are new") {
  const TemporaryFolder repo;
  const std::string& root = repo.path();
  REQUIRE(git(root, {"init", "-q"}));
  repo.file("a.yaml", head + "  num_layer: 8\n");
  repo.file(".headroom.yaml", "gpus: 8\n");
  commit(root, "first");
  repo.file(".headroom.yaml", "gpus: 16\n");
  CHECK(look(root, {".", "--diff-base", "HEAD"}, 0) == "a.yaml:6 [schema-check/unknown-field]\n");
}

TEST_CASE("--diff-base says what git cannot do") {
  const TemporaryFolder repo;
  repo.file("a.yaml", head);
  const auto call = [&](std::vector<std::string> args) {
    args.insert(args.begin(), {"check", "a.yaml"});
    Run what{args};
    what.folder = repo.path();
    what.env = {{"GIT_CEILING_DIRECTORIES", std::filesystem::path(repo.path()).parent_path().string()}};
    const auto result = run(what);
    CHECK(result.status == 2);
    return result.err;
  };
  CHECK_THAT(call({"--diff-base", "HEAD"}), Contains("--diff-base: ") && Contains("not a git repository"));
  REQUIRE(git(repo.path(), {"init", "-q"}));
  commit(repo.path(), "first");
  CHECK_THAT(call({"--diff-base", "origin/main"}), Contains("knows no revision 'origin/main'"));
  CHECK_THAT(call({"--diff-base", "--output=x"}), Contains("knows no revision"));
  CHECK_THAT(call({"--diff-base", "$(touch x)"}), Contains("knows no revision"));
  CHECK(!std::filesystem::exists(repo.path() + "/x"));
  CHECK_THAT(call({"--diff-base", "HEAD", "--fix"}), Contains("--diff-base"));
  CHECK_THAT(call({"--diff-base", "HEAD", "--baseline", "b", "--update-baseline"}), Contains("--diff-base"));
}
