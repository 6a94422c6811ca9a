#!/usr/bin/env python3
"""Cost of compiling against the size of arrays: text to first step, for families of models from 10^2 cells on.

    bench/growth.py --suite DIR [--msl DIR] [--ferrica target/release/ferrica] [--limit SECONDS] [--picture growth.svg]

DIR of --suite holds ScalableTestSuite (casella/ScalableTestSuite), that of --msl the Modelica Standard Library. Prints CPU seconds of the whole
process (the simulated time is next to nothing), peak memory, and the growth of both from N to 4N. A family ends at the size that takes longer
than the limit. `--picture` draws CPU seconds over N, both logarithmic.
"""
import argparse, math, os, sys, tempfile

here = os.path.dirname(os.path.abspath(__file__))
root = os.path.dirname(here)

ROD = """model Growth
  parameter Integer n = %d;
  Real T[n](each start = 300, each fixed = true);
  Real q[n + 1];
equation
  q[1] = 10*(400 - T[1]);
  for i in 2:n loop q[i] = 100*(T[i - 1] - T[i]); end for;
  q[n + 1] = 0;
  for i in 1:n loop der(T[i]) = q[i] - q[i + 1]; end for;
end Growth;
"""

SHAFTS = """model Growth
  parameter Integer n = %d;
  Modelica.Mechanics.Rotational.Components.Inertia J[n](each J = 1e-3);
  Modelica.Mechanics.Rotational.Components.SpringDamper k[n - 1](each c = 100, each d = 1e-2);
  Modelica.Mechanics.Rotational.Sources.TorqueStep t(stepTorque = 1, offsetTorque = 0, startTime = 0);
equation
  connect(t.flange, J[1].flange_a);
  for i in 1:n - 1 loop connect(J[i].flange_b, k[i].flange_a); connect(k[i].flange_b, J[i + 1].flange_a); end for;
end Growth;
"""


def ladder(n):
    with open(f"{here}/models/RlcLadder.mo") as f:
        return f.read().replace("N = 1000", f"N = {n}").replace("RlcLadder", "Growth")


def of_suite(name, sizes="N = %d"):
    return lambda n: f"model Growth extends ScalableTestSuite.{name}({sizes.replace('%d', str(n))}); end Growth;\n"


# Name, text for a size, and how many cells a size has.
FAMILIES = [
    ("rod", lambda n: ROD % n, 1),
    ("ladder of components", ladder, 1),
    ("chain of shafts", lambda n: SHAFTS % n, 1),
    ("CascadedFirstOrder", of_suite("Elementary.SimpleODE.Models.CascadedFirstOrder"), 1),
    ("HarmonicOscillator", of_suite("Mechanical.HarmonicOscillator.Models.HarmonicOscillator"), 1),
    ("OneDHeatTransferTI_FD", of_suite("Thermal.HeatConduction.Models.OneDHeatTransferTI_FD"), 1),
    ("OneDHeatTransferTI_Modelica", of_suite("Thermal.HeatConduction.ScaledExperiments.OneDHeatTransferTI_Modelica_N_10"), 1),
    ("TransmissionLineEquations", of_suite("Electrical.TransmissionLine.ScaledExperiments.TransmissionLineEquations_N_10"), 1),
    ("TransmissionLineModelica", of_suite("Electrical.TransmissionLine.ScaledExperiments.TransmissionLineModelica_N_10"), 1),
    ("SimpleAdvection", of_suite("Thermal.Advection.Models.SimpleAdvection"), 1),
    ("CocurrentHeatExchanger", of_suite("Thermal.HeatExchanger.ScaledExperiments.CocurrentHeatExchangerEquations_N_10"), 1),
    ("DistributionSystemModelica", of_suite("Electrical.DistributionSystemDC.Models.DistributionSystemModelica", "N = %d, M = %d"), 2),
    ("DistributionSystemLinear", of_suite("Electrical.DistributionSystemAC.Models.DistributionSystemLinear", "N = %d, M = %d"), 2),
]


def measure(command):
    """CPU seconds and kilobytes of a process; none if it fails."""
    pid = os.fork()
    if pid == 0:
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, 1)
        os.dup2(null, 2)
        os.execvp(command[0], command)
    _, status, used = os.wait4(pid, 0)
    return (used.ru_utime + used.ru_stime, used.ru_maxrss) if status == 0 else None


def picture(path, results):
    points = [p for _, list_ in results for p in list_]
    if not points:
        return
    low, high = math.floor(math.log10(min(p[0] for p in points))), math.ceil(math.log10(max(p[0] for p in points)))
    floor, top = math.floor(math.log10(min(p[1] for p in points))), math.ceil(math.log10(max(p[1] for p in points)))
    width, height, left, foot = 420, 320, 60, 340
    x = lambda n: left + width * (math.log10(n) - low) / max(high - low, 1)
    y = lambda s: foot - height * (math.log10(s) - floor) / max(top - floor, 1)
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 720 380" font-family="sans-serif" font-size="11">',
           '<rect width="720" height="380" fill="white"/>']
    for k in range(low, high + 1):
        out.append(f'<path d="M{x(10**k):.1f} {foot}V{foot - height}" stroke="#ddd"/><text x="{x(10**k):.1f}" y="{foot + 14}" text-anchor="middle">1e{k}</text>')
    for k in range(floor, top + 1):
        out.append(f'<path d="M{left} {y(10**k):.1f}h{width}" stroke="#ddd"/><text x="{left - 6}" y="{y(10**k) + 4:.1f}" text-anchor="end">1e{k}</text>')
    out.append(f'<text x="{left + width / 2}" y="{foot + 30}" text-anchor="middle">cells</text><text x="{left}" y="{foot - height - 6}">CPU seconds, text to first step</text>')
    for k, (name, list_) in enumerate(results):
        colour = f"hsl({360 * k // max(len(results), 1)},65%,40%)"
        way = " ".join(f"{x(n):.1f},{y(s):.1f}" for n, s, _ in list_)
        out.append(f'<polyline points="{way}" fill="none" stroke="{colour}" stroke-width="1.5"/>')
        out += [f'<circle cx="{x(n):.1f}" cy="{y(s):.1f}" r="2.5" fill="{colour}"/>' for n, s, _ in list_]
        at = 40 + 22 * k
        out.append(f'<path d="M500 {at}h18" stroke="{colour}" stroke-width="2"/><text x="524" y="{at + 4}">{name}</text>')
    out.append("</svg>\n")
    with open(path, "w") as f:
        f.write("\n".join(out))


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--ferrica", default=os.path.join(root, "target", "release", "ferrica"))
    p.add_argument("--suite", required=True)
    p.add_argument("--msl")
    p.add_argument("--only", help="families whose name has this in it")
    p.add_argument("--from", dest="first", type=int, default=100, help="cells of the smallest size")
    p.add_argument("--to", type=int, default=10**7, help="cells of the largest size")
    p.add_argument("--limit", type=float, default=30.0)
    p.add_argument("--picture")
    a = p.parse_args()
    libraries = [x for d in (a.suite, a.msl) if d for x in ("--lib", d)]
    results = []
    with tempfile.TemporaryDirectory() as out:
        for name, text, dimensions in FAMILIES:
            if a.only and a.only not in name:
                continue
            made, cells = [], a.first
            while cells <= a.to:
                n = round(cells ** (1 / dimensions))
                with open(f"{out}/Growth.mo", "w") as f:
                    f.write(text(n))
                got = measure([a.ferrica, "run", f"{out}/Growth.mo", *libraries, "--stop", "1e-9", "--points", "1",
                               "--vars", "time,*[1],*[1].*", "--quiet", "-o", f"{out}/o.csv"])
                if got is None:
                    print(f"{name}: {cells} cells: no result")
                    break
                growth = f", {got[0] / made[-1][1]:.2f} times the CPU, {got[1] / made[-1][2]:.2f} times the memory of a quarter" if made else ""
                print(f"{name}: {cells} cells: {got[0]:.2f} s, {got[1] / 1e3:.0f} MB{growth}", flush=True)
                made.append((cells, got[0], got[1]))
                if got[0] > a.limit:
                    break
                cells *= 4
            results.append((name, made))
    if a.picture:
        picture(a.picture, results)
    return 0


if __name__ == "__main__":
    sys.exit(main())
