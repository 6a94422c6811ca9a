"""How fast the language server answers with a whole library as its root, and how much memory it takes.

python bench/editor/speed.py --lib DIR --ferrica FILE [--edits 10000]

The model has 1,000 lines: a ladder of resistors and capacitors. Prints milliseconds (median and 95th percentile) and megabytes.
"""

import argparse
import pathlib
import random
import statistics
import tempfile
import time

from client import Server, place


def ladder(cells):
    """4 lines a cell."""
    lines = ["model Ladder", "  Modelica.Electrical.Analog.Sources.ConstantVoltage source(V=1);", "  Modelica.Electrical.Analog.Basic.Ground ground;"]
    for k in range(cells):
        lines.append(f"  Modelica.Electrical.Analog.Basic.Resistor R{k}(R={k + 1});")
        lines.append(f"  Modelica.Electrical.Analog.Basic.Capacitor C{k}(C=1e-6, v(start=0, fixed=true));")
    lines.append("equation")
    lines.append("  connect(source.n, ground.p);")
    for k in range(cells):
        before = f"R{k - 1}.n" if k else "source.p"
        lines.append(f"  connect({before}, R{k}.p);")
        lines.append(f"  connect(R{k}.n, C{k}.p); connect(C{k}.n, ground.p);")
    lines.append("end Ladder;")
    return "\n".join(lines) + "\n"


def busy():
    """Processes that want to run, for each core: times are as many times too long."""
    import os

    return os.getloadavg()[0] / os.cpu_count()


def shown(name, times, limit):
    times = sorted(times)
    p95 = times[int(0.95 * (len(times) - 1))]
    print(f"{name}: median {1e3 * statistics.median(times):.1f} ms, 95 % {1e3 * p95:.1f} ms, worst {1e3 * times[-1]:.1f} ms (wanted: {limit})", flush=True)


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--lib", required=True, type=pathlib.Path)
    p.add_argument("--ferrica", required=True)
    p.add_argument("--edits", type=int, default=10000)
    p.add_argument("--seed", type=int, default=1)
    args = p.parse_args()
    rng = random.Random(args.seed)
    print(f"load for each core: {busy():.1f}")
    starts = []
    for _ in range(5):
        server = Server(args.ferrica, root=args.lib)
        starts.append(server.initialized)
        server.end()
    shown("initialize, from the start of the process", starts, "100 ms")
    server = Server(args.ferrica, root=args.lib)
    folder = pathlib.Path(tempfile.mkdtemp())
    text = ladder(249)
    path = folder / "Ladder.mo"
    path.write_text(text)
    print(f"the model has {text.count(chr(10))} lines")
    clock = time.perf_counter()
    uri = server.open(path, text)
    print(f"first messages after {1e3 * (server.diagnostics(server.version)[0] - clock):.0f} ms")

    def type_at(at, old, new):
        nonlocal text
        began = place(text, at)
        end = place(text, at + len(old))
        text = text[:at] + new + text[at + len(old) :]
        server.version += 1
        change = {"range": {"start": began, "end": end}, "text": new}
        server.tell("textDocument/didChange", {"textDocument": {"uri": uri, "version": server.version}, "contentChanges": [change]})

    times, syntax = [], []
    computed = server.processor_time()
    for k in range(30):
        at = text.index(f"R{7 * k}(R=") + len(f"R{7 * k}(R=")
        clock = time.perf_counter()
        type_at(at, "", "1")
        came, found = server.diagnostics(server.version)
        assert found == [], found
        times.append(came - clock)
    shown("messages after a keystroke in the model", times, "300 ms")
    print(f"  of which computed, all threads: {1e3 * (server.processor_time() - computed) / 30:.1f} ms in the mean")
    for k in range(30):
        clock = time.perf_counter()
        at = text.index("equation")
        type_at(at, "", "(")
        came, found = server.diagnostics(server.version)
        syntax.append(came - clock)
        assert found
        type_at(at, "(", "")
    shown("mistakes of syntax after a keystroke", syntax, "at once")
    cases = ["R{}.", "C{}.p.", "Modelica.Electrical.Analog.Basic.R", "Modelica.Mechanics.", "Modelica.", "connect(R{}.p, ", "Modelica.Blocks.Sources."]
    times, computed = [], []
    for k in range(200):
        case = rng.choice(cases).format(rng.randrange(249))
        at = text.index("end Ladder")
        type_at(at, "", case)
        server.ask("textDocument/foldingRange", {"textDocument": {"uri": uri}})
        before, clock = server.answering_time(), time.perf_counter()
        answer = server.ask("textDocument/completion", {"textDocument": {"uri": uri}, "position": place(text, at + len(case))})
        times.append(time.perf_counter() - clock)
        computed.append(server.answering_time() - before)
        assert answer, case
        type_at(at, case, "")
    shown("completion", times, "50 ms")
    shown("  of which computed", computed, "50 ms")
    time.sleep(3)
    times = []
    for word in ["Resistor", "Gain", "body", "Medium", "a", "Sine", "Modelica.Blocks.PI", "pipe", "", "x"] * 10:
        clock = time.perf_counter()
        server.ask("workspace/symbol", {"query": word})
        times.append(time.perf_counter() - clock)
    shown("workspace symbols", times, "100 ms")
    print(f"symbols of `Resistor`: {len(server.ask('workspace/symbol', {'query': 'Resistor'}))}")
    print(f"memory: {server.memory():.0f} MB before the edits", flush=True)
    base = text
    for k in range(args.edits):
        at = text.index(f"R{k % 249}(R=") + len(f"R{k % 249}(R=")
        type_at(at, "", "1")
        type_at(at, "1", "")
        if k % 10 == 0:
            server.ask("textDocument/completion", {"textDocument": {"uri": uri}, "position": place(text, at)})
        if k % 100 == 0:
            server.ask("textDocument/hover", {"textDocument": {"uri": uri}, "position": place(text, at - 3)})
            while not server.told.empty():
                server.told.get()
    assert text == base
    print(f"memory: {server.memory():.0f} MB after {2 * args.edits} changes (wanted: 300 MB)")
    print(f"exit code {server.end()}")


if __name__ == "__main__":
    main()
