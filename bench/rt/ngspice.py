#!/usr/bin/env python3
"""Five circuits in the real-time solvers and in ngspice, at the errors that both have against a tight run of radau.

    FERRICA=target/release/ferrica NGSPICE=ngspice bench/rt/ngspice.py

Times are processor times: of ours the steps (`processor_seconds` of --stats), of ngspice the process without its set-up, which a run of one step
measures; the least of REPEATS runs. The error is the root mean square over the rows in parts of the largest value. Both have the same bare equations: ngspice's
diodes and transistors with all other effects left out."""
import csv
import json
import math
import os
import resource
import subprocess
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
FERRICA = os.environ.get("FERRICA", os.path.join(HERE, "../../target/release/ferrica"))
NGSPICE = os.environ.get("NGSPICE", "ngspice")
REPEATS = int(os.environ.get("REPEATS", "3"))
ROWS = 40
# k T / q at 27 °C, with ngspice's constants.
VT = 0.02586492

PARTS = f"""  import Modelica.Electrical.Analog.{{Basic, Interfaces, Sources}};
  model Diode
    extends Interfaces.OnePort;
  equation
    i = 1e-12*(exp(v/{VT}) - 1);
  end Diode;
"""


def ladder(n):
    loops = "\n".join(
        f"R{k} {'s' if k == 0 else f'a{k - 1}'} b{k} 1\nL{k} b{k} a{k} 1e-3 IC=0\nC{k} a{k} 0 1e-6 IC=0" for k in range(n))
    text = f"""model Circuit
{PARTS}  constant Integer n = {n};
  Sources.SineVoltage s(V = 10, f = 1000);
  Basic.Resistor R[n](each R = 1);
  Basic.Inductor L[n](each L = 1e-3, each i(start = 0, fixed = true));
  Basic.Capacitor C[n](each C = 1e-6, each v(start = 0, fixed = true));
  Basic.Ground g;
  output Real v = C[n].v;
equation
  connect(s.n, g.p);
  connect(s.p, R[1].p);
  for k in 1:n loop
    connect(R[k].n, L[k].p);
    connect(L[k].n, C[k].p);
    connect(C[k].n, g.p);
  end for;
  for k in 2:n loop
    connect(C[k-1].p, R[k].p);
  end for;
end Circuit;
"""
    return text, f"V1 s 0 SIN(0 10 1000)\n{loops}", f"v(a{n - 1})"


def multiplier(stages):
    n = 2 * stages
    declared = f"""model Circuit
{PARTS}  Sources.SineVoltage s(V = 10, f = 1000);
  Basic.Resistor Rs(R = 10), RL(R = 1e5);
  Basic.Capacitor c[{n}](each C = 1e-6, each v(start = 0, fixed = true));
  Diode d[{n}];
  Basic.Ground g;
  output Real v = RL.v;
equation
  connect(s.n, g.p);
  connect(s.p, Rs.p);
  connect(Rs.n, c[1].p);
  connect(g.p, c[2].p);
  connect(g.p, d[1].p);
"""
    lines = [f"  connect(d[{k}].n, c[{k}].n);" for k in range(1, n + 1)]
    lines += [f"  connect(c[{k}].n, d[{k + 1}].p);" for k in range(1, n)]
    lines += [f"  connect(c[{k}].n, c[{k + 2}].p);" for k in range(1, n - 1)]
    lines += [f"  connect(c[{n}].n, RL.p);", "  connect(RL.n, g.p);", "end Circuit;\n"]
    net = ["V1 s 0 SIN(0 10 1000)", "RS s a 10", f"RL m{n} 0 1e5"]
    for k in range(1, n + 1):
        begin = {1: "a", 2: "0"}.get(k, f"m{k - 2}")
        net += [f"C{k} {begin} m{k} 1u IC=0", f"D{k} {'0' if k == 1 else f'm{k - 1}'} m{k} DX"]
    return declared + "\n".join(lines), "\n".join(net), f"v(m{n})"


BRIDGE = (f"""model Circuit
{PARTS}  Sources.SineVoltage s(V = 20, f = 50);
  Basic.Resistor Rs(R = 1), R(R = 100);
  Basic.Capacitor C(C = 1e-3, v(start = 0, fixed = true));
  Diode a, b, c, d;
  Basic.Ground g;
  output Real v = C.v;
equation
  connect(s.p, Rs.p);
  connect(Rs.n, a.p); connect(a.n, C.p); connect(c.n, Rs.n); connect(c.p, g.p);
  connect(s.n, b.p); connect(b.n, C.p); connect(d.n, s.n); connect(d.p, g.p);
  connect(C.n, g.p); connect(R.p, C.p); connect(R.n, g.p);
end Circuit;
""", "V1 p q SIN(0 20 50)\nRS p r 1\nDA r o DX\nDC 0 r DX\nDB q o DX\nDD 0 q DX\nC1 o 0 1m IC=0\nR1 o 0 100", "v(o)")

HALF_WAVE = (f"""model Circuit
{PARTS}  Sources.SineVoltage s(V = 10, f = 1000);
  Basic.Resistor Rs(R = 10), R(R = 1000);
  Basic.Inductor L(L = 1e-4, i(start = 0, fixed = true));
  Basic.Capacitor C(C = 1e-5, v(start = 0, fixed = true));
  Diode a;
  Basic.Ground g;
  output Real v = C.v;
equation
  connect(s.p, Rs.p); connect(Rs.n, a.p); connect(a.n, C.p); connect(C.n, g.p); connect(s.n, g.p);
  connect(C.p, L.p); connect(L.n, R.p); connect(R.n, g.p);
end Circuit;
""", "V1 s 0 SIN(0 10 1000)\nRS s r 10\nDA r o DX\nC1 o 0 10u IC=0\nL1 o q 1e-4 IC=0\nR1 q 0 1000", "v(o)")

AMPLIFIER = (f"""model Circuit
  parameter Real Is = 1e-15, VT = {VT}, BF = 120, BR = 2;
  Real vin = 0.01*sin(2*3.141592653589793*1000*time), vb, vc, icc, iec, ic, ib, iin, iout;
  Real a(start = 1.68, fixed = true), e(start = 1, fixed = true), o(start = 7, fixed = true);
  output Real v = 1e4*iout;
equation
  icc = Is*(exp((vb - e)/VT) - 1);
  iec = Is*(exp((vb - vc)/VT) - 1);
  ic = icc - iec*(1 + 1/BR);
  ib = icc/BF + iec/BR;
  a = vb - vin;
  1e-5*der(a) = -iin;
  iin + (12 - vb)/47e3 = vb/10e3 + ib;
  1e-4*der(e) = ic + ib - e/470;
  (12 - vc)/2200 = ic + iout;
  o = vc - v;
  1e-5*der(o) = iout;
end Circuit;
""", "VI i 0 SIN(0 0.01 1000)\nVC c 0 12\nC1 b i 10u IC=1.68\nR1 c b 47k\nR2 b 0 10k\nRC c k 2.2k\nQ1 k b e QX\n"
     "RE e 0 470\nC2 e 0 100u IC=1\nC3 k o 10u IC=7\nRL o 0 10k", "v(o)")

# Name; model, netlist, node; stop time; steps of rt-tr and rt-bdf2; steps and relative tolerances of ngspice.
CASES = [
    ("half-wave rectifier", HALF_WAVE, 2e-2, [2e-6, 1e-5]),
    ("bridge", BRIDGE, 0.1, [1e-5, 5e-5]),
    ("multiplier, 6 diodes", multiplier(3), 2e-2, [1e-6, 5e-6]),
    ("amplifier", AMPLIFIER, 2e-2, [2e-6, 1e-5]),
    ("RLC ladder, 100 loops", ladder(100), 2e-2, [1e-6, 5e-6]),
]


def ours(folder, text, args, stop):
    path, out, stats = (os.path.join(folder, n) for n in ("c.mo", "c.csv", "c.json"))
    with open(path, "w") as f:
        f.write(text)
    command = [FERRICA, "run", "-q", path, "--stop", repr(stop), "--interval", repr(stop / ROWS), "--vars", "v", "-o", out, "--stats", stats]
    least = math.inf
    for _ in range(REPEATS):
        done = subprocess.run(command + args, capture_output=True, text=True)
        if done.returncode:
            return None, done.stderr.split("\n")[0]
        with open(stats) as f:
            least = min(least, json.load(f).get("processor_seconds") or math.inf)
    with open(out) as f:
        rows = [[float(x) for x in r] for r in list(csv.reader(f))[1:]]
    at = {round(ROWS * t / stop): v for t, v in rows if abs(ROWS * t / stop - round(ROWS * t / stop)) < 1e-6}
    return [at[k] for k in range(1, ROWS + 1)], least


def processor(command, folder):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return done, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def theirs(folder, net, node, stop, step, reltol):
    def text(end):
        return (f"* circuit\n{net}\n.model DX D(IS=1e-12)\n.model QX NPN(IS=1e-15 BF=120 BR=2)\n"
                f".options reltol={reltol} abstol=1e-14 vntol={reltol * 1e-3}\n.tran {stop / ROWS} {end} 0 {step} UIC\n"
                f".control\nrun\nlinearize {node}\nset wr_singlescale\nwrdata out.txt {node}\nquit\n.endc\n.end\n")
    least, set_up = math.inf, math.inf
    for _ in range(REPEATS):
        for end in (step, stop):
            with open(os.path.join(folder, "c.cir"), "w") as f:
                f.write(text(end))
            done, seconds = processor([NGSPICE, "-b", "c.cir"], folder)
            if end == stop:
                least = min(least, seconds)
            else:
                set_up = min(set_up, seconds)
    with open(os.path.join(folder, "out.txt")) as f:
        rows = [[float(x) for x in line.split()] for line in f]
    at = {round(ROWS * t / stop): v for t, v in rows}
    if len(at) <= ROWS or "Timestep too small" in done.stdout + done.stderr:
        said = (done.stdout + done.stderr).split("\n")
        return None, next((line for line in said if "too small" in line), "no rows")
    return [at[k] for k in range(1, ROWS + 1)], least - set_up


def error(found, reference):
    size = max(abs(x) for x in reference)
    return math.sqrt(sum((a - b) ** 2 for a, b in zip(found, reference)) / len(reference)) / size


def main():
    print(f"{'circuit':24} {'solver':26} {'error':>9} {'ms':>9}")
    with tempfile.TemporaryDirectory() as folder:
        for name, (text, net, node), stop, steps in CASES:
            reference, said = ours(folder, text, ["--solver", "radau", "--tol", "1e-9"], stop)
            if reference is None:
                print(name, said)
                continue
            runs = [(f"{s} {h}", ours(folder, text, ["--solver", s, "--step", repr(h)], stop)) for s in ("rt-tr", "rt-bdf2") for h in steps]
            runs += [(f"ngspice {h}, reltol {r}", theirs(folder, net, node, stop, h, r)) for h in steps for r in (1e-3, 1e-5)]
            for solver, (found, time) in runs:
                if found is None:
                    print(f"{name:24} {solver:26} {time}")
                else:
                    print(f"{name:24} {solver:26} {error(found, reference):9.1e} {1e3 * time:9.2f}", flush=True)


if __name__ == "__main__":
    main()
