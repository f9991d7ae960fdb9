//! Builds of the benchmark file.

use std::env::consts::ARCH;
use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};

use xtask::command::{self, in_file};
use xtask::install::{self, Program};
use xtask::machine::Machine;

use crate::harness::{self, Bench, Profile};
use crate::surroundings::difference::Difference;
use crate::surroundings::package::{self, BENCH};

/// The script that rustc links with.
const LINK: &str = include_str!("link.sh");

/// The linkers by the value of the compiler's `-fuse-ld`: the toolchain's own, GNU `ld`, and mold, which is installed if it
/// is missing.
pub(crate) const LINKERS: [&str; 3] = ["lld", "bfd", MOLD];

const MOLD: &str = "mold";

/// The settings of builds.
pub(crate) struct Builder<'a> {
    pub(crate) profile: Profile,
    pub(crate) linkers: &'a [String],
    pub(crate) crates: &'a [&'static str],
    pub(crate) work: &'a Path,
    pub(crate) bench: &'a Bench,
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
        let package = package::write(self.work, self.crates, self.profile, difference)?;
        // The versions of the first build
        let (lock, locked) = (self.work.join("Cargo.lock"), package.join("Cargo.lock"));
        if lock.is_file() {
            fs::copy(&lock, &locked).map_err(in_file(&locked))?;
        }
        println!("{}: {}", self.profile, difference.text());
        let link = self.work.join("compiler-with-linkers");
        fs::write(&link, LINK).map_err(in_file(&link))?;
        fs::set_permissions(&link, fs::Permissions::from_mode(0o755)).map_err(in_file(&link))?;
        let mut cargo = self.bench.cargo(&package, BENCH, self.profile, &self.work.join("results"));
        cargo.args(["--no-run", "--message-format=json-render-diagnostics"]);
        let architecture = ARCH.to_uppercase();
        cargo.env(format!("CARGO_TARGET_{architecture}_UNKNOWN_LINUX_GNU_LINKER"), &link);
        cargo.env("LINKERS", self.linkers.join(" ")).env("NAME", BENCH);
        cargo.env("LLD", lld()?).env("MOLD", self.mold()?);
        let messages = harness::run(&mut cargo)?;
        if !lock.is_file() {
            fs::copy(&locked, &lock).map_err(in_file(&lock))?;
        }
        let executable = executable(&messages).ok_or("cargo built no benchmarks")?;
        let executables = self.work.join("executables").join(format!("{difference:?}"));
        fs::create_dir_all(&executables).map_err(in_file(&executables))?;
        for linker in self.linkers {
            let linked = format!("{executable}.{linker}");
            fs::rename(&linked, executables.join(linker)).map_err(in_file(Path::new(&linked)))?;
        }
        Ok(Built { difference, package, executables })
    }

    /// Returns a directory with `ld.mold`.
    fn mold(&self) -> Result<PathBuf, String> {
        let directory = self.work.join("mold");
        let link = directory.join("ld.mold");
        if self.linkers.iter().any(|linker| linker == MOLD) && !link.exists() {
            let machine = Machine::this();
            install::programs(&machine, &[&Program { name: MOLD, packages: MOLD }])?;
            symlink(machine.find(MOLD).ok_or("no mold")?, &link).map_err(in_file(&link))?;
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
