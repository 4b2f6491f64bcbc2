// A snapshot as text, JSON and page. Names in a file may hold anything.
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "headroom/report/snapshot.hpp"
#include "headroom/report/terminal.hpp"

namespace headroom::report {
namespace {

using snapshot::Snapshot;

snapshot::TextId text(Snapshot& out, std::string_view text) {
  out.characters += text;
  out.text_ends.push_back(out.characters.size());
  return static_cast<snapshot::TextId>(out.text_ends.size() - 2);
}

/// One device with one block, whose frames are named as given.
Snapshot made(std::string_view function, std::string_view file) {
  Snapshot out;
  out.frames.push_back({text(out, file), text(out, function), 7});
  out.stack_frames = {0};
  out.stack_ends = {0, 0, 1};
  snapshot::Segment segment;
  segment.bytes = 4096;
  segment.block_count = 2;
  out.segments = {segment};
  out.blocks = {{0, 3072, 3000, 1, snapshot::BlockState::allocated},
                {3072, 1024, 0, 0, snapshot::BlockState::inactive}};
  return out;
}

struct Printed {
  std::string text, html;
  nlohmann::ordered_json json;
};

Printed print(const Snapshot& file, const std::string& path = "x.pickle") {
  const auto& frames = schema::embedded_log_table();
  const auto& owners = schema::embedded_owner_table();
  const snapshot::Story story = snapshot::tell(file, frames, owners);
  const SnapshotReport report = snapshot_report(file, story, frames, owners);
  ExplainReport explanation;
  explanation.path = path;
  return {snapshot_text(report, {}), snapshot_html(report, explanation), snapshot_json(report)};
}

}  // namespace

TEST_CASE("hostile names stay text on the page") {
  const std::string evil = "<script>alert(1)</script>\"'&\x1b[31m\xff";
  const Printed out = print(made(evil, "</style>/" + evil + ".py"), "</title><script>x</script>");
  CHECK(out.html.find("<script>alert") == std::string::npos);
  CHECK(out.html.find("</style>/") == std::string::npos);
  CHECK(out.html.find("</title><script>") == std::string::npos);
  CHECK(out.html.find("&lt;script&gt;alert(1)&lt;/script&gt;&quot;&#39;&amp;") != std::string::npos);
  CHECK(out.html.find('\x1b') == std::string::npos);
  CHECK(out.html.find('\xff') == std::string::npos);
  CHECK(out.text.find('\x1b') == std::string::npos);
}

TEST_CASE("the page needs nothing from outside") {
  const std::string html = print(made("f", "a.py")).html;
  for (const char* outside : {"http:", "https:", "src=", "href=", "@import", "url("})
    CHECK(html.find(outside) == std::string::npos);
  CHECK(html.find("default-src 'none'") != std::string::npos);
}

TEST_CASE("text fits eighty columns") {
  const Printed out = print(made(std::string(300, 'f'), "/" + std::string(300, 'a') + "/b.py"));
  std::string_view rest = out.text;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    CHECK(display_width(rest.substr(0, end)) <= 80);
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
}

TEST_CASE("figures of the document") {
  const auto json = print(made("f", "a.py")).json;
  const auto& device = json["devices"][0];
  CHECK(device["reserved_bytes"] == 4096);
  CHECK(device["allocated_bytes"] == 3072);
  CHECK(device["live_bytes"] == 3000);
  CHECK(device["moment"] == "dump");
  CHECK(device["uses"]["unknown"] == 3000);
  CHECK(device["owners"][0]["frame"] == "a.py:7 f");
  CHECK_FALSE(device.contains("failure"));
}

TEST_CASE("a snapshot without devices") {
  const Printed out = print(Snapshot());
  CHECK(out.text.find("no device") != std::string::npos);
  CHECK(out.json["devices"].empty());
}

}  // namespace headroom::report
