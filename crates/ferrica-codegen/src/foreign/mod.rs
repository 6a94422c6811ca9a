//! Users' own `external "C"` functions.
//!
//! In: external functions that no native serves, with their annotations. Out: a native for each. One C file with a bridge for
//! each function ([`bridge`]) is compiled by the system's `cc` together with what `Include`, `Library` and their directories
//! name, and loaded ([`library`]). A bridge takes the frame of the interpreter and converts to the types of C, so that nothing
//! here needs to know how C passes arguments.
//!
//! This runs code of others: it happens only when the user has allowed it.
//! Calls are made one at a time: C code is not expected to stand more.

mod bridge;
mod library;
mod user_tables;

use std::ffi::{CStr, CString, c_char, c_void};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, Mutex};

use ferrica_ir::expr::Ty;
use ferrica_ir::function::External;

use crate::function::{ExternalCall, NativeArg};
use crate::natives::{Native, NativeCall, UserTables};
use bridge::Bridge;
use library::Library;

/// An external function to be bridged.
pub struct Foreign<'a> {
    /// Number of the function in the model: names its bridge.
    pub number: usize,
    pub external: &'a External,
    pub call: &'a ExternalCall,
}

type BridgeFunction = unsafe extern "C" fn(
    *mut f64,
    *const *const c_char,
    *mut *const c_char,
    *const *mut c_void,
    *mut *mut c_void,
    *mut *const c_char,
) -> i32;
type Destructor = unsafe extern "C" fn(*mut c_void);

/// An external object of C code; its destructor runs when nothing holds it any more.
struct ForeignObject {
    pointer: *mut c_void,
    destructor: Option<Destructor>,
    library: Arc<Loaded>,
}

// SAFETY: the pointer is only ever passed to C code, under the lock of the library.
unsafe impl Send for ForeignObject {}
// SAFETY: as above.
unsafe impl Sync for ForeignObject {}

impl Drop for ForeignObject {
    fn drop(&mut self) {
        if let Some(destructor) = self.destructor {
            let _one_at_a_time = self.library.lock.lock();
            // SAFETY: the destructor belongs to the constructor that made the pointer, and runs once.
            unsafe { destructor(self.pointer) };
        }
    }
}

struct Loaded {
    library: Library,
    lock: Mutex<()>,
}

/// A folder of its own, removed when the library has been loaded.
struct Folder(PathBuf);

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Compiles and loads the bridges of all functions; natives in the same order, and the tables of `usertab` if C code has such
/// a function. The error is what the user reads.
pub fn load(functions: &[Foreign<'_>]) -> Result<(Vec<Native>, Option<UserTables>), String> {
    let mut bridge = Bridge::default();
    for f in functions {
        bridge.function(f)?;
    }
    let folder = Folder(make_folder()?);
    let source = folder.0.join("bridge.c");
    let object = folder.0.join("bridge.so");
    let write = |name: &Path, text: &str| {
        std::fs::write(name, text).map_err(|e| format!("cannot write {}: {e}", name.display()))
    };
    write(&source, &bridge.text())?;
    write(&folder.0.join("ModelicaUtilities.h"), bridge::UTILITIES)?;
    compile(functions, &folder.0, &source, &object)?;
    let loaded = Arc::new(Loaded {
        library: Library::open(&object)?,
        lock: Mutex::new(()),
    });
    let natives: Result<Vec<Native>, String> =
        functions.iter().map(|f| native(f, &loaded)).collect();
    Ok((natives?, user_tables::of(&loaded)))
}

fn make_folder() -> Result<PathBuf, String> {
    let base = std::env::temp_dir();
    for k in 0..1000 {
        let path = base.join(format!("ferrica-external-{}-{k}", std::process::id()));
        match std::fs::create_dir(&path) {
            Ok(()) => return Ok(path),
            Err(e) if e.kind() == std::io::ErrorKind::AlreadyExists => {}
            Err(e) => return Err(format!("cannot make the folder {}: {e}", path.display())),
        }
    }
    Err(format!("no free folder in {}", base.display()))
}

fn compile(
    functions: &[Foreign<'_>],
    folder: &Path,
    source: &Path,
    object: &Path,
) -> Result<(), String> {
    let mut command = Command::new("cc");
    command.args(["-std=gnu99", "-O2", "-w", "-shared", "-fPIC", "-o"]);
    command.arg(object).arg(source).arg("-I").arg(folder);
    let mut done: Vec<String> = Vec::new();
    let mut once = |command: &mut Command, args: Vec<String>| {
        let key = args.join(" ");
        if !done.contains(&key) {
            command.args(args);
            done.push(key);
        }
    };
    for f in functions {
        for dir in &f.external.include_directories {
            once(&mut command, vec!["-I".to_string(), dir.clone()]);
        }
    }
    for f in functions {
        let dirs = &f.external.library_directories;
        for dir in dirs {
            let rpath = format!("-Wl,-rpath,{dir}");
            once(&mut command, vec!["-L".to_string(), dir.clone(), rpath]);
        }
        for name in &f.external.libraries {
            // A file as it is; a name as the linker knows it.
            let file = dirs.iter().map(|d| Path::new(d).join(name));
            let file = file.chain([PathBuf::from(name)]).find(|p| p.is_file());
            match file {
                Some(path) => once(&mut command, vec![path.display().to_string()]),
                None => once(&mut command, vec![format!("-l{name}")]),
            }
        }
    }
    command.arg("-lm");
    let output = command
        .output()
        .map_err(|e| format!("external functions need the C compiler `cc`: {e}"))?;
    if output.status.success() {
        return Ok(());
    }
    let errors = String::from_utf8_lossy(&output.stderr);
    let shown: Vec<&str> = errors.lines().take(12).collect();
    Err(format!(
        "the C compiler refuses the external functions:\n{}",
        shown.join("\n")
    ))
}

fn native(f: &Foreign<'_>, loaded: &Arc<Loaded>) -> Result<Native, String> {
    let address = loaded.library.symbol(&bridge::name(f.number))?;
    // SAFETY: the bridge was written with this signature.
    let code = unsafe { std::mem::transmute::<*mut c_void, BridgeFunction>(address) };
    let destructor = match f.external.destructor {
        Some(_) => {
            let address = loaded.library.symbol(&bridge::destructor(f.number))?;
            // SAFETY: as above.
            Some(unsafe { std::mem::transmute::<*mut c_void, Destructor>(address) })
        }
        None => None,
    };
    let result = f.call.result;
    let loaded = loaded.clone();
    Ok(Arc::new(move |call: &mut NativeCall<'_>| {
        invoke(call, code, destructor, result.map(|r| r.1), &loaded)
    }))
}

fn invoke(
    call: &mut NativeCall<'_>,
    code: BridgeFunction,
    destructor: Option<Destructor>,
    result: Option<Ty>,
    loaded: &Arc<Loaded>,
) -> Result<(), String> {
    let mut texts: Vec<CString> = Vec::new();
    let mut objects: Vec<Arc<ForeignObject>> = Vec::new();
    let mut text_outputs: Vec<usize> = Vec::new();
    let text = |rt: &crate::runtime::Runtime, handle: f64| {
        CString::new(rt.text(handle)).map_err(|_| "a string contains a zero byte".to_string())
    };
    for k in 0..call.args.len() {
        match &call.args[k] {
            NativeArg::Value(r, Ty::String) => texts.push(text(call.rt, call.frame[*r as usize])?),
            NativeArg::Value(_, Ty::External) => objects.push(call.object::<ForeignObject>(k)?),
            NativeArg::Array {
                first,
                dims,
                ty: Ty::String,
                ..
            } => {
                let n: usize = dims.iter().map(|&d| d as usize).product();
                for i in 0..n {
                    texts.push(text(call.rt, call.frame[*first as usize + i])?);
                }
            }
            NativeArg::Out(_, Ty::String) => text_outputs.push(k),
            _ => {}
        }
    }
    let pointers: Vec<*const c_char> = texts.iter().map(|t| t.as_ptr()).collect();
    let objects_in: Vec<*mut c_void> = objects.iter().map(|o| o.pointer).collect();
    let mut texts_out: Vec<*const c_char> = vec![std::ptr::null(); text_outputs.len() + 1];
    let mut object_out: *mut c_void = std::ptr::null_mut();
    let mut error: *const c_char = std::ptr::null();
    let one_at_a_time = loaded.lock.lock();
    // SAFETY: the bridge was made from this call: it reads as many strings and objects as the arguments have, and
    // writes inside of the frame, of the lists of outputs and of what the C function is given. What the C function itself does is up to the
    // user, who allowed it.
    let status = unsafe {
        code(
            call.frame.as_mut_ptr(),
            pointers.as_ptr(),
            texts_out.as_mut_ptr(),
            objects_in.as_ptr(),
            &mut object_out,
            &mut error,
        )
    };
    let read = |p: *const c_char| {
        if p.is_null() {
            return String::new();
        }
        // SAFETY: strings that C code returns end with a zero; the bridge keeps them until the next call.
        unsafe { CStr::from_ptr(p) }.to_string_lossy().into_owned()
    };
    if status != 0 {
        return Err(read(error));
    }
    for (j, &k) in text_outputs.iter().enumerate() {
        call.set_text(k, &read(texts_out[j]))?;
    }
    match result {
        Some(Ty::String) => call.return_text(&read(texts_out[text_outputs.len()])),
        Some(Ty::External) => {
            drop(one_at_a_time);
            call.return_object(ForeignObject {
                pointer: object_out,
                destructor,
                library: loaded.clone(),
            });
        }
        // Numbers are in the frame already; the caller stores the result once more.
        Some(_) => call.result = call.frame[call.result_slot as usize],
        None => {}
    }
    Ok(())
}
