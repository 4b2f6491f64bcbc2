// The life of a session: states, errors, cancellation, messages that are none.
#include <catch2/catch.hpp>

#include "client.hpp"

namespace headroom::lsp::test {
namespace {

const std::string uri = "file:///repo/a%20b.yaml";
const std::string clean =
    "mixed_precision: bf16_mixed\nmodel:\n  num_layers: 4\n  pipeline_model_parallel_size: 2\n";
const std::string broken =
    "mixed_precision: bf16_mixed\nmodel:\n  num_layers: 5\n  pipeline_model_parallel_size: 2\n";

int code(const Json& answer) {
  return answer["error"]["code"];
}

}  // namespace

TEST_CASE("requests before initialize and after shutdown are refused") {
  Client client;
  CHECK(code(client.request("textDocument/hover", Json::object())) == -32002);
  client.open(uri, broken);  // dropped
  CHECK(client.diagnostics(uri).is_null());
  const Json provided = client.start();
  CHECK(provided["serverInfo"]["name"] == "headroom");
  CHECK(provided["capabilities"]["positionEncoding"] == "utf-16");
  CHECK(code(client.request("initialize", Json::object())) == -32600);
  CHECK(client.request("shutdown").is_null());
  CHECK(code(client.request("textDocument/hover", Json::object())) == -32600);
  CHECK_FALSE(client.server().exit_status());
  client.notify("exit");
  CHECK(client.server().exit_status() == 0);
}

TEST_CASE("exit without shutdown is status 1, before initialize too") {
  Client client;
  client.notify("exit");
  CHECK(client.server().exit_status() == 1);
  Client other;
  other.start();
  other.notify("exit");
  CHECK(other.server().exit_status() == 1);
}

TEST_CASE("what is no message gets an error, and the session goes on") {
  struct Row {
    std::string message;
    int code;
  };
  const Row rows[] = {
      {"", -32700},
      {"{", -32700},
      {"\xFF\xFE", -32700},
      {"[]", -32600},
      {"[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"shutdown\"}]", -32600},
      {"1", -32600},
      {"null", -32600},
      {"{}", -32600},
      {R"({"id": {}, "method": "shutdown"})", -32600},
      {R"({"id": 1.5, "method": "shutdown"})", -32600},
      {R"({"id": 1, "method": 7})", -32600},
      {R"({"id": 1})", -32600},
      {R"({"id": 1, "method": "no/such"})", -32601},
      {R"({"id": "x", "method": "$/no"})", -32601},
      {std::string(200000, '['), -32700},
  };
  Client client;
  client.start();
  for (const Row& row : rows) {
    INFO(row.message.substr(0, 80));
    const auto answers = client.together({row.message});
    REQUIRE(answers.size() == 1);
    CHECK(code(answers[0]) == row.code);
  }
  for (const auto& method : {"textDocument/hover", "textDocument/completion", "textDocument/codeAction",
                             "textDocument/documentLink"}) {
    for (const Json& params : {Json(nullptr), Json(1), Json::array(), Json({{"textDocument", 3}}),
                               Json({{"textDocument", {{"uri", "file:///none.yaml"}}}})}) {
      const Json answer = client.request(method, params);
      CHECK((answer.is_null() || answer.empty()));
    }
  }
  CHECK(code(client.request("completionItem/resolve")) == -32602);
  for (const auto& method : {"textDocument/didOpen", "textDocument/didChange", "textDocument/didClose",
                             "textDocument/didSave", "$/setTrace", "no/such"}) {
    client.notify(method, {{"textDocument", {{"uri", 1}}}, {"contentChanges", 5}});
    client.notify(method);
  }
  client.open(uri, broken);
  CHECK(client.codes(uri) == std::vector<std::string>{"pipeline/layers-divisible"});
}

TEST_CASE("ids are numbers or strings and come back as they were") {
  Client client;
  client.start();
  const auto answers = client.together({R"({"jsonrpc":"2.0","id":"a-1","method":"shutdown"})"});
  REQUIRE(answers.size() == 1);
  CHECK(answers[0]["id"] == "a-1");
}

TEST_CASE("a request that was cancelled meanwhile is not carried out") {
  Client client;
  client.start();
  client.open(uri, broken);
  const std::string hover =
      Json({{"id", 7},
            {"method", "textDocument/hover"},
            {"params", {{"textDocument", {{"uri", uri}}}, {"position", {{"line", 1}, {"character", 4}}}}}})
          .dump();
  const std::string cancel = R"({"method": "$/cancelRequest", "params": {"id": 7}})";
  const auto answers = client.together({hover, cancel});
  REQUIRE(answers.size() == 1);
  CHECK(code(answers[0]) == -32800);
  CHECK(client.together({cancel}).empty());               // too late: it was answered
  CHECK(client.together({hover})[0].contains("result"));  // the id is free again
}

TEST_CASE("diagnostics carry the version, several changes give one answer, closing clears") {
  Client client;
  client.start();
  client.open(uri, clean);
  CHECK(client.diagnostics(uri).empty());
  const auto change = [&](int version, const std::string& text) {
    return Json({{"method", "textDocument/didChange"},
                 {"params",
                  {{"textDocument", {{"uri", uri}, {"version", version}}},
                   {"contentChanges", Json::array({{{"text", text}}})}}}})
        .dump();
  };
  const auto answers = client.together({change(11, broken), change(12, clean), change(13, broken)});
  REQUIRE(answers.size() == 1);
  CHECK(client.published(uri)["version"] == 13);
  CHECK(client.codes(uri).size() == 1);
  client.notify("textDocument/didClose", {{"textDocument", {{"uri", uri}}}});
  CHECK(client.diagnostics(uri).empty());
  client.replace(uri, broken);  // no longer open
  CHECK(client.diagnostics(uri).empty());
}

TEST_CASE("options of the client are checked and hold") {
  Client client;
  client.start(Json::object(),
               {{"gpus", 4}, {"bridge", "0.5.1"}, {"gpux", 1}, {"advice", true}, {"env", {{"A", "1"}}}});
  REQUIRE(client.messages_shown().size() == 1);
  CHECK(client.messages_shown()[0]["params"]["message"].get<std::string>().starts_with(
      "headroom: no option 'gpux'; there are advice, "));
  client.open(uri,
              "model:\n  num_layers: 4\n  tensor_model_parallel_size: 8\n  num_attention_heads: 8\n"
              "  sequence_parallel: true\nmixed_precision: bf16_mixed\n");
  const Json hover = client.request("textDocument/hover", {{"textDocument", {{"uri", uri}}},
                                                           {"position", {{"line", 2}, {"character", 4}}}});
  CHECK(hover["contents"]["value"].get<std::string>().find("tensor_model_parallel_size") !=
        std::string::npos);
  CHECK_FALSE(client.codes(uri).empty());  // 8 ranks do not fit on 4 GPUs
  client.notify("workspace/didChangeConfiguration", {{"settings", {{"headroom", {{"gpus", 8}}}}}});
  CHECK(client.codes(uri).empty());
}

TEST_CASE("a client that can watch files is asked to watch .headroom.yaml") {
  int forgotten = 0;
  Client client({"test", {}, [&] { ++forgotten; }, {}});
  client.start({{"workspace", {{"didChangeWatchedFiles", {{"dynamicRegistration", true}}}}}});
  REQUIRE(client.messages_shown().size() == 1);
  CHECK(client.messages_shown()[0]["method"] == "client/registerCapability");
  client.together({R"({"jsonrpc":"2.0","id":"headroom-watch","result":null})"});
  client.notify("workspace/didChangeWatchedFiles", {{"changes", Json::array()}});
  CHECK(forgotten == 1);
}

}  // namespace headroom::lsp::test
