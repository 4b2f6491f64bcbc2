// What the memory of a snapshot belongs to, by the stack of its allocation. Source: rules/oom/owners.yaml.
#pragma once
#include <cstdint>
#include <span>
#include <string_view>

#include "headroom/schema/log_table.hpp"

namespace headroom::schema {

/// What memory is for. The names in owners.yaml are the same.
enum class MemoryUse : std::uint8_t {
  weights,
  gradients,
  optimizer,  ///< states and fp32 main parameters
  activations,
  logits,
  graphs,  ///< pools of CUDA graphs
  communication,
  workspace,  ///< of cuBLAS, cuDNN
  other,
  unknown
};
inline constexpr std::size_t memory_uses = 10;
[[nodiscard]] std::string_view to_string(MemoryUse use);

/// A frame whose file ends in `file` (or lies in that folder, where it ends in `/`) and whose function is
/// `function`; each where given.
struct FrameMark {
  std::string_view file, function;
};

/// First match wins. `caller` is the file of the frame that called the one of `file` and `function`. `uses`
/// has several entries where lines of one function are told apart by their order.
struct UseRule {
  std::string_view file, function, caller, module;
  LogPhase phase = LogPhase::unknown;  ///< unknown: any
  std::span<const MemoryUse> uses;
};

/// C++ functions whose name holds `part`.
struct NativeMark {
  std::string_view part;
  LogPhase phase = LogPhase::unknown;
  MemoryUse use = MemoryUse::unknown;
};

struct OwnerTable {
  std::span<const FrameMark> plumbing;
  std::span<const std::string_view> roots;
  std::span<const UseRule> uses;
  std::span<const NativeMark> native;
};

/// The table embedded when headroom was built.
[[nodiscard]] const OwnerTable& embedded_owner_table();

}  // namespace headroom::schema
