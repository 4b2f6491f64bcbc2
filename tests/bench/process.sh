#!/bin/sh
# Whole processes, start to end: headroom beside PyYAML reading the same file. process.sh PROGRAM CONFIG
# Medians of 40 alternating runs, peak memory, and the ratio.
set -eu
program=$1
config=$2
python=/usr/bin/python3
exec "$python" - "$program" "$config" <<'PY'
import os, statistics, subprocess, sys, time
program, config = sys.argv[1:]
commands = {
    "headroom check": [program, "check", "--gpus", "32", "--gpu", "h100", "--bridge", "main", config],
    "headroom --version": [program, "--version"],
    "python3 yaml.safe_load": [sys.executable, "-c", "import yaml,sys; yaml.safe_load(open(sys.argv[1]))", config],
}
times = {name: [] for name in commands}
memory = {}
for _ in range(40):
    for name, command in commands.items():
        start = time.perf_counter()
        child = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        _, _, usage = os.wait4(child.pid, 0)
        times[name].append(time.perf_counter() - start)
        memory[name] = usage.ru_maxrss / 1024
for name in commands:
    print(f"{name:<28}{1e3 * statistics.median(times[name]):>10.2f} ms {memory[name]:>8.1f} MiB peak")
ratio = statistics.median(b / a for a, b in zip(times["headroom check"], times["python3 yaml.safe_load"]))
print(f"PyYAML takes {ratio:.1f} times as long as headroom check (median of pairs)")
PY
