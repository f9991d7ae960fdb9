//! Builds the functions in `crate/`, in Rust and in C.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::disassembly::code;
use crate::checkout;

/// A static library outside of the workspace, which has nothing but the features that are tested
pub(crate) struct Library {
    directory: PathBuf,
}

impl Library {
    /// Builds the crate with this feature of `iai-callgrind`. `name` must be unique.
    pub(crate) fn build(name: &str, feature: &str) -> Self {
        let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        fs::create_dir_all(&directory).unwrap();
        let manifest = format!(
            "[package]\nname = \"requests\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\n\
             [workspace]\n\n\
             [lib]\npath = '{}'\ncrate-type = [\"staticlib\"]\n\n\
             [profile.release]\npanic = \"abort\"\n\n\
             [dependencies.iai-callgrind]\npath = '{}'\ndefault-features = false\n\
             features = [\"{feature}\"]\n",
            source("lib.rs").display(),
            checkout().join("iai-callgrind").display(),
        );
        fs::write(directory.join("Cargo.toml"), manifest).unwrap();
        // The versions that are there already, so that no network is needed
        fs::copy(checkout().join("Cargo.lock"), directory.join("Cargo.lock")).unwrap();
        let output = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
            .args(["build", "--release", "--quiet", "--target-dir", "target"])
            .current_dir(&directory)
            .env_remove("RUSTFLAGS")
            .env_remove("CARGO_ENCODED_RUSTFLAGS")
            .output()
            .unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        Self { directory }
    }

    /// Returns the functions, with all that they need.
    pub(crate) fn archive(&self) -> PathBuf {
        self.directory.join("target/release/librequests.a")
    }

    /// Returns the number of bytes of code in the library of a dependency.
    pub(crate) fn code_of(&self, dependency: &str) -> usize {
        let prefix = format!("lib{dependency}-");
        let files = fs::read_dir(self.directory.join("target/release/deps")).unwrap();
        let paths = files.map(|file| file.unwrap().path());
        // An older build may have left others
        let libraries = paths.filter(|path| {
            let name = path.file_name().unwrap().to_string_lossy();
            name.starts_with(&prefix) && name.ends_with(".rlib")
        });
        let changed = |path: &PathBuf| path.metadata().unwrap().modified().unwrap();
        code(&libraries.max_by_key(changed).expect("cargo built it"))
    }
}

/// Returns the object file with the functions in C.
pub(crate) fn macros() -> PathBuf {
    let object = Path::new(env!("CARGO_TARGET_TMPDIR")).join("macros.o");
    let mut compiler = Command::new(env::var_os("CC").unwrap_or_else(|| "cc".into()));
    if let Some(include) = env::var_os("IAI_CALLGRIND_VALGRIND_INCLUDE") {
        compiler.arg("-I").arg(include);
    }
    let status = compiler
        .args(["-O2", "-fcf-protection=none", "-c", "-o"])
        .args([&object, &source("macros.c")])
        .status()
        .expect("there is a C compiler");
    assert!(status.success(), "it needs Valgrind's headers: see IAI_CALLGRIND_VALGRIND_INCLUDE");
    object
}

fn source(name: &str) -> PathBuf {
    checkout().join("tests/client-requests/tests/requests/machine_code/crate").join(name)
}
