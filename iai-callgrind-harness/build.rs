//! Names the target and the build to the crate, and the targets on which benchmarks get fixed surroundings.

use std::env::var;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    // Cargo names the triple to build scripts only. No combination of `cfg` values is exact: they do not contain
    // its vendor or its architecture variant
    let target = var("TARGET").expect("cargo sets TARGET");
    println!("cargo::rustc-env=IAI_CALLGRIND_TARGET={target}");
    // Explanations of changes compare them
    let level = var("OPT_LEVEL").expect("cargo sets OPT_LEVEL");
    println!("cargo::rustc-env=IAI_CALLGRIND_OPT_LEVEL={level}");
    let flags = var("CARGO_ENCODED_RUSTFLAGS").unwrap_or_default().replace(['\x1f', '\n'], " ");
    println!("cargo::rustc-env=IAI_CALLGRIND_FLAGS={flags}");

    let is = |name: &str, values: &[&str]| var(name).is_ok_and(|value| values.contains(&&*value));
    // The targets whose system calls the crate makes itself
    let has_surroundings = var("CARGO_FEATURE_FIXED_SURROUNDINGS").is_ok()
        && is("CARGO_CFG_TARGET_OS", &["linux"])
        && is("CARGO_CFG_TARGET_ENV", &["gnu"])
        && is("CARGO_CFG_TARGET_ARCH", &["x86_64", "aarch64"])
        // A static C library can't be asked for its own functions
        && !var("CARGO_CFG_TARGET_FEATURE").is_ok_and(|all| all.split(',').any(|it| it == "crt-static"));
    println!("cargo::rustc-check-cfg=cfg(fixed_surroundings)");
    if has_surroundings {
        println!("cargo::rustc-cfg=fixed_surroundings");
    }
}
