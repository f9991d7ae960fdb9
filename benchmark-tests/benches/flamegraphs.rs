//! Ways to call functions that flamegraphs have to show: recursion, threads, processes, inlined code.

use std::fmt::Write as _;
use std::hint::black_box;
use std::process::Command;
use std::thread;

use iai_callgrind::{
    EventKind, FlamegraphConfig, LibraryBenchmarkConfig, library_benchmark,
    library_benchmark_group, main,
};

#[inline(never)]
fn leaf(n: u64) -> u64 {
    (0..n).map(black_box).sum()
}

#[inline(never)]
fn fibonacci(n: u64) -> u64 {
    if n < 2 { leaf(n + 3) } else { fibonacci(n - 1) + fibonacci(n - 2) }
}

#[library_benchmark]
#[bench::twelve(12)]
fn recursion(n: u64) -> u64 {
    fibonacci(n)
}

#[inline(never)]
fn is_even(n: u64) -> bool {
    if n == 0 { leaf(7) > 0 } else { is_odd(black_box(n - 1)) }
}

#[inline(never)]
fn is_odd(n: u64) -> bool {
    if n == 0 { false } else { leaf(5) > 0 && is_even(black_box(n - 1)) }
}

/// Enters the cycle at one function.
#[library_benchmark]
#[bench::twenty(20)]
fn mutual_recursion(n: u64) -> bool {
    is_even(n)
}

/// Enters the cycle at both.
#[library_benchmark]
#[bench::twenty(20)]
fn entered_twice(n: u64) -> bool {
    is_even(n) ^ is_odd(n / 2) ^ (leaf(n) > 5)
}

/// A number in brackets, or a list of them.
enum Tree {
    Leaf(u64),
    Node(Vec<Tree>),
}

/// Goes through the formatting functions of the standard library at each level.
impl std::fmt::Display for Tree {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Leaf(number) => write!(formatter, "{number:?}"),
            Self::Node(trees) => trees.iter().try_for_each(|tree| write!(formatter, "({tree})")),
        }
    }
}

fn tree(depth: u64) -> Tree {
    if depth == 0 {
        return Tree::Leaf(7);
    }
    Tree::Node((0..3).map(|_| tree(depth - 1)).collect())
}

#[library_benchmark]
#[bench::four(setup = || tree(4))]
fn formatting(tree: Tree) -> (String, Tree) {
    let mut text = tree.to_string();
    for number in 0..20_u64 {
        write!(text, "{number:?} {}", black_box(number)).unwrap();
    }
    (text, tree)
}

#[library_benchmark]
fn threads() -> u64 {
    let threads: Vec<_> = (10..13).map(|n| thread::spawn(move || fibonacci(n))).collect();
    threads.into_iter().filter_map(|thread| thread.join().ok()).sum()
}

/// Starts programs, with all that the dynamic loader does for them.
#[library_benchmark]
#[bench::one(&["/bin/true"])]
#[bench::several(&["/bin/true", "/bin/ls", "/bin/true"])]
#[bench::many(
    args = (&["/bin/ls"; 11]),
    config = LibraryBenchmarkConfig::with_raw_callgrind_args(["--dump-instr=yes"])
)]
fn processes(programs: &[&str]) -> usize {
    let runs = |program: &&&str| {
        Command::new(program).output().is_ok_and(|output| output.status.success())
    };
    programs.iter().filter(runs).count()
}

#[library_benchmark]
#[bench::numbers((0..500).rev().collect())]
fn inlining(mut numbers: Vec<u64>) -> u64 {
    numbers.sort_unstable_by_key(|number| number.wrapping_mul(0x9e37_79b9) % 1009);
    numbers.iter().zip(numbers.iter().skip(1)).map(|(a, b)| a ^ b).fold(0, u64::wrapping_add)
}

/// Calls many functions, which call each other.
#[library_benchmark]
fn collections() -> usize {
    let words = "the quick brown fox jumps over the lazy dog".repeat(5);
    let mut count = std::collections::BTreeMap::<String, Vec<usize>>::new();
    for (index, word) in words.split(' ').enumerate() {
        count.entry(word.to_uppercase()).or_default().push(index);
    }
    let map: std::collections::HashMap<_, _> = count.into_iter().collect();
    format!("{map:?}").len()
}

/// Returns the amount of work, from the environment.
fn amount() -> u64 {
    std::env::var("AMOUNT").ok().and_then(|amount| amount.parse().ok()).unwrap_or(50)
}

#[inline(never)]
fn unchanged() -> u64 {
    black_box(fibonacci(5))
}

#[library_benchmark]
#[bench::from_environment(setup = amount)]
fn change(amount: u64) -> u64 {
    leaf(amount) + unchanged()
}

/// Counts events that are computed from others.
#[library_benchmark(
    config = LibraryBenchmarkConfig::default().flamegraph(FlamegraphConfig::default().event_kinds([
        EventKind::Ir,
        EventKind::L1hits,
        EventKind::EstimatedCycles,
    ]))
)]
fn derived() -> usize {
    (0..50_usize).map(|n| black_box(vec![n; n]).len()).sum()
}

/// Counts no event, so that it has no flamegraph.
#[library_benchmark(
    config = LibraryBenchmarkConfig::default()
        .flamegraph(FlamegraphConfig::default().event_kinds([]))
)]
fn none() -> u64 {
    unchanged()
}

library_benchmark_group!(
    name = calls;
    benchmarks = recursion, mutual_recursion, entered_twice, formatting, inlining, collections
);
library_benchmark_group!(name = changes; benchmarks = change);
library_benchmark_group!(name = events; benchmarks = derived, none);
library_benchmark_group!(name = concurrent; benchmarks = threads, processes);

main!(
    config = LibraryBenchmarkConfig::default()
        .flamegraph(FlamegraphConfig::default().min_width(0.0));
    library_benchmark_groups = calls, concurrent, changes, events
);
