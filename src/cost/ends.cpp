// Embedding, loss, and what joins a depth of multi-token prediction.
#include "modules.hpp"

namespace headroom::cost {

using memory::LossKernel;
using memory::Shape;

void embed(const Shape& s, Tally& t) {
  const double bytes = s.tokens() * s.model.hidden * s.numerics.parameter;
  t.elementwise(Part::ends, 3 * bytes, 4 * bytes, 4);
  t.parameters(s.model.vocab / s.parallel.tp * s.model.hidden, 0);
  if (s.parallel.tp > 1) t.exchange(Part::tensor, t.links().gather({s.parallel.tp, 1}, bytes), 0);
}

void cross_entropy(const Shape& s, const Job&, Tally& t) {
  const memory::Model& m = s.model;
  const double columns = m.vocab / s.parallel.tp, rows = s.tokens();
  if (s.adapter.kind != memory::Peft::none) t.frozen(true);
  norm(s, false, t);
  t.plain_linear(Part::ends, rows, m.hidden, columns);
  // In fp32; the compiled and Transformer Engine's kernels pass over the logits fewer times.
  const double passes = s.kernels.loss == LossKernel::unfused  ? 10
                        : s.kernels.loss == LossKernel::native ? 6
                                                               : 3;
  t.elementwise(Part::ends, passes * rows * columns * 4, 2 * rows * columns * 4, passes);
  const double tp = s.parallel.tp;
  if (tp > 1) {
    const double once = t.links().gather({tp, 1}, rows * m.hidden * s.numerics.parameter);
    t.exchange(Part::tensor, once, 2 * once);
  }
}

void predict(const Shape& s, Tally& t) {
  const memory::Model& m = s.model;
  if (m.mtp_depths <= 0) return;
  norm(s, false, t);
  norm(s, false, t);
  t.linear(Part::ends, s.tokens(), 2 * m.hidden, m.hidden / s.parallel.tp);
}

}  // namespace headroom::cost
