#include "dialect_builder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace headroom::embed {

using schema::Arity;
using schema::DialectRow;
using schema::DialectTable;
using schema::FieldId;
using schema::FieldValue;
using schema::RowKind;
using source::NodeId;
using source::NodeKind;

namespace {

template <class T, std::size_t N>
T choose(const TableReader& in, NodeId at, const std::string& text,
         const std::array<std::pair<std::string_view, T>, N>& choices, T otherwise) {
  std::vector<std::string_view> names;
  for (const auto& [name, value] : choices) {
    if (name == text) return value;
    names.push_back(name);
  }
  in.fail(at, fmt::format("'{}' is none of {}", text, fmt::join(names, ", ")));
  return otherwise;
}

constexpr std::array<std::pair<std::string_view, schema::Layer>, 3> layers{
    {{"bridge", schema::Layer::bridge},
     {"megatron-core", schema::Layer::megatron_core},
     {"megatron-lm", schema::Layer::megatron_lm}}};
constexpr std::array<std::pair<std::string_view, schema::WordForm>, 3> word_forms{
    {{"none", schema::WordForm::none},
     {"override", schema::WordForm::overrides},
     {"flags", schema::WordForm::flags}}};
constexpr std::array<std::pair<std::string_view, schema::RecipeWords>, 2> recipe_words{
    {{"library", schema::RecipeWords::library}, {"benchmark", schema::RecipeWords::benchmark}}};
constexpr std::array<std::pair<std::string_view, schema::LaunchKey>, 5> launch_keys{
    {{"gpus", schema::LaunchKey::gpus},
     {"nodes", schema::LaunchKey::nodes},
     {"gpus_per_node", schema::LaunchKey::gpus_per_node},
     {"gpu", schema::LaunchKey::gpu},
     {"model", schema::LaunchKey::model}}};
constexpr std::array<std::pair<std::string_view, schema::WordType>, 7> word_types{
    {{"int", schema::WordType::integer},
     {"float", schema::WordType::floating},
     {"str", schema::WordType::text},
     {"bool", schema::WordType::boolean},
     {"json", schema::WordType::json},
     {"freq", schema::WordType::frequency},
     {"tuple", schema::WordType::tuple}}};

std::string_view prefix_of(std::string_view dotted) {
  return dotted.substr(0, dotted.find('.'));
}

}  // namespace

void DialectBuilder::read_head(DialectTable& out) const {
  const NodeId root = in_.root();
  in_.only(root, {"dialect", "title", "read", "layer", "detect", "programs", "words", "architecture",
                  "dashes", "recipe", "include", "rows", "defaults"});
  out.name = arena_.keep(in_.text(root, "dialect"));
  out.title = arena_.keep(in_.text(root, "title"));
  out.read = arena_.keep(in_.text(root, "read"));
  if (out.name.empty() || out.title.empty() || out.read.empty())
    in_.fail(root, "a table needs 'dialect', 'title' and 'read'");
  if (out.name != stem(in_.file()))
    in_.fail(root, fmt::format("the table '{}' belongs in a file of that name", out.name));
  out.layer = choose(in_, root, in_.text(root, "layer"), layers, schema::Layer::bridge);
  const auto words = in_.text(root, "words");
  if (!words.empty()) out.words = choose(in_, in_.get(root, "words"), words, word_forms, out.words);
  const auto recipe = in_.text(root, "recipe");
  if (!recipe.empty()) out.recipe = choose(in_, in_.get(root, "recipe"), recipe, recipe_words, out.recipe);
  out.detect = schema_.keep_texts(in_.texts(root, "detect"));
  out.programs = schema_.keep_texts(in_.texts(root, "programs"));
  out.architecture = in_.text(root, "architecture") == "model";
  out.either_dash = in_.text(root, "dashes") == "either";
  out.include = arena_.keep(in_.text(root, "include"));
}

void DialectBuilder::read_fields(DialectRow& row, NodeId at) {
  std::vector<FieldId> fields;
  const auto add = [&](NodeId item) {
    const std::string name = in_.text(item);
    const FieldId id = schema_.field_named(in_, item, name);
    if (id == schema::no_field) return;
    fields.push_back(id);
    if (schema_.is_extra(id)) extra_.insert(std::string(prefix_of(name)));
  };
  if (in_.node(at).kind == NodeKind::sequence) {
    in_.each_item(at, add);
  } else {
    add(at);
  }
  row.fields = arena_.keep(std::move(fields));
}

void DialectBuilder::read_arity(DialectRow& row, NodeId body) const {
  if (const NodeId at = in_.get(body, "type"); at != source::no_node)
    row.type = choose(in_, at, in_.text(at), word_types, row.type);
  if (const NodeId at = in_.get(body, "action"); at != source::no_node) {
    row.arity = Arity::none;
    row.action = in_.boolean(body, "action", true);
  }
  const NodeId at = in_.get(body, "nargs");
  if (at == source::no_node) return;
  if (row.arity == Arity::none) in_.fail(at, "a flag has either 'action' or 'nargs'");
  const std::string text = in_.text(at);
  if (text == "+") {
    row.arity = Arity::some;
  } else if (text == "*" || text == "?") {
    row.arity = Arity::any;
  } else if (text.size() == 1 && text.front() >= '1' && text.front() <= '9') {
    row.arity = Arity::count;
    row.count = static_cast<std::uint8_t>(text.front() - '0');
  } else {
    in_.fail(at, "'nargs' is '+', '*', '?' or a number from 1 to 9");
  }
}

void DialectBuilder::read_choices(DialectRow& row, NodeId body) const {
  const NodeId at = in_.get(body, "choices");
  if (at == source::no_node) return;
  if (row.arity == Arity::none) return in_.fail(at, "a flag without a value has no 'choices'");
  std::vector<schema::DialectChoices> choices;
  for (const ReleaseValue& v : in_.by_release(at)) {
    std::vector<std::string> words;
    in_.each_item(v.node, [&](NodeId item) { words.push_back(in_.text(item)); });
    choices.push_back({v.releases, schema_.keep_texts(words)});
  }
  row.choices = arena_.keep(std::move(choices));
}

void DialectBuilder::read_cases(DialectRow& row, NodeId map) {
  std::vector<schema::DialectCase> cases;
  if (in_.node(map).kind != NodeKind::mapping) return in_.fail(map, "'values' maps values to fields");
  for (const source::Member& m : in_.node(map).members) {
    std::vector<FieldValue> sets;
    in_.each(m.value, [&](std::string_view name, NodeId key, NodeId value) {
      const FieldId id = schema_.field_named(in_, key, std::string(name));
      if (id == schema::no_field) return;
      sets.push_back({id, schema_.literal(in_, value)});
      schema_.check_value(in_, value, id, sets.back().value);
      if (schema_.is_extra(id)) extra_.insert(std::string(prefix_of(name)));
    });
    cases.push_back({schema_.literal(in_, m.key), arena_.keep(std::move(sets))});
  }
  row.cases = arena_.keep(std::move(cases));
}

void DialectBuilder::read_kind(DialectRow& row, NodeId key, NodeId body) {
  in_.only(body, {"to", "values", "launch", "env", "ignore", "invert", "action", "type", "nargs", "choices",
                  "releases", "alias"});
  row.releases = in_.releases(body, "releases");
  row.invert = in_.boolean(body, "invert", false);
  read_arity(row, body);
  read_choices(row, body);
  const NodeId to = in_.get(body, "to");
  if (to != source::no_node) read_fields(row, to);
  if (const NodeId at = in_.get(body, "values"); at != source::no_node) {
    row.kind = RowKind::choice;
    read_cases(row, at);
  } else if (const NodeId launch = in_.get(body, "launch"); launch != source::no_node) {
    row.kind = RowKind::launch;
    row.launch = choose(in_, launch, in_.text(launch), launch_keys, row.launch);
  } else if (in_.boolean(body, "env", false)) {
    row.kind = RowKind::environment;
  } else if (in_.boolean(body, "ignore", false)) {
    row.kind = RowKind::ignored;
  } else if (to == source::no_node) {
    in_.fail(key, "a row needs one of to, values, launch, env, ignore, alias");
  }
}

void DialectBuilder::read_below(DialectRow row, NodeId body) {
  row.below = true;
  if (in_.node(body).kind == NodeKind::mapping) {
    in_.only(body, {"ignore"});
    row.kind = RowKind::ignored;
  } else {
    const std::string target = in_.text(body);
    if (!target.ends_with(".*")) return in_.fail(body, "a row `PREFIX.*` names a section: `model.*`");
    row.section = arena_.keep(std::string_view(target).substr(0, target.size() - 2));
    if (!schema_.has_prefix(row.section))
      in_.fail(body, fmt::format("there is no section '{}'", row.section));
  }
  rows_.push_back(row);
}

void DialectBuilder::read_row(std::string_view name, NodeId key, NodeId body) {
  DialectRow row;
  const bool below = name.ends_with(".*");
  row.name = arena_.keep(below ? name.substr(0, name.size() - 2) : name);
  if (below) return read_below(row, body);
  if (in_.node(body).kind != NodeKind::mapping) {
    read_fields(row, body);
    rows_.push_back(row);
    return;
  }
  if (in_.get(body, "alias") != source::no_node) {
    aliases_.emplace_back(body, row);
    return;
  }
  read_kind(row, key, body);
  rows_.push_back(row);
}

void DialectBuilder::read_aliases() {
  for (const auto& [body, alias] : aliases_) {
    in_.only(body, {"alias", "releases"});
    const std::string of = in_.text(body, "alias");
    const auto it = std::find_if(rows_.begin(), rows_.end(),
                                 [&](const DialectRow& r) { return !r.below && r.name == of; });
    if (it == rows_.end()) {
      in_.fail(body, fmt::format("there is no row '{}'", of));
      continue;
    }
    DialectRow row = *it;
    row.name = alias.name;
    if (in_.get(body, "releases") != source::no_node) row.releases = in_.releases(body, "releases");
    rows_.push_back(row);
  }
}

std::span<const schema::DialectDefault> DialectBuilder::read_defaults(NodeId map) {
  std::vector<schema::DialectDefault> out;
  in_.each(map, [&](std::string_view name, NodeId key, NodeId value) {
    const FieldId id = schema_.field_named(in_, key, std::string(name));
    if (id == schema::no_field) return;
    for (const auto& v : schema_.values(in_, value)) {
      schema_.check_value(in_, value, id, v.value);
      out.push_back({id, v.releases, v.value});
    }
    if (schema_.is_extra(id)) extra_.insert(std::string(prefix_of(name)));
  });
  std::stable_sort(out.begin(), out.end(), [](const auto& a, const auto& b) { return a.field < b.field; });
  return arena_.keep(std::move(out));
}

DialectTable DialectBuilder::build() {
  DialectTable out;
  read_head(out);
  in_.each(in_.get(in_.root(), "rows"),
           [&](std::string_view name, NodeId key, NodeId body) { read_row(name, key, body); });
  read_aliases();
  std::sort(rows_.begin(), rows_.end(), [](const DialectRow& a, const DialectRow& b) {
    return a.name != b.name ? a.name < b.name : a.below < b.below;
  });
  out.rows = arena_.keep(std::move(rows_));
  out.defaults = read_defaults(in_.get(in_.root(), "defaults"));
  out.extra = schema_.keep_texts({extra_.begin(), extra_.end()});
  return out;
}

}  // namespace headroom::embed
