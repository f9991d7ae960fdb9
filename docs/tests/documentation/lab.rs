//! Crates to try the documentation in: what the Quickstart has its reader make.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};

use crate::document::{Document, root};

/// The manifest that `cargo new` writes
const PACKAGE: &str = r#"[package]
name = "NAME"
version = "0.1.0"
edition = "2024"

[workspace]

[lints.rust]
warnings = "deny"

"#;

/// The benchmark file of the Quickstart
const BENCHMARK: &str = "benches/my_benchmark.rs";

/// The path that the documents assume
const CHECKOUT: &str = "../iai-callgrind/iai-callgrind";

/// A crate below the target directory. Always in the same place, so that cargo builds each of them
/// once and none piles up.
pub(crate) struct Lab {
    directory: PathBuf,
    /// The manifest after the Quickstart's steps.
    manifest: String,
}

impl Lab {
    /// Returns the crate after the Quickstart's steps, with these features of the library. No two labs that exist at
    /// the same time have the same name. It names the package too: in one target directory, cargo gives the
    /// executables of packages with the same name and version the same path.
    pub(crate) fn new(name: &str, features: &[&str]) -> Self {
        let directory = directory().join(name);
        // What an earlier run left
        let _ = fs::remove_dir_all(&directory);

        let [sections, benchmark] = ["toml", "rust"].map(quickstart);
        assert!(sections.contains(CHECKOUT), "the dependency is not in {CHECKOUT}");
        let library = root().join("iai-callgrind");
        let dependency = format!("{}\", features = {features:?}", library.display());
        let sections = sections.replace(&format!("{CHECKOUT}\""), &dependency);
        let lab = Self { directory, manifest: PACKAGE.replace("NAME", name) + &sections };
        lab.write("Cargo.toml", &lab.manifest);
        lab.write("src/lib.rs", "");
        lab.write(BENCHMARK, &benchmark);
        // The same versions as in the workspace, and no question to the registry
        lab.write("Cargo.lock", &fs::read_to_string(root().join("Cargo.lock")).unwrap());
        lab
    }

    /// Adds a crate of the workspace to the dependencies, under another name.
    pub(crate) fn add_dependency(&self, name: &str, package: &str) {
        let path = root().join("crates").join(package);
        self.add_to_manifest(&format!(
            "\n[dev-dependencies.{name}]\npackage = \"{package}\"\npath = \"{}\"\n",
            path.display()
        ));
    }

    /// Adds these lines to the manifest.
    pub(crate) fn add_to_manifest(&self, lines: &str) {
        let manifest = fs::read_to_string(self.directory.join("Cargo.toml")).unwrap();
        self.write("Cargo.toml", &(manifest + lines));
    }

    /// Returns the crate in which all documents' commands run, as it was after the Quickstart's steps. Its benchmarks
    /// execute a fraction of the instructions: no test compares the numbers with those in a document.
    pub(crate) fn for_commands() -> MutexGuard<'static, Self> {
        static LAB: LazyLock<Mutex<Lab>> = LazyLock::new(|| {
            let lab = Lab::new("my-crate", &[]);
            let benchmark = quickstart("rust");
            let quick = benchmark.replace("fibonacci(value)", "fibonacci(value.min(12))");
            assert_ne!(quick, benchmark, "the Quickstart's benchmark has another argument");
            lab.write(BENCHMARK, &quick);
            Mutex::new(lab)
        });
        let lab = LAB.lock().unwrap_or_else(PoisonError::into_inner);
        lab.reset();
        lab
    }

    /// Removes all files but those of a new lab, which stay untouched so that cargo does not build them again.
    fn reset(&self) {
        self.write("Cargo.toml", &self.manifest);
        let kept = ["Cargo.toml", "Cargo.lock", "src/lib.rs", BENCHMARK];
        let kept = kept.map(|file| self.directory.join(file));
        let mut directories = vec![self.directory.clone()];
        while let Some(directory) = directories.pop() {
            for entry in fs::read_dir(directory).unwrap() {
                let path = entry.unwrap().path();
                let has_kept = kept.iter().any(|file| file.starts_with(&path));
                match path.is_dir() {
                    true if has_kept => directories.push(path),
                    true => fs::remove_dir_all(path).unwrap(),
                    false if has_kept => {}
                    false => fs::remove_file(path).unwrap(),
                }
            }
        }
    }

    /// Adds a benchmark file.
    pub(crate) fn add_benchmark(&self, name: &str, text: &str) {
        self.write(&format!("benches/{name}.rs"), text);
        let manifest = fs::read_to_string(self.directory.join("Cargo.toml")).unwrap();
        let section = format!("\n[[bench]]\nname = \"{name}\"\nharness = false\n");
        self.write("Cargo.toml", &(manifest + &section));
    }

    /// Adds what the reader of a document creates: benchmarks, and other files.
    pub(crate) fn add_files(&self, document: &Document) {
        for (path, file) in document.files() {
            let name = path.strip_prefix("benches/").and_then(|path| path.strip_suffix(".rs"));
            match name {
                Some(name) => self.add_benchmark(name, &file.text),
                None => self.write(path, &file.text),
            }
        }
    }

    /// Types this into a shell. Returns what it wrote to the standard output, or if it failed all
    /// that it said.
    pub(crate) fn run(&self, line: &str) -> Result<String, String> {
        let mut shell = self.shell();
        if line.starts_with("iai-callgrind-runner ") {
            // The one that the harness has built when it ran benchmarks
            prepend_to_path(&mut shell, &root().join("target/release"));
        }
        let output = shell.args(["-c", line]).output().unwrap();
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let stdout = text(&output.stdout);
        if output.status.success() {
            return Ok(stdout);
        }
        Err(format!("{}\n{stdout}{}", output.status, text(&output.stderr)))
    }

    /// Returns a shell in the crate, with nothing in its environment that changes what benchmarks do.
    pub(crate) fn shell(&self) -> Command {
        // Where results are when the target directory is not somewhere else
        self.shell_with_results_in("target/iai")
    }

    /// Returns the same with results in this directory of the crate.
    pub(crate) fn shell_with_results_in(&self, home: &str) -> Command {
        let home = self.path(home);
        share_builds_of_revisions(&home);
        let mut shell = Command::new("sh");
        for (name, _) in std::env::vars_os() {
            if name.as_encoded_bytes().starts_with(b"IAI_CALLGRIND_") {
                shell.env_remove(name);
            }
        }
        shell
            .current_dir(&self.directory)
            .env("CARGO_TARGET_DIR", target())
            .env("IAI_CALLGRIND_HOME", home)
            .env("CARGO_TERM_COLOR", "never");
        shell
    }

    /// Returns the path of a file of the crate.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.directory.join(name)
    }

    /// Writes a file of the crate.
    pub(crate) fn write(&self, name: &str, text: &str) {
        let path = self.directory.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
}

/// Has a command find programs in this directory first.
pub(crate) fn prepend_to_path(command: &mut Command, directory: &Path) {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let paths = [directory.to_owned()].into_iter().chain(std::env::split_paths(&path));
    command.env("PATH", std::env::join_paths(paths).unwrap());
}

/// Returns the only block in this language in the Quickstart.
fn quickstart(language: &str) -> String {
    let blocks = Document::read("docs/src/quickstart.md").blocks(language);
    assert_eq!(blocks.len(), 1, "the Quickstart has one {language} block");
    blocks.into_iter().map(|block| block.text).collect()
}

/// Returns the directory of all labs.
fn directory() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).with_file_name("documentation")
}

/// Has runs with results in this directory build other revisions where all labs do: cargo builds their dependencies
/// once.
fn share_builds_of_revisions(home: &Path) {
    let shared = target().join("iai/.against/target");
    let own = home.join(".against/target");
    for directory in [&shared, &home.join(".against")] {
        fs::create_dir_all(directory).unwrap();
    }
    if !own.is_symlink() {
        symlink(shared, own).unwrap();
    }
}

/// Returns the target directory of crates outside of the workspace, which the end-to-end tests use as well: all have
/// the same dependencies.
fn target() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).with_file_name("user-crates")
}
