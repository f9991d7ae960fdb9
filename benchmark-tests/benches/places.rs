//! Commands whose programs are next to the benchmark executable, wherever that is.

use std::env;
use std::path::PathBuf;

use iai_callgrind::{Command, Pipe, Stdin, binary_benchmark, binary_benchmark_group, main};

/// Returns the path of a binary, which is one directory above benchmarks.
fn built(name: &str) -> PathBuf {
    let own = env::current_exe().unwrap();
    own.ancestors().nth(2).unwrap().join(format!("benchmark-tests-{name}"))
}

#[binary_benchmark(setup = println!("b\na"))]
#[bench::sort("sort")]
#[bench::env("env")]
#[bench::printargs("printargs")]
fn simple(name: &str) -> Command {
    Command::new(built(name)).stdin(Stdin::Setup(Pipe::Stdout)).build()
}

#[binary_benchmark]
fn subprocesses() -> Command {
    Command::new(built("subprocesses")).arg("2").build()
}

// Not `sort`, which asks for the free memory
#[binary_benchmark]
fn of_the_system() -> Command {
    Command::new("wc").arg("/etc/passwd").build()
}

binary_benchmark_group!(name = group; benchmarks = simple, subprocesses, of_the_system);

main!(binary_benchmark_groups = group);
