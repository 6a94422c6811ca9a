//! Tables that users compile into their C code: the function `usertab` of the standard library's conventions.

use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::sync::Arc;

use ferrica_natives::TableKind;
use ferrica_natives::data::Matrix;

use super::Loaded;
use crate::natives::UserTables;

/// Name of the bridge: it is there, and says whether `usertab` is.
pub(super) const BRIDGE: &str = "ferrica_usertab";

/// C text of the bridge. A name that nothing defines has no address; an error of `usertab` leaves as those of other functions do.
pub(super) const TEXT: &str = r#"
extern int usertab(char *, int, int *, int *, double **) __attribute__((weak));
int ferrica_usertab(char *ferrica_name, int ferrica_kind, int *ferrica_dim, int *ferrica_columns, double **ferrica_table,
                    const char **ferrica_why)
{
    jmp_buf ferrica_here;
    jmp_buf *volatile ferrica_outer = ferrica_way_out;
    int ferrica_status;
    if (!usertab) return -1;
    if (!ferrica_name) return 0;
    if (setjmp(ferrica_here)) { ferrica_way_out = ferrica_outer; *ferrica_why = ferrica_error; return 1; }
    ferrica_way_out = &ferrica_here;
    ferrica_status = usertab(ferrica_name, ferrica_kind, ferrica_dim, ferrica_columns, ferrica_table);
    ferrica_way_out = ferrica_outer;
    *ferrica_why = "it returns an error";
    return ferrica_status != 0;
}
"#;

type Bridge = unsafe extern "C" fn(
    *const c_char,
    c_int,
    *mut c_int,
    *mut c_int,
    *mut *const f64,
    *mut *const c_char,
) -> c_int;

/// The tables of the library, if it defines `usertab`.
pub(super) fn of(loaded: &Arc<Loaded>) -> Option<UserTables> {
    let address = loaded.library.symbol(BRIDGE).ok()?;
    // SAFETY: the bridge was written with this signature.
    let bridge = unsafe { std::mem::transmute::<*mut c_void, Bridge>(address) };
    let none = std::ptr::null_mut();
    // SAFETY: without a name the bridge looks at no other argument.
    let there = unsafe { bridge(std::ptr::null(), 0, none, none, none.cast(), none.cast()) } == 0;
    let loaded = loaded.clone();
    there.then(|| -> UserTables {
        Arc::new(move |name: &str, kind: TableKind| read(&loaded, bridge, name, kind))
    })
}

fn read(
    loaded: &Arc<Loaded>,
    bridge: Bridge,
    name: &str,
    kind: TableKind,
) -> Result<Matrix, String> {
    let text = CString::new(name).map_err(|_| "a string contains a zero byte".to_string())?;
    let mut dim: [c_int; 2] = [0; 2];
    let mut by_columns: c_int = 0;
    let mut table: *const f64 = std::ptr::null();
    let mut why: *const c_char = std::ptr::null();
    let _one_at_a_time = loaded.lock.lock();
    // SAFETY: all pointers are to variables that outlive the call; what `usertab` itself does is up to the user, who allowed it.
    let status = unsafe {
        bridge(
            text.as_ptr(),
            kind as c_int,
            dim.as_mut_ptr(),
            &mut by_columns,
            &mut table,
            &mut why,
        )
    };
    if status != 0 {
        // SAFETY: the bridge sets the reason to a string that stays until its next call.
        let why = unsafe { CStr::from_ptr(why) }.to_string_lossy();
        return Err(format!("table `{name}` of `usertab`: {}", why.trim()));
    }
    let [rows, columns] = dim.map(|d| usize::try_from(d).unwrap_or(0));
    if table.is_null() || rows == 0 || columns == 0 {
        return Err(format!("table `{name}` of `usertab` is empty"));
    }
    // SAFETY: `usertab` says that the table has this many numbers.
    let values = unsafe { std::slice::from_raw_parts(table, rows * columns) };
    let data = match by_columns {
        0 => values.to_vec(),
        _ => (0..rows * columns)
            .map(|k| values[k % columns * rows + k / columns])
            .collect(),
    };
    Ok(Matrix {
        rows,
        columns,
        data,
    })
}
