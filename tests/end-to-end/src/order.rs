//! The benchmarks of `order.rs` and their results.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::LazyLock;

use crate::{Suite, names_of_results, tree, write_tree};

/// The directories of the benchmarks in `order.rs`.
pub const BENCHMARKS: [&str; 8] = [
    "numbers/fibonacci.five",
    "numbers/fibonacci.fifteen",
    "numbers/bubble_sort.ten",
    "numbers/bubble_sort.hundred",
    "numbers/standard_sort.thousand",
    "texts/string.hundred",
    "texts/tree.pangram",
    "texts/copy.kilobyte",
];

/// Returns the files that `order.rs` should have, with these extensions.
#[must_use]
pub fn expected(extensions: &[&str]) -> BTreeSet<String> {
    let files = BENCHMARKS.iter().flat_map(|directory| {
        let (_, name) = directory.split_once('/').expect("group and benchmark");
        extensions.iter().map(move |it| format!("{directory}/callgrind.{name}.{it}"))
    });
    files.collect()
}

/// Returns the names of the files with results in a directory.
#[must_use]
pub fn names(directory: &Path) -> BTreeSet<String> {
    names_of_results(directory).into_iter().collect()
}

/// Returns benchmarks with results in all slots, which are made once.
#[must_use]
pub fn prepared() -> Suite {
    static FILES: LazyLock<BTreeMap<String, Vec<u8>>> = LazyLock::new(|| {
        let (order, _) = Suite::after("order", &["--save-baseline=main"]);
        for _ in 0..2 {
            let _ = order.report(&[]);
        }
        tree(&order.home())
    });
    let order = Suite::new("order");
    write_tree(&order.home(), &FILES);
    order
}
