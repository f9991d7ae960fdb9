//! Benchmarks of smallvec.

use iai_callgrind::prelude::*;
use smallvec::SmallVec;

type Numbers = SmallVec<[u32; 8]>;

fn numbers() -> Numbers {
    (0..30).map(|number| number * 7 % 11).collect()
}

#[library_benchmark]
#[bench::spilled(40)]
fn pushes(number: u32) -> Numbers {
    let mut numbers = Numbers::new();
    for number in 0..number {
        numbers.push(number);
    }
    numbers
}

#[library_benchmark]
#[bench::spilled(40)]
fn extends(number: u32) -> Numbers {
    let mut numbers = Numbers::new();
    numbers.extend((0..number).filter(|number| number % 3 > 0));
    numbers
}

#[library_benchmark(setup = numbers)]
fn retains(mut numbers: Numbers) -> Numbers {
    numbers.retain(|number| *number > 3);
    numbers
}

#[library_benchmark(setup = numbers)]
fn inserts(mut numbers: Numbers) -> Numbers {
    for number in 0..10 {
        numbers.insert(number, 1);
    }
    numbers
}

#[library_benchmark(setup = numbers)]
fn dedups(mut numbers: Numbers) -> Numbers {
    numbers.sort_unstable();
    numbers.dedup();
    numbers
}

#[library_benchmark(setup = numbers)]
fn removes(mut numbers: Numbers) -> u32 {
    let mut sum = 0;
    while numbers.len() > 5 {
        sum += numbers.remove(2);
    }
    sum
}

main!();
