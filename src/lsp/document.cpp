#include "document.hpp"

#include <algorithm>

#include "uri.hpp"

namespace headroom::lsp {
namespace {

constexpr std::string_view settings_name = ".headroom.yaml";

// A text that was never saved has no name that says what it is.
std::string unsaved_name(const std::string& language) {
  if (language == "shellscript" || language == "sh" || language == "bash") return "untitled.sh";
  if (language == "json" || language == "jsonc") return "untitled.json";
  return "untitled.yaml";
}

bool has_section_line(const Text& text) {
  const schema::Schema& schema = schema::embedded_schema();
  for (std::size_t i = 0; i < text.line_count(); ++i) {
    const std::string_view line = text.line(i);
    const std::size_t colon = line.find(':');
    if (colon != std::string_view::npos && schema.find_section(line.substr(0, colon)) != nullptr) return true;
  }
  return false;
}

bool has_block(const source::Document& doc) {
  return doc.root != source::no_node && doc.find(doc.root, "headroom") != source::no_node;
}

// Sections such as `model` and `train` have other programs, too: what counts is that most of the keys in
// them are fields.
bool mostly_fields(const dialect::Settings& settings) {
  const auto unknown =
      std::count_if(settings.problems.begin(), settings.problems.end(),
                    [](const dialect::Problem& p) { return p.rule == "schema-check/unknown-field"; });
  const auto known =
      std::count_if(settings.settings.begin(), settings.settings.end(), [](const dialect::Setting& s) {
        return s.place.from == dialect::From::file && s.place.written_name.find('.') != std::string::npos;
      });
  return known > 0 && unknown <= known + 1;
}

}  // namespace

Document::Document(std::string uri, const std::string& language, std::int64_t version, Text text)
    : uri_(std::move(uri)), version_(version), text_(std::move(text)) {
  path_ = path_of_uri(uri_).value_or("");
  name_ = path_.empty() ? unsaved_name(language) : path_;
}

void Document::configure(const Host& host, const ClientOptions& options) {
  configuration_ = host.configure ? host.configure(path_) : Configuration{};
  lint::Job& job = configuration_.job;
  job.command_line = lint::merge(options.context, job.command_line);
  job.want_advice = job.want_advice || options.advice;
  forget_check();
  last_.reset();  // it may point into rule packs that are gone
}

void Document::change(const Json& changes, std::int64_t version) {
  if (changes.is_array()) {
    for (const Json& change : changes) text_.change(change);
  }
  version_ = version;
  source_.reset();
  forget_check();
}

void Document::forget_check() {
  std::optional<lint::Outcome>& newest = fixed_ ? fixed_ : outcome_;
  if (newest && !newest->unreadable) last_ = std::move(newest);
  outcome_.reset();
  fixed_.reset();
}

const lint::Outcome* Document::last_readable() {
  const lint::Outcome& now = outcome();
  if (!now.unreadable) return &now;
  return last_ ? &*last_ : nullptr;
}

bool Document::is_settings() const {
  return path_ == settings_name ||
         (path_.ends_with(settings_name) && path_[path_.size() - settings_name.size() - 1] == '/');
}

lint::Job Document::job(bool fixes) const {
  lint::Job job = configuration_.job;
  job.text = source_;
  job.want_fixes = fixes;
  return job;
}

const source::SourceText& Document::source() {
  if (source_ == nullptr) source_ = std::make_shared<const source::SourceText>(name_, text_.bytes());
  return *source_;
}

const lint::Outcome& Document::outcome() {
  if (fixed_) return *fixed_;
  static_cast<void>(source());
  if (!outcome_) outcome_ = lint::lint(job(false));
  return *outcome_;
}

const lint::Outcome& Document::with_fixes() {
  if (!fixed_) {
    static_cast<void>(source());
    fixed_ = lint::lint(job(true));
  }
  return *fixed_;
}

bool Document::is_config() {
  if (is_settings()) return false;
  const lint::Outcome& checked = outcome();
  if (checked.unreadable) return was_config_ || has_section_line(text_);
  if (checked.settings.script != nullptr) {
    was_config_ = checked.opened.trains;
  } else {
    was_config_ = checked.opened.table != nullptr || !configuration_.job.dialect.empty() ||
                  (checked.document != nullptr && has_block(*checked.document)) ||
                  mostly_fields(checked.settings);
  }
  return was_config_;
}

}  // namespace headroom::lsp
