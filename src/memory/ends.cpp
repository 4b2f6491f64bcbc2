// The ends of a model: embedding, final norm, logits and loss, multi-token prediction.
#include "activations.hpp"

namespace headroom::memory {

void embedding_activations(const Shape& s, Walk& w) {
  const Local l(s);
  w.keep({"tokens, labels, positions and loss mask", "embedding", "model.seq_length train.micro_batch_size",
          Source::embedding},
         {{"tokens", l.tokens}, {"bytes", 28}});
  if (s.model.hidden_dropout > 0)
    w.keep({"dropout mask", "embedding", "model.hidden_dropout model.hidden_size", Source::embedding},
           {{"tokens", l.rows}, {"hidden", l.hidden}, {"bytes", 1}});
  w.keep({"embedded tokens", "embedding", "model.hidden_size model.seq_length", Source::embedding},
         {{"tokens", l.rows}, {"hidden", l.hidden}, {"bytes", l.residual}});
}

namespace {

void logits(const Shape& s, const Local& l, Walk& w) {
  const double vocab = s.model.vocab / l.tp;
  const Item out{"logits", "output_layer", "model.vocab_size model.seq_length train.micro_batch_size",
                 Source::output};
  const Item loss{"logits in fp32, then their softmax", "loss",
                  "model.cross_entropy_loss_fusion model.vocab_size", Source::cross_entropy};
  const Item gradient{"gradient of the logits", "loss", "model.cross_entropy_loss_fusion model.vocab_size",
                      Source::cross_entropy};
  switch (s.kernels.loss) {
    case LossKernel::te:  // gradients overwrite the logits
      w.keep(out, {{"tokens", l.tokens}, {"vocabulary", vocab}, {"bytes", l.bytes}});
      break;
    case LossKernel::native:  // compiled: what the eager code overwrites is a new tensor here
      w.forward(out, {{"tokens", l.tokens}, {"vocabulary", vocab}, {"bytes", l.bytes + 8}});
      w.keep(loss, {{"tokens", l.tokens}, {"vocabulary", vocab}, {"bytes", 4}});
      w.backward(gradient, {{"tokens", l.tokens}, {"vocabulary", vocab}, {"bytes", l.bytes + 4}});
      break;
    case LossKernel::unfused:  // fp32 logits are overwritten in place
      w.forward(out, {{"tokens", l.tokens}, {"vocabulary", vocab}, {"bytes", l.bytes < 4 ? l.bytes + 4 : 4}});
      w.keep(loss, {{"tokens", l.tokens}, {"vocabulary", vocab}, {"bytes", 4}});
      w.backward(gradient,
                 {{"tokens", l.tokens}, {"vocabulary", vocab}, {"bytes", l.bytes < 4 ? l.bytes : 0}});
      break;
  }
}

}  // namespace

void loss_activations(const Shape& s, Walk& w) {
  const Local l(s);
  Local plain = l;
  plain.fp8 = l.bytes;
  plain.frozen = false;
  norm_output(s, plain, false, "final_layernorm", w);
  logits(s, l, w);
}

void mtp_activations(const Shape& s, Walk& w) {
  const Local l(s);
  w.keep({"embedding, its norm and that of the hidden states, side by side", "mtp",
          "model.mtp_num_layers model.hidden_size", Source::mtp},
         {{"tokens", l.rows}, {"hidden", l.hidden}, {"embedding, two norms, joint", 4}, {"bytes", l.bytes}});
  w.keep({"output of eh_proj", "mtp.eh_proj", "model.mtp_num_layers model.hidden_size", Source::mtp},
         {{"tokens", l.rows}, {"hidden", l.hidden}, {"bytes", l.residual}});
}

}  // namespace headroom::memory
