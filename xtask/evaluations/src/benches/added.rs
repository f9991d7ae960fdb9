//! The benchmark that some builds have in addition.

use iai_callgrind::prelude::*;

#[library_benchmark]
#[bench::a("an added text", 17)]
fn added(text: &str, number: usize) -> String {
    let mut words: Vec<_> = text.split(' ').collect();
    words.sort_unstable();
    format!("{words:?} of {number} parts")
}

main!();
