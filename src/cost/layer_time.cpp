// Compute and exposed communication of one layer, by module.
#include "headroom/cost/step_time.hpp"
#include "headroom/memory/ledger.hpp"
#include "modules.hpp"

namespace headroom::cost {

using memory::Feedforward;
using memory::Mixer;
using memory::Recompute;

namespace {

void add_transfers(const memory::Shape& s, const Job& job, LayerTimes& out) {
  const auto bytes = memory::bytes_to_host(s);
  for (std::size_t k = 0; k < bytes.size(); ++k)
    out.kinds[k].transfer = bytes[k] / (job.machine.host * constants::host_share);
}

}  // namespace

LayerTimes layer_times(const memory::Shape& s, const Job& job) {
  LayerTimes out;
  for (std::size_t k = 0; k < static_cast<std::size_t>(s.kind_count); ++k) {
    Tally t(s, job);
    t.frozen(s.adapter.kind != memory::Peft::none);
    mixer(s, job, s.kinds[k].mixer, t);
    feedforward(s, job, s.kinds[k].feedforward, t);
    if (s.states.fsdp) t.launches(constants::sharding_operators, constants::sharding_operators);
    out.kinds[k] = t.finish();
  }
  add_transfers(s, job, out);
  Tally embedding(s, job), loss(s, job), prediction(s, job);
  embed(s, embedding);
  out.embedding = embedding.finish();
  cross_entropy(s, job, loss);
  out.loss = loss.finish();
  predict(s, prediction);
  out.prediction = prediction.finish();
  return out;
}

}  // namespace headroom::cost
