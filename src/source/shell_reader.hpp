// Goes through the tree of a script in the order in which it would run, and collects its commands.
#pragma once
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "shell_expand.hpp"
#include "shell_parser.hpp"
#include "shell_state.hpp"

namespace headroom::source {

class ShellReader {
 public:
  ShellReader(std::shared_ptr<const SourceText> source, const Limits& limits)
      : state_(std::move(source), limits) {}

  [[nodiscard]] Result<Script> script();
  [[nodiscard]] Result<Script> words();

 private:
  /// A text and its tree; lives as long as the reader, for functions refer to it.
  struct Unit {
    explicit Unit(ShellText content) : text(std::move(content)) {}
    ShellText text;
    std::unique_ptr<ShellNode> root;
  };
  struct Function {
    const Unit* unit = nullptr;
    const ShellNode* body = nullptr;
    bool called = false;
    bool running = false;
  };
  /// How a command ends, as far as the text tells. `ran`: a program, which is presumed to succeed.
  enum class Outcome : std::uint8_t { yes, no, undecided, ran };
  enum class Flow : std::uint8_t { on, returned, exited };
  struct Truth {
    Outcome outcome = Outcome::ran;
    std::uint32_t given = 0;
  };
  struct Branch {
    ShellState::Changes changes;
    Flow flow = Flow::on;
  };

  // shell_reader.cpp
  [[nodiscard]] Result<Script> finish();
  [[nodiscard]] const Unit* parse(ShellText text, bool whole_file);
  void directives(const ShellText& text, const ShellParser& parser, const ShellNode& root);
  void read_directive(const ShellText& text, std::uint32_t begin, std::uint32_t end, bool late);
  void uncalled_functions();
  void collect_exports();
  void keep_exports(std::size_t mark);
  [[nodiscard]] Assignment export_of(const std::string& name, const ShellVariable& variable);

  // shell_flow.cpp
  Truth read(const Unit& unit, const ShellNode& node);
  Truth read_kind(const Unit& unit, const ShellNode& node);
  Truth list(const Unit& unit, const ShellNode& node);
  Truth and_or(const Unit& unit, const ShellNode& node);
  Truth pipeline(const Unit& unit, const ShellNode& node);
  Truth conditional(const Unit& unit, const ShellNode& node, std::size_t from);
  Truth choice(const Unit& unit, const ShellNode& node);
  Truth loop(const Unit& unit, const ShellNode& node);
  Truth each(const Unit& unit, const ShellNode& node);
  Truth subshell(const Unit& unit, const ShellNode& node);
  void define(const Unit& unit, const ShellNode& node);
  void call(Function& function, std::vector<Field> arguments);
  template <class Body>
  Branch branch(Body body);
  template <class Body>
  void dead(Body body);
  template <class Body>
  void under(std::uint32_t given, Body body);
  /// Continues behind branches of which one runs; `place` is where they stand.
  void merge(const std::vector<Branch>& branches, Span place);
  void merge_one(const std::string& name, const std::vector<const ShellVariable*>& ways, Span place);
  Truth maybe(const Unit& unit, const ShellNode& node);

  // shell_test.cpp
  Truth test_command(const std::vector<Field>& words);
  Truth test(const Unit& unit, const ShellNode& node);
  Truth arithmetic(const Unit& unit, const ShellNode& node);
  Truth matches(const Field& subject, const Glyphs& pattern);

  // shell_simple.cpp
  Truth simple(const Unit& unit, const ShellNode& node);
  void assign(const Unit& unit, const ShellAssignment& assignment, bool exported);
  [[nodiscard]] ShellValue value_of(const Unit& unit, const ShellAssignment& assignment);
  void append(ShellValue& value, const std::string& name);
  void set_element(const Unit& unit, ShellValue& value, const ShellAssignment& assignment);
  void declare(const Unit& unit, const ShellNode& node, const std::vector<Field>& words);
  void declare_name(const Field& word, bool exported, bool associative, bool keeps);
  /// What the shell does itself; none: a program.
  [[nodiscard]] std::optional<Truth> builtin(const Unit& unit, const ShellNode& node,
                                             const std::vector<Field>& words);
  void run(const Unit& unit, const ShellNode& node, const std::vector<Field>& words,
           const std::vector<Span>& uses);
  void change_names(std::string_view program, const std::vector<Field>& words);
  void forget(const std::string& name, Span place);
  void note_redirections(const Unit& unit, const ShellNode& node);
  [[nodiscard]] Assignment prefix(const Unit& unit, const ShellAssignment& assignment);
  void add_env(Command& command) const;
  // shell_inner.cpp
  void inner_texts(const std::vector<Field>& words, std::uint32_t index);
  void shell_string(const std::vector<Field>& words, std::size_t shell, std::uint32_t index);
  void read_inner(Glyphs glyphs, std::uint32_t index, bool keeps_changes);
  void here_documents(const Unit& unit, const ShellNode& node, const std::vector<Field>& words,
                      std::uint32_t index);

  ShellState state_;
  std::deque<Unit> units_;
  std::unordered_map<std::string, Function> functions_;
  std::vector<std::string> defined_;  ///< functions in order
  Flow flow_ = Flow::on;
  std::uint32_t given_ = 0;  ///< assumptions that led into this branch
  std::uint32_t maybe_ = 0;  ///< branches around that may not run
  std::uint32_t dead_ = 0;
  std::uint32_t depth_ = 0;
  std::uint32_t inside_ = no_command;
  std::map<std::string, Assignment> inner_exports_;  ///< set where changes are taken back
};

}  // namespace headroom::source
