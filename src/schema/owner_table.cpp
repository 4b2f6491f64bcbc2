#include "headroom/schema/owner_table.hpp"

#include <array>

namespace headroom::schema {

std::string_view to_string(MemoryUse use) {
  constexpr std::array<std::string_view, memory_uses> names{
      "weights", "gradients",     "optimizer", "activations", "logits",
      "graphs",  "communication", "workspace", "other",       "unknown"};
  return names[static_cast<std::size_t>(use)];
}

}  // namespace headroom::schema
