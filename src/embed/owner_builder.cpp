// rules/oom/owners.yaml: what the memory of a snapshot belongs to.
#include <fmt/format.h>

#include <optional>

#include "headroom/embed/embed.hpp"
#include "table_reader.hpp"
#include "writer.hpp"

namespace headroom::embed {

using schema::FrameMark;
using schema::MemoryUse;
using schema::NativeMark;
using schema::UseRule;
using source::NodeId;

struct LoadedOwners::Storage {
  Arena arena;
  schema::OwnerTable view;
};

LoadedOwners::LoadedOwners() : storage(std::make_unique<Storage>()) {}
LoadedOwners::~LoadedOwners() = default;
LoadedOwners::LoadedOwners(LoadedOwners&&) noexcept = default;
LoadedOwners& LoadedOwners::operator=(LoadedOwners&&) noexcept = default;
const schema::OwnerTable& LoadedOwners::view() const {
  return storage->view;
}

namespace {

template <class T>
std::optional<T> named(std::string_view text, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i)
    if (schema::to_string(static_cast<T>(i)) == text) return static_cast<T>(i);
  return std::nullopt;
}

class OwnerBuilder {
 public:
  OwnerBuilder(const TableReader& in, Arena& arena) : in_(in), arena_(arena) {}

  schema::OwnerTable run() {
    schema::OwnerTable out;
    const NodeId root = in_.root();
    in_.only(root, {"plumbing", "roots", "uses", "native"});
    out.plumbing = each<FrameMark>("plumbing", [this](NodeId item) { return mark(item); });
    out.uses = each<UseRule>("uses", [this](NodeId item) { return use_rule(item); });
    out.native = each<NativeMark>("native", [this](NodeId item) { return native(item); });
    std::vector<std::string_view> roots;
    for (const std::string& text : in_.texts(root, "roots")) roots.push_back(arena_.keep(text));
    out.roots = arena_.keep(std::move(roots));
    return out;
  }

 private:
  template <class T, class Make>
  std::span<const T> each(std::string_view key, const Make& make) {
    std::vector<T> out;
    in_.each_item(in_.get(in_.root(), key), [&](NodeId item) { out.push_back(make(item)); });
    if (out.empty()) in_.fail(in_.root(), fmt::format("'{}' has no entries", key));
    return arena_.keep(std::move(out));
  }

  std::string_view text(NodeId item, std::string_view key) { return arena_.keep(in_.text(item, key)); }

  MemoryUse use(NodeId at, const std::string& name) const {
    if (const auto use = named<MemoryUse>(name, schema::memory_uses)) return *use;
    in_.fail(at, fmt::format("'{}' is no use of memory", name));
    return MemoryUse::unknown;
  }

  schema::LogPhase phase(NodeId item) const {
    const std::string name = in_.text(item, "phase");
    if (name.empty()) return schema::LogPhase::unknown;
    if (const auto phase = named<schema::LogPhase>(name, schema::log_phases)) return *phase;
    in_.fail(item, fmt::format("'{}' is no phase", name));
    return schema::LogPhase::unknown;
  }

  FrameMark mark(NodeId item) {
    in_.only(item, {"file", "function"});
    const FrameMark out{text(item, "file"), text(item, "function")};
    if (out.file.empty() && out.function.empty()) in_.fail(item, "a frame needs file or function");
    return out;
  }

  UseRule use_rule(NodeId item) {
    in_.only(item, {"file", "function", "caller", "module", "phase", "use", "uses"});
    UseRule out{text(item, "file"),   text(item, "function"),
                text(item, "caller"), text(item, "module"),
                phase(item),          {}};
    if (out.file.empty() && out.function.empty() && out.module.empty() &&
        out.phase == schema::LogPhase::unknown)
      in_.fail(item, "an entry needs file, function, module or phase");
    std::vector<MemoryUse> uses;
    const std::vector<std::string> names = in_.texts(item, "uses");
    for (const std::string& name : names.empty() ? in_.texts(item, "use") : names)
      uses.push_back(use(item, name));
    if (uses.empty()) in_.fail(item, "an entry needs `use` or `uses`");
    if (uses.size() > 1 && (out.file.empty() || out.function.empty()))
      in_.fail(item, "lines are told apart inside one function of one file");
    out.uses = arena_.keep(std::move(uses));
    return out;
  }

  NativeMark native(NodeId item) {
    in_.only(item, {"part", "phase", "use"});
    const NativeMark out{text(item, "part"), phase(item), use(item, in_.text(item, "use"))};
    if (out.part.empty()) in_.fail(item, "an entry needs `part`");
    return out;
  }

  const TableReader& in_;
  Arena& arena_;
};

}  // namespace

tl::expected<LoadedOwners, Errors> load_owners(const std::string& rules_dir) {
  LoadedOwners out;
  Errors errors;
  if (const auto in = TableReader::open(rules_dir + "/oom/owners.yaml", errors))
    out.storage->view = OwnerBuilder(*in, out.storage->arena).run();
  if (!errors.empty()) return tl::unexpected(std::move(errors));
  return out;
}

std::string owner_source(const schema::OwnerTable& table) {
  ArrayPool texts("std::string_view", "texts");
  ArrayPool uses("MemoryUse", "use_lists");
  const auto use_name = [](MemoryUse use) { return fmt::format("MemoryUse::{}", schema::to_string(use)); };
  std::string plumbing, rules, native;
  for (const FrameMark& m : table.plumbing)
    plumbing += fmt::format("    {{{}, {}}},\n", cpp_text(m.file), cpp_text(m.function));
  for (const UseRule& r : table.uses) {
    std::vector<std::string> list;
    for (const MemoryUse use : r.uses) list.push_back(use_name(use));
    rules += fmt::format("    {{{}, {}, {}, {}, static_cast<LogPhase>({}), {}}},\n", cpp_text(r.file),
                         cpp_text(r.function), cpp_text(r.caller), cpp_text(r.module),
                         static_cast<int>(r.phase), uses.span(list));
  }
  for (const NativeMark& m : table.native)
    native += fmt::format("    {{{}, static_cast<LogPhase>({}), {}}},\n", cpp_text(m.part),
                          static_cast<int>(m.phase), use_name(m.use));
  const std::string roots = texts.texts(table.roots);
  return "// Generated from rules/oom/owners.yaml by headroom-embed. Do not edit.\n"
         "#include \"headroom/schema/owner_table.hpp\"\n\nnamespace headroom::schema {\nnamespace {\n\n" +
         texts.definition() + uses.definition() +
         fmt::format(
             "constexpr FrameMark plumbing[] = {{\n{}}};\nconstexpr UseRule uses[] = {{\n{}}};\n"
             "constexpr NativeMark native[] = {{\n{}}};\n"
             "constexpr OwnerTable table{{plumbing, {}, uses, native}};\n",
             plumbing, rules, native, roots) +
         "\n}  // namespace\n\nconst OwnerTable& embedded_owner_table() {\n  return table;\n}\n\n"
         "}  // namespace headroom::schema\n";
}

}  // namespace headroom::embed
