#include "client.hpp"

#include <algorithm>

namespace headroom::lsp::test {
namespace {

// Offset of a position in UTF-16 units, by counting from the start of the text.
std::size_t offset_of(const std::string& text, const Json& position) {
  std::size_t at = 0;
  for (int line = position["line"]; line > 0; --line) at = text.find('\n', at) + 1;
  for (int units = position["character"]; units > 0;) {
    const auto lead = static_cast<unsigned char>(text.at(at));
    const std::size_t bytes = lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
    units -= bytes == 4 ? 2 : 1;
    at += bytes;
  }
  return at;
}

}  // namespace

Client::Client(Host host) : server_(std::move(host)) {}

void Client::send(const Json& message) {
  transcript_ += "-> " + message.dump() + "\n";
  receive(server_.handle({message.dump()}));
}

void Client::receive(const std::vector<std::string>& answers) {
  for (const auto& text : answers) {
    transcript_ += "<- " + text + "\n";
    const Json message = Json::parse(text);
    if (message.value("method", "") == "textDocument/publishDiagnostics") {
      published_[message["params"]["uri"]] = message["params"];
    } else if (message.contains("method")) {
      shown_.push_back(message);
    } else {
      answer_ = message;
    }
  }
}

std::vector<Json> Client::together(const std::vector<std::string>& messages) {
  std::vector<Json> out;
  const auto answers = server_.handle(messages);
  receive(answers);
  for (const auto& text : answers) out.push_back(Json::parse(text));
  return out;
}

Json Client::start(Json capabilities, Json options) {
  Json params = {{"processId", nullptr}, {"rootUri", nullptr}, {"capabilities", std::move(capabilities)}};
  if (!options.is_null()) params["initializationOptions"] = std::move(options);
  Json result = request("initialize", std::move(params));
  notify("initialized", Json::object());
  return result;
}

Json Client::request(const std::string& method, Json params) {
  answer_ = nullptr;
  Json message = {{"jsonrpc", "2.0"}, {"id", ++next_id_}, {"method", method}};
  if (!params.is_null()) message["params"] = std::move(params);
  send(message);
  if (answer_.is_object() && answer_.contains("result")) return answer_["result"];
  return answer_;
}

void Client::notify(const std::string& method, Json params) {
  Json message = {{"jsonrpc", "2.0"}, {"method", method}};
  if (!params.is_null()) message["params"] = std::move(params);
  send(message);
}

void Client::open(const std::string& uri, const std::string& text, const std::string& language) {
  texts_[uri] = text;
  notify(
      "textDocument/didOpen",
      {{"textDocument", {{"uri", uri}, {"languageId", language}, {"version", ++version_}, {"text", text}}}});
}

void Client::replace(const std::string& uri, const std::string& text) {
  texts_[uri] = text;
  notify("textDocument/didChange", {{"textDocument", {{"uri", uri}, {"version", ++version_}}},
                                    {"contentChanges", Json::array({{{"text", text}}})}});
}

void Client::apply(const Json& workspace_edit) {
  for (const auto& [uri, edits] : workspace_edit["changes"].items()) {
    std::vector<Json> sorted(edits.begin(), edits.end());
    std::string& text = texts_[uri];
    std::sort(sorted.begin(), sorted.end(), [&](const Json& a, const Json& b) {  // last first
      return offset_of(text, a["range"]["start"]) > offset_of(text, b["range"]["start"]);
    });
    Json changes = Json::array();
    for (const Json& edit : sorted) {
      const std::size_t begin = offset_of(text, edit["range"]["start"]);
      const std::size_t end = offset_of(text, edit["range"]["end"]);
      text.replace(begin, end - begin, edit["newText"].get<std::string>());
      changes.push_back({{"range", edit["range"]}, {"text", edit["newText"]}});
    }
    notify("textDocument/didChange",
           {{"textDocument", {{"uri", uri}, {"version", ++version_}}}, {"contentChanges", changes}});
  }
}

std::vector<std::string> Client::codes(const std::string& uri) {
  std::vector<std::string> out;
  for (const Json& d : diagnostics(uri)) out.push_back(d.value("code", ""));
  return out;
}

Json Client::actions(const std::string& uri, Json only) {
  Json context = {{"diagnostics", Json::array()}};
  if (!only.is_null()) context["only"] = std::move(only);
  return request(
      "textDocument/codeAction",
      {{"textDocument", {{"uri", uri}}},
       {"range", {{"start", {{"line", 0}, {"character", 0}}}, {"end", {{"line", 9999}, {"character", 0}}}}},
       {"context", context}});
}

}  // namespace headroom::lsp::test
