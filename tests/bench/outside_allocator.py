#!/usr/bin/env python3
"""What a process holds of a GPU outside torch's allocator: CUDA context, libraries, NCCL communicators.

    torchrun --nproc-per-node 2 tests/bench/outside_allocator.py

Prints MiB that the driver counts for the device less what torch has reserved, after each step. Nothing else may run on
the GPUs. The figures behind `outside_allocator` in src/memory/overheads.cpp (docs/memory.md) come from here and from
the process memory of measured training steps.
"""
import json
import os

import torch
import torch.distributed as dist

MIB = 1 << 20


class Meter:
    def __init__(self, rank):
        self.rank, self.last, self.rows = rank, 0.0, []

    def step(self, name):
        torch.cuda.synchronize()
        free, total = torch.cuda.mem_get_info()
        outside = (total - free - torch.cuda.memory_reserved()) / MIB
        self.rows.append({"step": name, "outside_mib": round(outside), "more_mib": round(outside - self.last)})
        self.last = outside


def collectives(group, world, rank):
    x = torch.ones(1 << 22, device="cuda", dtype=torch.bfloat16)
    many = torch.empty(world << 22, device="cuda", dtype=torch.bfloat16)
    return {
        "all_reduce": lambda: dist.all_reduce(x, group=group),
        "all_gather": lambda: dist.all_gather_into_tensor(many, x, group=group),
        "reduce_scatter": lambda: dist.reduce_scatter_tensor(x, many, group=group),
        "all_to_all": lambda: dist.all_to_all_single(many, many.clone(), group=group),
        "send_recv": lambda: [w.wait() for w in dist.batch_isend_irecv(
            [dist.P2POp(dist.isend, x, (rank + 1) % world, group), dist.P2POp(dist.irecv, x.clone(), (rank - 1) % world, group)])],
    }


def main():
    rank, world = int(os.environ.get("RANK", 0)), int(os.environ.get("WORLD_SIZE", 1))
    torch.cuda.set_device(int(os.environ.get("LOCAL_RANK", 0)))
    meter = Meter(rank)
    torch.zeros(1, device="cuda")
    meter.step("context")
    a = torch.randn(4096, 4096, device="cuda", dtype=torch.bfloat16)
    (a @ a).sum().item()
    meter.step("cuBLAS, first product")
    torch.nn.functional.scaled_dot_product_attention(*[torch.randn(1, 8, 1024, 128, device="cuda", dtype=torch.bfloat16)] * 3)
    torch.nn.functional.layer_norm(a, (4096,))
    torch.nn.functional.cross_entropy(a.float(), torch.zeros(4096, device="cuda", dtype=torch.long))
    meter.step("attention, norm and loss kernels")
    if world > 1:
        dist.init_process_group("nccl")
        meter.step("process group, lazy")
        for name in ("all_reduce", "all_gather", "reduce_scatter", "all_to_all", "send_recv"):
            group = dist.new_group()
            collectives(group, world, rank)[name]()
            meter.step(f"a communicator of its own: {name}")
            collectives(group, world, rank)[name]()
            meter.step(f"the same again: {name}")
        group = dist.new_group()
        for name, call in collectives(group, world, rank).items():
            call()
            meter.step(f"one communicator for all: {name}")
    if rank == 0:
        print(json.dumps({"gpu": torch.cuda.get_device_name(), "torch": torch.__version__, "world": world,
                          "nccl": ".".join(map(str, torch.cuda.nccl.version())), "rows": meter.rows}, indent=1))
    if world > 1:
        dist.destroy_process_group()


main()
