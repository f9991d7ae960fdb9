//! The forms of `size`, the sizes for each item, and the names of growth curves.

#![deny(warnings)]
#![forbid(unsafe_code)]

use iai_callgrind::__private::{
    BinaryBenchmarkFunction, BinaryCase, CaseSize, LibraryBenchmark, LibraryCase,
};
use iai_callgrind::{Command, binary_benchmark, library_benchmark};

const LARGE: u128 = u128::MAX;

fn length(text: &str) -> usize {
    text.len()
}

fn area(rows: &u8, columns: &u8) -> u16 {
    u16::from(*rows) * u16::from(*columns)
}

#[library_benchmark(size = LARGE)]
fn value() {}

#[library_benchmark(size = -1)]
#[bench::plain(args = ())]
#[bench::literal(args = (), size = 1 << 10)]
fn negative() {}

#[library_benchmark(size = length)]
#[bench::plain("four")]
#[bench::case(args = ("four"), size = 9_u8)]
#[benches::args("", "1")]
#[bench::typed(args = ("four"), size = |text: &str| 2 * text.len())]
#[benches::iter(iter = ["12", "123"])]
fn function(_: &str) {}

#[library_benchmark]
#[benches::n(args = [1, 2], size = |n| *n)]
#[benches::other(args = [3, 4])]
fn without(_: u64) {}

#[library_benchmark]
#[benches::pairs(args = [(1, 2), (3, 4)], size = area)]
#[benches::calls(args = [std::convert::identity((5, 6))], size = area)]
#[benches::closure(iter = [(7, 8)], size = |rows, _| *rows)]
fn two(_: u8, _: u8) {}

fn zeros(length: u8) -> Vec<u8> {
    vec![0; length.into()]
}

#[library_benchmark(setup = zeros, size = |length| *length)]
#[bench::literal(8)]
#[benches::iter(iter = [9, 10])]
fn with_setup(_: Vec<u8>) {}

#[library_benchmark]
#[benches::consts(args = [], consts = [16], size = 16)]
fn constant<const N: usize>() {}

#[library_benchmark]
#[bench::eight(args = (&[0; 8]), size = |bytes| bytes.len())]
fn inferred<const N: usize>(_: &[u8; N]) {}

#[binary_benchmark(size = length)]
#[benches::args("1", "12")]
#[bench::case(args = ("1"), size = 7)]
fn command(text: &str) -> Command {
    Command::new("echo").arg(text).build()
}

/// The ids, the curves and the sizes of all cases; those with the id `iter` have two items.
type Growth = Vec<(&'static str, &'static str, Vec<i64>)>;

fn growth(id: Option<&'static str>, curve: Option<&'static str>, size: CaseSize) -> Growth {
    let items = if id == Some("iter") { 2 } else { 1 };
    let sizes = size.into_iter().flat_map(|size| (0..items).map(size)).collect();
    vec![(id.unwrap_or(""), curve.unwrap_or(""), sizes)]
}

fn library<F: LibraryBenchmark>() -> Growth {
    let of_case = |case: &LibraryCase| growth(case.id, case.curve, case.size);
    F::FUNCTION.cases.iter().flat_map(of_case).collect()
}

fn main() {
    assert_eq!(library::<value>(), [("", "", vec![i64::MAX])]);
    assert_eq!(
        library::<negative>(),
        [("plain", "", vec![-1]), ("literal", "", vec![1024])]
    );
    assert_eq!(
        library::<function>(),
        [
            ("plain", "", vec![4]),
            ("case", "", vec![9]),
            ("args_0", "args", vec![0]),
            ("args_1", "args", vec![1]),
            ("typed", "", vec![8]),
            ("iter", "iter", vec![2, 3]),
        ]
    );
    assert_eq!(
        library::<without>(),
        [
            ("n_0", "n", vec![1]),
            ("n_1", "n", vec![2]),
            ("other_0", "other", vec![]),
            ("other_1", "other", vec![]),
        ]
    );
    assert_eq!(
        library::<two>(),
        [
            ("pairs_0", "pairs", vec![2]),
            ("pairs_1", "pairs", vec![12]),
            ("calls_0", "calls", vec![30]),
            ("closure", "closure", vec![7]),
        ]
    );
    assert_eq!(
        library::<with_setup>(),
        [("literal", "", vec![8]), ("iter", "iter", vec![9, 10])]
    );
    assert_eq!(library::<constant>(), [("consts_0", "consts", vec![16])]);
    assert_eq!(library::<inferred>(), [("eight", "", vec![8])]);
    let of_case = |case: &BinaryCase| growth(case.id, case.curve, case.size);
    let commands = <command as BinaryBenchmarkFunction>::FUNCTION.cases;
    assert_eq!(
        commands.iter().flat_map(of_case).collect::<Growth>(),
        [
            ("args_0", "args", vec![1]),
            ("args_1", "args", vec![2]),
            ("case", "", vec![7]),
        ]
    );
}
