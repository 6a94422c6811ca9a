//! Files, folders, time and environment.
//!
//! Reading is always possible. What changes the system (writing, removing, renaming, the working
//! folder, variables of the environment) only when [`Call::may_change_system`] says so: a model from
//! elsewhere must not do it behind the user's back. Programs are never started.

use std::collections::HashMap;
use std::env;
use std::fs;
use std::io::Write;
use std::path::Path;
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use crate::call::Call;
use crate::registry::Registry;

const MAX_BYTES: u64 = 1 << 28;

pub(crate) fn register(r: &mut Registry) {
    readers(r);
    writers(r);
    r.impure("ModelicaInternal_getTime", |call| {
        // ms, sec, min, hour, day, mon, year
        let now = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .unwrap_or_default();
        for (k, value) in calendar(now.as_millis() as i64).into_iter().enumerate() {
            call.set(k, value as f64)?;
        }
        Ok(())
    });
    r.impure("ModelicaInternal_getpid", |call| {
        call.return_real(f64::from(std::process::id()));
        Ok(())
    });
    r.impure("ModelicaInternal_getcwd", |call| {
        let folder = env::current_dir().map_err(|e| format!("no working folder: {e}"))?;
        call.return_text(&slashes(&folder));
        Ok(())
    });
    r.impure("ModelicaInternal_getenv", |call| {
        // name, convertToSlash, content, exist
        let name = call.text(0)?;
        let own = own_environment().get(name).cloned();
        let found = own.or_else(|| env::var(name).ok());
        let text = found.as_deref().unwrap_or("");
        let text = if call.bool(1)? {
            text.replace('\\', "/")
        } else {
            text.to_string()
        };
        call.set_text(2, &text)?;
        call.set(3, f64::from(u8::from(found.is_some())))
    });
    for name in ["ModelicaError", "ModelicaFormatError"] {
        r.impure(name, |call| Err(call.text(0)?.trim_end().to_string()));
    }
    for name in [
        "ModelicaMessage",
        "ModelicaWarning",
        "ModelicaFormatMessage",
        "ModelicaFormatWarning",
    ] {
        r.impure(name, |call| {
            let text = call.text(0)?.trim_end().to_string();
            call.print(&text);
            Ok(())
        });
    }
}

fn readers(r: &mut Registry) {
    r.reads("ModelicaInternal_stat", |call| {
        let kind = match fs::metadata(call.readable(0)?) {
            Err(_) => 1.0,
            Ok(m) if m.is_file() => 2.0,
            Ok(m) if m.is_dir() => 3.0,
            Ok(_) => 4.0,
        };
        call.return_real(kind);
        Ok(())
    });
    r.reads("ModelicaInternal_fullPathName", |call| {
        let name = call.readable(0)?;
        let full = std::path::absolute(&name).map_err(|e| format!("`{name}`: {e}"))?;
        call.return_text(&slashes(&full));
        Ok(())
    });
    r.impure("ModelicaInternal_temporaryFileName", |call| {
        let nanos = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .unwrap_or_default()
            .as_nanos();
        let name = env::temp_dir().join(format!("ferrica-{}-{nanos}", std::process::id()));
        call.return_text(&slashes(&name));
        Ok(())
    });
    r.reads("ModelicaInternal_countLines", |call| {
        let n = lines(&call.readable(0)?)?.len();
        call.return_real(n as f64);
        Ok(())
    });
    r.reads("ModelicaInternal_readFile", |call| {
        // fileName, lines, size
        let all = lines(&call.readable(0)?)?;
        let wanted = call.size(2)?;
        if all.len() < wanted {
            return Err(format!(
                "`{}` has {} lines, {wanted} are asked for",
                call.text(0)?,
                all.len()
            ));
        }
        call.set_texts(1, &all[..wanted])
    });
    r.reads("ModelicaInternal_readLine", |call| {
        // fileName, lineNumber, endOfFile
        let all = lines(&call.readable(0)?)?;
        let line = usize::try_from(call.int(1)? - 1)
            .ok()
            .and_then(|k| all.get(k).cloned());
        call.set(2, f64::from(u8::from(line.is_none())))?;
        call.return_text(&line.unwrap_or_default());
        Ok(())
    });
    r.impure("ModelicaStreams_closeFile", |_| Ok(()));
    r.reads("ModelicaInternal_getNumberOfFiles", |call| {
        let n = entries(&call.readable(0)?)?.len();
        call.return_real(n as f64);
        Ok(())
    });
    r.reads("ModelicaInternal_readDirectory", |call| {
        // directory, nFiles, files
        let names = entries(&call.readable(0)?)?;
        call.set_texts(2, &names)
    });
}

fn writers(r: &mut Registry) {
    r.impure("ModelicaInternal_print", |call| {
        // string, fileName
        let (text, file) = (call.text(0)?.to_string(), call.text(1)?.to_string());
        if file.is_empty() || file == "terminal" {
            call.print(&text);
            return Ok(());
        }
        changing(call, "write to a file")?;
        fs::OpenOptions::new()
            .create(true)
            .append(true)
            .open(&file)
            .and_then(|mut f| writeln!(f, "{text}"))
            .map_err(|e| format!("`{file}`: {e}"))
    });
    r.impure("ModelicaInternal_removeFile", |call| {
        one(call, "remove a file", |p| fs::remove_file(p))
    });
    r.impure("ModelicaInternal_mkdir", |call| {
        one(call, "make a folder", |p| fs::create_dir(p))
    });
    r.impure("ModelicaInternal_rmdir", |call| {
        one(call, "remove a folder", |p| fs::remove_dir(p))
    });
    r.impure("ModelicaInternal_chdir", |call| {
        one(call, "change the working folder", |p| {
            env::set_current_dir(p)
        })
    });
    r.impure("ModelicaInternal_rename", |call| {
        two(call, "rename a file", |a, b| fs::rename(a, b))
    });
    r.impure("ModelicaInternal_copyFile", |call| {
        two(call, "copy a file", |a, b| {
            if Path::new(b).exists() {
                return Err(std::io::ErrorKind::AlreadyExists.into());
            }
            fs::copy(a, b).map(|_| ())
        })
    });
    r.impure("ModelicaInternal_setenv", |call| {
        // name, content, convertFromSlash
        changing(call, "change a variable of the environment")?;
        let content = call.text(1)?;
        let content = match call.bool(2)? && std::path::MAIN_SEPARATOR != '/' {
            true => content.replace('/', std::path::MAIN_SEPARATOR_STR),
            false => content.to_string(),
        };
        let name = call.text(0)?.to_string();
        own_environment().insert(name, content);
        Ok(())
    });
    r.impure("system", |_| {
        Err("starting other programs from a model is not supported".to_string())
    });
    r.impure("exit", |_| {
        Err("the model asked to end the program".to_string())
    });
}

/// Variables that models have set. The process itself keeps its environment: other threads may read it at any time.
fn own_environment() -> MutexGuard<'static, HashMap<String, String>> {
    static OWN: LazyLock<Mutex<HashMap<String, String>>> = LazyLock::new(Mutex::default);
    OWN.lock().unwrap_or_else(PoisonError::into_inner)
}

fn changing(call: &dyn Call, what: &str) -> Result<(), String> {
    if call.may_change_system() {
        *RECENT.lock().unwrap_or_else(PoisonError::into_inner) = None;
        Ok(())
    } else {
        Err(format!(
            "the model wants to {what}, which is only done with --allow-external"
        ))
    }
}

fn one(
    call: &dyn Call,
    what: &str,
    act: impl Fn(&str) -> std::io::Result<()>,
) -> Result<(), String> {
    changing(call, what)?;
    let name = call.text(0)?;
    act(name).map_err(|e| format!("`{name}`: {e}"))
}

fn two(
    call: &dyn Call,
    what: &str,
    act: impl Fn(&str, &str) -> std::io::Result<()>,
) -> Result<(), String> {
    changing(call, what)?;
    let (a, b) = (call.text(0)?, call.text(1)?);
    act(a, b).map_err(|e| format!("`{a}` and `{b}`: {e}"))
}

fn slashes(path: &Path) -> String {
    path.to_string_lossy().replace('\\', "/")
}

/// The lines of the file that was read last: a reader asks for one line after the other.
struct Recent {
    file: String,
    modified: SystemTime,
    bytes: u64,
    lines: Arc<[String]>,
}

static RECENT: Mutex<Option<Recent>> = Mutex::new(None);
/// Coarsest step of the times of files, in seconds: within it a second change would not be seen.
const FILE_TIME_STEP: u64 = 2;

fn lines(file: &str) -> Result<Arc<[String]>, String> {
    let fail = |e: std::io::Error| format!("cannot read `{file}`: {e}");
    let data = fs::metadata(file).map_err(fail)?;
    if data.len() > MAX_BYTES {
        return Err(format!("`{file}` is too large to be read"));
    }
    let mut recent = RECENT.lock().unwrap_or_else(PoisonError::into_inner);
    let modified = data.modified().ok();
    if let Some(r) = recent.as_ref()
        && r.file == file
        && Some(r.modified) == modified
        && r.bytes == data.len()
    {
        return Ok(r.lines.clone());
    }
    let bytes = fs::read(file).map_err(fail)?;
    let lines: Arc<[String]> = String::from_utf8_lossy(&bytes)
        .lines()
        .map(String::from)
        .collect();
    let settled = |m: &SystemTime| m.elapsed().is_ok_and(|age| age.as_secs() > FILE_TIME_STEP);
    *recent = modified.filter(settled).map(|modified| Recent {
        file: file.to_string(),
        modified,
        bytes: data.len(),
        lines: lines.clone(),
    });
    Ok(lines)
}

fn entries(folder: &str) -> Result<Vec<String>, String> {
    let mut names: Vec<String> = fs::read_dir(folder)
        .map_err(|e| format!("cannot read `{folder}`: {e}"))?
        .filter_map(|e| Some(e.ok()?.file_name().to_string_lossy().into_owned()))
        .collect();
    names.sort();
    Ok(names)
}

/// ms, s, min, h, day, month, year of universal time, from milliseconds since 1970.
fn calendar(millis: i64) -> [i64; 7] {
    let seconds = millis.div_euclid(1000);
    let days = seconds.div_euclid(86_400);
    let of_day = seconds.rem_euclid(86_400);
    // Years that begin in March have their leap day at the end; 400 of them have 146097 days.
    let shifted = days + 719_468;
    let era = shifted.div_euclid(146_097);
    let day_of_era = shifted.rem_euclid(146_097);
    let year_of_era =
        (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    let year = era * 400 + year_of_era + i64::from(month <= 2);
    [
        millis.rem_euclid(1000),
        of_day % 60,
        of_day / 60 % 60,
        of_day / 3600,
        day,
        month,
        year,
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Arguments, Value, lookup};

    /// Known dates: the epoch, a leap day, the last second of 1999 (Unix time 946684799).
    #[test]
    fn dates() {
        assert_eq!(calendar(0), [0, 0, 0, 0, 1, 1, 1970]);
        assert_eq!(calendar(951_782_400_123), [123, 0, 0, 0, 29, 2, 2000]);
        assert_eq!(calendar(946_684_799_000), [0, 59, 59, 23, 31, 12, 1999]);
    }

    #[test]
    fn a_model_does_not_change_the_system_by_itself() {
        let text = |s: &str| Value::Text(s.to_string());
        let run =
            |name: &str, args: Vec<Value>| lookup(name).unwrap().call(&mut Arguments::new(args));
        let file = env::temp_dir().join("ferrica-natives-must-not-exist");
        let name = file.to_string_lossy().into_owned();
        assert!(run("ModelicaInternal_print", vec![text("a"), text(&name)]).is_err());
        assert!(run("ModelicaInternal_mkdir", vec![text(&name)]).is_err());
        assert!(!file.exists());
        let mut call = Arguments::new(vec![text("hello"), text("")]);
        lookup("ModelicaInternal_print")
            .unwrap()
            .call(&mut call)
            .unwrap();
        assert_eq!(call.printed, ["hello"]);
    }

    #[test]
    fn lines_of_a_file() {
        let file = env::temp_dir().join(format!("ferrica-natives-lines-{}", std::process::id()));
        fs::write(&file, "one\ntwo\n").unwrap();
        let mut call = Arguments::new(vec![
            Value::Text(file.to_string_lossy().into_owned()),
            Value::Real(2.0),
            Value::Real(0.0),
        ]);
        let read = lookup("ModelicaInternal_readLine").unwrap();
        read.call(&mut call).unwrap();
        assert!(matches!(&call.result, Some(Value::Text(s)) if s == "two"));
        call.values[1] = Value::Real(3.0);
        read.call(&mut call).unwrap();
        assert_eq!(call.real(2), Ok(1.0));
        fs::remove_file(&file).unwrap();
    }

    /// Lines are kept between calls, but not beyond a change of the file, however soon it comes.
    #[test]
    fn a_file_that_changes_is_read_again() {
        let file = env::temp_dir().join(format!("ferrica-natives-again-{}", std::process::id()));
        let name = file.to_string_lossy().into_owned();
        let write = |text: &str, age: u64| {
            fs::write(&file, text).unwrap();
            let time = SystemTime::now() - std::time::Duration::from_secs(age);
            let opened = fs::File::options().write(true).open(&file).unwrap();
            opened.set_modified(time).unwrap();
        };
        for (text, age) in [("one", 3600), ("two", 1800), ("six", 0), ("ten", 0)] {
            write(text, age);
            for _ in 0..2 {
                assert_eq!(lines(&name).unwrap()[..], [text.to_string()]);
            }
        }
        fs::remove_file(&file).unwrap();
        assert!(lines(&name).is_err());
    }

    #[test]
    fn variables_of_the_environment_for_models_only() {
        let text = |s: &str| Value::Text(s.to_string());
        let name = "FERRICA_NATIVES_OWN_VARIABLE";
        let set = lookup("ModelicaInternal_setenv").unwrap();
        let mut call = Arguments::new(vec![text(name), text("a/b"), Value::Real(0.0)]);
        assert!(set.call(&mut call).is_err());
        call.may_change_system = true;
        set.call(&mut call).unwrap();
        let mut call = Arguments::new(vec![
            text(name),
            Value::Real(1.0),
            text(""),
            Value::Real(0.0),
        ]);
        lookup("ModelicaInternal_getenv")
            .unwrap()
            .call(&mut call)
            .unwrap();
        assert_eq!((call.text(2), call.real(3)), (Ok("a/b"), Ok(1.0)));
        assert!(env::var(name).is_err());
    }
}
