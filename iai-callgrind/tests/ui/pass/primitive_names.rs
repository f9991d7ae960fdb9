//! Functions with the names of primitive types, next to code that uses these types.

#![deny(warnings)]
#![forbid(unsafe_code)]

use iai_callgrind::__private::{BinaryBenchmarkGroupData, Functions, LibraryBenchmarkGroup};
use iai_callgrind::{
    Command, binary_benchmark, binary_benchmark_attribute, binary_benchmark_group,
    library_benchmark, library_benchmark_group,
};

mod numbers {
    use iai_callgrind::library_benchmark;

    #[library_benchmark]
    #[bench::id(3)]
    pub fn r#u64(number: u64) -> u64 {
        u64::from_str_radix("7", 10).unwrap_or(number)
    }

    #[library_benchmark]
    #[benches::ids(iter = 0..3_usize)]
    pub fn usize(number: usize) -> usize {
        number
    }
}

#[library_benchmark]
#[bench::id('a')]
fn char(character: char) -> u32 {
    character.into()
}

#[library_benchmark]
#[bench::id("text")]
#[benches::lines(file = "Cargo.toml")]
fn str(text: &str) -> Option<char> {
    char::from_digit(text.len() as u32, 10)
}

#[library_benchmark]
#[bench::id([true; 9])]
fn bool(values: [bool; 9]) -> bool {
    values.contains(&false)
}

#[binary_benchmark]
#[bench::id(1)]
fn u8(number: u8) -> Command {
    let mut command = Command::new("echo");
    command.arg(number.to_string());
    command
}

library_benchmark_group!(name = types; benchmarks = char, str, bool, numbers::r#u64, numbers::usize);
binary_benchmark_group!(name = commands; benchmarks = u8);

fn main() {
    let Functions::Library(functions) = types::GROUP.functions else { panic!() };
    let names: Vec<_> = functions.iter().map(|function| function.name).collect();
    assert_eq!(names, ["char", "str", "bool", "u64", "usize"]);
    let Functions::Binary([command]) = commands::GROUP.functions else { panic!() };
    assert_eq!(command.name, "u8");
    drop(binary_benchmark_attribute!(self::u8));
}
