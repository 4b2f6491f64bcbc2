#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <map>

#include "arguments.hpp"
#include "detect.hpp"
#include "headroom/dialect/bridge.hpp"
#include "headroom/dialect/reader.hpp"
#include "launcher.hpp"
#include "mapper.hpp"
#include "recipe_line.hpp"
#include "tree.hpp"

namespace headroom::dialect {

using schema::Release;
using schema::Schema;
using schema::WordForm;
using source::Document;
using source::Loader;
using source::Result;

namespace {

bool ends_in(std::string_view name, std::initializer_list<std::string_view> endings) {
  return std::ranges::any_of(endings, [&](std::string_view e) { return name.ends_with(e); });
}

/// First line that holds more than a comment.
std::string_view first_words(const source::SourceText& text) {
  for (std::uint32_t i = 1; i <= std::min(text.line_count(), 200U); ++i) {
    std::string_view line = text.line(i);
    const std::size_t begin = line.find_first_not_of(" \t\r");
    if (begin == std::string_view::npos || line[begin] == '#') continue;
    return line.substr(begin);
  }
  return {};
}

Result<std::shared_ptr<const Document>> read_document(const std::shared_ptr<const source::SourceText>& text,
                                                      std::optional<Loader> wanted) {
  const Loader loader = wanted.value_or(source::detect_loader(*text));
  auto doc = loader == Loader::json ? source::read_json(text) : source::read_yaml(text, loader);
  if (!doc) return tl::unexpected(doc.error());
  const bool empty =
      doc->root == source::no_node || doc->node(doc->root).value.is_null();  // `---` alone is null
  if (!empty && doc->node(doc->root).kind != source::NodeKind::mapping) {
    const auto& root = doc->node(doc->root);
    const char* what = root.kind == source::NodeKind::sequence ? "a list" : "a single value";
    return tl::unexpected(source::Error{
        fmt::format("a config is a mapping of sections (model:, optimizer:, …); this is {}", what),
        text->name(), text->location(root.span), true});
  }
  return std::make_shared<const Document>(std::move(*doc));
}

Result<void> open_script(Opened& out, const Schema& schema) {
  const std::string_view first = first_words(*out.text);
  auto script = first.starts_with('-') ? source::read_words(out.text) : source::read_shell(out.text);
  if (!script) return tl::unexpected(script.error());
  out.script = std::make_shared<const source::Script>(std::move(*script));
  detect_command(out, schema);
  return {};
}

/// The settings that an unevaluated piece would have given, in the script's own names.
std::string fields_of(const source::Unevaluated& u, const Settings& out) {
  std::vector<std::string> names;
  for (const Setting& s : out.settings) {
    if (!s.value.is_unknown() || s.place.source == nullptr) continue;
    const std::string_view written = s.place.source->slice(s.place.value);
    const bool by_variable = !u.variable.empty() && written.find(u.variable) != std::string_view::npos;
    const bool inside = s.place.value.begin <= u.span.begin && u.span.end <= s.place.value.end;
    if (!by_variable && !inside) continue;
    if (std::ranges::find(names, s.place.written_name) == names.end()) names.push_back(s.place.written_name);
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

/// Variables whose defaults went into the arguments.
void note_assumed(const Opened& opened, Settings& out) {
  if (opened.command >= opened.script->commands.size()) return;
  std::vector<std::uint32_t> used;
  for (const source::Word& word : opened.script->commands[opened.command].words)
    used.insert(used.end(), word.assumptions.begin(), word.assumptions.end());
  std::ranges::sort(used);
  used.erase(std::unique(used.begin(), used.end()), used.end());
  std::vector<std::string_view> texts;
  for (const std::uint32_t i : used) texts.emplace_back(opened.script->assumptions[i]);
  if (!texts.empty()) out.notes.push_back(fmt::format("{}", fmt::join(texts, "; ")));
}

/// What the reader could not tell: one by one where it would have set something or could hide a whole launch,
/// else the lines alone.
void note_unread(const Opened& opened, Settings& out) {
  using Kind = source::Unevaluated::Kind;
  std::map<std::string_view, std::vector<std::uint32_t>> harmless;  // kind -> lines
  for (const source::Unevaluated& u : opened.script->not_evaluated) {
    const std::uint32_t line = opened.text->position(u.span.begin).line;
    const std::string fields = fields_of(u, out);
    const bool told = u.kind == Kind::command_substitution || u.kind == Kind::redirection;
    const bool hides =
        u.kind == Kind::here_document || u.kind == Kind::source_file || u.kind == Kind::unknown_syntax;
    if (fields.empty() && told) {
      auto& lines = harmless[source::kind_name(u.kind)];
      if (lines.empty() || lines.back() != line) lines.push_back(line);
      continue;
    }
    if (fields.empty() && !hides) continue;
    std::string text = u.text.substr(0, std::min(u.text.find('\n'), std::size_t{60}));
    if (text.size() < u.text.size()) text += "…";
    out.notes.push_back(fmt::format("line {}: {} is not evaluated: {}{}", line, source::kind_name(u.kind),
                                    text, fields.empty() ? "" : fmt::format(", so {} is unknown", fields)));
  }
  for (const auto& [kind, lines] : harmless)
    out.notes.push_back(fmt::format("not evaluated, and no setting of this run: {} in line{} {}", kind,
                                    lines.size() == 1 ? "" : "s", fmt::join(lines, ", ")));
}

}  // namespace

bool is_script(const source::SourceText& text) {
  if (ends_in(text.name(), {".yaml", ".yml", ".json"})) return false;
  if (ends_in(text.name(), {".sh", ".bash", ".sbatch", ".slurm", ".sub"}) || text.text().starts_with("#!"))
    return true;
  const std::string_view line = first_words(text);
  if (line.starts_with("--") && line.size() > 2 && line[2] != '-' && line[2] != ' ' && line[2] != '!')
    return true;
  constexpr std::array<std::string_view, 9> starts{"torchrun ", "python ", "python3 ", "srun ", "export ",
                                                   "uv run ",   "mpirun ", "ray job ", "set -"};
  return std::ranges::any_of(starts, [&](std::string_view s) { return line.starts_with(s); });
}

Result<Opened> open(std::shared_ptr<const source::SourceText> text, std::optional<Loader> loader,
                    std::string_view dialect, const Schema& schema) {
  Opened out;
  out.text = std::move(text);
  out.table = schema.find_dialect(dialect);
  if (is_script(*out.text)) {
    if (auto ok = open_script(out, schema); !ok) return tl::unexpected(ok.error());
    return out;
  }
  auto doc = read_document(out.text, loader);
  if (!doc) return tl::unexpected(doc.error());
  out.document = std::move(*doc);
  if (dialect.empty()) detect_tree(out, schema);
  return out;
}

Settings read(const Opened& opened, const Schema& schema, Release r) {
  if (opened.document != nullptr && opened.table == nullptr) return read_bridge(opened.document, schema, r);
  Settings out;
  out.table = opened.table;
  if (opened.table != nullptr) {
    out.dialect = opened.table->name;
    out.layer = opened.table->layer;
    Mapper mapper(out, *opened.table, schema, r);
    if (opened.document != nullptr) {
      read_tree(opened, out, mapper);
    } else if (opened.table->recipe != schema::RecipeWords::none) {
      read_recipe_line(opened, out, mapper, schema, r);
    } else if (opened.table->words == WordForm::flags) {
      read_flags(opened, out, mapper, schema);
    } else {
      read_overrides(opened, out, mapper);
    }
    mapper.finish();
  }
  if (opened.script == nullptr) return out;
  out.script = opened.script;
  out.command = opened.command;
  out.arguments = opened.arguments;
  read_launcher(opened, out);
  read_environment(opened, schema, out);
  note_assumed(opened, out);
  note_unread(opened, out);
  return out;
}

}  // namespace headroom::dialect
