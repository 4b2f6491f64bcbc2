#include <algorithm>

#include "headroom/report/report.hpp"
#include "headroom/source/edit.hpp"
#include "own_words.hpp"

namespace headroom::report {
namespace {

bool plain_for_shell(std::string_view word) {
  constexpr std::string_view safe = "_./=:,+@%-";
  return !word.empty() && std::all_of(word.begin(), word.end(), [&](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           safe.find(c) != std::string_view::npos;
  });
}

// Quoted so that pasting it into a shell gives the same word.
std::string shell_word(const std::string& word) {
  if (plain_for_shell(word)) return word;
  std::string out = "'";
  for (const char c : word) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

}  // namespace

std::vector<std::string> fix_words(const rules::Fix& fix, const FileReport& file) {
  if (!fix.words.empty()) return fix.words;
  std::vector<std::string> words;
  for (const auto& [field, value] : fix.set) {
    words.push_back(shell_word(own_name(field, file) + "=" + source::to_yaml(value, source::Loader::hydra)));
  }
  // Not quoted: `~model` is no user's home folder, as no user's name holds a dot or such a field's name.
  for (const auto& field : fix.unset) words.push_back("~" + own_name(field, file));
  for (const auto& [name, value] : fix.env) {
    words.push_back(value ? "env " + shell_word(name + "=" + *value) : "env -u " + name);
  }
  return words;
}

}  // namespace headroom::report
