//! Passes the target triple on to the crate. Cargo names it to build scripts only, and no combination of
//! `cfg` values is exact: they do not contain a triple's vendor or its architecture variant.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let target = std::env::var("TARGET").expect("cargo sets TARGET");
    println!("cargo::rustc-env=IAI_CALLGRIND_TARGET={target}");
}
