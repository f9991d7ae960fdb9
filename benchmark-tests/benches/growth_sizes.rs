//! The forms of sizes, ranges and products of functions and commands, and limits of the growth.

use iai_callgrind::{
    Complexity, EventKind, LibraryBenchmarkConfig, Throughput, black_box, library_benchmark, main,
    sizes,
};

const KIBIBYTE: u64 = 1 << 10;

fn length(text: &str) -> usize {
    text.len()
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "`size` passes references")]
fn area(rows: &u64, columns: &u64) -> u64 {
    rows * columns
}

fn sum_to(last: u64) -> u64 {
    (0..black_box(last)).fold(0, |sum, number| black_box(sum + number))
}

/// Has each form of a size.
#[library_benchmark(size = length)]
#[bench::function("four")]
#[bench::value(args = ("four"), size = 1_u8)]
#[bench::constant(args = ("four"), size = KIBIBYTE)]
#[bench::closure(args = ("four"), size = |text: &str| 2 * text.len())]
#[benches::args("1", "12345")]
#[benches::file(file = "benchmark-tests/benches/items/lines.txt")]
#[benches::iter(iter = ["1", "12"])]
fn forms(text: &str) -> usize {
    black_box(text).len()
}

/// Has cases without a size, with a throughput in its place.
#[library_benchmark]
#[benches::none(1, 2)]
#[benches::throughput(args = [1, 2], throughput = |n| Throughput::Elements(10 * n))]
fn without(last: u64) -> u64 {
    sum_to(last)
}

/// Has ranges in `args` and in `iter`.
#[library_benchmark]
#[benches::n(args = range(8, 8 << 10))]
#[benches::factor(args = range(1, 8, 2))]
#[benches::dense(args = dense_range(0, 1_024, 256))]
#[benches::steps(args = dense_range(3, 5))]
#[benches::iter(iter = sizes::range(8, KIBIBYTE), size = |n| *n)]
#[benches::own(args = range(8, 64), size = |n| n * n)]
fn ranges(last: u64) -> u64 {
    sum_to(last)
}

/// Has limits in attributes, which win over those of the configuration.
#[library_benchmark(
    config = LibraryBenchmarkConfig::default().complexity(EventKind::Ir, Complexity::Constant),
    complexity = "n",
    per_element = 0.5
)]
#[benches::n(args = range(8, 8 << 10))]
#[benches::own(args = range(8, 8 << 10), complexity = "O(n log n)", per_element = 2)]
fn limits(last: u64) -> u64 {
    sum_to(last)
}

fn zeros(length: usize) -> Vec<u8> {
    vec![0; length]
}

/// Has sizes of the inputs of a setup.
#[library_benchmark(setup = zeros, size = |length| *length)]
#[bench::one(5)]
#[benches::n(args = range(8, 64))]
#[benches::closure(args = range(8, 64), setup = |length| zeros(2 * length))]
fn setups(bytes: Vec<u8>) -> Vec<u8> {
    bytes
}

#[derive(Clone, Copy)]
enum Ending {
    Lf,
    CrLf,
}

fn text(lines: usize, ending: Ending) -> String {
    let ending = match ending {
        Ending::Lf => "\n",
        Ending::CrLf => "\r\n",
    };
    format!("line{ending}").repeat(lines)
}

/// Has products, with and without names of the parameters.
#[library_benchmark]
#[benches::m(args = product([1, 8, 64], [Ending::Lf, Ending::CrLf]), setup = text, size = |n, _| *n)]
#[benches::named(
    args = product(["lf", "cr lf"], range(1, 8)),
    setup = |ending: &str, n| ending.repeat(n),
)]
fn lines(text: String) -> (usize, String) {
    (text.lines().count(), text)
}

/// Has a product of two sizes, and one with another parameter.
#[library_benchmark]
#[benches::area(args = product([2, 3], [1 << 1, 1 << 2]), size = area)]
#[benches::rows(args = product(dense_range(1, 2), dense_range(1, 2)), size = |rows, _columns| *rows)]
fn tables(rows: u64, columns: u64) -> u64 {
    sum_to(rows * columns)
}

/// Has a constant as the size, next to the argument.
#[library_benchmark]
#[benches::n(args = range(1, 8), consts = [2])]
fn constants<const FACTOR: u64>(last: u64) -> u64 {
    sum_to(FACTOR * last)
}

mod commands {
    use iai_callgrind::{Command, binary_benchmark};

    #[binary_benchmark]
    #[bench::one(args = (1, "a"), size = 1)]
    #[benches::n(args = product([1, 2], ["a", "b"]), size = |n, _| *n, setup = |_, _| ())]
    fn echo(n: usize, text: &str) -> Command {
        Command::new("/bin/echo").arg(text.repeat(n)).build()
    }
}

main!();
