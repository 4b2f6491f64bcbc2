// Launch scripts as people write them (bash): the commands they would run, as words with a place for each.
// Nothing is executed. What cannot be told from the text alone is unknown and listed.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "headroom/source/document.hpp"
#include "headroom/source/edit.hpp"
#include "headroom/source/error.hpp"
#include "headroom/source/span.hpp"

namespace headroom::source {

inline constexpr std::uint32_t no_command = 0xffffffff;

/// A stretch of a word's text that has one origin, and the way from there to the command.
struct WordPiece {
  std::uint32_t begin = 0;  ///< bytes [begin, end) of Word::text
  std::uint32_t end = 0;
  /// Where these bytes stand, from the command inwards: `${ARGS[@]}` in the command, `$TP` in the array ARGS,
  /// last the characters themselves (`4` in `TP=4`). Never empty. `outer` is the same with the quotes that
  /// open before the first and close behind the last byte.
  struct Site {
    Span inner;
    Span outer;
    friend bool operator==(const Site&, const Site&) = default;
  };
  std::vector<Site> sites;
  bool verbatim = false;  ///< byte for byte the text at the last site; false: escaped, or computed
  bool computed = false;  ///< arithmetic, a count, an unknown: the last site is the expression
};

/// One word of a command after expansion and splitting.
struct Word {
  std::string text;    ///< expanded; what is unknown stands as written (`$1`, `$(nproc)`)
  Span span;           ///< where to point: the array element, the piece of a string variable, the default in
                       ///< `${TP:-4}`; the innermost place that holds the whole word where it is a mixture
  Span use;            ///< the place in the command itself
  bool exact = false;  ///< span holds just this word (plus quotes), written out
  bool known = true;   ///< false: command substitution, a variable that nobody set, …
  bool any_number = false;  ///< unknown and not quoted (`$@`, `$EXTRA`): may be no word, one, or several
  std::vector<std::uint32_t> assumptions;  ///< indices into Script::assumptions, ascending
  std::vector<WordPiece> pieces;           ///< in order, together the whole text; none for an empty word
};

/// Where bytes [begin, end) of a word's text come from: `4` of `trainer.n=${N:-4}` is the default there.
struct WordPlace {
  Span span;
  bool exact = false;  ///< span holds just these bytes (plus quotes)
};
[[nodiscard]] WordPlace place_of(const Word& word, std::size_t begin, std::size_t end);

/// `NAME=value`, exported or in front of a command. An array's value is its elements joined with blanks.
struct Assignment {
  std::string name;
  Word value;  ///< span: the value as written where it was set; an exported variable that
               ///< nobody set is unknown
  Span name_span;
  Span span;  ///< `NAME=value`
  bool exported = false;
  bool conditional = false;
};

struct Command {
  std::vector<Word> words;              ///< the program first (read_words: none)
  std::vector<Assignment> environment;  ///< `A=1 B=2 program`, `env A=1 program`
  Span span;                            ///< first to last word as written
  bool conditional = false;  ///< in a branch, loop or function that may not run (nothing known decides it)
  bool dead = false;         ///< in a branch that known values rule out, or behind `exit`
  std::uint32_t inside =
      no_command;  ///< index of the command whose string this is read from (`bash -c`, ssh)
};

/// Something that was not evaluated.
struct Unevaluated {
  enum class Kind : std::uint8_t {
    command_substitution,  ///< `$(…)`, backticks, `<(…)`
    redirection,
    here_document,   ///< span: its body; not recorded where a shell reads it (`bash <<EOF`)
    arithmetic,      ///< not constant
    unset_variable,  ///< used without a default, and nothing in the script sets it
    positional,      ///< `$1`, `$@`
    parameter,       ///< an expansion that is not understood (`${X@Q}`)
    brace_expansion,
    placeholder,     ///< `<your path>`, as templates have it
    input,           ///< `read X`, `mapfile`, a loop variable
    source_file,     ///< `source x.sh`: text is the file
    late_directive,  ///< `#SBATCH` behind the first command: Slurm does not read it
    unknown_syntax,
  };
  Kind kind{};
  Span span;
  std::string text;      ///< as written, at most 200 bytes
  std::string variable;  ///< the variable that it sets or is, else empty
};
[[nodiscard]] std::string_view kind_name(Unevaluated::Kind kind);

/// `#SBATCH --nodes=4`: the name without `#`, and the words behind it.
struct Directive {
  std::string name;
  std::vector<Word> words;
  Span span;
};

struct Script {
  enum class Form : std::uint8_t { script, words };
  Form form = Form::script;
  std::shared_ptr<const SourceText> source;
  std::vector<Command> commands;
  std::vector<Assignment> exports;  ///< last value of each exported variable, in order of first export
  std::vector<Directive> directives;
  std::vector<Unevaluated> not_evaluated;  ///< in order of reading
  std::vector<std::string> assumptions;    ///< "TP is taken as its default 4"
};

/// Reads a script. Both branches of an undecided `if` are read; variables that it never sets are unknown;
/// functions are read where they are called, those never called at the end. The strings of `bash -c`, `eval`,
/// `ssh host` and the here-documents of a shell are read as commands. A text of more than 1 MiB, an
/// unterminated quote (place: where it opens) and what passes the limits is an Error. Syntax that is not
/// understood is recorded, and reading goes on at the next line.
[[nodiscard]] Result<Script> read_shell(std::shared_ptr<const SourceText> text, const Limits& limits = {});
/// Reads plain arguments, over several lines with or without backslashes: one command without a program.
/// Quotes, escapes, comments and variables are read as in a script; operators are ordinary characters.
[[nodiscard]] Result<Script> read_words(std::shared_ptr<const SourceText> text, const Limits& limits = {});

/// `text` as one word of a shell, quoted where it must be.
[[nodiscard]] std::string shell_quote(std::string_view text);

/// A word of a script: commands[command].words[word].
struct WordId {
  std::size_t command = 0;
  std::size_t word = 0;
};

// Edits. Each is applied to a copy and read again: where that does not give the wanted words and everything
// else as before (the words of `echo` and `printf` may follow), the next place is tried, then it is an Error.
// A word that other commands take from the same place changes in them too where it follows the same word
// there. For several changes apply one, read the result, and ask for the next.

/// Makes the word `text`: at its origin (`TP=4`), else nearer and nearer to the command. Where only the part
/// behind `=` differs (`a.b=$N`), that part is changed.
[[nodiscard]] Result<std::vector<Edit>> replace_word(const Script& script, WordId id, std::string_view text);
/// Removes `count` words from `first` on, the whole line where nothing else is on it.
[[nodiscard]] Result<std::vector<Edit>> remove_words(const Script& script, WordId first, std::size_t count);
/// Inserts words behind `after` in the style around it: a line of its own where lines hold one flag each.
[[nodiscard]] Result<std::vector<Edit>> insert_words(const Script& script, WordId after,
                                                     const std::vector<std::string>& texts);
/// Gives an environment variable of `command` a value: in front of the command where it is set there, else
/// where it is exported, else as a new `export` line before the command.
[[nodiscard]] Result<std::vector<Edit>> set_environment(const Script& script, std::size_t command,
                                                        std::string_view name, std::string_view value);

}  // namespace headroom::source
