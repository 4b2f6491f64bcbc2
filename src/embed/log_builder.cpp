// rules/oom/lines.yaml and frames.yaml: what lines and frames of logs mean.
#include <fmt/format.h>

#include <optional>

#include "headroom/embed/embed.hpp"
#include "table_reader.hpp"
#include "writer.hpp"

namespace headroom::embed {

using schema::FramePattern;
using schema::LinePattern;
using source::NodeId;

struct LoadedLog::Storage {
  Arena arena;
  schema::LogTable view;
};

LoadedLog::LoadedLog() : storage(std::make_unique<Storage>()) {}
LoadedLog::~LoadedLog() = default;
LoadedLog::LoadedLog(LoadedLog&&) noexcept = default;
LoadedLog& LoadedLog::operator=(LoadedLog&&) noexcept = default;
const schema::LogTable& LoadedLog::view() const {
  return storage->view;
}

namespace {

/// A shorter text would stop the search of a log at every other line.
constexpr std::size_t shortest_anchor = 5;

template <class T>
std::optional<T> named(std::string_view text, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i)
    if (schema::to_string(static_cast<T>(i)) == text) return static_cast<T>(i);
  return std::nullopt;
}

class LogBuilder {
 public:
  LogBuilder(Arena& arena, Errors& errors) : arena_(arena), errors_(errors) {}

  std::span<const LinePattern> lines(const std::string& path) {
    std::vector<LinePattern> out;
    auto in = TableReader::open(path, errors_);
    if (!in) return {};
    in->each_item(in->root(), [&](NodeId item) { out.push_back(line(*in, item)); });
    return arena_.keep(std::move(out));
  }

  std::span<const FramePattern> frames(const std::string& path) {
    std::vector<FramePattern> out;
    auto in = TableReader::open(path, errors_);
    if (!in) return {};
    in->each_item(in->root(), [&](NodeId item) { out.push_back(frame(*in, item)); });
    return arena_.keep(std::move(out));
  }

 private:
  std::span<const std::string_view> texts(const TableReader& in, NodeId item, std::string_view key) {
    std::vector<std::string_view> out;
    for (const std::string& text : in.texts(item, key)) out.push_back(arena_.keep(text));
    return arena_.keep(std::move(out));
  }

  LinePattern line(const TableReader& in, NodeId item) {
    in.only(item, {"kind", "all", "none", "says"});
    LinePattern out;
    const std::string kind = in.text(item, "kind");
    if (const auto k = named<schema::LineKind>(kind, schema::line_kinds))
      out.kind = *k;
    else
      in.fail(item, fmt::format("'{}' is no kind of line", kind));
    out.all = texts(in, item, "all");
    out.none = texts(in, item, "none");
    out.says = arena_.keep(in.text(item, "says"));
    if (out.all.empty() || out.all.front().size() < shortest_anchor)
      in.fail(item, fmt::format("a line needs `all`, the first text of at least {} bytes", shortest_anchor));
    if (out.says.empty()) in.fail(item, "a line needs `says`");
    return out;
  }

  FramePattern frame(const TableReader& in, NodeId item) {
    in.only(item, {"file", "function", "source", "phase", "module"});
    FramePattern out;
    out.file = arena_.keep(in.text(item, "file"));
    out.function = arena_.keep(in.text(item, "function"));
    out.source = arena_.keep(in.text(item, "source"));
    out.module = arena_.keep(in.text(item, "module"));
    const std::string phase = in.text(item, "phase");
    if (const auto p = named<schema::LogPhase>(phase.empty() ? "unknown" : phase, schema::log_phases))
      out.phase = *p;
    else
      in.fail(item, fmt::format("'{}' is no phase", phase));
    if (out.file.empty() && out.function.empty() && out.source.empty())
      in.fail(item, "a frame needs file, function or source");
    if (phase.empty() && out.module.empty()) in.fail(item, "a frame says phase or module");
    return out;
  }

  Arena& arena_;
  Errors& errors_;
};

}  // namespace

tl::expected<LoadedLog, Errors> load_log(const std::string& rules_dir) {
  LoadedLog out;
  Errors errors;
  LogBuilder builder(out.storage->arena, errors);
  out.storage->view.lines = builder.lines(rules_dir + "/oom/lines.yaml");
  out.storage->view.frames = builder.frames(rules_dir + "/oom/frames.yaml");
  if (!errors.empty()) return tl::unexpected(std::move(errors));
  return out;
}

std::string log_source(const schema::LogTable& table) {
  ArrayPool texts("std::string_view", "texts");
  std::string lines, frames;
  for (const LinePattern& l : table.lines)
    lines += fmt::format("    {{static_cast<LineKind>({}), {}, {}, {}}},\n", static_cast<int>(l.kind),
                         texts.texts(l.all), texts.texts(l.none), cpp_text(l.says));
  for (const FramePattern& f : table.frames)
    frames +=
        fmt::format("    {{{}, {}, {}, static_cast<LogPhase>({}), {}}},\n", cpp_text(f.file),
                    cpp_text(f.function), cpp_text(f.source), static_cast<int>(f.phase), cpp_text(f.module));
  return "// Generated from rules/oom by headroom-embed. Do not edit.\n"
         "#include \"headroom/schema/log_table.hpp\"\n\nnamespace headroom::schema {\nnamespace {\n\n" +
         texts.definition() +
         fmt::format(
             "constexpr LinePattern lines[] = {{\n{}}};\nconstexpr FramePattern frames[] = {{\n{}}};\n",
             lines, frames) +
         "constexpr LogTable table{lines, frames};\n\n}  // namespace\n\n"
         "const LogTable& embedded_log_table() {\n  return table;\n}\n\n}  // namespace headroom::schema\n";
}

}  // namespace headroom::embed
