#include "state_time.hpp"

#include <algorithm>

#include "constants.hpp"
#include "links.hpp"

namespace headroom::cost {

using memory::Shape;
using memory::Sharding;
using namespace constants;

namespace {

struct Trained {
  double dense = 0, experts = 0;
};

Trained trained(const Shape& s, const StageTime& stage) {
  if (s.adapter.kind == memory::Peft::none) return {stage.dense_parameters, stage.expert_parameters};
  // Adapters are small; what they add is a share by rank of the matrices that they sit on.
  const double share = 2 * s.adapter.rank / s.model.hidden;
  return {share * stage.dense_parameters, share * stage.expert_parameters};
}

void add_data(const Shape& s, const Job& job, const StageTime& stage, Seconds& parts) {
  const Links links(job.machine);
  const memory::States& o = s.states;
  const Trained n = trained(s, stage);
  const Group dense{s.parallel.dp * s.parallel.cp, s.parallel.tp};
  const Group expert{s.parallel.expert_dp, s.parallel.ep * s.parallel.etp};
  const double weight = s.numerics.fp8_parameters ? 1 : s.numerics.parameter;
  const double reduce =
      links.gather(dense, n.dense * o.gradient) + links.gather(expert, n.experts * o.gradient);
  const double gather = links.gather(dense, n.dense * weight) + links.gather(expert, n.experts * weight);
  double& data = parts[index_of(Part::data)];
  const double m = s.microbatches;
  if (o.fsdp && o.sharding == Sharding::parameters) {
    // Every micro-batch gathers for the forward and for the backward, and reduces.
    data += m * (std::max(0.15 * gather, gather - overlap_share * stage.forward_total) +
                 std::max(0.15 * (gather + reduce), gather + reduce - overlap_share * stage.backward_total));
    return;
  }
  const double hidden_reduce = o.overlap_reduce || o.fsdp ? overlap_share * stage.backward_total : 0;
  const double hidden_gather = o.overlap_gather || o.fsdp ? overlap_share * stage.forward_total : 0;
  data += std::max(0.1 * reduce, reduce - hidden_reduce);
  if (o.distributed || o.fsdp) {
    data += std::max(0.1 * gather, gather - hidden_gather);
  } else {
    data += std::max(0.1 * reduce, reduce - hidden_reduce);
  }
}

void add_optimizer(const Shape& s, const Job& job, const StageTime& stage, Seconds& parts) {
  const memory::States& o = s.states;
  const Machine& m = job.machine;
  const Trained n = trained(s, stage);
  const double on_rank = n.dense + n.experts;
  const bool split = o.distributed || o.fsdp;
  const double mine =
      n.dense / (split ? s.parallel.dp * s.parallel.cp : 1) + n.experts / (split ? s.parallel.expert_dp : 1);
  const double state = o.main + o.exp_avg + o.exp_avg_sq;
  // Gradients are cleared and read for their norm; states are read and written.
  const double bytes =
      2 * on_rank * o.gradient + (1 - o.offload) * mine * (2 * state + 2 * o.gradient + s.numerics.parameter);
  double& time = parts[index_of(Part::optimizer)];
  time += step_overhead + bytes / (m.memory * memory_share);
  if (o.offload <= 0) return;
  const double away = o.offload * mine;
  const double transfer = away * 4 / m.host + away * s.numerics.parameter / m.host;
  // Adam reads gradient, parameter and two moments and writes three of them, in fp32.
  const double update = away * 28 / (m.host_memory * cpu_adam_share);
  time += update + transfer * (job.switches.optimizer_overlap ? 1 - overlap_share : 1);
}

}  // namespace

void add_states(const Shape& s, const Job& job, const StageTime& stage, Seconds& parts) {
  add_data(s, job, stage, parts);
  add_optimizer(s, job, stage, parts);
}

}  // namespace headroom::cost
