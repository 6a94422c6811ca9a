#!/usr/bin/env python3
"""Cost of compiling: the RLC ladder of standard components with 500 and 5000 loops, and a circuit of four components from start to CSV.

    bench/scale.py [--ferrica target/release/ferrica]

CPU seconds of the whole process (the simulated time is next to nothing), peak memory from `--stats`. Exit code 1 beyond the
limits: 5 s and 1.5 GB at 5000 loops, 15 times the time of 500, 30 ms for the circuit.
"""
import argparse, json, os, resource, subprocess, sys, tempfile

here = os.path.dirname(os.path.abspath(__file__))
root = os.path.dirname(here)


def cpu(command):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--ferrica", default=os.path.join(root, "target", "release", "ferrica"))
    p.add_argument("--repeats", type=int, default=3)
    a = p.parse_args()
    seconds, memory = {}, {}
    with tempfile.TemporaryDirectory() as out:
        for n in (500, 5000):
            with open(f"{here}/models/RlcLadder.mo") as f:
                text = f.read().replace("N = 1000", f"N = {n}")
            with open(f"{out}/RlcLadder.mo", "w") as f:
                f.write(text)
            command = [a.ferrica, "run", f"{out}/RlcLadder.mo", "--stop", "1e-9", "--vars", "C[1].v",
                       "--quiet", "-o", f"{out}/o.csv", "--stats", f"{out}/s.json"]
            seconds[n] = min(cpu(command) for _ in range(a.repeats))
            with open(f"{out}/s.json") as f:
                memory[n] = json.load(f)["peak_memory"] / 1e9
            print(f"ladder, {n} loops: {seconds[n]:.2f} s of CPU, {memory[n]:.2f} GB")
        command = [a.ferrica, "run", f"{root}/examples/SimpleCircuit.mo", "--quiet", "-o", f"{out}/o.csv"]
        circuit = min(cpu(command) for _ in range(5 * a.repeats))
    growth = seconds[5000] / seconds[500]
    print(f"growth from 500 to 5000: {growth:.1f}")
    print(f"circuit of four components, start to CSV: {1e3 * circuit:.1f} ms of CPU")
    return int(seconds[5000] > 5.0 or memory[5000] > 1.5 or growth > 15.0 or circuit > 0.03)


if __name__ == "__main__":
    sys.exit(main())
