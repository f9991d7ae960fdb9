//! Compilers for other architectures: the installed ones, or Debian's packages of them, unpacked into
//! the target directory.

use std::env::consts::ARCH;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use xtask::command;

/// A C compiler with its binutils
#[derive(Debug)]
pub(crate) struct Toolchain {
    /// The start of the names of its programs, `aarch64-linux-gnu`
    prefix: &'static str,
    /// The directory that its package was unpacked to, unless it is installed
    root: Option<PathBuf>,
}

impl Toolchain {
    /// Finds it, or gets it if this system's packages are Debian's
    pub(crate) fn find(prefix: &'static str) -> Result<Self, String> {
        let installed = Self { prefix, root: None };
        if command::succeeds(installed.program("gcc").arg("--version")) {
            return Ok(installed);
        }
        let root = command::target().join("xtask").join(prefix);
        let unpacked = Self { prefix, root: Some(root.clone()) };
        if !command::succeeds(unpacked.program("gcc").arg("--version")) {
            unpack(&format!("gcc-{prefix}"), &root)
                .map_err(|error| format!("no {prefix}-gcc: {error}"))?;
        }
        Ok(unpacked)
    }

    /// Returns `gcc`, `as` or `objcopy`.
    pub(crate) fn program(&self, name: &str) -> Command {
        let name = format!("{}-{name}", self.prefix);
        let Some(root) = &self.root else { return command::new(name) };
        let mut program = command::new(root.join("usr/bin").join(name));
        program.env("LD_LIBRARY_PATH", root.join(format!("usr/lib/{ARCH}-linux-gnu")));
        program
    }

    /// Returns the bytes of code in an object file.
    pub(crate) fn code(&self, object: &Path) -> Result<Vec<u8>, String> {
        let binary = object.with_extension("bin");
        let mut objcopy = self.program("objcopy");
        objcopy.args(["--output-target=binary", "--only-section=.text*"]).args([object, &binary]);
        command::output(&mut objcopy)?;
        fs::read(&binary).map_err(|error| format!("{}: {error}", binary.display()))
    }
}

/// Unpacks a package with all that it depends on and this system lacks. Nothing is installed.
fn unpack(package: &str, root: &Path) -> Result<(), String> {
    let list = ["install", "--simulate", "--no-install-recommends", package];
    let list = command::output(command::new("apt-get").args(list))?;
    let names = list.lines().filter_map(|line| line.strip_prefix("Inst ")?.split(' ').next());
    // What programs for the other architecture would need to run is not for this machine
    let needed = |name: &&str| {
        ["gcc", "cpp", "binutils", "libgcc"].iter().any(|part| name.starts_with(part))
    };
    let packages = root.join("packages");
    fs::create_dir_all(&packages).map_err(|error| format!("{}: {error}", packages.display()))?;
    let mut download = command::new("apt-get");
    download.arg("download").args(names.filter(needed)).current_dir(&packages);
    println!("$ {}", command::line(&download));
    command::output(&mut download)?;
    let entries = fs::read_dir(&packages).map_err(|error| error.to_string())?;
    for entry in entries.filter_map(Result::ok) {
        command::output(command::new("dpkg-deb").arg("--extract").arg(entry.path()).arg(root))?;
    }
    fs::remove_dir_all(&packages).map_err(|error| format!("{}: {error}", packages.display()))
}
