//! Each benchmark file counts the same in every run: one benchmark at a time, several next to load, and each alone.

use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::hint;
use std::io::{self, Write as _};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use end_to_end_tests::{Run, Suite, checkout, objects, run, skip};
use serde_json::Value;

use crate::fixed_surroundings::may_order_threads;
use crate::own_main::as_cargo;

/// Makes a test for each benchmark file, with arguments of its runs.
macro_rules! files {
    ($($file:ident $($argument:literal)*,)*) => {
        const FILES: &[&str] = &[$(stringify!($file)),*];

        $(
            #[test]
            #[ignore = "long"]
            fn $file() {
                check(stringify!($file), &[$($argument),*]);
            }
        )*
    };
}

files! {
    allocations,
    bench_file,
    bencher_file,
    by_hand,
    command_failures,
    command_ids,
    commands,
    compare,
    configuration,
    counters,
    criterion_amounts,
    criterion_book,
    criterion_counters,
    criterion_failures,
    criterion_file,
    criterion_hangs,
    criterion_own_main,
    criterion_threads,
    criterion_twin,
    directories,
    divan_amounts,
    divan_counters,
    divan_failures,
    divan_file,
    exit_with,
    failures,
    faults,
    flamegraphs,
    foreign_messages,
    growth,
    growth_sizes,
    hangs "--skip=sleeps" "--skip=waits",
    hash_maps,
    hostile,
    inherited,
    inside,
    items,
    levels,
    libtest_file,
    machine,
    machine_values,
    migrated,
    more_hash_maps,
    my_binary_benchmark,
    one_machine,
    order,
    order_reversed,
    own_allocator,
    panics,
    peaks,
    places,
    prints,
    process_ids,
    profiled "--envs=PROFILED",
    quickstart,
    regions,
    registered,
    registered_or_listed,
    registered_twin,
    regression,
    requests,
    runs "--skip=measured",
    sabotage "--skip=endless" "--skip=meeting",
    server_caches,
    servers,
    slow,
    specification,
    squares,
    surroundings,
    throughput,
    timed,
    tool_errors,
    tools,
    variables,
    versions,
    with_cmd,
}

/// Files without a benchmark, or with none that succeeds.
const WITHOUT_RESULTS: [&str; 4] = ["discovery", "no_sandbox", "registered_nothing", "wrong"];

/// The duration for which the thread next to a run spins, and then sleeps. One that always spins takes a quarter of the time on
/// emulated CPUs.
const SPELL: Duration = Duration::from_millis(20);

/// Maximum number of benchmarks of a file that run alone: the last, the first and one in the middle. On emulated CPUs each takes
/// a minute.
const ALONE: usize = if cfg!(target_arch = "x86_64") { 3 } else { 1 };

#[test]
fn each_file_has_a_test() {
    let manifest = fs::read_to_string(checkout().join("benchmark-tests/Cargo.toml")).unwrap();
    let benches = manifest.split("[[bench]]\nname = \"").skip(1);
    let mut expected: Vec<_> = benches.filter_map(|rest| rest.split('"').next()).collect();
    expected.retain(|name| !WITHOUT_RESULTS.contains(name));
    expected.sort_unstable();
    assert_eq!(FILES, expected);
}

/// Runs a file several times, and compares each run with the first one.
fn check(file: &'static str, arguments: &[&str]) {
    if !may_order_threads() {
        return skip("this user may not use real-time priorities");
    }
    let suite = Suite::new(file);
    let run = |options: &[&str]| run_file(&suite, &[arguments, options].concat());
    let first = run(&["--parallel=1", "--save-baseline=first"]);
    let states: BTreeMap<_, _> = summaries(&first).iter().map(state).collect();
    let mut comparison = Comparison { states, ..Comparison::default() };
    let names: Vec<_> = comparison.states.keys().cloned().collect();
    assert!(!names.is_empty(), "{file} has no results:\n{}", first.stderr);

    let second = next_to_load(|| run(&["--parallel=3", "--baseline=first"]));
    assert_eq!(comparison.add("next to load", &second), names, "{file}: {}", second.stderr);
    for name in spread(&comparison.succeeded()) {
        let alone = run(&["--baseline=first", "--exact", name]);
        assert_eq!(comparison.add("alone", &alone), [&**name], "{file}: {}", alone.stderr);
    }
    comparison.finish(file);
}

fn run_file(suite: &Suite, arguments: &[&str]) -> Run {
    let mut command = suite.command();
    as_cargo(&mut command);
    command.env("PROFILED", suite.root().join("profiled"));
    command.env("SERVER_ADDRESS", "127.0.0.1:60999");
    run(command.arg("--output-format=json").args(arguments))
}

/// Returns at most [`ALONE`] of these names, the last one first.
fn spread(names: &[String]) -> impl Iterator<Item = &String> {
    let number = names.len().min(ALONE);
    let last = names.len().saturating_sub(1);
    (0..number).map(move |at| &names[last - at * last / number.saturating_sub(1).max(1)])
}

/// Calls this while another thread spins half of the time.
fn next_to_load<T>(call: impl FnOnce() -> T) -> T {
    let is_done = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            while !is_done.load(Ordering::Relaxed) {
                let start = Instant::now();
                while start.elapsed() < SPELL {
                    hint::spin_loop();
                }
                thread::sleep(SPELL);
            }
        });
        let result = call();
        is_done.store(true, Ordering::Relaxed);
        result
    })
}

/// Returns the results of a run. A file with its own `main` can print other lines.
fn summaries(run: &Run) -> Vec<Value> {
    run.stdout.lines().filter(|line| line.starts_with('{')).flat_map(objects).collect()
}

/// Returns the name of a benchmark, and how it ended.
fn state(summary: &Value) -> (String, String) {
    let name = summary["name"].as_str().expect("a name").to_owned();
    (name, summary["status"].as_str().expect("a status").to_owned())
}

/// The comparisons of a file.
#[derive(Default)]
struct Comparison {
    /// State of each benchmark after the first run.
    states: BTreeMap<String, String>,
    compared: usize,
    allowed: Vec<String>,
    differences: Vec<String>,
}

impl Comparison {
    /// Returns the names of the benchmarks that succeeded in the first run.
    fn succeeded(&self) -> Vec<String> {
        let states = self.states.iter().filter(|(_, status)| *status == "ok");
        states.map(|(name, _)| name.clone()).collect()
    }

    /// Compares the benchmarks of a run. Returns their names.
    fn add(&mut self, kind: &str, run: &Run) -> Vec<String> {
        let summaries = summaries(run);
        let mut names: Vec<_> = summaries.iter().map(|summary| state(summary).0).collect();
        for (summary, name) in summaries.iter().zip(&names) {
            self.add_benchmark(name, &format!("{name}, {kind}: "), summary);
        }
        names.sort_unstable();
        names
    }

    fn add_benchmark(&mut self, name: &str, title: &str, summary: &Value) {
        let (_, status) = state(summary);
        let first = &self.states[name];
        if *first != status {
            self.differences.push(format!("{title}{first} became {status}"));
        }
        if status != "ok" {
            return;
        }
        for tool in summary["tools"].as_array().into_iter().flatten() {
            self.compared += 1;
            let differences = counts(tool).chain(profiles(tool)).collect::<Vec<_>>();
            let notes = tool["varies_with"].as_array().into_iter().flatten();
            let notes: Vec<_> = notes.filter_map(|note| note["text"].as_str()).collect();
            let (list, note) = if notes.is_empty() {
                (&mut self.differences, String::new())
            } else {
                (&mut self.allowed, format!(": {}", notes.join(", ")))
            };
            if !differences.is_empty() {
                list.push(format!("{title}{}{note}", differences.join(", ")));
            }
        }
    }

    /// Prints the comparisons, and demands that all differences have a note.
    fn finish(self, file: &str) {
        let mut text = format!(
            "{file}: {} benchmarks, {} compared, {} allowed\n",
            self.states.len(),
            self.compared,
            self.allowed.len()
        );
        let differences = self.differences.iter().map(|line| format!("  differs: {line}\n"));
        let allowed = self.allowed.iter().map(|line| format!("  allowed: {line}\n"));
        text.extend(differences.chain(allowed));
        // Not captured
        let _ = io::stderr().write_all(text.as_bytes());
        assert!(self.differences.is_empty(), "{text}");
    }
}

/// Returns the counts of a tool that differ from those of the first run.
fn counts(tool: &Value) -> impl Iterator<Item = String> {
    let metrics = tool["total"].as_object().into_iter().flatten();
    // The others are computed from counts
    let counts = metrics.filter(|(_, metric)| metric["unit"] != "percent");
    let differing = counts.filter(|(_, metric)| metric["new"] != metric["old"]);
    differing.map(|(name, metric)| format!("{name} {} instead of {}", metric["new"], metric["old"]))
}

/// Returns the profiles of callgrind that differ from those of the first run.
fn profiles(tool: &Value) -> Vec<String> {
    if tool["tool"] != "callgrind" {
        return Vec::new();
    }
    let [new, old] = ["new", "old"].map(|side| {
        let paths = tool["files"][side].as_array().into_iter().flatten();
        let paths = paths.filter_map(Value::as_str).map(Path::new);
        let profiles = paths.filter(|path| path.extension() == Some("out".as_ref()));
        profiles.map(|path| fs::read_to_string(path).expect("a profile")).collect::<Vec<_>>()
    });
    if new.is_empty() || new.len() != old.len() {
        return vec![format!("{} profiles instead of {}", new.len(), old.len())];
    }
    let pairs = new.iter().zip(&old).map(|(new, old)| (costs(new), costs(old)));
    let differing = pairs.filter_map(|(new, old)| {
        let mut places = new.keys().chain(old.keys());
        let place = places.find(|place| new.get(*place) != old.get(*place))?;
        let [new, old] = [&new, &old].map(|costs| costs.get(place).cloned().unwrap_or_default());
        Some(format!("costs {new:?} instead of {old:?} at {place:?}"))
    });
    differing.collect()
}

/// An object, a file, a function and a line, and what is called there.
type Place<'a> = BTreeMap<&'a str, &'a str>;

/// Returns the number of calls and the costs at each place in a profile. Their order, and the ids of names, depend on the
/// benchmarks before.
fn costs(profile: &str) -> BTreeMap<Place<'_>, Vec<u64>> {
    let mut names = HashMap::new();
    let mut place = Place::new();
    let mut calls = "0";
    let mut costs = BTreeMap::<_, Vec<u64>>::new();
    for line in profile.lines() {
        if line.starts_with(|first: char| first.is_ascii_digit()) {
            let (position, cost) = line.split_once(' ').unwrap_or((line, ""));
            place.insert("line", position);
            let numbers = [calls].into_iter().chain(cost.split_whitespace());
            add_numbers(costs.entry(place.clone()).or_default(), numbers);
            // A call is that of one line
            calls = "0";
            place.retain(|key, _| !key.starts_with('c'));
            continue;
        }
        let Some((key, value)) = line.split_once('=') else { continue };
        if key == "calls" {
            let (number, target) = value.split_once(' ').expect("a number and a line");
            calls = number;
            place.insert(key, target);
        } else if let Some((id, name)) = value.strip_prefix('(').and_then(|id| id.split_once(')')) {
            let (kind, key) = match key {
                "fn" | "cfn" => ("function", key),
                "ob" | "cob" => ("object", key),
                "fi" | "fe" => ("file", "fl"),
                _ => ("file", key),
            };
            place.insert(key, *names.entry((kind, id)).or_insert(name));
        }
    }
    costs
}

/// Adds numbers, of which zeros can be missing at the end.
fn add_numbers<'a>(sums: &mut Vec<u64>, numbers: impl Iterator<Item = &'a str>) {
    for (at, number) in numbers.enumerate() {
        sums.resize(sums.len().max(at + 1), 0);
        sums[at] += number.parse::<u64>().expect("a number");
    }
}
