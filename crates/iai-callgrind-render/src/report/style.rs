//! The colours of the terminal.

use std::cmp::Ordering;

use anstyle::{AnsiColor, Style};
use iai_callgrind_compare::{Change, is_better_if_higher};
use iai_callgrind_plan::metric::MetricKind;

/// The colour of names.
pub const PATH: Style = AnsiColor::Green.on_default();
pub(super) const ID: Style = AnsiColor::Cyan.on_default();
pub(super) const ARGUMENTS: Style = AnsiColor::Blue.on_default().bold();
/// The colour of new values.
pub const NEW: Style = Style::new().bold();
/// The colour of what did not change.
pub const FAINT: Style = AnsiColor::BrightBlack.on_default();
/// The colour of worse values.
pub const WORSE: Style = AnsiColor::BrightRed.on_default().bold();
/// The colour of better values.
pub const BETTER: Style = AnsiColor::BrightGreen.on_default().bold();
pub(super) const ERROR: Style = AnsiColor::Red.on_default().bold();

/// Returns the colour of a change of a metric.
pub(super) fn style_of(kind: MetricKind, change: Change) -> Style {
    match (change.direction(), is_better_if_higher(kind)) {
        (None | Some(Ordering::Equal), _) => FAINT,
        (Some(Ordering::Greater), false) | (Some(Ordering::Less), true) => WORSE,
        (Some(Ordering::Less), false) | (Some(Ordering::Greater), true) => BETTER,
    }
}
