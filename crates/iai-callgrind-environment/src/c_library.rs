//! The C library that the benchmarks of a run use, where it is known.

use iai_callgrind_profile::files;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::os::unix::process::parent_id;
use std::path::{Path, PathBuf};

use object::elf::PT_INTERP;
use object::read::elf::{ElfFile, FileHeader, ProgramHeader};
use object::read::{Object, ObjectSection, ReadRef};

/// Maximum number of bytes of the version of a C library.
const LONGEST_VERSION: usize = 100;

/// Returns the C library of this benchmark executable or, without one, of the commands. `None` if
/// it is not known.
///
/// A benchmark executable started this process and uses its C library at the moment. Commands are
/// expected to have the C library of this process, which is unknown if it is linked statically.
pub(super) fn of_benchmarks(executable: Option<&Path>) -> Option<String> {
    match executable {
        Some(executable) => of_process(parent_id(), executable),
        None => version(&mapped_library(&maps(std::process::id())?)?),
    }
}

/// Returns the C library of a process, if it runs this executable: another program can have started this one.
fn of_process(process: u32, executable: &Path) -> Option<String> {
    let identity = |path: &Path| {
        let metadata = fs::metadata(path).ok()?;
        Some((metadata.dev(), metadata.ino()))
    };
    let running = identity(Path::new(&format!("/proc/{process}/exe")))?;
    if running != identity(executable)? {
        return None;
    }
    of_maps(&maps(process)?, executable)
}

/// Returns the C library in the map of a process of this executable. A process without one is static only if no loader
/// could have mapped one.
fn of_maps(maps: &str, executable: &Path) -> Option<String> {
    match mapped_library(maps) {
        Some(path) => version(&path),
        None => is_static(&files::read(executable).ok()?)?.then(|| "static".to_owned()),
    }
}

fn maps(process: u32) -> Option<String> {
    fs::read_to_string(format!("/proc/{process}/maps")).ok()
}

/// Returns the path of the C library in the map of a process.
fn mapped_library(maps: &str) -> Option<PathBuf> {
    let paths = maps.lines().filter_map(|line| Some(&line[line.find('/')?..]));
    let is_library = |path: &&str| is_c_library(path.rsplit('/').next().unwrap_or_default());
    paths.filter(is_library).map(PathBuf::from).next()
}

/// Returns `true` for `libc.so.6`, `libc-2.31.so` and `ld-musl-x86_64.so.1`, and `false` for `libc-client.so`.
fn is_c_library(name: &str) -> bool {
    let has_version = |rest: &str| rest.starts_with(|start: char| start.is_ascii_digit());
    name.starts_with("libc.so")
        || name.starts_with("ld-musl-")
        || name.strip_prefix("libc-").is_some_and(has_version)
}

/// Returns whether an executable needs no loader, `None` if it is not an executable of this system.
fn is_static(data: &[u8]) -> Option<bool> {
    match object::File::parse(data).ok()? {
        object::File::Elf32(file) => Some(!has_interpreter(&file)),
        object::File::Elf64(file) => Some(!has_interpreter(&file)),
        _ => None,
    }
}

fn has_interpreter<'data, Elf: FileHeader, R: ReadRef<'data>>(
    file: &ElfFile<'data, Elf, R>,
) -> bool {
    let headers = file.elf_program_headers().iter();
    headers.map(|header| header.p_type(file.endian())).any(|kind| kind == PT_INTERP)
}

/// Returns the version and the start of the build id of a C library.
fn version(path: &Path) -> Option<String> {
    let data = files::read(path).ok()?;
    let file = object::File::parse(&*data).ok()?;
    let id = file.build_id().ok()??.first_chunk()?;
    let id = format!("{:08x}", u32::from_be_bytes(*id));
    let texts = file.section_by_name(".rodata").and_then(|section| section.data().ok());
    let version = texts.and_then(glibc_version);
    Some(version.map_or_else(|| id.clone(), |version| format!("{version} {id}")))
}

/// Returns the version of the distribution in the text that glibc prints when it is executed:
/// `GNU C Library (Debian GLIBC 2.36-9+deb12u14) stable release version 2.36.`
fn glibc_version(texts: &[u8]) -> Option<String> {
    const START: &[u8] = b"GNU C Library (";
    let start = texts.windows(START.len()).position(|text| text == START)? + START.len();
    let text = &texts[start..];
    let end = text.iter().take(LONGEST_VERSION).position(|byte| *byte == b')')?;
    String::from_utf8(text[..end].to_vec()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_c_library_of_this_test_has_a_version() {
        let text = b"\0\0GNU C Library (Debian GLIBC 2.36-9) stable release version 2.36.\n";
        assert_eq!(glibc_version(text).unwrap(), "Debian GLIBC 2.36-9");
        assert_eq!(glibc_version(b"GNU C Library (without an end"), None);
        assert_eq!(glibc_version(b""), None);
        let own = std::env::current_exe().unwrap();
        let library = of_process(std::process::id(), &own);
        assert!(library.is_some());
        assert_eq!(library, of_benchmarks(None));
    }

    #[test]
    fn the_c_library_of_another_program_is_not_that_of_the_benchmarks() {
        assert_eq!(of_process(std::process::id(), Path::new("/bin/sh")), None);
    }

    #[test]
    fn a_process_without_a_c_library_is_static_only_if_it_needs_no_loader() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("program");
        // An executable for Linux with one program header of this kind
        let executable = |kind: u32| {
            let mut data = vec![0; 64 + 56];
            data[..7].copy_from_slice(b"\x7fELF\x02\x01\x01");
            for (offset, value) in
                [(16, 2), (18, 62), (20, 1), (32, 64), (52, 64), (54, 56), (56, 1)]
            {
                data[offset] = value;
            }
            data[64..68].copy_from_slice(&kind.to_le_bytes());
            data
        };
        let maps =
            "55d0-55d1 r--p 00000000 fe:01 42 /a/program\n7f10-7f11 rw-p 00000000 00:00 0 [heap]\n";
        for (content, expected) in [
            (executable(object::elf::PT_LOAD.0), Some("static")),
            (executable(PT_INTERP.0), None),
            (b"#!/bin/sh\n".to_vec(), None),
        ] {
            fs::write(&path, content).unwrap();
            for maps in
                [maps, "", "7f10-7f11 r-xp 00000000 fe:01 42 /usr/lib/libc-client.so.2007e\n"]
            {
                assert_eq!(of_maps(maps, &path).as_deref(), expected, "{maps}");
            }
        }
        assert_eq!(of_maps(maps, &directory.path().join("removed")), None);
    }
}
