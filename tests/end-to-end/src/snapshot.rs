//! Compares a run's output with a file, without what varies from machine to machine.

use std::env;
use std::fs;

use crate::checkout;

/// The directory of the snapshots, in the workspace.
const DIRECTORY: &str = "tests/end-to-end/tests/e2e/snapshots";

/// The largest difference between the instructions of a benchmark and those in the documentation that another
/// compiler may cause.
const TOLERANCE: u64 = 40;

/// Demands that a text is the one in the snapshot with this name. `SNAPSHOTS=overwrite` in the environment
/// writes the snapshot instead.
#[track_caller]
pub fn assert_snapshot(text: &str, name: &str) {
    let path = checkout().join(DIRECTORY).join(name);
    if env::var_os("SNAPSHOTS").is_some_and(|value| value == "overwrite") {
        fs::write(&path, text).expect("the snapshot can be written");
    }
    let expected = fs::read_to_string(&path).unwrap_or_default();
    assert!(
        text == expected,
        "{} differs\n--- expected\n{expected}--- found\n{text}",
        path.display()
    );
}

/// Puts documented numbers in the place of instructions and hides the
/// digits of the other values, which depend on the compiler's code layout, and of the seconds. The
/// widths of all columns stay as they are. `documented` pairs a number of this architecture, which the instructions come
/// close to, with the one in the documentation.
#[must_use]
pub fn redact(stdout: &str, documented: &[(u64, u64)]) -> String {
    let lines = stdout.lines().map(|line| self::line(line, documented));
    lines.flat_map(|line| [line, "\n".to_owned()]).collect()
}

fn line(line: &str, documented: &[(u64, u64)]) -> String {
    match (line.split_once('|'), line.rsplit_once(" in ")) {
        (Some((new, rest)), _) if line.starts_with("  ") => {
            let (label, new) = new.split_at(new.len().min(19));
            let (old, change) = rest.split_at(rest.len().min(16));
            let known = if label.contains("Instructions:") { documented } else { &[] };
            let (new, old) = (value(new, known), value(old, known));
            format!("{label}{new}|{old}{change}")
        }
        (None, Some((head, seconds))) => format!("{head} in {}", self::seconds(seconds)),
        _ => line.to_owned(),
    }
}

/// Returns a value between spaces with its number replaced.
fn value(column: &str, known: &[(u64, u64)]) -> String {
    let Ok(number) = column.trim().parse::<u64>() else { return column.to_owned() };
    let text = match known.iter().find(|(here, _)| here.abs_diff(number) <= TOLERANCE) {
        Some((_, documented)) => documented.to_string(),
        None => "#".to_owned(),
    };
    let width = column.len();
    if column.starts_with(' ') { format!("{text:>width$}") } else { format!("{text:<width$}") }
}

/// Replaces seconds with two digits behind the point.
fn seconds(text: &str) -> String {
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    match text.strip_suffix(" s").and_then(|text| text.split_once('.')) {
        Some((whole, part)) if digits(whole) && digits(part) && part.len() == 2 => "#.## s".into(),
        _ => text.to_owned(),
    }
}
