//! The output of libtest's benchmarks with another unit: `test NAME ... bench: N instructions/iter (+/- 0)`.

use iai_callgrind_summary::{Range, Summary};

use super::bmf::slug;
use super::changes::first_shown;
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
    match first_shown(summary) {
        Some((tool, metric_name, metric, value)) => {
            let unit = slug(metric_name, &metric.label).replace('-', "_");
            let range = tool.spread.as_ref().and_then(|spread| spread.metrics.get(metric_name));
            let deviation = range.map_or(0.0, Range::width);
            format!("test {name} ... bench: {value:>11} {unit}/iter (+/- {deviation})\n")
        }
        None if summary.error.is_some() => format!("test {name} ... FAILED\n"),
        None => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::sample_summaries;

    #[test]
    fn lines_as_libtest_has_them() {
        let summaries =
            [sample_summaries::summary("a", 1733, None), sample_summaries::failed("b", "panicked")];
        assert_eq!(
            BENCHER.document(&sample_summaries::document(&summaries)),
            "test file::group::a::id ... bench:        1733 instructions/iter (+/- 0)\n\
             test file::group::b::id ... FAILED\n"
        );
    }
}
