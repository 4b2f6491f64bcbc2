#include "read_layout.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "headroom/lang/layout.hpp"

namespace headroom::memory {
namespace {

/// One chunk before kinds are known: how many layers, what else.
struct Part {
  std::int64_t layers = 0;
  std::int32_t mtp = 0;
  bool embedding = false, loss = false;
};

constexpr std::int64_t most_layers = 100'000;

std::int64_t whole(double x) {
  return static_cast<std::int64_t>(x);
}

bool listed_or_every(const source::Value& value, std::int64_t layer, bool fallback) {
  if (value.is_list()) {
    const auto& items = value.as_list();
    const auto at = static_cast<std::size_t>(layer);
    return at < items.size() && items[at].truthy();
  }
  if (!value.is_number()) return fallback;
  const auto every = whole(value.as_double());
  return every > 0 && layer % every == 0;
}

// linear_attention_freq: every n-th layer keeps full attention; a list says 1 for linear attention.
bool is_linear(const source::Value& frequency, std::int64_t layer) {
  if (frequency.is_list()) return listed_or_every(frequency, layer, true);
  const auto every = frequency.is_number() ? whole(frequency.as_double()) : 0;
  return every <= 0 || (layer + 1) % every != 0;
}

class Layers {
 public:
  Layers(const Fields& fields, const Shape& shape) : fields_(fields) {
    attention_ = fields.flag("model.multi_latent_attention") ? Mixer::mla : Mixer::attention;
    gdn_ = fields.flag("derived.is_gdn");
    experts_ = shape.model.experts > 0;
    const auto pattern = fields.text("derived.hybrid_pattern");
    if (!pattern.empty()) hybrid_ = lang::parse_hybrid(pattern, fields.config().launch.release);
    for (const auto& segment : hybrid_.segments) symbols_ += segment;
  }

  [[nodiscard]] const lang::HybridPattern& hybrid() const { return hybrid_; }
  [[nodiscard]] bool is_hybrid() const { return !symbols_.empty(); }
  [[nodiscard]] std::int64_t count() const {
    return is_hybrid() ? static_cast<std::int64_t>(symbols_.size())
                       : whole(fields_.number("model.num_layers"));
  }

  [[nodiscard]] LayerKind kind(std::int64_t layer) const {
    if (is_hybrid()) {
      return of_symbol(symbols_[std::min(static_cast<std::size_t>(layer), symbols_.size() - 1)]);
    }
    const bool linear = gdn_ && is_linear(fields_.value("model.linear_attention_freq"), layer);
    const bool moe = experts_ && listed_or_every(fields_.value("model.moe_layer_freq"), layer, true);
    return {linear ? Mixer::gated_delta_net : attention_, moe ? Feedforward::experts : Feedforward::dense};
  }

  [[nodiscard]] LayerKind of_symbol(char symbol) const {
    switch (symbol) {
      case 'M':
        return {Mixer::mamba, Feedforward::none};
      case 'G':
        return {Mixer::gated_delta_net, Feedforward::none};
      case '*':
      case 'D':
        return {attention_, Feedforward::none};
      case 'E':
        return {Mixer::none, Feedforward::experts};
      default:
        return {Mixer::none, Feedforward::dense};
    }
  }

 private:
  const Fields& fields_;
  Mixer attention_ = Mixer::attention;
  bool gdn_ = false, experts_ = false;
  lang::HybridPattern hybrid_;
  std::string symbols_;
};

std::vector<Part> parts_of_layout(const lang::PipelineLayout& layout) {
  std::vector<Part> parts;
  for (const auto& stage : layout.stages) {
    Part part;
    for (const char c : stage) {
      part.layers += c == 't' ? 1 : 0;
      part.mtp += c == 'm' ? 1 : 0;
      part.embedding |= c == 'E';
      part.loss |= c == 'L';
    }
    parts.push_back(part);
  }
  return parts;
}

std::vector<Part> parts_of_segments(const lang::HybridPattern& pattern) {
  std::vector<Part> parts;
  for (const auto& segment : pattern.segments) parts.push_back({static_cast<std::int64_t>(segment.size())});
  return parts;
}

/// megatron/core/transformer/transformer_block.py, get_num_layers_to_build: first and last stages of their
/// own size, or embedding and loss that count as a layer.
std::vector<Part> even_parts(const Fields& fields, std::int64_t layers, std::int64_t pp, std::int64_t vpp) {
  const bool embedding = fields.flag("model.account_for_embedding_in_pipeline_split");
  const bool loss = fields.flag("model.account_for_loss_in_pipeline_split");
  const auto first = whole(fields.number("model.num_layers_in_first_pipeline_stage", -1));
  const auto last = whole(fields.number("model.num_layers_in_last_pipeline_stage", -1));
  const bool own_first = first >= 0 && pp > 1, own_last = last >= 0 && pp > 1;
  const auto middle = std::max<std::int64_t>(pp - (own_first ? 1 : 0) - (own_last ? 1 : 0), 1);
  const auto rest =
      layers - (own_first ? first : 0) - (own_last ? last : 0) + (embedding ? 1 : 0) + (loss ? 1 : 0);
  std::vector<Part> parts;
  for (std::int64_t v = 0; v < vpp; ++v) {
    for (std::int64_t p = 0; p < pp; ++p) {
      auto of_stage = rest / middle + (p < rest % middle ? 1 : 0);
      if (own_first && p == 0) of_stage = first;
      if (own_last && p == pp - 1) of_stage = last;
      Part part{of_stage / vpp + (v < of_stage % vpp ? 1 : 0)};
      if (embedding && v == 0 && p == 0) --part.layers;
      if (loss && v == vpp - 1 && p == pp - 1) --part.layers;
      parts.push_back(part);
    }
  }
  return parts;
}

std::int32_t index_of(Shape& shape, LayerKind kind) {
  for (std::int32_t i = 0; i < shape.kind_count; ++i) {
    if (shape.kinds[static_cast<std::size_t>(i)] == kind) return i;
  }
  if (shape.kind_count == static_cast<std::int32_t>(max_kinds)) return 0;
  shape.kinds[static_cast<std::size_t>(shape.kind_count)] = kind;
  return shape.kind_count++;
}

/// What would take seconds or all memory: no such pipeline exists.
constexpr std::int64_t most_chunks = 2048;

std::string too_large(const std::vector<Part>& parts, const Shape& shape) {
  std::int64_t layers = 0;
  for (const Part& part : parts) layers += std::max<std::int64_t>(part.layers, 0);
  if (layers > most_layers) return "the number of layers in the pipeline is absurdly large";
  if (static_cast<std::int64_t>(parts.size()) > most_chunks) return "the pipeline is absurdly large";
  // What the schedule runs through before its pattern repeats.
  constexpr double most_steps = 1e6;
  const double group = std::min(shape.parallel.group, shape.microbatches);
  return group * static_cast<double>(parts.size()) > most_steps
             ? "model.microbatch_group_size_per_vp_stage is absurdly large"
             : std::string();
}

void place(const std::vector<Part>& parts, const Layers& layers, Shape& shape) {
  const auto pp = whole(shape.parallel.pp);
  std::int64_t next = 0;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    Chunk chunk;
    chunk.stage = static_cast<std::int32_t>(static_cast<std::int64_t>(i) % pp);
    chunk.virtual_stage = static_cast<std::int32_t>(static_cast<std::int64_t>(i) / pp);
    chunk.embedding = parts[i].embedding;
    chunk.loss = parts[i].loss;
    chunk.mtp_depths = parts[i].mtp;
    for (std::int64_t n = 0; n < parts[i].layers; ++n) {
      chunk.last_kind = index_of(shape, layers.kind(next++));
      ++chunk.layers[static_cast<std::size_t>(chunk.last_kind)];
    }
    shape.chunks.push_back(chunk);
  }
  std::stable_sort(shape.chunks.begin(), shape.chunks.end(),
                   [](const Chunk& a, const Chunk& b) { return a.stage < b.stage; });
}

}  // namespace

std::string read_layout(const Fields& fields, Shape& shape) {
  const Layers layers(fields, shape);
  const auto pp = whole(shape.parallel.pp);
  const auto vpp = pp > 1 ? whole(shape.parallel.vpp) : 1;
  if (layers.count() <= 0) return "model.num_layers is not set";
  if (layers.count() > most_layers) return "model.num_layers is absurdly large";
  if (pp > most_chunks || vpp > most_chunks || pp * vpp > most_chunks)
    return "the pipeline is absurdly large";
  std::vector<Part> parts;
  const auto& written = fields.value("model.pipeline_model_parallel_layout");
  if (written.is_string() || written.is_list()) {
    const auto layout = lang::parse_layout(written);
    if (!layout) return "model.pipeline_model_parallel_layout cannot be read";
    parts = parts_of_layout(*layout);
    if (parts.empty()) return "model.pipeline_model_parallel_layout has no stages";
    if (static_cast<std::int64_t>(parts.size()) % pp != 0)
      return fmt::format(
          "model.pipeline_model_parallel_layout has {} stages, which {} pipeline ranks cannot share",
          parts.size(), pp);
  } else if (layers.is_hybrid() && layers.hybrid().segments.size() > 1 &&
             static_cast<std::int64_t>(layers.hybrid().segments.size()) % pp == 0) {
    parts = parts_of_segments(layers.hybrid());
  } else {
    parts = even_parts(fields, layers.count(), pp, vpp);
  }
  shape.parallel.vpp = static_cast<double>(static_cast<std::int64_t>(parts.size()) / pp);
  parts.front().embedding = true;
  if (std::none_of(parts.begin(), parts.end(), [](const Part& p) { return p.loss; }))
    parts.back().loss = true;
  if (shape.model.mtp_depths > most_layers) return "model.mtp_num_layers is absurdly large";
  const auto depths = static_cast<std::int32_t>(shape.model.mtp_depths);
  if (depths > 0 && std::none_of(parts.begin(), parts.end(), [](const Part& p) { return p.mtp > 0; }))
    parts.back().mtp = depths;
  if (auto text = too_large(parts, shape); !text.empty()) return text;
  place(parts, layers, shape);
  if (depths == 0) return {};
  // A depth is one layer like the last, or what a hybrid pattern says.
  for (const char symbol : layers.hybrid().mtp)
    ++shape.mtp_layers[static_cast<std::size_t>(index_of(shape, layers.of_symbol(symbol)))];
  if (layers.hybrid().mtp.empty())
    ++shape.mtp_layers[static_cast<std::size_t>(index_of(shape, layers.kind(layers.count() - 1)))];
  return {};
}

}  // namespace headroom::memory
