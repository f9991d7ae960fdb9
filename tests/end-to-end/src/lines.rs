//! The lines of metrics below the titles of benchmarks.

use std::collections::BTreeMap;

/// A line of a benchmark: its label, the two values and the change, as printed.
pub type Line<'a> = [&'a str; 4];

/// Returns the lines below each title.
#[must_use]
pub fn blocks(stdout: &str) -> BTreeMap<&str, Vec<Line<'_>>> {
    let mut blocks: BTreeMap<_, Vec<_>> = BTreeMap::new();
    let mut title = "";
    for text in stdout.lines().take_while(|line| !line.is_empty()) {
        match text.strip_prefix("  ") {
            Some(text) => blocks.entry(title).or_default().extend(line(text)),
            None if text.starts_with("limit exceeded") => {}
            None => {
                title = text;
                blocks.insert(title, Vec::new());
            }
        }
    }
    blocks
}

fn line(text: &str) -> Option<Line<'_>> {
    let (label, rest) = text.split_once(':')?;
    let (new, rest) = rest.split_once('|')?;
    let (old, change) = rest.split_once('(')?;
    Some([label, new.trim(), old.trim(), change])
}

/// Returns the lines between the title of a benchmark and its metrics: what it printed, and the line of the end.
///
/// # Panics
///
/// Panics if there is no such title.
#[track_caller]
pub fn printed(stdout: &str, is_title: impl Fn(&str) -> bool) -> Vec<&str> {
    let mut lines = stdout.lines().skip_while(|line| !is_title(line));
    assert!(lines.next().is_some(), "no such title in\n{stdout}");
    lines.take_while(|line| !line.starts_with("  Instructions:")).collect()
}

/// Returns the lines of the only benchmark that ran.
#[must_use]
pub fn only(stdout: &str) -> Vec<Line<'_>> {
    let mut blocks = blocks(stdout);
    assert_eq!(blocks.len(), 1, "{stdout}");
    blocks.pop_first().expect("there is one").1
}

/// Returns the labels of these lines.
#[must_use]
pub fn labels<'a>(lines: &[Line<'a>]) -> Vec<&'a str> {
    lines.iter().map(|[label, ..]| *label).collect()
}

/// Returns the number in the line with this label.
#[must_use]
pub fn value(lines: &[Line<'_>], label: &str) -> f64 {
    let found = lines.iter().find(|line| line[0] == label);
    let [_, new, ..] = found.unwrap_or_else(|| panic!("no {label} in {lines:?}"));
    new.parse().expect("a number")
}

/// Returns the lines below the title of a benchmark after those of callgrind's six metrics, without repeated spaces.
#[must_use]
pub fn counters(stdout: &str, title: &str) -> Vec<String> {
    let mut lines = stdout.lines().skip_while(|line| *line != title);
    assert!(lines.next().is_some(), "no {title} in\n{stdout}");
    let lines = lines.map_while(|line| line.strip_prefix("  ")).skip(6);
    lines.map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ")).collect()
}
