#include <fmt/format.h>

#include "headroom/embed/embed.hpp"
#include "writer.hpp"

namespace headroom::embed {

namespace {

class SchemaWriter {
 public:
  explicit SchemaWriter(const schema::Schema& s) : schema_(s) {}

  std::string run() {
    std::string tables = fields() + sections() + literals() + classes() + recipes() + models() + gpus() +
                         renames() + dialects() + training_recipes() + evidence();
    std::vector<std::string> by_name, by_hash, items;
    for (auto id : schema_.by_name) by_name.push_back(fmt::format("{}", id));
    for (auto id : schema_.by_hash) by_hash.push_back(fmt::format("{}", id));
    for (auto id : schema_.list_items) items.push_back(fmt::format("{}", id));
    std::string by_name_span = ids_.span(by_name), by_hash_span = ids_.span(by_hash),
                items_span = ids_.span(items);
    std::string names = texts_.texts(schema_.section_names);
    std::string out =
        "// Generated from rules/schema, rules/gpus.yaml, rules/models and rules/recipes by headroom-embed. "
        "Do not edit.\n"
        "#include <limits>\n\n#include \"headroom/schema/schema.hpp\"\n\nnamespace headroom::schema "
        "{\nnamespace {\n\n";
    for (const ArrayPool* pool : {&texts_, &ids_, &defaults_, &choices_, &class_defaults_, &values_, &cases_,
                                  &dialect_choices_, &rows_, &dialect_defaults_, &runs_})
      out += pool->definition();
    out += tables;
    out += fmt::format(
        "\nconstexpr Schema table{{\n    fields, {}, {}, {}, sections, literals, {}, classes, recipes, {}, "
        "gpus, "
        "{}, {}, {}, {}, {}}};\n\n",
        by_name_span, by_hash_span, names, items_span, renames_span_, models_span_, dialects_span_,
        training_recipes_span_, parts_span_, evidence_span_);
    return out +
           "}  // namespace\n\nconst Schema& embedded_schema() {\n  return table;\n}\n\n}  // namespace "
           "headroom::schema\n";
  }

 private:
  std::string fields() {
    std::string out = "constexpr Field fields[] = {\n";
    for (const auto& f : schema_.fields) {
      std::vector<std::string> defaults, choices;
      for (const auto& d : f.defaults) defaults.push_back(fmt::format("{{{}, {}}}", d.releases, d.value));
      for (const auto& c : f.choices)
        choices.push_back(fmt::format("{{{}, {}}}", c.releases, texts_.texts(c.values)));
      out += fmt::format(
          "    {{{}, static_cast<Space>({}), {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, "
          "{}}},\n",
          cpp_text(f.name), static_cast<int>(f.space), f.type, f.element, yes(f.nullable),
          yes(f.provider_specific), f.releases, f.deprecated, cpp_text(f.replacement), cpp_text(f.doc),
          cpp_text(f.enum_class), texts_.texts(f.classes), defaults_.span(defaults), choices_.span(choices),
          texts_.texts(f.also_accepted), yes(f.choices_checked), f.section, f.parent);
    }
    return out + "};\n";
  }

  std::string sections() {
    std::string out = "constexpr Section sections[] = {\n";
    for (const auto& s : schema_.sections)
      out += fmt::format("    {{{}, {}, {}, {}, {}, {}, {}, {}, {}}},\n", cpp_text(s.name),
                         cpp_text(s.standard_class), s.field, s.target, s.releases, yes(s.nullable),
                         yes(s.present), yes(s.required), s.class_index);
    return out + "};\n";
  }

  std::string literals() {
    std::string out = "constexpr Literal literals[] = {\n";
    for (const auto& l : schema_.literals)
      out +=
          fmt::format("    {{static_cast<Literal::Kind>({}), {}, {}, {}, {}}},\n", static_cast<int>(l.kind),
                      l.count, cpp_number(l.integer), cpp_number(l.number), cpp_text(l.text));
    return out + "};\n";
  }

  std::string classes() {
    std::string out = "constexpr ClassInfo classes[] = {\n";
    for (const auto& c : schema_.classes) {
      std::vector<std::string> defaults;
      for (const auto& d : c.defaults)
        defaults.push_back(fmt::format("{{{}, {}, {}}}", d.field, d.releases, d.value));
      out += fmt::format("    {{{}, {}, {}, {}, {}}},\n", cpp_text(c.name), cpp_text(c.section), c.releases,
                         texts_.texts(c.bases), class_defaults_.span(defaults));
    }
    return out + "};\n";
  }

  std::string field_values(std::span<const schema::FieldValue> list) {
    std::vector<std::string> out;
    for (const auto& v : list) out.push_back(fmt::format("{{{}, {}}}", v.field, v.value));
    return values_.span(out);
  }

  std::string recipes() {
    std::string out = "constexpr PrecisionRecipe recipes[] = {\n";
    for (const auto& r : schema_.recipes)
      out += fmt::format("    {{{}, {}, {}}},\n", cpp_text(r.name), r.releases, field_values(r.sets));
    return out + "};\n";
  }

  std::string models() {
    if (schema_.models.empty()) return {};
    std::string out = "constexpr ModelFacts models[] = {\n";
    for (const auto& m : schema_.models)
      out += fmt::format("    {{{}, {}, {}, {}}},\n", cpp_text(m.id), texts_.texts(m.aliases),
                         cpp_text(m.provider), field_values(m.values));
    models_span_ = "models";
    return out + "};\n";
  }

  std::string evidence() {
    if (schema_.evidence.empty()) return {};
    std::string out = "constexpr Evidence evidence[] = {\n";
    for (const auto& e : schema_.evidence) {
      std::vector<std::string> runs;
      for (const auto& r : e.runs)
        runs.push_back(fmt::format("{{{}, {}, {}, {}, {}}}", cpp_text(r.name), field_values(r.values),
                                   cpp_number(r.seconds), cpp_number(r.peak_bytes), yes(r.out_of_memory)));
      out +=
          fmt::format("    {{{}, {}, {}, {}, {}, {}, {}, {}, {}, {}}},\n", cpp_text(e.id), cpp_text(e.title),
                      cpp_text(e.model), cpp_text(e.gpu), e.gpus, cpp_text(e.on), cpp_text(e.limits),
                      cpp_text(e.source), field_values(e.conditions), runs_.span(runs));
    }
    evidence_span_ = "evidence";
    return out + "};\n";
  }

  std::string training_recipes() {
    if (schema_.training_recipes.empty()) return {};
    std::string out = "constexpr std::span<const FieldValue> recipe_parts[] = {\n";
    for (const auto& part : schema_.recipe_parts) out += fmt::format("    {},\n", field_values(part));
    out += "};\nconstexpr TrainingRecipe training_recipes[] = {\n";
    for (const auto& r : schema_.training_recipes) {
      std::vector<std::string> parts;
      for (auto part : r.parts) parts.push_back(fmt::format("{}", part));
      out += fmt::format("    {{{}, {}, {}, static_cast<RecipeKind>({}), {}, {}, {}, {}}},\n",
                         cpp_text(r.name), texts_.texts(r.aliases), r.releases, static_cast<int>(r.kind),
                         r.gpus, cpp_text(r.gpu), yes(r.usual_size), ids_.span(parts));
    }
    training_recipes_span_ = "training_recipes";
    parts_span_ = "recipe_parts";
    return out + "};\n";
  }

  std::string gpus() {
    std::string out = "constexpr Gpu gpus[] = {\n";
    for (const auto& g : schema_.gpus)
      out += fmt::format(
          "    {{{}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}}},\n", cpp_text(g.kind),
          texts_.texts(g.aliases), g.total_bytes, g.host_bytes, cpp_number(g.compute_capability),
          cpp_number(g.memory_bandwidth), g.gpus_per_node, cpp_number(g.bf16_flops), cpp_number(g.fp16_flops),
          cpp_number(g.fp8_flops), cpp_number(g.fp4_flops), cpp_number(g.nvlink_bandwidth), g.nvlink_domain,
          cpp_number(g.network_bandwidth), cpp_number(g.host_bandwidth), cpp_number(g.host_memory_bandwidth));
    return out + "};\n";
  }

  std::string renames() {
    if (schema_.renames.empty()) return {};
    std::string out = "constexpr Rename renames[] = {\n";
    for (const auto& r : schema_.renames)
      out += fmt::format("    {{{}, {}, {}}},\n", cpp_text(r.from), cpp_text(r.to), cpp_text(r.note));
    renames_span_ = "renames";
    return out + "};\n";
  }

  std::string row(const schema::DialectRow& r) {
    std::vector<std::string> fields, cases, choices;
    for (const auto& c : r.choices)
      choices.push_back(fmt::format("{{{}, {}}}", c.releases, texts_.texts(c.words)));
    for (auto id : r.fields) fields.push_back(fmt::format("{}", id));
    for (const auto& c : r.cases) cases.push_back(fmt::format("{{{}, {}}}", c.when, field_values(c.sets)));
    return fmt::format(
        "\n    {{{}, {}, {}, RowKind({}), LaunchKey({}), {}, {}, Arity({}), {}, WordType({}), {}, {}, {}, "
        "{}}}",
        cpp_text(r.name), yes(r.below), cpp_text(r.section), static_cast<int>(r.kind),
        static_cast<int>(r.launch), ids_.span(fields), yes(r.invert), static_cast<int>(r.arity), r.count,
        static_cast<int>(r.type), yes(r.action), cases_.span(cases), r.releases,
        dialect_choices_.span(choices));
  }

  std::string dialects() {
    if (schema_.dialects.empty()) return {};
    std::string out = "constexpr DialectTable dialects[] = {\n";
    for (const auto& d : schema_.dialects) {
      std::vector<std::string> rows, defaults;
      for (const auto& r : d.rows) rows.push_back(row(r));
      for (const auto& v : d.defaults)
        defaults.push_back(fmt::format("{{{}, {}, {}}}", v.field, v.releases, v.value));
      out += fmt::format(
          "    {{{}, {}, {}, Layer({}), {}, {}, WordForm({}), {}, RecipeWords({}), {}, {}, {}, {}, "
          "{}}},\n",
          cpp_text(d.name), cpp_text(d.title), cpp_text(d.read), static_cast<int>(d.layer),
          texts_.texts(d.detect), texts_.texts(d.programs), static_cast<int>(d.words), yes(d.architecture),
          static_cast<int>(d.recipe), yes(d.either_dash), cpp_text(d.include), texts_.texts(d.extra),
          rows_.span(rows), dialect_defaults_.span(defaults));
    }
    dialects_span_ = "dialects";
    return out + "};\n";
  }

  const schema::Schema& schema_;
  ArrayPool texts_{"std::string_view", "texts"};
  ArrayPool ids_{"std::uint16_t", "ids"};
  ArrayPool defaults_{"Default", "defaults"};
  ArrayPool choices_{"Choices", "choices"};
  ArrayPool class_defaults_{"ClassDefault", "class_defaults"};
  ArrayPool values_{"FieldValue", "field_values"};
  ArrayPool runs_{"EvidenceRun", "evidence_runs"};
  ArrayPool dialect_choices_{"DialectChoices", "dialect_choices"};
  ArrayPool rows_{"DialectRow", "dialect_rows"};
  ArrayPool cases_{"DialectCase", "dialect_cases"};
  ArrayPool dialect_defaults_{"DialectDefault", "dialect_defaults"};
  std::string models_span_ = "{}", renames_span_ = "{}", dialects_span_ = "{}";
  std::string training_recipes_span_ = "{}", parts_span_ = "{}", evidence_span_ = "{}";
};

}  // namespace

std::string schema_source(const schema::Schema& schema) {
  return SchemaWriter(schema).run();
}

}  // namespace headroom::embed
