//! A program that prints the sum of its arguments, and that of a second process.

use std::process::Command;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let sum = sum(&arguments);
    println!("{sum}");
    if sum > LIMIT {
        let program = std::env::current_exe().unwrap();
        Command::new(program).arg(half(sum).to_string()).status().unwrap();
    }
}

const LIMIT: u64 = 50;

#[inline(never)]
fn sum(arguments: &[String]) -> u64 {
    let mut sum = 0;
    for argument in arguments {
        sum += argument.parse::<u64>().unwrap_or(0);
    }
    sum
}

#[inline(never)]
fn half(sum: u64) -> u64 {
    let mut half = 0;
    while half * 2 < sum {
        half += std::hint::black_box(1);
    }
    half
}
