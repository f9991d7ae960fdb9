//! The machines that the benchmarks run on.

use std::env::consts::ARCH;
use std::path::PathBuf;

use xtask::command;
use xtask::install;
use xtask::machine::Machine;

use crate::harness;

/// A machine that the benchmarks run on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    Here,
    /// The emulated one of `cargo xtask vm`.
    Machine,
}

impl Place {
    /// Returns the name of the architecture in targets of rustc.
    pub(crate) fn architecture(self) -> &'static str {
        match self {
            Self::Here => ARCH,
            Self::Machine => "aarch64",
        }
    }

    /// Returns the target of rustc.
    pub(crate) fn target(self) -> String {
        format!("{}-unknown-linux-gnu", self.architecture())
    }

    /// Returns the compiler of C, which calls the linker.
    pub(crate) fn compiler(self) -> &'static str {
        match self {
            Self::Here => "cc",
            Self::Machine => "aarch64-linux-gnu-gcc",
        }
    }

    /// Returns the variable with the program that rustc links with.
    pub(crate) fn linker_variable(self) -> String {
        format!("CARGO_TARGET_{}_LINKER", self.target().replace('-', "_").to_uppercase())
    }

    /// Installs what is missing for runs on this machine. The other one gets it when it starts.
    pub(crate) fn prepare(self) -> Result<(), String> {
        match self {
            Self::Here => install::valgrind(&Machine::this()),
            Self::Machine => {
                command::output(command::new("rustup").args(["target", "add", &self.target()]))
                    .map(drop)
            }
        }
    }

    /// Builds the runner.
    pub(crate) fn runner(self) -> Result<PathBuf, String> {
        if self == Self::Here {
            return harness::runner();
        }
        let (target, directory) = (self.target(), command::target().join("vm"));
        let arguments = ["build", "--quiet", "--release", "--package", "iai-callgrind-runner"];
        let mut build = command::cargo(arguments);
        build.args(["--target", &target, "--target-dir"]).arg(&directory);
        build.env(self.linker_variable(), self.compiler());
        if !command::run(&mut build)?.success() {
            return Err("the runner could not be built".to_owned());
        }
        Ok(directory.join(target).join("release/iai-callgrind-runner"))
    }
}
