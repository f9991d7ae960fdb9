//! The forms of `throughput`, and the values for each item.

#![deny(warnings)]
#![forbid(unsafe_code)]

use iai_callgrind::__private::{
    BinaryBenchmarkFunction, CaseThroughput, LibraryBenchmark, LibraryFunction,
};
use iai_callgrind::{Command, Throughput, binary_benchmark, library_benchmark};

const BYTES: Throughput = Throughput::Bytes(3);

fn bytes(text: &str) -> Throughput {
    Throughput::Bytes(text.len() as u64)
}

fn nothing() -> Throughput {
    Throughput::Bits(0)
}

fn product(rows: &u8, columns: &u8) -> Throughput {
    Throughput::Elements(u64::from(*rows) * u64::from(*columns))
}

#[library_benchmark(throughput = BYTES)]
fn value() {}

#[library_benchmark(throughput = nothing)]
fn function_without_parameters() {}

#[library_benchmark(throughput = bytes)]
#[bench::plain("four")]
#[bench::reference(&"three".to_owned())]
#[bench::case(args = ("four"), throughput = Throughput::Bytes(9))]
#[benches::args("", "1")]
#[bench::typed(args = ("four"), throughput = |text: &str| bytes(text))]
#[benches::iter(iter = ["12", "123"])]
fn function(_: &str) {}

#[library_benchmark]
#[benches::pairs(args = [(1, 2), (3, 4)], throughput = product)]
#[benches::calls(args = [std::convert::identity((5, 6))], throughput = product)]
#[benches::closure(iter = [(7, 8)], throughput = |rows, columns| product(rows, columns))]
fn two(_: u8, _: u8) {}

/// Sets the type of the literals, by that of its parameter.
fn setup(numbers: Vec<u8>) -> usize {
    numbers.len()
}

#[library_benchmark(setup = setup, throughput = |numbers| Throughput::Elements(numbers.iter().map(|n| n.leading_zeros()).sum::<u32>().into()))]
#[bench::literals(vec![1, 1])]
#[benches::iter(iter = [vec![1], vec![]])]
fn with_setup(_: usize) {}

#[library_benchmark]
#[bench::closure(args = (1, 2), setup = |rows, columns: u8| product(&rows, &columns), throughput = product)]
#[bench::tuple(args = ("text", 1), setup = |_: &str, length: usize| Throughput::Bytes(length as u64), throughput = |text, _| bytes(text))]
fn with_setup_of_two(_: Throughput) {}

#[library_benchmark]
#[bench::eight(args = (), consts = (8), throughput = Throughput::Bytes(8))]
fn constant<const N: usize>() {}

#[binary_benchmark(throughput = bytes)]
#[benches::args("1", "12")]
#[bench::case(args = ("1"), throughput = Throughput::Elements(1), setup = |text: &str| drop(text.to_owned()))]
fn command(text: &str) -> Command {
    Command::new("echo").arg(text).build()
}

fn of_items(throughput: CaseThroughput, items: usize) -> (bool, Vec<Throughput>) {
    match throughput {
        CaseThroughput::None => panic!("there is none"),
        CaseThroughput::OfFunction(function) => (true, (0..items).map(function).collect()),
        CaseThroughput::OfCase(function) => (false, (0..items).map(function).collect()),
    }
}

/// Returns the throughputs of all cases; those with the id `iter` have two items.
fn throughputs(function: &LibraryFunction) -> (Vec<bool>, Vec<Throughput>) {
    let items = |id: Option<&str>| if id == Some("iter") { 2 } else { 1 };
    let cases = function.cases.iter().map(|case| of_items(case.throughput, items(case.id)));
    let (levels, values): (Vec<_>, Vec<_>) = cases.unzip();
    (levels, values.concat())
}

fn main() {
    use Throughput::{Bits, Bytes, Elements};
    let all = |function| throughputs(&function);
    assert_eq!(all(<value as LibraryBenchmark>::FUNCTION), (vec![true], vec![Bytes(3)]));
    assert_eq!(
        all(<function_without_parameters as LibraryBenchmark>::FUNCTION),
        (vec![true], vec![Bits(0)])
    );
    assert_eq!(
        all(<function as LibraryBenchmark>::FUNCTION),
        (
            vec![true, true, false, true, true, false, true],
            vec![Bytes(4), Bytes(5), Bytes(9), Bytes(0), Bytes(1), Bytes(4), Bytes(2), Bytes(3)]
        )
    );
    let (levels, values) = all(<two as LibraryBenchmark>::FUNCTION);
    assert_eq!((levels.len(), values), (4, [2, 12, 30, 56].map(Elements).to_vec()));
    let (_, values) = all(<with_setup as LibraryBenchmark>::FUNCTION);
    assert_eq!(values, [14, 7, 0].map(Elements));
    let (_, values) = all(<with_setup_of_two as LibraryBenchmark>::FUNCTION);
    assert_eq!(values, [Elements(2), Bytes(4)]);
    let (_, values) = all(<constant as LibraryBenchmark>::FUNCTION);
    assert_eq!(values, [Bytes(8)]);
    let commands = <command as BinaryBenchmarkFunction>::FUNCTION.cases;
    let commands: Vec<_> = commands.iter().map(|case| of_items(case.throughput, 1)).collect();
    let expected = [(true, vec![Bytes(1)]), (true, vec![Bytes(2)]), (false, vec![Elements(1)])];
    assert_eq!(commands, expected);
}
