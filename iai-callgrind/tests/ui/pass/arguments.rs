//! The forms of `#[bench]` and `#[benches]`, and how their arguments are shown.

#![deny(warnings)]
#![forbid(unsafe_code)]

use iai_callgrind::__private::LibraryBenchmark;
use iai_callgrind::library_benchmark;

fn pair() -> (u64, String) {
    (1, String::new())
}

fn add_one(value: u64) -> u64 {
    value + 1
}

#[library_benchmark]
fn no_annotation() {}

#[library_benchmark]
#[bench::empty()]
#[bench::bare]
#[benches::units((), ())]
#[benches::array(args = [])]
#[benches::nothing()]
fn no_arguments() {}

#[library_benchmark]
#[benches::array(args = [], setup = pair)]
#[benches::nothing(setup = || (2, String::new()))]
fn setup_without_parameters(pair: (u64, String)) -> (u64, String) {
    pair
}

#[library_benchmark]
#[bench::short(10)]
#[bench::trailing(10,)]
#[bench::named(args = (10))]
#[bench::one_tuple(args = (10,))]
#[bench::call(add_one(1))]
#[bench::multiline(add_one(
    1 +
        2
))]
#[bench::r#match(0)]
fn one(value: u64) -> u64 {
    value
}

#[library_benchmark]
#[bench::short(1, "one".to_owned())]
#[bench::named(args = (1, "one".to_owned()))]
#[bench::array(args = [1, "one".to_owned()])]
#[benches::tuples((1, String::new()), (2, "two".into()))]
#[benches::named(args = [(1, String::new()), pair(), { pair() },])]
fn two(value: u64, text: String) -> usize {
    value as usize + text.len()
}

#[library_benchmark]
#[bench::short((1, 2))]
#[bench::named(args = ((1, 2)))]
#[benches::plain((1, 2), ((3, 4)))]
#[benches::named(args = [(1, 2), (3, 4)])]
fn tuple(value: (u64, u64)) -> u64 {
    value.0 + value.1
}

#[library_benchmark]
#[benches::multiple(vec![1], vec![5, 6])]
fn vectors(value: Vec<i32>) -> Vec<i32> {
    value
}

macro_rules! generated {
    ($name:ident, $id:ident, $value:expr, $pair:expr) => {
        #[library_benchmark]
        #[bench::$id($value, 2)]
        #[benches::pairs($pair)]
        fn $name(left: u64, right: u64) -> u64 {
            left + right
        }
    };
}

generated!(from_a_macro, the_id, 1 + 2, (3, 4));

/// Removes spaces, since where there are some depends on the compiler's version.
fn compact(text: &str) -> String {
    assert!(!text.contains('\n'), "{text}");
    text.replace(' ', "")
}

macro_rules! check {
    ($name:ident, $($id:expr => $arguments:expr),*) => {
        let cases = <$name as LibraryBenchmark>::FUNCTION.cases;
        let cases: Vec<_> = cases.iter().map(|case| (case.id, compact(case.arguments))).collect();
        let expected: Vec<(Option<&str>, String)> = vec![$(($id, compact($arguments))),*];
        assert_eq!(cases, expected);
    };
}

fn main() {
    check!(no_annotation, None => "");
    check!(
        no_arguments,
        Some("empty") => "", Some("bare") => "", Some("units_0") => "", Some("units_1") => "",
        Some("array_0") => "", Some("nothing_0") => ""
    );
    check!(setup_without_parameters, Some("array_0") => "", Some("nothing_0") => "");
    check!(
        one,
        Some("short") => "10",
        Some("trailing") => "10",
        Some("named") => "10",
        Some("one_tuple") => "10",
        Some("call") => "add_one(1)",
        Some("multiline") => "add_one(1 + 2)",
        Some("match") => "0"
    );
    check!(
        two,
        Some("short") => "1, \"one\".to_owned()",
        Some("named") => "1, \"one\".to_owned()",
        Some("array") => "1, \"one\".to_owned()",
        Some("tuples_0") => "1, String::new()",
        Some("tuples_1") => "2, \"two\".into()",
        Some("named_0") => "1, String::new()",
        Some("named_1") => "pair()",
        Some("named_2") => "{ pair() }"
    );
    check!(
        tuple,
        Some("short") => "(1, 2)",
        Some("named") => "(1, 2)",
        Some("plain_0") => "(1, 2)",
        Some("plain_1") => "(3, 4)",
        Some("named_0") => "(1, 2)",
        Some("named_1") => "(3, 4)"
    );
    check!(vectors, Some("multiple_0") => "vec![1]", Some("multiple_1") => "vec![5, 6]");
    check!(from_a_macro, Some("the_id") => "1 + 2, 2", Some("pairs_0") => "3, 4");
}
