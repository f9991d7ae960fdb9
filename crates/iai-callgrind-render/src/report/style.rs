//! The colours of changes.

use std::cmp::Ordering;

use anstyle::Style;
use iai_callgrind_base::console::style::{BETTER, FAINT, WORSE};
use iai_callgrind_compare::Change;
use iai_callgrind_plan::metric::MetricKind;

/// Returns the colour of a change of a metric.
pub(super) fn style_of(kind: MetricKind, change: Change) -> Style {
    match (change.direction(), kind.is_better_if_higher()) {
        (None | Some(Ordering::Equal), _) => FAINT,
        (Some(Ordering::Greater), false) | (Some(Ordering::Less), true) => WORSE,
        (Some(Ordering::Less), false) | (Some(Ordering::Greater), true) => BETTER,
    }
}
