//! The crates whose machine code an executable contains, according to its symbols and to the paths of sources in it.
//!
//! The runner is not optimized, and an executable can have a hundred megabytes. So bytes are searched by the functions of
//! the standard library that leave it to the C library.

use std::collections::HashSet;
use std::ffi::CStr;
use std::io::BufRead;
use std::path::Path;

use fnv::FnvBuildHasher;
use iai_callgrind_debuginfo::map;
use object::{Object, ObjectSection};

/// Crates that the standard library contains: their symbols are in every executable, so that only paths count.
const OF_STD: [&str; 14] = [
    "addr2line",
    "adler2",
    "alloc",
    "cfg_if",
    "core",
    "gimli",
    "hashbrown",
    "libc",
    "memchr",
    "miniz_oxide",
    "object",
    "rustc_demangle",
    "std",
    "unwinding",
];

/// Directory with the sources of these crates.
const DIRECTORY_OF_STD: &[u8] = b"/rust/deps";

/// Sections with paths: of debug information and of the places of panics.
const WITH_PATHS: [&str; 4] = [".debug_str", ".debug_line_str", ".debug_line", ".rodata"];

/// The crates of an executable.
#[derive(Debug, Default)]
pub(super) struct LinkedCrates {
    names: HashSet<Vec<u8>, FnvBuildHasher>,
    directories: HashSet<Vec<u8>, FnvBuildHasher>,
}

impl LinkedCrates {
    /// Reads the crates of this executable, and the directories among these that occur in its
    /// paths. `None` if it has neither symbols nor debug information.
    pub(super) fn read(executable: &Path, directories: &HashSet<String>) -> Option<Self> {
        let content = map(executable).ok()?;
        let file = object::File::parse(&*content).ok()?;
        let mut crates = Self::default();
        let mut is_known = false;
        if let Some(names) = file.section_by_name(".strtab").and_then(|names| names.data().ok()) {
            is_known = true;
            crates.add_symbols(names);
        }
        let candidates = directories.iter().map(String::as_bytes).collect();
        for name in WITH_PATHS {
            let section = file.section_by_name(name);
            if let Some(data) = section.and_then(|section| section.uncompressed_data().ok()) {
                is_known |= name.starts_with(".debug");
                crates.add_paths(&data, &candidates);
            }
        }
        is_known.then_some(crates)
    }

    /// Returns `true` if there is machine code of the library of a package with this name.
    pub(super) fn has_crate(&self, package: &str) -> bool {
        let name = package.replace('-', "_");
        !OF_STD.contains(&&*name) && self.names.contains(name.as_bytes())
    }

    /// Returns `true` if a source file in a directory with this name was compiled.
    pub(super) fn has_directory(&self, name: &str) -> bool {
        self.directories.contains(name.as_bytes())
    }

    /// Adds the crates in a table of symbols' names.
    fn add_symbols(&mut self, mut names: &[u8]) {
        while let Ok(name) = CStr::from_bytes_until_nul(names) {
            let name = name.to_bytes();
            names = &names[name.len() + 1..];
            if let Some(path) = name.strip_prefix(b"_ZN") {
                self.add_legacy(path);
            } else if let Some(path) = name.strip_prefix(b"_R") {
                self.add_v0(path);
            }
        }
    }

    /// Adds the crates of a name like `5smawk3run17h0123456789abcdefE`, which is in a crate, or
    /// `35_$LT$smawk..Rows$u20$as$u20$a..B$GT$3run`.
    fn add_legacy(&mut self, path: &[u8]) {
        if let Some(first) = identifier(path).filter(|first| !first.contains(&b'$')) {
            self.add(first);
        }
        let mut rest = path;
        while skip_to(&mut rest, b'.') {
            if rest.first() == Some(&b'.') {
                let before = &path[..path.len() - rest.len() - 1];
                let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
                let length = before.iter().rev().take_while(|byte| is_name(byte)).count();
                let (before, name) = before.split_at(before.len() - length);
                // After another `..` it is a module
                if before.last() == Some(&b'$') {
                    self.add(name);
                }
                rest = &rest[1..];
            }
        }
    }

    /// Adds the crates of a name like `NvCs4fqI2P2rA0_5smawk3run`: a `C`, a number that distinguishes crates with the same
    /// name, and the name.
    fn add_v0(&mut self, path: &[u8]) {
        let mut rest = path;
        while skip_to(&mut rest, b'C') {
            let mut name = rest;
            if name.first() == Some(&b's') {
                let end = name.iter().position(|byte| !byte.is_ascii_alphanumeric());
                let Some(end) = end.filter(|end| name[*end] == b'_') else { continue };
                name = &name[end + 1..];
            }
            if let Some(name) = identifier(name) {
                self.add(name);
            }
        }
    }

    fn add(&mut self, name: &[u8]) {
        if !self.names.contains(name) {
            self.names.insert(name.to_owned());
        }
    }

    /// Adds the directories among these that occur in paths. Strings end with a zero, or with the
    /// next one, as in constants.
    fn add_paths(&mut self, data: &[u8], candidates: &HashSet<&[u8], FnvBuildHasher>) {
        let longest = candidates.iter().map(|name| name.len()).max().unwrap_or_default();
        let mut rest = data;
        let mut start = None;
        loop {
            let has_next = skip_to(&mut rest, b'/');
            let end = data.len() - rest.len() - usize::from(has_next);
            if let Some(start) = start {
                let name = &data[start..end.min(start + longest + 1)];
                let name = name.split(|byte| *byte == 0).next().unwrap_or_default();
                let is_of_std = data[..start - 1].ends_with(DIRECTORY_OF_STD);
                if !is_of_std && candidates.contains(name) && !self.directories.contains(name) {
                    self.directories.insert(name.to_owned());
                }
            }
            if !has_next {
                break;
            }
            start = Some(end + 1);
        }
    }
}

/// Skips all bytes up to and including this one; returns `false` if there is none.
fn skip_to(data: &mut &[u8], byte: u8) -> bool {
    let all = *data;
    let skipped = data.skip_until(byte).unwrap_or_default();
    skipped > 0 && all[skipped - 1] == byte
}

/// Returns the identifier at the start of a part of a mangled name: its length, and an underscore before some of them.
fn identifier(text: &[u8]) -> Option<&[u8]> {
    let digits = text.iter().position(|byte| !byte.is_ascii_digit())?;
    let length: usize = std::str::from_utf8(&text[..digits]).ok()?.parse().ok()?;
    let text = &text[digits..];
    let name = text.get(..length)?;
    // In the newer form the underscore does not count
    match name.strip_prefix(b"_") {
        Some(_) if text.get(1).is_some_and(|next| next.is_ascii_digit() || *next == b'_') => {
            text.get(1..=length)
        }
        _ => Some(name),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(symbols: &[&str]) -> Vec<String> {
        let mut crates = LinkedCrates::default();
        let table: Vec<_> = symbols.iter().flat_map(|name| [name, "\0"]).collect();
        crates.add_symbols(table.concat().as_bytes());
        let mut names: Vec<_> =
            crates.names.into_iter().map(|name| String::from_utf8(name).unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    fn symbols_name_their_crates() {
        for (symbol, expected) in [
            ("_ZN5smawk14column_minima17h0123456789abcdefE", &["smawk"][..]),
            ("_ZN3std4time7Instant3now17h0123456789abcdefE", &["std"]),
            (
                "_ZN64_$LT$smawk..rows..Rows$u20$as$u20$log..Log$GT$3run17h0123456789abcdefE.llvm.42",
                &["log", "smawk"],
            ),
            (
                "_ZN4core3ptr43drop_in_place$LT$smawk..Rows$GT$17h0123456789abcdefE",
                &["core", "smawk"],
            ),
            ("_RNvCs4fqI2P2rA0_5smawk3run", &["smawk"]),
            (
                "_RINvNtCs4fqI2P2rA0_5smawk4time3runNtC4user3RowECsA_6caller",
                &["caller", "smawk", "user"],
            ),
            ("_RNvC3_1a3run", &[]),
            ("main", &[]),
            ("_ZN99smawk", &[]),
            ("_ZN99999999999999999999999smawk", &[]),
            ("_RNvCs4fqI2P2rA0", &[]),
        ] {
            let names = names(&[symbol]);
            assert!(
                expected.iter().all(|name| names.iter().any(|other| other == name)),
                "{symbol}: {names:?}"
            );
            let only = expected.is_empty() || names.len() == expected.len();
            assert!(only, "{symbol}: {names:?}");
        }
    }

    #[test]
    fn paths_have_directories_with_a_version() {
        let candidates = ["smawk-0.3.1", "smawk-0.3.2", "log-0.4.0", "hashbrown-0.16.1"];
        let find = |text: &str| {
            let mut crates = LinkedCrates::default();
            crates.add_paths(
                text.as_bytes(),
                &candidates.iter().map(|name| name.as_bytes()).collect(),
            );
            candidates.into_iter().filter(|name| crates.has_directory(name)).collect::<Vec<_>>()
        };
        assert_eq!(
            find("/r/smawk-0.3.1/src/lib.rs/r/log-0.4.0/src/lib.rs"),
            ["smawk-0.3.1", "log-0.4.0"]
        );
        assert_eq!(
            find("a\0/r/smawk-0.3.2\0src/lib.rs\0/r/smawk-0.3.1"),
            ["smawk-0.3.1", "smawk-0.3.2"]
        );
        assert_eq!(find("/r/xsmawk-0.3.1/smawk-0.3.11/smawk-0.3.1.x/log-0.4.0x"), [""; 0]);
        assert_eq!(find("/rust/deps/hashbrown-0.16.1/src"), [""; 0]);
        assert_eq!(find("/r/hashbrown-0.16.1/src"), ["hashbrown-0.16.1"]);
        assert_eq!(find(""), [""; 0]);
        assert_eq!(find("/"), [""; 0]);
    }
}
