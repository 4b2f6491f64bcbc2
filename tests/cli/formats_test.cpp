// --format and --output with the real program.
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

const std::string bad =
    "model: {num_layers: 4, hidden_size: 64, num_attention_heads: 4, cpu_offloading: true, "
    "cpu_offloading_num_layers: 1, pipeline_model_parallel_size: 2}\n";
const std::string good =
    "model: {num_layers: 4, hidden_size: 64, num_attention_heads: 4}\nmixed_precision: bf16_mixed\n";
const std::vector<std::string> formats{"text",   "concise", "json",  "sarif",
                                       "github", "gitlab",  "junit", "markdown"};

}  // namespace

TEST_CASE("the format changes neither the exit status nor what stands on standard error alone") {
  const TemporaryFolder folder;
  const std::string broken = folder.file("bad.yaml", bad);
  const std::string clean = folder.file("good.yaml", good);
  const std::string unreadable = folder.file("unreadable.yaml", "a: [\n");
  for (const auto& format : formats) {
    CAPTURE(format);
    CHECK(run({{"check", broken, "--format", format}}).status == 1);
    CHECK(run({{"check", clean, "--format", format}}).status == 0);
    CHECK(run({{"check", broken, "--format", format, "--fail-on", "never"}}).status == 0);
    const auto all = run({{"check", folder.path(), "--format", format}});
    CHECK(all.status == 2);
    const auto matrix = run({{"check", broken, "--format", format, "--bridge", "all"}});
    CHECK(matrix.status == 1);
    CHECK(!matrix.out.empty());
    const bool document = format == "json" || format == "sarif" || format == "gitlab";
    if (document) {
      CHECK(Json::accept(all.out));
      CHECK(Json::accept(matrix.out));
      CHECK(all.err.empty());
    }
    if (format != "text") CHECK_THAT(all.out, Contains("unreadable.yaml"));
  }
}

TEST_CASE("--output writes reports beside what stands on the terminal") {
  const TemporaryFolder folder;
  const std::string config = folder.file("bad.yaml", bad);
  const std::string out = folder.path() + "/new/folder/";
  const auto plain = run({{"check", config}});
  const auto result =
      run({{"check", config, "--output", out + "a.sarif", "-o", "gitlab=" + out + "quality.json", "-o",
            out + "junit.xml", "-o", out + "a.json", "-o", out + "summary.md", "-o", out + "a.txt",
            "--output", "concise=" + out + "lines"}});
  CHECK(result.status == plain.status);
  CHECK(result.out == plain.out);
  CHECK(result.err == plain.err);
  CHECK(Json::parse(read(out + "a.sarif"))["version"] == "2.1.0");
  CHECK(Json::parse(read(out + "quality.json"))[0]["check_name"] == "offload/pipeline-parallel");
  CHECK_THAT(read(out + "junit.xml"), Contains("<testsuites name=\"headroom\""));
  CHECK(Json::parse(read(out + "a.json"))["schema"] == 1);
  CHECK_THAT(read(out + "summary.md"), Contains("### headroom"));
  CHECK(read(out + "a.txt") == plain.out + plain.err);
  CHECK_THAT(read(out + "lines"), Contains("bad.yaml:1:"));
  // What was there is replaced, nothing stays behind.
  CHECK(run({{"check", folder.file("good.yaml", good), "-o", out + "a.sarif"}}).status == 0);
  CHECK(Json::parse(read(out + "a.sarif"))["runs"][0]["results"] == Json::array());
  std::size_t files = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(out)) ++files;
  CHECK(files == 7);
}

TEST_CASE("a report that cannot be written is an error") {
  const TemporaryFolder folder;
  const std::string config = folder.file("good.yaml", good);
  const auto result = run({{"check", config, "-o", "sarif=" + config + "/x.sarif"}});
  CHECK(result.status == 2);
  CHECK_THAT(result.err, Contains("cannot write"));
  CHECK(run({{"check", config, "-o", "sarif=/dev/full"}}).status == 2);
  CHECK(run({{"check", config, "-o", "sarif=/dev/null"}}).status == 0);
  CHECK(Json::parse(run({{"check", config, "-q", "--format", "concise", "-o", "sarif=/dev/stdout"}})
                        .out)["version"] == "2.1.0");
  const auto over = run({{"check", config, "-o", "sarif=" + folder.path() + "/./good.yaml"}});
  CHECK(over.status == 2);
  CHECK_THAT(over.err, Contains("is an input"));
  CHECK(read(config) == good);
  struct Row {
    std::vector<std::string> args;
    const char* in_err;
  };
  for (const Row& row : std::vector<Row>{{{"-o", "report"}, "which format"},
                                         {{"-o", "srif=a"}, "did you mean 'sarif'?"},
                                         {{"-o", "sarif="}, "no file"},
                                         {{"-o", "sarif=-"}, "standard output"},
                                         {{"-o", "a.json", "-o", "gitlab=a.json"}, "two reports"}}) {
    std::vector<std::string> args{"check", config};
    args.insert(args.end(), row.args.begin(), row.args.end());
    const auto wrong = run({args});
    CHECK(wrong.status == 2);
    CHECK_THAT(wrong.err, Contains(row.in_err));
  }
}

TEST_CASE("paths are relative to the root of the repository") {
  const TemporaryFolder folder;
  folder.file("repo/.git/HEAD", "");
  folder.file("repo/conf/deep/a.yaml", bad);
  folder.file("outside.yaml", bad);
  const auto path_of = [&](const Run& what) {
    const auto result = run(what);
    return Json::parse(result.out)[0]["location"]["path"].get<std::string>();
  };
  Run inside{{"check", "a.yaml", "--format", "gitlab"}};
  inside.folder = folder.path() + "/repo/conf/deep";
  CHECK(path_of(inside) == "conf/deep/a.yaml");
  inside.args[1] = "../../conf/./deep/a.yaml";
  CHECK(path_of(inside) == "conf/deep/a.yaml");
  inside.args[1] = folder.path() + "/repo/conf/deep/a.yaml";
  CHECK(path_of(inside) == "conf/deep/a.yaml");
  inside.args[1] = "../../../outside.yaml";
  CHECK(path_of(inside) == std::filesystem::canonical(folder.path() + "/outside.yaml").string());
  std::filesystem::create_symlink("deep/a.yaml", folder.path() + "/repo/conf/link.yaml");
  inside.args[1] = "../link.yaml";
  CHECK(path_of(inside) == "conf/deep/a.yaml");
  inside.args[1] = "a.yaml";
  inside.env = {{"CI_PROJECT_DIR", folder.path()}};
  CHECK(path_of(inside) == "repo/conf/deep/a.yaml");
  inside.env = {{"CI_PROJECT_DIR", "/nowhere"}};
  CHECK(path_of(inside) == "conf/deep/a.yaml");
}

TEST_CASE("names of files with blanks, line breaks and bytes that are no UTF-8") {
  const TemporaryFolder folder;
  folder.file("a b.yaml", bad);
  folder.file("a\nb.yaml", bad);
  folder.file("a\xff:,.yaml", bad);
  for (const auto& format : formats) {
    CAPTURE(format);
    Run what{{"check", ".", "--format", format}};
    what.folder = folder.path();
    const auto result = run(what);
    CHECK(result.status == 1);
    CHECK(result.out.find('\xff') == std::string::npos);
    if (format == "json" || format == "sarif" || format == "gitlab") CHECK(Json::accept(result.out));
    if (format == "sarif")
      CHECK_THAT(result.out, Contains("a%FF%3A%2C.yaml") && Contains("a%20b.yaml") && Contains("a%0Ab.yaml"));
    if (format == "github") CHECK_THAT(result.out, Contains("file=a%0Ab.yaml,") && Contains("%3A%2C.yaml,"));
    if (format == "concise") CHECK(std::count(result.out.begin(), result.out.end(), '\n') % 3 == 0);
  }
}

TEST_CASE("GitHub's job summary gets the Markdown, with that format alone") {
  const TemporaryFolder folder;
  const std::string config = folder.file("bad.yaml", bad);
  const std::string summary = folder.file("summary", "before\n");
  Run what{{"check", config}};
  what.env = {{"GITHUB_STEP_SUMMARY", summary}};
  CHECK(run(what).status == 1);
  CHECK(read(summary) == "before\n");
  what.args = {"check", config, "--format", "github"};
  CHECK(run(what).status == 1);
  CHECK_THAT(read(summary),
             Catch::StartsWith("before\n### headroom\n") && Contains("offload/pipeline-parallel"));
  what.env = {{"GITHUB_STEP_SUMMARY", folder.path()}};
  CHECK(run(what).status == 2);
}

TEST_CASE("SARIF fixes are the bytes that --fix writes") {
  const TemporaryFolder folder;
  const std::string config =
      folder.file("a.yaml",
                  "model:\n  num_layers: 4\n  hidden_size: 64\n  num_attention_heads: 4\n"
                  "  recompute_method: uniform  # why\n");
  const Json log = Json::parse(run({{"check", config, "--format", "sarif"}}).out);
  bool found = false;
  for (const auto& result : log["runs"][0]["results"]) {
    if (!result.contains("fixes")) continue;
    for (const auto& fix : result["fixes"]) {
      for (const auto& r : fix["artifactChanges"][0]["replacements"]) {
        found = true;
        const auto& region = r["deletedRegion"];
        CHECK(region["startLine"] <= 6);
        CHECK((region["endLine"] > region["startLine"] || region["endColumn"] >= region["startColumn"]));
      }
    }
  }
  CHECK(found);
}
