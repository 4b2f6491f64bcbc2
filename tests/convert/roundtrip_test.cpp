// Recipes of the catalogue to Megatron-LM's flags and back: the values that would run stay, or are named as
// lost.
#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <set>

#include "headroom/convert/convert.hpp"
#include "headroom/dialect/recipe.hpp"
#include "headroom/lint/lint.hpp"

using headroom::resolve::EffectiveConfig;
using headroom::schema::FieldId;
using headroom::schema::Schema;
using headroom::source::Value;

namespace {

const Schema& schema() {
  return headroom::schema::embedded_schema();
}

/// Models that Megatron-LM's pretrain_gpt.py builds: no vision, no hybrid layers, no diffusion.
bool is_gpt(const EffectiveConfig& config) {
  const FieldId cls = schema().find("model._target_");
  const std::string name =
      config.now[cls].is_string() ? std::string(config.now[cls].as_string()) : std::string();
  for (const char* other : {"VL", "Omni", "Mamba", "Nemotron", "Hybrid", "Flux", "Wan", "Audio", "T5",
                            "Diffusion", "LLaDA", "Kimi", "Mimo", "Step", "Gemma4", "ASR"})
    if (name.find(other) != std::string::npos) return false;
  return !name.empty();
}

headroom::lint::Outcome read_back(const std::string& name, const std::string& text,
                                  const EffectiveConfig& like) {
  headroom::lint::Job job;
  job.text = std::make_shared<const headroom::source::SourceText>(name, text);
  job.command_line.bridge = std::string(headroom::schema::name(like.launch.release));
  job.command_line.gpus = like.launch.gpus;
  job.want_fixes = false;
  job.selection.ignore = {"*"};
  auto out = headroom::lint::lint(job);
  REQUIRE_FALSE(out.unreadable.has_value());
  return out;
}

bool means_nothing(const Value& v) {
  return v.is_null() || v.is_unknown() || v.is_opaque() || (v.is_list() && v.as_list().empty());
}

bool same(const Value& a, const Value& b) {
  if (a == b || a.to_text() == b.to_text()) return true;
  const auto off = [](const Value& v) { return v.is_null() || (v.is_bool() && !v.as_bool()); };
  if (off(a) && off(b)) return true;
  // `silu` and `torch.nn.functional.silu`
  const auto tail = [](std::string_view s) { return s.substr(s.find_last_of('.') + 1); };
  return a.is_string() && b.is_string() && tail(a.as_string()) == tail(b.as_string());
}

/// Gemma's approximation of GELU, gated: Megatron-LM has no flag for it.
bool has_no_flag(const EffectiveConfig& config, std::string_view name) {
  const Value& function = config.now[schema().find("model.activation_func")];
  return (name == "model.activation_func" || name == "model.gated_linear_unit") && function.is_string() &&
         function.as_string().find("fast_gelu") != std::string_view::npos;
}

}  // namespace

TEST_CASE("flags and back keep what runs") {
  const std::set<std::string> documented = {
      // One flag stands for several fields; it says what the model needs.
      "optimizer.barrier_with_L1_time", "tokenizer.vocab_size", "tokenizer.make_vocab_size_divisible_by",
      "dataset.seq_length", "optimizer.overlap_param_gather", "model.make_vocab_size_divisible_by",
      // Megatron-LM computes them.
      "scheduler.start_weight_decay", "scheduler.end_weight_decay", "model.add_qkv_bias",
      // No flag says this value.
      "train.manual_gc_eval", "model.async_tensor_model_parallel_allreduce",
      "model.pipeline_model_parallel_layout", "model.virtual_pipeline_model_parallel_size",
      "ddp.check_for_nan_in_grad", "model.rotary_base", "model.window_size", "optimizer.optimizer",
      "ddp.grad_reduce_in_fp32"};
  std::map<std::string, int> different;
  int tried = 0;
  const auto& recipes = schema().training_recipes;
  for (std::size_t i = 0; i < recipes.size(); i += 23) {
    headroom::resolve::LaunchContext launch;
    for (int r = 0; r < headroom::schema::release_count; ++r)
      if (headroom::schema::contains(recipes[i].releases, static_cast<headroom::schema::Release>(r)))
        launch.release = static_cast<headroom::schema::Release>(r);
    launch.gpus = recipes[i].gpus > 0 ? recipes[i].gpus : 64;
    const auto settings = headroom::dialect::settings_of_recipe(recipes[i], schema());
    const EffectiveConfig before =
        headroom::resolve::resolve(settings, launch, schema(), headroom::rules::embedded_resolve());
    if (!is_gpt(before)) continue;
    ++tried;
    INFO(recipes[i].name);
    const auto flags = headroom::convert::to_megatron_lm({&before, &settings, "recipe"},
                                                         headroom::rules::embedded_resolve());
    const auto middle = read_back("launch.sh", flags.text, before);
    CHECK(middle.settings.dialect == "megatron-lm");
    const auto yaml = headroom::convert::to_bridge({&middle.config, &middle.settings, "launch.sh"},
                                                   headroom::rules::embedded_resolve());
    const auto after = read_back("config.yaml", yaml.text, before);
    for (const FieldId id : headroom::convert::fields_with_flags(schema(), launch.release)) {
      if (means_nothing(before.now[id]) || same(before.now[id], after.config.now[id])) continue;
      const std::string name(schema().field(id).name);
      if (has_no_flag(before, name)) continue;
      different[name] += 1;
      INFO(name << ": " << before.now[id].to_text() << " became " << after.config.now[id].to_text());
      if (name != "model.pipeline_model_parallel_layout") CHECK(documented.contains(name));
    }
  }
  CHECK(tried > 8);
  CHECK(different.size() <= documented.size());
}

TEST_CASE("what has no counterpart is listed") {
  headroom::lint::Job job;
  job.text = std::make_shared<const headroom::source::SourceText>(
      "config.yaml",
      "model: {num_layers: 4, hidden_size: 64, num_attention_heads: 4}\npeft: {_target_: "
      "megatron.bridge.peft.lora.LoRA, "
      "dim: 16}\n");
  const auto out = headroom::lint::lint(job);
  const auto flags = headroom::convert::to_megatron_lm({&out.config, &out.settings, "config.yaml"},
                                                       headroom::rules::embedded_resolve());
  const auto names = [&](const char* field) {
    return std::any_of(flags.lost.begin(), flags.lost.end(), [&](const auto& l) { return l.field == field; });
  };
  CHECK(names("peft.dim"));
  CHECK_FALSE(names("model.num_layers"));
  CHECK_THAT(flags.text, Catch::Contains("--num-layers 4"));
}

TEST_CASE("the architecture of a model that is only named is written") {
  headroom::lint::Job job;
  job.text = std::make_shared<const headroom::source::SourceText>(
      "config.yaml", "model: {tensor_model_parallel_size: 2}\nheadroom: {gpus: 16, model: llama3-8b}\n");
  const auto out = headroom::lint::lint(job);
  const headroom::convert::From from{&out.config, &out.settings, "config.yaml"};
  const auto flags = headroom::convert::to_megatron_lm(from, headroom::rules::embedded_resolve());
  CHECK_THAT(flags.text, Catch::Contains("--hidden-size 4096") && Catch::Contains("--num-layers 32") &&
                             Catch::Contains("--swiglu"));
  const auto yaml = headroom::convert::to_bridge(from, headroom::rules::embedded_resolve());
  CHECK_THAT(yaml.text, Catch::Contains("hidden_size: 4096") && Catch::Contains("num_layers: 32"));
}

TEST_CASE("a switch whose effect is kept is not lost, and no field is written that the class lacks") {
  headroom::lint::Job job;
  job.text = std::make_shared<const headroom::source::SourceText>(
      "launch.sh",
      "torchrun --nproc_per_node 8 pretrain_gpt.py --num-layers 32 --hidden-size 4096 --num-attention-heads "
      "32 "
      "--swiglu --group-query-attention --num-query-groups 8 --seq-length 8192 --max-position-embeddings "
      "8192 "
      "--micro-batch-size 1 --global-batch-size 64 --bf16 --vocab-size 128256 --tokenizer-type "
      "NullTokenizer\n");
  const auto out = headroom::lint::lint(job);
  const auto yaml = headroom::convert::to_bridge({&out.config, &out.settings, "launch.sh"},
                                                 headroom::rules::embedded_resolve());
  for (const auto& lost : yaml.lost) {
    CHECK(lost.field != "args.swiglu");
    CHECK(lost.field != "args.group_query_attention");
  }
  headroom::lint::Job back;
  back.text = std::make_shared<const headroom::source::SourceText>("config.yaml", yaml.text);
  for (const auto& d : headroom::lint::lint(back).findings.diagnostics)
    CHECK(d.rule != "schema-check/not-in-class");
}

TEST_CASE("functions by any of their names are the same function") {
  for (const char* name : {"silu", "torch.nn.functional.silu"}) {
    headroom::lint::Job job;
    job.text = std::make_shared<const headroom::source::SourceText>(
        "config.yaml", std::string("model: {num_layers: 8, hidden_size: 1024, ffn_hidden_size: 4096, "
                                   "num_attention_heads: 16, vocab_size: 32000, seq_length: 2048, "
                                   "gated_linear_unit: true, activation_func: ") +
                           name + "}\ntrain: {micro_batch_size: 1, global_batch_size: 8}\n");
    const auto outcome = headroom::lint::lint(job);
    REQUIRE_FALSE(outcome.unreadable.has_value());
    const auto out = headroom::convert::to_megatron_lm({&outcome.config, &outcome.settings, "config.yaml"},
                                                       headroom::rules::embedded_resolve());
    INFO(name);
    CHECK(out.text.find("--swiglu") != std::string::npos);
  }
}
