#include "rule_reader.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "headroom/lang/check.hpp"

namespace headroom::rules {

using source::NodeKind;

namespace {

source::Span first_line(const source::SourceText& text) {
  return {0, static_cast<std::uint32_t>(text.line(1).size())};
}

}  // namespace

void RuleReader::read(const std::shared_ptr<const source::SourceText>& text, std::string id) {
  const std::size_t before = errors_.size();
  rule_ = Rule{};
  native_ = has_when_ = has_message_ = has_at_ = has_severity_ = has_fails_at_ = false;
  rule_.id = storage_.keep(std::move(id));
  rule_.file = storage_.keep(text->name());
  const auto parts = split_front_matter(text->text());
  if (!parts.found) {
    errors_.push_back(error_at(*text, first_line(*text),
                               "a rule file begins with YAML front matter between two lines '---'"));
    return;
  }
  const auto front = std::make_shared<source::SourceText>(text->name(), std::string(parts.front));
  // OmegaConf's scalars: `3e-4` in a fix is a number, and a key given twice is an error.
  const auto doc = source::read_yaml(front, source::Loader::omega_conf);
  if (!doc) {
    errors_.push_back(doc.error());
    errors_.back().source = text->name();
    return;
  }
  const Page page = read_page(*text, parts.body, errors_);
  front_matter(*doc);
  whole(*text, page);
  page_blocks(page);
  if (errors_.size() == before) storage_.rules.push_back(rule_);
}

void RuleReader::front_matter(const source::Document& doc) {
  doc_ = &doc;
  if (doc.root == source::no_node || doc.node(doc.root).kind != NodeKind::mapping) {
    const source::Span span = doc.root == source::no_node ? source::Span{0, 3} : doc.node(doc.root).span;
    return fault(span, "front matter is a mapping: severity, when, at, message, …");
  }
  for (const auto& m : doc.node(doc.root).members) key(m);
}

void RuleReader::key(const source::Member& m) {
  static const std::vector<std::string_view> keys{"severity", "fails_at", "releases", "mcore", "applies_to",
                                                  "when",     "at",       "message",  "fixes", "constraints",
                                                  "sources",  "native",   "unfixable"};
  if (!known(m.key, keys, "front matter")) return;
  const std::string& name = node(m.key).text;
  if (name == "severity") severity(m.value);
  if (name == "fails_at") fails_at(m.value);
  if (name == "releases" || name == "mcore") releases(m.value, name == "mcore");
  if (name == "applies_to") applies_to(m.value);
  if (name == "at") at(m.value);
  if (name == "message") message(m.value);
  if (name == "fixes") fixes(m.value);
  if (name == "constraints") rule_.constraints = storage_.keep(texts(m.value, "constraints"));
  if (name == "sources") sources(m.value);
  if (name == "native") native_ = flag(m.value, "native");
  if (name == "unfixable") rule_.unfixable = flag(m.value, "unfixable");
  if (name == "when") {
    has_when_ = true;
    rule_.when = expression(m.value);
    if (node(m.value).kind == NodeKind::scalar) rule_.when_text = storage_.keep(node(m.value).text);
  }
}

void RuleReader::whole(const source::SourceText& text, const Page& page) {
  const source::Span start = first_line(text);
  const auto missing = [&](std::string what) { errors_.push_back(error_at(text, start, std::move(what))); };
  if (!has_severity_) missing("severity is missing: error, ignored, warning, memory, slow or advice");
  if (has_fails_at_ && rule_.severity != Severity::error) missing("fails_at is for severity error only");
  if (rule_.releases == 0) missing("releases and mcore together leave no release");
  if (page.title.empty()) missing("the page has no title: a line '# …' after the front matter");
  if (native_) {
    if (has_when_ || has_at_ || has_message_ || !rule_.fixes.empty())
      missing("a native rule is found by the program: it has no when, at, message or fixes");
    return;
  }
  if (!has_when_) missing("when is missing: the condition");
  if (!has_at_) missing("at is missing: the fields that are blamed, first the one to underline");
  if (!has_message_) missing("message is missing");
  for (const bool fails : {true, false}) {
    const bool some =
        std::any_of(page.blocks.begin(), page.blocks.end(), [&](const Block& b) { return b.fails == fails; });
    if (!some)
      missing(fmt::format("the page has no '## {}' with a ```yaml block", fails ? "Fails" : "Passes"));
  }
}

void RuleReader::page_blocks(const Page& page) {
  std::vector<Example> examples;
  for (const auto& b : page.blocks)
    examples.push_back(
        {b.fails, storage_.keep(std::string(b.yaml)), b.line, storage_.keep(std::string(b.log))});
  rule_.examples = storage_.keep(std::move(examples));
  rule_.page = storage_.keep(std::string(page.text));
  rule_.title = storage_.keep(std::string(page.title));
}

void RuleReader::severity(NodeId id) {
  has_severity_ = true;
  const auto text = scalar(id, "severity");
  if (!text) return;
  if (const auto s = parse_severity(*text)) {
    rule_.severity = *s;
    return;
  }
  const auto hint = lang::did_you_mean(*text, {"error", "ignored", "warning", "memory", "slow", "advice"});
  fault(id, fmt::format("'{}' is no severity{}", *text,
                        hint.empty() ? ": error, ignored, warning, memory, slow or advice" : hint));
}

void RuleReader::fails_at(NodeId id) {
  has_fails_at_ = true;
  const auto text = scalar(id, "fails_at");
  if (!text) return;
  for (const auto f : {FailsAt::startup, FailsAt::launch, FailsAt::model_build, FailsAt::first_step})
    if (to_string(f) == *text) {
      rule_.fails_at = f;
      return;
    }
  fault(id, fmt::format("'{}' is no point of failure: startup, launch, model-build or first-step", *text));
}

void RuleReader::releases(NodeId id, bool mcore) {
  const auto text = scalar(id, mcore ? "mcore" : "releases");
  if (!text) return;
  const auto set = mcore ? schema::parse_mcore_range(*text) : schema::parse_release_range(*text);
  if (!set) return fault(id, fmt::format("'{}' is no range of releases, such as '>=0.3.1 <0.6.0'", *text));
  if (*set == 0) return fault(id, fmt::format("'{}' matches none of the known releases", *text));
  rule_.releases = static_cast<schema::ReleaseSet>(rule_.releases & *set);
}

void RuleReader::applies_to(NodeId id) {
  static const std::vector<std::string_view> layers{"bridge", "megatron-core", "megatron-lm"};
  rule_.layers = 0;
  for (const NodeId item : scalars(id, "applies_to")) {
    const auto it = std::find(layers.begin(), layers.end(), node(item).text);
    if (it == layers.end())
      fault(item, fmt::format("'{}' is no layer: bridge, megatron-core or megatron-lm{}", node(item).text,
                              lang::did_you_mean(node(item).text, layers)));
    else
      rule_.layers = static_cast<resolve::LayerSet>(rule_.layers | (1u << (it - layers.begin())));
  }
}

void RuleReader::at(NodeId id) {
  has_at_ = true;
  std::vector<schema::FieldId> fields;
  for (const NodeId item : scalars(id, "at")) {
    const auto f = field(item, false);
    if (f == schema::no_field) continue;
    if (std::find(fields.begin(), fields.end(), f) != fields.end())
      fault(item, fmt::format("{} is there twice", node(item).text));
    fields.push_back(f);
  }
  if (node(id).kind == NodeKind::sequence && node(id).items.empty()) fault(id, "at names at least one field");
  rule_.at = storage_.keep(std::move(fields));
}

void RuleReader::message(NodeId id) {
  has_message_ = true;
  const auto whole_text = scalar(id, "message");
  if (!whole_text) return;
  if (whole_text->empty()) return fault(id, "the message is empty");
  const std::string_view text = *whole_text;
  std::vector<MessagePart> parts;
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool doubled = i + 1 < text.size() && text[i + 1] == text[i];
    if ((text[i] == '{' || text[i] == '}') && doubled) {
      plain += text[i++];
      continue;
    }
    if (text[i] != '{') {
      plain += text[i];
      continue;
    }
    // To the closing brace; one inside quotes belongs to a string.
    std::size_t end = i + 1;
    for (char quote = '\0'; end < text.size() && (quote != '\0' || text[end] != '}'); ++end) {
      if (quote == '\0' && (text[end] == '\'' || text[end] == '"'))
        quote = text[end];
      else if (text[end] == quote)
        quote = '\0';
    }
    if (end >= text.size()) {
      const auto where = place_in_scalar(*doc_, node(id), i);
      errors_.push_back(
          {"this brace is not closed ('{{' is a brace)", doc_->source->name(), {where, where}, true});
      return;
    }
    const auto value = expression(id, text.substr(i + 1, end - i - 1), i + 1);
    parts.push_back({storage_.keep(std::move(plain)), value});
    plain.clear();
    i = end;
  }
  if (!plain.empty()) parts.push_back({storage_.keep(std::move(plain)), lang::no_expr});
  rule_.message = storage_.keep(std::move(parts));
}

void RuleReader::sources(NodeId id) {
  if (node(id).kind != NodeKind::sequence) return fault(id, "sources is a list of {repo, path, what}");
  std::vector<SourceRef> refs;
  for (const NodeId item : node(id).items) {
    if (node(item).kind != NodeKind::mapping) {
      fault(item, "a source is a mapping of repo, path and what");
      continue;
    }
    SourceRef ref;
    for (const auto& m : node(item).members) {
      if (!known(m.key, {"repo", "path", "what"}, "a source")) continue;
      const auto text = scalar(m.value, node(m.key).text);
      if (!text) continue;
      auto& target = node(m.key).text == "repo" ? ref.repo : node(m.key).text == "path" ? ref.path : ref.what;
      target = storage_.keep(std::string(*text));
    }
    if (ref.repo.empty() || ref.path.empty()) fault(item, "a source needs repo and path");
    refs.push_back(ref);
  }
  rule_.sources = storage_.keep(std::move(refs));
}

// ---- shared with fixes -------------------------------------------------------------------------------

void RuleReader::fault(NodeId id, std::string message) {
  fault(node(id).span, std::move(message));
}

void RuleReader::fault(source::Span span, std::string message) {
  errors_.push_back(error_at(*doc_->source, span, std::move(message)));
}

lang::ExprId RuleReader::expression(NodeId id, std::size_t skip) {
  if (node(id).kind != NodeKind::scalar) {
    fault(id, "an expression is a string; quote it where YAML would read a list or a mapping");
    return lang::no_expr;
  }
  return expression(id, std::string_view(node(id).text).substr(std::min(skip, node(id).text.size())), skip);
}

lang::ExprId RuleReader::expression(NodeId id, std::string_view part, std::size_t base) {
  const auto compiled = storage_.pool.compile(part, schema_, doc_->source->name(), {1, 1});
  if (compiled) return *compiled;
  errors_.push_back(in_file(compiled.error(), *doc_, node(id), base));
  return lang::no_expr;
}

schema::FieldId RuleReader::field(NodeId id, bool writable) {
  const std::string& name = node(id).text;
  const auto f = schema_.find(name);
  if (f == schema::no_field) {
    std::string hint;
    for (const auto s : schema_.suggest(name, schema::newest_release))
      hint += fmt::format("{} '{}'", hint.empty() ? "; did you mean" : " or", s);
    fault(id, fmt::format("no field is called '{}'{}", name, hint.empty() ? "" : hint + "?"));
    return f;
  }
  const auto space = schema_.field(f).space;
  if (writable && space == schema::Space::environment)
    fault(id, fmt::format("{} is an environment variable: it goes under env:, without 'env.'", name));
  else if (space == schema::Space::derived || (writable && space == schema::Space::launch))
    fault(id, fmt::format("{} is no setting: nobody can write it", name));
  return f;
}

std::optional<std::string_view> RuleReader::scalar(NodeId id, std::string_view what) {
  if (node(id).kind == NodeKind::scalar) return node(id).text;
  fault(id, fmt::format("{} is a single value, not a {}", what,
                        node(id).kind == NodeKind::sequence ? "list" : "mapping"));
  return std::nullopt;
}

bool RuleReader::flag(NodeId id, std::string_view what) {
  if (node(id).kind == NodeKind::scalar && node(id).value.is_bool()) return node(id).value.as_bool();
  fault(id, fmt::format("{} is true or false", what));
  return false;
}

std::vector<source::NodeId> RuleReader::scalars(NodeId id, std::string_view what) {
  if (node(id).kind == NodeKind::scalar) return {id};
  if (node(id).kind == NodeKind::mapping) {
    fault(id, fmt::format("{} is a list of names", what));
    return {};
  }
  std::vector<NodeId> out;
  for (const NodeId item : node(id).items) {
    if (node(item).kind == NodeKind::scalar)
      out.push_back(item);
    else
      fault(item, fmt::format("{} is a list of names", what));
  }
  return out;
}

std::vector<std::string_view> RuleReader::texts(NodeId id, std::string_view what) {
  std::vector<std::string_view> out;
  for (const NodeId item : scalars(id, what)) {
    if (node(item).text.empty()) fault(item, fmt::format("an empty name in {}", what));
    out.push_back(storage_.keep(node(item).text));
  }
  return out;
}

bool RuleReader::known(NodeId key, const std::vector<std::string_view>& keys, std::string_view where) {
  const std::string& name = node(key).text;
  if (std::find(keys.begin(), keys.end(), name) != keys.end()) return true;
  const auto hint = lang::did_you_mean(name, keys);
  fault(key, fmt::format("'{}' is no key of {}{}", name, where,
                         hint.empty() ? fmt::format("; it knows {}", fmt::join(keys, ", ")) : hint));
  return false;
}

}  // namespace headroom::rules
