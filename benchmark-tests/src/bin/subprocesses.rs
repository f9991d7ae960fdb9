//! Starts itself as often as its argument says, one process inside the other, and does some work in each: the number of
//! steps in `STEPS` in the last one.

use std::env;
use std::hint::black_box;
use std::process::{self, Command};

fn main() {
    let depth: u32 = env::args().nth(1).and_then(|it| it.parse().ok()).unwrap_or_default();
    let steps = env::var("STEPS").ok().filter(|_| depth == 0).and_then(|it| it.parse().ok());
    let sum: u64 = (0..black_box(steps.unwrap_or(10_000_u64))).map(black_box).sum();
    assert!(sum > 0);
    if depth > 0 {
        let own = env::current_exe().expect("the path of this program");
        let status = Command::new(own).arg((depth - 1).to_string()).status().expect("it starts");
        process::exit(status.code().unwrap_or(1));
    }
}
