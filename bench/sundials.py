#!/usr/bin/env python3
"""Compiled models against SUNDIALS in one run: time of the `simulate` stage at comparable measured error.

    bench/sundials.py --sundials /path/to/installed/sundials --ladder /path/to/scalable_rlc_N100.csv

The peers are the hand-written C programs of bench/solvers (IDA + KLU on the ladder as a DAE of 5003 unknowns, CVODE with
a band matrix and with KLU on the heat rod), compiled here with -O3 against an installation of SUNDIALS 6 that was itself compiled
with -O3. Ours are the Modelica texts of bench/models through `ferrica run`. Each is run several times in turn and the fastest counts.
Ours is run at a few tolerances; its time at the peer's error is interpolated on the work-precision line.
With --cpu, for a machine that is busy with other things, CPU times are compared instead: ours is that of a whole run less that of a run
of next to no simulated time (so machine code made in the background counts too), the peer's is that of its process.
Exit code 1 if a ratio is above 1.
"""
import argparse, csv, json, math, os, re, resource, subprocess, sys, tempfile

here = os.path.dirname(os.path.abspath(__file__))
root = os.path.dirname(here)


def peers(sundials, out):
    lib = os.path.join(sundials, "lib")
    if not os.path.isdir(lib):
        lib = os.path.join(sundials, "lib64")
    common = [f"{lib}/libsundials_{n}.a" for n in ("sunlinsolklu", "sunmatrixsparse", "nvecserial", "generic")]
    klu = ["-lklu", "-lamd", "-lcolamd", "-lbtf", "-lsuitesparseconfig", "-lm"]
    include = [f"-I{sundials}/include", "-I/usr/include/suitesparse"]
    for name, core in (("ladder_ida", "ida"), ("heat_cvode", "cvode")):
        source = os.path.join(here, "solvers", name + ".c")
        core = f"{lib}/libsundials_{core}.a"
        subprocess.run(["cc", "-O3", *include, source, "-o", f"{out}/{name}", core, *common, *klu], check=True)


def run(command):
    """Output and CPU milliseconds."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return done.stdout, 1e3 * (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)


def peer(command, repeats, by_cpu):
    line, cpu = run(command)
    time = cpu / repeats if by_cpu else float(re.search(r"([0-9.]+) ms", line).group(1))
    error = max(float(e) for e in re.findall(r"(?:V|I|error) ([0-9.e+-]+)(?= |$)", line.split("max error")[1].replace("max", ""))
                or [float(line.split("max error")[1])])
    steps = int(re.search(r"steps (\d+)", line).group(1))
    return time, error, steps


def ours(ferrica, model, tol, out, names, by_cpu):
    command = [ferrica, "run", os.path.join(here, "models", model), "--solver", "bdf", "--tol", str(tol), "--quiet",
               "-o", f"{out}/o.csv", "--stats", f"{out}/s.json"]
    for n in names:
        command += ["--vars", n]
    compiling = min(run([*command, "--stop", "1e-9"])[1] for _ in range(3)) if by_cpu else 0.0
    _, cpu = run(command)
    with open(f"{out}/s.json") as f:
        stats = json.load(f)
    with open(f"{out}/o.csv") as f:
        rows = list(csv.reader(f))
    time = cpu - compiling if by_cpu else 1e3 * stats["stages"]["simulate"]
    return max(time, 0.1), stats["steps"], rows[0], [[float(v) for v in r] for r in rows[1:]]


def ladder_error(header, rows, reference):
    at = {round(r[0], 9): r for r in rows}
    v, i = header.index("C[1].v"), header.index("L[1].i")
    worst = 0.0
    for r in reference:
        row = at[round(r[0], 9)]
        worst = max(worst, abs(row[v] - r[4]), abs(row[i] - r[5]))
    return worst


def heat_error(header, rows):
    n = len(header) - 1
    modes = ((1, 1.0), (3, 0.5), (10, 0.3), (31, 0.2))
    worst = 0.0
    for row in rows:
        for k, name in enumerate(header[1:], 1):
            i = int(name[2:-1])
            x = i / (n + 1)
            exact = sum(a * math.sin(m * math.pi * x)
                        * math.exp(-4.0 * (n + 1) ** 2 * math.sin(m * math.pi / (2 * (n + 1))) ** 2 * row[0]) for m, a in modes)
            worst = max(worst, abs(row[k] - exact))
    return worst


def at_error(points, error):
    """Time at that error on the line through the points (error, time), by logarithms."""
    points = sorted(points)
    if error <= points[0][0]:
        return points[0][1]
    for (e0, t0), (e1, t1) in zip(points, points[1:]):
        if error <= e1:
            s = math.log(error / e0) / math.log(e1 / e0)
            return math.exp(math.log(t0) + s * math.log(t1 / t0))
    return points[-1][1]


def compare(title, tols, repeats, run_ours, run_peer):
    best, errors, steps = {}, {}, {}
    peer_best, peer_error, peer_steps = math.inf, 0.0, 0
    for _ in range(repeats):
        for tol in tols:
            time, count, error = run_ours(tol, tol in errors)
            best[tol] = min(best.get(tol, math.inf), time)
            steps[tol] = count
            if error is not None:
                errors[tol] = error
        time, peer_error, peer_steps = run_peer()
        peer_best = min(peer_best, time)
    print(title)
    for tol in tols:
        print(f"  ferrica  tol {tol:g}  {best[tol]:8.2f} ms  {steps[tol]:5d} steps  error {errors[tol]:.2e}")
    print(f"  peer     tol 1e-06  {peer_best:8.2f} ms  {peer_steps:5d} steps  error {peer_error:.2e}")
    time = at_error([(errors[t], best[t]) for t in tols], peer_error)
    print(f"  ratio at the peer's error: {time / peer_best:.2f}   at the same tolerance: {best[1e-6] / peer_best:.2f}")
    return time / peer_best


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--sundials", required=True)
    p.add_argument("--ladder", required=True, help="reference: t, …, V_node4 in column 5, I_LC1 in column 6")
    p.add_argument("--ferrica", default=os.path.join(root, "target", "release", "ferrica"))
    p.add_argument("--cpu", action="store_true", help="compare CPU times")
    p.add_argument("--repeats", type=int, default=5)
    a = p.parse_args()
    with open(a.ladder) as f:
        reference = [[float(v) for v in r] for r in list(csv.reader(f))[1:101]]
    tols = (1e-5, 1e-6, 1e-7)
    with tempfile.TemporaryDirectory() as out:
        peers(a.sundials, out)

        def ladder(tol, known):
            time, steps, header, rows = ours(a.ferrica, "RlcLadder.mo", tol, out, ("C[1].v", "L[1].i"), a.cpu)
            return time, steps, None if known else ladder_error(header, rows, reference)

        def heat(tol, known):
            time, steps, header, rows = ours(a.ferrica, "HeatRodModes.mo", tol, out, ("u[*",), a.cpu)
            return time, steps, None if known else heat_error(header, rows)

        ratios = [compare("RLC ladder, N = 1000, against IDA + KLU", tols, a.repeats, ladder,
                          lambda: peer([f"{out}/ladder_ida", "1000", "1e-6", a.ladder, "5"], 5, a.cpu))]
        for matrix in ("band", "klu"):
            ratios.append(compare(f"heat rod, n = 1000, against CVODE + {matrix}", tols, a.repeats, heat,
                                  lambda: peer([f"{out}/heat_cvode", "1000", "1e-6", "5", matrix], 5, a.cpu)))
    return int(max(ratios) > 1.0)


if __name__ == "__main__":
    sys.exit(main())
