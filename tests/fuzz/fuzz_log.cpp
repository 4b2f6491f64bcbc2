// Any bytes, in pieces of any size, through the log reader and the diagnosis.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "headroom/oom/diagnosis.hpp"
#include "headroom/oom/log_reader.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 1) return 0;
  const std::size_t piece = 1 + data[0];
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  headroom::oom::LogReader reader;
  for (std::size_t at = 0; at < text.size(); at += piece) reader.feed(text.substr(at, piece));
  const auto diagnosis = headroom::oom::diagnose(reader.finish(), {});
  if (!(diagnosis.confidence >= 0 && diagnosis.confidence <= 1)) std::abort();
  return 0;
}
