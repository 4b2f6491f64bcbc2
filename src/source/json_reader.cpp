#include <fmt/format.h>

#include <optional>
#include <unordered_map>

#include "chars.hpp"
#include "headroom/source/document.hpp"
#include "interpolation.hpp"
#include "scalar.hpp"
#include "yaml_builder.hpp"

// nlohmann::json keeps no positions and drops duplicate keys silently, hence a scanner of our own (RFC 8259,
// plus the `NaN`, `Infinity` and `-Infinity` that Python's json module writes and reads).
namespace headroom::source {
namespace {

class JsonReader {
 public:
  JsonReader(Document& doc, const Limits& limits) : doc_(doc), limits_(limits), text_(doc.source->text()) {}

  void run() {
    if (text_.starts_with(byte_order_mark)) at_ = 3;
    skip_space();
    if (at_ == text_.size()) return;
    doc_.root = read_value(1);
    skip_space();
    if (at_ != text_.size()) stop(at_, "text behind the end of the document");
  }

 private:
  [[noreturn]] void stop(std::uint32_t at, std::string message) const {
    const auto size = static_cast<std::uint32_t>(text_.size());
    throw ReadingStopped{error_at(*doc_.source, {at, std::min(at + 1, size)}, std::move(message))};
  }
  [[nodiscard]] char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  void skip_space() {
    while (at_ < text_.size() && is_space(text_[at_])) ++at_;
  }

  NodeId new_node(NodeKind kind) {
    if (doc_.nodes.size() >= limits_.nodes)
      stop(at_, fmt::format("more than {} values: no config", limits_.nodes));
    doc_.nodes.emplace_back();
    doc_.nodes.back().kind = kind;
    doc_.nodes.back().span = {at_, at_};
    return static_cast<NodeId>(doc_.nodes.size() - 1);
  }

  NodeId read_value(std::uint32_t depth) {
    if (depth > limits_.depth) stop(at_, fmt::format("nested deeper than {} levels", limits_.depth));
    switch (peek()) {
      case '{':
        return read_object(depth);
      case '[':
        return read_array(depth);
      case '"':
        return read_string();
      default:
        return read_word();
    }
  }

  NodeId read_object(std::uint32_t depth) {
    const NodeId id = new_node(NodeKind::mapping);
    doc_.nodes[id].flow = true;
    doc_.nodes[id].value = Opaque{};
    const std::uint32_t open = at_++;
    skip_space();
    bool more = peek() != '}';
    while (more) {
      if (peek() != '"') stop(at_, at_ == text_.size() ? unclosed(open) : "a key in double quotes expected");
      const NodeId key = read_string();
      skip_space();
      if (peek() != ':') stop(at_, "`:` expected behind a key");
      ++at_;
      skip_space();
      const NodeId value = read_value(depth + 1);
      doc_.nodes[id].members.push_back({key, value});
      more = next_or_close(open, '}');
    }
    doc_.nodes[id].span.end = ++at_;
    find_duplicates(id);
    return id;
  }

  NodeId read_array(std::uint32_t depth) {
    const NodeId id = new_node(NodeKind::sequence);
    doc_.nodes[id].flow = true;
    const std::uint32_t open = at_++;
    skip_space();
    bool more = peek() != ']';
    while (more) {
      const NodeId item = read_value(depth + 1);
      doc_.nodes[id].items.push_back(item);
      more = next_or_close(open, ']');
    }
    doc_.nodes[id].span.end = ++at_;
    doc_.nodes[id].value = sequence_value(doc_, doc_.nodes[id]);
    return id;
  }

  /// Past a comma (true) or at the closing bracket (false).
  bool next_or_close(std::uint32_t open, char close) {
    skip_space();
    if (peek() == close) return false;
    if (at_ == text_.size()) stop(open, unclosed(open));
    if (peek() != ',') stop(at_, fmt::format("`,` or `{}` expected", close));
    const std::uint32_t comma = at_++;
    skip_space();
    if (peek() == close) stop(comma, "JSON has no comma behind the last entry");
    return true;
  }

  [[nodiscard]] std::string unclosed(std::uint32_t open) const {
    return fmt::format("`{}` is never closed", text_[open]);
  }

  NodeId read_string() {
    const NodeId id = new_node(NodeKind::scalar);
    const std::uint32_t open = at_++;
    std::string text;
    while (true) {
      const std::uint32_t run = at_;
      while (at_ < text_.size() && text_[at_] != '"' && text_[at_] != '\\' &&
             static_cast<unsigned char>(text_[at_]) >= 0x20) {
        ++at_;
      }
      text.append(text_.substr(run, at_ - run));
      if (at_ == text_.size() || is_break(text_[at_])) stop(open, "a quoted text is never closed");
      if (text_[at_] == '"') break;
      if (text_[at_] != '\\') stop(at_, "a control character in a text: write it as \\u00…");
      read_escape(text);
    }
    Node& node = doc_.nodes[id];
    node.span.end = ++at_;
    node.style = ScalarStyle::double_quoted;
    node.value = Value(text);
    node.text = std::move(text);
    return id;
  }

  void read_escape(std::string& out) {
    static constexpr std::string_view from = "\"\\/bfnrt";
    static constexpr std::string_view to = "\"\\/\b\f\n\r\t";
    const std::uint32_t begin = at_++;
    const std::size_t simple = peek() == '\0' ? std::string_view::npos : from.find(peek());
    if (simple != std::string_view::npos) {
      out += to[simple];
      ++at_;
      return;
    }
    if (peek() != 'u') stop(begin, "an unknown escape: write `\\\\` for a backslash");
    std::uint32_t code = read_hex(begin);
    if (code >= 0xD800 && code < 0xDC00 && text_.substr(at_, 2) == "\\u") {
      const std::uint32_t second = at_++;
      const std::uint32_t low = read_hex(second);
      if (low < 0xDC00 || low > 0xDFFF) stop(begin, "half of a surrogate pair");
      code = 0x10000 + ((code - 0xD800) << 10U) + (low - 0xDC00);
    }
    if (code >= 0xD800 && code <= 0xDFFF) stop(begin, "half of a surrogate pair");
    append_utf8(out, code);
  }

  /// The four digits behind `\u`; `at_` is on the `u`.
  std::uint32_t read_hex(std::uint32_t begin) {
    ++at_;
    std::uint32_t code = 0;
    for (int i = 0; i < 4; ++i, ++at_) {
      const char c = peek();
      if (!is_hex_digit(c)) stop(begin, "`\\u` needs four hexadecimal digits");
      code = code * 16 + static_cast<std::uint32_t>(is_digit(c) ? c - '0' : lower(c) - 'a' + 10);
    }
    return code;
  }

  NodeId read_word() {
    const NodeId id = new_node(NodeKind::scalar);
    const std::uint32_t begin = at_;
    while (at_ < text_.size() && (is_alpha(text_[at_]) || is_digit(text_[at_]) || text_[at_] == '-' ||
                                  text_[at_] == '+' || text_[at_] == '.' || text_[at_] == '_')) {
      ++at_;
    }
    const std::string_view word = text_.substr(begin, at_ - begin);
    if (word.empty())
      stop(begin, begin == text_.size() ? "a value is missing at the end" : "a value expected");
    Node& node = doc_.nodes[id];
    node.span.end = at_;
    node.text = std::string(word);
    if (word == "NaN" || word == "Infinity" || word == "-Infinity") {
      node.value = resolve_hydra(word == "NaN" ? "nan" : word[0] == '-' ? "-inf" : "inf");
      return id;
    }
    node.value = resolve_scalar(word, Loader::json);
    if (node.value.is_string()) {
      at_ = begin;
      stop(begin, fmt::format("`{}` is no JSON value: a text needs double quotes", word.substr(0, 40)));
    }
    return id;
  }

  void find_duplicates(NodeId map) {
    std::unordered_map<std::string_view, NodeId> seen;
    for (const Member& member : doc_.nodes[map].members) {
      const Node& key = doc_.nodes[member.key];
      const auto [entry, added] = seen.try_emplace(key.text, member.key);
      if (added) continue;
      const Node& earlier = doc_.nodes[entry->second];
      doc_.remarks.push_back({Remark::Kind::duplicate_key, earlier.span, entry->second,
                              fmt::format("`{}` is given again on line {}; only the last one counts",
                                          key.text, doc_.source->position(key.span.begin).line)});
      entry->second = member.key;
    }
  }

  Document& doc_;
  const Limits& limits_;
  std::string_view text_;
  std::uint32_t at_ = 0;
};

}  // namespace

Result<Document> read_json(std::shared_ptr<const SourceText> text, const Limits& limits) {
  if (text->text().size() > limits.bytes) {
    return tl::unexpected(
        error_without_place(text->name(), fmt::format("larger than {} MiB: no config", limits.bytes >> 20U)));
  }
  if (const auto bad = find_bad_byte(text->text())) {
    return tl::unexpected(error_at(*text, {bad->offset, bad->offset + 1}, bad->why));
  }
  Document doc;
  doc.source = std::move(text);
  doc.loader = Loader::json;
  try {
    JsonReader(doc, limits).run();
  } catch (const ReadingStopped& stopped) {
    return tl::unexpected(stopped.error);
  }
  if (doc.source->text().find("${") != std::string::npos) {
    if (const auto done = resolve_interpolations(doc, limits); !done) return tl::unexpected(done.error());
  }
  return doc;
}

}  // namespace headroom::source
