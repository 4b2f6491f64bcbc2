#include "helpers.hpp"

using namespace headroom::source;
using namespace headroom::source::test;

TEST_CASE("A span is exactly what is written") {
  struct Row {
    const char* text;
    const char* path;
    const char* slice;
  };
  const Row rows[] = {
      {"a: 1", "a", "1"},
      {"a:   1   # c\n", "a", "1"},
      {"a: x y  \nb: 2", "a", "x y"},
      {"a: 'it''s' # c", "a", "'it''s'"},
      {"a: \"q\\\"q\"", "a", "\"q\\\"q\""},
      {"a: \"two\n  lines\"\nb: 1", "a", "\"two\n  lines\""},
      {"a: two\n  lines\nb: 1", "a", "two\n  lines"},
      {"a: two\n\n  lines  # c\nb: 1", "a", "two\n\n  lines"},
      {"a: |\n  t\n  u\n\nb: 1", "a", "|\n  t\n  u"},
      {"a: >- # c\n  t\n    u\n\n  v\nb: 1", "a", ">- # c\n  t\n    u\n\n  v"},
      {"a: |2\n    t\nb: 1", "a", "|2\n    t"},
      {"a:\n  - |\n   t\n  - x", "a.0", "|\n   t"},
      {"a: |\nb: 1", "a", "|"},
      {"a: [1, [2, 3] , {b: c}] # d", "a", "[1, [2, 3] , {b: c}]"},
      {"a: [1, # c ]\n  2,\n ]\nb: 1", "a", "[1, # c ]\n  2,\n ]"},
      {"a: {b: {c: d}, e}\n", "a.b", "{c: d}"},
      {"a: {b: {c: d}, e }\n", "a", "{b: {c: d}, e }"},
      {"a: []", "a", "[]"},
      {"a: { }", "a", "{ }"},
      {"a:\n  b: 1\n  c: 2\nd: 3", "a", "b: 1\n  c: 2"},
      {"a:\n- 1\n- 2\nd: 3", "a", "- 1\n- 2"},
      {"a:\n- 1\n-\nd: 3", "a", "- 1\n-"},
      {"a: !!str 5", "a", "5"},
      {"a: &x 5", "a", "5"},
      {"a: &x !!str \"5\"", "a", "\"5\""},
      {"a: &x\n  b: 1\nc: *x", "a", "b: 1"},
      {"a: &x [1]\nc: *x", "c", "*x"},
      {"a: &x [1]\nc: *x", "c.0", "*x"},
      {"a:", "a", ""},
      {"a: null", "a", "null"},
      {"a: ~ # c", "a", "~"},
      {"a: &x null", "a", "null"},
      {"a: [null, ~]", "a.1", "~"},
      {"\xEF\xBB\xBF"
       "a: x\n",
       "a", "x"},
      {"a: 1\r\nb: two\r\n  lines\r\nc: 3", "b", "two\r\n  lines"},
      {"é: ü\nb: ö", "b", "ö"},
      {"[{a: b}: c, [d]: e]", "0", ""},
      {"- [a: b, c]", "0.0", "a: b"},
      {"- {a: b,}", "0", "{a: b,}"},
      {"--- # c\na: b\n...\n", "a", "b"},
      {"%YAML 1.1\n---\na: b", "a", "b"},
      {"a: !<tag:yaml.org,2002:str> b", "a", "b"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.text, row.path);
    auto doc = read(row.text);
    if (*row.slice == '\0' && !doc) continue;  // complex keys are refused
    REQUIRE(doc);
    CHECK(slice_at(*doc, row.path) == row.slice);
  }
}

TEST_CASE("Keys have spans too") {
  const Document doc = must_read("a: 1\n'b c': 2\n\"d\" : 3\n? e\n: 4\n&x f: 5\n!!str 6: 7\n");
  const char* expected[] = {"a", "'b c'", "\"d\"", "e", "f", "6"};
  const auto& members = doc.node(doc.root).members;
  REQUIRE(members.size() == 6);
  for (std::size_t i = 0; i < 6; ++i) CHECK(doc.source->slice(doc.node(members[i].key).span) == expected[i]);
}

TEST_CASE("An absent value is empty, at the end of its colon") {
  const std::string text = "a:\nnull: 3\nb: # c\nc: {d: , e, f: }\ng:\n -\n -\n";
  const Document doc = must_read(text);
  CHECK(doc.node(at(doc, "a")).span == Span{2, 2});
  CHECK(value_at(doc, "a") == "null");
  CHECK(value_at(doc, "null") == "int 3");
  for (const char* path : {"b", "c.d", "c.e", "c.f", "g.0", "g.1"}) {
    CAPTURE(path);
    const Span span = doc.node(at(doc, path)).span;
    CHECK(span.empty());
    const char before = text[span.begin - 1];
    CHECK((before == ':' || before == 'e' || before == '-'));
  }
}

TEST_CASE("Positions count lines and code points from 1") {
  const SourceText text("t",
                        "\xEF\xBB\xBF"
                        "aé: x\r\nb: y");
  CHECK(text.line_count() == 2);
  CHECK(text.line(1).ends_with("x"));
  CHECK(text.line(2) == "b: y");
  CHECK(text.line(3).empty());
  CHECK(text.position(3) == Position{1, 1});
  CHECK(text.position(8) == Position{1, 5});
  CHECK(text.position(11) == Position{2, 1});
  CHECK(text.position(999) == Position{2, 5});
}

TEST_CASE("Quotes and styles make strings, tags what they say") {
  const Document doc = must_read(
      "a: '1'\nb: \"yes\"\nc: |\n  1\nd: !!str 1\ne: !!int '7'\nf: !!float 1\ng: !!bool 'on'\n"
      "h: !!null x\ni: ! 5\nj: !!set {x, y}\n");
  CHECK(value_at(doc, "a") == "string 1");
  CHECK(value_at(doc, "b") == "string yes");
  CHECK(value_at(doc, "c") == "string 1\n");
  CHECK(value_at(doc, "d") == "string 1");
  CHECK(value_at(doc, "e") == "int 7");
  CHECK(value_at(doc, "f") == "float 1.0");
  CHECK(value_at(doc, "g") == "bool true");
  CHECK(value_at(doc, "h") == "null");
  CHECK(value_at(doc, "i") == "int 5");
  CHECK(value_at(doc, "j") == "opaque");
  CHECK(doc.node(at(doc, "j")).tag == "!!set");
  CHECK(doc.node(at(doc, "a")).style == ScalarStyle::single_quoted);
  CHECK(doc.node(at(doc, "c")).style == ScalarStyle::literal);
  CHECK(doc.remarks.empty());
}

TEST_CASE("A sequence of scalars and lists is a list, with a mapping in it opaque") {
  const Document doc = must_read("a: [1, x, [2, null]]\nb: [{c: 1}]\nc: []\nd:\n- 1\n-\n");
  CHECK(value_at(doc, "a") == "list [1, x, [2, null]]");
  CHECK(value_at(doc, "b") == "opaque");
  CHECK(value_at(doc, "c") == "list []");
  CHECK(value_at(doc, "d") == "list [1, null]");
  CHECK(doc.node(at(doc, "a")).flow);
  CHECK_FALSE(doc.node(at(doc, "d")).flow);
}

TEST_CASE("Merge keys are expanded, the mapping's own keys win") {
  const Document doc = must_read(
      "base: &b {x: 1, y: 2}\nother: &o {y: 3, z: 4}\n"
      "one:\n  <<: *b\n  y: 9\nmany: {<<: [*b, *o], w: 0}\nchain: &c {<<: *o, z: 5}\nlast: {<<: *c}\ninline: "
      "{<<: {x: 7}}\n"
      "quoted: {'<<': 1}\n");
  CHECK(value_at(doc, "one.x") == "int 1");
  CHECK(value_at(doc, "one.y") == "int 9");
  CHECK(doc.node(at(doc, "one")).members.size() == 2);
  CHECK(value_at(doc, "many.y") == "int 2");
  CHECK(value_at(doc, "many.z") == "int 4");
  CHECK(value_at(doc, "many.w") == "int 0");
  CHECK(value_at(doc, "last.z") == "int 5");
  CHECK(value_at(doc, "last.y") == "int 3");
  CHECK(value_at(doc, "inline.x") == "int 7");
  CHECK(value_at(doc, "quoted.<<") == "int 1");
  CHECK(doc.node(at(doc, "one.x")).alias);
  CHECK_FALSE(doc.node(at(doc, "one.y")).alias);
  CHECK(slice_at(doc, "one.x") == "*b");
}

TEST_CASE("The last of equal keys counts for PyYAML; OmegaConf refuses them") {
  const std::string text = "a: 1\nb: 2\na: 3\n";
  const Document doc = must_read(text);
  CHECK(value_at(doc, "a") == "int 3");
  REQUIRE(doc.remarks.size() == 1);
  CHECK(doc.remarks[0].kind == Remark::Kind::duplicate_key);
  CHECK(doc.remarks[0].span == Span{0, 1});
  const auto refused = read(text, Loader::omega_conf);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().location.start == Position{3, 1});
  CHECK(read("1: a\n1: b\n", Loader::omega_conf));  // only string keys are compared
  CHECK(must_read("1: a\n'1': b\n").remarks.empty());
  std::string wide;
  for (int i = 0; i < 40; ++i) wide += "k" + std::to_string(i % 39) + ": 1\n";
  CHECK(must_read(wide).remarks.size() == 1);
}

TEST_CASE("Remarks name what a reader would not expect") {
  struct Row {
    const char* text;
    Loader loader;
    std::vector<Remark::Kind> kinds;
  };
  using K = Remark::Kind;
  const Row rows[] = {
      {"a: 3e-4", Loader::py_yaml, {K::number_is_string}},
      {"a: 3e-4", Loader::omega_conf, {}},
      {"a: '3e-4'", Loader::py_yaml, {}},
      {"a: 1e5", Loader::py_yaml, {K::number_is_string}},
      {"a: 0o10", Loader::omega_conf, {K::number_is_string}},
      {"a: inf", Loader::py_yaml, {K::number_is_string}},
      {"a: 010", Loader::py_yaml, {K::surprising_scalar}},
      {"a: 1_000", Loader::omega_conf, {K::surprising_scalar}},
      {"a: 12:30", Loader::py_yaml, {K::surprising_scalar}},
      {"a: yes", Loader::py_yaml, {K::surprising_scalar}},
      {"a: off", Loader::py_yaml, {K::surprising_scalar}},
      {"a: [true, False, 1, 0.5, 0, 3.0e-4, x, null, 1.5e-3]", Loader::py_yaml, {}},
      {"a: 1\n---\nb: 2", Loader::py_yaml, {K::more_documents}},
      {"a: 1\n...\n", Loader::py_yaml, {}},
      {"a: !!python/object:os.system x", Loader::py_yaml, {K::unknown_tag}},
      {"a: !foo [1]", Loader::py_yaml, {K::unknown_tag}},
      {"a: !!int x", Loader::py_yaml, {K::unknown_tag}},
      {"a: !!map [1]", Loader::py_yaml, {K::unknown_tag}},
      {"a: !!timestamp 2024-01-01\nb: !!binary aGk=", Loader::py_yaml, {}},
      {"a: ${oc.env:X}", Loader::py_yaml, {K::interpolation}},
  };
  for (const Row& row : rows) {
    CAPTURE(row.text);
    const Document doc = must_read(row.text, row.loader);
    std::vector<K> kinds;
    for (const Remark& remark : doc.remarks) {
      kinds.push_back(remark.kind);
      CHECK_FALSE(remark.text.empty());
    }
    CHECK(kinds == row.kinds);
  }
}

TEST_CASE("A file without content has no root") {
  for (const char* text : {"", "\n\n", "# only a comment\n", "\xEF\xBB\xBF", "  "}) {
    CAPTURE(text);
    CHECK(must_read(text).root == no_node);
  }
  CHECK(value_at(must_read("---\n"), "") == "null");
}

TEST_CASE("What Python's loaders refuse is an error with a place") {
  struct Row {
    const char* text;
    const char* where;
  };
  const Row rows[] = {
      {"a: 1\nfoo\n", "2:1 `:` is missing"},
      {"a: b: c\n", "1:5 "},
      {"a: [1, 2\nb: 3\n", ""},
      {"a: {b: 1\n", ""},
      {"a: 'open\n", "1:4 a quoted text is never closed"},
      {"a: \"open\n  \n", ""},
      {"a:\n\tb: 1\n", "2:1 a tab in the indentation"},
      {"a:\n  b: 1\n\tc: 2\n", "3:1 a tab"},
      {"a:\t1\n", "1:3 a tab outside quotes"},
      {"a: 1\t# c\n", "1:5 a tab"},
      {"a: *nope\n", "1:4 "},
      {"a: &x [*x]\n", "1:8 this alias stands inside"},
      {"a: &x 1\nb: &x 2\n", "2:4 the anchor `x` is given twice"},
      {"{a: 1}: 2\n", "1:1 a list or a mapping as a key"},
      {"[a]: 2\n", "1:1 a list or a mapping as a key"},
      {": v\n", "1:1 a key is missing"},
      {"a: =\n", "1:4 PyYAML"},
      {"<<: 5\n", "1:5 `<<` takes"},
      {"a: @x\n", "1:4 a value cannot begin"},
      {"a: 1\n]\n", "2:1 "},
      {"[a] b\n", "1:5 text behind the end"},
      {"a: \x01\n", "1:4 control character 0x01"},
      {"# old\rmodel: {}\r", "1:6 a carriage return without a line feed"},
      {"a: \xEF\xBF\xBF\n", "1:4 a control character"},
      {"a: \"\\q\"\n", "1:"},
      {" a: 1\nb: 2\n", "2:1 "},
      {"a: 1\n b: 2\n", "2:"},
      {"- 1\nb: 2\n", "2:1 "},
      {"%FOO\na: 1\n", "1:1 a directive"},
  };
  for (const Row& row : rows) {
    for (const Loader loader : {Loader::py_yaml, Loader::omega_conf}) {
      CAPTURE(row.text);
      const auto doc = read(row.text, loader);
      REQUIRE_FALSE(doc);
      CHECK(doc.error().has_location);
      CHECK(doc.error().source == "test.yaml");
      CHECK_THAT(describe(doc.error()), Catch::StartsWith(row.where));
    }
  }
}

TEST_CASE("Tabs are fine in quotes, comments and block texts") {
  const Document doc = must_read("a: 'x\ty' # c\td\n#\te\nb: |\n  x\ty\n\nc: \"z\t\"\n");
  CHECK(value_at(doc, "a") == "string x\ty");
  CHECK(value_at(doc, "c") == "string z\t");
}

TEST_CASE("The loader is told by name and content") {
  const auto loader_of = [](const char* name, const char* text) {
    return detect_loader(SourceText(name, text));
  };
  CHECK(loader_of("a.json", "a: 1") == Loader::json);
  CHECK(loader_of("-", "{\"a\": 1}") == Loader::json);
  CHECK(loader_of("-", " {}") == Loader::json);
  CHECK(loader_of("a.yaml", "{\"lr\": 1e-5}") == Loader::omega_conf);
  CHECK(loader_of("-", "{model: {a: 1}}") == Loader::omega_conf);
  CHECK(loader_of("a.yaml", "model:\n  _target_: x\n") == Loader::py_yaml);
  CHECK(loader_of("a.yaml", "model:\n    a: 1\n    _target_: x\n") == Loader::py_yaml);
  CHECK(loader_of("a.yaml", "_target_: x\n") == Loader::py_yaml);
  CHECK(loader_of("a.yaml", "model: {a: 1, _target_: x}\n") == Loader::py_yaml);
  CHECK(loader_of("a.yaml", "model:\n  init:\n    _target_: x\n") == Loader::omega_conf);
  CHECK(loader_of("a.yaml", "# _target_: x\nmodel:\n  a: _target_\n") == Loader::omega_conf);
}

TEST_CASE("Interpolations") {
  const Document doc = must_read(
      "a: {b: 1, c: '${.b}', d: {e: '${..b}', f: '${a.b}'}}\n"
      "list: [x, '${list[0]}', \"${list.0}-${a.b}\", '${.1}']\n"
      "text: v${a.b}/${flag}/${none}/${half}\nflag: true\nnone: null\nhalf: 0.5\n"
      "copy: ${a.d}\ncopied: ${copy.e}\nkey: b\nnested: ${a.${key}}\nescaped: '\\${a.b}'\n"
      "env: ${oc.env:HOME}\nuses: x${env}\nmissing: ${nope.x}\nloop: ${pool}\npool: ${loop}\nself: {a: "
      "'${self}'}\n"
      "open: 'x${a'\nwhole_list: ${list}\nno_text: x${a}\n");
  CHECK(value_at(doc, "a.c") == "int 1");
  CHECK(value_at(doc, "a.d.e") == "int 1");
  CHECK(value_at(doc, "a.d.f") == "int 1");
  CHECK(value_at(doc, "list") == "list [x, x, x-1, x]");
  CHECK(value_at(doc, "text") == "string v1/True/None/0.5");
  CHECK(value_at(doc, "copy") == "opaque");
  CHECK(value_at(doc, "copy.f") == "int 1");
  CHECK(value_at(doc, "copied") == "int 1");
  CHECK(value_at(doc, "nested") == "int 1");
  CHECK(value_at(doc, "escaped") == "string ${a.b}");
  CHECK(value_at(doc, "whole_list") == "list [x, x, x-1, x]");
  for (const char* path : {"env", "uses", "missing", "loop", "pool", "self.a", "open", "no_text"}) {
    CAPTURE(path);
    CHECK(value_at(doc, path) == "unknown");
    const NodeId id = at(doc, path);
    const auto about = [&](const Remark& r) { return r.kind == Remark::Kind::interpolation && r.node == id; };
    CHECK(std::count_if(doc.remarks.begin(), doc.remarks.end(), about) == 1);
  }
}
