// The real program on a terminal of its own: what a person types, and what the screen shows.
#pragma once
#include <string>
#include <vector>

namespace headroom::cli {

class Session {
 public:
  /// Starts `headroom ARGS` in the source folder, 80 columns, without colours.
  explicit Session(const std::vector<std::string>& args);
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;
  ~Session();

  /// Waits until the screen ends in `text` (a prompt); fails the test after a minute.
  void expect_end(const std::string& text);
  /// Types a line and Enter.
  void type(const std::string& line);
  /// Waits for the end of the program; its exit status.
  int finish();
  /// Everything on the screen so far, lines ended by `\n`, without escape sequences.
  [[nodiscard]] std::string screen() const;

 private:
  bool read_more();
  void wait_for_editor() const;

  int terminal_ = -1;
  int child_ = -1;
  std::string raw_;
  std::size_t typed_ = 0;  ///< of `raw_`, what was there before the last line typed
};

}  // namespace headroom::cli
