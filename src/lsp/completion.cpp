#include <fmt/format.h>

#include "candidates.hpp"
#include "cursor.hpp"
#include "describe.hpp"
#include "features.hpp"

namespace headroom::lsp {
namespace {

enum Kind : std::uint8_t { property = 10, value_kind = 12, module_kind = 9 };
enum Tag : std::uint8_t { deprecated = 1 };

Json item(const Candidate& candidate, Kind kind, const Json& range, const std::string& text) {
  Json out = {{"label", candidate.label},
              {"kind", candidate.mapping ? module_kind : kind},
              {"textEdit", {{"range", range}, {"newText", text}}}};
  if (!candidate.detail.empty()) out["detail"] = candidate.detail;
  if (candidate.deprecated) out["tags"] = {deprecated};
  if (candidate.deprecated) out["sortText"] = "~" + candidate.label;  // behind the others
  if (candidate.field != schema::no_field) out["data"] = candidate.field;
  return out;
}

Json in_script(const Surroundings& around, const Document& document, std::size_t offset) {
  Json out = Json::array();
  if (around.table == nullptr) return out;
  const ScriptCursor cursor = script_cursor(document.text(), offset);
  const bool flags = !cursor.before.starts_with("--") || cursor.word.starts_with('-');
  const std::size_t equals = cursor.word.find('=');
  if (equals != std::string::npos) {
    const Json range = document.text().range(cursor.begin + equals + 1, cursor.end);
    for (const auto& c : values_of_flag(around, cursor.word.substr(0, equals)))
      out.push_back(item(c, value_kind, range, c.label));
    return out;
  }
  const Json range = document.text().range(cursor.begin, cursor.end);
  for (const auto& c : flags ? words_of_script(around) : values_of_flag(around, cursor.before))
    out.push_back(item(c, flags ? property : value_kind, range, c.label));
  return out;
}

Json in_tree(const Surroundings& around, const Document& document, std::size_t offset) {
  Json out = Json::array();
  const Cursor cursor = yaml_cursor(document.text(), offset);
  const Json range = document.text().range(cursor.begin, cursor.end);
  if (cursor.value) {
    for (const auto& c : values_at(around, cursor.path, cursor.key))
      out.push_back(item(c, value_kind, range, c.label));
    return out;
  }
  const std::string_view rest = std::string_view(document.text().bytes()).substr(cursor.end);
  const bool has_colon = rest.starts_with(':');
  for (const auto& c : keys_at(around, cursor.path)) {
    if (cursor.siblings.contains(c.label)) continue;
    out.push_back(
        item(c, property, range, has_colon ? c.label : c.label + (c.mapping && !cursor.flow ? ":" : ": ")));
  }
  return out;
}

}  // namespace

Json completion(Document& document, const Json& params, const Client& /*client*/) {
  if (!document.is_config()) return nullptr;
  const lint::Outcome* known = document.last_readable();
  const Surroundings around = surroundings(known);
  const std::size_t offset = document.text().offset(at(params, {"position"}));
  if (document.path().ends_with(".json"))
    return nullptr;  // its keys need quotes: `headroom schema` serves it
  const bool script = known != nullptr && known->settings.script != nullptr;
  return {{"isIncomplete", false},
          {"items", script ? in_script(around, document, offset) : in_tree(around, document, offset)}};
}

Json resolve_completion(const Json& asked, const Client& client) {
  Json out = asked;
  const auto id = integer_at(asked, {"data"});
  const schema::Schema& schema = schema::embedded_schema();
  if (!id || *id < 0 || static_cast<std::uint64_t>(*id) >= schema.size()) return out;
  const std::string text = fmt::format(
      "{}",
      fmt::join(describe(schema, static_cast<schema::FieldId>(*id), schema::default_release, ""), "\n\n"));
  out["documentation"] = {{"kind", client.markdown ? "markdown" : "plaintext"},
                          {"value", client.markdown ? text : without_marks(text)}};
  return out;
}

}  // namespace headroom::lsp
