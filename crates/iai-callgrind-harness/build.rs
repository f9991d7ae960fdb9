//! Names the target and the build to the crate, and the targets on which benchmarks get fixed surroundings.

use std::env::var;
use std::fs;
use std::path::Path;
use std::process::Command;

#[path = "build/object.rs"]
mod object;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=build/object.rs");
    // Cargo names the triple to build scripts only. No combination of `cfg` values is exact: they do not contain
    // its vendor or its architecture variant
    let target = var("TARGET").expect("cargo sets TARGET");
    println!("cargo::rustc-env=IAI_CALLGRIND_TARGET={target}");
    // A comparison of two results prints a note if these differ
    let flags = var("CARGO_ENCODED_RUSTFLAGS").unwrap_or_default().replace('\n', " ");
    let variable = |name: &str| var(name).unwrap_or_default();
    let version = compiler_version();
    let after = |label: &str| version.lines().find_map(|line| line.strip_prefix(label));
    let first_line = version.lines().next().unwrap_or_default();
    for (name, value) in [
        ("OPT_LEVEL", &*variable("OPT_LEVEL")),
        ("FLAGS", &*flags),
        ("COMPILER", first_line),
        ("LLVM", after("LLVM version: ").unwrap_or_default()),
        ("FEATURES", &*variable("CARGO_CFG_TARGET_FEATURE")),
        ("PANIC", &*variable("CARGO_CFG_PANIC")),
    ] {
        println!("cargo::rustc-env=IAI_CALLGRIND_{name}={value}");
    }

    let sanitizer = sanitizer(&variable("CARGO_CFG_SANITIZE"));
    println!("cargo::rustc-env=IAI_CALLGRIND_SANITIZER={sanitizer}");

    let is = |name: &str, values: &[&str]| var(name).is_ok_and(|value| values.contains(&&*value));
    // The targets whose system calls the crate makes itself
    let has_surroundings = var("CARGO_FEATURE_BENCHMARK").is_ok()
        && var("CARGO_FEATURE_SYSTEM_SURROUNDINGS").is_err()
        && is("CARGO_CFG_TARGET_OS", &["linux"])
        && is("CARGO_CFG_TARGET_ENV", &["gnu"])
        && is("CARGO_CFG_TARGET_ARCH", &["x86_64", "aarch64"])
        // A sanitizer has functions of its own under some of these names, which must be called
        && sanitizer.is_empty()
        // A static C library can't be asked for its own functions
        && !var("CARGO_CFG_TARGET_FEATURE").is_ok_and(|all| all.split(',').any(|it| it == "crt-static"));
    println!("cargo::rustc-check-cfg=cfg(counting_entry)");
    if is("CARGO_CFG_TARGET_OS", &["linux"])
        && is("CARGO_CFG_TARGET_POINTER_WIDTH", &["64"])
        && is("CARGO_CFG_TARGET_ARCH", &["x86_64", "aarch64"])
    {
        println!("cargo::rustc-cfg=counting_entry");
    }
    println!("cargo::rustc-check-cfg=cfg(page_starts)");
    let is_known = is("CARGO_CFG_TARGET_OS", &["linux"])
        && is("CARGO_CFG_TARGET_POINTER_WIDTH", &["64"])
        && is("CARGO_CFG_TARGET_ENDIAN", &["little"]);
    if var("CARGO_FEATURE_BENCHMARK").is_ok() && is_known && write_page_starts() {
        println!("cargo::rustc-cfg=page_starts");
    }
    println!("cargo::rustc-check-cfg=cfg(fixed_surroundings)");
    if has_surroundings {
        println!("cargo::rustc-cfg=fixed_surroundings");
    }
}

/// Writes the object file that benchmark files link. Returns `false` if there is none for the target.
fn write_page_starts() -> bool {
    let Some(machine) = object::machine(&var("CARGO_CFG_TARGET_ARCH").unwrap_or_default()) else {
        return false;
    };
    let directory = var("OUT_DIR").expect("cargo sets OUT_DIR");
    let file = Path::new(&directory).join("iai_callgrind_page_starts.o");
    let is_written = fs::write(file, object::object(machine)).is_ok();
    if is_written {
        println!("cargo::rustc-link-search=native={directory}");
    }
    is_written
}

/// Returns the name of a sanitizer that a build has and that does not run under Valgrind; empty if there is none.
/// `enabled` has the compiler's names of all sanitizers.
fn sanitizer(enabled: &str) -> &'static str {
    let known = [
        ("address", "AddressSanitizer"),
        ("hwaddress", "HWAddressSanitizer"),
        ("leak", "LeakSanitizer"),
        ("memory", "MemorySanitizer"),
        ("thread", "ThreadSanitizer"),
    ];
    let known = known.into_iter().find(|(name, _)| enabled.split(',').any(|it| it == *name));
    known.map_or("", |(_, name)| name)
}

/// Returns the description of the compiler's version; empty if it does not describe itself.
fn compiler_version() -> String {
    let rustc = var("RUSTC").unwrap_or_else(|_| "rustc".to_owned());
    let output = Command::new(rustc).arg("-vV").output();
    output.map_or_else(
        |_| String::new(),
        |output| String::from_utf8_lossy(&output.stdout).into_owned(),
    )
}
