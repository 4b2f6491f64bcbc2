// Text with a memory of where each byte comes from: what makes a word of a command editable at its origin.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "headroom/source/shell.hpp"

namespace headroom::source {

using Site = WordPiece::Site;

/// One byte of an expanded text.
struct Glyph {
  char c = 0;
  bool quoted = false;      ///< splitting and patterns leave it alone
  bool splittable = false;  ///< from an expansion without quotes
  bool unknown = false;     ///< stands for something that was not evaluated
  bool computed = false;    ///< not written anywhere: `site` is the expression
  bool escaped = false;     ///< its place says it in another way: a backslash, `$''`
  bool loose = false;       ///< unknown, and may be any number of words
  Site site;                ///< where it is written
  std::uint32_t route = 0;  ///< expansions it went through, an id of Routes
  std::uint32_t given = 0;  ///< assumptions, an id of Givens
};
using Glyphs = std::vector<Glyph>;

/// A word before it becomes one: its bytes, and the token for a word without any.
struct Field {
  Glyphs glyphs;
  Span token;
  bool written_empty = false;  ///< the token is a pair of quotes
};

/// Ways from a place of origin to the command. An id is a list of sites, outermost first; 0 is the empty
/// list.
class Routes {
 public:
  Routes() : steps_(1) {}
  /// The route `inner` continued through `site`, and then through the steps of `outer`.
  [[nodiscard]] std::uint32_t extend(std::uint32_t inner, const Site& site, std::uint32_t outer);
  [[nodiscard]] std::vector<Site> sites(std::uint32_t id) const;

 private:
  struct Step {
    Site site;
    std::uint32_t inner = 0;
  };
  [[nodiscard]] std::uint32_t push(std::uint32_t inner, const Site& site);
  std::vector<Step> steps_;
};

/// Sets of assumptions; 0 is the empty set.
class Givens {
 public:
  Givens() : sets_(1) {}
  [[nodiscard]] std::uint32_t join(std::uint32_t a, std::uint32_t b);
  [[nodiscard]] std::uint32_t one(std::uint32_t assumption);
  /// Members of all sets together, to be limited.
  [[nodiscard]] std::size_t total() const { return total_; }
  [[nodiscard]] const std::vector<std::uint32_t>& members(std::uint32_t id) const { return sets_[id]; }

 private:
  [[nodiscard]] std::uint32_t intern(std::vector<std::uint32_t> members);
  std::vector<std::vector<std::uint32_t>> sets_;
  std::map<std::vector<std::uint32_t>, std::uint32_t> ids_;
  std::size_t total_ = 0;
};

/// What a parser reads: a file, or a string that a shell inside the script would read.
class ShellText {
 public:
  explicit ShellText(std::string_view file) : chars_(file) {}
  explicit ShellText(Glyphs glyphs);

  [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(chars_.size()); }
  [[nodiscard]] char at(std::uint32_t p) const { return p < chars_.size() ? chars_[p] : '\0'; }
  [[nodiscard]] std::string_view chars() const { return chars_; }
  [[nodiscard]] bool is_file() const { return glyphs_.empty(); }
  /// Bytes [begin, end) in the file; what is between them where they come from several places.
  [[nodiscard]] Span span(std::uint32_t begin, std::uint32_t end) const;
  [[nodiscard]] Site site(std::uint32_t begin, std::uint32_t end, std::uint32_t outer_begin,
                          std::uint32_t outer_end) const;
  /// The byte as read, without quoting.
  [[nodiscard]] Glyph glyph(std::uint32_t p) const;
  [[nodiscard]] std::uint32_t route(std::uint32_t p) const;

 private:
  std::string chars_;  ///< unknown bytes are replaced: they are no syntax
  Glyphs glyphs_;      ///< none for a file
};

[[nodiscard]] std::string text_of(const Glyphs& glyphs);
[[nodiscard]] bool is_known(const Glyphs& glyphs);
/// The word that a field becomes.
[[nodiscard]] Word make_word(const Field& field, Span use, const Routes& routes, const Givens& givens,
                             std::uint32_t given);

}  // namespace headroom::source
