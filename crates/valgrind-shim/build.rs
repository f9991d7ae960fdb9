//! Compiles `request.c` where it is needed, with Valgrind's headers.

use std::path::Path;
use std::{env, process};

/// Architectures that Valgrind supports and that have no inline assembly in stable Rust.
const ARCHITECTURES: [&str; 4] = ["powerpc", "powerpc64", "mips", "mips64"];

fn main() {
    println!("cargo::rerun-if-changed=src/request.c");
    let is = |variable: &str, values: &[&str]| {
        env::var(variable).is_ok_and(|value| values.contains(&value.as_str()))
    };
    if !is("CARGO_CFG_TARGET_OS", &["linux"]) || !is("CARGO_CFG_TARGET_ARCH", &ARCHITECTURES) {
        return;
    }
    if let Err(error) = compile() {
        eprintln!("error: {error}");
        process::exit(1);
    }
}

fn compile() -> Result<(), String> {
    let target = env::var("TARGET").map_err(|error| format!("cargo sets no TARGET: {error}"))?;
    let for_target = format!(
        "IAI_CALLGRIND_{}_VALGRIND_INCLUDE",
        target.replace(['-', '.'], "_").to_ascii_uppercase()
    );
    let mut build = cc::Build::new();
    // The compiler searches the directory of the first variable first
    for variable in [&for_target, "IAI_CALLGRIND_VALGRIND_INCLUDE"] {
        println!("cargo::rerun-if-env-changed={variable}");
        let Some(directory) = env::var_os(variable) else { continue };
        let header = Path::new(&directory).join("valgrind/valgrind.h");
        if !header.is_file() {
            return Err(format!(
                "{variable} has to be the directory with Valgrind's headers in its directory `valgrind`: \
                 there is no {}",
                header.display()
            ));
        }
        build.include(directory);
    }
    build.file("src/request.c").try_compile("iai_callgrind_client_request").map_err(|error| {
        format!(
            "can't compile a client request for {target}: {error}\nhelp: install a C compiler for the \
             target and Valgrind's headers, or set {for_target} or IAI_CALLGRIND_VALGRIND_INCLUDE to the \
             directory that contains valgrind/valgrind.h"
        )
    })
}
