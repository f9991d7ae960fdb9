//! Builds of the benchmark file.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};

use clap::ValueEnum;
use xtask::command::{self, in_file};
use xtask::machine::Machine;

use crate::harness;
use crate::histories::subject::Units;
use crate::surroundings::difference::Difference;
use crate::surroundings::package::{self, BENCH};
use crate::surroundings::place::Place;

/// The script that rustc links with.
const LINK: &str = include_str!("link.sh");

/// A linker of the benchmark executable.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Linker {
    /// The toolchain's own
    Lld,
    /// GNU ld
    Bfd,
    /// mold, which must be installed
    Mold,
}

impl Linker {
    /// Returns the words of a table.
    pub(crate) fn text(self) -> &'static str {
        match self {
            Self::Lld => "`rust-lld`",
            Self::Bfd => "GNU `ld`",
            Self::Mold => "mold",
        }
    }

    /// Returns the value of the compiler's `-fuse-ld`.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Lld => "lld",
            Self::Bfd => "bfd",
            Self::Mold => "mold",
        }
    }
}

/// The settings of builds.
pub(crate) struct Builder<'a> {
    pub(crate) place: Place,
    pub(crate) units: Units,
    pub(crate) linkers: &'a [Linker],
    pub(crate) crates: &'a [&'static str],
    pub(crate) work: &'a Path,
}

/// A build of the benchmark file.
pub(crate) struct Built {
    pub(crate) difference: Difference,
    /// The directory of its package.
    pub(crate) package: PathBuf,
    /// The directory of its executables, which have the names of linkers.
    pub(crate) executables: PathBuf,
}

impl Builder<'_> {
    /// Builds the file with this difference.
    pub(crate) fn run(&self, difference: Difference) -> Result<Built, String> {
        let package = package::write(self.work, self.crates, self.units, difference)?;
        // The versions of the first build
        let (lock, locked) = (self.work.join("Cargo.lock"), package.join("Cargo.lock"));
        let earlier =
            if lock.is_file() { lock.clone() } else { command::root().join("Cargo.lock") };
        fs::copy(&earlier, &locked).map_err(in_file(&locked))?;
        println!("{} {}: {}", self.place.architecture(), self.units, difference.text());
        let messages = harness::run(&mut self.cargo(&package)?)?;
        if !lock.is_file() {
            fs::copy(&locked, &lock).map_err(in_file(&lock))?;
        }
        let executable = executable(&messages).ok_or("cargo built no benchmarks")?;
        let executables = self.work.join("executables").join(difference.id());
        fs::create_dir_all(&executables).map_err(in_file(&executables))?;
        for linker in self.linkers {
            let linked = format!("{executable}.{}", linker.name());
            fs::rename(&linked, executables.join(linker.name()))
                .map_err(in_file(Path::new(&linked)))?;
        }
        Ok(Built { difference, package, executables })
    }

    /// Returns the command that builds the package in this directory.
    fn cargo(&self, package: &Path) -> Result<std::process::Command, String> {
        let link = self.work.join("compiler-with-linkers");
        fs::write(&link, LINK).map_err(in_file(&link))?;
        fs::set_permissions(&link, fs::Permissions::from_mode(0o755)).map_err(in_file(&link))?;
        let target = self.work.join("target").join(self.units.to_string());
        let mut cargo = harness::bench(package, BENCH, &target);
        cargo.args(["--no-run", "--message-format=json-render-diagnostics", "--target"]);
        cargo.arg(self.place.target()).env(self.place.linker_variable(), &link);
        if let Some(flags) = self.units.flags() {
            cargo.env("RUSTFLAGS", flags);
        }
        let linkers: Vec<_> = self.linkers.iter().map(|linker| linker.name()).collect();
        cargo.env("COMPILER", self.place.compiler()).env("LINKERS", linkers.join(" "));
        cargo.env("NAME", BENCH).env("LLD", lld()?).env("MOLD", self.mold()?);
        Ok(cargo)
    }

    /// Returns a directory with `ld.mold`. Compilers for other machines do not search the user's path for it.
    fn mold(&self) -> Result<PathBuf, String> {
        let directory = self.work.join("mold");
        fs::create_dir_all(&directory).map_err(in_file(&directory))?;
        let (link, mold) = (directory.join("ld.mold"), Machine::this().find("mold"));
        match mold {
            Some(mold) if !link.exists() => symlink(mold, &link).map_err(in_file(&link))?,
            None if self.linkers.contains(&Linker::Mold) => {
                return Err("mold is not installed".to_owned());
            }
            _ => {}
        }
        Ok(directory)
    }
}

/// Returns the directory of the toolchain with `ld.lld`, which the compiler searches.
fn lld() -> Result<PathBuf, String> {
    let libraries = command::output(command::new("rustc").args(["--print", "target-libdir"]))?;
    Ok(Path::new(libraries.trim()).with_file_name("bin").join("gcc-ld"))
}

/// Returns the benchmark executable in messages of cargo.
fn executable(messages: &str) -> Option<&str> {
    let mut named = messages.lines().filter_map(|message| message.split_once(r#""executable":""#));
    named.next_back().and_then(|(_, path)| path.split('"').next())
}
