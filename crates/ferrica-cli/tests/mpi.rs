//! Runs over MPI ranks: `cargo test --features mpi`, with an installed OpenMPI.
#![cfg(feature = "mpi")]

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};

fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

fn mpirun(folder: &Path, ranks: usize, args: &str) -> Child {
    Command::new("mpirun")
        .args([
            "--allow-run-as-root",
            "--oversubscribe",
            "--bind-to",
            "none",
            "-n",
            &ranks.to_string(),
        ])
        .arg(env!("CARGO_BIN_EXE_ferrica"))
        .args(args.split_whitespace())
        .current_dir(folder)
        .env_remove("MODELICAPATH")
        .stderr(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("mpirun is installed")
}

/// One job at a time: the launcher's folder is made by the first and removed by the last.
static ONE: Mutex<()> = Mutex::new(());

fn alone() -> MutexGuard<'static, ()> {
    ONE.lock().unwrap_or_else(PoisonError::into_inner)
}

const NETWORK: &str =
    "run -m Ferrica.Benchmarks.HydraulicNetworkRelief -p N=40 --partition tlm --solver euler";

#[test]
fn two_ranks_give_the_same_file_as_one() {
    let _one = alone();
    let folder = folder("mpi-same");
    for (ranks, file) in [(1, "one.csv"), (2, "two.csv"), (3, "three.csv")] {
        let args = format!("{NETWORK} --stop 0.2 --interval 0.01 -o {file}");
        let output = mpirun(&folder, ranks, &args).wait_with_output().unwrap();
        let text = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{ranks} ranks: {text}");
    }
    let text = |file: &str| std::fs::read_to_string(folder.join(file)).unwrap();
    assert_eq!(text("one.csv").lines().count(), 22);
    assert!(text("one.csv") == text("two.csv"), "2 ranks differ");
    assert!(text("one.csv") == text("three.csv"), "3 ranks differ");
}

/// The first rank takes the rows and writes the statistics: those of another one would know of no output. The file is one object.
#[test]
fn the_first_rank_writes_the_statistics() {
    let _one = alone();
    let folder = folder("mpi-stats");
    let args = format!("{NETWORK} --stop 0.2 --interval 0.01 -o rows.csv --stats cost.json");
    let output = mpirun(&folder, 2, &args).wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
    let text = std::fs::read_to_string(folder.join("cost.json")).unwrap();
    let value = |key: &str| {
        let (_, rest) = text.split_once(&format!("\"{key}\":"))?;
        rest.trim_start().split([',', '}', '\n']).next()
    };
    let number = |key: &str| value(key).and_then(|v| v.parse::<f64>().ok());
    assert!(text.contains("2 ranks"), "{text}");
    assert_eq!(text.matches("\"solver\"").count(), 1, "{text}");
    assert!(text.trim_end().ends_with('}'), "{text}");
    assert_eq!(number("stop"), Some(0.2), "{text}");
    assert!(number("output").is_some_and(|v| v > 0.0), "{text}");
    // Steps of 1e-4, by the clusters of this rank.
    assert!(
        number("steps").is_some_and(|n| n >= 2000.0 && n % 2000.0 == 0.0),
        "{text}"
    );
}

/// Processes whose parent is this one, by the kernel's list.
fn children(parent: u32) -> Vec<u32> {
    let list = std::fs::read_dir("/proc").unwrap().filter_map(|e| {
        let id: u32 = e.ok()?.file_name().to_str()?.parse().ok()?;
        let stat = std::fs::read_to_string(format!("/proc/{id}/stat")).ok()?;
        let fields: Vec<&str> = stat.rsplit(')').next()?.split_whitespace().collect();
        (fields.get(1)?.parse::<u32>().ok()? == parent).then_some(id)
    });
    list.collect()
}

/// Rank of a process of the job.
fn rank(id: u32) -> Option<usize> {
    let environment = std::fs::read(format!("/proc/{id}/environ")).ok()?;
    let text = String::from_utf8_lossy(&environment).into_owned();
    let value = text
        .split('\0')
        .find_map(|v| v.strip_prefix("OMPI_COMM_WORLD_RANK="))?;
    value.parse().ok()
}

#[test]
fn a_rank_that_dies_ends_the_run_with_its_name_and_keeps_the_results() {
    let _one = alone();
    let folder = folder("mpi-dies");
    // Long enough never to end by itself.
    let args = format!("{NETWORK} --stop 100000 --interval 0.01 -o kept.csv");
    // Its rows have this name until the run is complete.
    let kept = folder.join("kept.partial.csv");
    let _ = std::fs::remove_file(&kept);
    let job = mpirun(&folder, 2, &args);
    let second = loop {
        let lines = std::fs::read_to_string(&kept).map_or(0, |text| text.lines().count());
        let found = children(job.id())
            .into_iter()
            .find(|&id| rank(id) == Some(1));
        match found {
            Some(id) if lines > 4 => break id,
            _ => std::thread::sleep(std::time::Duration::from_millis(20)),
        }
    };
    assert!(
        Command::new("kill")
            .args(["-9", &second.to_string()])
            .status()
            .unwrap()
            .success()
    );
    let output = job.wait_with_output().unwrap();
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success());
    assert!(text.contains("error[E0612]: rank 1 (process"), "{text}");
    let rows = std::fs::read_to_string(&kept).unwrap();
    assert!(rows.lines().count() > 3 && rows.ends_with('\n'));
}

#[test]
fn a_study_over_ranks() {
    let _one = alone();
    let folder = folder("mpi-sweep");
    for (ranks, file) in [(1, "one.csv"), (2, "two.csv")] {
        let args =
            format!("sweep -m Ferrica.Benchmarks.HalfWave -p R1.R=1:1:6 --vars C1.v -o {file}");
        let output = mpirun(&folder, ranks, &args).wait_with_output().unwrap();
        let text = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{ranks} ranks: {text}");
    }
    let text = |file: &str| std::fs::read_to_string(folder.join(file)).unwrap();
    assert_eq!(text("one.csv").lines().count(), 7);
    assert_eq!(text("one.csv"), text("two.csv"));
}

/// Truth is the run with the same stages that nobody disturbed, in one process.
#[test]
fn a_killed_run_over_ranks_goes_on() {
    let _one = alone();
    let folder = folder("mpi-stages");
    let run = format!("{NETWORK} --stop 10 --interval 0.05");
    let whole = format!("{run} -o whole.csv --checkpoint whole.bin --every 0.1");
    let output = mpirun(&folder, 1, &whole).wait_with_output().unwrap();
    assert!(output.status.success());
    for (ranks, ranks_after) in [(2, 2), (4, 8), (8, 1)] {
        let part = format!("{run} -o part.csv --checkpoint part.bin --every 0.1");
        let first = mpirun(&folder, ranks, &part);
        let last = loop {
            let mut found = children(first.id()).into_iter();
            match found.find(|&id| rank(id) == Some(ranks - 1)) {
                Some(id) if folder.join("part.bin").exists() => break id,
                _ => std::thread::sleep(std::time::Duration::from_millis(1)),
            }
        };
        let mut kill = Command::new("kill");
        let kill = kill.args(["-9", &last.to_string()]).status().unwrap();
        assert!(kill.success());
        let output = first.wait_with_output().unwrap();
        let text = String::from_utf8_lossy(&output.stderr);
        assert!(
            !output.status.success(),
            "{ranks} ranks: it ended before it was killed"
        );
        assert!(!text.contains("panicked"), "{text}");
        let rest = format!("{run} -o part.csv --resume part.bin");
        let rest = mpirun(&folder, ranks_after, &rest);
        let output = rest.wait_with_output().unwrap();
        let text = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{text}");
        let text = |file: &str| std::fs::read_to_string(folder.join(file)).unwrap();
        assert_eq!(text("whole.csv").lines().count(), 202);
        assert!(
            text("whole.csv") == text("part.csv"),
            "{ranks} ranks: the results differ"
        );
        for file in ["part.bin", "part.csv"] {
            std::fs::remove_file(folder.join(file)).unwrap();
        }
    }
}

/// The ten networks of `tests/networks` with the steps that they have on threads.
#[test]
fn networks_give_the_bits_of_threads_on_two_four_and_eight_ranks() {
    let _one = alone();
    let folder = folder("mpi-networks");
    let networks = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/networks/Networks.mo");
    std::fs::copy(networks, folder.join("Networks.mo")).unwrap();
    for (name, step) in [
        ("Cable", "2.5e-7"),
        ("Ladder", "6.25e-8"),
        ("Star", "2.5e-7"),
        ("Pulses", "2.5e-7"),
        ("Pipe", "1.25e-4"),
        ("Tree", "1.25e-4"),
        ("Rod", "1.25e-4"),
        ("Train", "1.25e-4"),
        ("Turbine", "1.25e-4"),
        ("Drive", "1.25e-4"),
    ] {
        let run = format!("run Networks.mo -m Networks.{name} --partition tlm --step {step}");
        let threads = Command::new(env!("CARGO_BIN_EXE_ferrica"))
            .args(run.split(' '))
            .args(["--threads", "2", "-o", "threads.csv"])
            .current_dir(&folder)
            .env_remove("MODELICAPATH")
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&threads.stderr);
        assert!(threads.status.success(), "{name}: {said}");
        let truth = std::fs::read(folder.join("threads.csv")).unwrap();
        for ranks in [2, 4, 8] {
            let job = mpirun(&folder, ranks, &format!("{run} -o ranks.csv"));
            let output = job.wait_with_output().unwrap();
            let said = String::from_utf8_lossy(&output.stderr);
            assert!(output.status.success(), "{name} on {ranks}: {said}");
            let found = std::fs::read(folder.join("ranks.csv")).unwrap();
            assert!(found == truth, "{name}: {ranks} ranks differ from threads");
        }
    }
}

#[test]
fn what_is_wrong_is_told_once_and_ends_all_ranks() {
    let _one = alone();
    let folder = folder("mpi-wrong");
    let wrong = [
        // Known to the first rank alone.
        ("-o results.xls", "must end in"),
        // Known to all of them, before and in the run.
        ("--resume nothing.bin -o a.csv", "nothing.bin"),
        ("--step 1e-3 -o a.csv", "shorter than its step"),
    ];
    for (words, message) in wrong {
        let args = format!("{NETWORK} --stop 0.1 {words}");
        let output = mpirun(&folder, 2, &args).wait_with_output().unwrap();
        let text = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success(), "{words}");
        assert_eq!(text.matches(message).count(), 1, "{words}: {text}");
    }
}

#[test]
fn a_study_has_the_same_table_for_any_number_of_ranks() {
    let _one = alone();
    let folder = folder("mpi-sweep");
    let model = "model Decay parameter Real k = 1; Real x(start = 1, fixed = true); equation der(x) = -k*x; \
                 assert(k < 2.9, \"too fast\"); end Decay;";
    std::fs::write(folder.join("Decay.mo"), model).unwrap();
    let text = |file: &str| std::fs::read_to_string(folder.join(file)).unwrap();
    for ranks in 1..=4 {
        let args = format!(
            "sweep Decay.mo -p k=uniform(1,3) --samples 23 --seed 5 --value max(x) --vars x --allow-failed -o {ranks}.csv"
        );
        let output = mpirun(&folder, ranks, &args).wait_with_output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{ranks} ranks: {said}");
        assert_eq!(
            text(&format!("{ranks}.csv")),
            text("1.csv"),
            "{ranks} ranks"
        );
    }
    let table = text("1.csv");
    assert_eq!(table.lines().count(), 24);
    assert!(table.contains("E0607") && table.contains(",ok\n"));
}

/// Truth is the table of one process that nobody disturbed. Some of the runs fail.
#[test]
fn a_killed_study_over_ranks_goes_on_with_any_number_of_them() {
    let _one = alone();
    let folder = folder("mpi-sweep-killed");
    let model = "model Decay parameter Real k = 1; Real x(start = 1, fixed = true); equation der(x) = -k*x; \
                 assert(k < 2.9, \"too fast, by far\"); end Decay;";
    std::fs::write(folder.join("Decay.mo"), model).unwrap();
    let sweep = |ranks: usize, file: &str, more: &str| {
        let args = format!(
            "sweep Decay.mo -p k=uniform(1,3) --samples 60 --seed 5 --stop 500 --interval 0.01 -j 1 --value max(x) --vars x --allow-failed -o {file} {more}"
        );
        mpirun(&folder, ranks, &args)
    };
    let output = sweep(1, "whole.csv", "").wait_with_output().unwrap();
    assert!(output.status.success());
    let text = |file: &str| std::fs::read_to_string(folder.join(file)).unwrap_or_default();
    let whole = text("whole.csv");
    assert!(whole.lines().count() == 61 && whole.contains("E0607") && whole.contains(",ok\n"));
    for (ranks, then) in [(3, 2), (2, 4), (4, 1)] {
        let first = sweep(ranks, "part.csv", "");
        let last = loop {
            let mut found = children(first.id()).into_iter();
            let last = found.find(|&id| rank(id) == Some(ranks - 1));
            match last {
                Some(id) if text("part.partial.csv").lines().count() > 5 => break id,
                _ => std::thread::sleep(std::time::Duration::from_millis(1)),
            }
        };
        let mut kill = Command::new("kill");
        let kill = kill.args(["-9", &last.to_string()]).status().unwrap();
        assert!(kill.success());
        let output = first.wait_with_output().unwrap();
        assert!(
            !output.status.success(),
            "{ranks} ranks: it ended before it was killed"
        );
        let done = text("part.partial.csv").lines().count() - 1;
        let output = sweep(then, "part.csv", "--resume")
            .wait_with_output()
            .unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{said}");
        assert!(
            said.contains(&format!("{done} of them from before")),
            "{done}: {said}"
        );
        assert_eq!(text("part.csv"), whole, "{ranks} ranks, then {then}");
        std::fs::remove_file(folder.join("part.csv")).unwrap();
    }
}
