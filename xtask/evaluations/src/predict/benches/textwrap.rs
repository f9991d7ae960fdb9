//! Functions of the crate textwrap.

use iai_callgrind::library_benchmark;

use crate::inputs::text;

#[library_benchmark(setup = text)]
#[bench::n(200)]
fn fill(text: String) -> String {
    textwrap::fill(&text, 60)
}

#[library_benchmark(setup = |n| textwrap::fill(&text(n), 30))]
#[bench::n(200)]
fn indent(text: String) -> String {
    textwrap::indent(&text, "    ")
}

#[library_benchmark(setup = |n| textwrap::indent(&textwrap::fill(&text(n), 30), "    "))]
#[bench::n(200)]
fn dedent(text: String) -> String {
    textwrap::dedent(&text)
}
