// Where the bytes of a word come from.
#include <algorithm>
#include <optional>

#include "shell_place.hpp"

namespace headroom::source {

using Site = WordPiece::Site;

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

namespace {

/// Bytes [begin, end) of the word `depth` expansions inside the command.
std::optional<WordPlace> place_at(const Word& word, std::size_t begin, std::size_t end, std::size_t depth) {
  std::vector<Site> sites;
  bool exact = true;
  for (const WordPiece& piece : word.pieces) {
    if (piece.begin >= end || piece.end <= begin) continue;
    const Site site =
        site_at(piece, depth, static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end));
    const bool written = depth + 1 == piece.sites.size() && !piece.computed;
    exact = exact && written;
    if (!sites.empty() && sites.back() == site && !written) continue;
    sites.push_back(site);
  }
  const auto span = sites.empty() ? std::nullopt : join(sites);
  if (!span) return std::nullopt;
  return WordPlace{*span, exact};
}

}  // namespace

std::vector<WordPlace> places_of(const Word& word, std::size_t begin, std::size_t end) {
  std::size_t depth = no_command;
  for (const WordPiece& piece : word.pieces) {
    if (piece.begin < end && piece.end > begin) depth = std::min(depth, piece.sites.size());
  }
  if (depth == no_command) return {{word.span, word.exact}};
  std::vector<WordPlace> places;
  while (depth-- > 0) {
    if (const auto place = place_at(word, begin, end, depth)) places.push_back(*place);
  }
  if (places.empty()) places.push_back({word.use, false});
  return places;
}

std::size_t depth_of(const Word& word) {
  std::size_t depth = word.pieces.empty() ? 1 : word.pieces.front().sites.size();
  for (const WordPiece& piece : word.pieces) depth = std::min(depth, piece.sites.size());
  return depth - 1;
}

std::size_t shared_depth(const Word& a, const Word& b) {
  if (a.pieces.empty() || b.pieces.empty()) return 0;
  const auto& x = a.pieces.front().sites;
  const auto& y = b.pieces.front().sites;
  const std::size_t most = std::min(depth_of(a), depth_of(b));
  std::size_t depth = 0;
  while (depth < most && x[depth] == y[depth]) ++depth;
  return depth;
}

std::optional<Span> token_at(const Word& word, std::size_t depth) {
  if (word.pieces.empty())
    return depth == 0 && !word.span.empty() ? std::optional<Span>(word.span) : std::nullopt;
  const auto place = place_at(word, 0, word.text.size(), depth);
  return place ? std::optional<Span>(place->span) : std::nullopt;
}

WordPlace place_of(const Word& word, std::size_t begin, std::size_t end) {
  return places_of(word, begin, std::min(end, word.text.size())).front();
}

}  // namespace headroom::source
