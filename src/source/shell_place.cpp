// Where the bytes of a word come from.
#include <algorithm>
#include <optional>

#include "shell_text.hpp"

namespace headroom::source {

namespace {

/// Where `piece`, cut to [begin, end) of the word's text, stands `depth` steps inside the command.
Site site_at(const WordPiece& piece, std::size_t depth, std::uint32_t begin, std::uint32_t end) {
  Site site = piece.sites[depth];
  if (depth + 1 < piece.sites.size() || !piece.verbatim) return site;
  if (begin > piece.begin) site.inner.begin = site.outer.begin = site.inner.begin + (begin - piece.begin);
  if (end < piece.end) site.inner.end = site.outer.end = site.inner.end - (piece.end - end);
  return site;
}

/// Sites that follow each other as one token; none where they do not.
std::optional<Span> join(const std::vector<Site>& sites) {
  int open = 0;
  bool balanced = true;
  for (std::size_t i = 0; i < sites.size(); ++i) {
    if (i > 0 && sites[i].outer.begin != sites[i - 1].outer.end) return std::nullopt;
    if (sites[i].outer.begin < sites[i].inner.begin) ++open;
    if (sites[i].outer.end > sites[i].inner.end) balanced = --open >= 0 && balanced;
  }
  if (balanced && open == 0) return Span{sites.front().outer.begin, sites.back().outer.end};
  return Span{sites.front().inner.begin, sites.back().inner.end};
}

}  // namespace

std::vector<WordPlace> places_of(const Word& word, std::size_t begin, std::size_t end) {
  std::vector<const WordPiece*> pieces;
  for (const WordPiece& piece : word.pieces) {
    if (piece.begin < end && piece.end > begin) pieces.push_back(&piece);
  }
  std::vector<WordPlace> places;
  if (pieces.empty()) return {{word.span, word.exact}};
  std::size_t depth = pieces.front()->sites.size();
  for (const WordPiece* piece : pieces) depth = std::min(depth, piece->sites.size());
  while (depth-- > 0) {
    std::vector<Site> sites;
    bool exact = true;
    for (const WordPiece* piece : pieces) {
      const Site site =
          site_at(*piece, depth, static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end));
      const bool written = depth + 1 == piece->sites.size() && !piece->computed;
      exact = exact && written;
      if (!sites.empty() && sites.back() == site && !written) continue;
      sites.push_back(site);
    }
    if (const auto span = join(sites)) places.push_back({*span, exact});
  }
  if (places.empty()) places.push_back({word.use, false});
  return places;
}

WordPlace place_of(const Word& word, std::size_t begin, std::size_t end) {
  return places_of(word, begin, std::min(end, word.text.size())).front();
}

}  // namespace headroom::source
