// The reader of rules/: what it makes of these very files, and what it says about broken ones.
#include <catch2/catch.hpp>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "headroom/embed/embed.hpp"

using namespace headroom;
namespace fs = std::filesystem;

namespace {

const std::string rules_dir = std::string(HEADROOM_SOURCE_DIR) + "/rules";

/// A copy of the tables of the schema in which a test may break one file.
class Tables {
 public:
  explicit Tables(const std::string& name) : dir_(fs::temp_directory_path() / ("headroom-tables-" + name)) {
    fs::remove_all(dir_);
    fs::create_directories(dir_);
    for (const char* part : {"schema", "gpus.yaml"})
      fs::copy(rules_dir + "/" + part, dir_ / part, fs::copy_options::recursive);
  }
  ~Tables() { fs::remove_all(dir_); }
  Tables(const Tables&) = delete;
  Tables& operator=(const Tables&) = delete;

  void write(const std::string& file, const std::string& text) {
    fs::create_directories((dir_ / file).parent_path());
    std::ofstream(dir_ / file) << text;
  }
  void append(const std::string& file, const std::string& text) {
    std::ofstream(dir_ / file, std::ios::app) << text;
  }
  [[nodiscard]] std::string path() const { return dir_.string(); }

 private:
  fs::path dir_;
};

/// Whether an error with `text` in its message stands at `line` of a file whose name ends in `file`.
bool reports(const embed::Errors& errors, std::string_view file, std::uint32_t line, std::string_view text) {
  return std::any_of(errors.begin(), errors.end(), [&](const source::Error& e) {
    return e.source.ends_with(file) && e.location.start.line == line &&
           e.message.find(text) != std::string::npos;
  });
}

}  // namespace

TEST_CASE("the tables as read are the tables as embedded") {
  auto loaded = embed::load_schema(rules_dir);
  REQUIRE(loaded);
  const schema::Schema& a = loaded->view();
  const schema::Schema& b = schema::embedded_schema();
  REQUIRE(a.size() == b.size());
  REQUIRE(a.classes.size() == b.classes.size());
  CHECK(a.models.size() == b.models.size());
  CHECK(a.recipes.size() == b.recipes.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    auto id = static_cast<schema::FieldId>(i);
    INFO(a.fields[i].name);
    CHECK(a.fields[i].name == b.fields[i].name);
    CHECK(a.fields[i].type == b.fields[i].type);
    CHECK(a.fields[i].parent == b.fields[i].parent);
    for (int r = 0; r < schema::release_count; ++r) {
      auto release = static_cast<schema::Release>(r);
      CHECK(a.default_value(id, release, std::string_view()) ==
            b.default_value(id, release, std::string_view()));
    }
  }
}

TEST_CASE("the writer quotes what C++ would misread") {
  schema::Field f;
  f.name = "model.odd";
  f.doc = "quote \" backslash \\ question ?\?= tab \t end\nline \xc3\xa9";
  f.type = static_cast<schema::TypeSet>(schema::Type::string);
  schema::Schema s;
  s.fields = {&f, 1};
  std::string out = embed::schema_source(s);
  CHECK(out.find(R"("quote \" backslash \\ question \?\?= tab \t end\nline \303\251")") != std::string::npos);
  CHECK(out.find("constexpr Schema table") != std::string::npos);
}

TEST_CASE("every problem of a table is reported with its place") {
  Tables t("problems");
  t.write("schema/fields/ft.yaml",
          "a: {type: int, default: 1}\n"
          "b: {type: integre}\n"
          "c: {type: int, releases: 'soon'}\n"
          "d: {type: int, colour: red}\n"
          "e: {type: int, in: NoSuchClass}\n"
          "a: {type: int}\n"
          "f: {type: int, default: {'<0.4.2': 1, '>=0.3.1': 2}}\n"
          "g: {default: 1}\n"
          "h: {type: int, nullable: maybe}\n");
  t.append("schema/precision_recipes.yaml", "broken: {sets: {fp9: true, fp8_margin: often}}\n");
  t.append("schema/renames.yaml", "- {from: model.old, to: model.num_layer}\n");
  t.write("gpus.yaml", "h100: {aliases: [H100]}\n");
  auto loaded = embed::load_schema(t.path());
  REQUIRE_FALSE(loaded);
  const auto& errors = loaded.error();
  CHECK(reports(errors, "ft.yaml", 2, "'integre' is no type"));
  CHECK(reports(errors, "ft.yaml", 3, "'soon' is no range"));
  CHECK(reports(errors, "ft.yaml", 4, "unknown key 'colour'"));
  CHECK(reports(errors, "ft.yaml", 5, "NoSuchClass"));
  CHECK(reports(errors, "ft.yaml", 6, "given twice"));
  CHECK(reports(errors, "ft.yaml", 7, "overlaps"));
  CHECK(reports(errors, "ft.yaml", 8, "needs a type"));
  CHECK(reports(errors, "ft.yaml", 9, "true or false"));
  CHECK(std::any_of(errors.begin(), errors.end(), [](const auto& e) {
    return e.message.find("there is no field 'mixed_precision.fp9'") == 0;
  }));
  CHECK(std::any_of(errors.begin(), errors.end(), [](const auto& e) {
    return e.message.find("did you mean 'model.num_layers'?") != std::string::npos;
  }));
  CHECK(std::any_of(errors.begin(), errors.end(),
                    [](const auto& e) { return e.message.find("total_bytes") != std::string::npos; }));
}

TEST_CASE("a table that is no YAML or no file") {
  Tables t("syntax");
  t.write("schema/launch.yaml", "gpus: {type: int\nnext: ]\n");
  auto broken = embed::load_schema(t.path());
  REQUIRE_FALSE(broken);
  CHECK(std::any_of(broken.error().begin(), broken.error().end(),
                    [](const auto& e) { return e.source.ends_with("launch.yaml") && e.has_location; }));
  CHECK_FALSE(embed::load_schema("/no/such/folder"));
}

TEST_CASE("derived values come in the order of what they read, and circles are found") {
  Tables t("derived");
  fs::remove_all(fs::path(t.path()) / "schema/derived");
  t.write("schema/derived/a.yaml",
          "last: {type: int, expr: 'derived.first + derived.middle'}\nmiddle: {type: int, expr: "
          "derived.first * 2}\n");
  t.write("schema/derived/b.yaml", "first: {type: int, expr: model.num_layers}\n");
  auto loaded = embed::load_schema(t.path());
  REQUIRE(loaded);
  const schema::Schema& s = loaded->view();
  auto pack = embed::load_resolve(t.path(), s);
  REQUIRE(pack);
  std::vector<std::string_view> order;
  for (const auto& d : pack->view().derived) order.push_back(s.field(d.field).name);
  CHECK(order == std::vector<std::string_view>{"derived.first", "derived.middle", "derived.last"});

  t.write("schema/derived/b.yaml", "first: {type: int, expr: derived.last}\n");
  auto again = embed::load_schema(t.path());
  REQUIRE(again);
  auto circle = embed::load_resolve(t.path(), again->view());
  REQUIRE_FALSE(circle);
  CHECK(circle.error().front().message.find("depend on each other") != std::string::npos);
}

TEST_CASE("start-up rewrites are compiled and checked") {
  Tables t("steps");
  fs::remove_all(fs::path(t.path()) / "schema/derived");
  t.write(
      "resolve/10-a.yaml",
      "- step: one\n  by: TransformerConfig\n  kind: default\n  releases: '>=0.4.2'\n  applies_to: [bridge]\n"
      "  when: model.kv_channels == null\n"
      "  set: {model.kv_channels: '=model.hidden_size / model.num_attention_heads', model.fp8_recipe: "
      "delayed}\n"
      "- step: two\n  by: mixed_precision {name}\n  kind: rewrite\n"
      "  copy: {from: mixed_precision, to: [model, optimizer], skip: [fp8]}\n");
  auto loaded = embed::load_schema(t.path());
  REQUIRE(loaded);
  auto pack = embed::load_resolve(t.path(), loaded->view());
  REQUIRE(pack);
  REQUIRE(pack->view().steps.size() == 2);
  const auto& one = pack->view().steps[0];
  CHECK(one.is_default);
  CHECK(one.layers == 1);
  CHECK_FALSE(schema::contains(one.releases, schema::Release::v0_3_1));
  CHECK(one.set.size() == 2);
  CHECK(pack->view().steps[1].copy_to.size() == 2);

  t.write(
      "resolve/10-a.yaml",
      "- step: one\n  by: x\n  kind: often\n  set: {model.kv_channel: 1}\n"
      "- step: two\n  by: x\n  kind: rewrite\n  set: {model.num_layers: few}\n"
      "- step: three\n  by: x\n  kind: rewrite\n  when: model.num_layers ==\n  set: {model.num_layers: 1}\n"
      "- step: four\n  by: x\n  kind: rewrite\n  copy: {from: nowhere, to: [model]}\n  set: "
      "{model.num_layers: 1}\n"
      "- {by: x, kind: rewrite, set: {}, applies_to: [everywhere]}\n");
  auto bad = embed::load_resolve(t.path(), loaded->view());
  REQUIRE_FALSE(bad);
  const auto& errors = bad.error();
  CHECK(reports(errors, "10-a.yaml", 3, "'kind'") != reports(errors, "10-a.yaml", 1, "'kind'"));
  CHECK(reports(errors, "10-a.yaml", 4, "did you mean 'model.kv_channels'?"));
  CHECK(reports(errors, "10-a.yaml", 8, "num_layers"));
  CHECK(reports(errors, "10-a.yaml", 12, ""));
  CHECK(reports(errors, "10-a.yaml", 17, "there is no section 'nowhere'"));
  CHECK(reports(errors, "10-a.yaml", 19, "needs a name"));
  CHECK(reports(errors, "10-a.yaml", 19, "'everywhere' is no layer"));
}
