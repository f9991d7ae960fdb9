//! Finds out the fingerprint of a run: the build, the machine, and the options that change counts.

#![cfg(unix)]
#![allow(
    clippy::must_use_candidate,
    clippy::missing_panics_doc,
    reason = "only the runner uses it, and a panic is a mistake of its own"
)]
// Only the console writes to the standard streams, see also clippy.toml
#![warn(clippy::print_stdout, clippy::print_stderr, clippy::dbg_macro)]

mod c_library;
mod dependencies;
mod host;
mod profile;

use std::env;
use std::path::{Path, PathBuf};

use iai_callgrind_base::workspace_directory;
use iai_callgrind_plan::{Build, VERSION};
use iai_callgrind_process::{Isolation, Namespace, NativeValue, can_stop_calls};
use iai_callgrind_tools::executable::features;
use iai_callgrind_tools::fingerprint::{COMPILER_FLAGS, Fingerprint};

use self::dependencies::Dependencies;

/// The parts of a run that its fingerprint depends on.
#[derive(Debug, Clone, Copy)]
pub struct Surroundings<'a> {
    /// The directory of the package.
    pub package: &'a Path,
    /// The executable with its build; `None` for commands without one.
    pub executable: Option<(&'a Path, &'a Build)>,
    /// The version of Valgrind.
    pub valgrind: Option<&'a str>,
    /// Another program starts Valgrind.
    pub has_tool_runner: bool,
    /// The isolation from the machine.
    pub isolation: Isolation,
    /// The seed of the first run; `None` for the randomness of the system.
    pub seed: Option<u64>,
    /// Numbers of warm-up and measured calls.
    pub calls: (u16, u16),
}

/// Returns the fingerprint of a run.
pub fn fingerprint(run: &Surroundings<'_>) -> Fingerprint {
    let mut fingerprint = Fingerprint::default();
    let package = run.package;
    if let Some((executable, build)) = run.executable {
        add_build(&mut fingerprint, build);
        let workspace = workspace_directory(package);
        match profile::settings(&workspace, package, executable, cargo_home().as_deref()) {
            Some(settings) => {
                for (setting, value) in settings {
                    fingerprint.insert_setting(&setting, &value);
                }
            }
            None => fingerprint.without_settings(),
        }
        let dependencies = Dependencies::read(&workspace, package, executable);
        for (package, features) in features(executable) {
            if dependencies.has_code_of(&package) {
                fingerprint.insert_features(&package, &features);
            }
        }
        for (dependency, versions) in dependencies.versions {
            fingerprint.insert_dependency(&dependency, versions);
        }
    }
    fingerprint.insert("Valgrind", run.valgrind.unwrap_or_default());
    // A tool runner can run the benchmarks in a container with another C library
    let executable = run.executable.map(|(path, _)| path);
    let library = if run.has_tool_runner { None } else { c_library::of_benchmarks(executable) };
    fingerprint.insert("C library", library.unwrap_or_default());
    fingerprint.insert("CPU features", cpu_features());
    add_machine(&mut fingerprint, run);
    let seed = run.seed.map_or_else(|| "random".to_owned(), |seed| seed.to_string());
    fingerprint.insert("seed", seed);
    if run.calls != (0, 1) {
        let (warm_up, calls) = run.calls;
        fingerprint.insert("calls", format!("{calls} after {warm_up}"));
    }
    fingerprint.insert("iai-callgrind", VERSION);
    fingerprint
}

/// Returns the directory with the user's configuration of cargo.
fn cargo_home() -> Option<PathBuf> {
    let home = |name: &str| env::var_os(name).filter(|path| !path.is_empty()).map(PathBuf::from);
    home("CARGO_HOME").or_else(|| Some(home("HOME")?.join(".cargo")))
}

fn add_build(fingerprint: &mut Fingerprint, build: &Build) {
    let flags = build.flags.replace('\x1f', " ");
    for (name, value) in [
        ("compiler", &build.compiler),
        ("LLVM", &build.llvm),
        ("target", &build.target),
        ("optimization level", &build.optimization),
        ("panic", &build.panic),
        ("target features", &build.features),
    ] {
        fingerprint.insert(name, value);
    }
    // No flags are a value, too
    fingerprint.insert(COMPILER_FLAGS, if flags.is_empty() { "none".to_owned() } else { flags });
}

/// Adds the values of the machine that benchmarks see. A tool runner can run them where no system calls are stopped.
fn add_machine(fingerprint: &mut Fingerprint, run: &Surroundings<'_>) {
    let Surroundings { package, isolation, has_tool_runner: has_runner, .. } = *run;
    let can_stop = !has_runner && can_stop_calls().unwrap_or(true);
    add_isolation(fingerprint, isolation, can_stop);
    // Most containers allow no namespaces
    let has_own_ids =
        !isolation.is_native(NativeValue::Ids) && !has_runner && Namespace::create().is_some();
    fingerprint.insert("process ids", if has_own_ids { "fixed" } else { "system" });
    // That of the package, unless another program than cargo starts the executable
    let directory = env::current_dir().unwrap_or_else(|_| package.to_owned());
    host::add_values(fingerprint, isolation, can_stop, &directory);
}

/// Adds the fixed values. Where no system calls can be stopped, commands have the system's clock.
fn add_isolation(fingerprint: &mut Fingerprint, isolation: Isolation, can_stop: bool) {
    let clock = if can_stop { "virtual" } else { "virtual in functions" };
    let choose = |value, fixed, native| if isolation.is_native(value) { native } else { fixed };
    for (name, value, fixed, native) in [
        ("address randomization", NativeValue::Addresses, "no", "yes"),
        ("native CPU", NativeValue::CLibrary, "no", "yes"),
        ("own path", NativeValue::Path, "no", "yes"),
        ("clock", NativeValue::Clock, clock, "system"),
    ] {
        fingerprint.insert(name, choose(value, fixed, native));
    }
    let cpus = match isolation.cpus().number() {
        0 => "native".to_owned(),
        number => number.to_string(),
    };
    fingerprint.insert("CPUs", cpus);
}

/// Returns the features of this CPU that Valgrind passes on to programs.
fn cpu_features() -> String {
    let mut features: Vec<&str> = Vec::new();
    macro_rules! detect {
        ($detect:ident: $($name:tt)*) => {
            $(if std::arch::$detect!($name) { features.push($name); })*
        };
    }
    #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
    detect!(is_x86_feature_detected: "sse3" "ssse3" "sse4.1" "sse4.2" "avx" "avx2" "bmi1" "bmi2" "cmpxchg16b"
        "f16c" "fma" "lzcnt" "rdrand" "rdseed");
    #[cfg(target_arch = "aarch64")]
    detect!(is_aarch64_feature_detected: "aes" "pmull" "sha2" "crc" "lse" "fp16" "rdm" "dotprod");
    features.join(" ")
}
