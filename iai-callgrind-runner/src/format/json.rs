//! Summaries as they are: an object for each benchmark.

use super::document::{Format, Write};

/// A line for each benchmark.
pub(crate) static JSON: Format = Format {
    name: "json",
    about: "a JSON object on one line for each benchmark",
    write: Write::Each(|summary| line(serde_json::to_string(summary))),
};

/// The same, indented.
pub(crate) static PRETTY_JSON: Format = Format {
    name: "pretty-json",
    about: "the same indented",
    write: Write::Each(|summary| line(serde_json::to_string_pretty(summary))),
};

/// Nothing in a summary is without a form in JSON: its maps have text as keys, and its numbers are finite.
fn line(json: serde_json::Result<String>) -> String {
    json.map(|json| json + "\n").unwrap_or_default()
}
