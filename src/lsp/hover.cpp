#include <fmt/format.h>

#include <algorithm>

#include "candidates.hpp"
#include "describe.hpp"
#include "features.hpp"
#include "headroom/memory/ledger.hpp"

namespace headroom::lsp {
namespace {

using resolve::OriginKind;
using schema::FieldId;

constexpr double gib = 1024.0 * 1024.0 * 1024.0;

bool within(source::Span span, std::size_t offset) {
  return !span.empty() && span.begin <= offset && offset <= span.end;
}

// The innermost place that holds the position: of nested settings, and of several with one place.
const dialect::Setting* setting_at(const lint::Outcome& outcome, const source::SourceText& text,
                                   std::size_t offset, source::Span& span) {
  const dialect::Setting* best = nullptr;
  for (const dialect::Setting& s : outcome.settings.settings) {
    if (s.place.source == nullptr || s.place.from != dialect::From::file ||
        s.place.source->name() != text.name()) {
      continue;
    }
    for (const source::Span candidate : {s.place.key, s.place.value}) {
      if (!within(candidate, offset)) continue;
      if (best == nullptr || candidate.end - candidate.begin < span.end - span.begin) {
        best = &s;
        span = candidate;
      }
    }
  }
  return best;
}

std::string origin_words(const resolve::Origin& origin) {
  switch (origin.kind) {
    case OriginKind::file:
      return "as written here";
    case OriginKind::default_value:
      return "the default";
    case OriginKind::set_option:
      return "set on the command line";
    case OriginKind::model_facts:
      return "from the model's architecture";
    case OriginKind::recipe:
      return fmt::format("from {}", origin.by);
    case OriginKind::rewritten:
      return fmt::format("rewritten by {}", origin.by);
    case OriginKind::environment:
      return "from the environment";
    case OriginKind::launch:
      return "from the launch";
    case OriginKind::derived:
      return "computed";
  }
  return {};
}

std::string effective_line(const lint::Outcome& outcome, FieldId id) {
  const source::Value& now = outcome.config.now[id];
  if (now.is_opaque() || now.is_mapping()) return {};
  const std::string value =
      now.is_unknown() ? "not known before the run" : fmt::format("`{}`", now.to_text());
  std::string out = fmt::format("**Runs with** {}, {}", value, origin_words(outcome.config.origin[id]));
  const source::Value& raw = outcome.config.raw[id];
  if (outcome.config.origin[id].kind == OriginKind::rewritten && !(raw == now))
    out += fmt::format("; written: `{}`", raw.to_text());
  return out;
}

/// Bytes of the fullest stage whose formulas read a field.
struct Share {
  double kept = 0, activations = 0;
};

std::string memory_line(const lint::Outcome& outcome, std::string_view field) {
  const auto shape = memory::read_shape(outcome.config);
  if (!shape) return {};
  const memory::Ledger ledger = memory::explain(shape->shape);
  const memory::StagePeaks& top = ledger.peaks.peak();
  Share share;
  for (const memory::Line& line : ledger.lines) {
    if (line.stage != top.stage || std::ranges::find(line.fields, field) == line.fields.end()) continue;
    if (line.phase == "always") share.kept += line.bytes;
    if (line.phase == "forward to backward") share.activations += line.bytes;
  }
  if (share.kept + share.activations <= 0 || top.peak <= 0) return {};
  return fmt::format(
      "**Memory:** {:.2f} GiB of weights and states and {:.2f} GiB of activations depend on it: {:.0f}% of "
      "the "
      "{:.2f} GiB peak on stage {}",
      share.kept / gib, share.activations / gib,
      std::min(100.0, 100 * (share.kept + share.activations) / top.peak), top.peak / gib, top.stage);
}

}  // namespace

Json hover(Document& document, const Json& params, const Client& client) {
  if (!document.is_config()) return nullptr;
  const lint::Outcome& outcome = document.outcome();
  if (outcome.unreadable) return nullptr;
  source::Span span;
  const std::size_t offset = document.text().offset(at(params, {"position"}));
  const dialect::Setting* setting = setting_at(outcome, document.source(), offset, span);
  if (setting == nullptr) return nullptr;
  const schema::Schema& schema = schema::embedded_schema();
  const schema::Field& field = schema.field(setting->field);
  std::string text = fmt::format("**{}**", field.name);
  for (const auto& paragraph : describe(schema, setting->field, outcome.config.launch.release,
                                        surroundings(&outcome).class_of(field)))
    text += "\n\n" + paragraph;
  for (const auto& line : {effective_line(outcome, setting->field), memory_line(outcome, field.name)}) {
    if (!line.empty()) text += "\n\n" + line;
  }
  return {{"contents",
           {{"kind", client.markdown ? "markdown" : "plaintext"},
            {"value", client.markdown ? text : without_marks(text)}}},
          {"range", document.text().range(span.begin, span.end)}};
}

}  // namespace headroom::lsp
