#!/usr/bin/env python3
"""Megatron-LM's own memory formula in a loop, to stand beside the `memory peaks` line of the bench.

MEGATRON_LM names a checkout of NVIDIA/Megatron-LM; without it there is nothing to time. Its file is loaded alone, so
that neither torch nor a GPU is needed.
"""
import importlib.util
import os
import pathlib
import sys
import time
import types

SHAPE = dict(  # the Llama 3 70B of the bench
    num_layers=80, hidden_size=8192, ffn_hidden_size=28672, num_attention_heads=64, num_query_groups=8,
    group_query_attention=True, kv_channels=128, swiglu=True, normalization="RMSNorm", add_bias_linear=False,
    padded_vocab_size=128256, untie_embeddings_and_output_weights=True, seq_length=4096, micro_batch_size=1,
    tensor_model_parallel_size=4, pipeline_model_parallel_size=4, virtual_pipeline_model_parallel_size=5,
    data_parallel_size=2, world_size=32, sequence_parallel=True, use_distributed_optimizer=True,
    recompute_granularity="selective", num_experts=None, moe_shared_expert_intermediate_size=None, moe_layer_freq=1,
    moe_ffn_hidden_size=None, moe_router_topk=2, moe_latent_size=None, expert_model_parallel_size=1,
    expert_tensor_parallel_size=1, mtp_num_layers=None, multi_latent_attention=False, q_lora_rank=None, kv_lora_rank=512,
    qk_head_dim=128, qk_pos_emb_head_dim=64, v_head_dim=128, hybrid_layer_pattern=None, is_hybrid_model=False,
    hybrid_override_pattern=None)


def load(checkout):
    package = types.ModuleType("formula")
    package.__path__ = []
    helpers = types.ModuleType("formula.utils")
    helpers.print_rank_0 = lambda *words: None
    helpers.is_hybrid_model = lambda args: False
    sys.modules.update({"formula": package, "formula.utils": helpers})
    path = pathlib.Path(checkout, "megatron", "training", "theoretical_memory_usage.py")
    spec = importlib.util.spec_from_file_location("formula.theoretical", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def main():
    checkout = os.environ.get("MEGATRON_LM")
    if not checkout:
        print("python formula: left out, MEGATRON_LM names no checkout")
        return
    formula = load(checkout)
    args = types.SimpleNamespace(**SHAPE)
    rounds = 2000
    began = time.perf_counter()
    for _ in range(rounds):
        formula.compute_weight_and_optimizer_memory(args)
        formula.compute_activation_memory(args, num_microbatches=16)
    each = (time.perf_counter() - began) / rounds * 1e6
    print(f"{'Megatron-LM, in Python':<28}{each:>10.2f} us   one stage, in a loop")


main()
