#include "session.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <exception>

#include "publish.hpp"

namespace headroom::lsp {
namespace {

// JSON-RPC 2.0 and the protocol's own.
enum Code : int {
  parse_error = -32700,
  invalid_request = -32600,
  method_not_found = -32601,
  invalid_params = -32602,
  internal_error = -32603,
  not_initialized = -32002,
  request_cancelled = -32800,
};

constexpr int message_error = 1;
constexpr int message_warning = 2;

Json failure(const Json& id, int code, std::string_view message) {
  return {{"jsonrpc", "2.0"}, {"id", id}, {"error", {{"code", code}, {"message", message}}}};
}

Json notification(std::string_view method, Json params) {
  return {{"jsonrpc", "2.0"}, {"method", method}, {"params", std::move(params)}};
}

std::string written(const Json& message) {
  return message.dump(-1, ' ', false, Json::error_handler_t::replace);
}

bool is_id(const Json& id) {
  return id.is_number_integer() || id.is_string();
}

}  // namespace

Server::Session::Session(Host host) : host_(std::move(host)) {}

const std::map<std::string, Server::Session::Request>& Server::Session::requests() {
  static const std::map<std::string, Request> table{
      {"initialize", &Session::initialize},
      {"shutdown", &Session::shut_down},
      {"textDocument/codeAction", &Session::on_code_action},
      {"textDocument/hover", &Session::on_hover},
      {"textDocument/completion", &Session::on_completion},
      {"completionItem/resolve", &Session::on_resolve},
      {"textDocument/documentLink", &Session::on_links},
  };
  return table;
}

const std::map<std::string, Server::Session::Notification>& Server::Session::notifications() {
  static const std::map<std::string, Notification> table{
      {"initialized", &Session::initialized},
      {"exit", &Session::exit},
      {"textDocument/didOpen", &Session::did_open},
      {"textDocument/didChange", &Session::did_change},
      {"textDocument/didClose", &Session::did_close},
      {"textDocument/didSave", &Session::did_save},
      {"workspace/didChangeConfiguration", &Session::did_change_options},
      {"workspace/didChangeWatchedFiles", &Session::did_change_files},
  };
  return table;
}

std::vector<std::string> Server::Session::handle(const std::vector<std::string>& messages) {
  out_.clear();
  std::vector<Json> parsed;
  for (const auto& message : messages) parsed.push_back(Json::parse(message, nullptr, false));
  note_cancelled(parsed);
  for (const Json& message : parsed) {
    if (exit_) break;
    take(message);
  }
  cancelled_.clear();
  if (!exit_) publish_changed();
  return std::move(out_);
}

// Ids can come again once they were answered: only those of these messages count.
void Server::Session::note_cancelled(const std::vector<Json>& messages) {
  for (const Json& message : messages) {
    if (string_at(message, {"method"}) == "$/cancelRequest") cancelled_.insert(at(message, {"params", "id"}));
  }
}

void Server::Session::take(const Json& message) {
  if (message.is_discarded()) return send(failure(nullptr, parse_error, "the message is no JSON"));
  const Json& id = at(message, {"id"});
  const Json& method = at(message, {"method"});
  if (!message.is_object() || (!id.is_null() && !is_id(id)) || (!method.is_null() && !method.is_string()))
    return send(failure(nullptr, invalid_request, "the message is no request of JSON-RPC 2.0"));
  if (method.is_null()) {
    // The answer to a request of ours; there is nothing to do with it.
    if (message.contains("result") || message.contains("error")) return;
    return send(failure(id, invalid_request, "the message has no method"));
  }
  const Json& params = at(message, {"params"});
  try {
    if (id.is_null()) {
      notice(method.get<std::string>(), params);
    } else {
      answer(id, method.get<std::string>(), params);
    }
  } catch (const std::exception& error) {  // a bug: the client shall not lose its server for it
    if (!id.is_null())
      return send(failure(id, internal_error, fmt::format("a bug in headroom: {}", error.what())));
    send(notification(
        "window/logMessage",
        {{"type", message_error}, {"message", fmt::format("a bug in headroom: {}", error.what())}}));
  }
}

void Server::Session::answer(const Json& id, const std::string& method, const Json& params) {
  if (state_ == State::fresh && method != "initialize")
    return send(failure(id, not_initialized, "`initialize` has to come first"));
  if (state_ == State::shut_down) return send(failure(id, invalid_request, "the server was shut down"));
  if (cancelled_.contains(id)) return send(failure(id, request_cancelled, "cancelled"));
  const auto found = requests().find(method);
  if (found == requests().end())
    return send(failure(id, method_not_found, fmt::format("no method {}", method)));
  Reply reply = (this->*found->second)(params);
  if (reply.failure) return send(failure(id, reply.failure->code, reply.failure->message));
  send({{"jsonrpc", "2.0"}, {"id", id}, {"result", std::move(reply.result)}});
}

void Server::Session::notice(const std::string& method, const Json& params) {
  if (state_ != State::running && method != "exit") return;
  const auto found = notifications().find(method);
  if (found != notifications().end()) (this->*found->second)(params);
}

void Server::Session::send(Json message) {
  out_.push_back(written(message));
}

void Server::Session::publish_changed() {
  for (const auto& uri : changed_) {
    const auto found = documents_.find(uri);
    if (found == documents_.end()) continue;
    try {
      send(notification("textDocument/publishDiagnostics",
                        {{"uri", uri},
                         {"version", found->second.version()},
                         {"diagnostics", diagnostics(found->second, host_)}}));
    } catch (const std::exception& error) {
      send(notification(
          "window/logMessage",
          {{"type", message_error}, {"message", fmt::format("a bug in headroom: {}", error.what())}}));
    }
  }
  changed_.clear();
}

Server::Session::Reply Server::Session::initialize(const Json& params) {
  if (state_ != State::fresh) return {nullptr, Failure{invalid_request, "`initialize` came twice"}};
  const Json& capabilities = at(params, {"capabilities"});
  const auto lists = [](const Json& list, const char* wanted) {
    return list.is_array() && std::find(list.begin(), list.end(), Json(wanted)) != list.end();
  };
  if (lists(at(capabilities, {"general", "positionEncodings"}), "utf-8")) client_.encoding = Encoding::utf8;
  client_.document_changes = is_true(capabilities, {"workspace", "workspaceEdit", "documentChanges"});
  client_.markdown = lists(at(capabilities, {"textDocument", "hover", "contentFormat"}), "markdown");
  can_watch_ = is_true(capabilities, {"workspace", "didChangeWatchedFiles", "dynamicRegistration"});
  read_options(at(params, {"initializationOptions"}));
  state_ = State::running;
  const Json provided = {
      {"positionEncoding", client_.encoding == Encoding::utf8 ? "utf-8" : "utf-16"},
      {"textDocumentSync", {{"openClose", true}, {"change", 2}, {"save", {{"includeText", false}}}}},
      {"codeActionProvider", {{"codeActionKinds", {"quickfix", "source.fixAll.headroom"}}}},
      {"hoverProvider", true},
      {"completionProvider", {{"triggerCharacters", {":", " ", "-", "="}}, {"resolveProvider", true}}},
      {"documentLinkProvider", {{"resolveProvider", false}}}};
  return {{{"capabilities", provided}, {"serverInfo", {{"name", "headroom"}, {"version", host_.version}}}},
          {}};
}

Server::Session::Reply Server::Session::shut_down(const Json& /*params*/) {
  state_ = State::shut_down;
  documents_.clear();
  return {nullptr, {}};
}

Server::Session::Reply Server::Session::on_code_action(const Json& params) {
  Document* document = find(params);
  return {document == nullptr ? Json::array() : code_actions(*document, params, client_, host_), {}};
}

Server::Session::Reply Server::Session::on_hover(const Json& params) {
  Document* document = find(params);
  return {document == nullptr ? Json(nullptr) : hover(*document, params, client_), {}};
}

Server::Session::Reply Server::Session::on_completion(const Json& params) {
  Document* document = find(params);
  return {document == nullptr ? Json(nullptr) : completion(*document, params, client_), {}};
}

Server::Session::Reply Server::Session::on_resolve(const Json& params) {
  if (!params.is_object()) return {nullptr, Failure{invalid_params, "a completion item is an object"}};
  return {resolve_completion(params, client_), {}};
}

Server::Session::Reply Server::Session::on_links(const Json& params) {
  Document* document = find(params);
  return {document == nullptr ? Json::array() : document_links(*document, host_), {}};
}

void Server::Session::initialized(const Json& /*params*/) {
  if (!can_watch_) return;
  const Json watchers = Json::array({{{"globPattern", "**/.headroom.yaml"}}});
  const Json registration = {{"id", "headroom-settings"},
                             {"method", "workspace/didChangeWatchedFiles"},
                             {"registerOptions", {{"watchers", watchers}}}};
  send({{"jsonrpc", "2.0"},
        {"id", "headroom-watch"},
        {"method", "client/registerCapability"},
        {"params", {{"registrations", Json::array({registration})}}}});
}

void Server::Session::did_open(const Json& params) {
  const Json& opened = at(params, {"textDocument"});
  const std::string uri = string_at(opened, {"uri"});
  if (uri.empty()) return;
  Document document(uri, string_at(opened, {"languageId"}), integer_at(opened, {"version"}).value_or(0),
                    Text(string_at(opened, {"text"}), client_.encoding));
  document.configure(host_, options_);
  documents_.insert_or_assign(uri, std::move(document));
  changed_.insert(uri);
}

void Server::Session::did_change(const Json& params) {
  Document* document = find(params);
  if (document == nullptr) return;
  document->change(at(params, {"contentChanges"}),
                   integer_at(params, {"textDocument", "version"}).value_or(document->version()));
  changed_.insert(document->uri());
}

void Server::Session::did_close(const Json& params) {
  const std::string uri = string_at(params, {"textDocument", "uri"});
  if (documents_.erase(uri) == 0) return;
  changed_.erase(uri);
  send(notification("textDocument/publishDiagnostics", {{"uri", uri}, {"diagnostics", Json::array()}}));
}

void Server::Session::did_save(const Json& params) {
  const Document* document = find(params);
  if (document != nullptr && document->is_settings()) configure_again();
}

void Server::Session::did_change_options(const Json& params) {
  read_options(at(params, {"settings", "headroom"}));
  configure_again();
}

void Server::Session::did_change_files(const Json& /*params*/) {
  configure_again();
}

void Server::Session::exit(const Json& /*params*/) {
  exit_ = state_ == State::shut_down ? 0 : 1;
}

Document* Server::Session::find(const Json& params) {
  const auto found = documents_.find(string_at(params, {"textDocument", "uri"}));
  return found == documents_.end() ? nullptr : &found->second;
}

// The keys of a `headroom:` block, and `advice`.
void Server::Session::read_options(const Json& options) {
  if (!options.is_object()) return;
  options_ = {};
  std::vector<std::string> complaints;
  for (const auto& [key, value] : options.items()) {
    if (value.is_null()) continue;
    if (key == "advice") {
      options_.advice = value.is_boolean() && value.get<bool>();
    } else if (key == "env" && value.is_object()) {
      options_.context.env_complete = true;
      for (const auto& [name, text] : value.items()) {
        const std::string word = text.is_null()     ? name
                                 : text.is_string() ? name + "=" + text.get<std::string>()
                                                    : name + "=" + written(text);
        if (auto complaint = lint::set_environment(options_.context, word, "env"))
          complaints.push_back(*complaint);
      }
    } else {
      const auto known = lint::context_keys();
      const std::string text = value.is_string() ? value.get<std::string>() : written(value);
      if (std::find(known.begin(), known.end(), key) == known.end() || key == "env") {
        complaints.push_back(
            fmt::format("no option '{}'; there are advice, {}", key, fmt::join(known, ", ")));
      } else if (auto complaint = lint::set_context(options_.context, key, text, key)) {
        complaints.push_back(*complaint);
      }
    }
  }
  for (const auto& complaint : complaints)
    send(notification("window/showMessage",
                      {{"type", message_warning}, {"message", "headroom: " + complaint}}));
}

void Server::Session::configure_again() {
  if (host_.forget) host_.forget();
  for (auto& [uri, document] : documents_) {
    document.configure(host_, options_);
    changed_.insert(uri);
  }
}

Server::Server(Host host) : session_(std::make_unique<Session>(std::move(host))) {}
Server::~Server() = default;
Server::Server(Server&&) noexcept = default;
Server& Server::operator=(Server&&) noexcept = default;

std::vector<std::string> Server::handle(const std::vector<std::string>& messages) {
  return session_->handle(messages);
}

std::string Server::unreadable(std::string_view why) {
  return written(failure(nullptr, parse_error, why));
}

std::optional<int> Server::exit_status() const {
  return session_->exit_status();
}

}  // namespace headroom::lsp
