#include "tensors.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

#include "headroom/schema/schema.hpp"

namespace headroom::oom {
namespace {

constexpr double mib = 1024.0 * 1024, gib = 1024 * mib;

/// Sizes that formulas need; 0 where not known. One rank's share of tokens and widths is worked out below.
struct Sizes {
  double tokens = 0, rows = 0, hidden = 0, ffn = 0, vocab = 0, heads = 0, groups = 0, head_dim = 0;
  double sequence = 0, micro_batch = 1, tp = 1, cp = 1, topk = 0, expert_ffn = 0, gated = 1, pp = 1;
};

Sizes sizes_of(const memory::Shape& s) {
  Sizes out;
  out.tokens = s.tokens();
  out.rows = s.rows();
  out.hidden = s.model.hidden;
  out.ffn = s.model.ffn;
  out.vocab = s.model.vocab;
  out.heads = s.model.heads;
  out.groups = s.model.groups;
  out.head_dim = s.model.head_dim;
  out.sequence = s.sequence;
  out.micro_batch = s.micro_batch;
  out.tp = s.parallel.tp;
  out.cp = s.parallel.cp;
  out.topk = s.model.moe ? s.model.topk : 0;  // a dense model has the default of the field
  out.expert_ffn = s.model.expert_ffn;
  out.gated = s.model.gated ? 2 : 1;
  return out;
}

double number_of(const Layout& layout, const char* name, double otherwise) {
  const auto it = layout.arguments.find(name);
  if (it == layout.arguments.end()) return otherwise;
  double value = 0;
  const auto [end, error] = std::from_chars(it->second.data(), it->second.data() + it->second.size(), value);
  return error == std::errc() && std::isfinite(value) && value > 0 ? value : otherwise;
}

/// From the list of arguments that Megatron-LM prints.
std::optional<Sizes> sizes_of(const Layout& layout) {
  Sizes out;
  out.sequence = number_of(layout, "seq_length", 0);
  out.hidden = number_of(layout, "hidden_size", 0);
  if (out.sequence == 0 || out.hidden == 0) return std::nullopt;
  out.micro_batch = number_of(layout, "micro_batch_size", 1);
  out.tp = number_of(layout, "tensor_model_parallel_size", 1);
  out.cp = number_of(layout, "context_parallel_size", 1);
  out.ffn = number_of(layout, "ffn_hidden_size", 4 * out.hidden);
  out.vocab = number_of(layout, "padded_vocab_size", number_of(layout, "vocab_size", 0));
  out.heads = number_of(layout, "num_attention_heads", 0);
  out.groups = number_of(layout, "num_query_groups", out.heads);
  out.head_dim = number_of(layout, "kv_channels", out.heads > 0 ? out.hidden / out.heads : 0);
  if (number_of(layout, "num_experts", 0) > 0) out.topk = number_of(layout, "moe_router_topk", 0);
  out.expert_ffn = number_of(layout, "moe_ffn_hidden_size", 0);
  const auto swiglu = layout.arguments.find("swiglu");
  out.gated = swiglu != layout.arguments.end() && swiglu->second == "True" ? 2 : 1;
  out.tokens = out.sequence * out.micro_batch / out.cp;
  const auto sp = layout.arguments.find("sequence_parallel");
  out.rows = out.tokens / (sp != layout.arguments.end() && sp->second == "True" ? out.tp : 1);
  return out;
}

std::string count(double x) {
  return fmt::format("{:.0f}", x);
}

/// What a run makes, by number of elements on one rank.
struct Tensor {
  std::string_view name, what;
  double elements = 0;
  std::string formula;
};

std::vector<Tensor> tensors_in_layers(const Sizes& s, const std::string& tokens, const std::string& over_tp) {
  const double heads = s.heads + 2 * s.groups;
  return {
      {"attention-scores", "attention scores",
       s.micro_batch * s.heads / s.tp * s.sequence * s.sequence / s.cp,
       fmt::format("{} sequences x {} heads x {} x {}{}", count(s.micro_batch), count(s.heads),
                   count(s.sequence), count(s.sequence / s.cp), over_tp)},
      {"gated-input", "input of the activation function", s.tokens * s.ffn * s.gated / s.tp,
       fmt::format("{} x {} x {} feed-forward width{}", tokens, count(s.gated), count(s.ffn), over_tp)},
      {"activation-output", "output of the activation function", s.tokens * s.ffn / s.tp,
       fmt::format("{} x {} feed-forward width{}", tokens, count(s.ffn), over_tp)},
      {"expert-input", "tokens sent to experts", s.tokens * s.topk * s.hidden,
       fmt::format("{} x {} experts each x {} hidden", tokens, count(s.topk), count(s.hidden))},
      {"expert-mlp", "input of the experts' activation function", s.tokens * s.topk * s.expert_ffn * s.gated,
       fmt::format("{} x {} experts each x {} x {} expert width", tokens, count(s.topk), count(s.gated),
                   count(s.expert_ffn))},
      {"qkv", "query, key and value", s.tokens * heads * s.head_dim / s.tp,
       fmt::format("{} x {} heads of query, key and value x {}{}", tokens, count(heads), count(s.head_dim),
                   over_tp)},
      {"hidden", "hidden states of whole sequences", s.tokens * s.hidden,
       fmt::format("{} x {} hidden", tokens, count(s.hidden))},
  };
}

std::vector<Tensor> tensors_of(const Sizes& s) {
  const std::string over_tp = s.tp > 1 ? fmt::format(" / {} tensor ranks", count(s.tp)) : "";
  const std::string tokens = count(s.tokens) + " tokens";
  std::vector<Tensor> out = tensors_in_layers(s, tokens, over_tp);
  out.insert(out.begin(), {"logits", "logits", s.tokens * s.vocab / s.tp,
                           fmt::format("{} x {} vocabulary{}", tokens, count(s.vocab), over_tp)});
  if (s.rows != s.tokens)
    out.push_back({"hidden-shard", "hidden states of one rank", s.rows * s.hidden,
                   fmt::format("{} tokens x {} hidden", count(s.rows), count(s.hidden))});
  out.push_back({"embedding-weight", "weight of the embedding or output layer", s.vocab * s.hidden / s.tp,
                 fmt::format("{} vocabulary x {} hidden{}", count(s.vocab), count(s.hidden), over_tp)});
  out.push_back({"mlp-weight", "weight of the first feed-forward layer", s.ffn * s.gated * s.hidden / s.tp,
                 fmt::format("{} x {} feed-forward width x {} hidden{}", count(s.gated), count(s.ffn),
                             count(s.hidden), over_tp)});
  out.push_back({"mlp-weight", "weight of the second feed-forward layer", s.ffn * s.hidden / s.tp,
                 fmt::format("{} feed-forward width x {} hidden{}", count(s.ffn), count(s.hidden), over_tp)});
  return out;
}

bool fits(double bytes, double tried) {
  // Requests above 10 MiB are rounded up to 2 MiB; the message has two decimals of its unit.
  const double printed = tried >= gib ? 0.006 * gib : 0.006 * mib;
  return bytes >= 10 * mib && bytes <= tried + printed && bytes >= tried - printed - 2 * mib;
}

std::vector<TensorFit> fit(double tried, const Sizes& sizes) {
  const std::vector<Tensor> tensors = tensors_of(sizes);
  std::vector<TensorFit> out;
  for (const double times : {1.0, 2.0}) {  // one tensor explains a request better than two
    for (const double bytes : {2.0, 4.0}) {
      for (const Tensor& t : tensors) {
        const double total = t.elements * bytes * times;
        if (!fits(total, tried)) continue;
        out.push_back(
            {std::string(t.name),
             fmt::format("{}{} in {}", times > 1 ? "two of " : "", t.what, bytes > 2 ? "fp32" : "16 bits"),
             fmt::format("{}{} x {:.0f} bytes", times > 1 ? "2 x " : "", t.formula, bytes), total});
      }
    }
  }
  std::stable_sort(out.begin(), out.end(), [&](const TensorFit& a, const TensorFit& b) {
    return std::abs(a.bytes - tried) < std::abs(b.bytes - tried);
  });
  if (out.size() > 4) out.resize(4);
  return out;
}

/// Where no size of the run is known: tokens times the vocabulary of a well-known model, in fp32.
std::vector<TensorFit> known_vocabularies(double tried) {
  const schema::Schema& schema = schema::embedded_schema();
  const schema::FieldId field = schema.find("model.vocab_size");
  std::vector<double> seen;
  std::vector<TensorFit> out;
  for (const schema::ModelFacts& model : schema.models) {
    for (const schema::FieldValue& v : model.values) {
      if (v.field != field) continue;
      const source::Value value = schema.value(v.value);
      if (!value.is_int()) continue;
      const double vocab = static_cast<double>(value.as_int());
      if (vocab < 1000 || std::find(seen.begin(), seen.end(), vocab) != seen.end()) continue;
      seen.push_back(vocab);
      const double tokens = 1024 * std::round(tried / (4 * vocab) / 1024);
      const double total = tokens * vocab * 4;
      if (tokens < 1024 || std::abs(total - tried) > 0.006 * gib) continue;
      out.push_back({"logits", "logits in fp32",
                     fmt::format("{:.0f} tokens x {:.0f} vocabulary x 4 bytes", tokens, vocab), total});
    }
  }
  if (out.size() > 1) out.resize(1);
  return out;
}

}  // namespace

std::vector<TensorFit> fitting_tensors(double tried, const memory::Shape* shape, const Layout& layout,
                                       std::string_view module) {
  if (tried < 10 * mib) return {};
  std::optional<Sizes> sizes = shape != nullptr ? std::optional(sizes_of(*shape)) : sizes_of(layout);
  if (!sizes) return module == "logits" ? known_vocabularies(tried) : std::vector<TensorFit>{};
  std::vector<TensorFit> out = fit(tried, *sizes);
  // Where several fit, the one of the module that the traceback names.
  std::stable_partition(out.begin(), out.end(),
                        [&](const TensorFit& t) { return !module.empty() && t.name == module; });
  return out;
}

}  // namespace headroom::oom
