//! Compiles `request.c` where it is needed, with Valgrind's headers.

use std::path::Path;
use std::{env, process};

/// The architectures that Valgrind runs on and stable Rust has no inline assembly for
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
    // The one for the target comes first, and is thus the first that the compiler looks into
    for variable in [&for_target, "IAI_CALLGRIND_VALGRIND_INCLUDE"] {
        println!("cargo::rerun-if-env-changed={variable}");
        let Some(directory) = env::var_os(variable) else { continue };
        let header = Path::new(&directory).join("valgrind/valgrind.h");
        if !header.is_file() {
            return Err(format!(
                "{variable} has to be the directory with Valgrind's headers in its directory \
                 `valgrind`, but there is no {}",
                header.display()
            ));
        }
        build.include(directory);
    }
    build.file("src/request.c").try_compile("iai_callgrind_client_request").map_err(|error| {
        format!(
            "can't compile a client request for {target}, which has no inline assembly in Rust. It \
             needs a C compiler for that target, and Valgrind's headers: install them with your \
             system's package manager, or set {for_target} or IAI_CALLGRIND_VALGRIND_INCLUDE to \
             the directory that has valgrind/valgrind.h\n{error}"
        )
    })
}
