#include "lost.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace headroom::convert {

using schema::FieldId;
using schema::Space;

namespace {

bool is_class(std::string_view name) {
  return name.ends_with("._target_") || name.ends_with("._builder_");
}

/// A precision recipe and the overlap section set fields of other sections, which are kept there.
bool has_twin(const schema::Schema& schema, std::string_view name, const std::vector<FieldId>& kept) {
  const std::string_view leaf = name.substr(name.find('.') + 1);
  return std::ranges::any_of(kept, [&](FieldId id) {
    const std::string_view other = schema.field(id).name;
    return other != name && other.substr(other.find('.') + 1) == leaf;
  });
}

/// Whether the same flag says values of the config, too (`--swiglu` three), and these are so in the target.
bool says_what_is_kept(const From& from, const Fitted& fitted, FieldId setting) {
  const dialect::Setting* own = from.settings->find(setting);
  if (own == nullptr || own->place.source == nullptr) return false;
  bool any = false;
  for (const dialect::Setting& s : from.settings->settings) {
    if (s.place.source != own->place.source || s.place.key.begin != own->place.key.begin) continue;
    if (from.config->schema->field(s.field).space != Space::config) continue;
    if (!agree(from.config->now[s.field], fitted.config.now[s.field])) return false;
    any = true;
  }
  return any;
}

/// Whether the config is another without the setting, and what differs then is so in the target.
bool effect_is_kept(const From& from, const Fitted& fitted, FieldId setting, const std::vector<FieldId>& kept,
                    const resolve::ResolvePack& pack) {
  const auto& config = *from.config;
  dialect::Settings without = *from.settings;
  without.erase(setting);
  const auto other = resolve::resolve(without, config.launch, *config.schema, pack);
  bool any = false;
  for (const FieldId id : kept) {
    if (other.now[id] == config.now[id]) continue;
    if (!agree(config.now[id], fitted.config.now[id])) return false;
    any = true;
  }
  return any;
}

std::string replaced_by(const From& from, const Fitted& fitted, FieldId id, std::string_view target) {
  if (agree(from.config->now[id], fitted.config.now[id]))
    return fmt::format("{} has no flag that says so", target);
  const std::string_view by = fitted.config.origin[id].by;
  return fmt::format("{} makes it {}{}", target, fitted.config.now[id].to_text(),
                     by.empty() ? "" : fmt::format(" ({})", by));
}

}  // namespace

std::vector<Lost> lost(const From& from, const Fitted& fitted, const std::vector<FieldId>& kept,
                       std::string_view target, const resolve::ResolvePack& pack) {
  const auto& config = *from.config;
  const schema::Schema& schema = *config.schema;
  std::vector<Lost> out;
  for (std::size_t i = 0; i < schema.size(); ++i) {
    const auto id = static_cast<FieldId>(i);
    const schema::Field& field = schema.field(id);
    if (field.space != Space::config && field.space != Space::extra) continue;
    if (is_class(field.name)) continue;
    const bool has_word = std::ranges::binary_search(kept, id);
    const bool differs = std::ranges::find(fitted.different, id) != fitted.different.end();
    const bool chosen = config.set[id] != 0;
    if (has_word ? !differs : !chosen) continue;
    // What nobody chose and is unset has nothing to lose; what the target runs anyway is kept without a word.
    if (has_word && !chosen && config.now[id].is_null()) continue;
    if (!has_word && (agree(config.now[id], fitted.config.now[id]) || has_twin(schema, field.name, kept)))
      continue;
    // A value that the source itself replaces never ran.
    if (!has_word && (config.now[id].is_null() || config.now[id].is_opaque())) continue;
    const bool extra = field.space == Space::extra;
    if (extra && (says_what_is_kept(from, fitted, id) || effect_is_kept(from, fitted, id, kept, pack)))
      continue;
    out.push_back(
        {std::string(field.name), config.now[id],
         has_word ? replaced_by(from, fitted, id, target) : fmt::format("{} has no such setting", target)});
  }
  return out;
}

}  // namespace headroom::convert
