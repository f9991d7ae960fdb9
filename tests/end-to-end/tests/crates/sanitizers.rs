//! Executables with a sanitizer, which excludes Valgrind.

use std::fs;
use std::path::Path;
use std::process::Command;

use end_to_end_tests::{FreshCrate, clean, run, runner, skip};

/// A toolchain that has sanitizers.
const NIGHTLY: &str = "+nightly";

const TARGET: &str = "x86_64-unknown-linux-gnu";

/// A file with a thread, and with a group that its attribute makes.
const BENCHMARK: &str = "
use iai_callgrind::{library_benchmark, main};

#[library_benchmark]
fn thread() -> u32 {
    std::thread::spawn(|| std::hint::black_box(3)).join().unwrap()
}

main!();
";

/// Returns `cargo +nightly` with `AddressSanitizer` in this crate, or `None` if there is no nightly toolchain here.
fn cargo_with_sanitizer(crate_: &FreshCrate, arguments: &[&str]) -> Option<Command> {
    let is_nightly = |output: std::process::Output| {
        output.status.success() && String::from_utf8_lossy(&output.stdout).contains("nightly")
    };
    let version = Command::new("cargo").args([NIGHTLY, "--version"]).output();
    if !cfg!(target_arch = "x86_64") || !version.is_ok_and(is_nightly) {
        return None;
    }
    let mut cargo = Command::new("cargo");
    clean(&mut cargo)
        .arg(NIGHTLY)
        .args(arguments)
        .args(["--target", TARGET])
        .env_remove("CARGO")
        .env_remove("RUSTUP_TOOLCHAIN")
        .env("RUSTFLAGS", "-Zsanitizer=address")
        // Nothing is counted, and the library is built for this test alone
        .env("CARGO_PROFILE_BENCH_OPT_LEVEL", "0")
        .env("CARGO_TARGET_DIR", FreshCrate::target())
        .env("IAI_CALLGRIND_RUNNER", runner())
        .current_dir(crate_.directory());
    Some(cargo)
}

#[test]
fn a_file_with_a_sanitizer_runs_natively_and_names_the_command_for_it_otherwise() {
    let crate_ = FreshCrate::new("fresh-sanitizer", BENCHMARK, "");
    let natively = ["test", "--profile=bench", "--benches"];
    let Some(mut natively) = cargo_with_sanitizer(&crate_, &natively) else {
        return skip("no nightly toolchain, which sanitizers need");
    };
    let test = run(&mut natively).expect(0);
    assert!(test.stdout.contains("::functions::thread ... ok\n"), "{}", test.stdout);
    assert!(!test.stderr.contains("Sanitizer"), "{}", test.stderr);

    let mut bench = cargo_with_sanitizer(&crate_, &["bench"]).expect("it was there");
    let bench = run(&mut bench).expect(1);
    bench.complains(&[
        "can't count the benchmarks: they are built with AddressSanitizer",
        "help: run them natively with `cargo test --benches`",
    ]);
}

/// Compiles a program with a function that the runtime library of a sanitizer has.
fn compile(directory: &Path, function: &str) {
    let source = format!(
        "#[unsafe(no_mangle)] pub extern \"C\" fn {function}() {{}} fn main() {{ {function}() }}"
    );
    fs::write(directory.join(format!("{function}.rs")), source).expect("the file can be written");
    let mut rustc = Command::new("rustc");
    rustc.args(["--edition=2024", &format!("{function}.rs")]).current_dir(directory);
    let _ = run(&mut rustc).expect(0);
}

#[test]
fn a_command_with_a_sanitizer_is_not_counted() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    for (function, name) in
        [("__asan_init", "AddressSanitizer"), ("__tsan_init", "ThreadSanitizer")]
    {
        compile(directory.path(), function);
        let mut exec = Command::new(runner());
        clean(&mut exec).args(["exec", "--", &format!("./{function}")]);
        let exec = run(exec.current_dir(directory.path())).expect(1);
        let reason =
            format!("{function}: it is built with {name}, which does not run under Valgrind\n");
        exec.complains(&[&reason, "help: build it without the sanitizer"]);
    }
}
