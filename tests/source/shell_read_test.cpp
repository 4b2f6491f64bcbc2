#include <fstream>
#include <sstream>

#include "helpers.hpp"
#include "shell_text.hpp"

using namespace headroom::source;
using namespace headroom::source::test;

namespace {

const std::string folder = std::string(HEADROOM_SOURCE_DIR) + "/tests/data/shell/";

std::string content(const std::string& path) {
  const auto text = read_file(path);
  if (!text) FAIL(text.error().message);
  return (*text)->text();
}

Script must_read_shell(const std::string& text) {
  INFO(text);
  auto script = read_shell(text_of(text, "launch.sh"));
  if (!script) FAIL(describe(script.error()));
  return std::move(*script);
}

/// The words of all commands, as `a|b`, commands separated by ` ; `.
std::string words_of(const Script& script) {
  std::string out;
  for (const Command& command : script.commands) {
    if (!out.empty()) out += " ; ";
    for (const Word& word : command.words) {
      out += (&word == command.words.data() ? "" : "|") + word.text + (word.known ? "" : "?");
    }
  }
  return out;
}

std::string words_of(const std::string& text) {
  return words_of(must_read_shell(text));
}

std::string error_of(const std::string& text, const Limits& limits = {}) {
  const auto script = read_shell(text_of(text, "launch.sh"), limits);
  return script ? "none" : describe(script.error());
}

}  // namespace

TEST_CASE("scripts give their golden commands, places and remarks", "[shell]") {
  const auto name = GENERATE(as<std::string>{}, "megatron", "wrapped", "flow", "broken");
  const Script script = must_read_shell(content(folder + name + ".sh"));
  CHECK(describe(script) == content(folder + name + ".txt"));
}

TEST_CASE("words are what bash makes of them", "[shell]") {
  const Script script = must_read_shell(content(folder + "expansion.sh"));
  std::string ours;
  for (const Command& command : script.commands) {
    if (command.dead || command.words.front().text != "t") continue;
    ours += "t";
    for (std::size_t i = 1; i < command.words.size(); ++i) {
      ours += " <" + command.words[i].text + ">" + (command.words[i].known ? "" : "?");
    }
    ours += "\n";
  }
  CHECK(ours == content(folder + "expansion.words"));
}

TEST_CASE("every byte of a script with CRLF, tabs and a byte order mark has its place", "[shell]") {
  const Script script = must_read_shell(
      "\xEF\xBB\xBF"
      "A=\"1 \\\r\n\t2\"\r\nt $A \\\r\n\t--x 'p\r\nq' # c\r\nu\r\n");
  CHECK(words_of(script) == "t|1|2|--x|p\nq ; u");
  const Word& two = script.commands[0].words[2];
  CHECK(script.source->slice(two.span) == "2");
  CHECK(script.source->slice(two.use) == "$A");
  CHECK(two.exact);
}

TEST_CASE("a word points to its origin", "[shell]") {
  const auto place = [](const std::string& text, std::size_t word) {
    const Script script = must_read_shell(text);
    const Word& w = script.commands.back().words[word];
    return std::string(script.source->slice(w.span)) + (w.exact ? " exact" : " mixed");
  };
  CHECK(place("TP=4\nt $TP", 1) == "4 exact");
  CHECK(place("TP=\"4\"\nt \"$TP\"", 1) == "\"4\" exact");
  CHECK(place("t ${TP:-4}", 1) == "4 exact");
  CHECK(place("A=( --tp \"$TP\" )\nTP=1\nt ${A[@]}", 1) == "--tp exact");
  CHECK(place("N=4\nt a=$N", 1) == "a=$N mixed");
  CHECK(place("N=4\nA=(\"a=$N\")\nt \"${A[@]}\"", 1) == "\"a=$N\" mixed");
  CHECK(place("t $((2*3))", 1) == "$((2*3)) mixed");
  CHECK(place("S='x \"y z\"'\neval \"t $S\"", 2) == "\"y z\" exact");
}

TEST_CASE("part of a word has a place of its own", "[shell]") {
  const Script script = must_read_shell("N=4\nt a.b=$N 'c=[1,2]'");
  const Word& mixed = script.commands[0].words[1];
  const WordPlace value = place_of(mixed, 4, 5);
  CHECK(script.source->slice(value.span) == "4");
  CHECK(value.exact);
  CHECK(script.source->slice(place_of(mixed, 0, 3).span) == "a.b");
  const Word& quoted = script.commands[0].words[2];
  CHECK(script.source->slice(place_of(quoted, 2, 7).span) == "[1,2]");
}

TEST_CASE("what nobody set is unknown, not empty", "[shell]") {
  const Script script = must_read_shell("t $A \"$B\" x$C $(d) `e` $1 \"$@\"\n");
  for (std::size_t i = 1; i < script.commands[0].words.size(); ++i) {
    CHECK_FALSE(script.commands[0].words[i].known);
  }
  CHECK(script.commands[0].words[1].any_number);
  CHECK_FALSE(script.commands[0].words[2].any_number);
  CHECK_FALSE(script.commands[0].words[3].any_number);
  CHECK(script.commands[0].words[7].any_number);
  CHECK(words_of("unset A\nt $A \"$A\"") == "t|");
  CHECK(words_of("A=\nt $A \"$A\"") == "t|");
}

TEST_CASE("a default is an assumption of the words that use it, and of no others", "[shell]") {
  const Script script = must_read_shell("S=\"--tp ${TP:-4} --pp 2\"\nt $S");
  REQUIRE(script.assumptions == std::vector<std::string>{"TP is taken as its default 4"});
  CHECK(script.commands[0].words[2].assumptions == std::vector<std::uint32_t>{0});
  CHECK(script.commands[0].words[4].assumptions.empty());
}

TEST_CASE("an undecided branch keeps what was before", "[shell]") {
  CHECK(words_of("A=1\nif grep x; then A=2; fi\nt $A") == "grep|x ; t|1");
  CHECK(words_of("if grep x; then A=2; fi\nt $A") == "grep|x ; t|2");
  CHECK(words_of("if grep x; then A=2; else A=3; fi\nt \"$A\"") == "grep|x ; t|$A?");
  CHECK(words_of("if grep x; then A=$(b); else A=3; fi\nt \"$A\"") == "grep|x ; t|$A?");
  CHECK(words_of("if grep x; then A=2; else exit 1; fi\nt $A") == "grep|x ; t|2");
  CHECK(words_of("A=(1)\ngrep x && A+=(2)\ngrep y || A+=(3)\nt ${A[@]}") == "grep|x ; grep|y ; t|1|2");
  CHECK(words_of("A=(1)\n[ -f x ] && A+=(2)\nt ${A[@]}") == "t|1");
}

TEST_CASE("exports are the last values", "[shell]") {
  const Script script = must_read_shell(
      "A=1\nexport A B=2\nexport C\nA=3\n(export D=4)\nbash -c 'export E=5'\n"
      "export F=6\nunset F\ndeclare -x G='7 8'\n");
  std::string all;
  for (const Assignment& set : script.exports)
    all += set.name + "=" + set.value.text + (set.value.known ? " " : "? ");
  CHECK(all == "B=2 C=? A=3 G=7 8 D=4 E=5 ");
}

TEST_CASE("plain arguments are one command without a program", "[shell]") {
  const auto words = [](const std::string& text) {
    const auto script = read_words(text_of(text));
    return script ? words_of(*script) : describe(script.error());
  };
  CHECK(words("--tp 4 \\\n --pp 2\n--x 'a b' # no\n--y a;b|c (d) <e>\n") ==
        "--tp|4|--pp|2|--x|a b|--y|a;b|c|(d)|<e>");
  CHECK(words("--tp $TP ${PP:-2}") == "--tp|$TP?|2");
  CHECK(words("") == "");
  CHECK(words("--x 'a") == "1:5 unterminated quote `'`");
}

TEST_CASE("what is unterminated is an error with the place where it starts", "[shell]") {
  CHECK(error_of("a\n  b 'c\nd") == "2:5 unterminated quote `'`");
  CHECK(error_of("a \"b\n\nc") == "1:3 unterminated quote `\"`");
  CHECK(error_of("a `b") == "1:3 unterminated quote `` ` ``");
  CHECK(error_of("a $(b") == "1:3 unterminated `$(`");
  CHECK(error_of("a\nb ${X:-c") == "2:3 unterminated `${`");
  CHECK(error_of("A=(1 2\n3") == "1:3 unterminated `(`");
  CHECK(error_of("bash -c \"a 'b\"\nt") == "none");
}

TEST_CASE("hostile scripts end in an error soon", "[shell]") {
  std::string doubling = "A=xxxxxxxxxxxxxxxx\n";
  for (int i = 0; i < 60; ++i) doubling += "A=\"$A$A\"\n";
  CHECK(error_of(doubling).find("expands to more than") != std::string::npos);
  std::string calls = "f0() { t; }\n";
  for (int i = 1; i < 60; ++i) {
    calls +=
        "f" + std::to_string(i) + "() { f" + std::to_string(i - 1) + "; f" + std::to_string(i - 1) + "; }\n";
  }
  CHECK(error_of(calls + "f59\n").find("commands and words") != std::string::npos);
  const auto repeat = [](const std::string& text, int times) {
    std::string out;
    for (int i = 0; i < times; ++i) out += text;
    return out;
  };
  CHECK(error_of(repeat("${X:-", 500)).find("nested more than") != std::string::npos);
  CHECK(error_of(repeat("( ", 5000)).find("nested more than") != std::string::npos);
  CHECK(error_of(repeat("if x; then\n", 5000)).find("nested more than") != std::string::npos);
  CHECK(error_of("eval eval " + repeat("f() { f; f; }; f\n", 2000)) == "none");
  CHECK(error_of(std::string(2u << 20, 'a')).find("is not read") != std::string::npos);
  CHECK(error_of(std::string("a\0b", 3)).find("NUL") != std::string::npos);
  // Mistakes inside mistakes are read once each.
  CHECK(error_of(repeat("case a in b)\n", 60) + repeat("fi ", 60)) == "none");
  CHECK(error_of("t " + repeat("{", 500'000)) == "none");
}
