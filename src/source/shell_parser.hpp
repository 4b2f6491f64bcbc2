// Reads the syntax of a shell text; evaluates nothing.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "shell_text.hpp"
#include "shell_tree.hpp"

namespace headroom::source {

class ShellParser {
 public:
  struct Failure {
    std::uint32_t offset = 0;
    std::string message;
  };
  /// Lines that were skipped, as ranges of the text.
  using Skipped = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

  ShellParser(const ShellText& text, std::uint32_t max_depth) : text_(text), max_depth_(max_depth) {}

  [[nodiscard]] std::unique_ptr<ShellNode> script();
  /// All words of the text, line breaks being blanks and operators ordinary characters.
  [[nodiscard]] std::vector<ShellWord> plain_words();
  /// The whole text as a here-document whose delimiter has no quotes.
  [[nodiscard]] ShellWord here_document();
  [[nodiscard]] const std::optional<Failure>& failure() const { return failure_; }
  [[nodiscard]] const Skipped& skipped() const { return skipped_; }
  /// Comments in front of the first command and behind it, as ranges of the text.
  [[nodiscard]] const Skipped& comments() const { return comments_; }

 private:
  using Node = std::unique_ptr<ShellNode>;
  struct Depth {
    explicit Depth(ShellParser& parser) : parser_(parser) { ++parser_.depth_; }
    ~Depth() { --parser_.depth_; }
    Depth(const Depth&) = delete;
    Depth& operator=(const Depth&) = delete;
    ShellParser& parser_;
  };
  enum class Where : std::uint8_t { command, plain, operand, quoted_operand, pattern, subscript, expression };

  // shell_words.cpp
  [[nodiscard]] char at(std::uint32_t p) const { return text_.at(p); }
  [[nodiscard]] bool done() const { return at_ >= text_.size() || failure_.has_value(); }
  [[nodiscard]] std::uint32_t break_length(std::uint32_t p) const;
  [[nodiscard]] bool too_deep();
  void fail(std::uint32_t offset, std::string message);
  void skip_blanks();
  void skip_comment();
  [[nodiscard]] ShellWord word(Where where);
  [[nodiscard]] bool ends_word(Where where, std::uint32_t nested) const;
  void literal(ShellWord& word, std::uint32_t begin, std::uint32_t end, bool quoted) const;
  void escaped(ShellWord& word, std::uint32_t begin, std::uint32_t end, std::string value, bool quoted) const;
  void escape(ShellWord& word, bool in_quotes);
  void single_quotes(ShellWord& word);
  void dollar_quotes(ShellWord& word);
  void double_quotes(ShellWord& word);
  void close_quotes(ShellWord& word, std::size_t first, std::uint32_t outer_begin, std::uint32_t outer_end);
  void quoted_content(ShellWord& word, char close);
  [[nodiscard]] bool dollar(ShellWord& word, bool quoted);
  void parameter(ShellWord& word, bool quoted);
  void parameter_operator(ShellParameter& parameter, bool quoted);
  void arithmetic(ShellWord& word, bool quoted);
  void substitution(ShellWord& word, bool quoted, std::uint32_t body);
  void backticks(ShellWord& word, bool quoted);
  [[nodiscard]] std::uint32_t closing_parenthesis(std::uint32_t p) const;
  [[nodiscard]] std::uint32_t skip_quotes(std::uint32_t p) const;
  [[nodiscard]] bool brace_expansion(ShellWord& word);
  [[nodiscard]] std::uint32_t placeholder_length() const;
  ShellPart& add(ShellWord& word, ShellPart::Kind kind, std::uint32_t begin, std::uint32_t end,
                 bool quoted) const;

  // shell_commands.cpp
  [[nodiscard]] Node list();
  [[nodiscard]] Node and_or();
  [[nodiscard]] Node pipeline();
  [[nodiscard]] Node command();
  [[nodiscard]] Node compound();
  void close(std::string_view keyword, std::uint32_t begin);
  [[nodiscard]] Node simple();
  [[nodiscard]] Node conditional();
  [[nodiscard]] Node loop();
  [[nodiscard]] Node each();
  [[nodiscard]] Node choice();
  [[nodiscard]] Node group(ShellNode::Kind kind, std::string_view close);
  [[nodiscard]] Node function();
  [[nodiscard]] bool at_function() const;
  [[nodiscard]] Node test();
  [[nodiscard]] Node arithmetic_command();
  [[nodiscard]] Node node(ShellNode::Kind kind) const;
  void choice_item(ShellNode& choice);
  void redirections(ShellNode& node);
  [[nodiscard]] bool at_redirection() const;
  [[nodiscard]] ShellWord target();
  void redirection(ShellNode& node);
  void here_document(ShellNode& node, std::uint32_t begin);
  void here_documents();
  [[nodiscard]] bool assignment(ShellNode& node, bool declared);
  void elements(ShellAssignment& assignment);
  void skip_breaks();
  void separators();
  void line_break();
  void skip_line(std::uint32_t begin);
  [[nodiscard]] std::string_view keyword() const;
  [[nodiscard]] bool closes_list() const;
  [[nodiscard]] bool accept(std::string_view keyword);

  struct Pending {
    std::string delimiter;
    bool strip = false;  ///< `<<-`
    ShellNode* node = nullptr;
    std::size_t index = 0;
  };

  const ShellText& text_;
  std::uint32_t max_depth_;
  std::uint32_t depth_ = 0;
  std::uint32_t at_ = 0;
  bool broken_ = false;  ///< the statement being read is not understood
  std::optional<Failure> failure_;
  Skipped skipped_;
  Skipped comments_;
  std::vector<Pending> pending_;
};

}  // namespace headroom::source
