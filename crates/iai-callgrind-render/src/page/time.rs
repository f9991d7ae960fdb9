//! The time of a benchmark: its verdict, and the observations that it is from.

use iai_callgrind_base::{note::counted, numbers::grouped};
use iai_callgrind_summary::time::{Estimate, Time, TimeVerdict};
use iai_callgrind_timing::text::{self, change, change_interval, duration, duration_interval};
use maud::{Markup, html};

use super::entry::Entry;
use super::layout::path;
use crate::chart::observations_chart;
use crate::format::time_verdict;

/// Returns the section about the time of a benchmark.
pub(super) fn section(time: &Time) -> Markup {
    let ratio = time.ratio.as_ref().map(|ratio| &ratio.wall);
    let number = time.processes.to_string();
    let units = match (time.layouts, &time.ratio) {
        (Some(number), _) => format!("{number} layouts of each side"),
        (None, Some(_)) => text::observations(&number, "pair of processes", "pairs of processes"),
        (None, None) => text::observations(&number, "process", "processes"),
    };
    let new = &time.new.wall;
    let old = time.old.as_ref().map(|old| duration(old.wall.value));
    html! {
        section {
            h2 id="time" { "Time" }
            p {
                @if let Some(old) = old.as_ref().filter(|_| ratio.is_some()) { (old) " → " }
                strong { (duration(new.value)) }
                @match ratio {
                    Some(ratio) => {
                        ": " strong { (change(ratio.value, ends(ratio))) }
                        @match ends(ratio) {
                            Some(ends) => { (interval(ends)) },
                            None => { " " (change_interval(None)) },
                        }
                    },
                    None => { " " (duration_interval(new.value, ends(new))) },
                }
                ", from " (units) "."
                @if let Some(verdict) = time_verdict(time) { " Verdict: " strong { (verdict) } "." }
            }
            @if let Some((old, measured)) = old.as_ref().zip(time.old_measured.as_ref()) {
                p { "Stored: " (old) " of " (measured) ". Nothing says how much of the difference is that of the machine." }
            }
            (observations(time))
        }
    }
}

/// Returns true for a benchmark whose time clearly changed.
pub(super) fn is_clear(summary: &iai_callgrind_summary::Summary) -> bool {
    let verdict = summary.time.as_ref().and_then(|time| time.verdict);
    matches!(verdict, Some(TimeVerdict::Slower | TimeVerdict::Faster))
}

/// Returns the time for the headline of a benchmark.
pub(super) fn headline(time: &Time) -> Markup {
    html! { span { "Time " (values(time)) } }
}

/// Returns the sentence about the times of these benchmarks: the numbers of slower and faster ones, and the largest of their
/// changes. That of a slower one comes first.
pub(super) fn summary<'a>(entries: impl Iterator<Item = &'a Entry<'a>>) -> Markup {
    let timed = entries.filter_map(|entry| Some((entry, entry.summary.time.as_ref()?)));
    let timed: Vec<_> = timed.collect();
    let of = |verdict: TimeVerdict| {
        let with = timed.iter().filter(move |(_, time)| time.verdict == Some(verdict));
        with.copied().collect::<Vec<_>>()
    };
    let (slower, faster) = (of(TimeVerdict::Slower), of(TimeVerdict::Faster));
    let size = |(_, time): &(_, &Time)| {
        time.ratio.as_ref().map_or(0.0, |ratio| ratio.wall.value.ln().abs())
    };
    let clear = if slower.is_empty() { &faster } else { &slower };
    let largest = clear.iter().copied().max_by(|one, other| size(one).total_cmp(&size(other)));
    let is_compared = timed.iter().any(|(_, time)| time.ratio.is_some());
    html! { @if let [first, others @ ..] = &*timed {
        p {
            "Time: " (numbers_text([slower.len(), faster.len()], timed.len(), is_compared))
            @match largest {
                Some((entry, time)) => {
                    "; the largest change, "
                    a href=(entry.file) { (path(&entry.summary.name)) } ": " (values(time))
                },
                None if others.is_empty() => { ": " (values(first.1)) },
                None => {},
            }
            "."
        }
    } }
}

/// Returns the numbers of slower and faster benchmarks as text.
fn numbers_text([slower, faster]: [usize; 2], all: usize, is_compared: bool) -> String {
    let benchmarks = counted(all, "benchmark");
    let number = |number: usize, of: &str, word| {
        format!("{}{of} {} {word}", grouped(number as u64), if number == 1 { "is" } else { "are" })
    };
    let of_all = format!(" of {benchmarks}");
    match (slower, faster) {
        (0, 0) if is_compared => format!("no clear change of {benchmarks}"),
        (0, 0) => format!("measured for {benchmarks}, not compared"),
        (0, faster) => number(faster, &of_all, "faster"),
        (slower, 0) => number(slower, &of_all, "slower"),
        (slower, faster) => {
            number(slower, &of_all, "slower") + " and " + &number(faster, "", "faster")
        }
    }
}

/// Returns the change of a time with its interval, or the time itself.
fn values(time: &Time) -> Markup {
    let new = &time.new.wall;
    let old = time.old.as_ref().map(|old| duration(old.wall.value));
    html! {
        @match time.ratio.as_ref().map(|ratio| &ratio.wall) {
            Some(ratio) => {
                strong class=(verdict_class(time)) { (change(ratio.value, ends(ratio))) }
                @if let Some(ends) = ends(ratio) { (interval(ends)) }
                @if let Some(old) = old { ", " (old) " → " (duration(new.value)) }
            },
            None => { strong { (duration(new.value)) } " " (duration_interval(new.value, ends(new))) },
        }
    }
}

/// Returns the interval of a change with its name. No number is broken from its unit between lines.
fn interval(ends: (f64, f64)) -> String {
    let interval = format!("{} %", change_interval(Some(ends))).replace(' ', "\u{a0}");
    format!(", 95\u{a0}% interval {interval}")
}

fn verdict_class(time: &Time) -> &'static str {
    match time.verdict {
        Some(TimeVerdict::Slower) => "worse up",
        Some(TimeVerdict::Faster) => "better down",
        _ => "unchanged",
    }
}

/// Returns the cell of a time on the start page, with these classes: its change, or the time itself if there is none.
pub(super) fn cell(time: Option<&Time>, classes: &str) -> Markup {
    let Some(time) = time else { return html! { td class=(classes) {} } };
    let Some(ratio) = time.ratio.as_ref().map(|ratio| &ratio.wall) else {
        return html! { td class=(classes) { (duration(time.new.wall.value)) } };
    };
    let class = verdict_class(time);
    html! { td class=(format!("{classes} {class}")) title=(time_verdict(time).unwrap_or_default()) {
        (change(ratio.value, ends(ratio)))
    } }
}

/// Returns the chart of the observations.
fn observations(time: &Time) -> Markup {
    let (of, on_axis) = match (&time.ratio, time.layouts) {
        (Some(_), Some(_)) => ("layout", "the change of the time"),
        (Some(_), None) => ("pair of processes", "the change of the time"),
        (None, _) => ("process", "the time of a call"),
    };
    let interval = ends(time.ratio.as_ref().map_or(&time.new.wall, |ratio| &ratio.wall));
    let band = if interval.is_some() { ". The band is the 95 % interval" } else { "" };
    let label = format!("Each dot is a {of}: {on_axis}{band}");
    let is_ratio = time.ratio.is_some();
    let text = |value: f64| if is_ratio { change(value, interval) } else { duration(value) };
    observations_chart(&label, &time.observations, interval, is_ratio.then_some(1.0), text)
}

fn ends(estimate: &Estimate) -> Option<(f64, f64)> {
    estimate.low.zip(estimate.high)
}

#[cfg(test)]
mod tests {
    use iai_callgrind_summary::Summary;
    use iai_callgrind_summary::time::Times;

    use super::super::entry::entries;
    use super::super::file_name::FileNames;
    use super::*;
    use crate::format::sample_summaries::summary as counted_summary;

    /// Returns the sentence about benchmarks with these times relative to the old ones, without tags.
    fn text(changes: &[(f64, TimeVerdict)]) -> String {
        let estimate = |value: f64| Times {
            wall: Estimate { value, low: Some(value * 0.99), high: Some(value * 1.01) },
            cpu: None,
        };
        let timed = |(index, &(ratio, verdict)): (usize, &(f64, TimeVerdict))| Summary {
            time: Some(Time {
                new: estimate(100.0 * ratio),
                old: Some(estimate(100.0)),
                old_measured: None,
                ratio: Some(estimate(ratio)),
                verdict: Some(verdict),
                exceeded_limit: None,
                processes: 8,
                layouts: None,
                samples: 8,
                calls: 1,
                observations: Vec::new(),
                rates: Vec::new(),
            }),
            ..counted_summary(&format!("f{index}"), 1, Some(1))
        };
        let summaries: Vec<_> = changes.iter().enumerate().map(timed).collect();
        let entries = entries(&summaries, &mut FileNames::default());
        let parts = summary(entries.iter()).into_string();
        let parts =
            parts.split('<').map(|part| part.split_once('>').map_or(part, |(_, text)| text));
        parts.collect::<String>().replace('\u{a0}', " ")
    }

    #[test]
    fn a_sentence_has_the_largest_clear_change_with_its_interval() {
        use TimeVerdict::{Chance, Faster, NoDifference, Slower};
        assert_eq!(text(&[]), "");
        assert_eq!(
            text(&[(1.2, Slower), (0.2, Faster), (11.867, Slower), (20.0, Chance)]),
            "Time: 2 of 4 benchmarks are slower and 1 is faster; the largest change, \
             file::group::f2::id: +1,086.7 %, 95 % interval [+1,074.8, +1,098.6] %, 100.0 ns → 1.187 µs."
        );
        assert_eq!(
            text(&[(0.5, Faster), (1.0, NoDifference)]),
            "Time: 1 of 2 benchmarks is faster; the largest change, \
             file::group::f0::id: -50.0 %, 95 % interval [-50.5, -49.5] %, 100.0 ns → 50.00 ns."
        );
        assert_eq!(text(&[(1.0, NoDifference); 2]), "Time: no clear change of 2 benchmarks.");
        assert_eq!(
            text(&[(1.0, NoDifference)]),
            "Time: no clear change of 1 benchmark: +0.0 %, 95 % interval [-1.0, +1.0] %, 100.0 ns → 100.0 ns."
        );
    }
}
