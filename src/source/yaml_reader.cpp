#include <fmt/format.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <array>
#include <istream>
#include <optional>
#include <streambuf>
#include <utility>

#include "chars.hpp"
#include "headroom/source/document.hpp"
#include "interpolation.hpp"
#include "plain_yaml.hpp"
#include "yaml_builder.hpp"

namespace headroom::source {
namespace {

/// yaml-cpp keeps every token of a `[`, `{` or possible key in memory until it is closed, about 200 bytes
/// each. No value of a config is that long; without a limit 16 MiB of `[` would take gigabytes.
constexpr std::uint32_t lookahead_limit = 256U << 10U;

/// Hands out the text in small pieces, and ends early where the parser reads far ahead of its events.
class MeteredBuffer final : public std::streambuf {
 public:
  explicit MeteredBuffer(std::string_view text) : text_(text) {}
  void watch(const YamlBuilder& builder, std::uint32_t base) {
    builder_ = &builder;
    base_ = base;
  }
  [[nodiscard]] bool starved() const { return starved_; }

 protected:
  int_type underflow() override {
    if (given_ == text_.size()) return traits_type::eof();
    const std::uint32_t done =
        builder_ == nullptr ? 0 : builder_->progress() - std::min(base_, builder_->progress());
    if (given_ > done + lookahead_limit) {
      starved_ = true;
      return traits_type::eof();
    }
    // streambuf wants a mutable pointer, and never writes through it here: there is no overflow or pbackfail.
    char* const start = const_cast<char*>(text_.data());
    const std::size_t next = std::min(text_.size(), given_ + 2048);
    setg(start, start + given_, start + next);
    given_ = next;
    return traits_type::to_int_type(*gptr());
  }

 private:
  std::string_view text_;
  std::size_t given_ = 0;
  const YamlBuilder* builder_ = nullptr;
  std::uint32_t base_ = 0;
  bool starved_ = false;
};

/// Stops at the start of a document.
class DocumentProbe final : public YAML::EventHandler {
 public:
  struct Found {
    YAML::Mark mark;
  };
  void OnDocumentStart(const YAML::Mark& mark) override { throw Found{mark}; }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark&, YAML::anchor_t) override {}
  void OnAlias(const YAML::Mark&, YAML::anchor_t) override {}
  void OnScalar(const YAML::Mark&, const std::string&, YAML::anchor_t, const std::string&) override {}
  void OnSequenceStart(const YAML::Mark&, const std::string&, YAML::anchor_t,
                       YAML::EmitterStyle::value) override {}
  void OnSequenceEnd() override {}
  void OnMapStart(const YAML::Mark&, const std::string&, YAML::anchor_t, YAML::EmitterStyle::value) override {
  }
  void OnMapEnd() override {}
};

/// yaml-cpp's messages in words for somebody who does not know its grammar.
std::string plain_words(const std::string& message) {
  struct Entry {
    std::string_view theirs;
    std::string_view ours;
  };
  static constexpr std::array<Entry, 16> table = {{
      {"illegal map value",
       "a `key: value` cannot stand here: check the indentation, and quote a text that holds `: `"},
      {"illegal map key", "a key cannot stand here: check the indentation"},
      {"illegal block entry", "a `- ` cannot stand here: check the indentation"},
      {"end of map not found",
       "this line does not fit the mapping above it: check the indentation, and that the key ends with `:`"},
      {"end of sequence not found",
       "this line does not fit the list above it: check the indentation and the `- `"},
      {"end of map flow not found", "`{` is never closed, or a comma is missing"},
      {"end of sequence flow not found", "`[` is never closed, or a comma is missing"},
      {"illegal flow end", "`]` or `}` without its opening bracket"},
      {"illegal EOF in scalar", "a quoted text is never closed"},
      {"illegal tab when looking for indentation", "a tab in the indentation: YAML allows only spaces there"},
      {"unknown token", "a value cannot begin with this character: put it in quotes"},
      {"illegal document indicator in scalar", "`---` or `...` inside a quoted text"},
      {"unknown escape character: ",
       "an unknown escape in a double-quoted text: write `\\\\` for a backslash"},
      {"alias not found after *", "`*` needs the name of an anchor: quote the text if it is meant as such"},
      {"anchor not found after &", "`&` needs a name: quote the text if it is meant as such"},
      {"bad character found while scanning tag",
       "a bad character in a tag: quote the text if it is meant as such"},
  }};
  for (const Entry& entry : table) {
    if (message.starts_with(entry.theirs)) return std::string(entry.ours);
  }
  return message;
}

/// Where a tab indents the line of `offset`: no YAML reader of Python accepts it, and yaml-cpp's own message
/// then speaks of its consequences.
std::optional<std::uint32_t> indenting_tab(const SourceText& text, std::uint32_t offset) {
  const std::uint32_t line = text.position(offset).line;
  for (std::uint32_t n = line; n + 1 >= line && n > 0; --n) {
    const std::string_view content = text.line(n);
    const std::size_t tab = content.find_first_not_of(' ');
    if (tab == std::string_view::npos || content[tab] != '\t') continue;
    return static_cast<std::uint32_t>(content.data() - text.text().data() + static_cast<std::ptrdiff_t>(tab));
  }
  return std::nullopt;
}

Error syntax_error(const SourceText& text, const YAML::Exception& e, std::uint32_t base) {
  const auto size = static_cast<std::uint32_t>(text.text().size());
  const std::uint32_t at =
      e.mark.is_null() ? size : std::min(size, static_cast<std::uint32_t>(e.mark.pos) + base);
  if (const auto tab = indenting_tab(text, at)) {
    return error_at(text, {*tab, *tab + 1}, "a tab in the indentation: YAML allows only spaces there");
  }
  return error_at(text, {at, std::min(at + 1, size)}, plain_words(e.msg));
}

/// PyYAML takes a tab for the start of a token, and fails, everywhere but in quotes, comments and block
/// texts.
class TabCheck {
 public:
  explicit TabCheck(const Document& doc) : doc_(doc), text_(doc.source->text()), scan_(text_) {
    for (const Node& node : doc.nodes) {
      if (node.alias || node.kind != NodeKind::scalar || node.style == ScalarStyle::plain) continue;
      const bool block = node.style == ScalarStyle::literal || node.style == ScalarStyle::folded;
      opaque_.push_back({node.span.begin, block ? trailing_blank_lines(node.span.end) : node.span.end});
    }
    std::sort(opaque_.begin(), opaque_.end(), [](Span a, Span b) { return a.begin < b.begin; });
  }

  [[nodiscard]] std::optional<Error> run() const {
    std::size_t next = 0;
    for (std::uint32_t p = 0; p < text_.size(); ++p) {
      while (next < opaque_.size() && opaque_[next].end <= p) ++next;
      if (next < opaque_.size() && opaque_[next].begin <= p) {
        p = opaque_[next].end - 1;
      } else if (text_[p] == '#' && (p == 0 || is_space(text_[p - 1]))) {
        while (p + 1 < text_.size() && !is_break(text_[p + 1])) ++p;
      } else if (text_[p] == '\t') {
        const bool leading = text_.find_last_not_of(" \t", p) == std::string_view::npos ||
                             is_break(text_[text_.find_last_not_of(" \t", p)]);
        return error_at(*doc_.source, {p, p + 1},
                        leading ? "a tab in the indentation: YAML allows only spaces there"
                                : "a tab outside quotes: PyYAML and OmegaConf refuse it, write a space");
      }
    }
    return std::nullopt;
  }

 private:
  [[nodiscard]] std::uint32_t trailing_blank_lines(std::uint32_t p) const {
    while (p < text_.size() && is_space(text_[p])) ++p;
    return p;
  }
  const Document& doc_;
  std::string_view text_;
  TextScan scan_;
  std::vector<Span> opaque_;
};

class YamlReading {
 public:
  YamlReading(Document& doc, const Limits& limits)
      : doc_(doc),
        base_(doc.source->text().starts_with(byte_order_mark) ? 3 : 0),
        buffer_(std::string_view(doc.source->text()).substr(base_)),
        stream_(&buffer_),
        builder_(doc, limits, base_) {
    buffer_.watch(builder_, base_);
  }

  Result<void> run() {
    try {
      YAML::Parser parser(stream_);
      if (!parser.HandleNextDocument(builder_))
        builder_.check_directives(static_cast<std::uint32_t>(doc_.source->text().size()));
      if (!buffer_.starved()) look_for_more(parser);
    } catch (const ReadingStopped& stopped) {
      if (!buffer_.starved()) return tl::unexpected(stopped.error);
    } catch (const YAML::Exception& e) {
      if (!buffer_.starved()) return tl::unexpected(syntax_error(*doc_.source, e, base_));
    } catch (const std::exception& e) {
      return tl::unexpected(
          error_without_place(doc_.source->name(), fmt::format("cannot read: {}", e.what())));
    }
    if (!buffer_.starved()) return {};
    const std::uint32_t from = builder_.progress();
    return tl::unexpected(error_at(
        *doc_.source, {from, from + 1},
        fmt::format("one value of more than {} KiB begins here: no config", lookahead_limit >> 10U)));
  }

  [[nodiscard]] bool has_interpolation() const { return builder_.has_interpolation(); }

 private:
  void look_for_more(YAML::Parser& parser) {
    DocumentProbe probe;
    try {
      parser.HandleNextDocument(probe);
    } catch (const DocumentProbe::Found& found) {
      const SourceText& text = *doc_.source;
      const auto size = static_cast<std::uint32_t>(text.text().size());
      const std::uint32_t at =
          std::min(size, static_cast<std::uint32_t>(std::max(found.mark.pos, 0)) + base_);
      const Span span{at, std::min(size, at + 3)};
      if (text.slice(span) != "---") {
        throw ReadingStopped{
            error_at(text, {at, std::min(size, at + 1)}, "text behind the end of the document")};
      }
      doc_.remarks.push_back(
          {Remark::Kind::more_documents, span, doc_.root,
           "a second document begins here; the framework's loader refuses such a file, and only "
           "the first document is read"});
    }
  }

  Document& doc_;
  std::uint32_t base_;
  MeteredBuffer buffer_;
  std::istream stream_;
  YamlBuilder builder_;
};

/// Whether there is nothing to look for; without branches, so that the compiler compares many bytes at once.
bool is_ascii_text(std::string_view text) {
  bool other = false;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    other |= (byte < 0x20) & (c != '\n') & (c != '\r') & (c != '\t');
    other |= byte >= 0x7F;
  }
  return !other;
}

/// A carriage return alone ends a line for PyYAML, but not for yaml-cpp: a comment would swallow what
/// follows.
std::optional<BadByte> find_lone_return(std::string_view text) {
  for (std::size_t p = text.find('\r'); p != std::string_view::npos; p = text.find('\r', p + 1)) {
    if (p + 1 == text.size() || text[p + 1] == '\n' || text[p + 1] == '\r') continue;
    return BadByte{static_cast<std::uint32_t>(p),
                   "a carriage return without a line feed: save the text with usual line ends"};
  }
  return std::nullopt;
}

Result<void> check_text(const SourceText& text, const Limits& limits) {
  if (text.text().size() > limits.bytes) {
    return tl::unexpected(
        error_without_place(text.name(), fmt::format("larger than {} MiB: no config", limits.bytes >> 20U)));
  }
  std::optional<BadByte> bad;
  if (!is_ascii_text(text.text())) {
    bad = find_bad_byte(text.text());
    if (!bad) bad = find_control_character(text.text());
  }
  if (!bad) bad = find_lone_return(text.text());
  if (bad) return tl::unexpected(error_at(text, {bad->offset, bad->offset + 1}, std::move(bad->why)));
  return {};
}

/// What yaml-cpp is spared; nothing where the text is not plain or has an error, which yaml-cpp then words.
std::optional<Document> read_plain(const Document& empty, const Limits& limits, bool& has_interpolation) {
  Document doc = empty;
  doc.nodes.reserve(std::min<std::size_t>(doc.source->text().size() / 14 + 8, 1U << 14U));
  YamlBuilder builder(doc, limits, 0);
  try {
    if (!deliver_plain_yaml(doc.source->text(), builder)) return std::nullopt;
  } catch (const ReadingStopped&) {
    return std::nullopt;
  }
  has_interpolation = builder.has_interpolation();
  return doc;
}

Result<Document> read_any(Document doc, const Limits& limits, bool& has_interpolation) {
  doc.nodes.reserve(std::min<std::size_t>(doc.source->text().size() / 14 + 8, 1U << 16U));
  YamlReading reading(doc, limits);
  if (const auto done = reading.run(); !done) return tl::unexpected(done.error());
  if (doc.source->text().find('\t') != std::string::npos) {
    if (auto tab = TabCheck(doc).run()) return tl::unexpected(std::move(*tab));
  }
  has_interpolation = reading.has_interpolation();
  return doc;
}

}  // namespace

Result<Document> read_yaml_with(YamlParser parser, std::shared_ptr<const SourceText> text, Loader loader,
                                const Limits& limits) {
  if (const auto fine = check_text(*text, limits); !fine) return tl::unexpected(fine.error());
  Document empty;
  empty.source = std::move(text);
  empty.loader = loader;
  bool has_interpolation = false;
  std::optional<Document> plain;
  if (parser == YamlParser::fastest) plain = read_plain(empty, limits, has_interpolation);
  auto doc =
      plain ? Result<Document>(std::move(*plain)) : read_any(std::move(empty), limits, has_interpolation);
  if (doc && has_interpolation) {
    if (const auto done = resolve_interpolations(*doc, limits); !done) return tl::unexpected(done.error());
  }
  return doc;
}

Result<Document> read_yaml(std::shared_ptr<const SourceText> text, Loader loader, const Limits& limits) {
  return read_yaml_with(YamlParser::fastest, std::move(text), loader, limits);
}

}  // namespace headroom::source
