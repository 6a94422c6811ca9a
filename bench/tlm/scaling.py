"""Networks of 100, 1,000 and 10,000 cells: cost per cell and step, threads, ranks, and one system with bdf."""
import sys

from common import has_mpi, run

H = 1e-4
SIZES = [int(a) for a in sys.argv[1:]] or [100, 1000, 10000]
mpi = has_mpi()
print("model N | ns per cell and step, 1 thread | 2 threads: speed-up | 2 ranks: speed-up | one system, bdf: s for the same time | gain")
for model, whole in (("HydraulicNetwork", "HydraulicNetworkODE"), ("HydraulicNetworkRelief", "HydraulicNetworkReliefODE")):
    for n, stop in ((n, 1.0) for n in SIZES):
        args = f"-p N={n} --stop {stop} --interval {stop} --vars orifice[1].q --partition tlm --step {H} --solver euler"
        repeats = 9 if n < 10000 else 5
        one, _ = run(model, args + " --threads 1", repeats)
        two, _ = run(model, args + " --threads 2", repeats)
        ranks = run(model, args, repeats, ranks=2)[0] if mpi else float("nan")
        steps = stop / H
        bdf, _ = run(whole, f"-p N={n} --stop {stop} --interval {stop} --vars orifice[1].q --solver bdf", 2)
        print(f"{model} {n} | {1e9 * one / steps / n:.1f} | {one / two:.2f} | {one / ranks:.2f} | {bdf:.3f} | {bdf / one:.1f}",
              flush=True)
