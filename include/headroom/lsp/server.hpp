// The language server without a transport: JSON-RPC messages in, messages out.
#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "headroom/lint/lint.hpp"

namespace headroom::lsp {

/// How one file is checked: what the command line and the nearest `.headroom.yaml` say.
struct Configuration {
  lint::Job job;                      ///< its text is filled in by the server
  std::vector<source::Error> errors;  ///< of `.headroom.yaml` and of rule files; the rest holds all the same
};

/// What the server needs from the world outside.
struct Host {
  std::string version;
  /// Asked when a file is opened and after `.headroom.yaml` changed.
  std::function<Configuration(const std::string& path)> configure;
  /// Forget what was read of `.headroom.yaml` files and rule packs.
  std::function<void()> forget;
  /// File or URL of a rule's page; empty: there is none.
  std::function<std::string(std::string_view rule)> page;
};

class Server {
 public:
  explicit Server(Host host);
  ~Server();
  Server(Server&&) noexcept;
  Server& operator=(Server&&) noexcept;

  /// Handles messages that arrived together, in order, and gives those to send. A request that a later one
  /// of them cancels is not carried out; diagnostics of a text that changes several times are made once.
  [[nodiscard]] std::vector<std::string> handle(const std::vector<std::string>& messages);
  /// Answer to a message that could not even be read.
  [[nodiscard]] static std::string unreadable(std::string_view why);

  /// Set once `exit` came: 0 after `shutdown`, else 1.
  [[nodiscard]] std::optional<int> exit_status() const;

 private:
  class Session;
  std::unique_ptr<Session> session_;
};

}  // namespace headroom::lsp
