//! Notes: messages on the standard error that are not errors. Their texts are next to their
//! variants, like those of errors.

use std::collections::BTreeSet;
use std::path::Path;

use iai_callgrind_base::{
    help_line,
    invocation::command_line,
    note::{counted, print_line},
};
use iai_callgrind_debuginfo::UnreadDebugInfo;

/// A note, in the words that the user reads.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Note<'a> {
    /// The command line configures a tool that no benchmark runs under.
    #[error(
        "note: the options of {tool} have no effect: no benchmark runs under it\n\
         help: run the benchmarks under it with `--tools={tool}`"
    )]
    UnusedOptions { tool: &'a str },
    /// The run repeats benchmarks for a profiler, which has no results.
    #[error("note: {} no effect with --profile-time, which has no results", have(options))]
    WithoutResults { options: &'a [&'a str] },
    /// A file of commands has none.
    #[error("note: {} has no commands\nhelp: write a table `[[command]]` for each", file.display())]
    NoCommands { file: &'a Path },
    /// A broken limit that was probably meant as a percentage.
    #[error(
        "note: the limit {metric}={limit} is the largest value allowed, not a percentage\n\
         help: did you mean {metric}={limit}%?"
    )]
    SmallLimit { metric: &'a str, limit: u64 },
    /// A counter has a limit, and no benchmark reports it.
    #[error(
        "note: the limit of the counter `{counter}` has no effect: no benchmark reported it\n\
         help: check the name, or remove the limit"
    )]
    UnusedCounterLimit { counter: &'a str },
    /// A metric of the allocator has a limit, and no profile contains its functions.
    #[error(
        "note: the limit of {metric} has no effect: callgrind does not see the allocator\n\
         help: use the C library's allocator, or set IAI_CALLGRIND_LOG=info for the reason"
    )]
    UnknownAllocations { metric: &'a str },
    /// The files of some benchmarks name gungraun's perf, which `--time` replaces, except for these
    /// options.
    #[error(
        "note: {} with `Perf`, which does not run{}{}", counted(*benchmarks, "benchmark"),
        if *is_timed { "" } else { ": `--time` measures the time" }, without_effect(options)
    )]
    Perf { benchmarks: usize, options: &'a BTreeSet<&'a str>, is_timed: bool },
    /// The run is one of several shards.
    #[error(
        "note: shard {shard} has {benchmarks} of {all} benchmarks, {by} (partition {fingerprint})"
    )]
    Shard { shard: &'a str, benchmarks: usize, all: usize, by: DividedBy<'a>, fingerprint: &'a str },
    /// The profile differs from the one that explanations and stable counts need.
    #[error(
        "note: {}\nhelp: {}, or silence this with `--profile-note=no`",
        profile_problem(*profile),
        profile_help(*profile)
    )]
    Profile { profile: BuildProfile },
    /// The executable has no symbols, and callgrind counts between marks.
    #[error(
        "note: the counts include a few instructions around each call: the executable has no symbols\n\
         help: set `strip = false` in [profile.bench]: the linker mold removes all symbols without it, \
         as `strip = true` does; in C++ link without `-s`"
    )]
    Stripped,
    /// The executable has symbols, but Valgrind can't read them.
    #[error(
        "note: the counts include a few instructions around each call: Valgrind before 3.22 can't read an executable \
         whose debug information is compressed with zstd\nhelp: {NO_ZSTD}"
    )]
    Zstd,
    /// Callgrind does not know when the entry point of a command returns.
    #[error(
        "note: callgrind counts from the entry point of a command to the end of the process: on AArch64 it \
         can't tell when the function returns"
    )]
    EntryToEnd,
    /// This Valgrind's cachegrind does not support client requests.
    #[error(
        "note: cachegrind counts the whole process with harness, setup and teardown: this Valgrind \
         is older than 3.22\nhelp: install Valgrind 3.22 or newer"
    )]
    WholeProcess,
    /// There are results of benchmarks that are deleted.
    #[error(
        "note: the results of {} that {place} no longer has are left out\nhelp: `{}` deletes them",
        counted(*benchmarks, "benchmark"), command_line("prune")
    )]
    Gone { benchmarks: usize, place: &'a str },
    /// A filter matches no benchmark of the file. The most similar names follow.
    #[error(
        "note: {filters} {} of `{file}`{}", no_match(*benchmarks), help_line(similar.as_deref())
    )]
    NoMatch { file: &'a str, benchmarks: usize, filters: &'a str, similar: Option<String> },
}

/// Returns the predicate of filters that select nothing.
fn no_match(benchmarks: usize) -> String {
    match benchmarks {
        1 => "does not match the only benchmark".to_owned(),
        number => format!("matches none of the {number} benchmarks"),
    }
}

/// The way in which benchmarks are divided into shards.
#[derive(Debug, thiserror::Error)]
pub(crate) enum DividedBy<'a> {
    #[error("divided by number")]
    Number,
    /// The instructions in a baseline.
    #[error("divided by their instructions in the baseline `{baseline}`")]
    Instructions { baseline: &'a str },
    /// The shards of a baseline.
    #[error("divided as in the baseline `{baseline}`")]
    Shards { baseline: &'a str },
}

/// Returns the end of a note that names these options, if there are any.
fn without_effect(options: &BTreeSet<&str>) -> String {
    let names: Vec<_> = options.iter().map(|option| format!("`{option}`")).collect();
    match &*names {
        [] => String::new(),
        names => format!("; without an effect: {}", names.join(", ")),
    }
}

/// The build profile of the benchmark file, as far as it matters for explanations and stable
/// counts.
#[derive(Debug, Clone, Copy)]
pub(crate) struct BuildProfile {
    pub(crate) debug_info: DebugInfo,
    /// The crate is compiled in several units.
    pub(crate) several_units: bool,
}

/// The debug information of the benchmark file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DebugInfo {
    Read,
    Unread(UnreadDebugInfo),
    Missing,
}

fn profile_problem(profile: BuildProfile) -> String {
    let reason = match profile.debug_info {
        DebugInfo::Read => {
            return "counts can change with any change of the crate: it is compiled in several units"
                .to_owned();
        }
        DebugInfo::Unread(UnreadDebugInfo::Split) => {
            "the debug information is in files next to the executable"
        }
        DebugInfo::Unread(UnreadDebugInfo::Zstd) => "the debug information is compressed with zstd",
        DebugInfo::Missing => "no debug information of the executable was found",
    };
    format!("changes can't be explained by function: {reason}")
}

/// Names only the missing settings.
fn profile_help(profile: BuildProfile) -> String {
    let debug_info = match profile.debug_info {
        DebugInfo::Missing => Some("`debug = 1`"),
        DebugInfo::Unread(UnreadDebugInfo::Split) => Some("`split-debuginfo = \"off\"`"),
        DebugInfo::Unread(UnreadDebugInfo::Zstd) | DebugInfo::Read => None,
    };
    let units = profile.several_units.then_some("`codegen-units = 1`");
    let settings: Vec<_> = debug_info.into_iter().chain(units).collect();
    let settings = (!settings.is_empty())
        .then(|| format!("set {} in [profile.bench]", settings.join(" and ")));
    let option =
        (profile.debug_info == DebugInfo::Missing).then(|| "in C++ compile with `-g`".to_owned());
    let is_zstd = profile.debug_info == DebugInfo::Unread(UnreadDebugInfo::Zstd);
    let compression = is_zstd.then(|| NO_ZSTD.to_owned());
    compression.into_iter().chain(settings).chain(option).collect::<Vec<_>>().join(", ")
}

/// Returns options with a verb: `--report and --record have`.
fn have(options: &[&str]) -> String {
    match options {
        [] => String::new(),
        [only] => format!("{only} has"),
        [others @ .., last] => format!("{} and {last} have", others.join(", ")),
    }
}

/// The help for debug information that is compressed with zstd.
const NO_ZSTD: &str = "compress it with zlib or not at all, such as with \
                       `-C link-arg=-Wl,--compress-debug-sections=none`";

impl Note<'_> {
    /// Prints the note.
    pub(crate) fn print(&self) {
        print_line(self);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_profile_note_names_only_what_is_missing() {
        let note = |debug_info, several_units| {
            Note::Profile { profile: BuildProfile { debug_info, several_units } }.to_string()
        };
        let (split, zstd) = (UnreadDebugInfo::Split, UnreadDebugInfo::Zstd);
        for (debug_info, several_units, named) in [
            (DebugInfo::Read, true, &["codegen-units"][..]),
            (DebugInfo::Missing, false, &["debug = 1", "`-g`"]),
            (DebugInfo::Missing, true, &["debug = 1", "codegen-units", "`-g`"]),
            (DebugInfo::Unread(split), false, &["split-debuginfo"]),
            (DebugInfo::Unread(split), true, &["split-debuginfo", "codegen-units"]),
            (DebugInfo::Unread(zstd), false, &["compress-debug-sections"]),
            (DebugInfo::Unread(zstd), true, &["compress-debug-sections", "codegen-units"]),
        ] {
            let note = note(debug_info, several_units);
            for word in
                ["debug = 1", "codegen-units", "split-debuginfo", "compress-debug-sections", "`-g`"]
            {
                assert_eq!(note.contains(word), named.contains(&word), "{word}: {note}");
            }
            assert!(note.ends_with(", or silence this with `--profile-note=no`"), "{note}");
        }
    }
}
