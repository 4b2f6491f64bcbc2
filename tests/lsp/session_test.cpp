// An editor session, recorded: a broken recipe is opened, findings appear, fixes are applied by code actions,
// findings go, comments stay. The transcript in data/session.txt is what went over the wire.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "client.hpp"

namespace headroom::lsp::test {
namespace {

const std::string folder = std::string(HEADROOM_SOURCE_DIR) + "/tests/lsp/data/";
const std::string uri = "file:///runs/broken.yaml";

std::string read(const std::string& name) {
  std::ifstream in(folder + name);
  std::ostringstream out;
  out << in.rdbuf();
  return out.str();
}

void golden(const std::string& name, const std::string& text) {
  if (std::getenv("HEADROOM_UPDATE_GOLDENS") != nullptr) {  // NOLINT(concurrency-mt-unsafe)
    std::ofstream(folder + name) << text;
    return;
  }
  CHECK(text == read(name));
}

std::vector<std::string> comments(const std::string& text) {
  std::vector<std::string> out;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) {
    if (const std::size_t at = line.find('#'); at != std::string::npos) out.push_back(line.substr(at));
  }
  return out;
}

}  // namespace

TEST_CASE("a session from a broken recipe to a clean one") {
  Client client({"recorded", {}, {}, {}});
  client.start();
  const std::string before = read("broken.yaml");
  client.open(uri, before);
  const auto found = client.codes(uri);
  REQUIRE(std::find(found.begin(), found.end(), "pipeline/layers-divisible") != found.end());
  while (!client.diagnostics(uri).empty()) {
    const std::size_t findings = client.diagnostics(uri).size();
    const Json first = client.diagnostics(uri)[0];
    const Json actions =
        client.request("textDocument/codeAction",
                       {{"textDocument", {{"uri", uri}}},
                        {"range", first["range"]},
                        {"context", {{"diagnostics", Json::array({first})}, {"only", {"quickfix"}}}}});
    REQUIRE_FALSE(actions.empty());
    client.apply(actions[0]["edit"]);
    REQUIRE(client.diagnostics(uri).size() < findings);
  }
  auto kept = comments(before);
  std::erase(kept, "# left over");  // its line is what the fix takes away
  auto now = comments(client.text(uri));
  std::erase(now, "# left over");
  CHECK(now == kept);
  golden("fixed.yaml", client.text(uri));
  client.notify("textDocument/didClose", {{"textDocument", {{"uri", uri}}}});
  client.request("shutdown");
  client.notify("exit");
  CHECK(client.server().exit_status() == 0);
  golden("session.txt", client.transcript());
}

}  // namespace headroom::lsp::test
