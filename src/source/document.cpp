#include "headroom/source/document.hpp"

#include "chars.hpp"

namespace headroom::source {
namespace {

/// First two characters that are no white space, byte order mark skipped.
std::string first_characters(std::string_view text) {
  if (text.starts_with(byte_order_mark)) text.remove_prefix(byte_order_mark.size());
  std::string first;
  for (const char c : text) {
    if (is_space(c)) continue;
    first += c;
    if (first.size() == 2) break;
  }
  return first;
}

bool is_name_end(char c) {
  return is_space(c) || c == ':' || c == '"' || c == '\'';
}

/// Whether `word` stands in `line` as a key inside braces: `{_target_: x}`.
bool in_flow_mapping(std::string_view line, std::string_view word) {
  for (std::size_t at = line.find(word); at != std::string_view::npos; at = line.find(word, at + 1)) {
    std::size_t before = at;
    while (before > 0 && (is_space(line[before - 1]) || line[before - 1] == '"' || line[before - 1] == '\''))
      --before;
    const std::size_t after = at + word.size();
    if (before == 0 || after >= line.size() || !is_name_end(line[after])) continue;
    if (line[before - 1] == '{' || line[before - 1] == ',') return true;
  }
  return false;
}

/// A saved config names its classes: `_target_` at top level or directly in a section.
bool is_saved_config(const SourceText& text) {
  constexpr std::string_view word = "_target_";
  if (text.text().find(word) == std::string::npos) return false;
  std::size_t section_indent = 0;  // of the lines directly below the section that we are in; 0 = not seen yet
  for (std::uint32_t n = 1; n <= text.line_count(); ++n) {
    std::string_view line = text.line(n);
    if (n == 1 && line.starts_with(byte_order_mark)) line.remove_prefix(byte_order_mark.size());
    std::size_t indent = line.find_first_not_of(' ');
    if (indent == std::string_view::npos || line[indent] == '#') continue;
    if (indent == 0) section_indent = 0;
    if (indent > 0 && section_indent == 0) section_indent = indent;
    if (indent != 0 && indent != section_indent) continue;
    if (indent == 0 && in_flow_mapping(line, word)) return true;
    if (line[indent] == '"' || line[indent] == '\'') ++indent;
    const std::string_view rest = line.substr(indent);
    if (rest.starts_with(word) && rest.size() > word.size() && is_name_end(rest[word.size()])) return true;
  }
  return false;
}

}  // namespace

const Member* Document::find_member(NodeId map, std::string_view key) const {
  if (map == no_node || nodes[map].kind != NodeKind::mapping) return nullptr;
  const auto& members = nodes[map].members;
  for (auto it = members.rbegin(); it != members.rend(); ++it) {
    if (nodes[it->key].kind == NodeKind::scalar && nodes[it->key].text == key) return &*it;
  }
  return nullptr;
}

NodeId Document::find(NodeId map, std::string_view key) const {
  const Member* member = find_member(map, key);
  return member == nullptr ? no_node : member->value;
}

Loader detect_loader(const SourceText& text) {
  const std::string& name = text.name();
  if (name.ends_with(".json")) return Loader::json;
  const std::string first = first_characters(text.text());
  // `{model: …}` is a flow mapping of YAML; JSON has a quoted key or nothing after the brace. A file that
  // is called .yaml goes to a YAML loader whatever is in it, and `1e-5` is then a string for PyYAML.
  const bool called_yaml = name.ends_with(".yaml") || name.ends_with(".yml");
  if (!called_yaml && (first == "{\"" || first == "{}")) return Loader::json;
  return is_saved_config(text) ? Loader::py_yaml : Loader::omega_conf;
}

}  // namespace headroom::source
