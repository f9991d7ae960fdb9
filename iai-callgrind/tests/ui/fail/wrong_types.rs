use iai_callgrind::library_benchmark;

fn set_up(length: usize) -> Vec<u8> {
    vec![0; length]
}

fn number(number: u64) -> u32 {
    number as u32
}

fn tear_down(_: &str) {}

#[library_benchmark]
#[bench::text("text", "text")]
#[bench::second(1, "text".len())]
#[benches::elements((1, "a"), (2, 3))]
#[benches::from_call(set_up(1), { (1, 2) })]
fn arguments(_: u64, _: &str) {}

#[library_benchmark(setup = set_up)]
#[bench::wrong_argument("text")]
#[bench::two_arguments(1, 2)]
#[bench::wrong_setup(args = (1), setup = number)]
#[bench::wrong_teardown(args = (1), teardown = tear_down)]
#[bench::unknown_setup(args = (1), setup = setup)]
fn hooks(_: Vec<u8>) -> usize {
    1
}

fn main() {}
