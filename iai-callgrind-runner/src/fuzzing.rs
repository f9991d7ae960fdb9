//! The parsers as functions of bytes, for fuzzers and benchmarks. Each panics if the result is wrong.
//!
//! `fuzz/` has a program for each of them, and `cargo xtask fuzz` runs it. The tests call them with the same
//! inputs and with damaged copies.

mod fence;
mod hostile;

use std::collections::BTreeSet;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use clap::Parser;
use flate2::Compression;
use flate2::write::GzEncoder;
use iai_callgrind_cli::{Bench, Cli, Command};
use iai_callgrind_compare::Limits;
use iai_callgrind_explain::{Difference, Table, Verdict};
use iai_callgrind_flamegraph::costs_of_stacks;
use iai_callgrind_plan::filter::{matches_pattern, selects};
use iai_callgrind_plan::metric::MetricKind;
use iai_callgrind_plan::{EntryPoint, Json};
use iai_callgrind_profile::{Branch, Code, Profile, ProfileDetails, rebuild};
use iai_callgrind_render::format::{Document, FORMATS};
use iai_callgrind_results::Options;
use iai_callgrind_results::values::{parse_limits, parse_metrics, parse_regression};
use iai_callgrind_store::Slot;
use iai_callgrind_summary::Summary;
use iai_callgrind_tools::stable_path::StablePath;
use iai_callgrind_tools::tool::{
    CodeFiles, LaunchOptions, MEMCHECK, Measurement, Processes, ReadOptions, ResultFiles, TOOLS,
    Tool, callgrind,
};
use iai_callgrind_tools::valgrind::Arguments;
use tempfile::TempDir;

pub use self::hostile::{archive, journal, note, pages, places, texts};
use crate::error::Result;
use crate::resolve::selected;
use crate::stored;

/// A fuzzer.
pub struct Target {
    /// Name of its program.
    pub name: &'static str,
    /// Directories of its inputs among the fixtures.
    pub fixtures: &'static [&'static str],
    /// Parses an input.
    pub run: fn(&[u8]),
}

/// All fuzzers.
pub const TARGETS: [Target; 18] = [
    Target { name: "callgrind", fixtures: &["callgrind"], run: callgrind },
    Target { name: "merge", fixtures: &["callgrind"], run: merge },
    Target { name: "flamegraph", fixtures: &["callgrind"], run: flamegraph },
    Target { name: "cachegrind", fixtures: &["cachegrind"], run: cachegrind },
    Target { name: "dhat", fixtures: &["dhat"], run: dhat },
    Target { name: "massif", fixtures: &["massif"], run: massif },
    Target { name: "log", fixtures: &["errors", "bbv"], run: log },
    Target { name: "plan", fixtures: &[], run: plan },
    Target { name: "summary", fixtures: &[], run: summary },
    Target { name: "table", fixtures: &[], run: table },
    Target { name: "import", fixtures: &[], run: import },
    Target { name: "options", fixtures: &[], run: options },
    Target { name: "journal", fixtures: &[], run: journal },
    Target { name: "archive", fixtures: &[], run: archive },
    Target { name: "pages", fixtures: &[], run: pages },
    Target { name: "note", fixtures: &[], run: note },
    Target { name: "places", fixtures: &[], run: places },
    Target { name: "texts", fixtures: &[], run: texts },
];

/// Reads a profile of callgrind with its allocations.
pub fn callgrind(data: &[u8]) {
    with_file(data, |file| {
        let wanted = [MetricKind::Ir, MetricKind::Allocations];
        let stored = ResultFiles { files: vec![file.to_owned()], log: file.to_owned() };
        let _ = read(&callgrind::CALLGRIND, &stored, EntryPoint::Default, &wanted);
    });
}

/// An object file whose instructions are calls and jumps, in functions of 16 bytes.
#[derive(Debug)]
struct AnyCode;

impl Code for AnyCode {
    fn symbol(&self, address: u64) -> Option<u64> {
        (address % 64 < 48).then_some(address & !15)
    }

    fn name(&self, address: u64) -> Option<String> {
        Some(address.to_string())
    }

    fn is_linkage(&self, address: u64) -> bool {
        address % 64 >= 56
    }

    fn branch(&self, address: u64) -> Option<Branch> {
        let target = address.wrapping_mul(3);
        let all = [Branch::Call(target), Branch::Jump(target), Branch::Indirect, Branch::Return];
        all.get(usize::try_from(address / 4 % 5).unwrap_or_default()).copied()
    }
}

/// Merges a profile, and checks that the counts stay and that it can be read again. Then rebuilds
/// its calls, and checks that it is still readable.
pub fn merge(data: &[u8]) {
    with_file(data, |file| {
        let to = file.with_extension("merged");
        let details = ProfileDetails::default();
        let total = |file| Profile::read(file, details).ok().map(|profile| profile.total);
        let merge = |dumps: &[PathBuf]| {
            iai_callgrind_profile::merge(dumps, &to, details).ok().map(|profile| profile.total)
        };
        let Some(once) = total(file) else { return };
        let Some(merged) = merge(&[file.to_owned()]) else { return };
        assert_eq!((&merged, &total(&to)), (&once, &Some(merged.clone())));
        let Some(twice) = merge(&[to.clone(), file.to_owned()]) else { return };
        assert_eq!(once.checked_add(&once).as_ref(), Ok(&twice));
        assert_eq!(total(&to), Some(twice));
        if let Ok(Some(rebuilt)) = rebuild(file, &|_| Box::new(AnyCode), &|_| false) {
            assert!(fs::write(file, rebuilt).is_ok());
            let read = Profile::read(file, details);
            assert!(read.is_ok(), "{read:?}");
        }
    });
}

/// Makes stacks of the call graph of a profile.
pub fn flamegraph(data: &[u8]) {
    with_file(data, |file| {
        let _ = costs_of_stacks(file);
    });
}

/// Reads a file of cachegrind.
pub fn cachegrind(data: &[u8]) {
    read_as("cachegrind", data, EntryPoint::Default);
}

/// Reads a file of DHAT.
pub fn dhat(data: &[u8]) {
    for entry_point in
        [EntryPoint::None, EntryPoint::Default, EntryPoint::Custom("*m*::?a*".to_owned())]
    {
        read_as("dhat", data, entry_point);
    }
}

/// Reads a file of massif.
pub fn massif(data: &[u8]) {
    read_as("massif", data, EntryPoint::Default);
}

/// Reads a log of Valgrind with all tools.
pub fn log(data: &[u8]) {
    with_file(data, |file| {
        for tool in TOOLS {
            let stored = ResultFiles { files: vec![file.to_owned()], log: file.to_owned() };
            let _ = read(tool, &stored, EntryPoint::Default, &[]);
        }
        let main = file.with_file_name("7");
        let options = LaunchOptions::default();
        let processes = Processes {
            main: &main,
            others: &[],
            is_command: false,
            log: file,
            options: &options,
            link: &StablePath::default(),
            code: &CodeFiles::default(),
            needs_call_graph: false,
            needs_addresses: false,
        };
        let reading = ReadOptions { options: Some(&options), wanted: &[] };
        let _ = (MEMCHECK.finish)(&processes, &reading);
    });
}

/// Reads the plan of a benchmark file and resolves the options of its benchmarks.
pub fn plan(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let Ok(plan) = crate::plan::read(text) else { return };
    // The library writes it the same way
    assert_eq!(crate::plan::read(&plan.to_json()).expect("it was read before"), plan);
    let Ok(settings) = Bench::default().settings(&plan) else { return };
    let home = settings.directory.clone();
    let Ok(benchmarks) = selected(plan, &settings) else { return };
    for benchmark in benchmarks {
        let directory = benchmark.files.directory();
        let below = directory.strip_prefix(&home).expect("results are in the output directory");
        assert_eq!(below.components().count(), 2, "{}", below.display());
    }
}

/// Reads a report in JSON and makes all formats of it.
pub fn summary(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let Ok(summaries) = Summary::read_all(text) else { return };
    let json = serde_json::to_string(&summaries).expect("what was read can be written");
    assert_eq!(Summary::read_all(&json).expect("and be read again"), summaries);
    for format in FORMATS {
        for summary in &summaries {
            format.each(summary);
        }
        let document = Document { summaries: &summaries, hook_failures: &[], seconds: None };
        format.document(&document);
    }
}

/// Imports an exported baseline, compressed or not.
pub fn import(data: &[u8]) {
    let mut compressed = GzEncoder::new(Vec::new(), Compression::none());
    compressed.write_all(data).expect("a vector takes all");
    let compressed = compressed.finish().expect("a vector takes all");
    for archive in [data, &compressed] {
        let place = TempDir::new().expect("there is a directory for temporary files");
        let (file, home) = (place.path().join("archive"), place.path().join("home"));
        fs::write(&file, archive).expect("it can be written");
        fs::create_dir(&home).expect("it is a new one");
        let words = [Path::new("x"), Path::new("import"), &file, Path::new("--home"), &home];
        let cli = Cli::try_parse_from(words).expect("these are its arguments");
        let Command::Results(command) = cli.command else { unreachable!("it is `import`") };
        let imported = stored::run(command);
        assert_eq!(names_in(place.path()), ["archive", "home"]);
        assert!(imported.is_ok() || has_no_results(&home), "it failed, and left something");
        assert_eq!(fs::read(&file).expect("it is there still"), archive);
    }
}

/// Parses the text of options and of configurations.
pub fn options(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let (first, second) = text.split_once('\n').unwrap_or((text, ""));
    assert!(!matches_pattern(first, second) || first.contains(['*', '?']) || first == second);
    let _ = selects(first, second);
    let _ = Slot::parse(text);
    let _ = Arguments::parse(text);
    for tool in TOOLS {
        let _ = parse_limits(text, tool.metrics)
            .map(|limits| Limits::resolve(&limits).expect("checked"));
        let _ = parse_regression(text, tool.metrics);
        let _ = parse_metrics(text, tool.metrics);
    }
    let Some(words) = shlex::split(text) else { return };
    let words = ["iai-callgrind-runner".to_owned()].into_iter().chain(words);
    if let Ok(Cli { command: Command::Bench(bench) }) = Cli::try_parse_from(words) {
        let config = bench.benchmarks.config();
        let _ = Options::resolve(&config, false, &mut BTreeSet::new());
    }
}

/// Reads a tool's file, with a log of one process.
fn read_as(tool: &str, data: &[u8], entry_point: EntryPoint) {
    let tool = TOOLS.into_iter().find(|row| row.name == tool).expect("there is such a tool");
    with_file(data, |file| {
        let log = file.with_extension("log");
        fs::write(&log, "==7== Command: x\n").expect("it can be written");
        let stored = ResultFiles { files: vec![file.to_owned()], log };
        let _ = read(tool, &stored, entry_point, &[]);
    });
}

/// Reads a table of attributed costs, given uncompressed. It must not differ from itself.
pub fn table(data: &[u8]) {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(data).expect("there is memory");
    let Ok(table) = Table::read(&encoder.finish().expect("there is memory")) else { return };
    let written = table.write().expect("there is memory");
    assert_eq!(Table::read(&written).ok().as_ref(), Some(&table));
    let difference = Difference::new(&table, &table, None);
    assert_eq!((&difference.verdict, &*difference.entries), (&Verdict::Equal, &[][..]));
}

/// Reads a result. An error must be short.
fn read(
    tool: &Tool,
    stored: &ResultFiles,
    entry_point: EntryPoint,
    wanted: &[MetricKind],
) -> Result<Measurement> {
    let options = LaunchOptions { entry_point, ..LaunchOptions::default() };
    let counted = (tool.read)(stored, &ReadOptions { options: Some(&options), wanted });
    if let Err(error) = &counted {
        let text = error.to_string();
        assert!(text.len() < 10_000, "the error is {} bytes long", text.len());
    }
    Ok(counted?)
}

/// Calls with a file of these bytes, in a directory of its own.
fn with_file(data: &[u8], call: impl FnOnce(&Path)) {
    thread_local! {
        static DIRECTORY: TempDir = TempDir::new().expect("there is a directory for temporary files");
    }
    DIRECTORY.with(|directory| {
        let file: PathBuf = directory.path().join("file");
        fs::write(&file, data).expect("it can be written");
        call(&file);
    });
}

fn names_in(directory: &Path) -> Vec<String> {
    let entries = fs::read_dir(directory).expect("it is a directory").flatten();
    let names = entries.map(|entry| entry.file_name().to_string_lossy().into_owned());
    names.collect::<BTreeSet<_>>().into_iter().collect()
}

/// Returns true for a directory with nothing but locks.
fn has_no_results(directory: &Path) -> bool {
    names_in(directory).iter().all(|name| {
        let path = directory.join(name);
        if path.is_dir() {
            has_no_results(&path)
        } else {
            name == ".lock" || name == ".format-version"
        }
    })
}

#[cfg(test)]
mod tests;
