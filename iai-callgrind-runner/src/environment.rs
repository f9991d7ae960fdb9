//! Finds out the fingerprint of a run: the build, the machine, and the options that change counts.

mod profile;

use std::fs;
use std::hash::Hasher;
use std::os::unix::process::parent_id;
use std::path::{Path, PathBuf};

use fnv::FnvHasher;
use iai_callgrind_plan::{Build, VERSION};
use object::read::{Object, ObjectSection};

use crate::fingerprint::Fingerprint;
use crate::settings::{Settings, workspace_directory};
use crate::valgrind::{Clock, Isolation};

/// Maximum number of bytes of the version of a C library.
const LONGEST_VERSION: usize = 100;

/// Returns the fingerprint of a run of this executable, whose package is in this directory. Without an executable it has
/// no build.
pub(crate) fn of_run(
    settings: &Settings,
    package: &Path,
    executable: Option<&Path>,
    valgrind: Option<String>,
) -> Fingerprint {
    let mut fingerprint = Fingerprint::default();
    if let Some((build, executable)) = settings.build.as_ref().zip(executable) {
        add_build(&mut fingerprint, build);
        let workspace = workspace_directory(package);
        for (setting, value) in profile::settings(&workspace, package, executable) {
            fingerprint.insert_setting(&setting, &value);
        }
        if let Ok(lock) = fs::read(workspace.join("Cargo.lock")) {
            fingerprint.insert("Cargo.lock", hash(&lock));
        }
    }
    fingerprint.insert("Valgrind", valgrind.unwrap_or_default());
    // A benchmark executable started this process, and has another C library if this one is linked statically
    let process = if executable.is_some() { parent_id() } else { std::process::id() };
    fingerprint.insert("C library", c_library(process).unwrap_or_default());
    fingerprint.insert("CPU features", cpu_features());
    add_isolation(&mut fingerprint, settings.isolation);
    let seeds = settings
        .samples
        .seeds()
        .map(|seed| seed.map_or("random".to_owned(), |seed| seed.to_string()));
    fingerprint.insert("seed", seeds.take(1).collect::<String>());
    if (settings.warm_up_calls, settings.calls) != (0, 1) {
        let calls = format!("{} after {}", settings.calls, settings.warm_up_calls);
        fingerprint.insert("calls", calls);
    }
    fingerprint.insert("iai-callgrind", VERSION);
    fingerprint
}

/// Returns a hash of 64 bits in hexadecimal, which is the same everywhere.
pub(crate) fn hash(bytes: &[u8]) -> String {
    let mut hasher = FnvHasher::default();
    hasher.write(bytes);
    format!("{:016x}", hasher.finish())
}

fn add_build(fingerprint: &mut Fingerprint, build: &Build) {
    let flags = build.flags.replace('\x1f', " ");
    for (name, value) in [
        ("compiler", &build.compiler),
        ("LLVM", &build.llvm),
        ("target", &build.target),
        ("optimization level", &build.optimization),
        ("panic", &build.panic),
        ("target features", &build.features),
    ] {
        fingerprint.insert(name, value);
    }
    // No flags are a value, too
    fingerprint.insert("compiler flags", if flags.is_empty() { "none".to_owned() } else { flags });
}

fn add_isolation(fingerprint: &mut Fingerprint, isolation: Isolation) {
    let Isolation { allow_aslr, native_cpu, own_path, cpus, clock } = isolation;
    let yes = |is: bool| if is { "yes" } else { "no" };
    fingerprint.insert("address randomization", yes(allow_aslr));
    fingerprint.insert("native CPU", yes(native_cpu));
    fingerprint.insert("own path", yes(own_path));
    let cpus = match cpus.number() {
        0 => "native".to_owned(),
        number => number.to_string(),
    };
    fingerprint.insert("CPUs", cpus);
    fingerprint.insert("clock", if clock == Clock::Virtual { "virtual" } else { "system" });
}

/// Returns the version and the start of the build id of the C library that a process uses.
fn c_library(process: u32) -> Option<String> {
    let maps = fs::read_to_string(format!("/proc/{process}/maps")).ok()?;
    let is_library = |path: &&str| {
        let name = path.rsplit('/').next().unwrap_or_default();
        ["libc.so", "libc-", "ld-musl"].iter().any(|start| name.starts_with(start))
    };
    let path = maps.lines().filter_map(|line| Some(&line[line.find('/')?..])).find(is_library);
    let Some(path) = path.map(PathBuf::from) else { return Some("static".to_owned()) };
    let data = fs::read(path).ok()?;
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

/// Returns the features of this CPU that Valgrind passes on to programs.
fn cpu_features() -> String {
    let mut features: Vec<&str> = Vec::new();
    macro_rules! detect {
        ($detect:ident: $($name:tt)*) => {
            $(if std::arch::$detect!($name) { features.push($name); })*
        };
    }
    #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
    detect!(is_x86_feature_detected: "sse3" "ssse3" "sse4.1" "sse4.2" "avx" "avx2" "bmi1" "bmi2" "cmpxchg16b"
        "f16c" "fma" "lzcnt" "rdrand" "rdseed");
    #[cfg(target_arch = "aarch64")]
    detect!(is_aarch64_feature_detected: "aes" "pmull" "sha2" "crc" "lse" "fp16" "rdm" "dotprod");
    features.join(" ")
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
        assert_eq!(c_library(std::process::id()), c_library(std::process::id()));
        assert!(c_library(std::process::id()).is_some());
    }
}
