#!/usr/bin/env python3
"""A client of its own for `headroom lsp`: JSON-RPC over the real process, with nothing but Python's library.

usage: lsp_client.py HEADROOM SOURCE_DIR
Each function that begins with test_ is a test; the first failure ends the run with status 1.
"""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import threading

HEADROOM, SOURCE = sys.argv[1], pathlib.Path(sys.argv[2])
PATIENCE = 60


class Server:
    def __init__(self, *options):
        self.process = subprocess.Popen([HEADROOM, "lsp", *options], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE)
        self.guard = threading.Timer(PATIENCE, self.process.kill)
        self.guard.start()
        self.next_id = 0

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.guard.cancel()
        self.process.kill()
        self.process.wait()
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            try:
                stream.close()
            except BrokenPipeError:
                pass

    def raw(self, data):
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def send(self, message):
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self.raw(b"Content-Length: %d\r\n\r\n" % len(body) + body)

    def receive(self):
        length = None
        while True:
            line = self.process.stdout.readline()
            assert line, "the server went away: " + self.process.stderr.read().decode()
            if line == b"\r\n":
                break
            name, _, value = line.partition(b":")
            if name.lower() == b"content-length":
                length = int(value)
        message = json.loads(self.process.stdout.read(length))
        assert message["jsonrpc"] == "2.0"
        return message

    def notify(self, method, params=None):
        self.send({"method": method, "params": params or {}})

    def request(self, method, params=None):
        self.next_id += 1
        self.send({"id": self.next_id, "method": method, "params": params or {}})
        while True:
            message = self.receive()
            if message.get("id") == self.next_id:
                return message

    def start(self, **params):
        answer = self.request("initialize", {"processId": os.getpid(), "rootUri": None, "capabilities": {}, **params})
        self.notify("initialized")
        return answer["result"]

    def open(self, path, text=None, language="yaml"):
        path = pathlib.Path(path)
        text = path.read_text() if text is None else text
        self.notify("textDocument/didOpen", {"textDocument": {"uri": path.as_uri(), "languageId": language,
                                                              "version": 1, "text": text}})
        return self.receive()["params"]["diagnostics"]

    def stop(self):
        assert self.request("shutdown")["result"] is None
        self.notify("exit")
        return self.process.wait(PATIENCE)


def codes(diagnostics):
    return [d.get("code") for d in diagnostics]


def test_life():
    with Server() as server:
        assert server.start()["serverInfo"]["name"] == "headroom"
        assert server.stop() == 0
    with Server() as server:
        server.start()
        server.notify("exit")
        assert server.process.wait(PATIENCE) == 1
    with Server() as server:  # the editor died
        server.start()
        server.process.stdin.close()
        assert server.process.wait(PATIENCE) == 1


def test_hostile_streams():
    for data in (b"GET / HTTP/1.1\r\nHost: x\r\n\r\n", b"x" * 100000, b"Content-Length: 5\r\n\r\nab"):
        with Server() as server:
            try:
                server.raw(data)
                server.process.stdin.close()
            except BrokenPipeError:  # it saw enough
                pass
            assert server.process.wait(PATIENCE) == 1, data[:40]
    with Server() as server:
        server.start()
        size = (32 << 20) + 1
        server.raw(b"Content-Length: %d\r\n\r\n" % size + b" " * size)
        assert server.receive()["error"]["code"] == -32700
        server.raw(b"Content-Length: 9\r\n\r\n{\"id\": 4,")
        assert server.receive()["error"]["code"] == -32700
        assert server.stop() == 0


def test_same_findings_as_check():
    for example in sorted((SOURCE / "examples" / "broken").glob("*")):
        checked = subprocess.run([HEADROOM, "check", "--format", "json", str(example)], capture_output=True, check=False)
        expected = [d["rule"] for d in json.loads(checked.stdout)["files"][0]["diagnostics"]]
        with Server() as server:
            server.start()
            language = "shellscript" if example.suffix == ".sh" else "yaml"
            assert codes(server.open(example, language=language)) == expected, example
            assert server.stop() == 0


def test_options_and_repository():
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        (root / ".git").mkdir()
        (root / "a b").mkdir()
        config = root / "a b" / "run ä.yaml"
        text = ("model: {num_layers: 4, tensor_model_parallel_size: 8, num_attention_heads: 8, sequence_parallel: true}\n"
                "mixed_precision: bf16_mixed\n")
        config.write_text(text)
        with Server() as server:
            server.start()
            assert server.open(config) == []
            settings = root / ".headroom.yaml"
            settings.write_text("gpus: 4\n")
            server.notify("workspace/didChangeWatchedFiles", {"changes": [{"uri": settings.as_uri(), "type": 1}]})
            assert codes(server.receive()["params"]["diagnostics"]), "8 ranks on 4 GPUs"
            settings.write_text("gpux: 4\n")
            server.notify("workspace/didChangeWatchedFiles", {"changes": [{"uri": settings.as_uri(), "type": 2}]})
            assert "gpux" in server.receive()["params"]["diagnostics"][0]["message"]
            assert server.stop() == 0
        (root / ".headroom.yaml").unlink()
        with Server("--gpus", "4", "model.num_layers=8") as server:
            server.start()
            assert codes(server.open(config))
            assert server.stop() == 0


def test_own_rules_link_to_their_files():
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        (root / ".git").mkdir()
        shutil.copytree(SOURCE / "tests" / "docs" / "site-rules", root / "site-rules")
        (root / ".headroom.yaml").write_text("rules: [site-rules]\n")
        with Server() as server:
            server.start()
            found = server.open(root / "run.yaml", "model: {num_layers: 4, num_attention_heads: 8, "
                                                   "tensor_model_parallel_size: 4, sequence_parallel: true}\n"
                                                   "mixed_precision: bf16_mixed\n")
            assert codes(found) == ["cluster/no-nvlink"], found
            page = found[0]["codeDescription"]["href"]
            assert page == (root / "site-rules" / "cluster" / "no-nvlink.md").as_uri(), page
            assert server.stop() == 0


def test_wrong_usage():
    for arguments, word in ((["lsp", "a.yaml"], "a.yaml"), (["lsp", "--gpux", "4"], "--gpux")):
        run = subprocess.run([HEADROOM, *arguments], capture_output=True, stdin=subprocess.DEVNULL, check=False)
        assert run.returncode == 2 and word in run.stderr.decode(), run
        assert run.stdout == b""


if __name__ == "__main__":
    tests = [(name, test) for name, test in list(globals().items()) if name.startswith("test_")]
    for name, test in tests:
        test()
        print("ok:", name)
    print(len(tests), "tests")
