//! The C function that makes requests on targets without inline assembly, and how it is built.

use std::env;
use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use crate::checkout;

/// A target that needs the function. Its standard library isn't needed: the build of the C code comes
/// first.
const TARGET: &str = "powerpc64le-unknown-linux-gnu";

/// Builds the shim for [`TARGET`] with these variables
fn build(variables: &[(&str, &str)]) -> Output {
    // With the crate `cc` as it is built for other targets
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().expect("the target directory");
    let mut cargo = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo
        .args(["build", "--package", "valgrind-shim", "--target", TARGET, "--target-dir"])
        .arg(target)
        .current_dir(checkout())
        .env_remove("IAI_CALLGRIND_VALGRIND_INCLUDE")
        .envs(variables.iter().copied());
    cargo.output().unwrap()
}

/// Asserts that the build failed with this message.
#[track_caller]
fn assert_error(output: &Output, text: &str) {
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success(), "{stderr}");
    assert!(stderr.contains(text), "no {text:?} in:\n{stderr}");
}

#[test]
fn the_function_makes_requests() {
    let directory = tempfile::tempdir().unwrap();
    let main = directory.path().join("main.c");
    // RUNNING_ON_VALGRIND, where 7 is the default, and a request that no Valgrind knows
    let text = "#include <stddef.h>\n#include <stdio.h>\n\
                size_t iai_callgrind_client_request(size_t, const size_t *);\n\
                int main(void) {\n\
                size_t known[6] = { 0x1001 }, unknown[6] = { 0x5a5a0000 };\n\
                printf(\"%zu %zu\\n\", iai_callgrind_client_request(7, known),\n\
                       iai_callgrind_client_request(8, unknown));\n\
                return 0;\n}\n";
    fs::write(&main, text).unwrap();

    let mut compiler = Command::new(env::var_os("CC").unwrap_or_else(|| "cc".into()));
    if let Some(include) = env::var_os("IAI_CALLGRIND_VALGRIND_INCLUDE") {
        compiler.arg("-I").arg(include);
    }
    let program = directory.path().join("program");
    let function = checkout().join("crates/valgrind-shim/src/request.c");
    let status = compiler.args([&main, &function]).arg("-o").arg(&program).status().unwrap();
    assert!(status.success(), "it needs Valgrind's headers");

    let stdout = |command: &mut Command| String::from_utf8(command.output().unwrap().stdout);
    assert_eq!(stdout(&mut Command::new(&program)).unwrap(), "7 8\n");
    let mut valgrind = Command::new("valgrind");
    assert_eq!(stdout(valgrind.args(["-q", "--tool=none"]).arg(&program)).unwrap(), "1 8\n");
}

#[test]
fn a_variable_that_leads_nowhere_is_an_error() {
    for variable in [
        "IAI_CALLGRIND_VALGRIND_INCLUDE",
        "IAI_CALLGRIND_POWERPC64LE_UNKNOWN_LINUX_GNU_VALGRIND_INCLUDE",
    ] {
        let output = build(&[(variable, "/nowhere")]);
        let expected = format!(
            "error: {variable} has to be the directory with Valgrind's headers in its directory \
             `valgrind`: there is no /nowhere/valgrind/valgrind.h"
        );
        assert_error(&output, &expected);
    }
}

#[test]
fn a_compiler_that_is_missing_is_an_error() {
    let output = build(&[("CC_powerpc64le_unknown_linux_gnu", "/nowhere/compiler")]);
    let expected = "set IAI_CALLGRIND_POWERPC64LE_UNKNOWN_LINUX_GNU_VALGRIND_INCLUDE or \
                    IAI_CALLGRIND_VALGRIND_INCLUDE to the directory that contains valgrind/valgrind.h";
    assert_error(&output, expected);
}

#[test]
fn headers_that_are_missing_are_an_error() {
    // This machine's compiler without its directories of headers
    let compiler = format!("{} -nostdinc -Isrc", env::var("CC").unwrap_or_else(|_| "cc".into()));
    let output = build(&[("CC_powerpc64le_unknown_linux_gnu", &compiler)]);
    assert_error(&output, "valgrind/valgrind.h was not found");
    assert_error(&output, "and Valgrind's headers, or set");
}
