// The words after the program of a launch line.
#pragma once
#include "headroom/dialect/reader.hpp"
#include "mapper.hpp"

namespace headroom::dialect {

/// Where one flag of a command stands: word numbers.
struct FlagWords {
  std::uint32_t flag = 0, end = 0;  ///< the flag's word, and one past its last value
  bool joined = false;              ///< `--flag=value` in one word
};

/// Flags of `command` from `first` on, each with its values, by the rows of the table; what comes before the
/// first flag is skipped.
[[nodiscard]] std::vector<FlagWords> split_flags(const source::Command& command, std::uint32_t first,
                                                 const schema::Schema& schema,
                                                 const schema::DialectTable& table);

/// `--flag` of `--flag=value`.
[[nodiscard]] std::string_view flag_name(std::string_view word);

void read_flags(const Opened& opened, Settings& out, Mapper& mapper, const schema::Schema& schema);
void read_overrides(const Opened& opened, Settings& out, Mapper& mapper);

}  // namespace headroom::dialect
