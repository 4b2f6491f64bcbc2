#!/usr/bin/env python3
"""From a keystroke to the diagnostics that an editor shows, through the real process. usage: keystroke.py HEADROOM CONFIG"""
import json
import pathlib
import subprocess
import sys
import time

server = subprocess.Popen([sys.argv[1], "lsp", "--gpus", "32", "--gpu", "h100", "--bridge", "main"],
                          stdin=subprocess.PIPE, stdout=subprocess.PIPE)
config = pathlib.Path(sys.argv[2]).resolve()


def send(message):
    body = json.dumps({"jsonrpc": "2.0", **message}).encode()
    server.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
    server.stdin.flush()


def receive():
    length = 0
    while (line := server.stdout.readline()) != b"\r\n":
        if line.lower().startswith(b"content-length:"):
            length = int(line.split(b":")[1])
    return json.loads(server.stdout.read(length))


send({"id": 1, "method": "initialize", "params": {"capabilities": {}}})
receive()
text = config.read_text()
lines = text.split("\n")
line = next(i for i, words in enumerate(lines) if "num_layers:" in words)
document = {"uri": config.as_uri(), "version": 1}
send({"method": "textDocument/didOpen", "params": {"textDocument": {**document, "languageId": "yaml", "text": text}}})
receive()
times = []
for key in range(400):
    place = {"line": line, "character": len(lines[line])}
    back = {"line": line, "character": len(lines[line]) + 1}
    typed = key % 2 == 0  # a digit, and its removal: 80 layers, 801 layers
    change = {"range": {"start": place, "end": place if typed else back}, "text": "1" if typed else ""}
    document["version"] += 1
    start = time.perf_counter()
    send({"method": "textDocument/didChange", "params": {"textDocument": document, "contentChanges": [change]}})
    answer = receive()
    times.append((time.perf_counter() - start) * 1000)
    assert answer["params"]["version"] == document["version"]
send({"id": 2, "method": "shutdown"})
receive()
send({"method": "exit"})
server.wait()
times.sort()
print(f"keystroke to diagnostics, {len(lines)} lines: median {times[len(times) // 2]:.2f} ms, "
      f"95 % below {times[len(times) * 95 // 100]:.2f} ms, longest {times[-1]:.2f} ms")
