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
  out.topk = s.model.topk;
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
  out.topk = number_of(layout, "moe_router_topk", 0);
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

class Fitter {
 public:
  Fitter(double tried, const Sizes& s) : tried_(tried), s_(s) {}

  std::vector<TensorFit> run() {
    const std::string over_tp = s_.tp > 1 ? fmt::format(" / {} tensor ranks", count(s_.tp)) : "";
    const std::string tokens = count(s_.tokens) + " tokens";
    for (const double bytes : {4.0, 2.0}) {
      add("logits", bytes, s_.tokens * s_.vocab / s_.tp,
          fmt::format("{} x {} vocabulary{}", tokens, count(s_.vocab), over_tp), "logits");
      add("attention-scores", bytes, s_.micro_batch * s_.heads / s_.tp * s_.sequence * s_.sequence / s_.cp,
          fmt::format("{} sequences x {} heads x {} x {}{}", count(s_.micro_batch), count(s_.heads),
                      count(s_.sequence), count(s_.sequence / s_.cp), over_tp),
          "attention scores");
      add("gated-input", bytes, s_.tokens * s_.ffn * s_.gated / s_.tp,
          fmt::format("{} x {} x {} feed-forward width{}", tokens, count(s_.gated), count(s_.ffn), over_tp),
          "input of the activation function");
      add("mlp", bytes, s_.tokens * s_.ffn / s_.tp,
          fmt::format("{} x {} feed-forward width{}", tokens, count(s_.ffn), over_tp),
          "output of the activation function");
      add("expert-input", bytes, s_.tokens * s_.topk * s_.hidden,
          fmt::format("{} x {} experts each x {} hidden", tokens, count(s_.topk), count(s_.hidden)),
          "tokens sent to experts");
      add("expert-mlp", bytes, s_.tokens * s_.topk * s_.expert_ffn * s_.gated,
          fmt::format("{} x {} experts each x {} x {} expert width", tokens, count(s_.topk), count(s_.gated),
                      count(s_.expert_ffn)),
          "input of the experts' activation function");
      add("qkv", bytes, s_.tokens * (s_.heads + 2 * s_.groups) * s_.head_dim / s_.tp,
          fmt::format("{} x {} heads of query, key and value x {}{}", tokens, count(s_.heads + 2 * s_.groups),
                      count(s_.head_dim), over_tp),
          "query, key and value");
      add("hidden", bytes, s_.tokens * s_.hidden, fmt::format("{} x {} hidden", tokens, count(s_.hidden)),
          "hidden states of whole sequences");
      if (s_.rows != s_.tokens)
        add("hidden-shard", bytes, s_.rows * s_.hidden,
            fmt::format("{} tokens x {} hidden", count(s_.rows), count(s_.hidden)),
            "hidden states of one rank");
      add("embedding-weight", bytes, s_.vocab * s_.hidden / s_.tp,
          fmt::format("{} vocabulary x {} hidden{}", count(s_.vocab), count(s_.hidden), over_tp),
          "weight of the embedding or output layer");
      add("mlp-weight", bytes, s_.ffn * s_.gated * s_.hidden / s_.tp,
          fmt::format("{} x {} feed-forward width x {} hidden{}", count(s_.gated), count(s_.ffn),
                      count(s_.hidden), over_tp),
          "weight of the first feed-forward layer");
      add("mlp-weight", bytes, s_.ffn * s_.hidden / s_.tp,
          fmt::format("{} feed-forward width x {} hidden{}", count(s_.ffn), count(s_.hidden), over_tp),
          "weight of the second feed-forward layer");
    }
    std::stable_sort(out_.begin(), out_.end(), [&](const TensorFit& a, const TensorFit& b) {
      return std::abs(a.bytes - tried_) < std::abs(b.bytes - tried_);
    });
    if (out_.size() > 4) out_.resize(4);
    return std::move(out_);
  }

 private:
  void add(const char* name, double bytes, double elements, const std::string& formula, const char* what) {
    for (const double times : {1.0, 2.0}) {
      const double total = elements * bytes * times;
      // Requests above 10 MiB are rounded up to 2 MiB; the message has two decimals of its unit.
      const double printed = tried_ >= gib ? 0.006 * gib : 0.006 * mib;
      if (total < 10 * mib || total > tried_ + printed || total < tried_ - printed - 2 * mib) continue;
      const bool twice = times > 1;
      out_.push_back(
          {name, fmt::format("{}{} in {}", twice ? "two of " : "", what, bytes == 4 ? "fp32" : "16 bits"),
           fmt::format("{}{} x {:.0f} bytes", twice ? "2 x " : "", formula, bytes), total});
    }
  }

  double tried_;
  const Sizes& s_;
  std::vector<TensorFit> out_;
};

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
      const double tokens = std::round(tried / (4 * vocab));
      const double total = tokens * vocab * 4;
      if (tokens < 1024 || std::fmod(tokens, 1024) != 0 || std::abs(total - tried) > 0.006 * gib) continue;
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
  std::vector<TensorFit> out = Fitter(tried, *sizes).run();
  // Where several fit, the one of the module that the traceback names.
  std::stable_partition(out.begin(), out.end(),
                        [&](const TensorFit& t) { return !module.empty() && t.name == module; });
  return out;
}

}  // namespace headroom::oom
