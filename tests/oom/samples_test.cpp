// tests/data/oom: logs in every wording and for every cause, with what must be said of them.
#include <catch2/catch.hpp>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "headroom/oom/diagnosis.hpp"
#include "headroom/oom/log_reader.hpp"

namespace headroom::oom {
namespace {

using Json = nlohmann::json;

const std::string folder = HEADROOM_SOURCE_DIR "/tests/data/oom/";

std::string read(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

LogFacts facts_of(std::string_view text, std::size_t piece) {
  LogReader reader;
  for (std::size_t at = 0; at < text.size(); at += piece) reader.feed(text.substr(at, piece));
  return reader.finish();
}

std::optional<double> figure(const Diagnosis& d, const std::string& name) {
  if (name == "tried") return d.tried;
  if (name == "free") return d.figures.free;
  if (name == "capacity") return d.figures.capacity;
  if (name == "allocated") return d.figures.allocated;
  if (name == "allowed") return d.figures.allowed;
  if (name == "in_use") return d.figures.in_use;
  if (name == "others") return d.figures.others;
  if (name == "reserved_unallocated") return d.figures.reserved_unallocated;
  return std::nullopt;
}

void compare(const Json& wanted, const LogFacts& log, const Diagnosis& d) {
  CHECK(to_string(d.cause) == wanted["cause"].get<std::string>());
  if (wanted.contains("phase")) CHECK(schema::to_string(d.phase) == wanted["phase"].get<std::string>());
  if (wanted.contains("rank")) CHECK(d.rank == wanted["rank"].get<std::int64_t>());
  if (wanted.contains("stage")) CHECK(d.stage == wanted["stage"].get<std::int64_t>());
  if (wanted.contains("ranks")) CHECK(log.failed_ranks == wanted["ranks"].get<std::uint64_t>());
  if (wanted.contains("tensor")) {
    REQUIRE_FALSE(d.tensors.empty());
    CHECK(d.tensors.front().name == wanted["tensor"].get<std::string>());
  }
  if (wanted.contains("note")) {
    REQUIRE_FALSE(d.notes.empty());
    CHECK_THAT(d.notes.front(), Catch::Contains(wanted["note"].get<std::string>()));
  }
  if (!wanted.contains("facts")) return;
  for (const auto& [name, value] : wanted["facts"].items()) {
    CAPTURE(name);
    const auto seen = figure(d, name);
    REQUIRE(seen.has_value());
    CHECK(std::abs(*seen - value.get<double>()) <= 2.0);
  }
}

}  // namespace

TEST_CASE("every sample log is read as it should be") {
  const Json expected = Json::parse(read(folder + "expected.json"));
  REQUIRE(expected.size() >= 70);
  for (const auto& [name, wanted] : expected.items()) {
    CAPTURE(name);
    const std::string text = read(folder + name + ".log");
    REQUIRE_FALSE(text.empty());
    const LogFacts log = facts_of(text, text.size());
    const Diagnosis d = diagnose(log, {});
    CAPTURE(d.why);
    compare(wanted, log, d);
    CHECK(d.confidence >= 0);
    CHECK(d.confidence <= 1);
    CHECK(d.questions.size() <= 5);
  }
}

TEST_CASE("pieces of any size give the same") {
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".log") continue;
    CAPTURE(entry.path().filename().string());
    const std::string text = read(entry.path().string());
    const Diagnosis whole = diagnose(facts_of(text, text.size()), {});
    for (const std::size_t piece : {1u, 7u, 100u, 4096u}) {
      CAPTURE(piece);
      const LogFacts log = facts_of(text, piece);
      const Diagnosis d = diagnose(log, {});
      CHECK(d.cause == whole.cause);
      CHECK(d.confidence == whole.confidence);
      CHECK(d.tried == whole.tried);
      REQUIRE(d.evidence.size() == whole.evidence.size());
      for (std::size_t i = 0; i < d.evidence.size(); ++i) CHECK(d.evidence[i].line == whole.evidence[i].line);
    }
  }
}

TEST_CASE("Windows line ends and colours change nothing") {
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".log") continue;
    CAPTURE(entry.path().filename().string());
    const std::string text = read(entry.path().string());
    const Diagnosis plain = diagnose(facts_of(text, text.size()), {});
    std::string changed;
    for (const char c : text) changed += c == '\n' ? std::string("\x1b[0m\r\n\x1b[31m") : std::string(1, c);
    const Diagnosis d = diagnose(facts_of(changed, changed.size()), {});
    CHECK(d.cause == plain.cause);
    CHECK(d.tried == plain.tried);
    CHECK(d.rank == plain.rank);
  }
}

}  // namespace headroom::oom
