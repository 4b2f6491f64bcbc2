#include "stages.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <string>

#include "headroom/lang/layout.hpp"

namespace headroom::plan {
namespace {

using source::Value;

constexpr std::int64_t most_stages = 32, most_virtual = 20;
/// A split whose largest chunk has more than this over the average wastes the rest of the pipeline.
constexpr double most_uneven = 1.15;

/// The model as the split sees it.
struct Layers {
  std::int64_t decoder = 0, mtp = 0;
  bool hybrid = false, has_layout = false, has_flags = false;
};

class Stages {
 public:
  explicit Stages(const resolve::EffectiveConfig& config) : config_(config) {
    layers_.decoder = number("model.num_layers");
    layers_.mtp = number("model.mtp_num_layers");
    layers_.hybrid = !text("derived.hybrid_pattern").empty();
    layers_.has_layout = exists("model.pipeline_model_parallel_layout");
    layers_.has_flags = exists("model.account_for_embedding_in_pipeline_split");
  }

  std::vector<rules::Fix> run() {
    const std::int64_t gpus = number("launch.gpus");
    if (layers_.decoder <= 0 || gpus <= 0 || layers_.hybrid) return {};
    for (std::int64_t pp = 1; pp <= std::min({most_stages, layers_.decoder, gpus}); ++pp) {
      if (gpus % pp != 0) continue;
      // Three by two is as far as sizes of a cluster go beside powers of two.
      if (std::has_single_bit(static_cast<std::uint64_t>(pp % 3 == 0 ? pp / 3 : pp)))
        for (std::int64_t vpp = 1; vpp <= (pp > 1 ? most_virtual : 1); ++vpp)
          if (pp * vpp <= layers_.decoder) splits(pp, vpp);
    }
    return std::move(out_);
  }

 private:
  [[nodiscard]] const Value& value(std::string_view name) const {
    static const Value none;
    const auto id = config_.schema->find(name);
    return id == schema::no_field ? none : config_.now[id];
  }
  [[nodiscard]] std::int64_t number(std::string_view name) const {
    const Value& v = value(name);
    return v.is_int() ? v.as_int() : 0;
  }
  [[nodiscard]] std::string_view text(std::string_view name) const {
    const Value& v = value(name);
    return v.is_string() ? v.as_string() : std::string_view();
  }
  [[nodiscard]] bool exists(std::string_view name) const {
    const auto id = config_.schema->find(name);
    return id != schema::no_field &&
           schema::contains(config_.schema->field(id).releases, config_.launch.release);
  }

  void splits(std::int64_t pp, std::int64_t vpp) {
    const std::int64_t chunks = pp * vpp;
    if (layers_.decoder % chunks == 0) add(pp, vpp, Value(), 0, "");
    if (pp == 1) return;
    const bool even = layers_.decoder % chunks == 0;
    if (layers_.mtp == 0 && !even && layers_.has_flags) {
      for (const int ends : {1, 2})
        if ((layers_.decoder + ends) % chunks == 0) return add(pp, vpp, Value(), ends, "");
    }
    // Of uneven splits the usual numbers of virtual stages: all others differ by a layer here and there.
    const bool usual = vpp <= 4 || vpp == 6 || vpp == 8 || vpp == 12;
    if (layers_.has_layout && usual && (layers_.mtp > 0 || !even)) uneven(pp, vpp);
  }

  /// Equal work a chunk: a prediction depth counts as a layer with the loss it brings, and so does the loss.
  void uneven(std::int64_t pp, std::int64_t vpp) {
    const std::int64_t chunks = pp * vpp, last = layers_.mtp + 1;
    const std::int64_t units = layers_.decoder + last;
    const std::int64_t each = (units + chunks - 1) / chunks;
    if (static_cast<double>(each * chunks) / static_cast<double>(units) > most_uneven) return;
    std::vector<std::int64_t> decoder(static_cast<std::size_t>(chunks), 0);
    decoder.back() = std::max<std::int64_t>(each - last, 0);
    // What is over goes to chunks in the middle: the ends hold embedding and loss.
    const std::int64_t rest = layers_.decoder - decoder.back(), others = chunks - 1;
    const std::int64_t base = rest / others, more = rest % others, first = (others - more + 1) / 2;
    for (std::int64_t i = 0; i < others; ++i)
      decoder[static_cast<std::size_t>(i)] = base + (i >= first && i < first + more ? 1 : 0);
    if (*std::ranges::max_element(decoder) > each) return;
    std::string layout;
    for (std::size_t i = 0; i < decoder.size(); ++i) {
      if (i > 0) layout += '|';
      if (i == 0) layout += 'E';
      layout.append(static_cast<std::size_t>(decoder[i]), 't');
      if (i + 1 == decoder.size()) layout += std::string(static_cast<std::size_t>(layers_.mtp), 'm') + "L";
    }
    add(pp, vpp, Value(layout), 0, layout);
  }

  /// The given layout in other words.
  [[nodiscard]] bool as_given(std::int64_t pp, const Value& layout) const {
    const Value& given = value("model.pipeline_model_parallel_layout");
    if (!layout.is_string() || given.is_null() || number("model.pipeline_model_parallel_size") != pp)
      return false;
    const auto one = lang::parse_layout(layout), two = lang::parse_layout(given);
    return one && two && one->stages == two->stages;
  }

  void add(std::int64_t pp, std::int64_t vpp, Value layout, int ends, const std::string& shown) {
    if (as_given(pp, layout)) return;
    rules::Fix fix;
    set(fix, "model.pipeline_model_parallel_size", Value(pp));
    set(fix, "model.virtual_pipeline_model_parallel_size", vpp > 1 ? Value(vpp) : Value());
    if (layers_.has_layout) set(fix, "model.pipeline_model_parallel_layout", std::move(layout));
    if (layers_.has_flags) {
      set(fix, "model.account_for_embedding_in_pipeline_split", Value(ends == 2));
      set(fix, "model.account_for_loss_in_pipeline_split", Value(ends >= 1));
    }
    set(fix, "model.num_layers_in_first_pipeline_stage", Value());
    set(fix, "model.num_layers_in_last_pipeline_stage", Value());
    set(fix, "model.microbatch_group_size_per_vp_stage", Value());
    fix.title = fmt::format("PP {}{}{}", pp, vpp > 1 ? fmt::format(" x {}", vpp) : "",
                            shown.empty() ? "" : " as " + shown);
    out_.push_back(std::move(fix));
  }

  /// What the config says already is no change.
  void set(rules::Fix& fix, std::string_view name, Value value) const {
    const auto id = config_.schema->find(name);
    if (id == schema::no_field || !exists(name)) return;
    const Value& raw = config_.raw[id];
    const bool off = (raw.is_null() || (raw.is_bool() && !raw.as_bool())) && !value.truthy();
    if (off || (raw == value && raw.is_bool() == value.is_bool())) return;
    fix.set.emplace_back(std::string(name), std::move(value));
  }

  const resolve::EffectiveConfig& config_;
  Layers layers_;
  std::vector<rules::Fix> out_;
};

}  // namespace

std::vector<rules::Fix> stage_choices(const resolve::EffectiveConfig& config) {
  return Stages(config).run();
}

}  // namespace headroom::plan
