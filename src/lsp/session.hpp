// One client: life cycle, open documents, and which function answers which method.
#pragma once
#include <map>
#include <set>
#include <string>
#include <vector>

#include "features.hpp"

namespace headroom::lsp {

class Server::Session {
 public:
  explicit Session(Host host);

  [[nodiscard]] std::vector<std::string> handle(const std::vector<std::string>& messages);
  [[nodiscard]] std::optional<int> exit_status() const { return exit_; }

 private:
  enum class State : std::uint8_t { fresh, running, shut_down };
  struct Failure {
    int code;
    std::string message;
  };
  struct Reply {
    Json result;
    std::optional<Failure> failure;
  };
  using Request = Reply (Session::*)(const Json& params);
  using Notification = void (Session::*)(const Json& params);

  void take(const Json& message);
  void answer(const Json& id, const std::string& method, const Json& params);
  void notice(const std::string& method, const Json& params);
  void send(Json message);
  void publish_changed();
  void note_cancelled(const std::vector<Json>& messages);

  Reply initialize(const Json& params);
  Reply shut_down(const Json& params);
  Reply on_code_action(const Json& params);
  Reply on_hover(const Json& params);
  Reply on_completion(const Json& params);
  Reply on_resolve(const Json& params);
  Reply on_links(const Json& params);
  void initialized(const Json& params);
  void did_open(const Json& params);
  void did_change(const Json& params);
  void did_close(const Json& params);
  void did_save(const Json& params);
  void did_change_options(const Json& params);
  void did_change_files(const Json& params);
  void exit(const Json& params);

  [[nodiscard]] static const std::map<std::string, Request>& requests();
  [[nodiscard]] static const std::map<std::string, Notification>& notifications();
  [[nodiscard]] Document* find(const Json& params);
  void read_options(const Json& options);
  void configure_again();

  Host host_;
  Client client_;
  ClientOptions options_;
  State state_ = State::fresh;
  bool can_watch_ = false;
  std::optional<int> exit_;
  std::map<std::string, Document> documents_;  // by URI
  std::set<std::string> changed_;              // URIs whose diagnostics are to be sent
  std::set<Json> cancelled_;                   // ids
  std::vector<std::string> out_;
};

}  // namespace headroom::lsp
