use iai_callgrind::{Command, binary_benchmark, library_benchmark};

mod my_crate {
    pub mod sort {
        pub fn sort(numbers: Vec<u32>) -> Vec<u32> {
            numbers
        }
    }

    pub mod numbers {
        pub struct Numbers;

        pub fn reversed() -> Numbers {
            Numbers
        }
    }

    pub mod echo {
        pub const NAME: &str = "echo";
    }
}

use my_crate::*;

#[library_benchmark]
#[bench::id(vec![1])]
fn sort(numbers: Vec<u32>) -> Vec<u32> {
    sort::sort(numbers)
}

#[library_benchmark]
#[bench::id(args = (numbers::reversed()))]
fn numbers(_: my_crate::numbers::Numbers) {}

#[binary_benchmark]
fn echo() -> Command {
    Command::new(String::from(echo::NAME))
}

fn main() {}
