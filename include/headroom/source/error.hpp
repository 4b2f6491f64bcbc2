// Errors are values. A function that can fail on bad input returns Result<T>; nothing throws across
// a module border.
#pragma once
#include <string>
#include <tl/expected.hpp>

#include "headroom/source/span.hpp"

namespace headroom::source {

/// Why an input could not be read, and where. `location` is {1,1}-{1,1} with `has_location` false
/// where there is no place in a text (a missing file, say).
struct Error {
  std::string message;
  std::string source;  ///< name of the file or option, as the user wrote it
  Location location;
  bool has_location = false;
};

template <class T>
using Result = tl::expected<T, Error>;

}  // namespace headroom::source
