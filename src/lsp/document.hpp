// An open file: its text, how it is checked, and what the check said.
#pragma once
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "headroom/lsp/server.hpp"
#include "text.hpp"

namespace headroom::lsp {

/// What a client sent in `initializationOptions` or `workspace/didChangeConfiguration`: as on the command
/// line.
struct ClientOptions {
  lint::ContextOptions context;
  bool advice = false;
};

class Document {
 public:
  Document(std::string uri, const std::string& language, std::int64_t version, Text text);

  void configure(const Host& host, const ClientOptions& options);
  void change(const Json& changes, std::int64_t version);

  [[nodiscard]] const std::string& uri() const { return uri_; }
  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] std::int64_t version() const { return version_; }
  [[nodiscard]] const Text& text() const { return text_; }
  [[nodiscard]] const std::vector<source::Error>& errors() const { return configuration_.errors; }
  /// `.headroom.yaml` itself.
  [[nodiscard]] bool is_settings() const;

  [[nodiscard]] const source::SourceText& source();
  /// The check of the text as it is now, made when first asked for; without fixes.
  [[nodiscard]] const lint::Outcome& outcome();
  /// The same with fixes.
  [[nodiscard]] const lint::Outcome& with_fixes();
  /// The last check of a text that could be read; null: there was none.
  [[nodiscard]] const lint::Outcome* last_readable();
  [[nodiscard]] lint::Job job(bool fixes) const;
  /// Whether the text is a training config or starts one. An editor sends every YAML file and script.
  [[nodiscard]] bool is_config();

 private:
  std::string uri_, path_, name_;
  std::int64_t version_;
  Text text_;
  Configuration configuration_;
  std::shared_ptr<const source::SourceText> source_;
  std::optional<lint::Outcome> outcome_, fixed_, last_;
  void forget_check();

  bool was_config_ = false;  // when it could last be read
};

}  // namespace headroom::lsp
