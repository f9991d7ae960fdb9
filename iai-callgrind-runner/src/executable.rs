//! What the benchmark executable tells about itself.

use std::fs::File;
use std::path::Path;

use object::{Object, ObjectSection, ObjectSymbol, ReadCache};

use crate::error::{Error, Result};

/// The libraries that every Rust program needs. The loader finds them without help.
const SYSTEM_LIBRARIES: [&str; 7] =
    ["ld-linux", "libc.", "libdl.", "libgcc_s.", "libm.", "libpthread.", "librt."];

/// The benchmark executable.
#[derive(Debug)]
pub(crate) struct Executable {
    /// Its path.
    pub(crate) path: String,
    /// Whether it has symbols, by which callgrind knows functions.
    pub(crate) has_symbols: bool,
    /// Whether it needs shared libraries that cargo may have told the loader about.
    pub(crate) needs_library_path: bool,
    /// Whether it looks for shared libraries relative to where it lies.
    pub(crate) uses_origin: bool,
}

impl Executable {
    /// Looks at the executable with this path.
    pub(crate) fn open(path: String) -> Result<Self> {
        let file = File::open(&path).map_err(Error::io("read", Path::new(&path)))?;
        // Reads what is looked at: an executable with debug information can be huge
        let content = ReadCache::new(file);
        // What isn't an executable fails when it is run, in clearer words
        let file = object::File::parse(&content).ok();
        let has_symbols =
            file.as_ref().is_some_and(|file| file.symbols().any(|symbol| symbol.is_definition()));
        let needs_library_path = !file.as_ref().is_some_and(|file| {
            file.import_libraries().is_ok_and(|mut libraries| {
                libraries.all(|library| library.is_ok_and(|library| is_system(library.name())))
            })
        });
        // The search path of an executable stands among its other strings for the loader
        let strings = file.as_ref().and_then(|file| file.section_by_name(".dynstr")?.data().ok());
        let uses_origin = strings.is_some_and(|strings| {
            let mut strings = strings.split(|byte| *byte == 0);
            strings.any(|string| contains(string, b"$ORIGIN") || contains(string, b"${ORIGIN}"))
        });
        Ok(Self { path, has_symbols, needs_library_path, uses_origin })
    }
}

fn contains(string: &[u8], what: &[u8]) -> bool {
    string.windows(what.len()).any(|window| window == what)
}

fn is_system(library: &[u8]) -> bool {
    SYSTEM_LIBRARIES.iter().any(|known| library.starts_with(known.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_test_has_symbols_and_needs_only_the_systems_libraries() {
        let path = std::env::current_exe().unwrap().to_string_lossy().into_owned();
        let executable = Executable::open(path).unwrap();
        assert!(executable.has_symbols);
        assert!(!executable.needs_library_path && !executable.uses_origin);
    }

    #[test]
    fn what_is_no_executable_has_nothing() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml").to_owned();
        let executable = Executable::open(path).unwrap();
        assert!(!executable.has_symbols && executable.needs_library_path);
        assert!(Executable::open("/does/not/exist".to_owned()).is_err());
    }
}
