#!/usr/bin/env python3
"""Runs what a page shows. usage: snippets.py HEADROOM SOURCE_DIR PAGE [--update]

- A line "`path`:" before a fenced block: the block becomes that file.
- A ```console block: each `$ command` is run, and prints (both streams) what follows it.
- A block indented by four blanks whose lines are commands of headroom (README): each is run on a prepared folder and has
  to understand its words and find its files: status 0 or 1.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

headroom, source, page = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
update = "--update" in sys.argv
text = page.read_text()
failures, ran = [], 0


def run(command, folder):
    environment = {**os.environ, "PATH": f"{headroom.parent}:{os.environ['PATH']}", "NO_COLOR": "1", "COLUMNS": "80"}
    return subprocess.run(["sh", "-c", command], cwd=folder, env=environment, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, text=True, timeout=120, check=False)


def fenced_blocks():
    """(file name or None, kind, body, span of the body)"""
    for m in re.finditer(r"(?:^`([^`\n]+)`:\n)?^(`{3,})(\w*)\n(.*?)^\2\n", text, re.M | re.S):
        yield m.group(1), m.group(3), m.group(4), m.span(4)


def session(body, folder):
    global ran
    out = []
    for part in re.split(r"^(?=\$ )", body, flags=re.M):
        if not part:
            continue
        command, _, expected = part.partition("\n")
        got = run(command[2:], folder).stdout
        ran += 1
        if got != expected and not update:
            failures.append(f"{command}\n--- page\n{expected}--- real\n{got}")
        out.append(f"{command}\n{got}")
    return "".join(out)


def prepared(folder):
    """Names that the README's commands use for a reader's own files."""
    example = (source / "examples/llama3_70b_sft_h100.yaml").read_text()
    for name in ("config.yaml", "run_config.yaml", "configs/a.yaml", "conf/a.yaml", "old.yaml", "new.yaml", "a.yaml", "b.yaml"):
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(example)
    shutil.copytree(source / "tests/docs/site-rules", folder / "my-rules")
    shutil.copytree(source / "examples", folder / "examples")
    identity = "-c user.name=a -c user.email=a@b -c commit.gpgsign=false"
    if shutil.which("git"):  # what --diff-base compares with
        run(f"git init -q && git {identity} add -A && git {identity} commit -qm a && "
            "git update-ref refs/remotes/origin/main HEAD", folder)
    log = folder / "train.log"
    log.write_text("torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of "
                   "79.11 GiB of which 1.00 GiB is free.\n")


def commands_of(block):
    for line in block.splitlines():
        command = re.sub(r"\s+#.*$", "", line.strip())
        command = re.sub(r"^(?:\./bootstrap(?! build| test)|build/release/headroom)\b", "headroom", command)
        if re.match(r"(?:[A-Z_]+=\S+ )?headroom (?!COMMAND)", command) or " | headroom " in command:
            yield command


def plain_commands(folder):
    global ran
    prepared(folder)
    for m in re.finditer(r"(?:^    \S.*\n)+", text, re.M):
        for command in commands_of(m.group(0)):
            if "--diff-base" in command and not shutil.which("git"):
                print("skipped: no git here:", command)
                continue
            got = run(command, folder)
            ran += 1
            if got.returncode not in (0, 1):
                failures.append(f"{command}\nstatus {got.returncode}\n{got.stdout}")


with tempfile.TemporaryDirectory() as name:
    place = pathlib.Path(name)
    if page.name == "README.md":
        plain_commands(place)
    else:
        (place / ".git").mkdir()
        shutil.copytree(source / "examples", place / "examples")
        replaced = []
        for file, kind, body, span in fenced_blocks():
            if file:
                (place / file).parent.mkdir(parents=True, exist_ok=True)
                (place / file).write_text(body)
            elif kind == "console":
                replaced.append((span, session(body, place)))
        if update:
            for (begin, end), new in reversed(replaced):
                text = text[:begin] + new + text[end:]
            page.write_text(text)

if ran == 0:
    failures.append("the page shows no command")
for failure in failures:
    print("FAILED:", failure)
print(f"{ran} commands, {len(failures)} failed")
sys.exit(1 if failures else 0)
