//! The sentence that a report starts with: about all benchmarks of all files.

use std::collections::BTreeSet;

use iai_callgrind_base::note::counted;
use iai_callgrind_base::numbers::grouped;
use iai_callgrind_plan::metric::MetricKind;
use iai_callgrind_revisions::commit_of_kept;
use iai_callgrind_summary::{Baselines, Limit, LimitKind, LimitValue, Summary, Value};

use super::{Markdown, code, inline};
use crate::format::causes::cause;
use crate::format::changes::{Category, change, deciding};

/// Number of digits of a commit.
const SHORT: usize = 7;

/// Number of benchmark files that are named.
const FILES: usize = 3;

/// Returns `❌ **1 exceeded a limit**, 2 better in …, compared with …; worst: …; repeat it with …`.
pub(super) fn sentence(markdown: &Markdown<'_>, summaries: &[Summary], has_failed: bool) -> String {
    let counts = markdown.0.iter().filter(|(_, summaries)| !summaries.is_empty());
    let counts = counts.map(|(category, summaries)| {
        let number = summaries.len();
        let count = format!("{} {}", grouped(number as u64), category.text(number));
        if category.is_failure() { format!("**{count}**") } else { count }
    });
    let counts: Vec<_> = counts.collect();
    if counts.is_empty() {
        return if has_failed { "❌ No benchmarks ran" } else { "No benchmarks ran" }.to_owned();
    }
    let is_any = |category| !markdown.of(category).is_empty();
    let sign = match () {
        () if has_failed || is_any(Category::Failed) || is_any(Category::Regressed) => "❌",
        () if is_any(Category::Worse) => "🔺",
        () if is_any(Category::Better) => "🔹",
        () => "✅",
    };
    let mut sentence = format!("{sign} {} in {}", counts.join(", "), files(summaries));
    let is_compared = |category: &Category| !matches!(category, Category::Failed | Category::New);
    if markdown.0.iter().any(|(category, list)| is_compared(category) && !list.is_empty()) {
        sentence += &compared_with(summaries);
    }
    sentence += &leading(markdown).unwrap_or_default();
    if let Some(command) = command(summaries) {
        sentence = format!("{sentence}; repeat it with {}", code(&command));
    }
    sentence
}

/// Returns the benchmark files with their packages, or the number of many.
fn files(summaries: &[Summary]) -> String {
    let file = |summary: &Summary| code(&format!("{}: {}", summary.package, summary.file));
    let mut files: Vec<_> = summaries.iter().map(file).collect();
    files.dedup();
    if files.len() > FILES { counted(files.len(), "benchmark file") } else { files.join(", ") }
}

/// Returns the old results if all benchmarks have the same: `, compared with the baseline …,
/// commits …`.
fn compared_with(summaries: &[Summary]) -> String {
    let commits = commits(summaries);
    let baselines = baselines(summaries);
    let name = baselines.and_then(|baselines| baselines.old.as_deref());
    match (name, commits) {
        (Some(name), commits) if commit_of_kept(name).is_none() => {
            let commits = commits.map(|commits| format!(", {commits}")).unwrap_or_default();
            format!(", compared with the baseline {}{commits}", code(name))
        }
        (_, Some(commits)) => format!(", {commits}"),
        (Some(name), None) => format!(", compared with {}", short(name)),
        (None, None) if baselines.is_some() => ", compared with the last run".to_owned(),
        (None, None) => String::new(),
    }
}

/// Returns the compared results, if the old ones are the same for all benchmarks. Each file keeps its own of a commit.
fn baselines(summaries: &[Summary]) -> Option<&Baselines> {
    fn old(baselines: &Baselines) -> Option<&str> {
        baselines.old.as_deref().map(|name| commit_of_kept(name).unwrap_or(name))
    }
    let mut baselines = summaries.iter().map(|summary| &summary.baselines);
    let first = baselines.next()?;
    baselines.all(|other| old(other) == old(first)).then_some(first)
}

/// Returns the commits of the results, if they are known and all have the same: `commits 69cb515 → 1f0ae33`.
fn commits(summaries: &[Summary]) -> Option<String> {
    let tools = summaries.iter().flat_map(|summary| &summary.tools);
    let explained = tools.filter_map(|tool| tool.explanation.as_ref()?.changed_files.as_ref());
    let commits: BTreeSet<_> =
        explained.map(|files| (short(&files.old), short(&files.new))).collect();
    let (old, new) = commits.first().filter(|(old, new)| commits.len() == 1 && old != new)?;
    Some(format!("commits {old} → {new}"))
}

/// Returns the first digits of a commit.
fn short(commit: &str) -> &str {
    commit.get(..SHORT).unwrap_or(commit)
}

/// Returns the worst change, or the best one if nothing is worse: `; worst: …, Instructions +57 %: …`.
fn leading(markdown: &Markdown<'_>) -> Option<String> {
    let changed = [Category::Regressed, Category::Worse, Category::Better];
    let category = changed.into_iter().find(|category| !markdown.of(*category).is_empty())?;
    let summary = markdown.of(category).first()?;
    let metric = deciding(summary)?;
    let rank = if category == Category::Better { "best" } else { "worst" };
    let cause = cause(summary).map(|cause| format!(": {}", inline(&cause.text)));
    let (name, change) = (code(&summary.name), change(metric).short_text());
    Some(format!(
        "; {rank}: {name}, {} {change}{}",
        inline(&metric.label),
        cause.unwrap_or_default()
    ))
}

/// Returns the command that compares the benchmarks with the same baseline; `None` unless the user
/// saved it.
fn command(summaries: &[Summary]) -> Option<String> {
    let name = baselines(summaries)?.old.as_deref()?;
    let names = |option, name: fn(&Summary) -> &str| {
        let names: BTreeSet<_> = summaries.iter().map(name).collect();
        let is_listed = names.len() <= FILES;
        names.into_iter().filter(move |_| is_listed).flat_map(move |name| [option, name])
    };
    let packages: Vec<_> = names(" --package ", |summary| &summary.package).collect();
    // In the directory of one package it needs no name
    let packages = if packages.len() == 2 { String::new() } else { packages.concat() };
    let files: String = names(" --bench ", |summary| &summary.file).collect();
    let option = match commit_of_kept(name) {
        Some(commit) => format!("against={commit}"),
        None => format!("baseline={name}"),
    };
    Some(format!("cargo bench{packages}{files} -- --{option}{}", limits(summaries)))
}

/// Returns the options of the exceeded limits that all benchmarks have: ` --callgrind-limits=ir=5%`.
fn limits(summaries: &[Summary]) -> String {
    let tools = || summaries.iter().flat_map(|summary| &summary.tools);
    let names: BTreeSet<_> = tools().map(|tool| &*tool.tool).collect();
    let option = |name: &str| {
        let results = || tools().filter(|tool| tool.tool == name);
        let is_exceeded = |limit: &Limit| {
            let mut regressions = results().flat_map(|tool| &tool.regressions);
            regressions.any(|regression| regression.limit == *limit)
        };
        // The first benchmark has those of all
        let of_first = results().next().map_or(&[][..], |tool| &tool.limits).iter();
        let of_all = of_first.filter(|limit| results().all(|tool| tool.limits.contains(*limit)));
        let exceeded = of_all.filter(|limit| is_exceeded(limit));
        let limits: BTreeSet<_> = exceeded.filter_map(argument).collect();
        let tool = name.trim_start_matches("exp-");
        let limits = limits.into_iter().collect::<Vec<_>>().join(",");
        (!limits.is_empty()).then(|| format!(" --{tool}-limits={limits}"))
    };
    names.into_iter().filter_map(option).collect()
}

/// Returns a limit of a tool's metric as on the command line: `ir=5%`; `None` for a learned one and one of growth.
fn argument(limit: &Limit) -> Option<String> {
    let is_known = MetricKind::ALL.iter().any(|kind| kind.name() == limit.metric);
    let LimitValue::Number(value) = limit.value else { return None };
    let unit = match limit.kind {
        LimitKind::Soft => "%",
        LimitKind::Hard => "",
        _ => return None,
    };
    let value = match value {
        Value::Count(count) => count.to_string(),
        Value::Rate(rate) => rate.to_string(),
    };
    let is_given = is_known && limit.learned_from.is_none();
    is_given.then(|| format!("{}={value}{unit}", limit.metric.to_lowercase()))
}
