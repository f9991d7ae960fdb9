//! Crates of users, outside the workspace, in the profiles that they have.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use end_to_end_tests::{
    FreshCrate, Run, documented, names_of_results, redact, run, runner, skip_unknown, tree,
};

const QUICKSTART: &str = include_str!("../../../../benchmark-tests/benches/quickstart.rs");
const BENCHMARK: &str = include_str!("fresh/my_benchmark.rs");

/// Runs `cargo bench` in a crate of this name, with this in its manifest and these compiler flags.
/// Returns the benchmarks' output without what cargo prints before them.
fn bench(name: &'static str, manifest: &str, flags: Option<&str>) -> Run {
    let crate_ = FreshCrate::new(name, BENCHMARK, manifest);
    let mut cargo = crate_.cargo_bench();
    cargo.env("IAI_CALLGRIND_RUNNER", runner()).env("IAI_CALLGRIND_PROFILE_NOTE", "no");
    if let Some(flags) = flags {
        cargo.env("RUSTFLAGS", flags);
    }
    let run = run(&mut cargo).expect(0);
    Run { stdout: results(&crate_, &run).to_owned(), ..run }
}

/// Returns the standard output after the results of the library's unit tests.
fn results<'a>(crate_: &FreshCrate, run: &'a Run) -> &'a str {
    let start = run.stdout.find(&format!("{}::", crate_.file()));
    &run.stdout[start.expect("there are results")..]
}

fn instructions(run: &Run) -> BTreeMap<String, u64> {
    run.report().all_instructions()
}

/// Returns the counts of the benchmarks in the default profile.
fn plain() -> &'static BTreeMap<String, u64> {
    static PLAIN: OnceLock<BTreeMap<String, u64>> = OnceLock::new();
    PLAIN.get_or_init(|| instructions(&bench("fresh-plain", "", None)))
}

/// Returns the notes of the benchmarks.
fn notes(run: &Run) -> Vec<&str> {
    run.stderr.lines().filter(|line| line.starts_with("note: ")).collect()
}

#[test]
fn the_options_of_a_project_are_in_cargos_configuration() {
    let crate_ = FreshCrate::new("fresh-options", QUICKSTART, "");
    crate_.write(".cargo/config.toml", "[env]\nIAI_CALLGRIND_CALLGRIND_LIMITS = 'ir=0'\n");
    let cargo = || {
        let mut cargo = crate_.cargo_bench();
        cargo.env("IAI_CALLGRIND_RUNNER", runner());
        cargo
    };
    // Cargo has an exit code of its own for a benchmark that fails
    let broken = run(&mut cargo());
    assert!(broken.stdout.contains("(limit 0)"), "{}\n{}", broken.stdout, broken.stderr);
    let _ = run(cargo().env("IAI_CALLGRIND_CALLGRIND_LIMITS", "ir=1%")).expect(0);
}

// With no other step: no runner, no debug symbols, nothing in the profile.
#[test]
fn the_quickstart_works_with_plain_cargo_bench() {
    let Some(documented) = documented() else { return skip_unknown() };
    let crate_ = FreshCrate::new("fresh-quickstart", QUICKSTART, "");
    let run = run(&mut crate_.cargo_bench()).expect(0);
    let expected = include_str!("../e2e/snapshots/quickstart_first.txt")
        .replace("quickstart::", &format!("{}::", crate_.file()));
    assert_eq!(redact(results(&crate_, &run), &documented), expected);
    let results = crate_.results().join(crate_.file()).join("bench_fibonacci_group");
    let expected = ["long", "short"].map(|id| {
        ["fingerprint.json", "log", "out", "table"]
            .map(|it| format!("bench_fibonacci.{id}/callgrind.bench_fibonacci.{id}.{it}"))
    });
    assert_eq!(names_of_results(&results), expected.concat());
}

#[test]
fn empty_functions_count_one_instruction_in_the_default_profile() {
    assert_eq!((plain()["group::empty"], plain()["group::empty_too"]), (1, 1));
}

#[test]
fn a_renamed_library_counts_the_same() {
    let benchmark = BENCHMARK.replace("use iai_callgrind::", "use bench::");
    let crate_ = FreshCrate::new("fresh-renamed", &benchmark, "");
    crate_.rename_library("bench");
    let mut cargo = crate_.cargo_bench();
    let run = run(cargo.env("IAI_CALLGRIND_RUNNER", runner())).expect(0);
    let results = Run { stdout: results(&crate_, &run).to_owned(), ..run };
    assert_eq!(instructions(&results), *plain());
}

// Cargo compiles a file without `harness = false` with the `main` of libtest, which runs nothing.
#[test]
fn a_file_with_the_harness_of_libtest_does_not_compile() {
    let crate_ = FreshCrate::new("fresh-libtest", BENCHMARK, "");
    crate_.write("benches/unlisted.rs", BENCHMARK);
    let run = run(crate_.cargo_bench().args(["--no-run", "--bench=unlisted"])).expect(101);
    run.complains(&[
        "error[E0277]: the harness of libtest replaces the `main` of this file",
        "needs `harness = false` in Cargo.toml",
        "name = \"my_benchmark\"",
    ]);
    assert_eq!(run.stderr.matches("\nerror[").count(), 1, "{}", run.stderr);
}

/// Runs the benchmark file of another harness with its name for the library.
fn bench_migrated(name: &'static str, library: &str, benchmark: &str) -> Run {
    let crate_ = FreshCrate::new(name, benchmark, "");
    crate_.rename_library(library);
    let mut cargo = crate_.cargo_bench();
    let run = run(cargo.env("IAI_CALLGRIND_RUNNER", runner())).expect(0);
    Run { stdout: results(&crate_, &run).to_owned(), ..run }
}

#[test]
fn a_benchmark_file_of_gungraun_needs_only_the_name() {
    let benchmark = "
        use gungraun::prelude::*;
        use gungraun::{Callgrind, EventKind, OutputFormat, Tool};

        fn start() -> u64 {
            1
        }

        #[library_benchmark]
        #[bench::array(args = [1, 10])]
        fn sum(first: u64, last: u64) -> u64 {
            (first..last).fold(0, |sum, number| std::hint::black_box(sum + number))
        }

        #[library_benchmark]
        #[benches::constant(args = [], setup = start, consts = [10])]
        fn sum_to<const LAST: u64>(first: u64) -> u64 {
            (first..LAST).fold(0, |sum, number| std::hint::black_box(sum + number))
        }

        library_benchmark_group!(
            name = group,
            config = LibraryBenchmarkConfig::default()
                .default_tool(Tool::Callgrind)
                .tool(Callgrind::default().format([EventKind::Ir]))
                .output_format(OutputFormat::default().show_grid(true)),
            compare_by_id = true,
            max_parallel = 1,
            benchmarks = [sum, sum_to]
        );
        main!(library_benchmark_groups = group);
    ";
    let run = bench_migrated("fresh-gungraun", "gungraun", benchmark);
    let lines: Vec<_> = run.stdout.lines().collect();
    assert!(lines[0].ends_with("::group::sum array:1, 10"), "{}", run.stdout);
    assert!(lines[1].starts_with("| Instructions: "), "{}", run.stdout);
    assert!(lines[2].ends_with("::group::sum_to constant_0:<10>"), "{}", run.stdout);
}

#[test]
fn a_benchmark_file_of_iai_needs_only_the_name() {
    let benchmark = "
        use iai::{black_box, main};

        fn nothing() {}

        fn sum() -> u64 {
            (0..black_box(10)).fold(0, |sum, number| black_box(sum + number))
        }

        fn string() -> String {
            black_box(\"text\").to_owned()
        }

        main!(nothing, sum, string);
    ";
    let run = bench_migrated("fresh-iai", "iai", benchmark);
    let counts = instructions(&run);
    let names: Vec<_> = counts.keys().map(String::as_str).collect();
    assert_eq!(names, ["functions::nothing", "functions::string", "functions::sum"]);
    assert_eq!(counts["functions::nothing"], 1);
    assert!(counts["functions::sum"] > 10, "{counts:?}");
}

fn assert_stripped(run: &Run) {
    let stripped = instructions(run);
    assert!(stripped.keys().eq(plain().keys()), "{stripped:?}");
    for (name, count) in &stripped {
        assert!(count.abs_diff(plain()[name]) <= 20, "{name}: {count}, {}", plain()[name]);
    }
    let [note] = &*notes(run) else { panic!("not one note:\n{}", run.stderr) };
    assert!(note.contains("the executable has no symbols"), "{note}");
}

fn assert_mangled(run: &Run) {
    assert_eq!(instructions(run), *plain());
    assert!(notes(run).is_empty(), "{}", run.stderr);
}

fn assert_unoptimized(run: &Run) {
    let counts = instructions(run);
    assert!(counts.keys().eq(plain().keys()), "{counts:?}");
    assert!(counts["group::recursive::of_1"] > plain()["group::recursive::of_1"], "{counts:?}");
}

// Legacy mangling, the default of older compilers, escapes other characters.
#[test]
fn names_beyond_ascii_are_measured_under_their_own() {
    let benchmark = BENCHMARK.replace("recursive", "straße").replace("empty_too", "空");
    // The name of a library must be ASCII
    let manifest = "\n[lib]\nname = \"fresh_names\"\n";
    let crate_ = FreshCrate::new("fresh-größe", &benchmark, manifest);
    for mangling in ["legacy", "v0"] {
        let mangling = format!("-Csymbol-mangling-version={mangling}");
        let mut command = crate_.with_flags(&["-Zunstable-options", &mangling]);
        let counts = instructions(&run(command.env("IAI_CALLGRIND_RUNNER", runner())).expect(0));
        let expected = plain().iter().map(|(name, count)| {
            (name.replace("recursive", "straße").replace("empty_too", "空"), *count)
        });
        assert_eq!(counts, expected.collect());
    }
}

// The dependencies are those of the default profile, so that only the benchmark file is built.
#[test]
fn flags_of_the_benchmark_file_change_what_they_have_to() {
    let crate_ = FreshCrate::new("fresh-flags", BENCHMARK, "");
    let with_flags = |flags: &[&str]| {
        let mut command = crate_.with_flags(flags);
        command.env("IAI_CALLGRIND_RUNNER", runner()).arg("--profile-note=no");
        run(&mut command).expect(0)
    };
    assert_stripped(&with_flags(&["-Cstrip=symbols"]));
    assert_mangled(&with_flags(&["-Csymbol-mangling-version=v0"]));
    assert_unoptimized(&with_flags(&["-Copt-level=0", "-Cdebuginfo=2"]));
    // `main` ends in a jump to Rust's runtime and is on no stack
    let mut small = crate_.with_flags(&["-Copt-level=z"]);
    small.env("IAI_CALLGRIND_RUNNER", runner()).args(["--default-tool=dhat", "generic"]);
    let stdout = run(&mut small).expect(0).stdout;
    assert!(stdout.contains("\n  Total blocks:                   1|"), "{stdout}");
}

#[test]
#[ignore = "long"]
fn a_stripped_executable_counts_nearly_the_same_and_says_why() {
    assert_stripped(&bench("fresh-stripped", "\n[profile.bench]\nstrip = true\n", None));
}

#[test]
#[ignore = "long"]
fn the_mangling_of_symbols_does_not_matter() {
    assert_mangled(&bench("fresh-mangled", "", Some("-C symbol-mangling-version=v0")));
}

#[test]
#[ignore = "long"]
fn the_strictest_optimization_leaves_the_benchmarks_what_they_are() {
    let profile = "\n[profile.release]\nlto = \"fat\"\ncodegen-units = 1\npanic = \"abort\"\n";
    let run = bench("fresh-optimized", profile, None);
    let counts = instructions(&run);
    assert!(counts.keys().eq(plain().keys()), "{counts:?}");
    assert_eq!((counts["group::empty"], counts["group::empty_too"]), (1, 1));
    assert!(notes(&run).is_empty(), "{}", run.stderr);
}

#[test]
#[ignore = "long"]
fn a_debug_build_counts_too() {
    let profile = "\n[profile.bench]\nopt-level = 0\ndebug = true\n";
    assert_unoptimized(&bench("fresh-unoptimized", profile, None));
}

// The path is relative to the package, which is in no workspace.
#[test]
fn another_line_in_a_file_is_another_case_at_the_next_build() {
    let benchmark = "
        use iai_callgrind::{library_benchmark, library_benchmark_group, main};

        #[library_benchmark]
        #[benches::of(file = \"data/lines.txt\")]
        fn lines(line: &str) -> &str {
            line
        }

        library_benchmark_group!(name = group; benchmarks = lines);
        main!(library_benchmark_groups = group);
    ";
    let crate_ = FreshCrate::new("fresh-lines", benchmark, "");
    let list = |code| {
        let mut cargo = crate_.cargo_bench();
        run(cargo.args(["--benches", "--", "--list", "--format=terse"])).expect(code)
    };
    list(101).complains(&["/data/lines.txt can't be read (No such file"]);
    for number in [2, 3, 1] {
        crate_.write("data/lines.txt", &"line\n".repeat(number));
        let id = |index| format!("{}::group::lines::of_{index}: benchmark", crate_.file());
        let expected: Vec<_> = (0..number).map(id).collect();
        let stdout = list(0).stdout;
        let cases: Vec<_> = stdout.lines().filter(|line| line.contains("::")).collect();
        assert_eq!(cases, expected);
    }
}

#[test]
fn a_feature_makes_cachegrind_the_default_tool() {
    // The harness is built for this test alone
    let profile = "\n[profile.bench.package.iai-callgrind-harness]\nopt-level = 0\n";
    let crate_ = FreshCrate::new("fresh-cachegrind", QUICKSTART, profile);
    let mut cargo = crate_.cargo_bench();
    cargo.args(["--features", "iai-callgrind/cachegrind"]).env("IAI_CALLGRIND_RUNNER", runner());
    let run = run(&mut cargo).expect(0);
    assert!(run.stdout.contains("  Instructions: "), "{}", run.stdout);
    let files = tree(&crate_.results());
    let is_of = |tool: &str| files.keys().filter(|path| path.contains(tool)).count();
    assert!(is_of("/cachegrind.") > 0 && is_of("/callgrind.") == 0, "{:?}", files.keys());
}
