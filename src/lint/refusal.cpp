#include "headroom/lint/refusal.hpp"

#include <algorithm>
#include <set>
#include <string>

namespace headroom::lint {
namespace {

constexpr double least_likeness = 0.5;
constexpr std::size_t most_rules = 3;

std::string leaf(std::string_view name) {
  const auto dot = name.rfind('.');
  std::string out(dot == std::string_view::npos ? name : name.substr(dot + 1));
  std::replace(out.begin(), out.end(), '-', '_');
  return out;
}

/// Words of the message that have the form of a setting: with an underscore or a dash inside.
std::set<std::string> setting_words(std::string_view message) {
  constexpr std::string_view letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.";
  std::set<std::string> out;
  for (std::size_t begin = 0; (begin = message.find_first_of(letters, begin)) != std::string_view::npos;) {
    const std::size_t end = std::min(message.find_first_not_of(letters, begin), message.size());
    std::string_view word = message.substr(begin, end - begin);
    begin = end;
    while (!word.empty() && (word.front() == '-' || word.front() == '.')) word.remove_prefix(1);
    while (!word.empty() && (word.back() == '-' || word.back() == '.')) word.remove_suffix(1);
    std::string name = leaf(word);
    if (name.find('_') != std::string::npos) out.insert(std::move(name));
  }
  return out;
}

double likeness_of(const std::set<std::string>& words, const std::set<std::string>& names) {
  double shared = 0;
  for (const auto& name : names) shared += words.contains(name) ? 1 : 0;
  if (shared == 0) return 0;
  return 2 * shared / static_cast<double>(words.size() + names.size());
}

}  // namespace

double likeness(std::string_view message, const std::vector<std::string_view>& fields,
                const schema::Schema& schema) {
  std::set<std::string> known, names;
  for (const schema::Field& f : schema.fields) known.insert(leaf(f.name));
  std::set<std::string> words = setting_words(message);
  std::erase_if(words, [&](const std::string& w) { return !known.contains(w); });
  for (const auto f : fields) names.insert(leaf(f));
  return likeness_of(words, names);
}

std::vector<const rules::Rule*> rules_of(std::string_view message,
                                         std::span<const rules::RulePack* const> packs,
                                         const schema::Schema& schema) {
  std::set<std::string> known;
  for (const schema::Field& f : schema.fields) known.insert(leaf(f.name));
  std::set<std::string> words = setting_words(message);
  std::erase_if(words, [&](const std::string& w) { return !known.contains(w); });
  std::vector<std::pair<double, const rules::Rule*>> found;
  for (const rules::RulePack* pack : packs) {
    for (const rules::Rule& rule : pack->rules) {
      if (rule.severity != rules::Severity::error) continue;
      std::set<std::string> names;
      for (const schema::FieldId id : rule.at) names.insert(leaf(schema.field(id).name));
      const double like = likeness_of(words, names);
      if (like >= least_likeness) found.emplace_back(like, &rule);
    }
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  std::vector<const rules::Rule*> out;
  for (const auto& [like, rule] : found)
    if (out.size() < most_rules) out.push_back(rule);
  return out;
}

}  // namespace headroom::lint
