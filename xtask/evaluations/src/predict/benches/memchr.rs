//! Functions of the crate memchr.

use iai_callgrind::library_benchmark;
use memchr::memmem::Finder;

use crate::inputs::text;

#[library_benchmark(setup = text)]
#[bench::n(2000)]
fn count_before(text: String) -> usize {
    text.bytes().filter(|byte| std::hint::black_box(*byte) == b'b').count()
}

#[library_benchmark(setup = text)]
#[bench::n(2000)]
fn count_after(text: String) -> usize {
    memchr::memchr_iter(b'b', text.as_bytes()).count()
}

#[library_benchmark(setup = text)]
#[bench::n(2000)]
fn find_before(text: String) -> Option<usize> {
    text.find("zebra")
}

#[library_benchmark(setup = text)]
#[bench::n(2000)]
fn find_after(text: String) -> Option<usize> {
    Finder::new("zebra").find(text.as_bytes())
}

#[library_benchmark(setup = text)]
#[bench::n(3000)]
fn of_three(text: String) -> usize {
    memchr::memchr3_iter(b'j', b'k', b' ', text.as_bytes()).fold(0, |sum, at| sum ^ at)
}

#[library_benchmark(setup = text)]
#[bench::n(5000)]
fn last(text: String) -> Option<usize> {
    memchr::memrchr(b'!', text.as_bytes())
}
