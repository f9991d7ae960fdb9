// Benchmarks of `registered.rs` and `registered_twin.rs`.

#[path = "commands.rs"]
mod commands;
#[path = "sorting.rs"]
mod sorting;
#[path = "../workloads.rs"]
#[allow(dead_code, reason = "other files use the rest")]
mod workloads;

use iai_callgrind::library_benchmark;

#[library_benchmark]
#[bench::five(5)]
#[bench::fifteen(15)]
fn fibonacci(n: u64) -> u64 {
    workloads::fibonacci(n)
}

mod texts {
    use iai_callgrind::library_benchmark;

    use crate::workloads;

    #[library_benchmark]
    #[bench::hundred(100)]
    pub(crate) fn string(last: u32) -> String {
        workloads::count_up(last)
    }

    pub(crate) mod r#type {
        #[iai_callgrind::library_benchmark]
        pub(crate) fn r#match() {}
    }
}

#[library_benchmark]
#[bench::kilobyte(&[7; 1024])]
fn copy(bytes: &[u8]) -> Vec<u8> {
    workloads::copy(bytes)
}

/// Has a benchmark inside.
#[allow(dead_code, reason = "nothing calls it")]
pub(crate) fn outer() {
    #[library_benchmark]
    fn inner() {}
}

#[cfg(any())]
#[library_benchmark]
fn left_out() {}

#[library_benchmark]
#[bench::four(consts = (4))]
fn generic<const N: usize>() -> usize {
    N
}
