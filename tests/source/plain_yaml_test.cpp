// The fast path must build the very Document that yaml-cpp's events build, or leave the text alone.
#include "../../src/source/plain_yaml.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>

#include "helpers.hpp"

namespace headroom::source {
namespace {

using test::describe;
using test::text_of;
using test::typed;

void describe_node(const Document& doc, NodeId id, std::string& out) {
  const Node& node = doc.node(id);
  out += std::to_string(static_cast<int>(node.kind)) + std::to_string(static_cast<int>(node.style));
  out += " " + std::to_string(node.span.begin) + "-" + std::to_string(node.span.end) + " tag " + node.tag;
  out += " text " + node.text + " = " + typed(node.value) + (node.alias ? " alias" : "") +
         (node.flow ? " flow" : "");
  out += "\n";
  for (const NodeId item : node.items) describe_node(doc, item, out);
  for (const Member& member : node.members) {
    describe_node(doc, member.key, out);
    describe_node(doc, member.value, out);
  }
  out += ".\n";
}

/// All that a Document or an Error says.
std::string everything(const Result<Document>& doc) {
  if (!doc) return "error " + describe(doc.error());
  std::string out = std::to_string(doc->nodes.size()) + " nodes\n";
  if (doc->root != no_node) describe_node(*doc, doc->root, out);
  for (const Remark& remark : doc->remarks) {
    out += std::to_string(static_cast<int>(remark.kind)) + " " + std::to_string(remark.span.begin) + "-" +
           std::to_string(remark.span.end) + " " + std::to_string(remark.node) + " " + remark.text + "\n";
  }
  return out;
}

bool is_plain(const std::string& text) {
  Document doc;
  doc.source = text_of(text);
  const Limits limits;
  YamlBuilder builder(doc, limits, 0);
  try {
    return deliver_plain_yaml(doc.source->text(), builder);
  } catch (const ReadingStopped&) {
    return false;
  }
}

/// Whether the two paths agree; tells about the first text where they do not.
bool same(const std::string& text, Loader loader, const Limits& limits = {}) {
  const std::string fast = everything(read_yaml_with(YamlParser::fastest, text_of(text), loader, limits));
  const std::string slow = everything(read_yaml_with(YamlParser::library, text_of(text), loader, limits));
  if (fast == slow) return true;
  UNSCOPED_INFO("text:\n" << text << "\n--- fast:\n" << fast << "\n--- library:\n" << slow);
  return false;
}

std::string content(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream out;
  out << in.rdbuf();
  return out.str();
}

std::vector<std::string> files_below(const char* folder) {
  std::vector<std::filesystem::path> paths;
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator(std::string(HEADROOM_SOURCE_DIR) + folder)) {
    const auto extension = entry.path().extension();
    if (entry.is_regular_file() && (extension == ".yaml" || extension == ".yml"))
      paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());
  std::vector<std::string> texts;
  for (const auto& path : paths) texts.push_back(content(path));
  return texts;
}

/// Texts that the fast path reads itself.
const std::vector<std::string>& plain_texts() {
  static const std::vector<std::string> texts = {
      "a: 1\n",
      "a: 1",
      "a:\n",
      "a:",
      "a: # c",
      "a:   \nb: null\nc: ~\n",
      "a:\n  b:\n    c: 1\n  d: x\ne: yes\n",
      "a:\r\n  b: 1\r\n\r\nc: 3e-4\r\n",
      "# head\n\na: 1 # why\n# about b\nb: 0x10\n  \nc: 012\n# tail",
      "a:\n  # above the first\n  b: 1\n  # after\nc: 2\n",
      "a:\n      # deeper than the key\n  b: 1\n",
      "a: 'x: y # z'\nb: \"p, q\"\nc: ''\nd: \"\"\ne: ' s '\n",
      "a: []\nb: {}\nc: [1, 2.5, x, 'y', \"z\", null]\nd: [a,b]\n",
      "a: [] # c\nb: {} # d\n",
      "a: {b: 1, c: x.y, d: [1, {e: 'f'}], g: {}, 1: null}\nb: [[1, 2], [3]]\nc: {d: 1, d: 2}\n",
      "a:\n- 1\n- x y\n- 'q'\nb: 2\n",
      "a:\n  - 1\n  - [1, 2]\n  - {}\nb: 2\n",
      "a:\n- b: 1\n  c: 2\n- d:\n    e: 3\n  f:\n- g:\n  - 1\n  - 2\nh: 1\n",
      "a:\n- - 1\n  - 2\n- - 3\n  - - b: 4\n      c: 5\n    - 6\nb: 1\n",
      "a:\n-   b: 1\n    c: 2\n",
      "a:\n- b\n# between\n- c\n",
      "a: ${b}\nb: 7\nc: ${oc.env:HOME}\nd: x${b}y\ne: ---\n",
      "a: 1\nb: 2\na: 3\n",
      "a:\n  1: x\n  true: y\n  null: z\n",
      "a: http://x.y:80/z?q=#r\nb: -1\nc: +.5\nd: .inf\ne: 12:30\nf: 1_000\n",
      "a.b: 1\nc/d: 2\ne-f: 3\n_target_: x.Y\n",
      "a: b:c\nd: e#f\ng: (h) <i> =j\n",
      "a: off\nb: 1e5\nc: 1.0e+5\nd: 010\n",
  };
  return texts;
}

/// Texts that are yaml-cpp's, errors included.
const std::vector<std::string>& other_texts() {
  static const std::vector<std::string> texts = {
      "",
      "\n",
      "# c\n",
      "x\n",
      "- a\n",
      "---\na: 1\n",
      "a: 1\n---\nb: 2\n",
      "a: 1\n...\n",
      "%YAML 1.1\n---\na: 1\n",
      "a: &x 1\nb: *x\n",
      "a: !!str 1\n",
      "a: |\n  x\n",
      "a: >\n  x\n",
      "a: x\n  y\n",
      "a: 'x\n  y'\n",
      "a: \"x\\n\"\n",
      "a: 'it''s'\n",
      "a:\t1\n",
      "a:\n\tb: 1\n",
      "? a\n: b\n",

      "a: [b: 1]\n",
      "a: [1,\n 2]\n",
      "a: [1, 2\n",
      "a: {b: 1\n",
      "a: {b:1}\n",
      "a: {b}\n",
      "a: {b: 1,}\n",
      "a: {b: 1]\n",
      "a: {[b]: 1}\n",
      "a: {b: }\n",
      "{a: 1}\n",
      "a: b: c\n",
      "a: 'b': c\n",
      "a: b:\n",
      "a\n",
      "a:\n  b\n",
      "a:\n  b: 1\n c: 2\n",
      "a:\n    b: 1\n  c: 2\n",
      " a: 1\n",
      "a: 1\n  b: 2\n",
      "a:\n- 1\n  - 2\n",

      "a:\n-\n- b\n",
      "a:\n  - 1\n - 2\n",
      "a: - 1\n",
      "a: -\n",
      "a: *\n",
      "a: @x\n",
      "a: `x\n",
      "a: %x\n",
      "a: =\n",
      "a: <<\n",
      "<<: {a: 1}\n",
      "a: \xC3\xA9\n",
      "\xEF\xBB\xBF"
      "a: 1\n",
      "a: 1\rb: 2\n",
      "a: x\n  # deeper\nb: 1\n",
      "a: [ 1 ]\n",
      "a: [1, ]\n",
      "a: [,]\n",
      "a: [-]\n",

      "a: []x\n",
      "a: {}x\n",
      "a: []#x\n",
      "a: 'x'y\n",
      "a:b\n",
      "a :1\n",
      "a : 1\n",
      "a b: 1\n",
      "'a': 1\n",
      "\"a\": 1\n",
      "a: ? b\n",
      "a: !x\n",
      "a: ,\n",
      "a: ]\n",
      "a:\n- b: 1\n c: 2\n",
      "a:\n- b: 1\n   c: 2\n",
      "a:\n- b\nc\n",
      "a: 1\n- b\n",
      "a: 1\n...: 2\n",
      "a: [${b}]\nb: 1\n",
  };
  return texts;
}

void mutate(std::string& text, std::mt19937& random) {
  static constexpr std::string_view pieces[] = {
      " ",   "  ", "\n",  "\r\n", "\t",     ":",  ": ", "- ",  "-",    "#",  " #",  "'", "\"",      "[",
      "]",   "{",  "}",   ", ",   "?",      "|",  ">",  "&a ", "*a",   "!",  "a",   "0", "~",       "${",
      "\\n", "%",  "---", "...",  "a: 1\n", "''", "=",  "<<",  "null", "\r", "yes", "é", "- a: b\n"};
  const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random()) % n; };
  const std::size_t place = below(text.size() + 1);
  const std::string_view piece = pieces[below(std::size(pieces))];
  switch (below(4)) {
    case 0:
      text.insert(place, piece);
      break;
    case 1:
      text.erase(place, 1 + below(3));
      break;
    case 2:
      text.replace(place, std::min<std::size_t>(1, text.size() - place), piece);
      break;
    default: {  // a line moves
      const std::size_t start =
          text.rfind('\n', place) == std::string::npos ? 0 : text.rfind('\n', place) + 1;
      const std::size_t end = std::min(text.find('\n', start), text.size() - 1) + 1;
      if (start >= text.size()) break;
      const std::string line = text.substr(start, end - start);
      if (below(2) == 0) text.erase(start, line.size());
      text.insert(text.find('\n', below(text.size() + 1)) + 1, line);
    }
  }
}

}  // namespace

TEST_CASE("plain YAML: read without yaml-cpp, to the same document") {
  for (const std::string& text : plain_texts()) {
    INFO(text);
    CHECK(is_plain(text));
    for (const Loader loader : {Loader::py_yaml, Loader::omega_conf}) CHECK(same(text, loader));
  }
}

TEST_CASE("plain YAML: everything else goes to yaml-cpp") {
  for (const std::string& text : other_texts()) {
    INFO(text);
    CHECK_FALSE(is_plain(text));
    for (const Loader loader : {Loader::py_yaml, Loader::omega_conf}) CHECK(same(text, loader));
  }
}

TEST_CASE("plain YAML: limits hold on both paths") {
  std::string deep;
  for (std::size_t i = 0; i < 120; ++i) deep += std::string(i, ' ') + "a:\n";
  CHECK(same(deep, Loader::py_yaml));
  std::string wide;
  for (int i = 0; i < 200; ++i) wide += "k" + std::to_string(i) + ": 1\n";
  CHECK(same(wide, Loader::py_yaml, {.nodes = 300}));
  CHECK(same("a: " + std::string(2000, 'x') + "\n", Loader::py_yaml));
  CHECK(same(std::string(2000, 'k') + ": 1\n", Loader::py_yaml));
  CHECK(same("a: 1\n" + std::string(300U << 10U, '\n') + "b: 2\n", Loader::py_yaml));
}

TEST_CASE("plain YAML: examples and saved configs") {
  std::size_t plain = 0;
  std::vector<std::string> texts = files_below("/examples");
  for (std::string& text : files_below("/tests/data")) texts.push_back(std::move(text));
  for (const std::string& text : texts) {
    if (is_plain(text)) ++plain;
    for (const Loader loader : {Loader::py_yaml, Loader::omega_conf}) CHECK(same(text, loader));
  }
  CHECK(plain * 2 > texts.size());  // else it would not be worth having
}

TEST_CASE("plain YAML: mutated texts") {
  std::mt19937 random(20240229);  // NOLINT: the same texts in every run
  std::vector<std::string> seeds = plain_texts();
  for (const std::string& text : files_below("/examples")) seeds.push_back(text.substr(0, 600));
  std::size_t plain = 0;
  bool fine = true;
  for (int i = 0; i < 20'000 && fine; ++i) {
    std::string text = seeds[random() % seeds.size()];
    for (std::size_t n = 1 + random() % 3; n > 0; --n) mutate(text, random);
    if (is_plain(text)) ++plain;
    fine = same(text, i % 2 == 0 ? Loader::py_yaml : Loader::omega_conf);
  }
  CHECK(fine);
  CHECK(plain > 2000);
}

}  // namespace headroom::source
