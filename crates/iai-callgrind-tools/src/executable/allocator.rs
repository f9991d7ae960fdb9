//! The allocator of a program, which some of Valgrind's tools replace by functions of their own.

use std::path::Path;

use iai_callgrind_base::FileError;
use iai_callgrind_debuginfo::map;
use object::{Object, ObjectSection, ObjectSymbol};

use super::contains;
use crate::Result;

/// Functions that Valgrind replaces, in libraries and in the executable. An allocator of Rust code needs them to pass
/// requests on, because others make no aligned blocks. `malloc` is not among them, because the standard library itself
/// uses it.
const ALIGNED: [&[u8]; 3] = [b"aligned_alloc", b"memalign", b"posix_memalign"];

/// Functions of allocators with other names than the C library's: jemalloc, mimalloc, rpmalloc and snmalloc.
const PREFIXED: [&[u8]; 10] = [
    b"_rjem_malloc",
    b"_rjem_mallocx",
    b"je_malloc",
    b"je_mallocx",
    b"mi_malloc",
    b"mi_malloc_aligned",
    b"rpaligned_alloc",
    b"rpmalloc",
    b"sn_rust_alloc",
    b"sn_rust_alloc_zeroed",
];

/// The function of Rust's standard library that passes requests on to the C library.
const OF_STD: &[u8] = b"__rdl_alloc";

/// The start of the names of shared libraries with Rust's standard library.
const SHARED_STD: &[u8] = b"libstd-";

/// Section with the compilers of an executable, also without symbols, and the name of Rust's in it.
const COMPILERS: (&str, &[u8]) = (".comment", b"rustc version");

/// Section of an executable that Go's linker made. Go has an allocator of its own.
const GO: &str = ".go.buildinfo";

/// Section of an executable with the path of its loader, and the starts of the names of loaders of C libraries whose allocator
/// Valgrind for the GNU C library does not replace: musl, uClibc and Android's.
const LOADER: &str = ".interp";
const OTHER_LOADERS: [&[u8]; 3] = [b"ld-musl", b"ld-uClibc", b"linker"];

/// The allocator of a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Allocator {
    /// Functions with the names of the C library's, if known.
    Replaceable,
    /// The program is static: it does not load the shared library with the replacement.
    Static,
    /// Functions with other names.
    Own,
    /// The allocator of a C library whose functions Valgrind does not replace.
    OfOtherLibrary,
}

impl Allocator {
    /// Returns the allocator of the program with this path, or of a script's interpreter.
    pub fn of(program: &Path) -> Result<Self> {
        let failed = |source| FileError::NoExecutable { path: program.to_owned(), source };
        let content = map(program).map_err(failed)?;
        let file = object::File::parse(&*content);
        Ok(file.map_or(Self::Replaceable, |file| Self::of_file(&file)))
    }

    fn of_file<'data>(file: &impl Object<'data>) -> Self {
        let Some(loader) = file.section_by_name(LOADER) else { return Self::Static };
        let has_other_library = loader.data().is_ok_and(is_of_other_library);
        let mut functions = Functions::default();
        file.symbols().chain(file.dynamic_symbols()).for_each(|symbol| functions.add(&symbol));
        let Functions { defines_aligned, imports_aligned, has_prefixed, has_std } = functions;
        let is_rust = is_rust(file);
        // Rust code calls the functions with the prefix, even if others have the C library's names
        let is_passed_on = defines_aligned && (!is_rust || has_std);
        let sees_requests = defines_aligned || imports_aligned || needs_shared_std(file);
        let is_own = file.section_by_name(GO).is_some()
            || (has_prefixed && !is_passed_on)
            || (is_rust && !sees_requests);
        if is_own {
            Self::Own
        } else if has_other_library && !defines_aligned {
            Self::OfOtherLibrary
        } else {
            Self::Replaceable
        }
    }
}

/// The functions of allocators that a program defines or needs.
#[expect(clippy::struct_excessive_bools, reason = "they are independent properties of a file")]
#[derive(Debug, Default)]
struct Functions {
    /// Has functions that Valgrind replaces.
    defines_aligned: bool,
    /// Needs such functions of the C library.
    imports_aligned: bool,
    /// Has an allocator whose names have a prefix.
    has_prefixed: bool,
    /// Has the allocator of Rust's standard library.
    has_std: bool,
}

impl Functions {
    fn add<'data>(&mut self, symbol: &impl ObjectSymbol<'data>) {
        let Ok(name) = symbol.name_bytes() else { return };
        let is_aligned = ALIGNED.contains(&name);
        if symbol.is_undefined() {
            self.imports_aligned |= is_aligned;
            return;
        }
        self.defines_aligned |= is_aligned;
        self.has_prefixed |= PREFIXED.contains(&name);
        self.has_std |= name.ends_with(OF_STD);
    }
}

/// Returns `true` for the path of a loader with another C library than this system's.
fn is_of_other_library(loader: &[u8]) -> bool {
    let name = loader.rsplit(|byte| *byte == b'/').next().unwrap_or(loader);
    cfg!(target_env = "gnu") && OTHER_LOADERS.iter().any(|other| name.starts_with(other))
}

fn is_rust<'data>(file: &impl Object<'data>) -> bool {
    let (section, compiler) = COMPILERS;
    let section = file.section_by_name(section);
    section.and_then(|section| section.data().ok()).is_some_and(|text| contains(text, compiler))
}

fn needs_shared_std<'data>(file: &impl Object<'data>) -> bool {
    file.import_libraries().is_ok_and(|mut libraries| {
        libraries.any(|library| library.is_ok_and(|library| library.name().starts_with(SHARED_STD)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_test_has_the_c_library_s_allocator() {
        let own = std::env::current_exe().unwrap();
        assert_eq!(Allocator::of(&own).unwrap(), Allocator::Replaceable);
        let script = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml"));
        assert_eq!(Allocator::of(script).unwrap(), Allocator::Replaceable);
        assert!(Allocator::of(Path::new("/does/not/exist")).is_err());
    }

    #[test]
    fn another_c_library_has_another_allocator() {
        let mut content = std::fs::read(std::env::current_exe().unwrap()).unwrap();
        let loader = {
            let file = object::File::parse(&*content).unwrap();
            file.section_by_name(LOADER).unwrap().file_range().unwrap()
        };
        let (start, length) = (loader.0.try_into().unwrap(), loader.1.try_into().unwrap());
        let path = b"/lib/ld-musl.so\0";
        content[start..][..length].fill(0);
        content[start..][..path.len()].copy_from_slice(path);
        let program = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(program.path(), content).unwrap();
        assert_eq!(Allocator::of(program.path()).unwrap(), Allocator::OfOtherLibrary);
        assert!(!is_of_other_library(b"/lib64/ld-linux-x86-64.so.2\0"));
        assert!(is_of_other_library(b"/lib/ld-musl-x86_64.so.1\0"));
    }
}
