//! The crates that are changed.

use std::fs;
use std::path::{Path, PathBuf};

use xtask::command::{self, in_file};
use xtask::package;

use crate::explanations::seeds::{self, Seed};
use crate::harness;
use crate::registry;

/// A crate: its manifest, then its seeds.
#[derive(Debug)]
pub(crate) struct Subject {
    pub(crate) name: &'static str,
    text: &'static str,
}

/// The crate of this directory. The others are published.
const SAMPLE: &str = "sample";

/// All crates.
pub(crate) const SUBJECTS: [Subject; 5] = [
    Subject { name: SAMPLE, text: include_str!("seeds/sample.patch") },
    Subject { name: "strsim", text: include_str!("seeds/strsim.patch") },
    Subject { name: "heck", text: include_str!("seeds/heck.patch") },
    Subject { name: "semver", text: include_str!("seeds/semver.patch") },
    Subject { name: "smallvec", text: include_str!("seeds/smallvec.patch") },
];

impl Subject {
    /// Returns the changes of the crate.
    pub(crate) fn seeds(&self) -> Result<Vec<Seed>, String> {
        seeds::parse(self.text)
    }

    /// Writes the files of the crate without the change of a seed into a directory. Returns the directory of the
    /// package.
    ///
    /// All of them are new, so that cargo builds them again.
    pub(crate) fn write(&self, root: &Path, seed: &Seed) -> Result<PathBuf, String> {
        let directory = root.join("package");
        harness::remove(&directory)?;
        let own = command::root().join("xtask/evaluations/src/explanations");
        let is_sample = self.name == SAMPLE;
        let files: &[_] = if is_sample { &["functions", "commands"] } else { &["functions"] };
        let (manifest, _) = self.text.split_once("\nSeed ").ok_or("no seeds")?;
        let benchmarks = package::benchmarks("", files, seed.profile.lines());
        package::write(&directory, &[("Cargo.toml", &format!("{manifest}\n{benchmarks}"))])?;
        if is_sample {
            registry::copy(&own.join("sample"), root)?;
        } else {
            let version =
                manifest.split("version = \"").nth(1).and_then(|rest| rest.split('"').next());
            let published = registry::download(self.name, version.ok_or("no version")?)?;
            registry::copy(&published.join("src"), &directory.join("src"))?;
            let benchmarks = own.with_file_name("benches").join(self.name).with_extension("rs");
            let benchmarks = fs::read_to_string(&benchmarks).map_err(in_file(&benchmarks))?;
            package::write(&directory, &[("benches/functions.rs", &benchmarks)])?;
        }
        Ok(directory)
    }
}

/// Returns the benchmark file that a seed changes the results of.
pub(crate) fn file(seed: &Seed) -> &'static str {
    // The functions don't depend on the program
    let mut files = seed.diff.lines().filter_map(|line| line.strip_prefix("+++ "));
    if files.all(|file| file == "src/main.rs") { "commands" } else { "functions" }
}

/// The direction of a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Direction {
    Apply,
    Revert,
}

impl Direction {
    /// Returns the reverse of a direction.
    pub(crate) fn other(self) -> Self {
        match self {
            Self::Apply => Self::Revert,
            Self::Revert => Self::Apply,
        }
    }
}

/// Changes the files of a package, or takes the change back.
pub(crate) fn apply(seed: &Seed, direction: Direction, directory: &Path) -> Result<(), String> {
    let patch = directory.with_file_name("seed.patch");
    fs::write(&patch, seed.diff).map_err(in_file(&patch))?;
    let mut git = command::new("git");
    // A package in a directory next to it is outside of its workspace
    git.args(["apply", "-p0", "--unsafe-paths"]).arg(&patch).current_dir(directory);
    if direction == Direction::Revert {
        git.arg("--reverse");
    }
    command::output(&mut git).map(drop)
}
