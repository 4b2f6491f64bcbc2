// The ledger with its lines: the formulas of peaks.cpp once more, with a recorder.
#include <fmt/format.h>

#include <algorithm>

#include "chunk.hpp"
#include "headroom/memory/ledger.hpp"
#include "sources.hpp"
#include "states.hpp"

namespace headroom::memory {
namespace {

std::vector<std::string_view> words(std::string_view text) {
  std::vector<std::string_view> out;
  while (!text.empty()) {
    const auto end = std::min(text.find(' '), text.size());
    if (end > 0) out.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

std::string number(double x) {
  return x == static_cast<double>(static_cast<long long>(x)) ? fmt::format("{:.0f}", x)
                                                             : fmt::format("{:.4g}", x);
}

std::string formula(const std::vector<Factor>& factors, std::string_view times) {
  std::string text;
  for (const Factor& f : factors) {
    if (!text.empty()) text += f.over ? " / " : " x ";
    text += fmt::format("{} {}", number(f.value), f.name);
  }
  return text + std::string(times);
}

std::string_view phase_of(Record::Life life) {
  switch (life) {
    case Record::Life::kept:
      return "forward to backward";
    case Record::Life::forward:
      return "forward";
    case Record::Life::backward:
      return "backward";
    case Record::Life::replayed:
      return "backward, replayed";
    case Record::Life::offloaded:
      return "on the host between its passes";
    case Record::Life::fixed:
      return "always";
  }
  return "always";
}

class Explainer {
 public:
  explicit Explainer(const Shape& s, Ledger& out) : s_(s), out_(out) {}

  void stage(const StagePeaks& stage) {
    stage_ = stage.stage;
    Records records;
    const Parameters n = parameters_of(s_, stage_, &records);
    add(records, 1, "", "weights");
    records.clear();
    static_cast<void>(states_of(s_, n, &records));
    static_cast<void>(workspace_of(s_, stage_, &records));
    add(records, 1, "", "");
    for (const Chunk& chunk : s_.chunks) {
      if (chunk.stage == stage_) activations(chunk);
    }
  }

 private:
  void activations(const Chunk& chunk) {
    const auto where = s_.parallel.vpp > 1 ? fmt::format(" (chunk {})", chunk.virtual_stage) : std::string();
    Records records;
    if (chunk.embedding) {
      Walk w(&records);
      embedding_activations(s_, w);
      add(records, 1, where, "");
    }
    for (std::size_t k = 0; k < static_cast<std::size_t>(s_.kind_count); ++k) {
      if (chunk.layers[k] == 0) continue;
      records.clear();
      Walk w(&records);
      layer_activations(s_, s_.kinds[k], w);
      const bool full = s_.saving.mode == Recompute::uniform || s_.saving.mode == Recompute::block;
      for (Record& r : records) {
        if (full && r.life == Record::Life::kept) r.life = Record::Life::replayed;
      }
      add(records, chunk.layers[k], where, "");
    }
    if (chunk.loss) {
      records.clear();
      Walk w(&records);
      loss_activations(s_, w);
      add(records, 1, where, "");
    }
  }

  void add(const Records& records, double layers, const std::string& where, std::string_view module) {
    for (const Record& r : records) {
      const bool each = layers > 1 && r.life == Record::Life::kept;
      Line line;
      line.stage = stage_;
      line.name = std::string(r.item.name) + where;
      line.module =
          module.empty() ? std::string(r.item.module) : fmt::format("{} of {}", module, r.item.module);
      line.phase = phase_of(r.life);
      line.bytes = r.bytes * (each ? layers : 1);
      line.formula = formula(r.factors, each ? fmt::format(" x {} layers", number(layers)) : std::string());
      line.source = source_text(r.item.source);
      line.fields = words(r.item.fields);
      out_.lines.push_back(std::move(line));
    }
  }

  const Shape& s_;
  Ledger& out_;
  std::int32_t stage_ = 0;
};

}  // namespace

std::string_view name_of(Phase phase) {
  switch (phase) {
    case Phase::forward:
      return "forward";
    case Phase::backward:
      return "backward";
    case Phase::optimizer_init:
      return "optimizer-init";
    case Phase::optimizer:
      return "optimizer";
  }
  return "backward";
}

Ledger explain(const Shape& shape) {
  Ledger out;
  out.peaks = peaks(shape);
  Explainer explainer(shape, out);
  for (const StagePeaks& stage : out.peaks.stages) explainer.stage(stage);
  return out;
}

}  // namespace headroom::memory
