use iai_callgrind::{binary_benchmark, library_benchmark};

#[library_benchmark(per_element = "2 %")]
fn text() {}

#[binary_benchmark(per_element = 2_u64)]
fn another_integer() -> iai_callgrind::Command {
    iai_callgrind::Command::new("true")
}

fn main() {}
