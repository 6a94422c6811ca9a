//! A run as a stream of the Arrow C data interface: one batch, its columns the memory of the run.
//!
//! In: a run. Out: a capsule `arrow_array_stream`, as the PyCapsule interface of Arrow wants it. The three structures are those
//! of the interface's specification; whoever takes one calls its `release`, which frees what `private` owns and keeps the
//! run alive until then.

use std::ffi::{CString, c_char, c_int, c_void};
use std::ptr::{null, null_mut};
use std::sync::Arc;

use ferrica::{Error, Run};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;

use crate::errors::OrRaise;

/// `struct ArrowSchema`
#[repr(C)]
struct ArrowSchema {
    format: *const c_char,
    name: *const c_char,
    metadata: *const c_char,
    flags: i64,
    n_children: i64,
    children: *mut *mut ArrowSchema,
    dictionary: *mut ArrowSchema,
    release: Option<unsafe extern "C" fn(*mut ArrowSchema)>,
    private: *mut c_void,
}

/// `struct ArrowArray`
#[repr(C)]
struct ArrowArray {
    length: i64,
    null_count: i64,
    offset: i64,
    n_buffers: i64,
    n_children: i64,
    buffers: *mut *const c_void,
    children: *mut *mut ArrowArray,
    dictionary: *mut ArrowArray,
    release: Option<unsafe extern "C" fn(*mut ArrowArray)>,
    private: *mut c_void,
}

/// `struct ArrowArrayStream`
#[repr(C)]
struct ArrowArrayStream {
    get_schema: Option<unsafe extern "C" fn(*mut ArrowArrayStream, *mut ArrowSchema) -> c_int>,
    get_next: Option<unsafe extern "C" fn(*mut ArrowArrayStream, *mut ArrowArray) -> c_int>,
    get_last_error: Option<unsafe extern "C" fn(*mut ArrowArrayStream) -> *const c_char>,
    release: Option<unsafe extern "C" fn(*mut ArrowArrayStream)>,
    private: *mut c_void,
}

// SAFETY: what `private` owns may be freed by any thread.
unsafe impl Send for ArrowArrayStream {}

impl Drop for ArrowArrayStream {
    fn drop(&mut self) {
        // Nobody took it.
        if let Some(release) = self.release {
            // SAFETY: `release` is that of this stream and has not been called.
            unsafe { release(self) }
        }
    }
}

/// One column: its name, what is said of it, and where its values are.
struct Column {
    name: CString,
    metadata: Vec<u8>,
    values: *const f64,
}

/// What a stream owns.
struct Source {
    run: Arc<Run>,
    columns: Vec<Column>,
    told: bool,
}

pub fn stream<'py>(py: Python<'py>, run: &Arc<Run>) -> PyResult<Bound<'py, PyAny>> {
    let columns = columns(run).or_raise(py)?;
    let columns = columns.ok_or_else(|| PyValueError::new_err("a name with a NUL character"))?;
    let source = Box::new(Source {
        run: Arc::clone(run),
        columns,
        told: false,
    });
    let stream = ArrowArrayStream {
        get_schema: Some(get_schema),
        get_next: Some(get_next),
        get_last_error: Some(get_last_error),
        release: Some(release_stream),
        private: Box::into_raw(source).cast(),
    };
    Ok(PyCapsule::new_with_value(py, stream, c"arrow_array_stream")?.into_any())
}

/// The columns, `time` first; none where a name cannot be given to C.
fn columns(run: &Run) -> Result<Option<Vec<Column>>, Error> {
    let own_time = run.names().any(|n| n == "time");
    let names = (!own_time).then_some("time").into_iter().chain(run.names());
    let mut columns = Vec::new();
    for name in names {
        let Ok(text) = CString::new(name) else {
            return Ok(None);
        };
        columns.push(Column {
            name: text,
            metadata: metadata(run.unit(name)?),
            values: run.get(name)?.as_ptr(),
        });
    }
    Ok(Some(columns))
}

/// The unit in the interface's form: number of pairs, then length and bytes of each key and value.
fn metadata(unit: &str) -> Vec<u8> {
    if unit.is_empty() {
        return Vec::new();
    }
    let mut bytes = 1i32.to_ne_bytes().to_vec();
    for text in ["unit", unit] {
        bytes.extend((text.len() as i32).to_ne_bytes());
        bytes.extend(text.as_bytes());
    }
    bytes
}

/// What a schema owns besides its children.
struct SchemaParts {
    _name: CString,
    _metadata: Vec<u8>,
    children: Vec<*mut ArrowSchema>,
}

fn schema(
    format: &'static std::ffi::CStr,
    name: CString,
    metadata: Vec<u8>,
    children: Vec<*mut ArrowSchema>,
) -> ArrowSchema {
    let mut parts = Box::new(SchemaParts {
        _name: name,
        _metadata: metadata,
        children,
    });
    ArrowSchema {
        format: format.as_ptr(),
        name: parts._name.as_ptr(),
        metadata: match parts._metadata.is_empty() {
            true => null(),
            false => parts._metadata.as_ptr().cast(),
        },
        flags: 0,
        n_children: parts.children.len() as i64,
        children: parts.children.as_mut_ptr(),
        dictionary: null_mut(),
        release: Some(release_schema),
        private: Box::into_raw(parts).cast(),
    }
}

/// What an array owns besides its children.
struct ArrayParts {
    _run: Arc<Run>,
    buffers: Vec<*const c_void>,
    children: Vec<*mut ArrowArray>,
}

fn array(
    run: &Arc<Run>,
    buffers: Vec<*const c_void>,
    children: Vec<*mut ArrowArray>,
) -> ArrowArray {
    let mut parts = Box::new(ArrayParts {
        _run: Arc::clone(run),
        buffers,
        children,
    });
    ArrowArray {
        length: run.time().len() as i64,
        null_count: 0,
        offset: 0,
        n_buffers: parts.buffers.len() as i64,
        n_children: parts.children.len() as i64,
        buffers: parts.buffers.as_mut_ptr(),
        children: parts.children.as_mut_ptr(),
        dictionary: null_mut(),
        release: Some(release_array),
        private: Box::into_raw(parts).cast(),
    }
}

unsafe extern "C" fn get_schema(stream: *mut ArrowArrayStream, out: *mut ArrowSchema) -> c_int {
    // SAFETY: the caller hands over a stream of ours that has not been released, and room for a schema.
    unsafe {
        let source = &*(*stream).private.cast::<Source>();
        let child = |c: &Column| {
            Box::into_raw(Box::new(schema(
                c"g",
                c.name.clone(),
                c.metadata.clone(),
                Vec::new(),
            )))
        };
        let children = source.columns.iter().map(child).collect();
        out.write(schema(c"+s", CString::default(), Vec::new(), children));
    }
    0
}

unsafe extern "C" fn get_next(stream: *mut ArrowArrayStream, out: *mut ArrowArray) -> c_int {
    // SAFETY: as above; the addresses of the columns belong to the run, which never changes and which every array keeps alive.
    unsafe {
        let source = &mut *(*stream).private.cast::<Source>();
        if std::mem::replace(&mut source.told, true) {
            // A released array is the end of the stream.
            out.write(ArrowArray {
                length: 0,
                null_count: 0,
                offset: 0,
                n_buffers: 0,
                n_children: 0,
                buffers: null_mut(),
                children: null_mut(),
                dictionary: null_mut(),
                release: None,
                private: null_mut(),
            });
            return 0;
        }
        let run = &source.run;
        let child = |c: &Column| {
            Box::into_raw(Box::new(array(
                run,
                vec![null(), c.values.cast()],
                Vec::new(),
            )))
        };
        let children = source.columns.iter().map(child).collect();
        out.write(array(run, vec![null()], children));
    }
    0
}

/// Nothing here fails.
unsafe extern "C" fn get_last_error(_stream: *mut ArrowArrayStream) -> *const c_char {
    null()
}

unsafe extern "C" fn release_stream(stream: *mut ArrowArrayStream) {
    // SAFETY: called once, with a stream that `stream` has made.
    unsafe {
        drop(Box::from_raw((*stream).private.cast::<Source>()));
        (*stream).release = None;
    }
}

unsafe extern "C" fn release_schema(schema: *mut ArrowSchema) {
    // SAFETY: called once, with a schema of ours; children that the consumer has moved away are marked as released.
    unsafe {
        let parts = Box::from_raw((*schema).private.cast::<SchemaParts>());
        for &child in &parts.children {
            if let Some(release) = (*child).release {
                release(child);
            }
            drop(Box::from_raw(child));
        }
        (*schema).release = None;
    }
}

unsafe extern "C" fn release_array(array: *mut ArrowArray) {
    // SAFETY: as for schemas.
    unsafe {
        let parts = Box::from_raw((*array).private.cast::<ArrayParts>());
        for &child in &parts.children {
            if let Some(release) = (*child).release {
                release(child);
            }
            drop(Box::from_raw(child));
        }
        (*array).release = None;
    }
}
