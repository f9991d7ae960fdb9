//! Symbols and shared libraries of the benchmark executable.

mod allocator;
mod unit;

use std::path::Path;

use iai_callgrind_base::FileError;
use iai_callgrind_debuginfo::map;
use object::{CompressionFormat, Object, ObjectSection, ObjectSymbol};

pub use self::allocator::Allocator;
pub use self::unit::{Unit, features};
use crate::Result;

/// Libraries of every Rust program, which the loader finds without a search path.
const SYSTEM_LIBRARIES: [&str; 7] =
    ["ld-linux", "libc.", "libdl.", "libgcc_s.", "libm.", "libpthread.", "librt."];

/// Functions of the runtime libraries of sanitizers that do not run under Valgrind.
const SANITIZERS: [(&[u8], &str); 5] = [
    (b"__asan_init", "AddressSanitizer"),
    (b"__hwasan_init", "HWAddressSanitizer"),
    (b"__lsan_init", "LeakSanitizer"),
    (b"__msan_init", "MemorySanitizer"),
    (b"__tsan_init", "ThreadSanitizer"),
];

/// The benchmark executable.
#[expect(clippy::struct_excessive_bools, reason = "they are independent properties of a file")]
#[derive(Debug)]
pub struct Executable {
    /// Path of the file.
    pub path: String,
    /// Callgrind finds functions by symbols.
    pub has_symbols: bool,
    /// Needs shared libraries that cargo may have passed to the loader.
    pub needs_library_path: bool,
    /// The loader searches for shared libraries relative to its directory.
    pub uses_origin: bool,
    /// Debug information is compressed with zstd.
    pub has_zstd: bool,
    /// Name of a sanitizer that it is built with.
    pub sanitizer: Option<&'static str>,
}

impl Executable {
    /// Reads the properties of the executable with this path.
    pub fn open(path: String) -> Result<Self> {
        let failed = |source| FileError::NoExecutable { path: path.clone().into(), source };
        // Reads only what is needed: an executable with debug information can be huge
        let content = map(Path::new(&path)).map_err(failed)?;
        // Running a file that is not an executable gives a clearer error
        let file = object::File::parse(&*content).ok();
        let has_symbols =
            file.as_ref().is_some_and(|file| file.symbols().any(|symbol| symbol.is_definition()));
        let needs_library_path = !file.as_ref().is_some_and(|file| {
            file.import_libraries().is_ok_and(|mut libraries| {
                libraries.all(|library| library.is_ok_and(|library| is_system(library.name())))
            })
        });
        // The search path is one of the strings for the loader
        let strings = file.as_ref().and_then(|file| file.section_by_name(".dynstr")?.data().ok());
        let uses_origin = strings.is_some_and(|strings| {
            let mut strings = strings.split(|byte| *byte == 0);
            strings.any(|string| contains(string, b"$ORIGIN") || contains(string, b"${ORIGIN}"))
        });
        let has_zstd = file.as_ref().is_some_and(has_zstd);
        let sanitizer = file.as_ref().and_then(sanitizer);
        Ok(Self { path, has_symbols, needs_library_path, uses_origin, has_zstd, sanitizer })
    }
}

/// Returns `true` if a section of this file is compressed with zstd.
fn has_zstd<'data>(file: &impl Object<'data>) -> bool {
    file.sections().any(|section| {
        section
            .compressed_file_range()
            .is_ok_and(|range| range.format == CompressionFormat::Zstandard)
    })
}

/// Returns the directory of cargo's profile in which this executable was built. Cargo locks it during a build.
pub fn profile_directory(executable: &Path) -> Option<&Path> {
    let is_locked = |directory: &&Path| {
        [".cargo-lock", ".cargo-build-lock"].iter().any(|lock| directory.join(lock).exists())
    };
    let mut directories = executable.ancestors().skip(1);
    directories.find(is_locked).or_else(|| executable.parent()?.parent())
}

/// Returns the name of a sanitizer with which this file is built. The runtime library is a part of the executable, or
/// one of its shared libraries.
fn sanitizer<'data>(file: &impl Object<'data>) -> Option<&'static str> {
    file.symbols().chain(file.dynamic_symbols()).filter(ObjectSymbol::is_global).find_map(
        |symbol| {
            let name = symbol.name_bytes().ok()?;
            SANITIZERS
                .iter()
                .find(|(function, _)| *function == name)
                .map(|(_, sanitizer)| *sanitizer)
        },
    )
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
        let error = Executable::open("/does/not/exist".to_owned()).unwrap_err().to_string();
        assert!(error.starts_with("can't read /does/not/exist: "), "{error}");
        assert!(error.ends_with("\nhelp: build it again with `cargo bench`"), "{error}");
    }
}
