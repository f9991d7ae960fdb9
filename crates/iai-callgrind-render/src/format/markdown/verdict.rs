//! The sentence that a report starts with: about all benchmarks of all files.

use std::borrow::Cow;
use std::collections::BTreeSet;

use iai_callgrind_base::note::counted;
use iai_callgrind_base::numbers::grouped;
use iai_callgrind_plan::metric::MetricKind;
use iai_callgrind_revisions::commit_of_kept;
use iai_callgrind_summary::{
    Baselines, Invocation, Limit, LimitKind, LimitValue, Status, Summary, Value,
};

use super::{Markdown, code, inline};
use crate::format::causes::cause;
use crate::format::changes::{Category, change, deciding};

/// Number of digits of a commit.
const SHORT: usize = 7;

/// Number of benchmark files that are named.
const FILES: usize = 3;

/// Start and end of the command line of a benchmark file.
const CARGO: &str = "cargo bench --bench ";
const END: &str = " --";

/// Option of another revision, with its value.
const AGAINST: &str = "--against=";

/// Starts of the options that name old results.
const COMPARING: [&str; 5] =
    [AGAINST, "--baseline", "--load-baseline=", "--time-baseline=", "--snapshot"];

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
    let explained = explained.map(|files| (&files.old, &files.new, files.uncommitted));
    let stored = summaries.iter().filter_map(|summary| {
        let commits = summary.commits.as_ref()?;
        let new = commits.new.as_ref()?;
        Some((&commits.old.as_ref()?.id, &new.id, new.uncommitted > 0))
    });
    let known = explained.chain(stored);
    let commits: BTreeSet<_> = known.map(|(old, new, is)| (short(old), short(new), is)).collect();
    let is_one = |(old, new, _): &&(&str, &str, bool)| commits.len() == 1 && old != new;
    let (old, new, is_uncommitted) = commits.first().filter(is_one)?;
    let uncommitted = if *is_uncommitted { " with uncommitted changes" } else { "" };
    Some(format!("commits {old} → {new}{uncommitted}"))
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

/// Returns the command that repeats the runs; `None` if it would compare other results.
fn command(summaries: &[Summary]) -> Option<String> {
    let invocations: Vec<_> =
        summaries.iter().filter_map(|summary| summary.invocation.as_ref()).collect();
    if invocations.len() < summaries.len() {
        return command_of_stored(summaries);
    }
    let words = repeated(summaries, &invocations)?;
    let words: Vec<_> = words.iter().map(|word| quoted(word)).collect();
    let words = if words.is_empty() { String::new() } else { format!(" {}", words.join(" ")) };
    Some(program(summaries, &invocations)? + &words)
}

/// Returns the arguments of all runs, with the commit that was compared with. `None` if they compare with the last run only,
/// and nothing fails without it.
fn repeated(summaries: &[Summary], invocations: &[&Invocation]) -> Option<Vec<String>> {
    let (first, others) = invocations.split_first()?;
    let is_of_all = |word: &&String| others.iter().all(|other| other.arguments.contains(word));
    let old = baselines(summaries).and_then(|baselines| baselines.old.as_deref());
    let commit = old.and_then(commit_of_kept);
    let with_commit = |word: &String| match commit {
        // Elsewhere, a branch can be at another commit
        Some(commit) if word.starts_with(AGAINST) => format!("{AGAINST}{commit}"),
        _ => word.clone(),
    };
    let words: Vec<_> = first.arguments.iter().filter(is_of_all).map(with_commit).collect();
    let is_compared = |word: &String| COMPARING.iter().any(|option| word.starts_with(option));
    let fails_alone = |summary: &Summary| {
        let mut regressions = summary.tools.iter().flat_map(|tool| &tool.regressions);
        summary.status == Status::Failed
            || regressions.any(|regression| regression.limit.kind == LimitKind::Hard)
    };
    (words.iter().any(is_compared) || summaries.iter().any(fails_alone)).then_some(words)
}

/// Returns the start of the command line that runs all files; `None` if it takes several.
fn program(summaries: &[Summary], invocations: &[&Invocation]) -> Option<String> {
    let programs = invocations.iter().map(|invocation| &*invocation.program);
    let programs: BTreeSet<_> = programs.collect();
    let file = |program: &&str| Some(program.strip_prefix(CARGO)?.strip_suffix(END)?.to_owned());
    let files: Option<Vec<String>> = programs.iter().map(file).collect();
    match (files, programs.first()) {
        (Some(files), _) => Some(cargo_bench(summaries, files)),
        (None, Some(program)) if programs.len() == 1 => Some((*program).to_owned()),
        _ => None,
    }
}

/// Returns `cargo bench --package … --bench … --`, all packages or files if there are many.
fn cargo_bench(summaries: &[Summary], files: Vec<String>) -> String {
    let packages: BTreeSet<_> = summaries.iter().map(|summary| summary.package.clone()).collect();
    let words = |option: &str, names: Vec<String>| {
        let names = if names.len() > FILES { Vec::new() } else { names };
        let words = names.iter().map(|name| format!(" {option} {}", quoted(name)));
        words.collect::<Vec<_>>().concat()
    };
    // In the directory of one package it needs no name
    let packages = if packages.len() == 1 { Vec::new() } else { packages.into_iter().collect() };
    let (packages, files) = (words("--package", packages), words("--bench", files));
    format!("cargo bench{packages}{files} --")
}

/// Returns the command that compares the benchmarks with the same baseline, for summaries without a command line; `None` unless
/// the user saved it.
fn command_of_stored(summaries: &[Summary]) -> Option<String> {
    let name = baselines(summaries)?.old.as_deref()?;
    let files: BTreeSet<_> = summaries.iter().map(|summary| summary.file.clone()).collect();
    let option = match commit_of_kept(name) {
        Some(commit) => format!("{AGAINST}{commit}"),
        None => quoted(&format!("--baseline={name}")).into_owned(),
    };
    let program = cargo_bench(summaries, files.into_iter().collect());
    Some(format!("{program} {option}{}", limits(summaries)))
}

/// Returns a word as in a shell.
fn quoted(word: &str) -> Cow<'_, str> {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_=+,.:/@%".contains(&byte);
    if !word.is_empty() && word.bytes().all(is_plain) {
        return word.into();
    }
    shlex::try_quote(word).unwrap_or(word.into())
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
