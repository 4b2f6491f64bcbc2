// `headroom explain` on memory snapshots.
#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "program.hpp"

namespace headroom::cli {
namespace {

const std::string folder = "tests/data/snapshots/";

std::string bytes(const std::string& name) {
  return read(HEADROOM_SOURCE_DIR "/" + folder + name);
}

void golden(const std::string& name, const std::vector<std::string>& args) {
  CAPTURE(name);
  const auto result = run({args});
  CHECK(result.status == 0);
  CHECK(result.err.empty());
  const std::string path = HEADROOM_SOURCE_DIR "/tests/cli/golden/" + name + ".txt";
  if (std::getenv("HEADROOM_UPDATE_GOLDENS") != nullptr) std::ofstream(path, std::ios::binary) << result.out;
  CHECK(result.out == read(path));
}

}  // namespace

TEST_CASE("explain: what people read of a snapshot") {
  golden("snapshot_good", {"explain", folder + "snap-good.pickle"});
  golden("snapshot_optimizer", {"explain", folder + "snap-oom-optimizer.pickle"});
  golden("snapshot_unfused", {"explain", folder + "snap-oom-unfused.pickle"});
  golden("snapshot_against",
         {"explain", folder + "snap-good.pickle", "--against", folder + "snap-oom-optimizer.pickle"});
}

TEST_CASE("docs/snapshots.md shows what the program prints") {
  const std::string path = HEADROOM_SOURCE_DIR "/docs/snapshots.md";
  const std::string page = read(path);
  const std::string prompt = "```console\n$ headroom ";
  const std::size_t at = page.find(prompt);
  REQUIRE(at != std::string::npos);
  const std::size_t line = at + prompt.size();
  const std::size_t begin = page.find('\n', line) + 1;
  const std::size_t end = page.find("```", begin);
  REQUIRE(end != std::string::npos);
  const std::string command = page.substr(line, begin - 1 - line);
  REQUIRE(command.find("explain ") == 0);
  const auto result = run({{"explain", command.substr(8)}});
  if (std::getenv("HEADROOM_UPDATE_GOLDENS") != nullptr)
    std::ofstream(path, std::ios::binary) << page.substr(0, begin) + result.out + page.substr(end);
  CHECK(page.substr(begin, end - begin) == result.out);
}

TEST_CASE("explain: the document of a snapshot") {
  for (const auto& entry : nlohmann::json::parse(bytes("index.json"))) {
    const auto result = run({{"explain", folder + std::string(entry["file"]), "--format", "json"}});
    CHECK(result.status == 0);
    const auto json = nlohmann::json::parse(result.out);
    const auto& device = json["snapshot"]["devices"][0];
    CHECK(device["allocated_bytes"] == entry["allocated_bytes"]);
    CHECK(device["reserved_bytes"] == entry["reserved_bytes"]);
    CHECK(device["history"]["peak_from_zero_bytes"] == entry["trace_peak_bytes_from_zero"]);
    const bool failed = entry["oom_events"] != 0;
    CHECK(json["cause"] == (failed ? "memory-cap" : "not-memory"));
    if (failed) CHECK(json["facts"]["allocated_bytes"] == entry["allocated_bytes"]);
  }
}

TEST_CASE("explain: a snapshot from standard input") {
  Run what{{"explain", "-"}};
  what.input = bytes("snap-oom-unfused.pickle");
  const auto result = run(what);
  CHECK(result.status == 0);
  CHECK(result.out.find("<stdin>: memory-cap") == 0);
}

TEST_CASE("explain: a pickle with code is refused with the name of what it tried") {
  const TemporaryFolder files;
  for (const std::string text : {"cos\nsystem\n(S'touch gone'\ntR.",
                                 "\x80\x02"
                                 "cos\nsystem\nq\x01."}) {
    const auto named = run({{"explain", files.file("x.pickle", text)}});
    CHECK(named.status == 2);
    CHECK(named.out.empty());
    CHECK(named.err.find("os.system") != std::string::npos);
    CHECK(named.err.find("nothing was run") != std::string::npos);
    Run what{{"explain", "-"}};
    what.input = text;
    CHECK(run(what).err.find("os.system") != std::string::npos);
  }
}

TEST_CASE("explain: a snapshot that is cut, empty or something else") {
  const TemporaryFolder files;
  const std::string whole = bytes("snap-oom-unfused.pickle");
  for (const std::size_t size : {std::size_t{0}, std::size_t{1}, std::size_t{2}, std::size_t{100},
                                 std::size_t{40000}, whole.size() - 1}) {
    const auto result = run({{"explain", files.file("cut.pickle", whole.substr(0, size))}});
    CAPTURE(size, result.err);
    CHECK(result.status == 2);
    CHECK(result.err.find("byte ") != std::string::npos);
    CHECK(result.err.find("file ") != std::string::npos);
  }
  const auto zip = run({{"explain", files.file("checkpoint.pt", "PK\x03\x04 and so on")}});
  CHECK(zip.status == 2);
  CHECK(zip.err.find("archive") != std::string::npos);
}

TEST_CASE("explain --html writes one page, whole or not at all") {
  const TemporaryFolder files;
  const std::string page = files.path() + "/page.html";
  const auto result = run({{"explain", folder + "snap-good.pickle", "--html", page}});
  CHECK(result.status == 0);
  CHECK(result.err.find("wrote " + page) != std::string::npos);
  const std::string html = read(page);
  CHECK(html.find("<!DOCTYPE html>") == 0);
  CHECK(html.find("</html>\n") == html.size() - 8);
  CHECK(html.find("http:") == std::string::npos);
  CHECK(html.find("https:") == std::string::npos);
  CHECK(run({{"explain", folder + "snap-good.pickle", "--html", "-"}}).out == html);
  CHECK(run({{"explain", folder + "snap-good.pickle", "--html", "/dev/full"}}).status == 2);
  const auto nowhere = run({{"explain", folder + "snap-good.pickle", "--html", "/proc/no/page"}});
  CHECK(nowhere.status == 2);
  CHECK(nowhere.err.find("cannot write") != std::string::npos);
  CHECK(run({{"explain", folder + "snap-good.pickle", "--html", "/dev/null"}}).status == 0);
  CHECK(std::filesystem::is_character_file("/dev/null"));
  const std::string own =
      files.file("own.pickle", read(HEADROOM_SOURCE_DIR "/" + folder + "snap-good.pickle"));
  const auto over = run({{"explain", own, "--html", files.path() + "/./own.pickle"}});
  CHECK(over.status == 2);
  CHECK(over.err.find("is an input") != std::string::npos);
  CHECK(read(own) == read(HEADROOM_SOURCE_DIR "/" + folder + "snap-good.pickle"));
  CHECK(run({{"explain", "README.md", "--html", page}}).status == 2);
  CHECK(run({{"explain", folder + "snap-good.pickle", "--against", folder + "none.pickle"}}).status == 2);
  CHECK(run({{"explain", folder + "snap-good.pickle", "--against", "x", "--html", "y"}}).status == 2);
}

}  // namespace headroom::cli
