//! Explanations in words.

mod cause;
mod changed_lines;
mod summary;

use std::borrow::Cow;
use std::iter;

use iai_callgrind_base::console::style::PATH;
use iai_callgrind_base::invocation::command_line;
use iai_callgrind_base::{
    note::counted,
    numbers::{self, grouped, times},
};
use iai_callgrind_compare::{Change, NoiseFloor, Observations, WithinNoise};
use iai_callgrind_explain::{
    Callee, CodeChange, Difference, Entry, LineChange, NAMELESS, Verdict, in_words,
};
use iai_callgrind_plan::metric::{Value, digits};
use iai_callgrind_results::{ChangedFiles, Explained, Explanation};
use iai_callgrind_store::Slot;
use iai_callgrind_summary::explanation::Kind;
use iai_callgrind_tools::fingerprint::{FingerprintChange, changes_text};

pub(super) use self::cause::{CACHES, cause};
use self::changed_lines::{changed_lines, place};
pub use self::summary::{machine_values, summary};
use super::print::print_text;
use crate::error::Result;

/// The share of all changes that the shown entries have, if there are enough of them.
const SHARE: f64 = 0.95;

/// Maximum number of items of one kind in a line.
const LISTED: usize = 3;

/// Maximum number of source lines of a function.
const LINES: usize = 3;

/// Maximum number of characters of a source line.
const LONGEST_TEXT: usize = 80;

/// Number of lines at the end of an explanation.
const CLOSING: usize = 2;

/// The module with the memory of vectors and strings.
const RAW_VECTOR: &str = "alloc::raw_vec::";

/// A library function is named if it has at least this fraction of all changes.
const NOTABLE: u64 = 10;

/// The number of digits of a commit that are shown.
const SHORT: usize = 7;

/// Returns the lines of an explanation of the benchmark with this name: at most this number, but at least the five that
/// each explanation has.
pub(super) fn lines(name: &str, explanation: &Explanation, most: usize) -> Vec<String> {
    match explanation {
        Ok(explained) => known(name, explained, most),
        Err(reason) => vec![format!("no explanation: {reason}")],
    }
}

/// The explanation of a benchmark's change.
pub struct ExplainedChange {
    /// The line above the explanation.
    pub title: String,
    /// The name of the benchmark.
    pub name: String,
    /// The explanation, or the reason why there is none.
    pub explanation: Explanation,
}

/// Prints explanations of at most this number of lines below the names of their benchmarks.
pub fn print_explanations(explanations: &[ExplainedChange], most: usize) -> Result<()> {
    print_text(|output| {
        for ExplainedChange { title, name, explanation } in explanations {
            writeln!(output, "{PATH}{title}{PATH:#}")?;
            lines(name, explanation, most)
                .iter()
                .try_for_each(|line| writeln!(output, "  {line}"))?;
            writeln!(output)?;
        }
        Ok(())
    })
}

fn known(name: &str, explained: &Explained, most: usize) -> Vec<String> {
    let Explained { difference, slots, changed_files, noise, .. } = explained;
    let (old, new) = (difference.old, difference.new);
    let verdict = verdict(difference);
    let files = changed_files.as_ref().map(files);
    let noise = noise.as_ref().map(within_noise);
    if old == new {
        return iter::once(verdict).chain(noise).chain(files).collect();
    }
    let change = Change::between(Some(Value::Count(new)), Some(Value::Count(old)));
    let mut lines = vec![format!(
        "{} {} ({}): {verdict}",
        numbers::difference(old, new),
        if old.abs_diff(new) == 1 { "instruction" } else { "instructions" },
        change.short_text()
    )];
    lines.extend(noise);
    let executed = executed_in(difference);
    let others = lines.len() + usize::from(executed.is_some()) + usize::from(files.is_some());
    let shown = Shown::select(difference, most.saturating_sub(others + CLOSING));
    lines.extend(shown.lines(explained));
    lines.extend(executed.into_iter().chain(files));
    lines.push(shown.closing(difference));
    if difference.has_debug_info {
        lines.extend(options_of_annotate(slots).map(|options| {
            format!("next: `{} {}{options}`", command_line("annotate"), quoted(name))
        }));
    }
    lines
}

/// Returns the options with which `annotate` compares the results in these slots, the old one first; `None` if it can't.
fn options_of_annotate([old, new]: &[Slot; 2]) -> Option<String> {
    let new_option = match new {
        Slot::Latest => String::new(),
        Slot::Old => return None,
        Slot::Baseline(name) => format!(" --load-baseline={name}"),
    };
    let old_option = match old {
        Slot::Old => String::new(),
        Slot::Latest => return None,
        // The new result took its place
        Slot::Baseline(_) if old == new => return None,
        Slot::Baseline(name) => format!(" --baseline={name}"),
    };
    Some(new_option + &old_option)
}

/// Returns the name of a benchmark as an argument of a command.
fn quoted(name: &str) -> String {
    shlex::try_quote(name).map_or_else(|_| name.to_owned(), Cow::into_owned)
}

/// Returns the line about functions of libraries, if a notable part of the changes was executed in them.
fn executed_in(difference: &Difference) -> Option<String> {
    let all: u64 = difference.entries.iter().map(|entry| entry.old.abs_diff(entry.new)).sum();
    let is_notable =
        |(_, change): &&(String, i64)| change.unsigned_abs().saturating_mul(NOTABLE) >= all;
    let executed = difference.executed_in.iter().filter(is_notable).take(LISTED);
    let executed: Vec<_> =
        executed.map(|(name, change)| format!("{name} {}", change_text(*change))).collect();
    (!executed.is_empty()).then(|| format!("executed in {}", executed.join(", ")))
}

/// Returns a change with its sign.
fn change_text(change: i64) -> String {
    let (old, new) =
        if change < 0 { (change.unsigned_abs(), 0) } else { (0, change.unsigned_abs()) };
    numbers::difference(old, new)
}

/// The functions of an explanation that are shown, each with the number of its lines.
struct Shown<'a> {
    functions: Vec<(&'a Entry, usize)>,
    /// The share of all changes that they have.
    share: f64,
}

impl<'a> Shown<'a> {
    /// Selects functions with their costliest lines in this order, within this number of lines. The costliest line of all
    /// is among them.
    fn select(difference: &'a Difference, most: usize) -> Self {
        let (entries, _) = difference.most(SHARE, usize::MAX);
        let costliest = |entry: &Entry| {
            let costs = entry.lines().into_iter().filter(|line| line.line > 0);
            costs.map(|line| line.change.unsigned_abs()).max().unwrap_or(0)
        };
        let all = &difference.entries;
        let guilty = (0..all.len()).rev().max_by_key(|&index| costliest(&all[index])).unwrap_or(0);
        let mut functions: Vec<(&Entry, usize)> = Vec::new();
        let mut left = most;
        for entry in entries {
            if left < 2 && functions.len() > guilty {
                break;
            }
            let known = entry.lines().iter().filter(|line| line.line > 0).count();
            // The others need a function and a line each
            let needed = 2 * guilty.saturating_sub(functions.len());
            let lines = left.saturating_sub(1 + needed).clamp(1, LINES).min(known);
            left = left.saturating_sub(1 + lines);
            functions.push((entry, lines));
        }
        let size = |entry: &Entry| entry.old.abs_diff(entry.new) as f64;
        let shown: f64 = functions.iter().map(|(entry, _)| size(entry)).sum();
        let all: f64 = all.iter().map(size).sum();
        Self { functions, share: if all > 0.0 { shown / all } else { 1.0 } }
    }

    /// Returns a line for each function, with its source lines below.
    fn lines(&self, explained: &Explained) -> Vec<String> {
        let change = |entry: &Entry| numbers::difference(entry.old, entry.new);
        let mut rows = Vec::new();
        for (entry, number) in &self.functions {
            let (known, unknown): (Vec<_>, Vec<_>) =
                entry.lines().into_iter().partition(|line| line.line > 0);
            let (shown, hidden) = known.split_at(*number);
            let rest = rest(hidden, &unknown).filter(|_| !shown.is_empty());
            let description = description(entry) + &rest.unwrap_or_default();
            rows.push((change(entry), format!("  {description}")));
            rows.extend(shown.iter().map(|line| {
                (change_text(line.change), format!("    {}", source_line(line, explained)))
            }));
        }
        let width = rows.iter().map(|(change, _)| change.len()).max().unwrap_or(0);
        rows.into_iter().map(|(change, text)| format!("{change:>width$}{text}")).collect()
    }

    /// Returns the line with the part of the change that the functions account for.
    fn closing(&self, difference: &Difference) -> String {
        let what = if difference.has_debug_info { "function" } else { "crate" };
        let number = self.functions.len();
        let subject = match number {
            1 => format!("the {what} above accounts"),
            number => format!("the {number} {what}s above account"),
        };
        let share = match difference.entries.len() - number {
            0 => "all of the change".to_owned(),
            more => {
                let percent = (self.share * 100.0).floor();
                // The share is that of the amounts, which can be larger than the change
                let whole = if goes_both_ways(&difference.entries) {
                    "all increases and decreases"
                } else {
                    "the change"
                };
                let are = if more == 1 { "is" } else { "are" };
                format!("{percent} % of {whole}; {more} more {are} not shown")
            }
        };
        let unknown = if difference.has_debug_info {
            ""
        } else {
            "; `debug = 1`, in C++ `-g`, would name functions"
        };
        format!("{subject} for {share}{unknown}")
    }
}

/// Returns `true` if some functions cost more and others less.
fn goes_both_ways(entries: &[Entry]) -> bool {
    entries.iter().any(|entry| entry.new > entry.old)
        && entries.iter().any(|entry| entry.new < entry.old)
}

/// Returns what a function's change contains in addition to the lines that are shown.
fn rest(hidden: &[LineChange<'_>], unknown: &[LineChange<'_>]) -> Option<String> {
    let change: i64 = hidden.iter().chain(unknown).map(|line| line.change).sum();
    let place = match (hidden, unknown) {
        (_, []) => "other lines",
        ([], _) => "unknown lines",
        _ => "other and unknown lines",
    };
    (change != 0).then(|| format!("; {} in {place}", change_text(change)))
}

/// Returns the place of a line, the function that it calls, its text, and whether it changed.
fn source_line(line: &LineChange<'_>, explained: &Explained) -> String {
    let LineChange { file, line: number, is_gone, via, is_changed, .. } = line;
    let via = via.map_or_else(String::new, |via| format!(" in {}", callee(via)));
    let text = match explained.sources.get(&((*file).to_owned(), *number)) {
        Some(text) if !is_gone => format!("  {}", shortened(text)),
        _ => String::new(),
    };
    let changed = match (is_changed, is_gone) {
        (true, true) => "  ← removed",
        (true, false) => "  ← changed",
        (false, _) => "",
    };
    format!("{}{via}{text}{changed}", place(file, *number, *is_gone))
}

/// Returns a line of a source without blanks around it, cut if it is long.
fn shortened(text: &str) -> String {
    let text = text.trim();
    match text.char_indices().nth(LONGEST_TEXT) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// Returns the line about the metrics that changed within the noise.
fn within_noise(noise: &WithinNoise) -> String {
    let floor = |floor: &NoiseFloor| {
        let NoiseFloor { kind, largest, percentage } = floor;
        let share = percentage.map_or_else(String::new, |share| format!(" ({} %)", digits(share)));
        format!("{} by up to {largest}{share}", kind.label())
    };
    let floors: Vec<_> = noise.floors.iter().map(floor).collect();
    let floors = floors.join(", ");
    let Observations { pairs, layouts } = noise.observations;
    match (pairs, layouts) {
        (_, 0) => format!(
            "within the noise: commits that did not touch this code moved {floors} ({pairs} pairs)"
        ),
        (0, _) => format!("within the noise: {layouts} layouts of this code moved {floors}"),
        (_, _) => format!(
            "within the noise: {layouts} layouts of this code and commits that did not touch it moved {floors} ({})",
            counted(pairs, "pair")
        ),
    }
}

/// Returns the line about the files that changed.
fn files(changed: &ChangedFiles) -> String {
    let ChangedFiles { old, new, is_uncommitted, files } = changed;
    let short = |commit: &str| commit.get(..SHORT).unwrap_or(commit).to_owned();
    let since = if old == new {
        format!("since {}", short(old))
    } else {
        let uncommitted = if *is_uncommitted { " with uncommitted changes" } else { "" };
        format!("between {} and {}{uncommitted}", short(old), short(new))
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

/// Returns the differences of the environment as text.
fn environment(differences: &[(String, String, String)]) -> String {
    let changes = differences.iter().cloned();
    let changes = changes.map(|(name, old, new)| FingerprintChange { name, old, new });
    changes_text(&changes.collect::<Vec<_>>())
}

/// Returns the name of the package in this directory of the workspace.
fn package_name(directory: &str) -> String {
    if directory.is_empty() { "the package".to_owned() } else { directory.to_owned() }
}

fn verdict(difference: &Difference) -> String {
    let advice = |several_units: bool| {
        if several_units { "; `codegen-units = 1` makes this rare" } else { "" }
    };
    match &difference.verdict {
        Verdict::Environment(differences) => {
            format!("the environment differs: {}", environment(differences))
        }
        Verdict::Equal => "no difference".to_owned(),
        Verdict::Caches => "the same instructions, only accesses to caches moved".to_owned(),
        Verdict::ChangedLines(lines) => changed_lines(difference, lines),
        Verdict::MachineValues(values) => {
            format!("the same code {}, so its count can vary", in_words(values))
        }
        Verdict::DataAddresses => "not your change: data is at another address".to_owned(),
        Verdict::Spread => "within the spread of this benchmark".to_owned(),
        Verdict::Calls(calls) if calls.is_empty() => {
            "the same machine code runs more or less often".to_owned()
        }
        Verdict::Calls(calls) => {
            let calls = calls.iter().take(LISTED);
            let calls: Vec<_> = calls
                .map(|Callee { name, old, new, .. }| {
                    format!("{} {} → {} times", callee(name), grouped(*old), grouped(*new))
                })
                .collect();
            format!("the same lines make other calls ({})", calls.join(", "))
        }
        Verdict::OtherInFile { files, several_units } => {
            let (files, advice) = (files.join(", "), advice(*several_units));
            format!("the same lines run, something else in {files} changed{advice}")
        }
        Verdict::OtherFiles { packages, several_units } => {
            let packages: Vec<_> =
                packages.iter().take(LISTED).map(|name| package_name(name)).collect();
            let (packages, advice) = (packages.join(", "), advice(*several_units));
            format!("{} in {packages} changed{advice}", running_files(difference))
        }
        Verdict::CodeGeneration { several_units } => {
            format!("the same source, compiled differently{}", advice(*several_units))
        }
    }
}

/// Returns the start of a sentence about another change in the package.
fn running_files(difference: &Difference) -> String {
    // Without debug information, the lines that run are not known
    if !difference.has_debug_info {
        return "something".to_owned();
    }
    let unknown = unknown_files(difference);
    unknown.unwrap_or_else(|| "the same files run, something else".to_owned())
}

/// Returns the start of a sentence about the files that run in one of the results only, if the changed lines in them are not
/// known.
fn unknown_files(difference: &Difference) -> Option<String> {
    let unknown = difference.files.iter().filter(|file| file.differs.is_none());
    let unknown: Vec<_> = unknown.take(LISTED).map(|file| file.path.as_str()).collect();
    let run = if unknown.len() == 1 { "runs" } else { "run" };
    (!unknown.is_empty())
        .then(|| format!("{} {run} in one of the results only, something", unknown.join(", ")))
}

/// Describes the change of an owner: the kind, the calls, the line.
fn description(entry: &Entry) -> String {
    let mut parts = Vec::new();
    parts.extend(code(entry.code).1.map(str::to_owned));
    parts.extend(calls(entry));
    let more = |old, new| old > 0 && new > 0;
    let callee = entry.callees.iter().find(|callee| !callee.is_moved);
    parts.extend(callee.map(|Callee { name, old, new, .. }| {
        let calls = call(name);
        if more(*old, *new) {
            format!("{calls} {} → {} times", grouped(*old), grouped(*new))
        } else if *new > 0 {
            format!("now {calls} {}", times(*new))
        } else {
            format!("no longer {calls}")
        }
    }));
    // The costs of both sides: up to a twentieth may be split by assumption
    if entry.assumed * 20 > entry.old + entry.new {
        parts.push("partly estimated".to_owned());
    }
    let owner = entry.owner.clone().unwrap_or_else(|| outside(entry));
    if parts.is_empty() { owner } else { format!("{owner}: {}", parts.join(", ")) }
}

/// Returns the verb of a call, without the symbols of the allocator, which no source has: `calls f`, `allocates`.
fn call(name: &str) -> Cow<'_, str> {
    match allocator_call(name) {
        Some(verb) => verb.into(),
        None => format!("calls {name}").into(),
    }
}

/// Returns the name of a called function as the source has it.
fn callee(name: &str) -> &str {
    if allocator_call(name).is_some() { "the allocator" } else { name }
}

/// Returns the meaning of a call of the allocator in the third person; `None` for other functions.
fn allocator_call(name: &str) -> Option<&'static str> {
    Some(match name.rsplit("::").next()? {
        "__rust_alloc" | "__rdl_alloc" | "malloc" => "allocates",
        "__rust_alloc_zeroed" | "__rdl_alloc_zeroed" | "calloc" => "allocates zeroed memory",
        "__rust_dealloc" | "__rdl_dealloc" | "free" => "frees memory",
        "__rust_realloc" | "__rdl_realloc" | "realloc" => "reallocates",
        // Those of C++, with the types of their arguments
        function if function.starts_with("operator new") => "allocates",
        function if function.starts_with("operator delete") => "frees memory",
        _ if name.starts_with(RAW_VECTOR) => "reallocates",
        _ => return None,
    })
}

/// Returns the name of costs without an owner: the function with the largest change, if it has a name.
fn outside(entry: &Entry) -> String {
    let via = entry.sites.first().and_then(|site| site.via.as_deref());
    let known = via.filter(|name| *name != NAMELESS).unwrap_or("libc, loader");
    format!("outside your code ({known})")
}

/// Returns the kind of the change of a function, and its description if there is something to say.
fn code(change: CodeChange) -> (Kind, Option<&'static str>) {
    match change {
        CodeChange::New => (Kind::New, Some("new")),
        CodeChange::Gone => (Kind::Gone, Some("gone")),
        CodeChange::None => (Kind::Calls, Some("only by its calls")),
        CodeChange::Same => (Kind::SameCode, Some("same machine code")),
        CodeChange::Other => (Kind::OtherCode, Some("compiled differently")),
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
        return Some(format!("called {} → {} times", grouped(before), grouped(after)));
    }
    let [old, new] = [entry.old, entry.new].map(|cost| per_call(cost, before));
    Some(format!("{old} → {new} instructions per call"))
}

/// Returns the cost of a call, without a fraction if that is zero.
fn per_call(cost: u64, calls: u64) -> String {
    match (cost / calls, cost % calls) {
        (whole, 0) => grouped(whole),
        (whole, rest) => format!("{}.{}", grouped(whole), rest * 10 / calls),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn annotate_compares_the_results_of_the_explanation() {
        let baseline = |name: &str| Slot::Baseline(name.to_owned());
        for (slots, options) in [
            ([Slot::Old, Slot::Latest], Some("")),
            ([baseline("main"), Slot::Latest], Some(" --baseline=main")),
            ([baseline("main"), baseline("new")], Some(" --load-baseline=new --baseline=main")),
            ([baseline("main"), baseline("main")], None),
            ([Slot::Latest, baseline("main")], None),
            ([Slot::Latest, Slot::Old], None),
        ] {
            assert_eq!(options_of_annotate(&slots).as_deref(), options, "{slots:?}");
        }
    }

    #[test]
    fn the_rest_of_a_function_adds_up() {
        let line = |line, change| LineChange {
            file: "src/lib.rs",
            line,
            is_gone: false,
            via: None,
            change,
            is_changed: false,
        };
        for (hidden, unknown, text) in [
            (vec![line(7, 1), line(8, 1)], vec![], Some("; +2 in other lines")),
            (vec![], vec![line(0, -1_200)], Some("; -1,200 in unknown lines")),
            (vec![line(7, 5)], vec![line(0, 1)], Some("; +6 in other and unknown lines")),
            (vec![line(7, 5), line(8, -5)], vec![], None),
            (vec![], vec![], None),
        ] {
            assert_eq!(rest(&hidden, &unknown).as_deref(), text, "{hidden:?} {unknown:?}");
        }
    }
}
