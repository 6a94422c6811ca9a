"""The relief valve over 2 s: ideal, delayed and sampled line, with built-in and with inlined derivatives.

Milliseconds of the simulation alone, rows every 0.01 s. The last column is the partitioned run with the step of the line.
"""
from common import run

H = "--step 1e-4"
BASE = "--stop 2 --interval 0.01 --vars hydr.x"
print("derivatives line | auto | bdf | rk4 | --partition tlm")
for package in ("DerBuiltin", "DerInline"):
    for name, model in (("ideal", "NoDelay"), ("delayed", "DelayEuler"), ("sampled", "Disc")):
        times = []
        for solver in ("--solver auto", "--solver bdf", f"--solver rk4 {H}", f"--partition tlm {H} --threads 1"):
            try:
                times.append(f"{1e3 * run(f'ReliefValve.{package}.{model}', f'{BASE} {solver}', 9)[0]:.2f}")
            except SystemExit:
                times.append("-")
        print(package, name, "|", " | ".join(times), flush=True)
