// Parses an override word; what it gives must be printable, and a string must come back from its own text.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "headroom/source/document.hpp"
#include "headroom/source/edit.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace headroom::source;
  const std::string word(reinterpret_cast<const char*>(data), size);
  for (const Loader loader : {Loader::py_yaml, Loader::omega_conf, Loader::hydra, Loader::json}) {
    (void)resolve_scalar(word, loader).to_text();
  }
  const auto result = parse_override(word, "fuzz");
  if (!result) {
    if (result.error().message.empty() || !result.error().has_location) std::abort();
    return 0;
  }
  if (result->key.empty()) std::abort();
  const Value& value = result->value;
  if (value.is_opaque() || value.is_unknown() || value.is_list()) return 0;
  const auto again = parse_override("k=" + to_yaml(value, Loader::hydra), "fuzz");
  if (!again || again->value.to_text() != value.to_text()) std::abort();
  return 0;
}
