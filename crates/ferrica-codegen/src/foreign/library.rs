//! A shared library, loaded until the end of the process.

use std::ffi::{CString, c_char, c_int, c_void};
use std::path::Path;

/// Stays loaded: objects and strings of C code may point into it.
pub(super) struct Library {
    handle: *mut c_void,
}

// SAFETY: a handle of `dlopen` may be used by any thread.
unsafe impl Send for Library {}
// SAFETY: as above; `dlsym` does not change it.
unsafe impl Sync for Library {}

#[cfg(unix)]
mod system {
    use super::{c_char, c_int, c_void};
    // The C library of the system has these, and Rust's own library links it.
    unsafe extern "C" {
        pub fn dlopen(name: *const c_char, flags: c_int) -> *mut c_void;
        pub fn dlsym(handle: *mut c_void, name: *const c_char) -> *mut c_void;
        pub fn dlerror() -> *const c_char;
    }
    pub const RTLD_NOW: c_int = 2;
}

impl Library {
    #[cfg(unix)]
    pub(super) fn open(path: &Path) -> Result<Library, String> {
        use std::os::unix::ffi::OsStrExt;
        let name = CString::new(path.as_os_str().as_bytes())
            .map_err(|_| "the path contains a zero byte".to_string())?;
        // SAFETY: the name ends with a zero. Code that runs while the library is loaded is the user's, who allowed it.
        let handle = unsafe { system::dlopen(name.as_ptr(), system::RTLD_NOW) };
        if handle.is_null() {
            return Err(format!(
                "the external functions cannot be loaded: {}",
                last_error()
            ));
        }
        Ok(Library { handle })
    }

    #[cfg(unix)]
    pub(super) fn symbol(&self, name: &str) -> Result<*mut c_void, String> {
        let text = CString::new(name).map_err(|_| "the name contains a zero byte".to_string())?;
        // SAFETY: the handle is open and the name ends with a zero.
        let address = unsafe { system::dlsym(self.handle, text.as_ptr()) };
        if address.is_null() {
            return Err(format!(
                "the external function `{name}` was not found: {}",
                last_error()
            ));
        }
        Ok(address)
    }

    #[cfg(not(unix))]
    pub(super) fn open(_path: &Path) -> Result<Library, String> {
        Err("external C functions are not supported on this system".to_string())
    }

    #[cfg(not(unix))]
    pub(super) fn symbol(&self, _name: &str) -> Result<*mut c_void, String> {
        Err("external C functions are not supported on this system".to_string())
    }
}

#[cfg(unix)]
fn last_error() -> String {
    // SAFETY: `dlerror` returns null or a string that is valid until the next call of these functions.
    unsafe {
        let text = system::dlerror();
        if text.is_null() {
            "unknown reason".to_string()
        } else {
            std::ffi::CStr::from_ptr(text)
                .to_string_lossy()
                .into_owned()
        }
    }
}
