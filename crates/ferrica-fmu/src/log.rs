//! Messages to the program that leads an instance, by category.

use std::ffi::{CString, c_char, c_int, c_void};

/// Categories of the description.
pub const CATEGORIES: [(&str, &str); 5] = [
    ("logStatusError", "Why a call failed"),
    ("logStatusWarning", "Warnings of the model and of calls"),
    ("logStatusDiscard", "Steps that were not taken"),
    ("logEvents", "Events and their times"),
    ("logAll", "All of these"),
];

/// Statuses of both versions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub enum Status {
    Ok = 0,
    Warning = 1,
    Discard = 2,
    Error = 3,
    Fatal = 4,
}

impl Status {
    fn category(self) -> &'static str {
        match self {
            Status::Ok => "logEvents",
            Status::Warning => "logStatusWarning",
            Status::Discard => "logStatusDiscard",
            Status::Error | Status::Fatal => "logStatusError",
        }
    }
}

/// The callback of FMI 2.0 takes a format and its arguments. There are none here: an importer that leaves them alone has the whole message.
pub type Logger2 =
    unsafe extern "C" fn(*mut c_void, *const c_char, c_int, *const c_char, *const c_char, ...);
pub type Logger3 = unsafe extern "C" fn(*mut c_void, c_int, *const c_char, *const c_char);

/// Who listens.
#[derive(Clone, Copy)]
pub enum Listener {
    None,
    Fmi2(Logger2, *mut c_void),
    Fmi3(Logger3, *mut c_void),
}

pub struct Log {
    pub name: CString,
    pub listener: Listener,
    pub on: bool,
    /// Categories that are wanted; all if there are none.
    pub wanted: Vec<String>,
}

fn text(text: &str) -> CString {
    CString::new(text.replace('\0', " ")).unwrap_or_default()
}

impl Log {
    pub fn new(name: &str, listener: Listener, on: bool) -> Log {
        Log {
            name: text(name),
            listener,
            on,
            wanted: Vec::new(),
        }
    }

    /// Errors are told whether or not logging is on: the caller would not know why.
    pub fn tell(&self, status: Status, message: &str) {
        let category = status.category();
        let all = |c: &String| c == "logAll" || c == category;
        let wanted = self.on && (self.wanted.is_empty() || self.wanted.iter().any(all));
        if !wanted && !matches!(status, Status::Error | Status::Fatal) {
            return;
        }
        let category = text(category);
        let message = match self.listener {
            Listener::Fmi2(..) => text(&message.replace('%', "%%")),
            _ => text(message),
        };
        // SAFETY: the callbacks and what they belong to come from the caller, who keeps them as long as the
        // instance lives; all texts end with a zero and live until the callback returns.
        unsafe {
            match self.listener {
                Listener::None => {}
                Listener::Fmi2(log, environment) => log(
                    environment,
                    self.name.as_ptr(),
                    status as c_int,
                    category.as_ptr(),
                    message.as_ptr(),
                ),
                Listener::Fmi3(log, environment) => log(
                    environment,
                    status as c_int,
                    category.as_ptr(),
                    message.as_ptr(),
                ),
            }
        }
    }
}
