#include "file_report.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "headroom/dialect/writer.hpp"

namespace headroom::app {
namespace {

using Context = std::vector<std::pair<std::string, source::Value>>;

// What was assumed is shown like what was given: a reader must see what the verdict stands on.
Context context_of(const resolve::EffectiveConfig& config) {
  const resolve::LaunchContext& launch = config.launch;
  const schema::ReleaseInfo& release = schema::info(launch.release);
  Context out;
  if (config.layer == resolve::Layer::bridge) out.emplace_back("bridge", release.name);
  out.emplace_back("mcore", schema::to_string(launch.mcore.value_or(release.mcore)));
  if (launch.gpus) out.emplace_back("gpus", *launch.gpus);
  if (launch.gpu != nullptr) out.emplace_back("gpu", launch.gpu->kind);
  if (launch.gpu_memory_bytes) {
    out.emplace_back("gpu_memory_bytes", static_cast<std::int64_t>(*launch.gpu_memory_bytes));
  }
  out.emplace_back("te", schema::to_string(launch.te.value_or(release.te)));
  out.emplace_back("torch", schema::to_string(launch.torch.value_or(release.torch)));
  if (launch.model != nullptr) out.emplace_back("model", launch.model->id);
  if (config.layer == resolve::Layer::megatron_core) out.emplace_back("layer", "megatron-core");
  if (config.layer == resolve::Layer::megatron_lm) out.emplace_back("layer", "megatron-lm");
  return out;
}

// An estimate stands in a check where nothing that it rests on has to be guessed.
void add_memory(report::FileReport& out, const lint::Outcome& outcome) {
  const resolve::EffectiveConfig& config = outcome.config;
  if (!config.launch.gpus || (config.launch.gpu == nullptr && !config.launch.gpu_memory_bytes)) return;
  if (const auto shape = memory::read_shape(config)) {
    out.memory = memory::peaks(shape->shape);
    return;
  }
  const auto about_memory = [](std::string_view id) { return id.starts_with("memory/"); };
  const auto left = std::ranges::count_if(outcome.findings.undecided, about_memory);
  if (left != 0) out.left_out.push_back({"the sizes of the model (--model)", static_cast<unsigned>(left)});
}

std::string need_of(const schema::Field& field) {
  if (field.space == schema::Space::environment) return "environment variables (--env, --env-file)";
  if (field.name == "launch.gpus") return "the number of GPUs (--gpus)";
  if (field.name == "launch.gpu" || field.name == "launch.sm") return "the GPU kind (--gpu)";
  return "values of the config that are not known";
}

std::vector<report::LeftOut> left_out(const std::vector<rules::Skipped>& skipped,
                                      const schema::Schema& schema) {
  std::vector<report::LeftOut> out;
  for (const auto& check : skipped) {
    std::vector<std::string> needs;  // each once a check
    for (const auto id : check.unknown) {
      const std::string need = need_of(schema.field(id));
      if (std::find(needs.begin(), needs.end(), need) == needs.end()) needs.push_back(need);
    }
    for (const auto& need : needs) {
      const auto same = [&](const report::LeftOut& known) { return known.need == need; };
      const auto found = std::find_if(out.begin(), out.end(), same);
      if (found == out.end()) {
        out.push_back({need, 1});
      } else {
        ++found->checks;
      }
    }
  }
  return out;
}

std::vector<dialect::Change> changes_of(const rules::Fix& fix) {
  std::vector<dialect::Change> out;
  for (const auto& [field, value] : fix.set) out.push_back({field, value});
  for (const auto& field : fix.unset) out.push_back({field, std::nullopt});
  for (const auto& [name, value] : fix.env) {
    out.push_back({"env." + name, value ? std::optional(source::Value(*value)) : std::nullopt});
  }
  return out;
}

// Fixes in the words of the file; a field that Bridge has no name for under the one that the file gives it.
void speak_own_language(report::FileReport& out, const lint::Outcome& outcome) {
  const schema::Schema& schema = schema::embedded_schema();
  const schema::Release release = outcome.config.launch.release;
  const auto rename = [&](std::string& field) {
    const schema::FieldId id = schema.find(field);
    if (id == schema::no_field || schema.field(id).space != schema::Space::extra) return;
    field = dialect::name_in_file(outcome.settings, schema, field);
  };
  for (auto& d : out.diagnostics) {
    for (auto& fix : d.fixes) {
      if (const auto spelt = dialect::spell(outcome.settings, schema, release, changes_of(fix))) {
        for (const auto& s : *spelt) fix.words.push_back(dialect::words_of(s));
      }
      for (auto& [field, value] : fix.set) rename(field);
      for (auto& field : fix.unset) rename(field);
    }
    for (auto& field : d.fields) rename(field);
  }
}

}  // namespace

report::FileReport file_report(const std::string& path, std::shared_ptr<const source::SourceText> text,
                               lint::Outcome outcome, bool advice) {
  report::FileReport out;
  out.path = path;
  out.text = std::move(text);
  if (outcome.unreadable) {
    out.unreadable = std::move(outcome.unreadable);
    return out;
  }
  const schema::Schema& schema = schema::embedded_schema();
  out.context = context_of(outcome.config);
  out.notes = std::move(outcome.notes);
  out.left_out = left_out(outcome.findings.skipped, schema);
  add_memory(out, outcome);
  out.diagnostics = std::move(outcome.findings.diagnostics);
  out.suppressed = std::move(outcome.suppressed);
  if (!advice) {
    std::erase_if(out.diagnostics, [](const auto& d) { return d.severity == rules::Severity::advice; });
  }
  const auto own_name = [&](const std::string& field) {
    if (schema.find(field) == schema::no_field) return;
    std::string name = dialect::name_in_file(outcome.settings, schema, field);
    if (name != field && !name.empty()) out.written_names.emplace(field, std::move(name));
  };
  for (const auto& d : out.diagnostics) {
    for (const auto& field : d.fields) own_name(field);
    for (const auto& fix : d.fixes) {
      for (const auto& [field, value] : fix.set) own_name(field);
      for (const auto& field : fix.unset) own_name(field);
    }
  }
  if (outcome.settings.table != nullptr) speak_own_language(out, outcome);
  return out;
}

report::FileReport unreadable_report(const std::string& path, source::Error error) {
  report::FileReport out;
  out.path = path;
  out.unreadable = std::move(error);
  return out;
}

}  // namespace headroom::app
