//! Functions of the crate unicode_segmentation.

use iai_callgrind::library_benchmark;
use unicode_segmentation::UnicodeSegmentation as _;

use crate::inputs::{text, unicode};

#[library_benchmark(setup = unicode)]
#[bench::n(300)]
fn graphemes(text: String) -> usize {
    text.graphemes(true).count()
}

#[library_benchmark(setup = text)]
#[bench::n(100)]
fn words(text: String) -> usize {
    text.unicode_words().count()
}

#[library_benchmark(setup = unicode)]
#[bench::n(200)]
fn word_bounds(text: String) -> usize {
    text.split_word_bounds().map(str::len).max().unwrap_or(0)
}

#[library_benchmark(setup = text)]
#[bench::n(200)]
fn sentences(text: String) -> usize {
    text.unicode_sentences().count()
}
