//! The package with the workloads, a repository of its own outside of the workspace.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;
use xtask::command::{self, in_file};

use crate::harness;

const MANIFEST: &str = include_str!("package/manifest.toml");

/// The files next to the manifest.
const FILES: [(&str, &str); 7] = [
    ("src/lib.rs", include_str!("package/lib.rs")),
    ("benches/ours.rs", include_str!("package/ours.rs")),
    // Not in the same package, whose other revision would have the peers built once more
    ("peers/Cargo.toml", include_str!("package/peers.toml")),
    ("peers/lib.rs", ""),
    ("peers/benches/criterion.rs", include_str!("package/criterion.rs")),
    ("peers/benches/tango.rs", include_str!("package/tango.rs")),
    (".gitignore", "peers\nsides\ntarget\n"),
];

/// The executable that the committed one is compared with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Side {
    /// The same.
    Same,
    /// With three more units of work in a hundred.
    More,
}

impl Side {
    fn units(self) -> &'static str {
        match self {
            Self::Same => "pub const UNITS: u64 = 1000;\n",
            Self::More => "pub const UNITS: u64 = 1030;\n",
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Same => "same",
            Self::More => "more",
        }
    }
}

/// The package, with the executables of both sides.
#[derive(Debug)]
pub(crate) struct Package {
    directory: PathBuf,
    runner: PathBuf,
}

impl Package {
    /// Writes and commits the package, and builds the executables of the peers.
    pub(crate) fn new() -> Result<Self, String> {
        let runner = harness::runner()?;
        let package = Self { directory: command::target().join("xtask/time-peers"), runner };
        let library = command::root().join("iai-callgrind").display().to_string();
        let dependency = format!("[dev-dependencies]\niai-callgrind = {{ path = {library:?} }}");
        package.write("Cargo.toml", &MANIFEST.replacen("[dev-dependencies]", &dependency, 1))?;
        for (name, text) in FILES {
            package.write(name, text)?;
        }
        for side in [Side::More, Side::Same] {
            package.set(side)?;
            for peer in ["criterion", "tango"] {
                package.build(peer, side)?;
            }
        }
        if !package.directory.join(".git").exists() {
            package.git(&["init", "--quiet"])?;
        }
        package.git(&["add", "--all"])?;
        if !package.git(&["status", "--porcelain"])?.is_empty() {
            let author = ["-c", "user.name=xtask", "-c", "user.email=xtask@localhost"];
            let commit = ["commit", "--quiet", "--message=workloads"];
            package.git(&[&author[..], &commit[..]].concat())?;
        }
        Ok(package)
    }

    /// Gives the workloads of the work tree the units of this side.
    pub(crate) fn set(&self, side: Side) -> Result<(), String> {
        self.write("src/units.rs", side.units())
    }

    /// Returns the executable of a peer.
    pub(crate) fn executable(&self, peer: &str, side: Side) -> PathBuf {
        self.directory.join("sides").join(format!("{peer}-{}", side.name()))
    }

    /// Returns the directory of the package.
    pub(crate) fn directory(&self) -> &Path {
        &self.directory
    }

    /// Returns the command that runs this harness.
    pub(crate) fn bench(&self) -> Command {
        let mut command = harness::bench(&self.directory, "ours", &self.directory.join("target"));
        command.env("IAI_CALLGRIND_RUNNER", &self.runner);
        command
    }

    /// Builds the executable of a peer, and keeps a copy.
    fn build(&self, peer: &str, side: Side) -> Result<(), String> {
        let package = self.directory.join("peers");
        let mut cargo = harness::bench(&package, peer, &package.join("target"));
        let messages = harness::run(cargo.args(["--no-run", "--message-format=json"]))?;
        let messages = messages.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
        let mut built =
            messages.filter_map(|message| Some(message["executable"].as_str()?.to_owned()));
        let built = built.next_back().ok_or_else(|| format!("{peer}: no executable"))?;
        let copy = self.executable(peer, side);
        fs::create_dir_all(self.directory.join("sides")).map_err(in_file(&copy))?;
        fs::copy(&built, &copy).map_err(in_file(built.as_ref()))?;
        Ok(())
    }

    /// Writes a file, unless it has this text already: its time would have it built again.
    fn write(&self, name: &str, text: &str) -> Result<(), String> {
        let file = self.directory.join(name);
        if fs::read_to_string(&file).ok().as_deref() != Some(text) {
            let directory = file.parent().unwrap_or(&self.directory);
            fs::create_dir_all(directory).map_err(in_file(directory))?;
            fs::write(&file, text).map_err(in_file(&file))?;
        }
        Ok(())
    }

    fn git(&self, arguments: &[&str]) -> Result<String, String> {
        let mut git = command::new("git");
        command::output(git.current_dir(&self.directory).args(arguments))
    }
}
