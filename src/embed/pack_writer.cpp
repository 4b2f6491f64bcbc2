// C++ source of compiled start-up rewrites and rule packs.
#include <fmt/format.h>

#include "headroom/embed/embed.hpp"
#include "writer.hpp"

namespace headroom::embed {

namespace {

std::string head(std::string_view from, std::string_view include) {
  return fmt::format(
      "// Generated from {} by headroom-embed. Do not edit.\n#include <limits>\n\n#include \"{}\"\n\n"
      "namespace headroom::rules {{\nnamespace {{\n\n",
      from, include);
}

/// Arrays that fixes point into, of rules and of choices.
class FixWriter {
 public:
  std::string fields(std::span<const schema::FieldId> list) {
    std::vector<std::string> out;
    for (auto id : list) out.push_back(fmt::format("{}", id));
    return ids_.span(out);
  }

  std::string fixes(std::span<const rules::FixData> list) {
    std::vector<std::string> out;
    for (const auto& f : list) out.push_back(fix(f));
    return fixes_.span(out);
  }

  ArrayPool texts{"std::string_view", "texts"};

  [[nodiscard]] std::string definitions() const {
    std::string out;
    for (const ArrayPool* pool : {&texts, &ids_, &sets_, &envs_, &fixes_}) out += pool->definition();
    return out;
  }

 private:
  std::string fix(const rules::FixData& f) {
    std::vector<std::string> set, env;
    for (const auto& s : f.set)
      set.push_back(fmt::format("{{{}, {}, {}}}", s.field, cpp_expr(s.value), cpp_text(s.text)));
    for (const auto& e : f.env)
      env.push_back(fmt::format("{{{}, {}, {}}}", cpp_text(e.name), cpp_text(e.value), yes(e.unset)));
    return fmt::format("{{{}, {}, {}, {}, {}, static_cast<Safety>({}), {}}}", cpp_text(f.title),
                       cpp_expr(f.when), sets_.span(set), fields(f.unset), envs_.span(env),
                       static_cast<int>(f.safety), texts.texts(f.evidence));
  }

  ArrayPool ids_{"schema::FieldId", "ids"};
  ArrayPool sets_{"FixSet", "sets"};
  ArrayPool envs_{"FixEnv", "envs"};
  ArrayPool fixes_{"FixData", "fixes"};
};

class RulesWriter {
 public:
  explicit RulesWriter(const rules::RulePack& pack) : pack_(pack) {}

  std::string run() {
    std::string table;
    for (const auto& r : pack_.rules) table += rule(r);
    std::string out = head("rules/**/*.md", "headroom/rules/pack.hpp") + pool_arrays(pack_.pool, "expr");
    out += fixes_.definitions();
    for (const ArrayPool* pool : {&parts_, &sources_, &examples_}) out += pool->definition();
    std::string span = "{}";
    if (!pack_.rules.empty()) {
      out += fmt::format("constexpr Rule rules[] = {{\n{}}};\n", table);
      span = "rules";
    }
    return out + fmt::format(
                     "\nconstexpr RulePack pack{{{}, {}}};\n\n}}  // namespace\n\n"
                     "const RulePack& embedded_rules() {{\n  return pack;\n}}\n\n}}  // namespace "
                     "headroom::rules\n",
                     pool_value(pack_.pool, "expr"), span);
  }

 private:
  std::string rule(const rules::Rule& r) {
    std::vector<std::string> message, sources, examples;
    for (const auto& p : r.message)
      message.push_back(fmt::format("{{{}, {}}}", cpp_text(p.text), cpp_expr(p.value)));
    for (const auto& s : r.sources)
      sources.push_back(fmt::format("{{{}, {}, {}}}", cpp_text(s.repo), cpp_text(s.path), cpp_text(s.what)));
    for (const auto& e : r.examples)
      examples.push_back(
          fmt::format("{{{}, {}, {}, {}}}", yes(e.fails), cpp_text(e.yaml), e.line, cpp_text(e.log)));
    return fmt::format(
        "    {{{}, {}, static_cast<Severity>({}), static_cast<FailsAt>({}), {}, {}, {}, {}, {}, {}, {}, "
        "{},\n     {},\n"
        "     {}, {}, {}, {}}},\n",
        cpp_text(r.id), cpp_text(r.title), static_cast<int>(r.severity), static_cast<int>(r.fails_at),
        r.releases, r.layers, cpp_expr(r.when), fixes_.fields(r.at), parts_.span(message),
        fixes_.fixes(r.fixes), sources_.span(sources), fixes_.texts.texts(r.constraints), cpp_text(r.page),
        examples_.span(examples), cpp_text(r.file), cpp_text(r.when_text), yes(r.unfixable));
  }

  const rules::RulePack& pack_;
  FixWriter fixes_;
  ArrayPool parts_{"MessagePart", "parts"};
  ArrayPool sources_{"SourceRef", "sources"};
  ArrayPool examples_{"Example", "examples"};
};

}  // namespace

std::string rules_source(const rules::RulePack& pack) {
  return RulesWriter(pack).run();
}

std::string choices_source(const rules::ChoicePack& pack) {
  FixWriter fixes;
  ArrayPool values("std::int64_t", "values");
  std::string table;
  for (const auto& d : pack.dimensions) {
    std::vector<std::string> sizes;
    for (const auto v : d.values) sizes.push_back(cpp_number(v));
    table +=
        fmt::format("    {{{}, {}, {}, static_cast<Part>({}), {}, {}, {}, {}, {}, {}}},\n", cpp_text(d.id),
                    cpp_text(d.title), cpp_text(d.label), static_cast<int>(d.part), cpp_text(d.free),
                    yes(d.stages), cpp_expr(d.when), d.field, values.span(sizes), fixes.fixes(d.choices));
  }
  std::string out = head("rules/plan/*.yaml", "headroom/rules/choices.hpp") + pool_arrays(pack.pool, "expr");
  out += fixes.definitions() + values.definition();
  if (!table.empty()) out += fmt::format("constexpr Dimension dimensions[] = {{\n{}}};\n", table);
  return out + fmt::format(
                   "\nconstexpr ChoicePack pack{{{}, {}}};\n\n}}  // namespace\n\n"
                   "const ChoicePack& embedded_choices() {{\n  return pack;\n}}\n\n}}  // namespace "
                   "headroom::rules\n",
                   pool_value(pack.pool, "expr"), table.empty() ? "{}" : "dimensions");
}

std::string resolve_source(const resolve::ResolvePack& pack) {
  ArrayPool texts("std::string_view", "texts");
  ArrayPool sets("Assignment", "sets");
  std::string steps, derived;
  for (const auto& s : pack.steps) {
    std::vector<std::string> set;
    for (const auto& a : s.set) set.push_back(fmt::format("{{{}, {}}}", a.field, cpp_expr(a.value)));
    steps +=
        fmt::format("    {{{}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}}},\n", cpp_text(s.name), cpp_text(s.by),
                    s.releases, s.layers, cpp_expr(s.when), sets.span(set), yes(s.is_default),
                    yes(s.is_moved), cpp_text(s.copy_from), texts.texts(s.copy_to), texts.texts(s.copy_skip));
  }
  for (const auto& d : pack.derived) derived += fmt::format("    {{{}, {}}},\n", d.field, cpp_expr(d.value));
  std::string out = head("rules/resolve and rules/schema/derived", "headroom/rules/pack.hpp");
  out += "using resolve::Assignment, resolve::Derived, resolve::Step;\n";
  out += pool_arrays(pack.pool, "expr") + texts.definition() + sets.definition();
  if (!steps.empty()) out += fmt::format("constexpr Step steps[] = {{\n{}}};\n", steps);
  if (!derived.empty()) out += fmt::format("constexpr Derived derived[] = {{\n{}}};\n", derived);
  return out + fmt::format(
                   "\nconstexpr resolve::ResolvePack pack{{{}, {}, {}}};\n\n}}  // namespace\n\n"
                   "const resolve::ResolvePack& embedded_resolve() {{\n  return pack;\n}}\n\n"
                   "}}  // namespace headroom::rules\n",
                   pool_value(pack.pool, "expr"), steps.empty() ? "{}" : "steps",
                   derived.empty() ? "{}" : "derived");
}

}  // namespace headroom::embed
