//! Values of const parameters, and how they are shown.

#![deny(warnings)]
#![forbid(unsafe_code)]

use iai_callgrind::__private::{BinaryBenchmarkFunction, LibraryBenchmark};
use iai_callgrind::{Command, binary_benchmark, library_benchmark};

const SIZE: usize = 5;

fn filled<const N: usize>(value: u8) -> [u8; N] {
    [value; N]
}

#[library_benchmark]
#[bench::literal(consts = (3))]
#[bench::array(consts = [3])]
#[bench::block(consts = ({ 1 + 2 },))]
#[bench::path(consts = (crate::SIZE))]
#[benches::several(consts = [3, SIZE, (4)])]
#[benches::no_args(args = [], consts = [3])]
fn no_arguments<const N: usize>() -> [u8; N] {
    filled(1)
}

#[library_benchmark]
#[bench::named(args = (7, [1, 2]), consts = (2, -1, 'x'))]
#[benches::in_pairs(args = [(7, [1, 2]), (8, [3, 4])], consts = [(2, 1, 'x'), (2, 2, 'y')])]
#[benches::repeated_args(args = [(7, [1, 2])], consts = [(2, 1, 'x'), (2, 2, 'y')])]
#[benches::repeated_consts(args = [(7, [1, 2]), (8, [3, 4])], consts = [(2, 1, 'x')])]
#[benches::iter(iter = [(7, [1, 2])], consts = [(2, 1, 'x')])]
fn several<'a, T: Into<i64>, const N: usize, const I: i8, const C: char>(
    value: T,
    list: [u8; N],
) -> (i64, [u8; N], i8, Option<&'a str>) {
    (value.into(), list, I, None)
}

#[library_benchmark]
#[bench::of_setup(args = (9), consts = (3), setup = filled::<3>)]
#[bench::inferred([1, 2])]
fn with_setup<const N: usize>(list: [u8; N]) -> [u8; N] {
    list
}

#[binary_benchmark]
#[bench::one(args = ("a"), consts = (1))]
#[benches::two(args = ["a", "b"], consts = [1, 2])]
fn command<const N: usize>(argument: &str) -> Command {
    Command::new("echo").args(vec![argument; N]).build()
}

/// Removes spaces, since where there are some depends on the compiler's version.
fn compact(text: &str) -> String {
    text.replace(' ', "")
}

macro_rules! check {
    ($name:ident, $($id:expr => $arguments:expr),*) => {
        let cases = <$name as LibraryBenchmark>::FUNCTION.cases;
        let cases: Vec<_> =
            cases.iter().map(|case| (case.id.unwrap(), compact(case.arguments))).collect();
        assert_eq!(cases, [$(($id, compact($arguments))),*]);
    };
}

fn main() {
    check!(
        no_arguments,
        "literal" => "<3>",
        "array" => "<3>",
        "block" => "<{ 1 + 2 }>",
        "path" => "<crate::SIZE>",
        "several_0" => "<3>",
        "several_1" => "<SIZE>",
        "several_2" => "<4>",
        "no_args_0" => "<3>"
    );
    check!(
        several,
        "named" => "<2, -1, 'x'>(7, [1, 2])",
        "in_pairs_0" => "<2, 1, 'x'>(7, [1, 2])",
        "in_pairs_1" => "<2, 2, 'y'>(8, [3, 4])",
        "repeated_args_0" => "<2, 1, 'x'>(7, [1, 2])",
        "repeated_args_1" => "<2, 2, 'y'>(7, [1, 2])",
        "repeated_consts_0" => "<2, 1, 'x'>(7, [1, 2])",
        "repeated_consts_1" => "<2, 1, 'x'>(8, [3, 4])",
        "iter" => "<2, 1, 'x'>(nth of [(7, [1, 2])])"
    );
    check!(with_setup, "of_setup" => "<3>(9)", "inferred" => "[1, 2]");
    let cases = <command as BinaryBenchmarkFunction>::FUNCTION.cases;
    let ids: Vec<_> = cases.iter().map(|case| case.id.unwrap()).collect();
    assert_eq!(ids, ["one", "two_0", "two_1"]);
}
