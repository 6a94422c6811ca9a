//! Finds classes by name and says what that cost, or loads a whole library with `NAME.**`:
//! `cargo run --release -p ferrica-classes --example load LIBRARY_FOLDER NAME…`.

use std::sync::Arc;
use std::time::Instant;

use ferrica_classes::{ClassId, Library, SearchPath};
use ferrica_ir::SourceMap;

fn main() {
    let mut args = std::env::args().skip(1);
    let Some(folder) = args.next() else {
        eprintln!("usage: load LIBRARY_FOLDER NAME…");
        std::process::exit(2);
    };
    let path = SearchPath {
        folders: vec![folder.into()],
        embedded: None,
    };
    let library = Library::new(Arc::new(SourceMap::new()), path);
    for name in args {
        let start = Instant::now();
        let found = match name.strip_suffix(".**") {
            Some(root) => library.find(root).map(|id| load_all(&library, id)),
            None => library
                .find(&name)
                .map(|id| library.def(id).elements().len()),
        };
        match found {
            Some(count) => println!("{name}: {count}, {:?}", start.elapsed()),
            None => println!("{name}: not found, {:?}", start.elapsed()),
        }
    }
    println!("{} classes known", library.len());
    for diagnostic in library.take_diagnostics() {
        print!("{}", library.sources().render(&diagnostic));
    }
}

/// The number of classes in a class, itself included.
fn load_all(library: &Library, root: ClassId) -> usize {
    let mut open = vec![root];
    let mut count = 0;
    while let Some(class) = open.pop() {
        count += 1;
        open.extend(library.children(class));
    }
    count
}
