// What can stand at a place of a config, in the words of its language.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "headroom/lint/lint.hpp"

namespace headroom::lsp {

struct Candidate {
  std::string label;
  std::string detail;
  schema::FieldId field = schema::no_field;  ///< for its description
  bool mapping = false;                      ///< a key with keys below it
  bool deprecated = false;
};

/// What is known of a config, even while its text cannot be read: the last outcome that could be.
struct Surroundings {
  const lint::Outcome* outcome = nullptr;  ///< null: never readable
  const schema::Schema* schema = nullptr;
  schema::Release release = schema::default_release;
  const schema::DialectTable* table = nullptr;  ///< null: Bridge

  /// `_target_` of the section that a field is in; empty: the standard class.
  [[nodiscard]] std::string class_of(const schema::Field& field) const;
};
[[nodiscard]] Surroundings surroundings(const lint::Outcome* outcome);

/// Keys of the mapping at `path`.
[[nodiscard]] std::vector<Candidate> keys_at(const Surroundings& around,
                                             const std::vector<std::string>& path);
/// Values of `key` there.
[[nodiscard]] std::vector<Candidate> values_at(const Surroundings& around,
                                               const std::vector<std::string>& path, const std::string& key);
/// Options of the program that a script starts, and `key=value` words where it takes them.
[[nodiscard]] std::vector<Candidate> words_of_script(const Surroundings& around);
/// Values of one option.
[[nodiscard]] std::vector<Candidate> values_of_flag(const Surroundings& around, const std::string& flag);

}  // namespace headroom::lsp
