"""Runs of ferrica and what they cost."""
import json, os, pathlib, shutil, subprocess, tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
FERRICA = os.environ.get("FERRICA", str(ROOT / "target/release/ferrica"))


def run(model, args, repeats=5, ranks=1):
    """The least simulation time of several runs in seconds, and the statistics of that run."""
    best = None
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(repeats):
            stats = os.path.join(folder, "stats.json")
            command = [FERRICA, "run", "-m", f"Ferrica.Benchmarks.{model}", "-q", "--stats", stats,
                       "-o", os.path.join(folder, "out.csv"), *args.split()]
            if ranks > 1:
                command = ["mpirun", "--allow-run-as-root", "--bind-to", "none", "-n", str(ranks), *command]
            done = subprocess.run(command, capture_output=True, text=True)
            if done.returncode != 0:
                raise SystemExit(f"{' '.join(command)}\n{done.stderr}")
            found = json.load(open(stats))
            if best is None or found["stages"]["simulate"] < best["stages"]["simulate"]:
                best = found
    return best["stages"]["simulate"], best


def has_mpi():
    if shutil.which("mpirun") is None:
        return False
    with tempfile.TemporaryDirectory() as folder:
        probe = ["mpirun", "--allow-run-as-root", "--oversubscribe", "-n", "2", FERRICA, "run", "-m",
                 "Ferrica.Benchmarks.HydraulicNetwork", "-p", "N=2", "--partition", "tlm", "--stop", "1e-3", "-q",
                 "-o", os.path.join(folder, "out.csv")]
        return subprocess.run(probe, capture_output=True).returncode == 0
