//! Explanations in words.

use std::io::Write as _;
use std::iter;

use iai_callgrind_explain::{CodeChange, Entry, Verdict};

use iai_callgrind_plan::metric::{Value, digits};
use iai_callgrind_summary::explanation as summary;

use crate::compare::{Change, NoiseFloor, WithinNoise};
use crate::console;
use crate::error::{Error, Result};
use crate::explanation::{ChangedFile, ChangedFiles, Explained, Explanation};
use crate::fingerprint::{FingerprintChange, changes_text};
use crate::report::PATH;

/// The share of all changes that the shown entries have, if there are enough of them.
const SHARE: f64 = 0.95;

/// The number of things of one kind in a line.
const LISTED: usize = 3;

/// The number of digits of a commit that are shown.
const SHORT: usize = 7;

/// Returns the lines of an explanation, at most this number if it is not smaller than the five that each one has.
pub(super) fn lines(explanation: &Explanation, most: usize) -> Vec<String> {
    match explanation {
        Ok(explained) => known(explained, most),
        Err(reason) => vec![format!("no explanation: {reason}")],
    }
}

/// Prints explanations of at most this number of lines below the names of their benchmarks.
pub(crate) fn print_explanations(
    explanations: &[(String, Explanation)],
    most: usize,
) -> Result<()> {
    let mut output = console::stdout();
    let mut print = || {
        for (name, explanation) in explanations {
            writeln!(output, "{PATH}{name}{PATH:#}")?;
            lines(explanation, most).iter().try_for_each(|line| writeln!(output, "  {line}"))?;
            writeln!(output)?;
        }
        output.flush()
    };
    Error::of_output(print())
}

/// Summarizes an explanation, with a text of at most this number of lines.
pub(crate) fn summary(explanation: &Explanation, most: usize) -> summary::Explanation {
    let text = lines(explanation, most);
    let Ok(Explained { difference, changed_files, noise }) = explanation else {
        let (entries, executed_in) = (Vec::new(), Vec::new());
        return summary::Explanation {
            verdict: summary::Verdict::Unknown,
            text,
            entries,
            executed_in,
            changed_files: None,
            noise: None,
        };
    };
    let all: u64 = difference.entries.iter().map(|entry| entry.old.abs_diff(entry.new)).sum();
    let entry = |entry: &Entry| summary::Entry {
        function: entry.owner.clone(),
        file: Some(entry.file.clone()).filter(|file| !file.is_empty()),
        line: line(entry),
        kind: code(entry.code).0,
        old: entry.old,
        new: entry.new,
        share: entry.old.abs_diff(entry.new) as f64 / all as f64,
    };
    let executed_in = |(function, change): &(String, i64)| summary::ExecutedIn {
        function: function.clone(),
        change: *change,
    };
    let file =
        |file: &ChangedFile| summary::ChangedFile { path: file.path.clone(), runs: file.runs };
    summary::Explanation {
        verdict: kind(&difference.verdict),
        text,
        entries: difference.entries.iter().map(entry).collect(),
        executed_in: difference.executed_in.iter().map(executed_in).collect(),
        changed_files: changed_files.as_ref().map(|changed| summary::ChangedFiles {
            old: changed.old.clone(),
            new: changed.new.clone(),
            files: changed.files.iter().map(file).collect(),
        }),
        noise: noise.as_ref().map(summary_noise),
    }
}

fn summary_noise(noise: &WithinNoise) -> summary::Noise {
    let floor = |floor: &NoiseFloor| {
        let NoiseFloor { kind, largest, percentage } = *floor;
        (kind.name().to_owned(), summary::NoiseFloor { largest, percentage })
    };
    summary::Noise { pairs: noise.pairs, metrics: noise.floors.iter().map(floor).collect() }
}

fn kind(verdict: &Verdict) -> summary::Verdict {
    match verdict {
        Verdict::Environment(_) => summary::Verdict::Environment,
        Verdict::Equal => summary::Verdict::Equal,
        Verdict::Caches => summary::Verdict::Caches,
        Verdict::ChangedLines(_) => summary::Verdict::ChangedLines,
        Verdict::DataAddresses => summary::Verdict::DataAddresses,
        Verdict::Spread => summary::Verdict::Spread,
        Verdict::Calls(_) => summary::Verdict::Calls,
        Verdict::OtherInFile(_) | Verdict::OtherFiles { .. } => summary::Verdict::OtherInFile,
        Verdict::CodeGeneration { .. } => summary::Verdict::CodeGeneration,
    }
}

fn known(explained: &Explained, most: usize) -> Vec<String> {
    let Explained { difference, changed_files, noise } = explained;
    let (old, new) = (difference.old, difference.new);
    let verdict = verdict(&difference.verdict, difference.has_debug_info);
    let files = changed_files.as_ref().map(files);
    let noise = noise.as_ref().map(within_noise);
    if old == new {
        return iter::once(verdict).chain(noise).chain(files).collect();
    }
    let change = Change::between(Some(Value::Count(new)), Some(Value::Count(old)));
    let mut lines = vec![format!(
        "{} instructions ({}): {verdict}",
        signed(old, new),
        change.percentage_text()
    )];
    lines.extend(noise);
    let executed = difference.executed_in.iter().take(LISTED);
    let executed: Vec<_> = executed.map(|(name, change)| format!("{name} {change:+}")).collect();
    let executed = (!executed.is_empty()).then(|| format!("executed in {}", executed.join(", ")));
    // The lines so far and the last one
    let others = lines.len() + 1 + usize::from(executed.is_some()) + usize::from(files.is_some());
    let (entries, share) = difference.most(SHARE, most.saturating_sub(others).max(1));
    let width = entries.iter().map(|entry| signed(entry.old, entry.new).len()).max().unwrap_or(0);
    for entry in entries {
        lines.push(format!("{:>width$}  {}", signed(entry.old, entry.new), description(entry)));
    }
    lines.extend(executed.into_iter().chain(files));
    let number = entries.len();
    let unknown = if difference.has_debug_info { "" } else { "; `debug = 1` would name functions" };
    let percent = (share * 100.0).floor();
    lines.push(format!(
        "{number} of {} explain {percent} % of all changes{unknown}",
        difference.entries.len()
    ));
    lines
}

/// Returns the line about the metrics that changed within the noise.
fn within_noise(noise: &WithinNoise) -> String {
    let floor = |floor: &NoiseFloor| {
        let NoiseFloor { kind, largest, percentage } = floor;
        let share = percentage.map_or_else(String::new, |share| format!(" ({} %)", digits(share)));
        format!("{} by up to {largest}{share}", kind.label())
    };
    let floors: Vec<_> = noise.floors.iter().map(floor).collect();
    format!(
        "within the noise: commits that did not touch this code moved {} ({} pairs)",
        floors.join(", "),
        noise.pairs
    )
}

/// Returns the line about the files that changed.
fn files(changed: &ChangedFiles) -> String {
    let ChangedFiles { old, new, files } = changed;
    let short = |commit: &str| commit.get(..SHORT).unwrap_or(commit).to_owned();
    let since = if old == new {
        format!("since {}", short(old))
    } else {
        format!("between {} and {}", short(old), short(new))
    };
    if files.is_empty() {
        return format!("no file changed {since}");
    }
    let shown = files.iter().take(LISTED).map(|file| {
        let runs = if file.runs == Some(true) { " (runs in this benchmark)" } else { "" };
        format!("{}{runs}", file.path)
    });
    let shown = shown.collect::<Vec<_>>().join(", ");
    let more = match files.len().saturating_sub(LISTED) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let none = files.iter().all(|file| file.runs == Some(false));
    let none = if none { "no changed file runs in this benchmark; " } else { "" };
    format!("{none}changed {since}: {shown}{more}")
}

/// Returns the difference with its sign.
fn signed(old: u64, new: u64) -> String {
    let sign = if new < old { '-' } else { '+' };
    format!("{sign}{}", old.abs_diff(new))
}

fn verdict(verdict: &Verdict, has_debug_info: bool) -> String {
    let advice = |several_units: bool| {
        if several_units { "; `codegen-units = 1` makes this rare" } else { "" }
    };
    match verdict {
        Verdict::Environment(differences) => {
            let changes = differences.iter().cloned();
            let changes = changes.map(|(name, old, new)| FingerprintChange { name, old, new });
            format!("the environment differs: {}", changes_text(&changes.collect::<Vec<_>>()))
        }
        Verdict::Equal => "no difference".to_owned(),
        Verdict::Caches => "the same instructions, only accesses to caches moved".to_owned(),
        Verdict::ChangedLines(lines) => {
            // A new line is more useful than the one in its place before
            let (new, old): (Vec<_>, Vec<_>) = lines.iter().partition(|line| line.is_new);
            let removed =
                if new.is_empty() { "removed lines ran" } else { "lines that you changed run" };
            let shown = if new.is_empty() { &old } else { &new };
            let places: Vec<_> = shown
                .iter()
                .take(LISTED)
                .map(|line| format!("{}:{}", line.file, line.line))
                .collect();
            let more = if shown.len() > LISTED { ", …" } else { "" };
            format!("{removed} ({}{more})", places.join(", "))
        }
        Verdict::DataAddresses => "not your change: data is at another address".to_owned(),
        Verdict::Spread => "within the spread of this benchmark".to_owned(),
        Verdict::Calls(calls) if calls.is_empty() => {
            "the same machine code runs more or less often".to_owned()
        }
        Verdict::Calls(calls) => {
            let calls = calls.iter().take(LISTED);
            let calls: Vec<_> =
                calls.map(|(name, old, new)| format!("{name} {old} -> {new} times")).collect();
            format!("the same lines make other calls ({})", calls.join(", "))
        }
        Verdict::OtherInFile(files) => {
            format!("the same lines run, something else in {} changed", files.join(", "))
        }
        Verdict::OtherFiles { packages, several_units } => {
            let name = |package: &String| match &**package {
                "" => "the package".to_owned(),
                member => member.to_owned(),
            };
            let packages: Vec<_> = packages.iter().take(LISTED).map(name).collect();
            // Without debug information it is not known which lines run
            let same =
                if has_debug_info { "the same files run, something else" } else { "something" };
            format!("{same} in {} changed{}", packages.join(", "), advice(*several_units))
        }
        Verdict::CodeGeneration { several_units } => {
            format!("the same source, other machine code{}", advice(*several_units))
        }
    }
}

/// Describes the change of an owner: the kind, the calls, the line.
fn description(entry: &Entry) -> String {
    let mut parts = Vec::new();
    parts.extend(code(entry.code).1.map(str::to_owned));
    parts.extend(calls(entry));
    if let Some(place) = place(entry) {
        parts.push(place);
    }
    let more = |old, new| old > 0 && new > 0;
    parts.extend(entry.callees.iter().take(1).map(|(name, old, new)| {
        if more(*old, *new) {
            format!("calls {name} {old} -> {new} times")
        } else if *new > 0 {
            format!("now calls {name} {new} times")
        } else {
            format!("no longer calls {name}")
        }
    }));
    // Costs of both sides, of which a twentieth may be split by assumption
    if entry.assumed * 20 > entry.old + entry.new {
        parts.push("in part split between callers by assumption".to_owned());
    }
    let owner = entry.owner.as_deref().unwrap_or("no owner");
    if parts.is_empty() { owner.to_owned() } else { format!("{owner}: {}", parts.join(", ")) }
}

/// Returns the kind of the change of a function, and its description if there is something to say.
fn code(change: CodeChange) -> (summary::Kind, Option<&'static str>) {
    use summary::Kind;
    match change {
        CodeChange::New => (Kind::New, Some("new")),
        CodeChange::Gone => (Kind::Gone, Some("gone")),
        CodeChange::None => (Kind::Calls, Some("only by its calls")),
        CodeChange::Same => (Kind::SameCode, Some("same machine code")),
        CodeChange::Other => (Kind::OtherCode, Some("other machine code")),
        CodeChange::Inlined => (Kind::Inlined, Some("inlined now")),
        CodeChange::NoLongerInlined => (Kind::NoLongerInlined, Some("no longer inlined")),
        CodeChange::InCallers => (Kind::InCallers, Some("inlined")),
        CodeChange::Unknown => (Kind::Unknown, None),
    }
}

/// Returns the number of calls, and the cost of a call if it changed.
fn calls(entry: &Entry) -> Option<String> {
    let (before, after) = entry.calls;
    if before == 0 || after == 0 {
        return None;
    }
    if before != after {
        return Some(format!("called {before} -> {after} times"));
    }
    let [old, new] = [entry.old, entry.new].map(|cost| cost as f64 / before as f64);
    Some(format!("{old:.1} -> {new:.1} a call"))
}

/// Returns the line with the largest change.
fn place(entry: &Entry) -> Option<String> {
    let site = entry.sites.first()?;
    let via = site.via.as_ref().map_or_else(String::new, |via| format!(" in {via}"));
    match (&*site.file, line(entry)) {
        ("", _) => (!via.is_empty()).then(|| via.trim_start().to_owned()),
        (file, None) => Some(format!("{file}{via}")),
        (file, Some(line)) => Some(format!("{file}:{line}{via}")),
    }
}

/// Returns the number of the line that says most about a change.
fn line(entry: &Entry) -> Option<u32> {
    let changed = entry.changed_lines.iter().find(|line| line.is_new).map(|line| line.line);
    changed.or_else(|| entry.sites.first().map(|site| site.line)).filter(|line| *line > 0)
}
