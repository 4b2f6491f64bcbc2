#include "own_words.hpp"

namespace headroom::report {
namespace {

bool part_of_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.';
}

}  // namespace

std::string own_name(const std::string& canonical, const FileReport& file) {
  const auto found = file.written_names.find(canonical);
  return found == file.written_names.end() ? canonical : found->second;
}

std::string in_own_words(std::string text, const FileReport& file) {
  for (const auto& [canonical, written] : file.written_names) {
    for (std::size_t at = text.find(canonical); at != std::string::npos; at = text.find(canonical, at)) {
      const std::size_t end = at + canonical.size();
      const bool whole = (at == 0 || !part_of_name(text[at - 1])) &&
                         (end == text.size() || text[end] == '.' || !part_of_name(text[end]));
      if (whole) text.replace(at, canonical.size(), written);
      at += whole ? written.size() : canonical.size();
    }
  }
  return text;
}

}  // namespace headroom::report
