#include "marks.hpp"

namespace headroom::rules {

std::optional<Mark> mark_of(const dialect::Place& place, std::string_view canonical, bool whole_section) {
  if (place.source == nullptr) return std::nullopt;
  const bool use_key = place.value.empty() || (whole_section && !place.key.empty());
  Mark mark;
  mark.field = std::string(canonical);
  mark.written_name = place.written_name.empty() ? mark.field : place.written_name;
  mark.source = place.source->name();
  // The key belongs to the place of a field: `cpu_offloading: true`, not `true`.
  // In a script key and value may stand far apart: a flag in the command, its value in a variable.
  constexpr std::uint32_t apart = 80;
  const bool both = !use_key && !place.key.empty() && place.key.end <= place.value.begin &&
                    place.value.begin - place.key.end <= apart;
  mark.location = place.source->location(use_key ? place.key
                                         : both  ? source::Span{place.key.begin, place.value.end}
                                                 : place.value);
  return mark;
}

void place(Diagnostic& diagnostic, std::span<const schema::FieldId> at, const schema::Schema& schema,
           const dialect::Settings& settings) {
  std::vector<std::pair<Mark, dialect::From>> marks;
  for (const auto id : at) {
    const auto name = schema.field(id).name;
    diagnostic.fields.emplace_back(name);
    const auto* setting = settings.find(id);
    if (setting == nullptr) continue;
    const bool mapping = setting->value.is_opaque() || setting->value.is_mapping();
    if (auto mark = mark_of(setting->place, name, mapping))
      marks.emplace_back(std::move(*mark), setting->place.from);
  }
  if (marks.empty()) return;
  std::size_t first = 0;
  while (first + 1 < marks.size() && marks[first].second != dialect::From::file) ++first;
  if (marks[first].second != dialect::From::file) first = 0;
  diagnostic.primary = marks[first].first;
  for (std::size_t i = 0; i < marks.size(); ++i)
    if (i != first) diagnostic.related.push_back(std::move(marks[i].first));
}

}  // namespace headroom::rules
