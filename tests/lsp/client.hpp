// A client of the server without a process: it keeps texts itself and applies edits by its own code.
#pragma once
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "headroom/lsp/server.hpp"

namespace headroom::lsp::test {

using Json = nlohmann::json;

class Client {
 public:
  explicit Client(Host host = {"test", {}, {}, {}});

  /// `initialize` and `initialized`; the result of the former.
  Json start(Json capabilities = Json::object(), Json options = nullptr);
  /// Sends a request; `result`, or the whole answer where it is an error.
  Json request(const std::string& method, Json params = nullptr);
  void notify(const std::string& method, Json params = nullptr);
  /// Raw bytes of several messages that arrive together; what comes back.
  std::vector<Json> together(const std::vector<std::string>& messages);

  void open(const std::string& uri, const std::string& text, const std::string& language = "yaml");
  /// Replaces the text as a whole.
  void replace(const std::string& uri, const std::string& text);
  /// Applies the edits of a code action to its own text and tells the server so, range by range.
  void apply(const Json& workspace_edit);

  [[nodiscard]] const Json& diagnostics(const std::string& uri) { return published_[uri]["diagnostics"]; }
  [[nodiscard]] const Json& published(const std::string& uri) { return published_[uri]; }
  [[nodiscard]] const std::string& text(const std::string& uri) { return texts_[uri]; }
  [[nodiscard]] std::vector<std::string> codes(const std::string& uri);
  [[nodiscard]] std::vector<Json> messages_shown() const { return shown_; }
  [[nodiscard]] Server& server() { return server_; }
  /// Everything that was said, one line a message, `->` to the server and `<-` from it.
  [[nodiscard]] const std::string& transcript() const { return transcript_; }

  /// Code actions of a whole text.
  Json actions(const std::string& uri, Json only = nullptr);

 private:
  void send(const Json& message);
  void receive(const std::vector<std::string>& answers);

  Server server_;
  int next_id_ = 0, version_ = 0;
  Json answer_;
  std::map<std::string, std::string> texts_;
  std::map<std::string, Json> published_;
  std::vector<Json> shown_;
  std::string transcript_;
};

}  // namespace headroom::lsp::test
