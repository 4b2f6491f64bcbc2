// Findings as the pipeline would make them, for printers.
#pragma once
#include <memory>
#include <string>

#include "headroom/report/report.hpp"

namespace headroom::report {

/// A mark on the first occurrence of `what` in the text.
inline rules::Mark mark(const source::SourceText& text, std::string_view what, std::string field) {
  const auto at = static_cast<std::uint32_t>(text.text().find(what));
  const auto size = static_cast<std::uint32_t>(what.size());
  return {field, field, text.name(), text.location({at, at + size})};
}

inline std::shared_ptr<const source::SourceText> sample_text() {
  return std::make_shared<const source::SourceText>("conf/a.yaml",
                                                    "model:\n"
                                                    "  cpu_offloading: true\n"
                                                    "  num_layers: 32\n"
                                                    "  pipeline_model_parallel_size: 2\n"
                                                    "  hidden_size: 4096\n"
                                                    "  ffn_hidden_size: 11008\n"
                                                    "optimizer:\n"
                                                    "  lr: 3.0e-4\n");
}

inline rules::Diagnostic sample_error(const source::SourceText& text) {
  rules::Diagnostic d;
  d.rule = "offload/pipeline-parallel";
  d.severity = rules::Severity::error;
  d.message =
      "cpu_offloading moves whole layers to the host and cannot follow a pipeline schedule "
      "(pipeline_model_parallel_size is 2)";
  d.fields = {"model.cpu_offloading", "model.pipeline_model_parallel_size"};
  d.primary = mark(text, "cpu_offloading: true", "model.cpu_offloading");
  d.related = {mark(text, "pipeline_model_parallel_size: 2", "model.pipeline_model_parallel_size")};
  rules::Fix offload;
  offload.title = "Offload optimizer state instead of activations";
  offload.set = {{"model.cpu_offloading", false},
                 {"optimizer.optimizer_cpu_offload", true},
                 {"optimizer.optimizer_offload_fraction", 0.5}};
  offload.verified = true;
  offload.evidence = {"qwen3-30b-a3b-optimizer-offload"};
  rules::Fix single;
  single.set = {{"model.pipeline_model_parallel_size", 1}};
  single.unset = {"model.virtual_pipeline_model_parallel_size"};
  single.verified = true;
  d.fixes = {offload, single};
  return d;
}

inline FileReport sample_report() {
  FileReport file;
  file.path = "conf/a.yaml";
  file.text = sample_text();
  file.context = {{"bridge", "0.6.0"}, {"mcore", "0.18.0"}, {"gpus", 32}, {"gpu", "h100"}};
  file.diagnostics = {sample_error(*file.text)};
  return file;
}

}  // namespace headroom::report
