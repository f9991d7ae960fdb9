//! Benchmarks of unicode-width.

use std::hint::black_box;

use iai_callgrind::{library_benchmark, library_benchmark_group, main};
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

const ASCII: &str = "The quick (\"brown\") fox can't jump 32.3 feet, right?";
const LATIN: &str = "Änderungen größerer Maßstäbe: das Äußere überzeugt, e\u{301}cole.";
const WIDE: &str = "日本語の文字は広い。한국어도 그렇다.";
const EMOJI: &str = "👩‍👩‍👧‍👦🇩🇪🇫🇷 and 👍🏽 ☺️";
const ARABIC: &str = "السلام عليكم لا إله";

#[library_benchmark]
#[bench::empty("")]
#[bench::ascii(ASCII)]
#[bench::latin(LATIN)]
#[bench::wide(WIDE)]
#[bench::emoji(EMOJI)]
#[bench::arabic(ARABIC)]
fn width(text: &str) -> usize {
    black_box(text).width()
}

#[library_benchmark]
#[bench::latin(LATIN)]
#[bench::wide(WIDE)]
fn width_cjk(text: &str) -> usize {
    black_box(text).width_cjk()
}

#[library_benchmark]
#[bench::ascii(ASCII)]
#[bench::wide(WIDE)]
#[bench::emoji(EMOJI)]
fn width_of_characters(text: &str) -> usize {
    black_box(text).chars().filter_map(UnicodeWidthChar::width).sum()
}

library_benchmark_group!(name = all; benchmarks = width, width_cjk, width_of_characters);

main!(library_benchmark_groups = all);
