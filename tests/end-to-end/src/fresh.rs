//! Crates outside the workspace that depend on the checkout, as users have them.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;

use rustix::fs::{FlockOperation, flock};
use tempfile::TempDir;

use crate::built::{cargo, executables};
use crate::skip::need;
use crate::{checkout, clean, script, target_directory};

/// A crate in a temporary directory. All of them share one target directory, so that what they depend
/// on is only built when it changes.
#[derive(Debug)]
pub struct FreshCrate {
    name: &'static str,
    directory: TempDir,
    /// Held as long as the crate exists: another process that runs the same test builds into the same files.
    _lock: File,
    /// Packages that it has from a registry of its own.
    published: Vec<&'static str>,
}

impl FreshCrate {
    /// Returns a crate with this benchmark file and these lines at the end of its manifest. No other crate may have
    /// the name, because of the shared target directory.
    #[must_use]
    pub fn new(name: &'static str, benchmark: &str, manifest: &str) -> Self {
        need("cargo");
        let directory = tempfile::tempdir().expect("a temporary directory");
        let crate_ = Self { name, directory, _lock: lock(name), published: Vec::new() };
        let file = crate_.file();
        let library = checkout().join("iai-callgrind");
        let manifest = format!(
            "[package]\nname = {name:?}\nversion = \"0.1.0\"\nedition = \"2021\"\n\n\
             [dev-dependencies]\niai-callgrind = {{ path = \"{}\" }}\n\n\
             [[bench]]\nname = {file:?}\nharness = false\n{manifest}",
            library.display()
        );
        crate_.write("Cargo.toml", &manifest);
        crate_.write("src/lib.rs", "");
        crate_.write(&format!("benches/{file}.rs"), benchmark);
        // The versions that are there already, so that no network is needed
        let lock = fs::read_to_string(checkout().join("Cargo.lock")).expect("there is a lock file");
        crate_.write("Cargo.lock", &lock);
        crate_
    }

    /// Returns the name of the benchmark file. It's not the same for all crates, because cargo cleans by names.
    #[must_use]
    pub fn file(&self) -> String {
        format!("{}_benchmark", self.name.replace('-', "_"))
    }

    /// Gives the dependency on the library another name.
    pub fn rename_library(&self, name: &str) {
        let manifest = self.directory.path().join("Cargo.toml");
        let text = fs::read_to_string(manifest).expect("there is a manifest");
        let renamed = format!("\n{name} = {{ features = [\n], package = \"iai-callgrind\",");
        self.write("Cargo.toml", &text.replace("\niai-callgrind = {", &renamed));
    }

    /// Publishes a version of a package in a registry `made-up` that this crate alone has, so that the lock file has it
    /// with a source.
    pub fn publish(&mut self, name: &'static str, version: &str, library: &str) {
        let registry = "registry = \"sparse+https://registry.invalid/\"\n";
        let configuration = format!(
            "[registries.made-up]\n{}[source.made-up]\n{registry}replace-with = \"published\"\n\
             [source.published]\ndirectory = \"published\"\n",
            registry.replace("registry =", "index =")
        );
        self.write(".cargo/config.toml", &configuration);
        let directory = format!("published/{name}-{version}");
        let manifest =
            format!("[package]\nname = {name:?}\nversion = {version:?}\nedition = \"2021\"\n");
        self.write(&format!("{directory}/Cargo.toml"), &manifest);
        self.write(&format!("{directory}/src/lib.rs"), library);
        self.write(&format!("{directory}/.cargo-checksum.json"), "{\"files\":{}}");
        if !self.published.contains(&name) {
            self.published.push(name);
        }
    }

    /// Writes a file of the crate.
    pub fn write(&self, path: &str, text: &str) {
        let path = self.directory.path().join(path);
        fs::create_dir_all(path.parent().expect("a directory")).expect("it can be created");
        fs::write(path, text).expect("the file can be written");
    }

    /// Returns `cargo bench` with nothing in its environment that changes what it does.
    #[must_use]
    pub fn cargo_bench(&self) -> Command {
        let mut command = cargo();
        clean(&mut command)
            .arg("bench")
            .env("CARGO_TARGET_DIR", Self::target())
            .current_dir(self.directory.path());
        command
    }

    /// Returns an argument of cargo that changes the profile of this crate, and not that of its dependencies: these are
    /// not built again.
    #[must_use]
    pub fn setting(&self, key: &str, value: &str) -> String {
        format!("--config=profile.bench.package.{}.{key}={value}", self.name)
    }

    /// Builds the benchmark file as `cargo bench` does, but with these flags of the compiler for the file itself.
    /// Returns the command that runs it.
    #[must_use]
    pub fn with_flags(&self, flags: &[&str]) -> Command {
        self.with_flags_in(".", flags)
    }

    /// Builds as [`Self::with_flags`] does, with the manifest in this directory of the crate.
    #[must_use]
    pub fn with_flags_in(&self, directory: &str, flags: &[&str]) -> Command {
        let directory = self.directory.path().join(directory);
        let mut build = cargo();
        let file = self.file();
        clean(&mut build);
        if flags.iter().any(|flag| flag.starts_with("-Z")) {
            // For the crate alone: in cargo's environment, the variable would have all dependencies built again
            let wrapper = self.directory.path().join("unstable");
            script(&wrapper, "RUSTC_BOOTSTRAP=1 exec \"$@\"");
            build.env("RUSTC_WORKSPACE_WRAPPER", wrapper);
        }
        build
            .args(["rustc", "--profile=bench", "--bench", &file])
            .arg("--message-format=json-render-diagnostics")
            .arg("--target-dir")
            .arg(Self::target())
            .arg("--")
            .args(flags)
            .current_dir(&directory);
        let mut command = Command::new(&executables(&mut build)[&file]);
        clean(&mut command).arg("--bench").current_dir(directory);
        command
    }

    /// Returns the directory of the crate.
    #[must_use]
    pub fn directory(&self) -> &Path {
        self.directory.path()
    }

    /// Returns the directory of its results.
    #[must_use]
    pub fn results(&self) -> PathBuf {
        Self::target().join("iai").join(self.name)
    }

    /// Returns the target directory of all these crates.
    #[must_use]
    pub fn target() -> PathBuf {
        target_directory().join("user-crates")
    }
}

/// Removes what cargo built for the crate alone, and its results.
impl Drop for FreshCrate {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(self.results());
        let _ = cargo()
            .args(["clean", "--quiet", "--profile", "bench", "--package", self.name])
            .args(self.published.iter().flat_map(|name| ["--package", name]))
            .arg("--target-dir")
            .arg(Self::target())
            .current_dir(self.directory.path())
            .output();
    }
}

/// Waits until no other process has a crate with this name.
fn lock(name: &str) -> File {
    let directory = FreshCrate::target().join("locks");
    fs::create_dir_all(&directory).expect("the directory can be created");
    let file = File::create(directory.join(name)).expect("the file can be created");
    flock(&file, FlockOperation::LockExclusive).expect("the file can be locked");
    file
}
