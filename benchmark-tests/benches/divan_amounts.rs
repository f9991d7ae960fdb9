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

#[divan::bench(items_count = 1_u8, bytes_count = 2_u8)]
fn of_benchers(bencher: Bencher<'_, '_>) {
    bencher.counter(BytesCount::of_slice(BYTES)).bench(|| sum(BYTES));
}

/// Takes inputs of 10, 20, 30 bytes and so on.
#[divan::bench]
fn of_inputs(bencher: Bencher<'_, '_>) {
    let mut length = 0;
    let inputs = bencher.counter(3_u32).with_inputs(move || {
        length += 10;
        length
    });
    let inputs = inputs.count_inputs_as::<BytesCount>().input_counter(|_| ItemsCount::new(4_u8));
    inputs.bench_local_values(|length| sum(&BYTES[..length]));
}

fn main() {
    divan::main();
}
