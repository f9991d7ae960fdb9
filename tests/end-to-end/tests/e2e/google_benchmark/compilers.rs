//! Compilers, standards and ways to link.

use std::path::Path;
use std::process::Command;

use end_to_end_tests::{Run, lines, run, skip};

use super::{executable, library, package, source, start};

/// Returns `false` without Clang.
fn has_clang() -> bool {
    let has_clang = Command::new("clang++").arg("--version").output().is_ok();
    if !has_clang {
        skip("there is no Clang");
    }
    has_clang
}

/// Compiles files with the headers.
fn compile(compiler: &str, options: &[&str], files: &[&Path]) -> Run {
    let mut command = Command::new(compiler);
    command
        .args(["-Wall", "-Wextra", "-Wpedantic", "-Werror", "-I"])
        .arg(package().join("include"));
    run(command.args(options).args(files))
}

/// Builds the benchmarks with a compiler.
fn build(compiler: &str, options: &[&str], executable: &Path) {
    let squares = super::object().with_file_name("squares.cpp");
    let path = executable.to_str().unwrap();
    let options = [&["-O2", "-pthread", "-ldl", "-o", path], options].concat();
    let _ = compile(compiler, &options, &[&source(), &squares, &library()]).expect(0);
}

/// Checks that all benchmarks count, with the same values again.
fn check_counts(executable: &Path) {
    let home = executable.with_extension("home");
    let counted = || start(executable, &home, &["--benchmark_filter=-wrong"]).expect(0);
    let first = counted();
    assert_eq!(lines::blocks(&first.stdout).len(), 12, "{}", first.stdout);
    let again = counted();
    let is_changed = |line: &&str| line.contains('|') && !line.contains("(No change)");
    assert_eq!(again.stdout.lines().find(is_changed), None, "{}", again.stdout);
}

#[test]
fn the_headers_compile_without_warnings_with_each_standard() {
    if executable().is_none() {
        return;
    }
    let clang: &[&str] = if has_clang() { &["11", "14", "20", "2b"] } else { &[] };
    // Other tests compile them with C++11 and GCC, and with the standards that the compilers choose
    for (compiler, standards) in [("c++", &["14", "20", "2b"][..]), ("clang++", clang)] {
        for standard in standards {
            let standard = format!("-std=c++{standard}");
            let _ = compile(compiler, &["-fsyntax-only", &standard], &[&source()]).expect(0);
        }
    }
}

#[test]
fn clang_counts_with_a_static_libstdcpp() {
    if executable().is_none() || !has_clang() {
        return;
    }
    let directory = tempfile::tempdir().unwrap();
    let executable = directory.path().join("clang");
    build("clang++", &["-gdwarf-4", "-static-libstdc++"], &executable);
    check_counts(&executable);
    // Valgrind of Debian 12 does not know the debug information
    build("clang++", &["-gdwarf-5"], &executable);
    let run = start(&executable, directory.path(), &["--benchmark_filter=empty"]);
    let help = "help: this Valgrind does not know the debug information: compile with `-gdwarf-4`";
    assert_eq!(run.code == Some(0), !run.stderr.contains(help), "{}", run.stderr);
}

#[test]
fn gcc_counts_with_lto_and_a_static_libstdcpp() {
    if executable().is_none() {
        return;
    }
    let directory = tempfile::tempdir().unwrap();
    let executable = directory.path().join("gcc");
    build("c++", &["-g", "-flto", "-static-libstdc++"], &executable);
    check_counts(&executable);
}
