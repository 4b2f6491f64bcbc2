#include "edit_layout.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "chars.hpp"

namespace headroom::source {

EditLayout::EditLayout(const Document& doc) : doc_(doc), text_(doc.source->text()), scan_(text_) {
  const std::size_t newline = text_.find('\n');
  const bool crlf = newline != std::string_view::npos && newline > 0 && text_[newline - 1] == '\r';
  newline_ = crlf ? "\r\n" : "\n";
  step_ = find_step();
}

/// Indentation of the first block mapping below another one.
std::size_t EditLayout::find_step() const {
  for (const Node& node : doc_.nodes) {
    if (node.kind != NodeKind::mapping || node.flow || node.alias) continue;
    for (const Member& member : node.members) {
      const Node& value = doc_.node(member.value);
      if (value.kind != NodeKind::mapping || value.flow || value.alias) continue;
      const std::uint32_t outer = scan_.column(doc_.node(member.key).span.begin);
      const std::uint32_t inner = scan_.column(value.span.begin);
      if (inner > outer) return inner - outer;
    }
  }
  return 2;
}

std::uint32_t EditLayout::line_start(std::uint32_t p) const {
  while (p > 0 && text_[p - 1] != '\n') --p;
  return p == 0 && text_.starts_with(byte_order_mark) ? 3 : p;
}

/// End of the line without its break.
std::uint32_t EditLayout::line_end(std::uint32_t p) const {
  while (p < scan_.size() && !is_break(text_[p])) ++p;
  return p;
}

std::uint32_t EditLayout::next_line(std::uint32_t p) const {
  while (p < scan_.size() && text_[p] != '\n') ++p;
  return std::min(p + 1, scan_.size());
}

bool EditLayout::first_on_line(std::uint32_t p) const {
  const std::uint32_t start = line_start(p);
  const std::string_view before = text_.substr(start, p - start);
  return before.find_first_not_of(" \t") == std::string_view::npos;
}

std::vector<Member> EditLayout::own_members(NodeId map) const {
  std::vector<Member> own;
  const Node& node = doc_.node(map);
  // Members that a merge brought carry the place of the merge; a key of the mapping itself has its own.
  std::copy_if(node.members.begin(), node.members.end(), std::back_inserter(own),
               [&](const Member& m) { return !doc_.node(m.key).alias; });
  return own;
}

const Member* EditLayout::find_own(NodeId map, std::string_view key) const {
  const auto& members = doc_.node(map).members;
  for (auto it = members.rbegin(); it != members.rend(); ++it) {
    const Node& candidate = doc_.node(it->key);
    if (!candidate.alias && candidate.text == key) return &*it;
  }
  return nullptr;
}

/// Behind the `:` of a member; the end of the key where it has none.
std::uint32_t EditLayout::colon_end(const Member& member) const {
  const std::uint32_t end = doc_.node(member.key).span.end;
  const std::uint32_t p = scan_.skip_blank(end);
  return scan_.at(p) == ':' ? p + 1 : end;
}

EditLayout::Extent EditLayout::extent(const Member& member) const {
  Extent result{doc_.node(member.key).span.begin,
                std::max(colon_end(member), doc_.node(member.value).span.end)};
  const Node& value = doc_.node(member.value);
  const bool block = value.style == ScalarStyle::literal || value.style == ScalarStyle::folded;
  if (block && !value.alias) {
    // With `|+` the blank lines behind belong to the text.
    const std::uint32_t header_end = line_end(value.span.begin);
    const std::string_view header = text_.substr(value.span.begin, header_end - value.span.begin);
    if (header.substr(0, 3).find('+') != std::string_view::npos) {
      while (next_line(result.end) < scan_.size()) {
        const std::uint32_t next = next_line(result.end);
        if (text_.substr(next, line_end(next) - next).find_first_not_of(" \t") != std::string_view::npos)
          break;
        result.end = line_end(next);
      }
    }
  }
  return result;
}

/// `key: value` on one line.
std::string EditLayout::pair_text(const std::string& key, const Value& value) const {
  return to_yaml(Value(key), doc_.loader) + ": " + to_yaml(value, doc_.loader);
}

/// `key: value`, a mapping in lines of its own, without a break at either end.
std::string EditLayout::block_text(const std::string& key, const Value& value, std::size_t indent) const {
  const std::string margin(indent, ' ');
  if (!value.is_mapping() || value.as_mapping().empty()) return margin + pair_text(key, value);
  return margin + to_yaml(Value(key), doc_.loader) + ':' + members_below(value, indent + step_);
}

/// Members of a mapping, each on a line of its own, with a break before each.
std::string EditLayout::members_below(const Value& value, std::size_t indent) const {
  std::string out;
  for (const auto& [key, member] : value.as_mapping()) out += newline_ + block_text(key, member, indent);
  return out;
}

std::vector<Edit> EditLayout::replace_value(const Member& member, const Value& value, bool flow) const {
  if (!flow && value.is_mapping() && !value.as_mapping().empty()) return replace_by_members(member, value);
  const std::string text = to_yaml(value, doc_.loader);
  const Node& node = doc_.node(member.value);
  const std::uint32_t colon = colon_end(member);
  const bool has_colon = colon > doc_.node(member.key).span.end;
  const std::uint32_t begin = std::max(node.span.begin, colon);
  const std::uint32_t end = std::max(node.span.end, begin);
  if (!has_colon) return {{{colon, colon}, ": " + text}};
  const std::string_view gap = text_.substr(colon, begin - colon);
  const bool own_lines = gap.find('\n') != std::string_view::npos;
  if (node.span.empty() && node.tag.empty()) return {{{begin, begin}, " " + text}};
  if (!own_lines && node.tag.empty()) return {{{begin, end}, text}};
  if (!own_lines) return {{{colon, end}, " " + text}};
  // The value stands below its key: it moves up, in front of a comment on the key's line.
  const auto properties = scan_.skip_properties(scan_.skip_blank(colon));
  const bool keeps_anchor = node.tag.empty() && properties.end > colon && line_end(colon) >= properties.end &&
                            properties.content == node.span.begin;
  const std::uint32_t place = keeps_anchor ? properties.end : colon;
  return {{{place, place}, " " + text}, {{line_end(place), end}, ""}};
}

/// The old value goes, the members come below the line of the key (a comment there stays).
std::vector<Edit> EditLayout::replace_by_members(const Member& member, const Value& value) const {
  const Node& node = doc_.node(member.value);
  const Node& key = doc_.node(member.key);
  const std::uint32_t colon = colon_end(member);
  const std::uint32_t begin = std::max(node.span.begin, colon);
  const std::uint32_t end = std::max(node.span.end, begin);
  const std::string below = members_below(value, scan_.column(key.span.begin) + step_);
  if (text_.substr(colon, begin - colon).find('\n') != std::string_view::npos)
    return {{{line_end(colon), end}, below}};
  std::vector<Edit> edits;
  if (!node.span.empty() || !node.tag.empty()) edits.push_back({{colon, end}, ""});
  edits.push_back({{line_end(end), line_end(end)}, below});
  return edits;
}

std::vector<Edit> EditLayout::fill_root(const std::string& key, const Value& value) const {
  const std::uint32_t end = scan_.size();
  if (doc_.loader == Loader::json) {
    const std::string text = "{" + pair_text(key, value) + "}";
    if (doc_.root == no_node) return {{{end, end}, text + newline_}};
    return {{doc_.node(doc_.root).span, text}};
  }
  const std::string text = block_text(key, value, 0);
  if (doc_.root != no_node && !doc_.node(doc_.root).span.empty()) return {{doc_.node(doc_.root).span, text}};
  const bool open_line = end > 0 && text_[end - 1] != '\n' && text_ != byte_order_mark;
  return {{{end, end}, (open_line ? newline_ : "") + text + newline_}};
}

std::vector<Edit> EditLayout::add_member(NodeId map, const std::string& key, const Value& value) const {
  return doc_.node(map).flow ? add_to_flow(map, key, value) : add_to_block(map, key, value);
}

std::vector<Edit> EditLayout::add_to_flow(NodeId map, const std::string& key, const Value& value) const {
  const Node& node = doc_.node(map);
  const std::vector<Member> own = own_members(map);
  const std::string text = pair_text(key, value);
  if (own.empty()) {
    const std::uint32_t place = node.span.begin + 1;
    const bool empty = scan_.at(scan_.skip_blank(place)) == '}';
    return {{{place, place}, text + (empty ? "" : ", ")}};
  }
  const std::uint32_t key_begin = doc_.node(own.back().key).span.begin;
  const std::uint32_t place = extent(own.back()).end;
  const bool own_line = first_on_line(key_begin) && line_start(key_begin) > node.span.begin;
  if (!own_line) return {{{place, place}, ", " + text}};
  const std::uint32_t start = line_start(key_begin);
  return {{{place, place}, "," + newline_ + std::string(text_.substr(start, key_begin - start)) + text}};
}

std::vector<Edit> EditLayout::add_to_block(NodeId map, const std::string& key, const Value& value) const {
  const std::vector<Member> own = own_members(map);
  const std::string text = block_text(key, value, scan_.column(doc_.node(map).span.begin));
  if (own.empty()) {
    const std::uint32_t start = line_start(doc_.node(map).span.begin);
    return {{{start, start}, text + newline_}};
  }
  const std::uint32_t end = line_end(extent(own.back()).end);
  return {{{end, end}, newline_ + text}};
}

Edit EditLayout::remove_from_flow(const std::vector<Member>& own, std::size_t index) const {
  const Extent range = extent(own[index]);
  const std::uint32_t comma = scan_.skip_blank(range.end);
  const bool has_comma = scan_.at(comma) == ',';
  if (has_comma) {
    const std::uint32_t next = scan_.skip_blank(comma + 1);
    if (scan_.at(next) != '}') return {{range.begin, next}, ""};
  }
  if (index > 0) {
    const std::uint32_t before = extent(own[index - 1]).end;
    const std::uint32_t separator = scan_.skip_blank(before);
    if (scan_.at(separator) == ',' && scan_.skip_blank(separator + 1) == range.begin)
      return {{before, range.end}, ""};
  }
  return {{range.begin, has_comma ? comma + 1 : range.end}, ""};
}

std::vector<Edit> EditLayout::remove_member(NodeId map, const Member* parent, std::string_view key) const {
  const Node& node = doc_.node(map);
  const std::vector<Member> own = own_members(map);
  std::vector<Edit> edits;
  for (std::size_t i = 0; i < own.size(); ++i) {
    if (doc_.node(own[i].key).text != key) continue;
    if (node.flow) {
      edits.push_back(remove_from_flow(own, i));
    } else {
      const Extent range = extent(own[i]);
      edits.push_back({{line_start(range.begin), next_line(line_end(range.end))}, ""});
    }
    // Duplicates that share a line or a comma: the outer edit takes the inner along.
    if (edits.size() > 1 && edits[edits.size() - 2].span.end > edits.back().span.begin) {
      edits[edits.size() - 2].span.end = std::max(edits[edits.size() - 2].span.end, edits.back().span.end);
      edits.pop_back();
    }
  }
  if (node.flow || edits.size() != own.size() || own.size() != node.members.size()) return edits;
  // Nothing is left, and a key with nothing below it would be null instead of an empty mapping.
  if (parent == nullptr) {
    edits.back().text = "{}" + newline_;
    return edits;
  }
  const std::uint32_t colon = colon_end(*parent);
  const auto properties = scan_.skip_properties(scan_.skip_blank(colon));
  const std::uint32_t place = properties.content == node.span.begin && properties.end < node.span.begin &&
                                      properties.end > scan_.skip_blank(colon)
                                  ? properties.end
                                  : colon;
  edits.insert(edits.begin(), Edit{{place, place}, " {}"});
  return edits;
}

namespace {

bool is_interpolated(const Document& doc, NodeId id) {
  return doc.loader != Loader::json &&
         doc.source->slice(doc.node(id).span).find("${") != std::string_view::npos;
}

bool same_tree(const Document& a, NodeId in_a, const Document& b, NodeId in_b) {
  const Node& x = a.node(in_a);
  const Node& y = b.node(in_b);
  const bool leaf = x.alias || x.kind == NodeKind::scalar;
  if (leaf && is_interpolated(a, in_a) && is_interpolated(b, in_b)) {
    return a.source->slice(x.span) == b.source->slice(y.span);
  }
  if (x.kind != y.kind || x.items.size() != y.items.size() || x.members.size() != y.members.size())
    return false;
  if (x.kind == NodeKind::scalar) return x.value.to_text() == y.value.to_text() && x.tag == y.tag;
  for (std::size_t i = 0; i < x.items.size(); ++i) {
    if (!same_tree(a, x.items[i], b, y.items[i])) return false;
  }
  for (std::size_t i = 0; i < x.members.size(); ++i) {
    if (!same_tree(a, x.members[i].key, b, y.members[i].key)) return false;
    if (!same_tree(a, x.members[i].value, b, y.members[i].value)) return false;
  }
  return true;
}

std::vector<Member> members_without(const Document& doc, NodeId map, const std::string& key) {
  std::vector<Member> rest;
  if (map == no_node || doc.node(map).kind != NodeKind::mapping) return rest;
  for (const Member& member : doc.node(map).members) {
    if (doc.node(member.key).text != key) rest.push_back(member);
  }
  return rest;
}

}  // namespace

bool same_but_for(const Document& a, NodeId in_a, const Document& b, NodeId in_b,
                  const std::vector<std::string>& path, std::size_t depth) {
  const std::vector<Member> x = members_without(a, in_a, path[depth]);
  const std::vector<Member> y = members_without(b, in_b, path[depth]);
  if (x.size() != y.size()) return false;
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (!same_tree(a, x[i].key, b, y[i].key) || !same_tree(a, x[i].value, b, y[i].value)) return false;
  }
  if (depth + 1 == path.size()) return true;
  const NodeId below_a = in_a == no_node ? no_node : a.find(in_a, path[depth]);
  const NodeId below_b = in_b == no_node ? no_node : b.find(in_b, path[depth]);
  if (below_a == no_node && below_b == no_node) return true;
  return same_but_for(a, below_a, b, below_b, path, depth + 1);
}

}  // namespace headroom::source
