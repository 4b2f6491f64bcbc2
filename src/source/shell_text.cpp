#include "shell_text.hpp"

#include <algorithm>
#include <iterator>

namespace headroom::source {

std::uint32_t Routes::push(std::uint32_t inner, const Site& site) {
  // The bytes of one expansion follow each other: the step is among the last ones or new.
  const std::size_t recent = steps_.size() > 8 ? steps_.size() - 8 : 1;
  for (std::size_t i = steps_.size(); i-- > recent;) {
    if (steps_[i].inner == inner && steps_[i].site == site) return static_cast<std::uint32_t>(i);
  }
  steps_.push_back({site, inner});
  return static_cast<std::uint32_t>(steps_.size() - 1);
}

std::uint32_t Routes::extend(std::uint32_t inner, const Site& site, std::uint32_t outer) {
  std::uint32_t id = push(inner, site);
  if (outer == 0) return id;
  const std::vector<Site> rest = sites(outer);
  for (std::size_t i = rest.size(); i-- > 0;) id = push(id, rest[i]);
  return id;
}

std::vector<Site> Routes::sites(std::uint32_t id) const {
  std::vector<Site> out;
  for (; id != 0; id = steps_[id].inner) out.push_back(steps_[id].site);
  return out;
}

std::uint32_t Givens::intern(std::vector<std::uint32_t> members) {
  const auto [at, fresh] = ids_.try_emplace(members, static_cast<std::uint32_t>(sets_.size()));
  if (fresh) {
    total_ += members.size();
    sets_.push_back(std::move(members));
  }
  return at->second;
}

std::uint32_t Givens::one(std::uint32_t assumption) {
  return intern({assumption});
}

std::uint32_t Givens::join(std::uint32_t a, std::uint32_t b) {
  if (a == b || b == 0) return a;
  if (a == 0) return b;
  std::vector<std::uint32_t> both;
  std::set_union(sets_[a].begin(), sets_[a].end(), sets_[b].begin(), sets_[b].end(),
                 std::back_inserter(both));
  return intern(std::move(both));
}

ShellText::ShellText(Glyphs glyphs) : glyphs_(std::move(glyphs)) {
  chars_.reserve(glyphs_.size());
  for (Glyph& glyph : glyphs_) {
    glyph.site.outer = glyph.site.inner;
    glyph.quoted = glyph.splittable = false;
    chars_ += glyph.unknown ? '\x01' : glyph.c;
  }
}

Span ShellText::span(std::uint32_t begin, std::uint32_t end) const {
  if (is_file()) return {begin, end};
  if (begin >= end) {
    const std::uint32_t p = begin < size() ? glyphs_[begin].site.inner.begin : glyphs_.back().site.inner.end;
    return {p, p};
  }
  const Span first = glyphs_[begin].site.inner;
  const Span last = glyphs_[end - 1].site.inner;
  return last.end >= first.begin ? Span{first.begin, last.end} : first;
}

Site ShellText::site(std::uint32_t begin, std::uint32_t end, std::uint32_t outer_begin,
                     std::uint32_t outer_end) const {
  const Site site{span(begin, end), span(outer_begin, outer_end)};
  const bool nested = site.outer.begin <= site.inner.begin && site.inner.end <= site.outer.end;
  return nested ? site : Site{site.inner, site.inner};
}

Glyph ShellText::glyph(std::uint32_t p) const {
  if (!is_file()) return glyphs_[p];
  Glyph glyph;
  glyph.c = chars_[p];
  glyph.site = {{p, p + 1}, {p, p + 1}};
  return glyph;
}

std::uint32_t ShellText::route(std::uint32_t p) const {
  return is_file() || p >= size() ? 0 : glyphs_[p].route;
}

std::string text_of(const Glyphs& glyphs) {
  std::string out;
  out.reserve(glyphs.size());
  for (const Glyph& glyph : glyphs) out += glyph.c;
  return out;
}

bool is_known(const Glyphs& glyphs) {
  return std::none_of(glyphs.begin(), glyphs.end(), [](const Glyph& g) { return g.unknown; });
}

namespace {

bool is_verbatim(const Glyph& glyph) {
  return !glyph.computed && !glyph.escaped && glyph.site.inner.end - glyph.site.inner.begin == 1;
}

/// Whether `next` continues the piece that ends with `last`.
bool continues(const Glyph& last, const Glyph& next) {
  if (last.route != next.route || last.computed != next.computed) return false;
  if (last.computed) return last.site == next.site;
  return is_verbatim(last) && is_verbatim(next) && last.site.outer.end == last.site.inner.end &&
         next.site.outer.begin == next.site.inner.begin && last.site.inner.end == next.site.inner.begin;
}

std::vector<WordPiece> pieces_of(const Glyphs& glyphs, const Routes& routes) {
  std::vector<WordPiece> pieces;
  for (std::size_t i = 0; i < glyphs.size();) {
    std::size_t end = i + 1;
    while (end < glyphs.size() && continues(glyphs[end - 1], glyphs[end])) ++end;
    WordPiece piece;
    piece.begin = static_cast<std::uint32_t>(i);
    piece.end = static_cast<std::uint32_t>(end);
    piece.computed = glyphs[i].computed;
    piece.verbatim = is_verbatim(glyphs[i]);
    piece.sites = routes.sites(glyphs[i].route);
    const Site& first = glyphs[i].site;
    const Site& last = glyphs[end - 1].site;
    piece.sites.push_back({{first.inner.begin, last.inner.end}, {first.outer.begin, last.outer.end}});
    pieces.push_back(std::move(piece));
    i = end;
  }
  return pieces;
}

}  // namespace

Word make_word(const Field& field, Span use, const Routes& routes, const Givens& givens,
               std::uint32_t given) {
  Word word;
  word.text = text_of(field.glyphs);
  word.use = use;
  word.known = is_known(field.glyphs);
  word.any_number = !field.glyphs.empty() && std::all_of(field.glyphs.begin(), field.glyphs.end(),
                                                         [](const Glyph& g) { return g.loose; });
  std::vector<std::uint32_t> members = givens.members(given);
  std::uint32_t last = given;
  for (const Glyph& glyph : field.glyphs) {
    if (glyph.given == last || glyph.given == 0) continue;
    last = glyph.given;
    const auto& more = givens.members(last);
    members.insert(members.end(), more.begin(), more.end());
  }
  std::sort(members.begin(), members.end());
  members.erase(std::unique(members.begin(), members.end()), members.end());
  word.assumptions = std::move(members);
  word.pieces = pieces_of(field.glyphs, routes);
  if (word.pieces.empty()) {
    word.span = field.token;
    word.exact = field.written_empty;
  } else {
    const WordPlace place = place_of(word, 0, word.text.size());
    word.span = place.span;
    word.exact = place.exact && word.known;
  }
  return word;
}

}  // namespace headroom::source
