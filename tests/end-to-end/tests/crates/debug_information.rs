//! Debug information that is in other files, or compressed.

use end_to_end_tests::{FreshCrate, Run, run, runner};

const BENCHMARK: &str = r#"
use iai_callgrind::{library_benchmark, library_benchmark_group, main};

#[library_benchmark]
fn sum() -> u64 { debug_forms::sum(std::hint::black_box(9)) }

library_benchmark_group!(name = group; benchmarks = sum);
main!(library_benchmark_groups = group);
"#;

const LIBRARY: &str = "#[inline(never)]\npub fn sum(n: u64) -> u64 { (0..n).fold(0, |sum, i| std::hint::black_box(sum + i)) }\n";

/// The file alone has debug information.
const PROFILE: &str = "[profile.bench.package.debug-forms]\ncodegen-units = 1\n";

/// Options of the linker.
const COMPRESS: &str = "-Clink-arg=-Wl,--compress-debug-sections=";

/// Builds with these flags and runs. Returns the error output.
fn bench(crate_: &FreshCrate, flags: &[&str]) -> Run {
    let mut command = crate_.with_flags(&[&["-Cdebuginfo=1"], flags].concat());
    run(command.env("IAI_CALLGRIND_RUNNER", runner())).expect(0)
}

#[test]
fn each_form_is_read_or_the_reason_and_its_remedy_are_named() {
    let crate_ = FreshCrate::new("debug-forms", BENCHMARK, PROFILE);
    crate_.write("src/lib.rs", LIBRARY);
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
