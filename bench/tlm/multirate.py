"""1 % of the cells need a step 100 times smaller: all cells with that step, against these cells only."""
from common import run

N, FAST, H = 1000, 10, 1e-4
first = N // 2
stop = 0.05
base = f"-p N={N} --stop {stop} --interval {stop} --vars orifice[1].q --partition tlm --threads 1 --solver euler"
fine, _ = run("HydraulicNetwork", f"{base} --step {H / 100}", 3)
rates = " ".join(f"--rate orifice[{k}]={H / 100}" for k in range(first, first + FAST))
mixed, _ = run("HydraulicNetwork", f"{base} --step {H} {rates}", 5)
print(f"all {N} cells at {H / 100} s: {fine:.3f} s; {FAST} of them, the others at {H} s: {mixed:.4f} s; gain {fine / mixed:.1f}")
