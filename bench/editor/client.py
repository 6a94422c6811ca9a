"""A small client of the language server: requests and notifications over its pipes, nothing else."""

import json
import pathlib
import queue
import subprocess
import threading
import time


class Server:
    def __init__(self, program, root=None, libraries=()):
        began = time.perf_counter()
        self.process = subprocess.Popen([program, "lsp"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.answers, self.told = {}, queue.Queue()
        self.arrived = threading.Condition()
        self.number, self.version = 0, 0
        self.texts = {}
        threading.Thread(target=self._read, daemon=True).start()
        folders = [{"uri": pathlib.Path(root).as_uri(), "name": "root"}] if root else []
        options = {"libraries": [str(l) for l in libraries]}
        self.ask("initialize", {"capabilities": {"general": {"positionEncodings": ["utf-8"]}}, "workspaceFolders": folders, "initializationOptions": options})
        self.initialized = time.perf_counter() - began
        self.tell("initialized", {})

    def _read(self):
        out = self.process.stdout
        while True:
            length = 0
            while True:
                line = out.readline()
                if not line:
                    return
                line = line.strip()
                if not line:
                    break
                if line.lower().startswith(b"content-length:"):
                    length = int(line.split(b":")[1])
            message = json.loads(out.read(length))
            if "method" in message:
                self.told.put((time.perf_counter(), message))
            else:
                with self.arrived:
                    self.answers[message["id"]] = message
                    self.arrived.notify_all()

    def _send(self, message):
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        self.process.stdin.flush()

    def tell(self, method, params):
        self._send({"method": method, "params": params})

    def ask(self, method, params, patience=300):
        self.number += 1
        number = self.number
        self._send({"id": number, "method": method, "params": params})
        with self.arrived:
            if not self.arrived.wait_for(lambda: number in self.answers, patience):
                raise TimeoutError(method)
            answer = self.answers.pop(number)
        if "error" in answer:
            raise RuntimeError(answer["error"]["message"])
        return answer["result"]

    def open(self, path, text):
        uri = pathlib.Path(path).as_uri()
        self.version += 1
        method, document = "textDocument/didOpen", {"uri": uri, "version": self.version}
        if uri in self.texts:
            self.tell("textDocument/didChange", {"textDocument": document, "contentChanges": [{"text": text}]})
        else:
            self.tell(method, {"textDocument": {**document, "languageId": "modelica", "text": text}})
        self.texts[uri] = text
        return uri

    def close(self, path):
        uri = pathlib.Path(path).as_uri()
        if self.texts.pop(uri, None) is not None:
            self.tell("textDocument/didClose", {"textDocument": {"uri": uri}})

    def diagnostics(self, version, patience=120):
        """The last messages about a version, and when they came."""
        while True:
            at, message = self.told.get(timeout=patience)
            if message["method"] == "textDocument/publishDiagnostics" and message["params"].get("version") == version:
                return at, message["params"]["diagnostics"]

    def memory(self):
        """Resident megabytes."""
        for line in pathlib.Path(f"/proc/{self.process.pid}/status").read_text().splitlines():
            if line.startswith("VmRSS"):
                return int(line.split()[1]) / 1024

    def processor_time(self):
        """Seconds that all threads of the server have computed so far."""
        fields = pathlib.Path(f"/proc/{self.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / 100

    def answering_time(self):
        """Seconds that the thread which answers has computed so far."""
        for task in pathlib.Path(f"/proc/{self.process.pid}/task").iterdir():
            if (task / "comm").read_text().strip() == "server":
                return int((task / "schedstat").read_text().split()[0]) / 1e9

    def end(self):
        self.ask("shutdown", None)
        self.tell("exit", None)
        return self.process.wait(60)


def place(text, offset):
    before = text[:offset]
    column = before[before.rfind("\n") + 1 :]
    return {"line": before.count("\n"), "character": len(column.encode())}


def offset_of(text, position):
    """Characters up to a position whose columns are bytes."""
    at = 0
    for _ in range(position["line"]):
        at = text.index("\n", at) + 1
    end = text.find("\n", at)
    line = text[at : end if end >= 0 else len(text)]
    return at + len(line.encode()[: position["character"]].decode())
