#include "shapes.hpp"

#include <algorithm>

namespace headroom::plan {
namespace {

using source::Value;

double number(const Value& v, double otherwise) {
  return v.is_number() ? v.as_double() : otherwise;
}

bool equal(const memory::Chunk& a, const memory::Chunk& b) {
  return a.layers == b.layers && a.mtp_depths == b.mtp_depths && a.embedding == b.embedding &&
         a.loss == b.loss && a.last_kind == b.last_kind && a.virtual_stage == b.virtual_stage;
}

bool equal(const std::vector<memory::Chunk>& a, const std::vector<memory::Chunk>& b) {
  return std::ranges::equal(a, b,
                            [](const auto& x, const auto& y) { return x.stage == y.stage && equal(x, y); });
}

/// The first of all stages with equal chunks: it holds most micro-batches.
std::vector<std::int32_t> representatives(const std::vector<memory::Chunk>& chunks) {
  std::vector<std::vector<const memory::Chunk*>> by_stage;
  for (const memory::Chunk& c : chunks) {
    by_stage.resize(std::max(by_stage.size(), static_cast<std::size_t>(c.stage) + 1));
    by_stage[static_cast<std::size_t>(c.stage)].push_back(&c);
  }
  std::vector<std::int32_t> out;
  for (std::size_t s = 0; s < by_stage.size(); ++s) {
    const bool known = std::ranges::any_of(out, [&](std::int32_t other) {
      return std::ranges::equal(by_stage[s], by_stage[static_cast<std::size_t>(other)],
                                [](const auto* a, const auto* b) { return equal(*a, *b); });
    });
    if (!known) out.push_back(static_cast<std::int32_t>(s));
  }
  return out;
}

}  // namespace

Shapes::Shapes(const Request& request, const Space& space, const std::vector<Combination>& activation_choices,
               const std::vector<Combination>& state_choices, const std::vector<Combination>& allocator)
    : request_(request) {
  const schema::Schema& schema = *request.bench.schema;
  tp_ = schema.find("model.tensor_model_parallel_size");
  pp_ = schema.find("model.pipeline_model_parallel_size");
  vpp_ = schema.find("model.virtual_pipeline_model_parallel_size");
  cp_ = schema.find("model.context_parallel_size");
  ep_ = schema.find("model.expert_model_parallel_size");
  etp_ = schema.find("model.expert_tensor_parallel_size");
  sequence_ = schema.find("model.sequence_parallel");
  group_ = schema.find("model.microbatch_group_size_per_vp_stage");
  micro_batch_ = schema.find("train.micro_batch_size");
  const auto shape = memory::read_shape(*request.bench.config);
  if (!shape) {
    unreadable_ = shape.error().message;
    return;
  }
  given_ = {shape->shape, cost::read_job(*request.bench.config)};
  const Value& batch = request.bench.config->now[schema.find("train.global_batch_size")];
  sizes_.global_batch = number(batch, 0);
  sizes_.gpus = given_.shape.parallel.gpus;
  sizes_.instances = given_.shape.parallel.instances;
  etp_written_ = request.bench.config->set[etp_] != 0;
  read_axes(space);
  for (const Combination& c : activation_choices) {
    const auto run = c.changed == 0 ? std::optional(given_) : read(c.change);
    activations.push_back(
        run ? ActivationParts{run->shape.saving, run->shape.graphs, run->shape.adapter, true}
            : ActivationParts{{}, {}, {}, false});
  }
  for (const Combination& c : state_choices) {
    const auto run = c.changed == 0 ? std::optional(given_) : read(c.change);
    states.push_back(run ? StateParts{run->shape.states, run->job.switches.optimizer_overlap, true}
                         : StateParts{{}, false, false});
  }
  for (const StateParts& s : states) {
    const auto alike = std::ranges::find_if(states, [&](const StateParts& other) {
      return other.states.fsdp == s.states.fsdp && other.states.sharding == s.states.sharding &&
             other.readable == s.readable;
    });
    first_alike.push_back(static_cast<std::uint32_t>(alike - states.begin()));
  }
  for (const Combination& c : allocator) {
    const auto run = c.changed == 0 ? std::optional(given_) : read(c.change);
    expandable.push_back(run && run->shape.expandable_segments);
  }
}

std::optional<Run> Shapes::read(const rules::Fix& change) const {
  const advise::Applied applied = advise::apply(change, request_.bench);
  const auto config =
      resolve::resolve(applied.settings, applied.launch, *request_.bench.schema, *request_.bench.resolve);
  auto shape = memory::read_shape(config);
  if (!shape) return std::nullopt;
  return Run{std::move(shape->shape), cost::read_job(config)};
}

void Shapes::read_axes(const Space& space) {
  for (std::size_t a = 0; a < space.layout.size(); ++a) {
    const Axis& axis = space.layout[a];
    const schema::FieldId field = axis.dimension->field;
    const bool stages = axis.dimension->stages, tensor = field == tp_, expert = field == ep_;
    if (stages) stage_axis_ = static_cast<int>(a);
    if (tensor) tensor_axis_ = static_cast<int>(a);
    if (expert) expert_axis_ = static_cast<int>(a);
    if (!stages && !tensor && !expert) continue;
    for (std::size_t c = 0; c < axis.choices.size(); ++c) {
      const auto run = c == 0 ? std::optional(given_) : read(axis.choices[c].change);
      if (stages) {
        StageParts parts;
        parts.readable = run.has_value();
        if (run)
          parts = {run->shape.chunks,
                   representatives(run->shape.chunks),
                   run->shape.parallel.vpp,
                   run->shape.overlap_p2p,
                   true,
                   0};
        const auto like = std::ranges::find_if(stages_, [&](const StageParts& other) {
          return other.readable == parts.readable && other.vpp == parts.vpp &&
                 other.overlap_p2p == parts.overlap_p2p && equal(other.chunks, parts.chunks);
        });
        parts.first_alike = static_cast<std::uint32_t>(like - stages_.begin());
        stages_.push_back(std::move(parts));
      } else if (tensor) {
        tensor_.push_back(run ? TensorParts{run->shape.model.vocab, run->job.switches.tensor_overlap}
                              : TensorParts{});
      } else {
        imbalance_.push_back(run ? run->shape.kernels.imbalance : 1);
      }
    }
  }
  if (stage_axis_ < 0)
    stages_.push_back({given_.shape.chunks, representatives(given_.shape.chunks), given_.shape.parallel.vpp,
                       given_.shape.overlap_p2p, true, 0});
}

bool Shapes::is_implicit(const Axis& axis) const {
  const schema::FieldId field = axis.dimension->field;
  return field != schema::no_field && request_.bench.config->raw[field].is_null();
}

const StageParts& Shapes::stages(const std::vector<std::uint32_t>& chosen) const {
  return stages_[stage_axis_ < 0 ? 0 : chosen[static_cast<std::size_t>(stage_axis_)]];
}

bool Shapes::set_layout(const Legality& legality, const std::vector<std::uint32_t>& chosen, Run& run) const {
  const StageParts& split = stages(chosen);
  if (!split.readable) return false;
  memory::Sizes z = sizes_;
  z.tp = number(legality.value(tp_), 1);
  z.pp = number(legality.value(pp_), 1);
  z.vpp = split.vpp;
  z.cp = number(legality.value(cp_), 1);
  z.ep = number(legality.value(ep_), 1);
  z.etp = number(legality.value(etp_), 0);
  z.etp_written = etp_written_ || z.etp != z.tp;
  z.sequence = legality.value(sequence_).truthy();
  z.group = number(legality.value(group_), 0);
  z.micro_batch = number(legality.value(micro_batch_), 1);
  memory::spread(z, run.shape);
  run.shape.chunks = split.chunks;
  run.shape.overlap_p2p = split.overlap_p2p;
  if (tensor_axis_ >= 0) {
    const TensorParts& t = tensor_[chosen[static_cast<std::size_t>(tensor_axis_)]];
    run.shape.model.vocab = t.vocab;
    run.job.switches.tensor_overlap = t.overlap;
  }
  if (expert_axis_ >= 0)
    run.shape.kernels.imbalance = imbalance_[chosen[static_cast<std::size_t>(expert_axis_)]];
  return true;
}

void Shapes::set(const ActivationParts& parts, Run& run) {
  run.shape.saving = parts.saving;
  run.shape.graphs = parts.graphs;
  run.shape.adapter = parts.adapter;
}

void Shapes::set(const StateParts& parts, Run& run) {
  run.shape.states = parts.states;
  run.job.switches.optimizer_overlap = parts.optimizer_overlap;
}

}  // namespace headroom::plan
