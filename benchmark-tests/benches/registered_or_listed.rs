//! The same executable with a list and without one, by the variable `LISTED`.

#[allow(dead_code, reason = "other files use the rest")]
mod workloads;

use std::process::ExitCode;

use iai_callgrind::{library_benchmark, library_benchmark_group};

#[library_benchmark]
#[bench::five(5)]
fn fibonacci(n: u64) -> u64 {
    workloads::fibonacci(n)
}

#[library_benchmark]
fn string() -> String {
    workloads::count_up(100)
}

mod texts {
    use std::collections::BTreeMap;

    use crate::workloads;

    #[iai_callgrind::library_benchmark]
    pub(crate) fn tree() -> BTreeMap<&'static str, usize> {
        workloads::index("the quick brown fox jumps over the lazy dog")
    }
}

library_benchmark_group!(name = group; benchmarks = texts::tree, string, fibonacci);

#[library_benchmark]
fn left_out() {}

mod listed {
    use super::group;

    iai_callgrind::main!(library_benchmark_groups = group);

    pub(crate) fn run() -> std::process::ExitCode {
        main()
    }
}

mod registered {
    iai_callgrind::main!();

    pub(crate) fn run() -> std::process::ExitCode {
        main()
    }
}

fn main() -> ExitCode {
    if std::env::var_os("LISTED").is_some() { listed::run() } else { registered::run() }
}
