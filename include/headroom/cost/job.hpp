// What step time depends on beside memory::Shape: the machine and the switches that hide communication. Read
// once from a resolved config; plain numbers.
#pragma once
#include "headroom/memory/shape.hpp"
#include "headroom/resolve/effective.hpp"

namespace headroom::cost {

/// Peaks of a GPU kind and of what lies around one GPU. FLOP/s dense, bytes/s, one direction. From
/// rules/gpus.yaml; an unknown kind is taken for an H100, since only ratios are claimed.
struct Machine {
  double bf16 = 9.89e14, fp8 = 1.979e15, fp4 = 0, tf32 = 4.9e14;  ///< fp4 0: the kind lacks it
  double memory = 3.35e12, nvlink = 4.5e11, network = 5e10, host = 6.4e10, host_memory = 7.7e10;
  double nvlink_domain = 8;  ///< GPUs that NVLink joins
  double host_pace = 1;      ///< host time of an operator over that beside an H100
};

enum class ContextExchange : std::uint8_t { ring, all_to_all, all_gather };

/// Switches that move time and leave memory alone (or that Shape needs otherwise).
struct Switches {
  bool tensor_overlap = false;                      ///< tp_comm_overlap
  bool expert_overlap = false;                      ///< overlap_moe_expert_parallel_comm
  bool shared_overlap = false;                      ///< moe_shared_expert_overlap
  bool optimizer_overlap = false;                   ///< overlap_cpu_optimizer_d2h_h2d
  double capacity_factor = 0;                       ///< moe_expert_capacity_factor, 0 dropless
  ContextExchange context = ContextExchange::ring;  ///< cp_comm_type
};

struct Job {
  Machine machine;
  Switches switches;
};

/// Never fails: what is not given takes the framework's default.
[[nodiscard]] Job read_job(const resolve::EffectiveConfig& config);

}  // namespace headroom::cost
