//! `setup` and `teardown`: of the function, of an annotation, as paths and as closures.

#![deny(warnings)]
#![forbid(unsafe_code)]

use iai_callgrind::__private::LibraryBenchmark;
use iai_callgrind::library_benchmark;

mod support {
    pub fn format(value: u64) -> String {
        value.to_string()
    }

    pub fn join(left: u64, right: &str) -> String {
        format!("{left}{right}")
    }

    pub fn make() -> String {
        String::new()
    }

    pub fn print(value: usize) {
        println!("{value}");
    }

    pub fn ignore<T>(_: T) {}
}

fn convert<T: ToString>(value: T) -> String {
    value.to_string()
}

#[library_benchmark(setup = support::format, teardown = support::print)]
#[bench::first(21)]
#[benches::multiple(42, 84)]
#[bench::last(args = (102), setup = convert::<u8>)]
#[bench::joined(args = (1, "a"), setup = support::join)]
#[benches::joined(args = [(1, "a"), (2, "b")], setup = support::join, teardown = support::ignore)]
#[bench::closure(args = (1), setup = |value: u64| value.to_string(), teardown = |_| {})]
#[bench::made(setup = support::make)]
#[bench::made_too(args = (); setup = support::make; teardown = support::print;)]
#[bench::teardown_only(teardown = support::ignore, args = (7),)]
#[benches::no_arguments(args = [(), ()], setup = support::make)]
fn all(value: String) -> usize {
    value.len()
}

#[library_benchmark(setup = support::make)]
fn only_a_setup(value: String) {
    drop(value);
}

#[library_benchmark(teardown = |_: &str| {})]
#[bench::a(&String::from("temporary"))]
fn only_a_teardown(value: &str) -> &str {
    value
}

#[library_benchmark(setup = |left: u64, right: u64| (left, right);)]
#[bench::a(1, 2)]
fn a_tuple((left, right): (u64, u64)) -> u64 {
    left + right
}

fn make<T: Default>() -> Vec<T> {
    vec![T::default()]
}

fn repeat<const N: usize>(value: u64) -> Vec<u64> {
    vec![value; N]
}

#[library_benchmark(setup = make::<u64>, teardown = support::ignore::<Option<u64>>)]
#[bench::generic()]
#[bench::constant(args = (1), setup = repeat::<3>)]
#[bench::method(args = (&[1, 2]), setup = <[u64]>::to_vec)]
#[bench::constructor(setup = Vec::new, teardown = Option::unwrap_or_default)]
#[bench::without_types(
    args = ("1 2", ' '),
    setup = |text, separator| text.split(separator).map(|part| part.parse().unwrap()).collect(),
    teardown = |last| assert_eq!(last.unwrap().count_ones(), 1)
)]
#[bench::captures(args = (1), setup = { let more = 2; move |value| vec![value, more] })]
#[benches::array(args = [(1, "a"), pair()], setup = |number, text| vec![number + text.len() as u64])]
#[benches::parts(args = [(1, 2), (3, 4)], setup = |(left, right)| vec![left, right])]
fn last(values: Vec<u64>) -> Option<u64> {
    values.last().copied()
}

fn pair() -> (u64, &'static str) {
    (1, "b")
}

#[library_benchmark(setup = |text: &str| text.to_owned(), teardown = |text| drop(text.to_owned()))]
#[bench::typed(&String::from("converted"))]
fn borrowed(text: String) -> String {
    text
}

fn main() {
    let cases = <all as LibraryBenchmark>::FUNCTION.cases;
    let cases: Vec<_> = cases.iter().map(|case| (case.id.unwrap(), case.arguments)).collect();
    assert_eq!(
        cases,
        [
            ("first", "21"),
            ("multiple_0", "42"),
            ("multiple_1", "84"),
            ("last", "102"),
            ("joined", "1, \"a\""),
            ("joined_0", "1, \"a\""),
            ("joined_1", "2, \"b\""),
            ("closure", "1"),
            ("made", ""),
            ("made_too", ""),
            ("teardown_only", "7"),
            ("no_arguments_0", ""),
            ("no_arguments_1", ""),
        ]
    );
    assert_eq!(<last as LibraryBenchmark>::FUNCTION.cases.len(), 10);
    assert_eq!(<borrowed as LibraryBenchmark>::FUNCTION.cases.len(), 1);
    assert_eq!(<only_a_setup as LibraryBenchmark>::FUNCTION.cases[0].id, None);
    assert_eq!(<only_a_teardown as LibraryBenchmark>::FUNCTION.cases.len(), 1);
    assert_eq!(<a_tuple as LibraryBenchmark>::FUNCTION.cases[0].arguments, "1, 2");
}
