//! Debug information that is in other files, or compressed.

use end_to_end_tests::{FreshCrate, Run, run, runner};

const BENCHMARK: &str = r"
use std::hint::black_box;

use iai_callgrind::{library_benchmark, library_benchmark_group, main};

#[inline(never)]
fn sum(n: u64) -> u64 { (0..n).fold(0, |sum, i| black_box(sum + i)) }

#[library_benchmark]
fn counted() -> u64 { sum(black_box(9)) }

library_benchmark_group!(name = group; benchmarks = counted);
main!(library_benchmark_groups = group);
";

const PROFILE: &str = "[profile.bench.package.debug-forms]\ndebug = 1\ncodegen-units = 1\n";

/// Options of the linker.
const COMPRESS: &str = "-Clink-arg=-Wl,--compress-debug-sections=";

/// Builds the file with these flags and runs it.
fn bench(crate_: &FreshCrate, flags: &[&str]) -> Run {
    run(crate_.with_flags(flags).env("IAI_CALLGRIND_RUNNER", runner())).expect(0)
}

#[test]
fn each_form_is_read_or_the_reason_and_its_remedy_are_named() {
    let crate_ = FreshCrate::new("debug-forms", BENCHMARK, PROFILE);
    let zlib = format!("{COMPRESS}zlib");
    for flags in [&[][..], &[&*zlib]] {
        let run = bench(&crate_, flags);
        assert_eq!(run.stderr, "", "{flags:?}");
    }
    for split in ["packed", "unpacked"] {
        let run = bench(&crate_, &[&format!("-Csplit-debuginfo={split}")]);
        let expected = "note: changes can't be explained by function: the debug information is in files next to the \
                        executable\nhelp: set `split-debuginfo = \"off\"` in [profile.bench], or silence this with \
                        `--profile-note=no`\n";
        assert_eq!(run.stderr, expected, "{split}");
    }
    let zstd = bench(&crate_, &[&format!("{COMPRESS}zstd")]);
    assert_eq!(zstd.stderr.matches("note: ").count(), 1, "{}", zstd.stderr);
    zstd.complains(&[
        "is compressed with zstd\nhelp: compress it with zlib or not at all, such as with",
    ]);
    assert!(!zstd.stderr.contains("debug = 1"), "{}", zstd.stderr);
}

const BUILD_SCRIPT: &str = r#"
fn main() {
    println!("cargo::rerun-if-env-changed=TURNS");
    let turns = std::env::var("TURNS").unwrap_or("1".to_owned());
    let file = std::path::Path::new(&std::env::var("OUT_DIR").unwrap()).join("generated.rs");
    let code = format!("pub fn generated(n: u64) -> u64 {{ (0..{turns} * n).fold(0, |sum, i| black_box(sum + i)) }}");
    std::fs::write(file, code).unwrap();
}
"#;

// The target directory of this crate is not in its workspace
#[test]
fn costs_of_generated_code_belong_to_the_function_that_calls_it() {
    let benchmark = BENCHMARK.replace(
        "(0..n).fold(0, |sum, i| black_box(sum + i)) }",
        "generated(n) }\n\ninclude!(concat!(env!(\"OUT_DIR\"), \"/generated.rs\"));",
    );
    let profile = PROFILE.replace("debug-forms", "generated-code");
    let crate_ = FreshCrate::new("generated-code", &benchmark, &profile);
    crate_.write("build.rs", BUILD_SCRIPT);
    let bench = |turns: &str| {
        let mut command = crate_.cargo_bench();
        command.args(["--bench", &crate_.file(), "--", "--explain=all"]);
        command.env("TURNS", turns).env("IAI_CALLGRIND_RUNNER", runner());
        run(&mut command).expect(0)
    };
    let _ = bench("1");
    let changed = bench("1000");
    let expected = "generated_code_benchmark::sum";
    assert!(changed.stdout.contains(expected), "{}", changed.stdout);
    assert!(!changed.stdout.contains("generated.rs"), "{}", changed.stdout);
}
