#include "yaml_builder.hpp"

#include <fmt/format.h>
#include <yaml-cpp/emitterstyle.h>

#include <algorithm>
#include <unordered_map>

#include "chars.hpp"
#include "scalar.hpp"

namespace headroom::source {
namespace {

/// Hash and equality of two keys as Python's dict has them, near enough: same text, same type.
bool same_key(const Node& a, const Node& b) {
  return a.kind == NodeKind::scalar && b.kind == NodeKind::scalar && a.text == b.text &&
         (a.value.is_string() == b.value.is_string());
}

}  // namespace

YamlBuilder::YamlBuilder(Document& doc, const Limits& limits, std::uint32_t base)
    : doc_(doc), limits_(limits), scan_(doc.source->text()), base_(base) {}

void YamlBuilder::stop(Span span, std::string message) const {
  throw ReadingStopped{error_at(*doc_.source, span, std::move(message))};
}

std::uint32_t YamlBuilder::offset(const YAML::Mark& mark) {
  const std::uint32_t at = mark.pos < 0 ? scan_.size() : static_cast<std::uint32_t>(mark.pos) + base_;
  progress_ = std::max(progress_, at);
  return std::min(at, scan_.size());
}

NodeId YamlBuilder::new_node(Span span) {
  if (doc_.nodes.size() >= limits_.nodes)
    stop(span, fmt::format("more than {} values: no config", limits_.nodes));
  doc_.nodes.emplace_back();
  doc_.nodes.back().span = span;
  return static_cast<NodeId>(doc_.nodes.size() - 1);
}

void YamlBuilder::remember_anchor(YAML::anchor_t anchor, NodeId id) {
  if (anchor == 0) return;
  if (anchors_.size() <= anchor) anchors_.resize(anchor + 1, no_node);
  anchors_[anchor] = id;
}

void YamlBuilder::OnDocumentStart(const YAML::Mark& mark) {
  check_directives(offset(mark));
}

void YamlBuilder::check_directives(std::uint32_t document) const {
  if (scan_.at(document) == '-' && scan_.at(document + 1) == '-') return;
  const std::uint32_t first = scan_.skip_blank(base_);
  if (first < document && scan_.at(first) == '%') {
    stop({first, first + 1}, "a directive (`%`) needs a line `---` behind it");
  }
}

/// YAML 1.1 gives these two a meaning as keys; as values PyYAML has no type for them.
void YamlBuilder::check_reserved(const Node& node) const {
  if (node.kind != NodeKind::scalar || node.style != ScalarStyle::plain || !node.tag.empty() || node.alias)
    return;
  if (node.text == "=" || node.text == "<<") {
    stop(node.span,
         fmt::format("PyYAML and OmegaConf cannot read a bare `{}` as a value: put it in quotes", node.text));
  }
}

void YamlBuilder::add(NodeId id) {
  const bool is_key = !stack_.empty() && stack_.back().mapping && stack_.back().key == no_node;
  if (!is_key) check_reserved(doc_.nodes[id]);
  if (stack_.empty()) {
    doc_.root = id;
    return;
  }
  Frame& frame = stack_.back();
  frame.cursor = std::max(frame.cursor, doc_.nodes[id].span.end);
  Node& parent = doc_.nodes[frame.node];
  if (!frame.mapping) {
    parent.items.push_back(id);
  } else if (frame.key == no_node) {
    if (doc_.nodes[id].kind != NodeKind::scalar) {
      stop(doc_.nodes[id].span, "a list or a mapping as a key: Python cannot hold that");
    }
    frame.key = id;
  } else {
    parent.members.push_back({frame.key, id});
    frame.key = no_node;
  }
}

std::uint32_t YamlBuilder::absent_place() const {
  if (stack_.empty()) return std::min(progress_, scan_.size());
  const Frame& frame = stack_.back();
  const std::uint32_t p = scan_.skip_blank(frame.cursor);
  const bool value = frame.mapping && frame.key != no_node;
  const char introducer = value ? ':' : frame.flow ? ',' : frame.mapping ? '?' : '-';
  return scan_.at(p) == introducer ? p + 1 : frame.cursor;
}

/// yaml-cpp marks an absent value with the place of the next token. That token belongs to this value only
/// where it stands further right than the collection (block), and behind what has been read (flow).
bool YamlBuilder::stands_for_next_item(std::uint32_t p) const {
  if (stack_.empty()) return false;
  const Frame& frame = stack_.back();
  if (p < frame.cursor) return true;
  const bool is_key = frame.mapping && frame.key == no_node;
  return !frame.flow && !is_key && scan_.column(p) <= frame.column;
}

/// yaml-cpp takes a line without a colon for a key without a value, and a colon without a key for a null key;
/// Python's loaders take neither.
void YamlBuilder::check_absent_part() const {
  if (stack_.empty() || !stack_.back().mapping || stack_.back().flow) return;
  const Frame& frame = stack_.back();
  const char next = scan_.at(scan_.skip_blank(frame.cursor));
  if (frame.key == no_node) {
    if (next == ':') stop({frame.cursor, frame.cursor}, "a key is missing in front of `:`");
    return;
  }
  const Span key = doc_.nodes[frame.key].span;
  // `? key` needs no colon; a property (`&a key`) in front of the key does not make it one of these.
  const std::uint32_t column = scan_.column(key.begin);
  const std::uint32_t start = key.begin - std::min(column, key.begin);
  const char first = scan_.at(start + std::min(frame.column, column));
  const bool explicit_key = key.empty() || (column > frame.column && (first == '?' || is_blank(first)));
  if (next != ':' && !explicit_key) stop(key, "`:` is missing behind this key");
}

void YamlBuilder::OnAnchor(const YAML::Mark& mark, const std::string& name) {
  if (anchor_names_.insert(name).second) return;
  const std::uint32_t at = offset(mark);
  stop({at, scan_.word_end(at)},
       fmt::format("the anchor `{}` is given twice: PyYAML and OmegaConf refuse the file", name));
}

void YamlBuilder::add_absent(TextScan::Properties properties, bool has_properties, YAML::anchor_t anchor) {
  check_absent_part();
  const std::uint32_t place = has_properties ? properties.end : absent_place();
  const NodeId id = new_node({place, place});
  if (has_properties) doc_.nodes[id].tag = std::string(properties.tag);
  type_scalar(id);
  remember_anchor(anchor, id);
  add(id);
}

void YamlBuilder::OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) {
  const std::uint32_t at = offset(mark);
  // At the end of a text yaml-cpp forgets the tag of a null, hence the look at the text and not at its
  // events.
  TextScan::Properties properties{at, at, {}};
  if (!stands_for_next_item(at)) properties = scan_.skip_properties(at);
  const std::uint32_t length = scan_.null_word_length(properties.content);
  if (length == 0 || stands_for_next_item(properties.content)) {
    add_absent(properties, properties.end != at, anchor);
    return;
  }
  const NodeId id = new_node({properties.content, properties.content + length});
  doc_.nodes[id].text = std::string(doc_.source->slice(doc_.nodes[id].span));
  remember_anchor(anchor, id);
  add(id);
}

void YamlBuilder::OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) {
  const std::uint32_t at = offset(mark);
  const Span span{at, scan_.word_end(at)};
  const NodeId target = anchor < anchors_.size() ? anchors_[anchor] : no_node;
  if (target == no_node) stop(span, "this alias has no anchor before it");
  const bool open =
      std::any_of(stack_.begin(), stack_.end(), [&](const Frame& f) { return f.node == target; });
  if (open) stop(span, "this alias stands inside the value that it repeats");
  add(copy(target, span, static_cast<std::uint32_t>(stack_.size())));
}

void YamlBuilder::OnScalar(const YAML::Mark& mark, const std::string& /*tag*/, YAML::anchor_t anchor,
                           const std::string& value) {
  const std::uint32_t at = offset(mark);
  const auto properties = scan_.skip_properties(at);
  const std::uint32_t begin = properties.content;
  const char first = scan_.at(begin);
  const bool quoted = first == '"' || first == '\'';
  const bool block = !quoted && (first == '|' || first == '>');
  if (value.empty() && ((!quoted && !block) || stands_for_next_item(begin))) {
    add_absent(properties, properties.end != at, anchor);
    return;
  }
  Span span{begin, begin};
  if (quoted) {
    span.end = scan_.quoted_end(begin);
    if (span.end == begin) stop({begin, begin + 1}, "a quoted text is never closed");
  } else if (block) {
    const bool inside = !stack_.empty() && !stack_.back().flow;
    span.end = scan_.block_scalar_end(begin, inside ? static_cast<int>(stack_.back().column) : -1);
  } else {
    span.end = scan_.plain_end(begin, value);
  }
  const NodeId id = new_node(span);
  Node& node = doc_.nodes[id];
  node.text = value;
  node.tag = std::string(properties.tag);
  if (quoted) node.style = first == '"' ? ScalarStyle::double_quoted : ScalarStyle::single_quoted;
  if (block) node.style = first == '|' ? ScalarStyle::literal : ScalarStyle::folded;
  type_scalar(id);
  remember_anchor(anchor, id);
  add(id);
}

void YamlBuilder::type_scalar(NodeId id) {
  Node& node = doc_.nodes[id];
  const auto remark = [&](Remark::Kind kind, std::string text) {
    doc_.remarks.push_back({kind, node.span, id, std::move(text)});
  };
  if (!node.tag.empty()) {
    auto value = is_scalar_tag(node.tag) ? resolve_tagged(node.text, node.tag, doc_.loader) : std::nullopt;
    if (!value)
      remark(Remark::Kind::unknown_tag,
             fmt::format("the tag `{}` is not one that a config may have here", node.tag));
    node.value = value ? std::move(*value) : Value(node.text);
  } else if (node.style != ScalarStyle::plain) {
    node.value = Value(node.text);
  } else {
    node.value = resolve_scalar(node.text, doc_.loader);
    if (auto surprise = surprise_in(node.text, node.value, doc_.loader)) {
      remark(surprise->kind, std::move(surprise->text));
    }
  }
  has_interpolation_ =
      has_interpolation_ || (node.value.is_string() && node.text.find("${") != std::string::npos);
}

void YamlBuilder::open_collection(NodeKind kind, const YAML::Mark& mark, const std::string& tag,
                                  YAML::anchor_t anchor, bool flow) {
  const std::uint32_t at = offset(mark);
  // "?" is yaml-cpp's tag for "none". A property in front of a mapping's first key is that key's.
  const bool has_properties = anchor != 0 || tag != "?";
  const auto properties = has_properties ? scan_.skip_properties(at) : TextScan::Properties{at, at, {}};
  const std::uint32_t begin = properties.content;
  if (stack_.size() >= limits_.depth)
    stop({begin, begin + 1}, fmt::format("nested deeper than {} levels", limits_.depth));
  if (!stack_.empty() && stack_.back().bracket && begin + 1 == stack_.back().cursor) {
    // `[{a: b}: c]`: the pair was taken for the mapping that is its key.
    stack_.back().bracket = false;
    stack_.back().cursor = begin;
  }
  const NodeId id = new_node({begin, begin});
  Node& node = doc_.nodes[id];
  node.kind = kind;
  node.flow = flow;
  node.tag = std::string(properties.tag);
  node.value = Opaque{};
  if (!node.tag.empty() && !is_collection_tag(node.tag, kind)) {
    doc_.remarks.push_back({Remark::Kind::unknown_tag,
                            {at, properties.end},
                            id,
                            fmt::format("the tag `{}` is not one that a config may have here", node.tag)});
  }
  Frame frame;
  frame.node = id;
  frame.mapping = kind == NodeKind::mapping;
  frame.flow = flow;
  frame.bracket = flow && scan_.at(begin) == (frame.mapping ? '{' : '[');
  frame.cursor = frame.bracket ? begin + 1 : begin;
  frame.column = flow ? 0 : scan_.column(begin);
  stack_.push_back(frame);
  remember_anchor(anchor, id);
}

void YamlBuilder::OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                                  YAML::EmitterStyle::value style) {
  open_collection(NodeKind::sequence, mark, tag, anchor, style == YAML::EmitterStyle::Flow);
}

void YamlBuilder::OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                             YAML::EmitterStyle::value style) {
  const bool in_flow = !stack_.empty() && stack_.back().flow;
  open_collection(NodeKind::mapping, mark, tag, anchor, in_flow || style == YAML::EmitterStyle::Flow);
}

void YamlBuilder::OnMapEnd() {
  const NodeId map = stack_.back().node;
  find_duplicates(map);
  apply_merge_keys(map);
  close_collection();
}

void YamlBuilder::close_collection() {
  const Frame frame = stack_.back();
  stack_.pop_back();
  std::uint32_t end = frame.cursor;
  if (frame.bracket) {
    std::uint32_t p = scan_.skip_blank(end);
    if (scan_.at(p) == ',') p = scan_.skip_blank(p + 1);
    if (scan_.at(p) == (frame.mapping ? '}' : ']')) end = p + 1;
  }
  Node& node = doc_.nodes[frame.node];
  node.span.end = end;
  if (!frame.mapping) node.value = sequence_value(doc_, node);
  add(frame.node);
}

void YamlBuilder::report_duplicate(NodeId earlier, NodeId later) {
  const Node& key = doc_.nodes[later];
  if (doc_.loader == Loader::omega_conf && key.value.is_string()) {
    stop(key.span, fmt::format("`{}` is given twice (first on line {}): OmegaConf refuses the file", key.text,
                               doc_.source->position(doc_.nodes[earlier].span.begin).line));
  }
  doc_.remarks.push_back({Remark::Kind::duplicate_key, doc_.nodes[earlier].span, earlier,
                          fmt::format("`{}` is given again on line {}; only the last one counts", key.text,
                                      doc_.source->position(key.span.begin).line)});
}

void YamlBuilder::find_duplicates(NodeId map) {
  const auto& members = doc_.nodes[map].members;
  const auto is_merge = [](const Node& key) { return key.style == ScalarStyle::plain && key.text == "<<"; };
  std::unordered_map<std::string_view, NodeId> seen;
  const bool large = members.size() > 12;
  if (large) seen.reserve(members.size());
  for (std::size_t i = 0; i < members.size(); ++i) {
    const Node& key = doc_.nodes[members[i].key];
    if (is_merge(key)) continue;
    if (large) {
      const auto [entry, added] = seen.try_emplace(key.text, members[i].key);
      if (added) continue;
      if (same_key(doc_.nodes[entry->second], key)) report_duplicate(entry->second, members[i].key);
      entry->second = members[i].key;
      continue;
    }
    for (std::size_t k = i; k-- > 0;) {
      if (!same_key(doc_.nodes[members[k].key], key)) continue;
      report_duplicate(members[k].key, members[i].key);
      break;
    }
  }
}

void YamlBuilder::merge_from(NodeId value, std::vector<Member>& merged) {
  // A mapping written in place may have an anchor and be repeated later: it keeps its own members.
  const Span span = doc_.nodes[value].span;
  const NodeId source =
      doc_.nodes[value].alias ? value : copy(value, span, static_cast<std::uint32_t>(stack_.size()));
  for (const Member& member : doc_.nodes[source].members) merged.push_back(member);
}

void YamlBuilder::apply_merge_keys(NodeId map) {
  const auto is_merge = [&](const Member& m) {
    const Node& key = doc_.nodes[m.key];
    return key.style == ScalarStyle::plain && key.tag.empty() && key.text == "<<";
  };
  std::vector<Member> own = std::move(doc_.nodes[map].members);
  if (std::none_of(own.begin(), own.end(), is_merge)) {
    doc_.nodes[map].members = std::move(own);
    return;
  }
  std::vector<Member> merged;
  for (const Member& member : own) {
    if (!is_merge(member)) continue;
    const Node& value = doc_.nodes[member.value];
    if (value.kind == NodeKind::mapping) {
      merge_from(member.value, merged);
    } else if (value.kind == NodeKind::sequence) {
      const std::vector<NodeId> items = value.items;  // earlier ones win, so they come last
      for (auto it = items.rbegin(); it != items.rend(); ++it) {
        if (doc_.nodes[*it].kind != NodeKind::mapping) stop(doc_.nodes[*it].span, "`<<` takes mappings only");
        merge_from(*it, merged);
      }
    } else {
      stop(value.span, "`<<` takes a mapping, or a list of mappings");
    }
  }
  // A key of the mapping itself replaces a merged one; of several merged ones the last counts.
  std::unordered_map<std::string_view, std::size_t> last;
  std::erase_if(own, is_merge);
  merged.insert(merged.end(), own.begin(), own.end());
  for (std::size_t i = 0; i < merged.size(); ++i) last[doc_.nodes[merged[i].key].text] = i;
  std::vector<Member>& members = doc_.nodes[map].members;
  for (std::size_t i = 0; i < merged.size(); ++i) {
    const Node& key = doc_.nodes[merged[i].key];
    if (!key.alias || last[key.text] == i) members.push_back(merged[i]);
  }
}

NodeId YamlBuilder::copy(NodeId from, Span span, std::uint32_t depth) {
  const NodeId id = copy_subtree(doc_, from, span, limits_, depth);
  if (id == no_node) {
    stop(span, fmt::format("repeated values (aliases) add up to more than {} values or {} levels",
                           limits_.nodes, limits_.depth));
  }
  return id;
}

NodeId copy_subtree(Document& doc, NodeId from, Span span, const Limits& limits, std::uint32_t depth) {
  if (doc.nodes.size() >= limits.nodes || depth > limits.depth) return no_node;
  const auto id = static_cast<NodeId>(doc.nodes.size());
  doc.nodes.push_back(Node(doc.nodes[from]));
  doc.nodes[id].span = span;
  doc.nodes[id].alias = true;
  for (std::size_t i = 0; i < doc.nodes[id].items.size(); ++i) {
    const NodeId item = copy_subtree(doc, doc.nodes[id].items[i], span, limits, depth + 1);
    if (item == no_node) return no_node;
    doc.nodes[id].items[i] = item;
  }
  for (std::size_t i = 0; i < doc.nodes[id].members.size(); ++i) {
    const Member member = doc.nodes[id].members[i];
    const NodeId key = copy_subtree(doc, member.key, span, limits, depth + 1);
    const NodeId value = key == no_node ? no_node : copy_subtree(doc, member.value, span, limits, depth + 1);
    if (value == no_node) return no_node;
    doc.nodes[id].members[i] = {key, value};
  }
  return id;
}

Value sequence_value(const Document& doc, const Node& sequence) {
  List list;
  list.reserve(sequence.items.size());
  for (const NodeId item : sequence.items) {
    const Value& value = doc.nodes[item].value;
    if (value.is_opaque()) return Opaque{};
    list.push_back(value);
  }
  return list;
}

}  // namespace headroom::source
