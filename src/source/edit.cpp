#include "headroom/source/edit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "chars.hpp"
#include "edit_layout.hpp"

namespace headroom::source {

std::string apply_edits(const SourceText& text, std::vector<Edit> edits) {
  std::stable_sort(edits.begin(), edits.end(), [](const Edit& a, const Edit& b) {
    return std::pair(a.span.begin, a.span.end) < std::pair(b.span.begin, b.span.end);
  });
  const std::string& before = text.text();
  std::string after;
  after.reserve(before.size() + 256);
  std::uint32_t at = 0;
  for (const Edit& edit : edits) {
    if (edit.span.begin < at || edit.span.end < edit.span.begin || edit.span.end > before.size())
      std::abort();
    after.append(before, at, edit.span.begin - at);
    after += edit.text;
    at = edit.span.end;
  }
  after.append(before, at);
  return after;
}

namespace {

using Path = std::vector<std::string>;

/// Value of a node with the content of its mappings.
Value whole_value(const Document& doc, NodeId id) {
  const Node& node = doc.node(id);
  if (node.kind == NodeKind::mapping) {
    Mapping mapping;
    for (const Member& member : node.members) {
      mapping.emplace_back(doc.node(member.key).text, whole_value(doc, member.value));
    }
    return mapping;
  }
  if (node.kind == NodeKind::scalar) return node.value;
  List list;
  for (const NodeId item : node.items) list.push_back(whole_value(doc, item));
  return list;
}

std::string dotted(const Path& path, std::size_t count) {
  std::string out;
  for (std::size_t i = 0; i < count; ++i) out += (i == 0 ? "" : ".") + path[i];
  return out;
}

bool is_written_null(const Node& node) {
  return node.kind == NodeKind::scalar && node.style == ScalarStyle::plain && node.value.is_null() &&
         !node.alias && node.text.find("${") == std::string::npos;
}

/// Where a path leads, and how much of it exists.
struct Reached {
  NodeId map = no_node;   ///< deepest mapping on the way; no_node: there is none
  Member member;          ///< last member that exists
  std::size_t depth = 0;  ///< number of path elements that exist
};

class Editor {
 public:
  Editor(const Document& doc, const Path& path) : doc_(doc), path_(path), layout_(doc) {}

  Result<std::vector<Edit>> set(const Value& value) {
    if (path_.empty()) return fail({}, "an empty path");
    if (value.is_opaque() || value.is_unknown()) return fail({}, "only a known value can be written");
    auto reached = walk();
    if (!reached) return tl::unexpected(std::move(reached.error()));
    const bool flow = reached->map != no_node && doc_.node(reached->map).flow;
    if (reached->depth == path_.size())
      return checked(layout_.replace_value(reached->member, value, flow), &value);
    // What is missing is written as one mapping inside the next.
    Value nested = value;
    for (std::size_t i = path_.size(); i-- > reached->depth + 1;) nested = Mapping{{path_[i], nested}};
    const std::string& key = path_[reached->depth];
    const bool below_null = reached->depth > 0 && doc_.node(reached->member.value).kind != NodeKind::mapping;
    if (below_null)
      return checked(layout_.replace_value(reached->member, Mapping{{key, nested}}, flow), &value);
    if (reached->map == no_node) return checked(layout_.fill_root(key, nested), &value);
    return checked(layout_.add_member(reached->map, key, nested), &value);
  }

  Result<std::vector<Edit>> remove() {
    if (path_.empty()) return fail({}, "an empty path");
    auto reached = walk();
    if (!reached) return tl::unexpected(std::move(reached.error()));
    if (reached->depth < path_.size()) {
      const NodeId map = reached->map;
      const bool merged =
          reached->depth + 1 == path_.size() && map != no_node && doc_.find(map, path_.back()) != no_node;
      if (merged)
        return fail(doc_.node(map).span,
                    fmt::format("`{}` comes from a merge (`<<`)", dotted(path_, path_.size())));
      return std::vector<Edit>{};
    }
    const Member* parent = parent_member_.key == no_node ? nullptr : &parent_member_;
    return checked(layout_.remove_member(reached->map, parent, path_.back()), nullptr);
  }

 private:
  tl::unexpected<Error> fail(Span span, std::string why) const {
    return tl::unexpected(error_at(*doc_.source, span,
                                   fmt::format("cannot change `{}`: {}", dotted(path_, path_.size()), why)));
  }

  Result<Reached> walk() {
    Reached reached;
    NodeId at = doc_.root;
    for (std::size_t i = 0; i < path_.size(); ++i) {
      if (at == no_node || is_written_null(doc_.node(at))) return reached;
      const Node& node = doc_.node(at);
      if (node.alias) return fail(node.span, "the value around it repeats another one; edit it by hand");
      if (node.kind != NodeKind::mapping) {
        return fail(node.span, i == 0 ? "the file holds no mapping"
                                      : fmt::format("`{}` is no mapping", dotted(path_, i)));
      }
      reached.map = at;
      const Member* member = layout_.find_own(at, path_[i]);
      if (member == nullptr) return reached;
      if (i + 1 < path_.size()) parent_member_ = *member;
      reached.member = *member;
      reached.depth = i + 1;
      at = member->value;
    }
    return reached;
  }

  /// Applies the edits to a copy and reads it: an edit that does not give what was asked, or changes anything
  /// else (an anchor that is repeated elsewhere, a layout that was not foreseen), is refused.
  Result<std::vector<Edit>> checked(std::vector<Edit> edits, const Value* expected) const {
    auto text = std::make_shared<const SourceText>(doc_.source->name(), apply_edits(*doc_.source, edits));
    Limits limits;
    limits.bytes = text->text().size();
    const auto after = doc_.loader == Loader::json ? read_json(std::move(text), limits)
                                                   : read_yaml(std::move(text), doc_.loader, limits);
    const Span place = doc_.root == no_node ? Span{} : doc_.node(doc_.root).span;
    if (!after) return fail(place, "this layout needs an edit by hand");
    if (!same_but_for(doc_, doc_.root, *after, after->root, path_, 0)) {
      return fail(place, "other values would change with it; edit it by hand");
    }
    if (expected != nullptr) {
      NodeId at = after->root;
      for (const std::string& key : path_) at = after->find(at, key);
      if (at == no_node || to_yaml(whole_value(*after, at), doc_.loader) != to_yaml(*expected, doc_.loader)) {
        return fail(place, "this layout needs an edit by hand");
      }
    }
    return edits;
  }

  const Document& doc_;
  const Path& path_;
  EditLayout layout_;
  Member parent_member_;
};

}  // namespace

Result<std::vector<Edit>> set_value(const Document& doc, const std::vector<std::string>& path,
                                    const Value& value) {
  return Editor(doc, path).set(value);
}

Result<std::vector<Edit>> remove_key(const Document& doc, const std::vector<std::string>& path) {
  return Editor(doc, path).remove();
}

}  // namespace headroom::source
