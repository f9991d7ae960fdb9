//! The formats of reports, each a row in a table and a file.

mod bencher;
mod bmf;
mod causes;
mod changes;
mod document;
mod file;
mod github_action_benchmark;
mod google_benchmark;
mod json;
mod junit;
mod markdown;
mod reports;
#[cfg(test)]
pub(crate) mod sample_summaries;
mod times;

use self::bencher::BENCHER;
use self::bmf::BMF;
pub(crate) use self::causes::CauseRank;
pub use self::causes::{CauseGroup, cause, group_by_cause, range_text};
pub use self::changes::{
    Category, benchmark_change, change, deciding, is_better_if_higher, is_changed, largest_change,
    metric_value, shown,
};
pub(crate) use self::changes::{Numbers, first_shown, largest_other};
pub use self::document::{Document, Format};
pub use self::file::{DATA, ReportFile};
use self::github_action_benchmark::GITHUB_ACTION_BENCHMARK;
use self::google_benchmark::GOOGLE_BENCHMARK;
use self::json::{JSON, PRETTY_JSON};
use self::junit::JUNIT;
use self::markdown::MARKDOWN;
pub use self::reports::{Reports, TextForm};
pub use self::times::time_verdict;

/// Formats in the order of `--help`.
pub static FORMATS: &[&Format] = &[
    &JSON,
    &PRETTY_JSON,
    &MARKDOWN,
    &BMF,
    &GITHUB_ACTION_BENCHMARK,
    &BENCHER,
    &JUNIT,
    &GOOGLE_BENCHMARK,
];

/// Returns the format with this name.
pub fn find(name: &str) -> Option<&'static Format> {
    FORMATS.iter().copied().find(|format| format.name == name)
}
