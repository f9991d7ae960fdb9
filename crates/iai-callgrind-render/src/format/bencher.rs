//! The output of libtest's benchmarks with another unit: `test NAME ... bench: N instructions/iter (+/- 0)`.

use iai_callgrind_summary::{Range, Summary};

use super::bmf::slug;
use super::document::{Format, Rendering, Syntax};

/// Row in the table of formats.
pub(super) static BENCHER: Format = Format {
    name: "bencher",
    about: "output of libtest's benchmarks, with the first metric",
    syntax: Syntax::Text,
    rendering: Rendering::Each(line),
};

/// Renders the first shown metric, because a line contains only one.
fn line(summary: &Summary) -> String {
    let name = &summary.name;
    let first = summary.tools.iter().find_map(|tool| {
        let name = tool.shown.first()?;
        let metric = tool.total.get(name)?;
        let range = tool.spread.as_ref().and_then(|spread| spread.metrics.get(name));
        let deviation = range.map_or(0.0, Range::width);
        Some((metric.new?, slug(name, &metric.label).replace('-', "_"), deviation))
    });
    match first {
        Some((value, unit, deviation)) => {
            format!("test {name} ... bench: {value:>11} {unit}/iter (+/- {deviation})\n")
        }
        None if summary.error.is_some() => format!("test {name} ... FAILED\n"),
        None => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::fixtures;

    #[test]
    fn lines_as_libtest_has_them() {
        let summaries = [fixtures::summary("a", 1733, None), fixtures::failed("b", "panicked")];
        assert_eq!(
            BENCHER.document(&fixtures::document(&summaries)),
            "test file::group::a::id ... bench:        1733 instructions/iter (+/- 0)\n\
             test file::group::b::id ... FAILED\n"
        );
    }
}
