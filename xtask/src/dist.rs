//! `cargo xtask dist`: an archive and a Debian package with the program, completions, manual pages and the book, in `target/dist`.
//!
//! The program is built as it is released. The book is made by `mdbook` where that is installed; otherwise its pages are packed as they
//! are written, in Markdown, and that is said. The Debian package is an `ar` of two `tar` archives, which need no tool of Debian's.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::options::Options;

const SHELLS: [(&str, &str); 3] = [
    ("bash", "usr/share/bash-completion/completions/ferrica"),
    ("zsh", "usr/share/zsh/vendor-completions/_ferrica"),
    ("fish", "usr/share/fish/vendor_completions.d/ferrica.fish"),
];

pub fn run(options: &Options) -> Result<bool, String> {
    let here = std::env::current_dir().map_err(|e| e.to_string())?;
    let program = options.program()?;
    let out = here.join("target/dist");
    let version = env!("CARGO_PKG_VERSION");
    let made = pack(&here, &program, &out, version)?;
    for file in &made {
        let size = fs::metadata(file).map_or(0, |m| m.len());
        println!("{} ({:.1} MB)", file.display(), size as f64 / 1e6);
    }
    Ok(true)
}

/// Makes both packages of a program; their files.
fn pack(here: &Path, program: &Path, out: &Path, version: &str) -> Result<Vec<PathBuf>, String> {
    let tree = out.join("tree");
    let _ = fs::remove_dir_all(&tree);
    let put = |from: &Path, to: &str| {
        let to = tree.join(to);
        fs::create_dir_all(to.parent().unwrap_or(&tree)).map_err(|e| e.to_string())?;
        fs::copy(from, &to)
            .map(|_| ())
            .map_err(|e| format!("{}: {e}", from.display()))
    };
    put(program, "usr/bin/ferrica")?;
    // Two thirds of a release build say which line an instruction is from: nobody installs that.
    let installed = tree.join("usr/bin/ferrica");
    if !Command::new("strip")
        .arg("-g")
        .arg(&installed)
        .status()
        .is_ok_and(|s| s.success())
    {
        println!("strip does not take the program: it is packed as it is");
    }
    for (shell, place) in SHELLS {
        let script = output(Command::new(program).args(["completions", shell]))?;
        let place = tree.join(place);
        fs::create_dir_all(place.parent().unwrap_or(&tree)).map_err(|e| e.to_string())?;
        fs::write(&place, script).map_err(|e| e.to_string())?;
    }
    step(
        Command::new(program)
            .arg("man")
            .arg(tree.join("usr/share/man/man1")),
    )?;
    let doc = tree.join("usr/share/doc/ferrica");
    fs::create_dir_all(&doc).map_err(|e| e.to_string())?;
    for name in ["README.md", "LICENSE-MIT", "LICENSE-APACHE"] {
        put(&here.join(name), &format!("usr/share/doc/ferrica/{name}"))?;
    }
    let licenses = "Licensed under the MIT license or the Apache License 2.0; both texts are beside this file.\n";
    fs::write(doc.join("copyright"), licenses).map_err(|e| e.to_string())?;
    // How to get the standard library is a page of the book of its own, too.
    put(
        &here.join("docs/src/msl.md"),
        "usr/share/doc/ferrica/getting-the-standard-library.md",
    )?;
    let book = Command::new("mdbook")
        .arg("build")
        .arg(here.join("docs"))
        .arg("-d")
        .arg(doc.join("book"))
        .status();
    if !book.is_ok_and(|s| s.success()) {
        println!("mdbook is not installed: the book is packed as Markdown");
        copy_tree(&here.join("docs/src"), &doc.join("book"))?;
    }
    let name = format!(
        "ferrica-{version}-{}-{}",
        std::env::consts::OS,
        std::env::consts::ARCH
    );
    let archive = out.join(format!("{name}.tar.gz"));
    tar(&tree, &archive, ".", &format!("s,^\\./usr,{name},"))?;
    let debian = out.join(format!("ferrica_{version}_{}.deb", architecture()));
    deb(&tree, out, &debian, version)?;
    Ok(vec![archive, debian])
}

/// Debian's word for the machine.
fn architecture() -> &'static str {
    match std::env::consts::ARCH {
        "x86_64" => "amd64",
        "aarch64" => "arm64",
        other => other,
    }
}

fn deb(tree: &Path, out: &Path, to: &Path, version: &str) -> Result<(), String> {
    let failed = |e: std::io::Error| e.to_string();
    let control = out.join("control");
    let _ = fs::remove_dir_all(&control);
    fs::create_dir_all(&control).map_err(failed)?;
    let needed = c_library(&fs::read(tree.join("usr/bin/ferrica")).map_err(failed)?);
    let text = format!(
        "Package: ferrica\nVersion: {version}\nArchitecture: {}\nMaintainer: The Ferrica developers <ferrica@localhost>\n\
         Installed-Size: {}\nDepends: libc6{needed}, libgcc-s1\nSection: science\nPriority: optional\n\
         Description: Modelica compiler and simulator\n Compiles physical models and runs them: variable steps, real time, quantized states.\n",
        architecture(),
        size(tree) / 1024
    );
    fs::write(control.join("control"), text).map_err(failed)?;
    let (first, second) = (out.join("control.tar.gz"), out.join("data.tar.gz"));
    tar(&control, &first, ".", "")?;
    tar(tree, &second, ".", "")?;
    let mut file = fs::File::create(to).map_err(failed)?;
    file.write_all(b"!<arch>\n").map_err(failed)?;
    let members = [
        ("debian-binary", b"2.0\n".to_vec()),
        ("control.tar.gz", fs::read(&first).map_err(failed)?),
        ("data.tar.gz", fs::read(&second).map_err(failed)?),
    ];
    for (name, bytes) in members {
        let head = format!(
            "{name:<16}{:<12}{:<6}{:<6}{:<8}{:<10}`\n",
            0,
            0,
            0,
            "100644",
            bytes.len()
        );
        file.write_all(head.as_bytes()).map_err(failed)?;
        file.write_all(&bytes).map_err(failed)?;
        if bytes.len() % 2 == 1 {
            file.write_all(b"\n").map_err(failed)?;
        }
    }
    let _ = fs::remove_file(first);
    let _ = fs::remove_file(second);
    Ok(())
}

/// The version of the C library that a program asks for, as a condition of its package: the newest `GLIBC_2.N` among its symbols.
fn c_library(program: &[u8]) -> String {
    const MARK: &[u8] = b"GLIBC_2.";
    let versions = program
        .windows(MARK.len() + 2)
        .filter(|w| w.starts_with(MARK));
    let minor = |w: &[u8]| -> Option<u32> {
        let digits = w[MARK.len()..].iter().take_while(|b| b.is_ascii_digit());
        let text: String = digits.map(|b| char::from(*b)).collect();
        text.parse().ok()
    };
    match versions.filter_map(minor).max() {
        Some(newest) => format!(" (>= 2.{newest})"),
        None => String::new(),
    }
}

/// `renamed`: an expression that changes the names inside, or nothing.
fn tar(folder: &Path, to: &Path, what: &str, renamed: &str) -> Result<(), String> {
    let mut command = Command::new("tar");
    // Whoever packs, and with whatever mask: anybody may read what is installed.
    command.args(["--owner=0", "--group=0", "--sort=name", "--mode=u+rw,go=rX"]);
    if !renamed.is_empty() {
        command.arg(format!("--transform={renamed}"));
    }
    step(command.arg("-C").arg(folder).arg("-czf").arg(to).arg(what))
}

fn copy_tree(from: &Path, to: &Path) -> Result<(), String> {
    fs::create_dir_all(to).map_err(|e| e.to_string())?;
    for entry in fs::read_dir(from).map_err(|e| e.to_string())?.flatten() {
        let (path, target) = (entry.path(), to.join(entry.file_name()));
        match path.is_dir() {
            true => copy_tree(&path, &target)?,
            false => fs::copy(&path, &target)
                .map(|_| ())
                .map_err(|e| e.to_string())?,
        }
    }
    Ok(())
}

fn size(folder: &Path) -> u64 {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries
        .map(|e| match e.path().is_dir() {
            true => size(&e.path()),
            false => e.metadata().map_or(0, |m| m.len()),
        })
        .sum()
}

fn step(command: &mut Command) -> Result<(), String> {
    let name = command.get_program().to_string_lossy().into_owned();
    let status = command.status().map_err(|e| format!("{name}: {e}"))?;
    status
        .success()
        .then_some(())
        .ok_or(format!("{name} failed"))
}

fn output(command: &mut Command) -> Result<Vec<u8>, String> {
    let name = command.get_program().to_string_lossy().into_owned();
    let done = command.output().map_err(|e| format!("{name}: {e}"))?;
    done.status
        .success()
        .then_some(done.stdout)
        .ok_or(format!("{name} failed"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use ferrica_test_tools::needs;

    /// The packages have what a user needs; a script stands for the program.
    #[test]
    fn packages_have_all_parts() {
        let here = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let out = std::env::temp_dir().join(format!("ferrica-dist-{}", std::process::id()));
        fs::create_dir_all(&out).expect("a folder");
        let program = out.join("program");
        // The name of a symbol in a comment stands for those of the C library.
        let script = "#!/bin/sh\n# GLIBC_2.4 GLIBC_2.35\nif [ $1 = man ]; then mkdir -p $2; echo page > $2/ferrica.1; else echo script; fi\n";
        fs::write(&program, script).expect("a script");
        step(Command::new("chmod").arg("+x").arg(&program)).expect("runs");
        let made = pack(&here, &program, &out, "1.2.3").expect("packages");
        let listed = output(Command::new("tar").arg("-tzf").arg(&made[0])).expect("a list");
        let listed = String::from_utf8_lossy(&listed).into_owned();
        for part in [
            "bin/ferrica",
            "completions/ferrica",
            "man1/ferrica.1",
            "ferrica/book/",
            "getting-the-standard-library.md",
        ] {
            assert!(listed.contains(part), "{part} in {listed}");
        }
        let package = fs::read(&made[1]).expect("a package");
        assert!(package.starts_with(b"!<arch>\ndebian-binary   "));
        assert_eq!(c_library(script.as_bytes()), " (>= 2.35)");
        fs::remove_dir_all(&out).expect("removed");
    }

    /// Debian's own tool takes the package, and what it unpacks runs.
    #[needs("dpkg-deb")]
    #[test]
    fn debian_takes_the_package() {
        let here = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let out = std::env::temp_dir().join(format!("ferrica-deb-{}", std::process::id()));
        fs::create_dir_all(&out).expect("a folder");
        let program = out.join("program");
        let script = "#!/bin/sh\nif [ $1 = man ]; then mkdir -p $2; echo page > $2/ferrica.1; else echo script; fi\n";
        fs::write(&program, script).expect("a script");
        step(Command::new("chmod").arg("700").arg(&program)).expect("runs");
        let made = pack(&here, &program, &out, "1.2.3").expect("packages");
        let told = |args: &[&str]| {
            let mut command = Command::new("dpkg-deb");
            let text = output(command.args(args).arg(&made[1])).expect("dpkg-deb");
            String::from_utf8_lossy(&text).into_owned()
        };
        let control = told(&["--info"]);
        for line in [
            "Package: ferrica",
            "Version: 1.2.3",
            "Depends: libc6, libgcc-s1",
        ] {
            assert!(control.contains(line), "{line} in {control}");
        }
        let listed = told(&["--contents"]);
        let line = listed.lines().find(|l| l.ends_with("usr/bin/ferrica"));
        assert!(
            line.is_some_and(|l| l.starts_with("-rwxr-xr-x root/root")),
            "{listed}"
        );
        let root = out.join("root");
        step(Command::new("dpkg-deb").arg("-x").arg(&made[1]).arg(&root)).expect("unpacked");
        let said =
            output(Command::new(root.join("usr/bin/ferrica")).arg("completions")).expect("runs");
        assert_eq!(said, b"script\n");
        fs::remove_dir_all(&out).expect("removed");
    }
}
