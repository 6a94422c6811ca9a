#!/usr/bin/env python3
"""Runs FMUs of ferrica in the example importers of the FMI project's reference FMUs.

    python3 bench/fmi/importers.py --ferrica target/release/ferrica --sources Reference-FMUs

The examples are C programs that are compiled for one model each. Here the models are those of the project, written in Modelica; their value references and tokens
come from the descriptions that ferrica writes. Model Exchange is integrated by the importer, with Euler's explicit steps: its truth is the project's own reference file.
The truth of Co-Simulation is `ferrica run`. The examples for early return, event mode, intermediate updates and Jacobians must end without an error; one that ends with an error
also with the project's own FMU, compiled from its sources, is shown and not counted.
"""

import argparse
import csv
import os
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ET
import zipfile

from campaign import at_points

MODELS = {
    "BouncingBall": ("""model BouncingBall
  parameter Real g = -9.81; parameter Real e = 0.7; parameter Real v_min = 0.1;
  Real h(start = 1, fixed = true); Real v(start = 0, fixed = true);
  Boolean rests(start = false, fixed = true);
equation
  der(h) = v; der(v) = if rests then 0 else g;
  when h <= 0 and v < 0 then
    rests = -e*pre(v) < v_min;
    reinit(h, 1e-60); reinit(v, if rests then 0 else -e*pre(v));
  end when;
end BouncingBall;
""", ["h", "v"], ["cs_early_return", "cs_event_mode", "cs_intermediate_update"]),
    "Dahlquist": ("""model Dahlquist
  parameter Real k = 1; Real x(start = 1, fixed = true);
equation
  der(x) = -k*x;
end Dahlquist;
""", ["x"], []),
    "VanDerPol": ("""model VanDerPol
  parameter Real mu = 1; Real x0(start = 2, fixed = true); Real x1(start = 0, fixed = true);
equation
  der(x0) = x1; der(x1) = mu*(1 - x0^2)*x1 - x0;
end VanDerPol;
""", ["x0", "x1"], ["jacobian"]),
}
ROUNDED = 1e-3


def run(words, folder):
    return subprocess.run(words, cwd=folder, capture_output=True, text=True, timeout=600)


def config(name, text, description, version):
    """The header that an example is compiled with: of the project's own only times and steps are kept."""
    root = ET.fromstring(description)
    kept = re.findall(r"#define (?:FIXED_SOLVER_STEP|DEFAULT_STOP_TIME) .*", text)
    structure = root.find("ModelStructure")
    if version == "3":
        variables = {v.get("name"): v.get("valueReference") for v in root.find("ModelVariables")}
        states, zeros = len(structure.findall("ContinuousStateDerivative")), len(structure.findall("EventIndicator"))
        token = root.get("instantiationToken")
    else:
        variables = {v.get("name"): v.get("valueReference") for v in root.iter("ScalarVariable")}
        states, zeros = len(structure.findall("Derivatives/Unknown")), int(root.get("numberOfEventIndicators") or 0)
        token = root.get("guid")
    plain = {re.sub(r"der\((\w+)\)", r"der_\1", n): vr for n, vr in variables.items()}
    references = ", ".join(f"vr_{n} = {vr}" for n, vr in plain.items() if re.fullmatch(r"\w+", n))
    return "\n".join(["#pragma once", f"#define MODEL_IDENTIFIER {name}", f'#define INSTANTIATION_TOKEN "{token}"', f"#define NX {states}",
                      f"#define NZ {zeros}", *kept, f"typedef enum {{ {references} }} ValueReference;", ""])


def failed(done):
    return done.returncode != 0 or "[Error]" in done.stdout or "[Fatal]" in done.stdout


def fails_with_its_own(args, name, program, own, folder):
    """Does the example fail with the project's FMU of the same model too?"""
    sources, place = os.path.abspath(args.sources), os.path.join(folder, "theirs")
    binaries = os.path.join(place, name, "binaries", "x86_64-linux")
    os.makedirs(binaries, exist_ok=True)
    words = [args.cc, "-w", "-O1", "-DFMI_VERSION=3", "-DDISABLE_PREFIX", f"-I{sources}/{name}", f"-I{sources}/include", f"-I{sources}/examples"]
    code = [f"{sources}/{name}/model.c", f"{sources}/src/fmi3Functions.c", f"{sources}/src/cosimulation.c"]
    library = run([*words, "-shared", "-fPIC", "-o", os.path.join(binaries, name + ".so"), *code, "-lm"], place)
    example = run([*words, "-o", program, f"{sources}/examples/{program}.c", *own, f"{sources}/src/FMI.c", f"{sources}/src/FMI3.c", "-ldl", "-lm"], place)
    if library.returncode != 0 or example.returncode != 0:
        return False
    return failed(run([os.path.join(place, program)], place))


def judge(args, name, version, folder):
    """Pairs of what was run and why it failed."""
    text, names, more = MODELS[name]
    sources = os.path.abspath(args.sources)
    with open(os.path.join(folder, "m.mo"), "w") as f:
        f.write(text)
    done = run([args.ferrica, "export", "fmu", "m.mo", "--fmi", version, "-q", "-o", "m.fmu"], folder)
    if done.returncode != 0:
        yield "export", done.stderr
        return
    with zipfile.ZipFile(os.path.join(folder, "m.fmu")) as z:
        z.extractall(os.path.join(folder, name))
        description = z.read("modelDescription.xml").decode()
    with open(os.path.join(sources, name, "config.h")) as f:
        header = config(name, f.read(), description, version)
    with open(os.path.join(folder, "config.h"), "w") as f:
        f.write(header)
    step = re.search(r"FIXED_SOLVER_STEP\s+(\S+)", header).group(1)
    stop = re.search(r"DEFAULT_STOP_TIME\s+(\S+)", header).group(1)
    for program in [f"simulate_fmi{version}_me", f"simulate_fmi{version}_cs", *(more if version == "3" else [])]:
        own = [] if program == "jacobian" else [os.path.join(sources, "examples", name + ".c")]
        words = [args.cc, "-w", "-O1", f"-DFMI_VERSION={version}", "-DDISABLE_PREFIX", "-I.", f"-I{sources}/include", f"-I{sources}/examples", "-o", program,
                 f"{sources}/examples/{program}.c", *own, f"{sources}/src/FMI.c", f"{sources}/src/FMI{version}.c", "-ldl", "-lm"]
        done = run(words, folder)
        if done.returncode != 0:
            yield program, "cc: " + done.stderr[-300:]
            continue
        done = run([os.path.join(folder, program)], folder)
        if failed(done):
            if version == "3" and not program.startswith("simulate") and fails_with_its_own(args, name, program, own, folder):
                yield program, None
                continue
            yield program, f"exit {done.returncode}: " + (done.stdout + done.stderr)[-300:]
            continue
        if not program.startswith("simulate"):
            yield program, ""
            continue
        kind = program[-2:]
        result = os.path.join(folder, f"{name}_{kind}_out.csv")
        if kind == "me":
            known = os.path.join(sources, name, name + "_out.csv")
        else:
            known = os.path.join(folder, "run.csv")
            words = [args.ferrica, "run", "m.mo", "-q", "--stop", stop, "--interval", step, "--tol", "1e-9", "-o", known]
            for n in names:
                words += ["--vars", n]
            run(words, folder)
            known = at_points(known, result)
        done = run([args.ferrica, "diff", known, result, "--tol", repr(ROUNDED)], folder)
        lines = [x for x in (done.stdout + done.stderr).splitlines() if "DIFFERS" in x or "error" in x]
        with open(result) as f:
            rows = sum(1 for _ in csv.reader(f)) - 1
        yield f"{program}, {rows} points", "" if done.returncode == 0 else "diff: " + "; ".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ferrica", required=True)
    parser.add_argument("--sources", required=True)
    parser.add_argument("--cc", default="cc")
    args = parser.parse_args()
    args.ferrica = os.path.abspath(args.ferrica)
    good = bad = 0
    for name in MODELS:
        for version in "23":
            with tempfile.TemporaryDirectory() as folder:
                for what, why in judge(args, name, version, folder):
                    if why is None:
                        print(f"skip  {name}, FMI {version}, {what}", "fails with the project's own FMU too", sep="\n        ", flush=True)
                        continue
                    good, bad = good + (not why), bad + bool(why)
                    print(("FAIL  " if why else "ok    ") + f"{name}, FMI {version}, {what}", *([why] if why else []), sep="\n        ", flush=True)
    print(f"{good} of {good + bad}")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
