//! Ranges and products in `args`, with their ids, curves, arguments and sizes.

#![deny(warnings)]
#![forbid(unsafe_code)]

use iai_callgrind::__private::{
    BinaryBenchmarkFunction, CaseSize, LibraryBenchmark, LibraryCase, LibraryFunction,
};
use iai_callgrind::{Command, binary_benchmark, library_benchmark, sizes};

#[derive(Clone, Copy)]
enum Ending {
    Lf,
    CrLf,
}

fn text(n: usize, ending: Ending) -> String {
    let ending = match ending {
        Ending::Lf => "\n",
        Ending::CrLf => "\r\n",
    };
    ending.repeat(n)
}

#[library_benchmark]
#[benches::n(args = range(8, 8 << 10))]
#[benches::dense(args = dense_range(0, 1024, 256))]
#[benches::factor(args = range(1, 9, 2))]
#[benches::large(args = range(9_223_372_036_854_775_807, 18_446_744_073_709_551_615))]
fn ranges(_: u64) {}

#[library_benchmark]
#[benches::n(args = range(8_u8, 20))]
fn generic<T>(_: T) {}

#[library_benchmark(setup = |n: usize| vec![0_u8; n])]
#[benches::n(args = range(8, 20))]
#[benches::own(args = range(8, 20), size = |n| 2 * n)]
fn with_setup(_: Vec<u8>) {}

#[library_benchmark]
#[benches::m(args = product([1, 8], [Ending::Lf, Ending::CrLf]), setup = text, size = |n, _| *n)]
#[benches::named(args = product([1, 8], ["lf", "crlf"]), setup = |n, text: &str| text.repeat(n), size = |n, _text| *n)]
#[benches::all(args = product([1, 8], ["a", "b"]), setup = |n, text: &str| text.repeat(n), size = |n, text| n * text.len())]
fn lines(_: String) {}

#[library_benchmark]
#[benches::m(args = product(range(1, 8), [(), ()], [[1, 2], [3, 4]]))]
fn three(_n: u32, _unit: (), _array: [u8; 2]) {}

#[library_benchmark]
#[benches::m(args = product([1, 2], [true, false]), size = |(n, _)| *n)]
fn pair(_: (u8, bool)) {}

#[library_benchmark]
#[benches::n(args = range(8, 8), consts = [1, 2])]
fn constants<const N: usize>(_: u8) {}

#[binary_benchmark]
#[benches::m(args = product(range(1, 8), ["a", "b"]), setup = |_: u32, _: &str| ())]
fn command(n: u32, text: &str) -> Command {
    Command::new(text).arg(n.to_string()).build()
}

macro_rules! of_macro {
    ($name:ident, $start:expr, $values:expr) => {
        #[library_benchmark]
        #[benches::n(args = product(range($start, $start + 1), $values))]
        fn $name(_: u8, _: u8) {}
    };
}

of_macro!(in_macro, 3, [7]);

type Row = (&'static str, &'static str, Option<i64>);

fn row(id: Option<&'static str>, curve: Option<&'static str>, size: CaseSize) -> Row {
    (id.unwrap(), curve.unwrap(), size.map(|size| size(0)))
}

fn rows(function: &LibraryFunction) -> Vec<Row> {
    function.cases.iter().map(|case| row(case.id, case.curve, case.size)).collect()
}

/// Returns the sizes of the cases on a curve, which are their arguments too.
fn numbers(function: &LibraryFunction, curve: &str) -> Vec<u64> {
    let cases = function.cases.iter().filter(|case| case.curve == Some(curve));
    let number = |case: &LibraryCase| {
        let number = u64::try_from((case.size.unwrap())(0)).unwrap();
        assert_eq!(case.arguments, number.to_string());
        assert_eq!(case.id.unwrap(), format!("{curve}_{number}"));
        number
    };
    cases.map(number).collect()
}

fn main() {
    let function = <ranges as LibraryBenchmark>::FUNCTION;
    assert_eq!(numbers(&function, "n"), sizes::range(8, 8 << 10));
    assert_eq!(numbers(&function, "dense"), sizes::dense_range(0, 1024, 256));
    assert_eq!(numbers(&function, "factor"), sizes::range_with_factor(1, 9, 2));

    let sizes = rows(&function).into_iter().filter(|(_, curve, _)| *curve == "large");
    let sizes: Vec<_> = sizes.filter_map(|(_, _, size)| size).collect();
    assert_eq!(sizes[sizes.len() - 2..], [i64::MAX; 2], "the nearest one");

    let cases = <generic as LibraryBenchmark>::FUNCTION.cases;
    assert_eq!([cases[0].arguments, cases[1].arguments], ["8u8", "20u8"]);

    let found = rows(&<with_setup as LibraryBenchmark>::FUNCTION);
    let [own, n] = ["own", "n"];
    assert_eq!(
        found,
        [
            ("n_8", n, Some(8)),
            ("n_20", n, Some(20)),
            ("own_8", own, Some(16)),
            ("own_20", own, Some(40)),
        ]
    );

    let found = rows(&<lines as LibraryBenchmark>::FUNCTION);
    assert_eq!(
        found,
        [
            ("m_1_Lf", "m_Lf", Some(1)),
            ("m_1_CrLf", "m_CrLf", Some(1)),
            ("m_8_Lf", "m_Lf", Some(8)),
            ("m_8_CrLf", "m_CrLf", Some(8)),
            ("named_n_1_text_lf", "named_text_lf", Some(1)),
            ("named_n_1_text_crlf", "named_text_crlf", Some(1)),
            ("named_n_8_text_lf", "named_text_lf", Some(8)),
            ("named_n_8_text_crlf", "named_text_crlf", Some(8)),
            ("all_n_1_text_a", "all", Some(1)),
            ("all_n_1_text_b", "all", Some(1)),
            ("all_n_8_text_a", "all", Some(8)),
            ("all_n_8_text_b", "all", Some(8)),
        ]
    );

    let found = rows(&<three as LibraryBenchmark>::FUNCTION);
    assert_eq!(found.len(), 8);
    assert_eq!(found[1], ("m_n_1_unit_0_array_1", "m_unit_0_array_1", Some(1)));
    assert_eq!(found[6], ("m_n_8_unit_1_array_0", "m_unit_1_array_0", Some(8)));

    let found = rows(&<pair as LibraryBenchmark>::FUNCTION);
    assert_eq!(found[2], ("m_2_true", "m_true", Some(2)));

    let found = rows(&<constants as LibraryBenchmark>::FUNCTION);
    assert_eq!(found, [("n_8", "n", Some(8)), ("n_8_2", "n", Some(8))]);

    let found = rows(&<in_macro as LibraryBenchmark>::FUNCTION);
    assert_eq!(found, [("n_3_7", "n_7", Some(3)), ("n_4_7", "n_7", Some(4))]);

    let cases = <command as BinaryBenchmarkFunction>::FUNCTION.cases;
    let found: Vec<_> = cases.iter().map(|case| row(case.id, case.curve, case.size)).collect();
    assert_eq!(
        found,
        [
            ("m_n_1_text_a", "m_text_a", Some(1)),
            ("m_n_1_text_b", "m_text_b", Some(1)),
            ("m_n_8_text_a", "m_text_a", Some(8)),
            ("m_n_8_text_b", "m_text_b", Some(8)),
        ]
    );
}
