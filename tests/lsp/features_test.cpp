// What an editor shows: findings, hovers, completions, fixes, links.
#include <algorithm>
#include <catch2/catch.hpp>

#include "client.hpp"

namespace headroom::lsp::test {
namespace {

const std::string uri = "file:///repo/run.yaml";
const std::string half = "mixed_precision: bf16_mixed\n";  // without it there is a finding

std::string page(std::string_view rule) {
  return rule == "pipeline/layers-divisible" ? "/share/rules/pipeline/layers divisible.md" : "";
}

Host host() {
  return {"test", {}, {}, page};
}

Json at(int line, int character, const std::string& of = uri) {
  return {{"textDocument", {{"uri", of}}}, {"position", {{"line", line}, {"character", character}}}};
}

// Opens a text in which `|` marks the cursor; parameters of a request there.
Json open_at(Client& client, std::string text, const std::string& of = uri) {
  const std::size_t cursor = text.find('|');
  text.erase(cursor, 1);
  client.open(of, text);
  const auto line = std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(cursor), '\n');
  const std::size_t start = cursor == 0 ? 0 : text.rfind('\n', cursor - 1) + 1;
  return at(static_cast<int>(line), static_cast<int>(cursor - start), of);
}

std::string hover_at(Client& client, const std::string& text) {
  const Json result = client.request("textDocument/hover", open_at(client, text));
  return result.is_null() ? std::string() : result["contents"]["value"].get<std::string>();
}

std::vector<std::string> completed(Client& client, const std::string& text, const std::string& of = uri) {
  const Json result = client.request("textDocument/completion", open_at(client, text, of));
  std::vector<std::string> out;
  if (result.is_null()) return out;
  for (const Json& item : result["items"]) out.push_back(item["label"]);
  return out;
}

bool holds(const std::vector<std::string>& list, const std::string& word) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

}  // namespace

TEST_CASE("a finding has its rule, page, related places and severity") {
  Client client(host());
  client.start();
  client.open(uri, half + "model:\n  num_layers: 5\n  pipeline_model_parallel_size: 2\n");
  REQUIRE(client.diagnostics(uri).size() == 1);
  const Json& d = client.diagnostics(uri)[0];
  CHECK(d["code"] == "pipeline/layers-divisible");
  CHECK(d["codeDescription"]["href"] == "file:///share/rules/pipeline/layers%20divisible.md");
  CHECK(d["source"] == "headroom");
  CHECK(d["severity"] == 1);
  CHECK(d["range"] ==
        Json({{"start", {{"line", 2}, {"character", 2}}}, {"end", {{"line", 2}, {"character", 15}}}}));
  REQUIRE(d["relatedInformation"].size() == 1);
  CHECK(d["relatedInformation"][0]["message"] == "model.pipeline_model_parallel_size");
}

TEST_CASE("a value without effect is faded") {
  Client client(host());
  client.start();
  client.open(uri, "model:\n  num_layers: 4\n  recompute_method: uniform\n" + half);
  REQUIRE(client.codes(uri) == std::vector<std::string>{"recompute/method-without-granularity"});
  CHECK(client.diagnostics(uri)[0]["tags"] == Json::array({1}));
  CHECK(client.diagnostics(uri)[0]["severity"] == 3);
}

TEST_CASE("files that are no training config get no findings") {
  Client client(host());
  client.start();
  for (const std::string text :
       {"services:\n  web:\n    image: x\n", "model:\n  backbone: resnet\n  depth: 50\n", "", "- a\n- b\n",
        "just text", "on:\n  push:\n    branches: [main]\n", "model: gpt\ntrain: true\n"}) {
    INFO(text);
    client.open(uri, text);
    CHECK(client.diagnostics(uri).empty());
    CHECK(client.actions(uri).empty());
    CHECK(client.request("textDocument/hover", at(0, 1)).is_null());
  }
  client.open("file:///repo/build.sh", "#!/bin/sh\nmake all\n", "shellscript");
  CHECK(client.diagnostics("file:///repo/build.sh").empty());
  client.open(uri, "headroom: {gpus: 8}\nmodel: {num_layrs: 4}\n");  // it says that it is one
  CHECK(client.codes(uri) == std::vector<std::string>{"schema-check/unknown-field"});
}

TEST_CASE("a text that cannot be read says where, once it was a config") {
  Client client(host());
  client.start();
  client.open(uri, half + "model:\n  num_layers: 4\n");
  CHECK(client.diagnostics(uri).empty());
  client.replace(uri, "model:\n  num_layers: 4\n  x: [1,\n");
  REQUIRE(client.diagnostics(uri).size() == 1);
  CHECK(client.diagnostics(uri)[0]["severity"] == 1);
  CHECK_FALSE(client.diagnostics(uri)[0].contains("code"));
  CHECK(client.actions(uri).empty());
  client.open("file:///repo/other.yaml", "a: [1,\n");
  CHECK(client.diagnostics("file:///repo/other.yaml").empty());
}

TEST_CASE("hover: meaning, effective value, origin, memory") {
  Client client(host());
  client.start({{"textDocument", {{"hover", {{"contentFormat", {"markdown", "plaintext"}}}}}}});
  const std::string model =
      "model: {num_layers: 4, hidden_size: 1024, num_attention_heads: 8, seq_length: 1024, vocab_size: "
      "32000}\n";
  const std::string dtype =
      hover_at(client, model + "mixed_precision: bf16_mixed\noptimizer:\n  b|f16: false\n");
  CHECK(dtype.find("**optimizer.bf16**") == 0);
  CHECK(dtype.find("rewritten by mixed_precision") != std::string::npos);
  CHECK(dtype.find("written: `false`") != std::string::npos);
  const std::string hidden = hover_at(client,
                                      "model: {num_layers: 4, hidden_si|ze: 1024, num_attention_heads: 8, "
                                      "seq_length: 1024, vocab_size: 32000}\n");
  CHECK(hidden.find("Width of the residual stream") != std::string::npos);
  CHECK(hidden.find("**Runs with** `1024`, as written here") != std::string::npos);
  CHECK(hidden.find("**Memory:**") != std::string::npos);
  CHECK(hover_at(client, "model:\n  num_layers: 4\n  # comm|ent\n").empty());
  Client plain(host());
  plain.start();
  CHECK(hover_at(plain, "model:\n  num_lay|ers: 4\n").find('*') == std::string::npos);
}

TEST_CASE("completion of keys and values") {
  Client client(host());
  client.start();
  const auto keys = completed(client, "model:\n  num_layers: 4\n  recompute_|\n");
  CHECK(holds(keys, "recompute_granularity"));
  CHECK_FALSE(holds(keys, "num_layers"));  // written already
  CHECK(holds(completed(client, "model:\n  num_layers: 4\n  recompute_granularity: |\n"), "selective"));
  CHECK(holds(completed(client, "model:\n  num_layers: 4\n  sequence_parallel: t|\n"), "true"));
  CHECK(holds(completed(client, "model:\n  num_layers: 4\nmixed_precision: |\n"), "bf16_mixed"));
  CHECK(holds(completed(client, "model:\n  num_layers: 4\nddp|\n"), "ddp"));
  CHECK(holds(completed(client, "model: {num_layers: 4, recom|\n"), "recompute_granularity"));
  CHECK(holds(completed(client, "model: {num_layers: 4}\nheadroom:\n  gpu: |\n"), "h100"));
  CHECK(holds(completed(client, "model: {num_layers: 4}\nheadroom:\n  |\n"), "gpus"));
  CHECK(holds(completed(client, "model: {num_layers: 4}\nheadroom: {bridge: |\n"), "0.5.1"));
  CHECK(completed(client, "services:\n  web|\n").empty());
}

TEST_CASE("completion speaks the language of the file") {
  Client client(host());
  client.start();
  CHECK(holds(completed(client, "actor_rollout_ref:\n  actor:\n    megatron:\n      tensor|\n"),
              "tensor_model_parallel_size"));
  const std::string script = "file:///repo/pretrain.sh";
  const std::string start = "torchrun pretrain_gpt.py --num-layers 4 --hidden-size 64 ";
  CHECK(holds(completed(client, start + "--recomp|\n", script), "--recompute-granularity"));
  CHECK(holds(completed(client, start + "--recompute-granularity |\n", script), "selective"));
}

TEST_CASE("a completion is inserted as text and can be described") {
  Client client(host());
  client.start();
  const Json result = client.request("textDocument/completion",
                                     open_at(client, "model:\n  num_layers: 4\n  recompute_gran|\n"));
  const auto found = std::find_if(result["items"].begin(), result["items"].end(),
                                  [](const Json& i) { return i["label"] == "recompute_granularity"; });
  REQUIRE(found != result["items"].end());
  CHECK((*found)["textEdit"]["newText"] == "recompute_granularity: ");
  CHECK((*found)["textEdit"]["range"]["start"] == Json({{"line", 2}, {"character", 2}}));
  const Json resolved = client.request("completionItem/resolve", *found);
  CHECK(resolved["documentation"]["value"].get<std::string>().find("selective") != std::string::npos);
}

TEST_CASE("fixes are verified edits; what changes results is never part of fixAll") {
  Client client(host());
  client.start();
  const std::string text =
      "# ours\nmodel:\n  num_layers: 4   # four\n  recompute_method: uniform\n  tensor_model_parallel_size: "
      "2\n"
      "  num_attention_heads: 4\n  sequence_parallel: true\n";
  client.open(uri, text + half);
  const Json all = client.actions(uri, {"source.fixAll"});
  REQUIRE(all.size() == 1);
  CHECK(all[0]["kind"] == "source.fixAll.headroom");
  CHECK(client.actions(uri, {"refactor"}).empty());
  CHECK(client.actions(uri, {"source.organizeImports"}).empty());
  const Json quick = client.actions(uri, {"quickfix"});
  REQUIRE_FALSE(quick.empty());
  for (const Json& action : quick) {
    CHECK(action["kind"] == "quickfix");
    CHECK(action["diagnostics"].size() == 1);
  }
  client.apply(all[0]["edit"]);
  CHECK(client.diagnostics(uri).empty());
  CHECK(client.text(uri).starts_with("# ours\nmodel:\n  num_layers: 4   # four\n"));
}

TEST_CASE("a fix is offered at its finding only, and not for the whole file at each move of the cursor") {
  Client client(host());
  client.start();
  client.open(uri, "model:\n  num_layers: 4\n  recompute_method: uniform\n" + half);
  const auto actions = [&](int line, int trigger) {
    const Json here = {{"line", line}, {"character", 0}};
    return client.request("textDocument/codeAction",
                          {{"textDocument", {{"uri", uri}}},
                           {"range", {{"start", here}, {"end", here}}},
                           {"context", {{"diagnostics", Json::array()}, {"triggerKind", trigger}}}});
  };
  CHECK(actions(0, 2).empty());
  CHECK_FALSE(actions(2, 2).empty());
  CHECK(actions(0, 1).size() == 1);  // fixAll
}

TEST_CASE("a finding can be ignored on its line, where a comment has room") {
  Client client(host());
  client.start();
  client.open(uri, "model:\n  num_layers: 4\n  recompute_method: uniform\n" + half);
  const Json quick = client.actions(uri, {"quickfix"});
  const Json& last = quick.back();
  CHECK(last["title"] == "Ignore recompute/method-without-granularity on this line");
  CHECK_FALSE(last.contains("isPreferred"));
  client.apply(last["edit"]);
  CHECK(client.diagnostics(uri).empty());
  CHECK(client.text(uri).find("uniform  # headroom: ignore[recompute/method-without-granularity]\n") !=
        std::string::npos);
  client.open(uri, "model:\n  num_layers: 4\n  recompute_method: uniform  # why\n" + half);
  for (const Json& action : client.actions(uri, {"quickfix"}))
    CHECK(action["title"].get<std::string>().find("Ignore") == std::string::npos);
}

TEST_CASE("edits carry the version where the client takes it") {
  Client client(host());
  client.start({{"workspace", {{"workspaceEdit", {{"documentChanges", true}}}}}});
  client.open(uri, "model:\n  num_layers: 4\n  recompute_method: uniform\n" + half);
  const Json edit = client.actions(uri)[0]["edit"];
  CHECK(edit["documentChanges"][0]["textDocument"] == Json({{"uri", uri}, {"version", 1}}));
}

TEST_CASE("rule ids in comments and in .headroom.yaml link to their pages") {
  Client client(host());
  client.start();
  client.open(uri, "model:\n  num_layers: 4  # headroom: ignore[pipeline/layers-divisible] and a/b\n");
  const Json links = client.request("textDocument/documentLink", {{"textDocument", {{"uri", uri}}}});
  REQUIRE(links.size() == 1);
  CHECK(links[0]["range"]["start"] == Json({{"line", 1}, {"character", 36}}));
  const std::string settings = "file:///repo/.headroom.yaml";
  client.open(settings, "ignore: [pipeline/layers-divisible]\n");
  CHECK(client.request("textDocument/documentLink", {{"textDocument", {{"uri", settings}}}}).size() == 1);
  CHECK(client.diagnostics(settings).empty());
}

TEST_CASE("what is wrong with .headroom.yaml shows there, and on top of the configs that it is for") {
  const source::Error problem{"no key 'gpux'", "/repo/.headroom.yaml", {{2, 1}, {2, 5}}, true};
  Client client({"test", [&](const std::string&) { return Configuration{{}, {problem}}; }, {}, {}});
  client.start();
  client.open("file:///repo/.headroom.yaml", "gpus: 8\ngpux: 1\n");
  const Json& own = client.diagnostics("file:///repo/.headroom.yaml");
  REQUIRE(own.size() == 1);
  CHECK(own[0]["range"]["start"]["line"] == 1);
  client.open(uri, "# c\nmodel:\n  num_layers: 4\n" + half);
  REQUIRE(client.diagnostics(uri).size() == 1);
  CHECK(client.diagnostics(uri)[0]["message"] == "/repo/.headroom.yaml:2:1: no key 'gpux'");
  CHECK(client.diagnostics(uri)[0]["range"]["start"]["line"] == 1);
}

}  // namespace headroom::lsp::test
