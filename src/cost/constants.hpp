// The model's constants, each with its meaning; docs/cost.md says where each is from.
#pragma once

namespace headroom::cost::constants {

// Share of the vendor's dense peak that a large matrix product reaches.
inline constexpr double gemm_bf16 = 0.72, gemm_fp8 = 0.62, gemm_fp4 = 0.50;
// The same of a fused attention kernel, forward and backward.
inline constexpr double attention_forward = 0.55, attention_backward = 0.45;
// A kernel's start, first loads and last wave, seconds.
inline constexpr double kernel_ramp = 4e-6;
// Rows that a tile of a grouped product holds; on average half a tile of each expert is padding.
inline constexpr double tile_rows = 128;
// Share of the memory's peak bandwidth that an elementwise kernel reaches.
inline constexpr double memory_share = 0.75;
// Share of a link's bandwidth that a large collective reaches, and the start of one, seconds.
inline constexpr double nvlink_share = 0.75, network_share = 0.80;
inline constexpr double nvlink_latency = 15e-6, network_latency = 40e-6;
// Share of the link to the host that pinned transfers reach.
inline constexpr double host_share = 0.75;
// Host time of one operator of eager code, a module of Transformer Engine, with its Python, autograd and the
// kernels that it starts, seconds; and of a plain PyTorch operator, which has less around it, over that.
inline constexpr double launch = 1e-4, plain_operator = 0.5;
// The same on the hosts of Ampere systems over those of Hopper and later.
inline constexpr double older_host = 1.6;
// What a recomputed region costs the host besides its kernels, in operators: saving and restoring random
// states.
inline constexpr double checkpoint_launches = 4;
// Operators of a fused attention's front end, of one collective, of one hop of a ring, and of the hooks that
// Megatron FSDP runs around a layer, each way; of what a token dispatcher does beside its collectives
// (counts, and the wait until the host has them); and of replaying a layer's CUDA graph, whose inputs are
// copied to where it reads them; and of receiving and sending what a pipeline stage gets and gives.
inline constexpr double attention_operators = 4, collective_operators = 1, hop_operators = 6,
                        sharding_operators = 20, dispatch_operators = 6, graph_operators = 4,
                        stage_operators = 4;
// Share of communication that overlapping kernels can hide at best.
inline constexpr double overlap_share = 0.80;
// Host work of a training step outside the layers, seconds.
inline constexpr double step_overhead = 10e-3;
// Share of the host memory's bandwidth that Adam on the CPU reaches.
inline constexpr double cpu_adam_share = 0.30;

}  // namespace headroom::cost::constants
