#include <catch2/catch.hpp>

#include <algorithm>

#include "headroom/schema/schema.hpp"

using namespace headroom::schema;
using headroom::source::Opaque;
using headroom::source::Value;

namespace {

const Schema& table() {
  return embedded_schema();
}

FieldId id(std::string_view name) {
  FieldId found = table().find(name);
  INFO(name);
  REQUIRE(found != no_field);
  return found;
}

}  // namespace

TEST_CASE("every field is found by its name, and nothing else is") {
  const Schema& s = table();
  CHECK(s.size() > 1200);
  for (std::size_t i = 0; i < s.size(); ++i) CHECK(s.find(s.fields[i].name) == i);
  CHECK(s.find("") == no_field);
  CHECK(s.find("model.") == no_field);
  CHECK(s.find("model.recompute_granularit") == no_field);
  CHECK(s.find("zzz") == no_field);
  for (const char* name : {"model", "model._target_", "model._builder_", "env.NCCL_GRAPH_REGISTER",
                           "launch.gpus", "derived.is_moe", "dataset.dataset_kwargs.pad_to_max_length",
                           "dataset.offline_packing_specs.packed_sequence_size", "peft._target_"})
    CHECK(s.find(name) != no_field);
}

TEST_CASE("the parts of a field refer to what exists") {
  const Schema& s = table();
  for (const Field& f : s.fields) {
    INFO(f.name);
    CHECK(f.releases != 0);
    CHECK((f.deprecated & ~f.releases) == 0);
    bool in_section = f.space == Space::config || f.space == Space::section;
    CHECK(in_section == (f.section < s.sections.size()));
    if (in_section) CHECK(f.name.substr(0, f.name.find('.')) == s.sections[f.section].name);
    for (auto cls : f.classes) CHECK(s.find_class(cls) != nullptr);
    if (f.parent != no_field) CHECK(f.name.starts_with(s.field(f.parent).name));
  }
}

TEST_CASE("defaults by class and release") {
  struct Case {
    const char* field;
    const char* cls;
    Release release;
    Value value;
  };
  const Release r22 = Release::v0_2_2, r31 = Release::v0_3_1, r42 = Release::v0_4_2, r51 = Release::v0_5_1,
                r60 = Release::v0_6_0, head = Release::main;
  const Case cases[] = {
      {"model.num_layers", "", r60, 0},
      {"model.num_layers", "HybridModelProvider", r60, Value()},
      {"model.normalization", "GPTModelProvider", head, "LayerNorm"},
      {"model.normalization", "MambaModelProvider", r22, "RMSNorm"},
      {"model.gradient_accumulation_fusion", "", r22, false},
      {"model.gradient_accumulation_fusion", "", r31, false},
      {"model.gradient_accumulation_fusion", "", r42, true},
      {"model.gradient_accumulation_fusion", "", r60, true},
      {"model.gradient_accumulation_fusion", "T5ModelProvider", r60, false},
      {"model.cuda_graph_scope", "", r22, Value()},
      {"model.cuda_graph_scope", "", r42, "full"},
      {"model.cuda_graph_scope", "", r60, Value()},
      {"model.attention_backend", "", r60, "auto"},
      {"model.attention_backend", "HybridModelProvider", r60, "flash"},
      {"model.activation_func", "", r60, "torch.nn.functional.gelu"},
      {"model.params_dtype", "", r60, "float32"},
      {"model.params_dtype", "HybridModelProvider", r60, "bfloat16"},
      // Providers that older releases have for each size.
      {"model.num_layers", "Llama3ModelProvider70B", r22, 80},
      {"model.hidden_size", "Llama3ModelProvider70B", r31, 8192},
      {"model.seq_length", "megatron.bridge.models.llama.llama_provider.Llama31ModelProvider8B", r31, 131072},
      {"model.activation_func", "Llama3ModelProvider70B", r22, "torch.nn.functional.silu"},
      // Bridge's MLA config inherits over Megatron-Core's value; the bare class keeps it.
      {"model.multi_latent_attention", "megatron.core.transformer.transformer_config.MLATransformerConfig",
       r60, true},
      {"model.multi_latent_attention", "megatron.bridge.models.transformer_config.MLATransformerConfig", r60,
       false},
      {"model.cross_entropy_loss_fusion", "GPTModelProvider", r60, true},
      {"model.cross_entropy_loss_fusion", "megatron.core.transformer.transformer_config.TransformerConfig",
       r60, false},
      {"peft.alpha", "", r60, 32},
      {"peft.alpha", "DoRA", r60, 64},
      {"optimizer.lr", "", r60, Value()},
      {"ddp.grad_reduce_in_fp32", "", r51, false},
      {"mixed_precision.fp8_recipe", "", r60, "tensorwise"},
      {"train.micro_batch_size", "", r60, Value()},
  };
  for (const Case& c : cases) {
    INFO(c.field << " of '" << c.cls << "' in " << name(c.release));
    auto got = table().default_value(id(c.field), c.release, std::string_view(c.cls));
    REQUIRE(got);
    INFO("got " << got->to_text() << ", want " << c.value.to_text());
    CHECK(*got == c.value);
    CHECK(got->is_bool() == c.value.is_bool());
  }
}

TEST_CASE("fields that a class or a release lacks have no default") {
  const Schema& s = table();
  CHECK_FALSE(s.default_value(id("model.cuda_graph_modules"), Release::v0_4_2, std::string_view()));
  CHECK(s.default_value(id("model.cuda_graph_modules"), Release::v0_5_1, std::string_view()));
  CHECK_FALSE(
      s.default_value(id("model.q_lora_rank"), Release::v0_6_0, std::string_view("GPTModelProvider")));
  CHECK(s.default_value(id("model.q_lora_rank"), Release::v0_6_0, std::string_view("MLAModelProvider")));
  CHECK_FALSE(
      s.default_value(id("model.seq_length"), Release::v0_6_0,
                      std::string_view("megatron.core.transformer.transformer_config.TransformerConfig")));
  CHECK(s.class_has(s.find_class("BridgeGPTModelConfig"), id("model.num_layers"), Release::main));
  CHECK(s.class_has(nullptr, id("model.num_layers"), Release::main));
  // A class of somebody's own is taken for the standard one.
  CHECK(s.default_value(id("model.num_layers"), Release::v0_6_0, std::string_view("my.own.Provider")) ==
        Value(0));
  CHECK(s.default_value(id("dist.local_rank"), Release::v0_6_0, std::string_view())->is_unknown());
}

TEST_CASE("classes know their bases") {
  const Schema& s = table();
  CHECK(
      s.is_subclass("megatron.bridge.models.mamba.mamba_provider.MambaModelProvider", "HybridModelProvider"));
  CHECK(s.is_subclass("Llama3ModelProvider70B", "GPTModelProvider"));
  CHECK(s.is_subclass("Llama3ModelProvider70B", "TransformerConfig"));
  CHECK(s.is_subclass("DoRA", "PEFT"));
  CHECK(s.is_subclass("GPTModelProvider", "GPTModelProvider"));
  CHECK_FALSE(s.is_subclass("GPTModelProvider", "HybridModelProvider"));
  CHECK_FALSE(s.is_subclass("NoSuchClass", "GPTModelProvider"));
  CHECK(s.find_class("") == nullptr);
  for (const char* cls :
       {"WanDatasetConfig", "FluxProvider", "Qwen35VLMoEModelProvider", "BridgeGPTModelConfig"})
    CHECK(s.find_class(cls) != nullptr);
}

TEST_CASE("choices follow the release") {
  const Schema& s = table();
  auto has = [&](const char* field, Release r, std::string_view choice) {
    auto list = s.choices(id(field), r);
    return std::find(list.begin(), list.end(), choice) != list.end();
  };
  CHECK(has("model.cuda_graph_impl", Release::v0_5_1, "full_iteration"));
  CHECK_FALSE(has("model.cuda_graph_impl", Release::v0_4_2, "full_iteration"));
  CHECK(has("model.recompute_modules", Release::v0_6_0, "gdn_norm_out"));
  CHECK_FALSE(has("model.recompute_modules", Release::v0_5_1, "gdn_norm_out"));
  CHECK(s.choices(id("model.num_layers"), Release::v0_6_0).empty());
}

TEST_CASE("precision recipes by name") {
  const Schema& s = table();
  for (const char* spelling : {"bf16_mixed", "bf16-mixed"}) {
    const PrecisionRecipe* r = s.find_recipe(spelling, Release::v0_6_0);
    REQUIRE(r != nullptr);
    auto it = std::find_if(r->sets.begin(), r->sets.end(),
                           [](const FieldValue& v) { return v.field == id("mixed_precision.params_dtype"); });
    REQUIRE(it != r->sets.end());
    CHECK(s.value(it->value) == Value("bfloat16"));
  }
  CHECK(s.find_recipe("nemotron_3_super_bf16_with_nvfp4_mixed", Release::v0_3_1) == nullptr);
  CHECK(s.find_recipe("nemotron_3_super_bf16_with_nvfp4_mixed", Release::v0_4_2) != nullptr);
  // The same name, other values.
  auto sets = [&](Release r) { return s.find_recipe("bf16_with_nvfp4_mixed", r)->sets.size(); };
  CHECK(sets(Release::v0_2_2) < sets(Release::v0_6_0));
  CHECK(s.find_recipe("bf16", Release::v0_6_0) == nullptr);
}

TEST_CASE("GPU kinds in any usual spelling") {
  struct Case {
    const char* spelling;
    const char* kind;  ///< empty: not known
  };
  const Case cases[] = {
      {"h100", "h100"},
      {"H100", "h100"},
      {"H100-80GB", "h100"},
      {"NVIDIA H100 80GB HBM3", "h100"},
      {"nvidia-h100-80gb-hbm3", "h100"},
      {"H100 SXM5", "h100"},
      {"H100-SXM5-80GB", "h100"},
      {"H100 PCIe", "h100"},
      {"NVIDIA H200", "h200"},
      {"H200 141GB", "h200"},
      {"NVIDIA A100-SXM4-80GB", "a100"},
      {"NVIDIA A100-SXM4-40GB", "a100-40gb"},
      {"A100 40GB", "a100-40gb"},
      {"A100-PCIE-40GB", "a100-40gb"},
      {"A100", "a100"},
      {"A100-SXM4", "a100"},
      {"B200", "b200"},
      {"GB200", "gb200"},
      {"NVIDIA GB200", "gb200"},
      {"b300", "b300"},
      {"GB300 NVL72", "gb300"},
      {"Tesla V100-SXM2-32GB", "v100-32gb"},
      {"V100", "v100-32gb"},
      {"NVIDIA L40S", "l40s"},
      {"RTX PRO 6000 Blackwell Server Edition", "rtxpro6000"},
      {"B200 192GB", "b200"},
      {"V100-SXM2-16GB", ""},
      {"H100 NVL 94GB", ""},
      {"GH200 480GB", ""},
      {"RTX 4090", ""},
      {"", ""},
      {"gpu", ""},
  };
  for (const Case& c : cases) {
    INFO(c.spelling);
    const Gpu* gpu = table().find_gpu(c.spelling);
    CHECK((gpu == nullptr ? std::string_view() : gpu->kind) == c.kind);
  }
  CHECK(table().find_gpu("h200")->total_bytes == 150109880320u);
  CHECK(table().find_gpu("h100")->compute_capability == Approx(9.0));
}

TEST_CASE("well-known models by alias and id") {
  const Schema& s = table();
  for (const char* name : {"llama3-70b", "llama3_70b", "meta-llama/Meta-Llama-3-70B", "Meta-Llama-3-70B"}) {
    INFO(name);
    const ModelFacts* m = s.find_model(name);
    REQUIRE(m != nullptr);
    CHECK(m->id == "meta-llama/Meta-Llama-3-70B");
    CHECK(m->provider == "GPTModelProvider");
    auto layers = std::find_if(m->values.begin(), m->values.end(),
                               [](const FieldValue& v) { return v.field == id("model.num_layers"); });
    REQUIRE(layers != m->values.end());
    CHECK(s.value(layers->value) == Value(80));
  }
  CHECK(s.find_model("qwen3-30b-a3b") != nullptr);
  CHECK(s.find_model("deepseek-v3")->provider == "MLAModelProvider");
  CHECK(s.find_model("gpt-oss-120b") != nullptr);
  CHECK(s.find_model("llama9") == nullptr);
  CHECK(s.find_model("") == nullptr);
}

TEST_CASE("did you mean") {
  struct Case {
    const char* written;
    const char* meant;
  };
  const Case cases[] = {
      {"model.recompute_granularty", "model.recompute_granularity"},
      {"model.tensor_parallel_size", "model.tensor_model_parallel_size"},
      {"optimizer.tensor_model_parallel_size", "model.tensor_model_parallel_size"},
      {"train.mirco_batch_size", "train.micro_batch_size"},
      {"modle.num_layers", "model.num_layers"},
      {"optimzer.lr", "optimizer.lr"},
      {"model.num_layer", "model.num_layers"},
      {"ddp.overlap_grad_reduction", "ddp.overlap_grad_reduce"},
      {"peft.rank_dim", ""},
      {"model.xyzzy_plugh", ""},
      {"env.NCCL_GRAPH_REGISTERS", "env.NCCL_GRAPH_REGISTER"},
  };
  for (const Case& c : cases) {
    INFO(c.written);
    auto got = table().suggest(c.written, Release::v0_6_0);
    CHECK(got.size() <= 3);
    if (*c.meant == '\0') {
      CHECK(got.empty());
    } else {
      REQUIRE_FALSE(got.empty());
      CHECK(got.front() == c.meant);
    }
  }
  // Only what the release has.
  for (auto name : table().suggest("model.cuda_graph_module", Release::v0_4_2))
    CHECK(name != "model.cuda_graph_modules");
  CHECK(table().suggest("", Release::v0_6_0).size() <= 3);
  CHECK(table().suggest(std::string(5000, 'x'), Release::v0_6_0).empty());
}

TEST_CASE("dtypes have one spelling") {
  for (const char* text : {"torch.bfloat16", "bf16", "bfloat16", "BF16"})
    CHECK(canonical_dtype(text) == "bfloat16");
  for (const char* text : {"fp32", "torch.float32", "float"}) CHECK(canonical_dtype(text) == "float32");
  CHECK(canonical_dtype("half") == "float16");
  CHECK(canonical_dtype("uint8") == "uint8");
  CHECK_FALSE(canonical_dtype("bfloat"));
  CHECK_FALSE(canonical_dtype(""));
  CHECK_FALSE(canonical_dtype("torch."));
}
