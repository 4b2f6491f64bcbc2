#include <algorithm>

#include "constants.hpp"
#include "headroom/cost/job.hpp"
#include "headroom/memory/fields.hpp"

namespace headroom::cost {
namespace {

using memory::Fields;

Machine machine_of(const schema::Gpu& gpu) {
  Machine m;
  m.bf16 = gpu.bf16_flops > 0 ? gpu.bf16_flops : gpu.fp16_flops;
  m.fp8 = gpu.fp8_flops > 0 ? gpu.fp8_flops : m.bf16;
  m.fp4 = gpu.fp4_flops > 0 ? gpu.fp4_flops : m.fp8;
  m.memory = gpu.memory_bandwidth;
  m.network = gpu.network_bandwidth;
  m.host = gpu.host_bandwidth;
  m.host_memory = gpu.host_memory_bandwidth;
  m.nvlink_domain = gpu.nvlink_domain;
  // Data sheets count both directions. Without NVLink the GPUs of a node talk over PCIe.
  m.nvlink = gpu.nvlink_bandwidth > 0 ? gpu.nvlink_bandwidth / 2 : gpu.host_bandwidth;
  m.tf32 = m.bf16 / 2;
  // Kinds without a stated capability are announced ones.
  m.host_pace = gpu.compute_capability > 0 && gpu.compute_capability < 9 ? constants::older_host : 1;
  return m;
}

ContextExchange context_exchange(const Fields& f) {
  const source::Value& value = f.value("model.cp_comm_type");
  std::string_view word = value.is_string() ? value.as_string() : std::string_view();
  if (value.is_list() && !value.as_list().empty() && value.as_list().front().is_string())
    word = value.as_list().front().as_string();
  if (word.find("a2a") != std::string_view::npos) return ContextExchange::all_to_all;
  return word.find("all_gather") != std::string_view::npos ? ContextExchange::all_gather
                                                           : ContextExchange::ring;
}

Switches switches_of(const Fields& f) {
  Switches s;
  s.tensor_overlap = f.flag("model.tp_comm_overlap");
  s.expert_overlap = f.flag("model.overlap_moe_expert_parallel_comm");
  s.shared_overlap = f.flag("model.moe_shared_expert_overlap");
  s.optimizer_overlap = f.flag("optimizer.overlap_cpu_optimizer_d2h_h2d");
  s.capacity_factor = std::max(f.number("model.moe_expert_capacity_factor"), 0.0);
  s.context = context_exchange(f);
  return s;
}

}  // namespace

Job read_job(const resolve::EffectiveConfig& config) {
  Job job;
  if (config.launch.gpu != nullptr) job.machine = machine_of(*config.launch.gpu);
  job.switches = switches_of(Fields(config));
  return job;
}

}  // namespace headroom::cost
