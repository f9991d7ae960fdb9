//! A file of divan. Benchmarks of `criterion_twin.rs` are at several places.

#[expect(dead_code, reason = "other files use the rest")]
mod workloads;

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use divan::{Bencher, black_box};

use crate::workloads::{count_up, fibonacci, index};

/// Calls `index` as its only caller, as in the file with the twins, so that the compiler inlines it in both.
#[inline(never)]
fn indexed() -> BTreeMap<&'static str, usize> {
    index(black_box("a b c d"))
}

/// The same benchmarks in each module.
macro_rules! benchmarks {
    () => {
        use std::collections::BTreeMap;
        use std::mem;

        use divan::{Bencher, black_box};

        use crate::indexed;
        use crate::workloads::{bubble_sort, count_up, descending, fibonacci};

        #[divan::bench]
        fn nothing() {}

        #[divan::bench(name = "fibonacci", args = [5, 10])]
        fn recursion(n: u64) -> u64 {
            fibonacci(n)
        }

        #[divan::bench]
        fn counting_kept() -> String {
            count_up(black_box(20))
        }

        #[divan::bench(sample_count = 10, min_time = 0.1)]
        fn sort(bencher: Bencher<'_, '_>) {
            let numbers = descending(10);
            bencher.with_inputs(|| numbers.clone()).bench_values(bubble_sort);
        }

        #[divan::bench(max_time = 1, skip_ext_time)]
        fn sort_refs(bencher: Bencher<'_, '_>) {
            let numbers = descending(10);
            let sort = |numbers: &mut Vec<u32>| *numbers = bubble_sort(mem::take(numbers));
            bencher.with_inputs(|| numbers.clone()).bench_refs(sort);
        }

        #[divan::bench(threads = [1, 4])]
        fn indexing() -> BTreeMap<&'static str, usize> {
            indexed()
        }
    };
}

mod first {
    benchmarks!();
}

#[divan::bench]
fn alone(bencher: Bencher<'_, '_>) {
    bencher.bench_local(|| count_up(black_box(20)));
}

/// A module whose benchmarks have another group.
#[divan::bench_group(name = "second/group", sample_size = 1)]
mod second {
    pub(crate) mod inner {
        benchmarks!();
    }

    #[divan::bench_group(ignore)]
    mod ignored {
        #[divan::bench]
        fn of_module() {}

        #[divan::bench(ignore = false)]
        fn on_the_contrary() {}
    }
}

mod third {
    benchmarks!();
}

#[divan::bench]
#[ignore = "slow"]
fn ignored() {}

const SIZES: &[usize] = &[1, 4];

#[divan::bench(consts = SIZES)]
fn slices<const N: usize>() -> [u8; N] {
    black_box([1; N])
}

#[divan::bench(types = [Vec<u64>, BTreeSet<u64>, VecDeque<u64>], consts = [2, 3], args = ["7", "8"])]
fn combined<T: FromIterator<u64>, const N: usize>(text: &str) -> T {
    let number: u64 = black_box(text).parse().unwrap();
    (0..N).map(|index| number + index as u64).collect()
}

/// A name without a text.
#[derive(Debug)]
enum Kind {
    Small,
    Large,
}

#[divan::bench(args = [Kind::Small, Kind::Large])]
fn kinds(bencher: Bencher<'_, '_>, kind: &Kind) {
    let n: u64 = match kind {
        Kind::Small => 5,
        Kind::Large => 10,
    };
    bencher.with_inputs(|| n).bench_local_values(fibonacci);
}

fn main() {
    divan::main();
}
