"""The relief valve over 2 s: ideal, delayed and sampled line, with built-in and with inlined derivatives.

Milliseconds of the simulation alone, rows every 0.01 s and none at events, and in parentheses the cost in parts of that of the
ideal line with the same solver. `--partition tlm` runs with the step of the line. The last line is the inlined delay with its 20,000 steps and one row.
"""
from common import run

H = "--step 1e-4"
BASE = "--stop 2 --interval 0.01 --event-rows off --vars hydr.x"
SOLVERS = (f"--solver euler {H}", f"--solver rk4 {H}", "--solver auto", "--solver bdf", f"--partition tlm {H} --threads 1")
REPEATS = 9

print("derivatives line | states | euler | rk4 | auto | bdf | --partition tlm")
for package in ("DerBuiltin", "DerInline"):
    ideal = {}
    for name, model in (("ideal", "NoDelay"), ("delayed", "DelayEuler"), ("sampled", "Disc")):
        cells, states = [], ""
        for solver in SOLVERS:
            try:
                seconds, stats = run(f"ReliefValve.{package}.{model}", f"{BASE} {solver}", REPEATS)
            except SystemExit:
                cells.append("-")
                continue
            states = f"{stats['state_variables']} ({stats['states']})"
            ideal.setdefault(solver, seconds)
            cells.append(f"{1e3 * seconds:.2f} ({seconds / ideal[solver]:.2f})")
        print(package, name, "|", states, "|", " | ".join(cells), flush=True)
seconds, stats = run("ReliefValve.DerInline.DelayEuler", f"--stop 2 --interval 2 --vars hydr.x --partition tlm {H} --threads 1", 40)
print(f"inlined delay, {stats['steps']} steps in cells: {1e3 * seconds:.3f} ms, {1e9 * seconds / stats['steps']:.1f} ns a step")
