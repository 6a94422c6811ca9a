//! Native functions by their C name.

use std::sync::OnceLock;

use crate::call::Call;
use crate::{cmath, fft, lapack, matrix_io, random, strings, system, tables};

type Run = fn(&mut dyn Call) -> Result<(), String>;

/// A function of this crate.
#[derive(Clone, Copy, Debug)]
pub struct Native {
    run: Body,
    /// Equal arguments give equal results, and nothing else happens.
    pub pure: bool,
    /// Nothing else happens, and results depend on files only.
    pub reads: bool,
}

#[derive(Clone, Copy, Debug)]
enum Body {
    Run(Run),
    Real1(fn(f64) -> f64),
    Real2(fn(f64, f64) -> f64),
}

impl Native {
    pub fn call(&self, call: &mut dyn Call) -> Result<(), String> {
        match self.run {
            Body::Run(run) => run(call),
            Body::Real1(f) => {
                let y = f(call.real(0)?);
                call.return_real(y);
                Ok(())
            }
            Body::Real2(f) => {
                let y = f(call.real(0)?, call.real(1)?);
                call.return_real(y);
                Ok(())
            }
        }
    }

    /// May a call with known arguments be replaced by its results? Files are taken to stay as they
    /// are between compiling and running.
    pub fn known_at_compile_time(&self) -> bool {
        self.pure || self.reads
    }

    /// Do its results follow from its arguments alone, whatever was done before?
    pub fn is_pure(&self) -> bool {
        self.pure
    }

    /// The function as one of a real number, for callers that need no [`Call`].
    pub fn as_real1(&self) -> Option<fn(f64) -> f64> {
        match self.run {
            Body::Real1(f) => Some(f),
            _ => None,
        }
    }
}

/// Room for functions.
const ROOM: usize = 256;

/// The functions of the modules, by name. It is static memory: a library that is unloaded leaves nothing on the heap.
pub(crate) struct Registry {
    entries: [Option<(&'static str, Native)>; ROOM],
    count: usize,
}

impl Registry {
    fn insert(&mut self, name: &'static str, native: Native) {
        self.entries[self.count] = Some((name, native));
        self.count += 1;
    }

    fn all(&self) -> impl Iterator<Item = &(&'static str, Native)> {
        self.entries.iter().flatten()
    }

    fn get(&self, name: &str) -> Option<Native> {
        let name_of = |e: &Option<(&'static str, Native)>| e.map_or("", |e| e.0);
        let entries = &self.entries[..self.count];
        let at = entries.binary_search_by(|e| name_of(e).cmp(name)).ok()?;
        entries[at].map(|e| e.1)
    }

    pub(crate) fn pure(&mut self, name: &'static str, run: Run) {
        let run = Body::Run(run);
        self.insert(
            name,
            Native {
                run,
                pure: true,
                reads: true,
            },
        );
    }

    pub(crate) fn impure(&mut self, name: &'static str, run: Run) {
        let run = Body::Run(run);
        self.insert(
            name,
            Native {
                run,
                pure: false,
                reads: false,
            },
        );
    }

    /// Results depend on files.
    pub(crate) fn reads(&mut self, name: &'static str, run: Run) {
        let run = Body::Run(run);
        self.insert(
            name,
            Native {
                run,
                pure: false,
                reads: true,
            },
        );
    }

    pub(crate) fn real1(&mut self, name: &'static str, f: fn(f64) -> f64) {
        let run = Body::Real1(f);
        self.insert(
            name,
            Native {
                run,
                pure: true,
                reads: true,
            },
        );
    }

    pub(crate) fn real2(&mut self, name: &'static str, f: fn(f64, f64) -> f64) {
        let run = Body::Real2(f);
        self.insert(
            name,
            Native {
                run,
                pure: true,
                reads: true,
            },
        );
    }
}

fn registry() -> &'static Registry {
    static TABLE: OnceLock<Registry> = OnceLock::new();
    TABLE.get_or_init(|| {
        let mut r = Registry {
            entries: [None; ROOM],
            count: 0,
        };
        cmath::register(&mut r);
        fft::register(&mut r);
        lapack::register(&mut r);
        matrix_io::register(&mut r);
        random::register(&mut r);
        strings::register(&mut r);
        system::register(&mut r);
        tables::register(&mut r);
        r.entries[..r.count].sort_unstable_by_key(|e| e.map(|e| e.0));
        r
    })
}

/// The function of that C name. Fortran names may carry the underscore of the object file.
pub fn lookup(c_name: &str) -> Option<Native> {
    let table = registry();
    table
        .get(c_name)
        .or_else(|| table.get(c_name.strip_suffix('_')?))
}

/// All names.
pub fn names() -> impl Iterator<Item = &'static str> {
    registry().all().map(|e| e.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_function_is_found_and_has_a_name_of_its_own() {
        let all: Vec<&str> = names().collect();
        assert!(all.len() > 90);
        assert!(all.is_sorted_by(|a, b| a < b));
        assert!(all.iter().all(|name| lookup(name).is_some()));
        assert!(lookup("dgesv_").is_some() && lookup("no such function").is_none());
    }
}
