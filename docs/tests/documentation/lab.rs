//! Crates to try the documentation in: what the Quickstart has its reader make.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::document::{Document, root};

/// What `cargo new` writes
const PACKAGE: &str = r#"[package]
name = "my-crate"
version = "0.1.0"
edition = "2024"

[workspace]

[lints.rust]
warnings = "deny"

"#;

/// The path that the documents assume
const CHECKOUT: &str = "../iai-callgrind/iai-callgrind";

/// A crate below the target directory. Always in the same place, so that cargo builds each of them
/// once and none piles up.
pub(crate) struct Lab {
    directory: PathBuf,
}

impl Lab {
    /// The crate after the Quickstart's steps. No two labs that exist at the same time have the same
    /// name.
    pub(crate) fn new(name: &str) -> Self {
        let lab = Self { directory: directory().join(name) };
        // What an earlier run left
        let _ = fs::remove_dir_all(&lab.directory);

        let quickstart = Document::read("docs/src/quickstart.md");
        let only = |language| {
            let blocks = quickstart.blocks(language);
            assert_eq!(blocks.len(), 1, "the Quickstart has one {language} block");
            blocks.into_iter().map(|block| block.text).collect::<String>()
        };
        let sections = only("toml");
        assert!(sections.contains(CHECKOUT), "the dependency is not in {CHECKOUT}");
        let library = root().join("iai-callgrind");
        // With the feature that one chapter is about
        let dependency = format!("{}\", features = [\"client_requests\"]", library.display());
        let sections = sections.replace(&format!("{CHECKOUT}\""), &dependency);
        lab.write("Cargo.toml", &format!("{PACKAGE}{sections}"));
        lab.write("src/lib.rs", "");
        lab.write("benches/my_benchmark.rs", &only("rust"));
        // The same versions as in the workspace, and no question to the registry
        lab.write("Cargo.lock", &fs::read_to_string(root().join("Cargo.lock")).unwrap());
        lab
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

    /// A shell in the crate, with nothing in its environment that changes what benchmarks do.
    pub(crate) fn shell(&self) -> Command {
        let mut shell = Command::new("sh");
        for (name, _) in std::env::vars_os() {
            if name.as_encoded_bytes().starts_with(b"IAI_CALLGRIND_") {
                shell.env_remove(name);
            }
        }
        shell
            .current_dir(&self.directory)
            .env("CARGO_TARGET_DIR", directory().join("target"))
            // Where they are when the target directory is not somewhere else
            .env("IAI_CALLGRIND_HOME", self.directory.join("target/iai"))
            .env("CARGO_TERM_COLOR", "never");
        shell
    }

    /// The path of a file of the crate.
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

/// Where all labs are
fn directory() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).with_file_name("documentation")
}
