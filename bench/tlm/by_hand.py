"""The chain of orifices and volumes against the same loop written by hand in C (`by_hand.c`, `cc -O3`).

Prints the time of both in ns a cell and step, their ratio, and the largest difference of the pressures at the end in parts of the supply's. Both take
10,000 steps of the travelling time in one thread; the loop writes nothing, ferrica one row.
"""
import csv, os, subprocess, tempfile
from common import FERRICA, ROOT, run

STEPS = 10_000

with tempfile.TemporaryDirectory() as folder:
    loop = os.path.join(folder, "by_hand")
    flags = ["-O3", "-march=native", "-std=c99"]
    subprocess.run(["cc", *flags, "-o", loop, str(ROOT / "bench/tlm/by_hand.c"), "-lm"], check=True)
    print("cells | by hand, ns | ferrica, ns | ratio | difference")
    for cells in (100, 1000, 10000):
        repeats = 9 if cells < 10000 else 3
        text = subprocess.run([loop, str(cells), str(STEPS), str(repeats)], check=True, capture_output=True, text=True).stdout.split()
        by_hand, expected = float(text[0]), [float(x) for x in text[1:]]
        args = f"-p N={cells} --stop 1 --interval 1 --partition tlm --threads 1"
        seconds, _ = run("HydraulicNetwork", f"{args} --vars volume[1].port_a.p", repeats)
        out = os.path.join(folder, "out.csv")
        command = [FERRICA, "run", "-m", "Ferrica.Benchmarks.HydraulicNetwork", "-q", *args.split(), "--vars", "volume[*].port_a.p", "-o", out]
        subprocess.run(command, check=True)
        rows = list(csv.reader(open(out)))
        last = {name: float(value) for name, value in zip(rows[0], rows[-1])}
        apart = max(abs(last[f"volume[{i + 1}].port_a.p"] - p) for i, p in enumerate(expected)) / 1e7
        unit = 1e9 / cells / STEPS
        print(f"{cells} | {by_hand * unit:.2f} | {seconds * unit:.2f} | {seconds / by_hand:.2f} | {apart:.1e}", flush=True)
