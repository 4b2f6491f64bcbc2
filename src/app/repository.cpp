#include "repository.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "context.hpp"
#include "glob.hpp"
#include "headroom/lang/check.hpp"

namespace headroom::app {
namespace {

namespace fs = std::filesystem;
using source::Document;
using source::Node;
using source::NodeKind;

constexpr std::string_view file_name = ".headroom.yaml";
const std::vector<std::string_view>& keys() {
  static const std::vector<std::string_view> all{
      "bridge", "mcore",       "te",     "torch",       "gpus",     "gpu",      "gpu_memory",
      "model",  "layer",       "env",    "env_file",    "select",   "ignore",   "fail_on",
      "rules",  "host_memory", "margin", "calibration", "severity", "overrides"};
  return all;
}

class Reader {
 public:
  Reader(const Document& doc, Repository& out) : doc_(doc), repository_(out), out_(&out.settings) {}

  // The first mistake, if there is one.
  std::optional<source::Error> read() {
    if (doc_.root == source::no_node) return {};
    const Node& root = doc_.node(doc_.root);
    if (root.kind == NodeKind::scalar && root.value.is_null()) return {};
    if (root.kind != NodeKind::mapping) return at(root, "expected a mapping, such as `bridge: 0.6.0`");
    for (const auto& member : root.members) {
      const Node& key = doc_.node(member.key);
      const Node& value = doc_.node(member.value);
      auto error = key.text == "overrides" ? overrides(value) : entry(key, value);
      if (error) return error;
    }
    return {};
  }

 private:
  [[nodiscard]] source::Error at(const Node& node, std::string message) const {
    return {std::move(message), doc_.source->name(), doc_.source->location(node.span), true};
  }

  std::optional<source::Error> entry(const Node& key, const Node& value) {
    const std::string& name = key.text;
    if (name == "env") return environment(value);
    if (name == "calibration") return calibration(value);
    if (name == "severity") return severities(value);
    if (name == "select") return list(out_->select, value);
    if (name == "ignore") return list(out_->ignore, value);
    if (name == "rules") return folders(value);
    if (name == "overrides") return at(key, "an override has no overrides of its own");
    if (std::find(keys().begin(), keys().end(), name) == keys().end()) {
      return at(key, fmt::format("unknown key '{}'{}", name, lang::did_you_mean(name, keys())));
    }
    if (value.kind != NodeKind::scalar) return at(value, fmt::format("{}: expected a single value", name));
    if (value.value.is_null()) return {};  // said to be unknown
    if (name == "env_file") return environment_file(value);
    if (name == "fail_on") return fail_on(value);
    if (auto complaint = lint::set_context(out_->context, name, value.text, name))
      return at(value, *complaint);
    return {};
  }

  // `- {files: conf/h200/**, gpu: h200}`
  std::optional<source::Error> overrides(const Node& value) {
    if (value.kind == NodeKind::scalar && value.value.is_null()) return {};
    if (value.kind != NodeKind::sequence)
      return at(value, "overrides: expected a list, such as `- {files: conf/h200/**, gpu: h200}`");
    for (const auto id : value.items) {
      const Node& item = doc_.node(id);
      if (item.kind != NodeKind::mapping)
        return at(item, "overrides: expected a mapping with `files` and settings");
      repository_.overrides.emplace_back();
      RepositoryOverride& made = repository_.overrides.back();
      out_ = &made.settings;
      for (const auto& member : item.members) {
        const Node& key = doc_.node(member.key);
        const Node& what = doc_.node(member.value);
        auto error = key.text == "files" ? list(made.files, what) : entry(key, what);
        if (error) return error;
      }
      if (made.files.empty()) return at(item, "overrides: say which `files` it is for");
    }
    out_ = &repository_.settings;
    return {};
  }

  // `{offload/*: warning, moe: off}`
  std::optional<source::Error> severities(const Node& value) {
    if (value.kind == NodeKind::scalar && value.value.is_null()) return {};
    if (value.kind != NodeKind::mapping)
      return at(value, "severity: expected a mapping of rules to severities");
    for (const auto& member : value.members) {
      const Node& name = doc_.node(member.value);
      if (name.kind != NodeKind::scalar) return at(name, "severity: expected a single value");
      auto change = severity_change(doc_.node(member.key).text, name.text);
      if (!change) return at(name, "severity: " + change.error());
      out_->severities.push_back(std::move(*change));
    }
    return {};
  }

  std::optional<source::Error> environment(const Node& value) {
    if (value.kind == NodeKind::scalar && value.value.is_null()) return {};
    if (value.kind != NodeKind::mapping) return at(value, "env: expected a mapping of names to values");
    out_->context.env_complete = true;
    for (const auto& member : value.members) {
      const Node& name = doc_.node(member.key);
      const Node& text = doc_.node(member.value);
      if (text.kind != NodeKind::scalar) return at(text, "env: expected a single value");
      const std::string word = text.value.is_null() ? name.text : name.text + "=" + text.text;
      if (auto complaint = lint::set_environment(out_->context, word, "env")) return at(name, *complaint);
    }
    return {};
  }

  std::optional<source::Error> calibration(const Node& value) {
    if (value.kind == NodeKind::scalar && value.value.is_null()) return {};
    if (value.kind != NodeKind::mapping)
      return at(value, "calibration: expected a mapping of names to numbers");
    const auto known = lint::calibration_keys();
    for (const auto& member : value.members) {
      const Node& name = doc_.node(member.key);
      if (std::ranges::find(known, name.text) == known.end())
        return at(name, fmt::format("calibration: unknown key '{}'{}", name.text,
                                    lang::did_you_mean(name.text, {known.begin(), known.end()})));
      if (auto complaint = lint::set_calibration(out_->context, name.text, doc_.node(member.value).text,
                                                 "calibration." + name.text))
        return at(doc_.node(member.value), *complaint);
    }
    return {};
  }

  std::optional<source::Error> environment_file(const Node& value) {
    auto error = read_environment_file(out_->context, beside(value.text));
    if (error && !error->has_location) return at(value, fmt::format("env_file: {}", error->message));
    return error;
  }

  std::optional<source::Error> fail_on(const Node& value) {
    out_->never_fail = value.text == "never";
    if (out_->never_fail) return {};
    out_->fail_on = rules::parse_severity(value.text);
    if (!out_->fail_on)
      return at(value, fmt::format("fail_on: '{}' is no severity and not `never`", value.text));
    return {};
  }

  std::optional<source::Error> list(std::vector<std::string>& into, const Node& value) {
    if (value.kind == NodeKind::mapping) return at(value, "expected a list");
    if (value.kind == NodeKind::scalar) {
      if (!value.value.is_null()) into.push_back(value.text);
      return {};
    }
    for (const auto id : value.items) {
      if (doc_.node(id).kind != NodeKind::scalar) return at(doc_.node(id), "expected a name");
      into.push_back(doc_.node(id).text);
    }
    return {};
  }

  std::optional<source::Error> folders(const Node& value) {
    std::vector<std::string> names;
    if (auto error = list(names, value)) return error;
    for (const auto& name : names) out_->rule_dirs.push_back(beside(name));
    return {};
  }

  [[nodiscard]] std::string beside(const std::string& name) const {
    return (fs::path(repository_.path).parent_path() / name).lexically_normal().string();
  }

  const Document& doc_;
  Repository& repository_;
  RepositorySettings* out_;  // of the file, or of the override that is being read
};

void add(std::vector<std::string>& to, const std::vector<std::string>& more) {
  to.insert(to.end(), more.begin(), more.end());
}

void override_with(RepositorySettings& to, const RepositorySettings& from) {
  to.context = lint::merge(from.context, to.context);
  if (!from.select.empty()) to.select = from.select;
  add(to.ignore, from.ignore);
  add(to.rule_dirs, from.rule_dirs);
  to.severities.insert(to.severities.end(), from.severities.begin(), from.severities.end());
  if (from.fail_on || from.never_fail) {
    to.fail_on = from.fail_on;
    to.never_fail = from.never_fail;
  }
}

}  // namespace

tl::expected<rules::SeverityChange, std::string> severity_change(const std::string& glob,
                                                                 const std::string& severity) {
  rules::SeverityChange out{glob, {}};
  if (severity == "off" || severity == "false") return out;  // YAML's `off` is a truth value
  out.severity = rules::parse_severity(severity);
  if (!out.severity) return tl::unexpected(fmt::format("'{}' is no severity and not `off`", severity));
  return out;
}

rules::Selection selection_of(const Options& options, const RepositorySettings& settings) {
  rules::Selection out{options.select.empty() ? settings.select : options.select, options.ignore,
                       settings.severities};
  add(out.ignore, settings.ignore);
  out.severities.insert(out.severities.end(), options.severities.begin(), options.severities.end());
  return out;
}

RepositorySettings Repository::settings_for(const std::string& config) const {
  RepositorySettings out = settings;
  if (overrides.empty()) return out;
  std::error_code error;
  const fs::path folder = fs::weakly_canonical(fs::path(path).parent_path(), error);
  const fs::path name = config == "-" ? fs::path("<stdin>") : fs::path(config);
  const fs::path full = fs::absolute(name, error).lexically_normal();
  // Of a link the name that was given counts, as it does for the search of the file itself.
  std::string relative = full.lexically_relative(fs::path(path).parent_path()).generic_string();
  if (relative.empty() || relative.starts_with("..")) {
    relative = fs::weakly_canonical(full, error).lexically_relative(folder).generic_string();
  }
  for (const auto& o : overrides) {
    const auto meant = [&](const std::string& glob) { return path_matches(glob, relative); };
    if (std::ranges::any_of(o.files, meant)) override_with(out, o.settings);
  }
  return out;
}

tl::expected<Repository, RepositoryError> read_repository(const std::string& path) {
  // Nobody named it: a pipe of that name would be waited for without end.
  if (std::error_code error; fs::is_fifo(path, error)) {
    return tl::unexpected(RepositoryError{{"is a pipe, not a file", path, {}, false}, nullptr});
  }
  auto text = source::read_file(path);
  if (!text) return tl::unexpected(RepositoryError{text.error(), nullptr});
  const auto doc = source::read_yaml(*text, source::Loader::omega_conf);
  if (!doc) return tl::unexpected(RepositoryError{doc.error(), *text});
  Repository out;
  out.path = path;
  if (auto error = Reader(*doc, out).read()) {
    const bool own = error->source == (*text)->name();
    return tl::unexpected(RepositoryError{std::move(*error), own ? *text : nullptr});
  }
  return out;
}

tl::expected<std::shared_ptr<const Repository>, RepositoryError> RepositoryFinder::find(
    const std::string& config) {
  std::error_code error;
  const fs::path start = config == "-" ? fs::current_path(error) : fs::absolute(config, error).parent_path();
  if (error) return nullptr;
  std::vector<std::string> passed;
  std::shared_ptr<const Repository> found;
  for (fs::path folder = start.lexically_normal();; folder = folder.parent_path()) {
    if (const auto known = known_.find(folder.string()); known != known_.end()) {
      found = known->second;
      break;
    }
    passed.push_back(folder.string());
    if (const fs::path file = folder / file_name; fs::exists(file, error)) {
      auto read = read_repository(file.string());
      if (!read) return tl::unexpected(read.error());
      found = std::make_shared<const Repository>(std::move(*read));
      break;
    }
    if (fs::exists(folder / ".git", error) || folder == folder.parent_path()) break;
  }
  for (const auto& folder : passed) known_[folder] = found;
  return found;
}

}  // namespace headroom::app
