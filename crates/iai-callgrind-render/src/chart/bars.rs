//! Bars of costs and of their changes. The numbers are next to them, so that they are hidden from screen readers.

use std::cmp::Ordering;

use iai_callgrind_base::numbers::extent;
use maud::{Markup, html};

use super::axis::Axis;

/// Changes beyond this percentage have a bar of the same length.
const LONGEST: f64 = 1000.0;

/// Minimum difference of lengths that is visible, as a part of the longest bar.
const ALIKE: f64 = 0.1;

/// The scale of changes that are shown below each other. The old value is a line, from which bars extend to both sides.
///
/// There is no axis if all changes are about the same, so that bars would say nothing.
pub struct ChangeScale(Option<Axis>);

impl ChangeScale {
    /// Returns the scale of these percentages.
    pub fn of(percentages: impl Iterator<Item = f64>) -> Self {
        let (lowest, highest) = extent(percentages.map(|percentage| percentage.min(LONGEST)));
        let (least, most) = (lowest.min(0.0), highest.max(0.0));
        let are_alike = highest - lowest < ALIKE * most.max(-least);
        Self((!are_alike && most > least).then(|| Axis::linear(least, most)))
    }

    /// Returns the bar of a change; nothing if all bars would look alike.
    pub fn bar(&self, percentage: f64, class: &str) -> Markup {
        let Some(axis) = self.0 else { return html! {} };
        let place = |percentage: f64| axis.place(percentage.min(LONGEST)) * 100.0;
        let (zero, end) = (place(0.0), place(percentage));
        let (start, width) = (zero.min(end), (end - zero).abs().max(0.5));
        let style = format!("--zero:{zero:.1}%;--start:{start:.1}%;--width:{width:.1}%");
        html! {
            span class=(format!("track {}", class)) style=(style) aria-hidden="true" { span {} }
        }
    }
}

/// Returns the bars of an old and of a new cost, one below the other.
pub fn old_and_new(old: u64, new: u64, largest: u64) -> Markup {
    let class = match new.cmp(&old) {
        Ordering::Greater => "pair worse",
        Ordering::Less => "pair better",
        Ordering::Equal => "pair",
    };
    let part = |cost: u64| cost as f64 / largest.max(1) as f64 * 100.0;
    let style = format!("--old:{:.1}%;--new:{:.1}%", part(old), part(new));
    html! { span class=(class) style=(style) aria-hidden="true" { span {} span {} } }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_go_from_the_old_value_to_both_sides() {
        let scale = ChangeScale::of([-50.0, 150.0].into_iter());
        let style = |percentage| scale.bar(percentage, "").into_string();
        assert!(style(150.0).contains("--zero:25.0%;--start:25.0%;--width:75.0%"));
        assert!(style(-50.0).contains("--start:0.0%;--width:25.0%"));
        let scale = ChangeScale::of([f64::INFINITY, 100.0].into_iter());
        assert!(scale.bar(f64::INFINITY, "").into_string().contains("--width:100.0%"));
        for alike in [&[7.0][..], &[139.0, 138.0, 138.6], &[-50.0, -49.0], &[f64::INFINITY, 2e3]] {
            assert_eq!(ChangeScale::of(alike.iter().copied()).bar(alike[0], "").into_string(), "");
        }
        let scale = ChangeScale::of(std::iter::empty());
        assert_eq!(scale.bar(0.0, "").into_string(), "");
        let pair = old_and_new(5, 10, 20).into_string();
        assert!(pair.contains("pair worse") && pair.contains("--old:25.0%;--new:50.0%"), "{pair}");
        assert!(old_and_new(0, 0, 0).into_string().contains("--old:0.0%"));
    }
}
