#include "helpers.hpp"
#include "shell_text.hpp"

using namespace headroom::source;
using namespace headroom::source::test;

namespace {

Script script_of(const std::string& text) {
  INFO(text);
  auto script = read_shell(text_of(text, "launch.sh"));
  if (!script) FAIL(describe(script.error()));
  return std::move(*script);
}

std::string applied(const Script& script, const Result<std::vector<Edit>>& edits) {
  return edits ? apply_edits(*script.source, *edits) : "refused";
}

/// The first word with this text in the last command that has it.
WordId word(const Script& script, const std::string& text) {
  for (std::size_t c = script.commands.size(); c-- > 0;) {
    for (std::size_t w = 0; w < script.commands[c].words.size(); ++w) {
      if (script.commands[c].words[w].text == text) return {c, w};
    }
  }
  FAIL("no word " << text);
  return {};
}

struct Row {
  std::string before;
  std::string at;
  std::vector<std::string> words;  ///< replace: one; insert: all
  std::string after;
};

const Row replace_rows[] = {
    {"t --tp 4 --pp 4\n", "4", {"8"}, "t --tp 8 --pp 4\n"},
    {"t --x '4'\n", "4", {"8"}, "t --x '8'\n"},
    {"t --x \"4\"\n", "4", {"a b"}, "t --x \"a b\"\n"},
    {"t --x 4\n", "4", {"a b"}, "t --x 'a b'\n"},
    {"t --x 4\n", "4", {"it's"}, "t --x 'it'\\''s'\n"},
    {"t --x 4\n", "4", {""}, "t --x ''\n"},
    // at the origin
    {"TP=4 # four\nt --tp $TP\n", "4", {"8"}, "TP=8 # four\nt --tp $TP\n"},
    {"t --tp ${TP:-4}\n", "4", {"8"}, "t --tp ${TP:-8}\n"},
    {"TP=${TP:-\"4\"}\nA=(--tp $TP)\nt ${A[@]}\n", "4", {"8"}, "TP=${TP:-\"8\"}\nA=(--tp $TP)\nt ${A[@]}\n"},
    {"export TP=4\nt --tp $TP\n", "4", {"8"}, "export TP=8\nt --tp $TP\n"},
    {"S=\"--tp 4 --pp 2\"\nt $S\n", "4", {"8"}, "S=\"--tp 8 --pp 2\"\nt $S\n"},
    {"TP=4\necho tp $TP\nt --tp $TP\n", "4", {"8"}, "TP=8\necho tp $TP\nt --tp $TP\n"},
    // the same word in both branches
    {"A=(--tp 4)\nif x; then\n  t ${A[@]}\nelse\n  u ${A[@]}\nfi\n",
     "4",
     {"8"},
     "A=(--tp 8)\nif x; then\n  t ${A[@]}\nelse\n  u ${A[@]}\nfi\n"},
    // a variable with other uses: where it is used
    {"TP=4\nt --tp $TP --pp $TP\n", "4", {"8"}, "TP=4\nt --tp 8 --pp $TP\n"},
    {"TP=4\nu --other $TP\nt --tp $TP\n", "4", {"8"}, "TP=4\nu --other $TP\nt --tp 8\n"},
    {"TP=4\nA=(--tp $TP)\nt ${A[@]} --n $((TP * 2))\n",
     "4",
     {"8"},
     "TP=4\nA=(--tp 8)\nt ${A[@]} --n $((TP * 2))\n"},
    {"TP=4\nif [ $TP = 4 ]; then t --tp $TP; fi\n", "4", {"8"}, "TP=4\nif [ $TP = 4 ]; then t --tp 8; fi\n"},
    {"N=2\nt --n $((N * 4))\n", "8", {"16"}, "N=2\nt --n 16\n"},
    {"t --n $N\n", "$N", {"16"}, "t --n 16\n"},
    // behind `=`
    {"N=4\nt a.b=$N\n", "a.b=4", {"a.b=8"}, "N=8\nt a.b=$N\n"},
    {"t 'a.b=[1,2]'\n", "a.b=[1,2]", {"a.b=[3,4]"}, "t 'a.b=[3,4]'\n"},
    {"t 'a.b=1'\n", "a.b=1", {"a.b=[3,4]"}, "t 'a.b=[3,4]'\n"},
    {"t a.b=1\n", "a.b=1", {"a.b=[3,4]"}, "t a.b='[3,4]'\n"},
    {"t --tp=\"4\" x\n", "--tp=4", {"--tp=8"}, "t --tp=\"8\" x\n"},
    // strings of other shells
    {"bash -c 'cd x && t --tp 4'\n", "4", {"8"}, "bash -c 'cd x && t --tp 8'\n"},
    {"C=\"t --tp 4\"\nsrun bash -c \"$C\"\n", "4", {"8"}, "C=\"t --tp 8\"\nsrun bash -c \"$C\"\n"},
    {"bash <<E\nt --tp 4\nE\n", "4", {"8"}, "bash <<E\nt --tp 8\nE\n"},
    {"bash -c 't --tp 4'\n", "4", {"a b"}, "bash -c 't --tp \"a b\"'\n"},
};

const Row remove_rows[] = {
    {"t --a 1 --b --c\n", "--b", {"."}, "t --a 1 --c\n"},
    {"t --a 1 --b 2\n", "--b", {".", "."}, "t --a 1\n"},
    {"t x \\\n  --a 1 \\\n  --b 2 \\\n  --c\n", "--b", {".", "."}, "t x \\\n  --a 1 \\\n  --c\n"},
    {"t x \\\n  --a 1 \\\n  --c\nu\n", "--c", {"."}, "t x \\\n  --a 1\nu\n"},
    {"t x \\\n  --a \\\n  1 \\\n  --c\n", "--a", {".", "."}, "t x \\\n  --c\n"},
    {"t x \\\r\n  --a 1 \\\r\n  --c\r\n", "--a", {".", "."}, "t x \\\r\n  --c\r\n"},
    {"A=(\n  --a 1  # one\n  --b\n)\nt ${A[@]}\n", "--a", {".", "."}, "A=(\n  --b\n)\nt ${A[@]}\n"},
    {"A=(--a)\nt ${A[@]}\n", "--a", {"."}, "A=()\nt ${A[@]}\n"},
    {"TP=4\nA=(\n  --tp $TP\n  --b\n)\nt ${A[@]}\n", "--tp", {".", "."}, "TP=4\nA=(\n  --b\n)\nt ${A[@]}\n"},
    {"A=(\n  \"--a 1\"\n  \"--b 2\"\n)\nt ${A[@]}\n",
     "--b",
     {".", "."},
     "A=(\n  \"--a 1\"\n  \"\"\n)\nt ${A[@]}\n"},
    {"S=\" \\\n  --a 1 \\\n  --b 2 \\\n\"\nt $S\n", "--b", {".", "."}, "S=\" \\\n  --a 1 \\\n\"\nt $S\n"},
    {"S=\"--a 1 --b 2\"\nt $S\n", "--a", {".", "."}, "S=\"--b 2\"\nt $S\n"},
    {"A=(--a)\nB=(1)\nt ${A[@]} ${B[@]}\n", "--a", {".", "."}, "A=(--a)\nB=(1)\nt\n"},
    {"bash -c 't --a 1 --b'\n", "--a", {".", "."}, "bash -c 't --b'\n"},
};

const Row insert_rows[] = {
    {"t --a 1\n", "1", {"--b", "2"}, "t --a 1 --b 2\n"},
    {"t x \\\n  --a 1 \\\n  --c\n", "1", {"--b", "2"}, "t x \\\n  --a 1 \\\n  --b 2 \\\n  --c\n"},
    {"t x \\\n  --a 1 \\\n  --c\nu\n",
     "--c",
     {"--b", "2", "--d"},
     "t x \\\n  --a 1 \\\n  --c \\\n  --b 2 \\\n  --d\nu\n"},
    {"t x \\\n  --a 1\n", "x", {"--b"}, "t x \\\n  --b \\\n  --a 1\n"},
    {"t x \\\r\n  --a 1\r\n", "1", {"--b"}, "t x \\\r\n  --a 1 \\\r\n  --b\r\n"},
    {"t x \\\n  --a 1 --c 2 \\\n  --d\n", "1", {"--b"}, "t x \\\n  --a 1 --b --c 2 \\\n  --d\n"},
    {"A=(\n  --a 1  # one\n  --c\n)\nt ${A[@]}\n",
     "1",
     {"--b", "2"},
     "A=(\n  --a 1  # one\n  --b 2\n  --c\n)\nt ${A[@]}\n"},
    {"A=(--a 1)\nt ${A[@]}\n", "1", {"--b"}, "A=(--a 1 --b)\nt ${A[@]}\n"},
    {"TP=4\nA=(\n  --tp $TP\n)\nt ${A[@]}\n", "4", {"--b"}, "TP=4\nA=(\n  --tp $TP\n  --b\n)\nt ${A[@]}\n"},
    {"S=\" \\\n  --a 1 \\\n  --c\"\nt $S\n",
     "--c",
     {"--b"},
     "S=\" \\\n  --a 1 \\\n  --c \\\n  --b\"\nt $S\n"},
    {"S=\"--a 1 --c\"\nt $S --d\n", "1", {"--b"}, "S=\"--a 1 --b --c\"\nt $S --d\n"},
    {"t x \\\n    a.b=1 \\\n    c.d=2 $@\n",
     "a.b=1",
     {"e=[1,2]"},
     "t x \\\n    a.b=1 \\\n    'e=[1,2]' \\\n    c.d=2 $@\n"},
    {"bash -c \"t --a 1\"\n", "1", {"--b"}, "bash -c \"t --a 1 --b\"\n"},
    {"A=(--a 1)\nt ${A[@]}\n", "1", {"--b", "x y"}, "A=(--a 1)\nt ${A[@]} --b 'x y'\n"},
    {"A=(--a 1 --c)\nt ${A[@]}\n", "1", {"--b", "x y"}, "refused"},
};

}  // namespace

TEST_CASE("a word is replaced at its origin, or where it is used", "[shell]") {
  for (const Row& row : replace_rows) {
    INFO(row.before);
    const Script script = script_of(row.before);
    CHECK(applied(script, replace_word(script, word(script, row.at), row.words.front())) == row.after);
  }
}

TEST_CASE("words are removed with their line", "[shell]") {
  for (const Row& row : remove_rows) {
    INFO(row.before);
    const Script script = script_of(row.before);
    CHECK(applied(script, remove_words(script, word(script, row.at), row.words.size())) == row.after);
  }
}

TEST_CASE("words are inserted in the style around", "[shell]") {
  for (const Row& row : insert_rows) {
    INFO(row.before);
    const Script script = script_of(row.before);
    CHECK(applied(script, insert_words(script, word(script, row.at), row.words)) == row.after);
  }
}

TEST_CASE("the environment of a command is set where it is", "[shell]") {
  const auto set = [](const std::string& text, const std::string& value) {
    const Script script = script_of(text);
    return applied(script, set_environment(script, script.commands.size() - 1, "X", value));
  };
  CHECK(set("export X=1 # c\nt\n", "2") == "export X=2 # c\nt\n");
  CHECK(set("X=1\nexport X\nt\n", "2") == "X=2\nexport X\nt\n");
  CHECK(set("export X=${X:-1}\nt\n", "2") == "export X=${X:-2}\nt\n");
  CHECK(set("X=1 t a\n", "2") == "X=2 t a\n");
  CHECK(set("env X=1 t a\n", "2") == "env X=2 t a\n");
  CHECK(set("# c\nif a; then\n  t b\nfi\n", "2 3") == "# c\nif a; then\n  export X='2 3'\n  t b\nfi\n");
  CHECK(set("bash -c 't a'\n", "2") == "export X=2\nbash -c 't a'\n");
  CHECK(set("export X=2\nt\n", "2") == "export X=2\nt\n");
}

TEST_CASE("plain arguments are edited like a script", "[shell]") {
  const auto script = read_words(text_of("--a 1\n--b 'x' # c\n"));
  REQUIRE(script);
  CHECK(applied(*script, replace_word(*script, {0, 1}, "2")) == "--a 2\n--b 'x' # c\n");
  CHECK(applied(*script, remove_words(*script, {0, 0}, 2)) == "--b 'x' # c\n");
  CHECK(applied(*script, insert_words(*script, {0, 1}, {"--c", "3"})) == "--a 1\n--c 3\n--b 'x' # c\n");
  CHECK(applied(*script, insert_words(*script, {0, 3}, {"--c", "3"})) == "--a 1\n--b 'x' # c\n--c 3\n");
}

TEST_CASE("a word that does not exist is refused", "[shell]") {
  const Script script = script_of("t a\n");
  CHECK_FALSE(replace_word(script, {1, 0}, "x"));
  CHECK_FALSE(replace_word(script, {0, 2}, "x"));
  CHECK_FALSE(remove_words(script, {0, 1}, 2));
  CHECK_FALSE(insert_words(script, {0, 9}, {"x"}));
  CHECK_FALSE(set_environment(script, 4, "X", "1"));
}

TEST_CASE("quoting for a shell", "[shell]") {
  CHECK(shell_quote("a-b_c.d/e=1,2:%@+") == "a-b_c.d/e=1,2:%@+");
  CHECK(shell_quote("") == "''");
  CHECK(shell_quote("a b") == "'a b'");
  CHECK(shell_quote("$x*") == "'$x*'");
  CHECK(shell_quote("it's") == "'it'\\''s'");
}
