//! A file of divan with amounts of data.

use divan::counter::{BytesCount, CharsCount, ItemsCount};
use divan::{Bencher, black_box};

const BYTES: &[u8] = &[1; 1000];

fn sum(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0, |sum, byte| black_box(sum) + u64::from(*byte))
}

#[divan::bench_group(items_count = 10_u8)]
mod group {
    use super::{BYTES, Bencher, BytesCount, CharsCount, sum};

    #[divan::bench(counter = BytesCount::of_slice(BYTES))]
    fn both() -> u64 {
        sum(BYTES)
    }

    #[divan::bench(counters = [CharsCount::new(7_u8)])]
    fn of_group(bencher: Bencher<'_, '_>) {
        bencher.bench(|| sum(BYTES));
    }
}

/// An argument whose name is its debug output.
#[derive(Debug)]
struct Input;

#[divan::bench(bytes_count = BYTES.len(), args = [Input])]
fn bytes(_: &Input) -> u64 {
    sum(BYTES)
}

#[divan::bench]
fn of_benchers(bencher: Bencher<'_, '_>) {
    let inputs = bencher.counter(3_u32).with_inputs(|| 5_usize).count_inputs_as::<ItemsCount>();
    inputs.input_counter(|_| BytesCount::u8(1)).bench_values(|bytes| sum(&BYTES[bytes..]));
}

fn main() {
    divan::main();
}
