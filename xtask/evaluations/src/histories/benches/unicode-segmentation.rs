//! Benchmarks of unicode-segmentation.

use std::hint::black_box;

use iai_callgrind::{library_benchmark, library_benchmark_group, main};
use unicode_segmentation::{GraphemeCursor, UnicodeSegmentation};

const ASCII: &str = "The quick (\"brown\") fox can't jump 32.3 feet, right? Of course not. It is a fox!";
const MIXED: &str = "Ä größeres Maß: e\u{301}cole, नमस्ते, 日本語の文字, 👩‍👩‍👧‍👦🇩🇪🇫🇷 and и́ 한국어.";

#[library_benchmark]
#[bench::ascii(ASCII)]
#[bench::mixed(MIXED)]
fn graphemes(text: &str) -> usize {
    black_box(text).graphemes(true).count()
}

#[library_benchmark]
#[bench::mixed(MIXED)]
fn graphemes_from_the_end(text: &str) -> usize {
    black_box(text).graphemes(true).rev().count()
}

#[library_benchmark]
#[bench::mixed(MIXED)]
fn grapheme_indices(text: &str) -> usize {
    black_box(text).grapheme_indices(false).map(|(index, _)| index).sum()
}

#[library_benchmark]
#[bench::ascii(ASCII)]
#[bench::mixed(MIXED)]
fn words(text: &str) -> usize {
    black_box(text).unicode_words().count()
}

#[library_benchmark]
#[bench::ascii(ASCII)]
#[bench::mixed(MIXED)]
fn word_bounds(text: &str) -> usize {
    black_box(text).split_word_bounds().count()
}

#[library_benchmark]
#[bench::mixed(MIXED)]
fn word_bounds_from_the_end(text: &str) -> usize {
    black_box(text).split_word_bounds().rev().count()
}

#[library_benchmark]
#[bench::ascii(ASCII)]
#[bench::mixed(MIXED)]
fn sentences(text: &str) -> usize {
    black_box(text).unicode_sentences().count()
}

#[library_benchmark]
#[bench::mixed(MIXED)]
fn cursor(text: &str) -> bool {
    let mut cursor = GraphemeCursor::new(text.len(), text.len(), true);
    matches!(cursor.prev_boundary(black_box(text), 0), Ok(Some(_)))
}

library_benchmark_group!(
    name = all;
    benchmarks = graphemes, graphemes_from_the_end, grapheme_indices, words, word_bounds, word_bounds_from_the_end,
        sentences, cursor
);

main!(library_benchmark_groups = all);
