use iai_callgrind::library_benchmark;

#[library_benchmark]
#[benches::missing(file = "/no/such/file")]
#[benches::other(file = "/dev/null")]
#[benches::directory(file = "/")]
#[benches::no_text(file = 10)]
#[benches::a_path(file = concat!("/dev/", "null"))]
fn files(_: &str) {}

#[library_benchmark]
#[benches::two(file = "Cargo.toml")]
fn two_arguments(_: &str, _: &str) {}

#[library_benchmark]
#[benches::two(file = "Cargo.toml", setup = |a: u64, b: u64| a + b)]
fn two_arguments_of_the_setup(_: u64) {}

#[library_benchmark]
#[bench::line(file = "Cargo.toml")]
fn not_in_bench(_: &str) {}

#[library_benchmark]
#[bench::lines_0("line")]
#[bench::lines_00("line")]
#[benches::lines(file = "Cargo.toml")]
fn id_of_a_line(_: &str) {}

fn main() {}
