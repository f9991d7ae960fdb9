//! Data that a benchmark reads stays where it is when something unrelated changes.

use std::collections::BTreeMap;
use std::process::Command;

use end_to_end_tests::{FreshCrate, objects, run, runner};

const LIBRARY: &str = r#"
const WORDS: [&str; 6] = ["alpha", "beta", "gamma", "delta", "epsilon", "zeta of some length"];

#[inline(never)]
pub fn last(text: &str) -> Option<usize> {
    text.rfind('Y')
}

#[inline(never)]
pub fn valid(bytes: &[u8]) -> bool {
    std::str::from_utf8(bytes).is_ok()
}

#[inline(never)]
pub fn table(word: &str) -> Option<usize> {
    std::hint::black_box(&WORDS).iter().position(|other| *other == word)
}

#[inline(never)]
pub fn semicolon() -> Option<usize> {
    std::hint::black_box("the library has a literal, in which it looks for a semicolon; there it is").find(';')
}

/// Mixes a number. The linker of the system puts such functions of all crates next to each other.
#[cold]
#[inline(never)]
pub fn rare(number: u64) -> u64 {
    let next = |number: u64| std::hint::black_box(number.rotate_left(7) ^ 0x1234_5678_9abc_def0);
    next(next(next(next(next(number)))))
}

/// Makes a seed of addresses, as some hash maps do. It takes as long as the seed says.
#[inline(never)]
pub fn seed() -> usize {
    use std::hint::black_box;
    use std::sync::atomic::AtomicU64;

    static VARIABLE: AtomicU64 = AtomicU64::new(0);
    static INITIALIZED: AtomicU64 = AtomicU64::new(7);
    let (on_stack, on_heap) = (black_box(0_u8), black_box(Box::new(0_u8)));
    let variables = [(&raw const VARIABLE).addr(), (&raw const INITIALIZED).addr()];
    let others = [(&raw const on_stack).addr(), (&raw const *on_heap).addr(), seed as fn() -> usize as usize];
    let pages = variables.iter().chain(&others).map(|address| address / 4096 % 1021);
    pages.map(|page| (0..page).map(black_box).sum::<usize>()).sum()
}
"#;

const BENCHMARK: &str = include_str!("fresh/literals.rs");

/// Another benchmark in the file.
const ADDED: &str = r#"
#[library_benchmark]
#[bench::one("an unrelated argument of some length", 12)]
fn added(text: &str, at: usize) -> String {
    format!("{text} and {at}, which is {:?}", text.as_bytes()[at])
}

library_benchmark_group!(name = more; benchmarks = added);
"#;

/// Another function in the file, with literals, and with pages of code and data.
const FUNCTION: &str = r#"
std::arch::global_asm!(
    ".pushsection .text.unrelated, \"axR\", %progbits",
    ".p2align 12",
    ".zero 12288",
    ".popsection",
    ".pushsection .rodata.unrelated, \"aR\", %progbits",
    ".p2align 12",
    ".zero 12288",
    ".popsection",
    ".pushsection .data.unrelated, \"awR\", %progbits",
    ".p2align 12",
    ".zero 12288",
    ".popsection",
);

#[used]
static UNRELATED: fn(usize) -> String = unrelated;

fn unrelated(number: usize) -> String {
    let all = ["some", "texts of", "different lengths"];
    if number == 3 {
        return rare_and_unrelated(number);
    }
    format!("{} is the text {number:?}", all[number])
}

#[cold]
#[inline(never)]
fn rare_and_unrelated(number: usize) -> String {
    format!("{} is not the number of a text", number.rotate_left(3))
}
"#;

/// Flags of the compiler for the linkers that it can use without further programs: its own default, and that of the system.
const LINKERS: [&[&str]; 2] = [&[], &["-Clinker-features=-lld"]];

/// Metrics by their names.
type Metrics = BTreeMap<String, u64>;

/// A crate of literals in a directory.
struct Literals<'a> {
    crate_: &'a FreshCrate,
    /// Directory in the crate.
    directory: String,
    version: &'a str,
    linker: &'a [&'a str],
}

impl Literals<'_> {
    /// Writes the crate and runs it. Returns the metrics of each benchmark.
    fn metrics(&self, benchmark: &str, dependencies: &str) -> BTreeMap<String, Metrics> {
        let Self { crate_, directory, version, linker } = self;
        let name = crate_.results().file_name().unwrap().to_str().unwrap().replace('-', "_");
        let manifest = std::fs::read_to_string(crate_.directory().join("Cargo.toml")).unwrap();
        let manifest = manifest
            .replace("version = \"0.1.0\"", &format!("version = {version:?}"))
            .replace("[[bench]]", &format!("{dependencies}[[bench]]"))
            .replace("[workspace]", "[workspace]\nmembers = [\"unused\"]");
        let write = |path: &str, text: &str| crate_.write(&format!("{directory}/{path}"), text);
        write("Cargo.toml", &manifest);
        write("src/lib.rs", LIBRARY);
        write(&format!("benches/{}.rs", crate_.file()), &benchmark.replace("LIBRARY", &name));
        let unused =
            "[package]\nname = \"literals-unused\"\nversion = \"0.1.0\"\nedition = \"2021\"\n";
        write("unused/Cargo.toml", unused);
        write("unused/src/lib.rs", "");
        let lock = crate_.directory().join("Cargo.lock");
        write("Cargo.lock", &std::fs::read_to_string(lock).unwrap());

        let mut command = crate_.with_flags_in(directory, linker);
        command.env("IAI_CALLGRIND_RUNNER", runner()).arg("--output-format=json");
        let summaries = objects(&run(&mut command).expect(0).stdout);
        let metrics = |summary: &serde_json::Value| {
            let metrics = summary["tools"][0]["total"].as_object().unwrap().iter();
            let counts =
                metrics.filter_map(|(name, metric)| Some((name.clone(), metric["new"].as_u64()?)));
            (format!("{} {}", summary["function"], summary["id"]), counts.collect())
        };
        summaries.iter().map(metrics).collect()
    }
}

/// Demands the same metrics in all benchmarks.
fn assert_same([old, new]: [&BTreeMap<String, Metrics>; 2], change: &str) {
    for (name, old) in old {
        assert_eq!(new[name], *old, "{change}: {name}");
    }
}

fn is_supported(flags: &[&str]) -> bool {
    let output = Command::new("rustc").args(flags).arg("--print=sysroot").output();
    output.is_ok_and(|output| output.status.success())
}

#[test]
fn nothing_unrelated_moves_data() {
    // For the crate alone, so that it has the dependencies of all crates
    let manifest = "[profile.bench.package.literals]\ncodegen-units = 1\n[workspace]\n";
    let crate_ = FreshCrate::new("literals", BENCHMARK, manifest);
    for linker in LINKERS.into_iter().filter(|flags| is_supported(flags)) {
        let version = "0.1.0";
        let at = |directory: &str| {
            let directory = directory.to_owned();
            Literals { crate_: &crate_, directory, version, linker }
        };
        let base = at("a").metrics(BENCHMARK, "");
        assert_eq!(base.len(), 17, "{base:?}");
        let longer = at(&"a".repeat(33)).metrics(BENCHMARK, "");
        assert_same([&base, &longer], "a longer directory");
        let unused = at("a").metrics(BENCHMARK, "literals-unused = { path = \"unused\" }\n");
        assert_same([&base, &unused], "an unused dependency");
        // Other hashes in all symbols, by which the system's linker orders the addresses of functions
        let released = Literals { version: "0.2.0", ..at("a") }.metrics(BENCHMARK, "");
        assert_same([&base, &released], "a release");
        let function = at("a").metrics(&BENCHMARK.replace("//+ function\n", FUNCTION), "");
        assert_same([&base, &function], "another function");
        let added = BENCHMARK
            .replace("//+ benchmark\n", ADDED)
            .replace("groups = all", "groups = more, all");
        let added = at("a").metrics(&added, "");
        assert_eq!(added.len(), 18, "{added:?}");
        assert_same([&base, &added], "another benchmark");
    }
}
