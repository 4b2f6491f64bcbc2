#include "interpolation.hpp"

#include <fmt/format.h>

#include <optional>

#include "chars.hpp"
#include "yaml_builder.hpp"

namespace headroom::source {
namespace {

constexpr std::uint32_t chain_limit = 64;       // `${a}` -> `${b}` -> …
constexpr std::size_t text_limit = 64U << 10U;  // of one resolved text: `${a}${a}` doubles at every step
constexpr std::size_t total_text_limit = 16U << 20U;
constexpr std::size_t look_up_limit = 20'000'000;  // keys passed in search of the named ones

/// str() of Python, which is what a value becomes inside a text.
std::string python_text(const Value& value) {
  if (value.is_null()) return "None";
  if (value.is_bool()) return value.as_bool() ? "True" : "False";
  if (value.is_string()) return std::string(value.as_string());
  if (value.is_double())
    return fmt::format("{}{}", value.as_double(), value.to_text().ends_with(".0") ? ".0" : "");
  return value.to_text();
}

class Interpolator {
 public:
  Interpolator(Document& doc, const Limits& limits) : doc_(doc), limits_(limits) { find_parents(0); }

  Result<void> run() {
    const auto count = static_cast<NodeId>(doc_.nodes.size());
    for (NodeId id = 0; id < count && !failed_; ++id) {
      if (doc_.nodes[id].kind == NodeKind::scalar) resolve(id, 0);
    }
    if (failed_) return tl::unexpected(std::move(*failed_));
    for (auto id = static_cast<NodeId>(doc_.nodes.size()); id-- > 0;) {
      Node& node = doc_.nodes[id];
      if (node.kind == NodeKind::sequence) node.value = sequence_value(doc_, node);
    }
    return {};
  }

 private:
  enum class State : std::uint8_t { open, busy, done };

  void find_parents(NodeId from) {
    parents_.resize(doc_.nodes.size(), no_node);
    states_.resize(doc_.nodes.size(), State::open);
    for (NodeId id = from; id < doc_.nodes.size(); ++id) {
      const Node& node = doc_.nodes[id];
      for (const NodeId item : node.items) parents_[item] = id;
      for (const Member& member : node.members) {
        parents_[member.value] = id;
        states_[member.key] = State::done;  // a key is taken as it stands
      }
    }
  }

  /// Resolves a node and all below it. False where it depends on itself.
  bool resolve(NodeId id, std::uint32_t chain) {
    if (states_[id] == State::done) return true;
    if (states_[id] == State::busy || chain > chain_limit) return false;
    states_[id] = State::busy;
    bool sound = true;
    if (doc_.nodes[id].kind == NodeKind::scalar) {
      if (doc_.nodes[id].value.is_string() && doc_.nodes[id].text.find("${") != std::string::npos) {
        resolve_scalar_node(id, chain);
      }
    } else {
      for (std::size_t i = 0; i < doc_.nodes[id].items.size(); ++i)
        sound = resolve(doc_.nodes[id].items[i], chain) && sound;
      for (std::size_t i = 0; i < doc_.nodes[id].members.size(); ++i) {
        sound = resolve(doc_.nodes[id].members[i].value, chain) && sound;
      }
      if (doc_.nodes[id].kind == NodeKind::sequence)
        doc_.nodes[id].value = sequence_value(doc_, doc_.nodes[id]);
    }
    states_[id] = State::done;
    return sound;
  }

  void give_up(NodeId id, std::string why) {
    doc_.nodes[id].value = Value::unknown();
    if (doc_.nodes[id].alias) return;  // said where the text stands
    doc_.remarks.push_back({Remark::Kind::interpolation, doc_.nodes[id].span, id, std::move(why)});
  }

  void resolve_scalar_node(NodeId id, std::uint32_t chain) {
    const std::string text = doc_.nodes[id].text;
    if (text.starts_with("${")) {
      const std::size_t close = closing_brace(text, 0);
      if (close + 1 == text.size()) {
        const NodeId target = find_target(id, text.substr(2, close - 2), chain);
        if (target != no_node) take(id, target);
        return;
      }
    }
    std::optional<std::string> resolved = replace_parts(id, text, chain);
    if (resolved) doc_.nodes[id].value = Value(std::move(*resolved));
  }

  /// Text with every `${…}` in it replaced; nothing (and a remark) where one cannot be.
  std::optional<std::string> replace_parts(NodeId id, const std::string& text, std::uint32_t chain) {
    std::string out;
    for (std::size_t p = 0; p < text.size();) {
      if (text.compare(p, 3, "\\${") == 0) {  // an escaped `${` stays as text
        const std::size_t close = closing_brace(text, p + 1);
        const std::size_t stop = close == std::string::npos ? text.size() : close + 1;
        out.append(text, p + 1, stop - p - 1);
        p = stop;
      } else if (text.compare(p, 2, "${") == 0) {
        const std::size_t close = closing_brace(text, p);
        if (close == std::string::npos) {
          give_up(id, "`${` without its `}`");
          return std::nullopt;
        }
        const NodeId target = find_target(id, text.substr(p + 2, close - p - 2), chain);
        if (target == no_node) return std::nullopt;
        const Value& value = doc_.nodes[target].value;
        if (value.is_unknown() || value.is_opaque()) {
          give_up(id,
                  fmt::format("`{}` has no value that could stand in a text", text.substr(p, close + 1 - p)));
          return std::nullopt;
        }
        out += python_text(value);
        p = close + 1;
      } else {
        out += text[p++];
      }
      if (out.size() > text_limit || failed_) {
        give_up(id, "the text that this makes is too long");
        return std::nullopt;
      }
    }
    written_ += out.size();
    return out;
  }

  static std::size_t closing_brace(const std::string& text, std::size_t open) {
    std::size_t depth = 0;
    for (std::size_t p = open; p < text.size(); ++p) {
      if (text[p] == '{') ++depth;
      if (text[p] == '}' && --depth == 0) return p;
    }
    return std::string::npos;
  }

  /// Node that `expression` (between the braces) names, resolved; no_node with a remark otherwise.
  NodeId find_target(NodeId id, std::string expression, std::uint32_t chain) {
    const auto fail = [&](std::string why) {
      give_up(id, std::move(why));
      return no_node;
    };
    if (expression.find("${") != std::string::npos) {
      if (chain >= chain_limit) return fail("interpolations nested too deep");
      auto inner = replace_parts(id, expression, chain + 1);
      if (!inner) return no_node;
      expression = std::move(*inner);
    }
    if (expression.find(':') != std::string::npos) {
      return fail(fmt::format("`${{{}}}` calls a resolver, whose value is not known here", expression));
    }
    NodeId at = doc_.root;
    std::size_t p = 0;
    if (expression.starts_with('.')) {
      at = parents_[id];
      for (p = 1; p < expression.size() && expression[p] == '.' && at != no_node; ++p) at = parents_[at];
    }
    at = walk(at, std::string_view(expression).substr(p));
    if (look_ups_ > look_up_limit || written_ > total_text_limit) {
      failed_ = error_at(*doc_.source, doc_.nodes[id].span, "too many interpolations: no config");
      return no_node;
    }
    if (at == no_node) return fail(fmt::format("`${{{}}}` names nothing in this file", expression));
    if (!resolve(at, chain + 1))
      return fail(fmt::format("`${{{}}}` depends on itself, or on too long a chain", expression));
    return at;
  }

  /// `a.b[0].c` from `at`.
  NodeId walk(NodeId at, std::string_view path) {
    if (path.empty()) return no_node;
    while (!path.empty() && at != no_node) {
      const bool bracket = path.front() == '[';
      if (bracket || path.front() == '.') path.remove_prefix(1);
      const std::size_t end = std::min(path.find_first_of(bracket ? "]" : ".["), path.size());
      at = child(at, path.substr(0, end));
      path.remove_prefix(std::min(path.size(), end + (bracket ? 1 : 0)));
    }
    return at;
  }

  NodeId child(NodeId at, std::string_view key) {
    const Node& node = doc_.nodes[at];
    if (node.kind == NodeKind::mapping) {
      look_ups_ += node.members.size();
      return doc_.find(at, key);
    }
    if (node.kind != NodeKind::sequence || key.empty() || key.size() > 6) return no_node;
    std::size_t index = 0;
    for (const char c : key) {
      if (!is_digit(c)) return no_node;
      index = index * 10 + static_cast<std::size_t>(c - '0');
    }
    return index < node.items.size() ? node.items[index] : no_node;
  }

  /// Gives `id` all that `target` is: a mapping brings its members along.
  void take(NodeId id, NodeId target) {
    if (doc_.nodes[target].value.is_unknown()) {
      give_up(id, fmt::format("`{}` has no known value", doc_.nodes[id].text));
      return;
    }
    if (doc_.nodes[target].kind == NodeKind::scalar) {
      const Value value = doc_.nodes[target].value;
      doc_.nodes[id].value = value;
      return;
    }
    const auto first = static_cast<NodeId>(doc_.nodes.size());
    const Span span = doc_.nodes[id].span;
    const NodeId made = copy_subtree(doc_, target, span, limits_, depth_of(id));
    if (made == no_node) {
      failed_ = error_at(*doc_.source, span,
                         fmt::format("repeated values add up to more than {} values or {} levels",
                                     limits_.nodes, limits_.depth));
      return;
    }
    const NodeId parent = parents_[id];
    find_parents(first);
    for (NodeId n = first; n < doc_.nodes.size(); ++n) states_[n] = State::done;
    doc_.nodes[id] = doc_.nodes[made];
    parents_[id] = parent;
    for (const NodeId item : doc_.nodes[id].items) parents_[item] = id;
    for (const Member& member : doc_.nodes[id].members) parents_[member.value] = id;
  }

  [[nodiscard]] std::uint32_t depth_of(NodeId id) const {
    std::uint32_t depth = 0;
    for (NodeId at = parents_[id]; at != no_node; at = parents_[at]) ++depth;
    return depth;
  }

  Document& doc_;
  const Limits& limits_;
  std::vector<NodeId> parents_;
  std::vector<State> states_;
  std::optional<Error> failed_;
  std::size_t written_ = 0;
  std::size_t look_ups_ = 0;
};

}  // namespace

Result<void> resolve_interpolations(Document& doc, const Limits& limits) {
  if (doc.root == no_node) return {};
  return Interpolator(doc, limits).run();
}

}  // namespace headroom::source
