//! Causes of changes, which benchmarks have in common.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::slice;

use iai_callgrind_base::note::counted;
use iai_callgrind_explain::{
    ChangedLine, CodeChange, Difference, Edit, Entry, LineChange, Verdict, in_words,
};
use iai_callgrind_results::{Explained, Explanation};
use iai_callgrind_summary::explanation::Cause;

use super::changed_lines::{self, place};
use super::{LISTED, allocator_call, callee, environment, package_name, unknown_files};

/// The cause of benchmarks that moved in caches only.
pub(in crate::report) const CACHES: &str = "only caches moved";

/// Number of instructions that a call of the allocator takes at most, with what the function does with the memory. A change
/// that is larger has another reason.
const ALLOCATION: u64 = 1000;

/// Name of the compiler in the environment.
const COMPILER: &str = "compiler";

/// Returns the cause of a change; `None` if there is no difference or no explanation.
pub(in crate::report) fn cause(explanation: &Explanation) -> Option<Cause> {
    let Explained { difference, .. } = explanation.as_ref().ok()?;
    let of_kind = |text: &str| {
        let text = text.to_owned();
        Some(cause_without_lines(text.clone(), text))
    };
    match &difference.verdict {
        Verdict::Equal => None,
        Verdict::Caches => of_kind(CACHES),
        Verdict::Environment(changes) => environment_changed(changes),
        Verdict::ChangedLines(_) => changed_lines(difference),
        Verdict::MachineValues(values) => of_kind(&format!("the same code {}", in_words(values))),
        Verdict::DataAddresses => of_kind("data is at another address"),
        Verdict::Spread => of_kind("the spread of the benchmark"),
        Verdict::Calls(calls) => match calls.first() {
            Some(first) => {
                of_kind(&format!("the same lines make other calls of {}", callee(&first.name)))
            }
            None => of_kind("the same machine code runs more or less often"),
        },
        Verdict::OtherInFile { files, .. } => {
            let text = format!("something else in {} changed", files.join(", "));
            Some(with_inlining(difference, text))
        }
        Verdict::OtherFiles { packages, .. } => {
            let packages: Vec<_> =
                packages.iter().take(LISTED).map(|name| package_name(name)).collect();
            let unknown = unknown_files(difference);
            let what = unknown.unwrap_or_else(|| "something else".to_owned());
            of_kind(&format!("{what} in {} changed", packages.join(", ")))
        }
        Verdict::CodeGeneration { .. } => {
            let text = "the same source, compiled differently".to_owned();
            Some(with_inlining(difference, text))
        }
    }
}

/// Returns the differences of the environment as a cause. The compiler is named first, since its version comes with others.
fn environment_changed(changes: &[(String, String, String)]) -> Option<Cause> {
    let compiler = changes.iter().find(|(name, ..)| name == COMPILER);
    let named = compiler.or(changes.first())?;
    let more = match changes.len() - 1 {
        0 => String::new(),
        more => format!(" and {}", counted(more, "other difference")),
    };
    let text = format!("another {}{more}", environment(slice::from_ref(named)));
    Some(cause_without_lines(environment(changes), text))
}

/// Returns a cause that is not a change of lines, with the function that the compiler inlines on one side only, if it is among
/// those with the largest changes.
fn with_inlining(difference: &Difference, name: String) -> Cause {
    let inlining = difference.entries.iter().take(LISTED).find_map(|entry| {
        let what = match entry.code {
            CodeChange::Inlined => "is inlined",
            CodeChange::NoLongerInlined => "is no longer inlined",
            _ => return None,
        };
        Some(format!("{name}; {} {what}", entry.owner.as_ref()?))
    });
    let text = inlining.unwrap_or_else(|| name.clone());
    cause_without_lines(name, text)
}

/// Returns a cause that is not a change of lines.
fn cause_without_lines(name: String, text: String) -> Cause {
    Cause {
        name,
        text,
        function: None,
        file: None,
        line: None,
        is_removed_line: false,
        possible_lines: Vec::new(),
    }
}

/// Returns the function with changed lines that accounts for most of the change, and its most important edit. If none
/// is known, all changed lines are the cause.
fn changed_lines(difference: &Difference) -> Option<Cause> {
    let Verdict::ChangedLines(lines) = &difference.verdict else { return None };
    let is_edited = |entry: &&Entry| !entry.changed_lines.is_empty() && entry.owner.is_some();
    if !difference.entries.iter().any(|entry| is_edited(&entry)) {
        return first_line(lines);
    }
    let several = edits(lines).len() > 1;
    let all_lines = || {
        let text = changed_lines::changed_lines(difference, lines);
        let possible_lines = changed_lines::possible_lines(difference, lines);
        Some(Cause { possible_lines, ..cause_without_lines(text.clone(), text) })
    };
    let Some(entry) = (if several { to_blame(difference, lines) } else { largest(difference) })
    else {
        return all_lines();
    };
    let function = entry.owner.clone()?;
    let mut edits = entry.edits();
    if several {
        edits.sort_by_key(|edit| !is_in_direction(difference, edit.change));
    }
    let (edit, others) = edits.split_first()?;
    if entry.is_merged(edit) {
        return all_lines();
    }
    let LineChange { file, line, is_gone, .. } = *edit.line()?;
    Some(Cause {
        text: format!("{function}, {} {}", place(file, line, is_gone), what(entry, edit, others)),
        name: function.clone(),
        function: Some(function),
        file: Some(file.to_owned()),
        line: Some(line),
        is_removed_line: is_gone,
        possible_lines: Vec::new(),
    })
}

/// Returns the edits that lines belong to, by their files and the lines before them.
fn edits(lines: &[ChangedLine]) -> BTreeSet<(&str, u32)> {
    lines.iter().map(|line| (&*line.file, line.after)).collect()
}

/// Returns true for a change that has the sign of the whole difference.
fn is_in_direction(difference: &Difference, change: i64) -> bool {
    if difference.new > difference.old { change > 0 } else { change < 0 }
}

/// Returns the functions with changed lines, the one with the largest change last.
fn edited(difference: &Difference) -> impl Iterator<Item = (usize, &Entry)> {
    let entries = difference.entries.iter().enumerate().rev();
    entries.filter(|(_, entry)| !entry.changed_lines.is_empty() && entry.owner.is_some())
}

/// Returns the function whose edit has the largest change. An edit can cost more than its function,
/// because other code of the function can have moved.
fn largest(difference: &Difference) -> Option<&Entry> {
    let size = |(_, entry): &(usize, &Entry)| {
        let edits = entry.edits().into_iter().map(|edit| edit.change);
        edits.chain([entry.change()]).map(i64::unsigned_abs).max()
    };
    edited(difference).max_by_key(size).map(|(_, entry)| entry)
}

/// Returns the function with the largest blame among several edits, if there is one. An improvement
/// is not the cause of a worse result, nor the reverse, and an edit that runs in one of the results
/// only is not the reason.
fn to_blame<'a>(difference: &'a Difference, lines: &[ChangedLine]) -> Option<&'a Entry> {
    let blames = difference.blames();
    let (running, others): (Vec<_>, Vec<_>) =
        edited(difference).partition(|(index, _)| blames[*index].runs_in_both);
    if running.is_empty() {
        return largest(difference);
    }
    let size = |(index, entry): &(usize, &Entry)| {
        let is_called_as_often = entry.calls.0 == entry.calls.1;
        let edits = entry.edits().into_iter().map(|edit| edit.change);
        let sizes = edits.filter(|_| is_called_as_often).chain([blames[*index].change]);
        sizes.map(|change| (is_in_direction(difference, change), change.unsigned_abs())).max()
    };
    let (index, entry) = running.into_iter().max_by_key(size)?;
    let mut possible = edits(lines);
    for (_, other) in others {
        for edit in edits(&other.changed_lines) {
            possible.remove(&edit);
        }
    }
    let is_only_one = possible == edits(&entry.changed_lines) && possible.len() == 1;
    let (is_known, change) = size(&(index, entry))?;
    (is_known || is_only_one && change == 0).then_some(entry)
}

/// Returns the first of the changed lines as a cause. It is in none of the user's functions.
fn first_line(lines: &[ChangedLine]) -> Option<Cause> {
    let ChangedLine { file, line, is_new, .. } = lines.first()?;
    let what = if *is_new { "changed" } else { "removed" };
    let text = format!("{} {what}", place(file, *line, !is_new));
    let cause = cause_without_lines(file.clone(), text);
    Some(Cause { file: Some(file.clone()), line: Some(*line), is_removed_line: !is_new, ..cause })
}

/// Returns the change by an edit of a function. A function that is no longer called, or called for
/// the first time, belongs to the edit if no other edit can have changed that.
fn what(entry: &Entry, edit: &Edit<'_>, others: &[Edit<'_>]) -> String {
    let has_side = |edit: &Edit<'_>, is_gone| edit.lines.iter().any(|line| line.is_gone == is_gone);
    let is_of_edit =
        |is_gone| has_side(edit, is_gone) && !others.iter().any(|other| has_side(other, is_gone));
    let callees = |is_gone: bool| {
        let callees = entry.callees.iter().filter(move |callee| {
            let is_only = (if is_gone { callee.new } else { callee.old }) == 0;
            let can_be_reason = allocator_call(&callee.name).is_none()
                || callee.old.abs_diff(callee.new) * ALLOCATION >= edit.change.unsigned_abs();
            let is_reason = can_be_reason && !is_allocation_marker(&callee.name);
            is_only && !callee.is_moved && is_of_edit(is_gone) && is_reason
        });
        callees.map(|callee| &*callee.name).collect::<Vec<_>>()
    };
    let [new, gone] = [false, true].map(callees);
    let named = |names: &[&str], is_gone: bool, is_wanted: fn(&&str) -> bool| {
        let mut names = called_at(&edit.lines, is_gone).chain(names.iter().copied());
        names.find(is_wanted).map(|name| format!("calls {}", as_method(name)))
    };
    // The name of a library function says more than its use of memory
    let is_named = |name: &&str| allocator_call(name).is_none() && !is_compilers(name);
    if let Some(calls) = named(&new, false, is_named) {
        return format!("now {calls}");
    }
    if let Some(calls) = named(&gone, true, is_named) {
        return format!("no longer {calls}");
    }
    let allocator = |names: &[&str]| names.iter().find_map(|name| allocator_call(name));
    // Any line of the function can have such a call
    let compilers = |is_gone| named(&[], is_gone, is_compilers);
    let calls = |names: &[&str], is_gone| {
        allocator(names).map(str::to_owned).or_else(|| compilers(is_gone))
    };
    match (calls(&new, false), calls(&gone, true), entry.code) {
        (Some(calls), ..) => format!("now {calls}"),
        (None, Some(calls), _) => format!("no longer {calls}"),
        (None, None, CodeChange::New) => "is new".to_owned(),
        (None, None, CodeChange::Gone) => "is gone".to_owned(),
        _ if edit.line().is_some_and(|line| line.is_gone) => "removed".to_owned(),
        _ => "changed".to_owned(),
    }
}

/// Returns the name of a trait's function as that of a method: `Chars::next` for `<core::str::iter::Chars as
/// core::iter::traits::iterator::Iterator>::next`. Other names are whole.
fn as_method(name: &str) -> Cow<'_, str> {
    let parts = name.strip_prefix('<').and_then(|name| name.split_once(" as "));
    let parts = parts.and_then(|(own, rest)| Some((own, rest.rsplit_once(">::")?.1)));
    let is_path = |text: &str| text.chars().all(|c| c.is_alphanumeric() || c == '_' || c == ':');
    match parts {
        Some((own, method)) if is_path(own) => {
            Cow::Owned(format!("{}::{method}", own.rsplit("::").next().unwrap_or(own)))
        }
        _ => Cow::Borrowed(name),
    }
}

/// Returns true for a function that the compiler calls where the source has no call, such as for the copy of a
/// `String`.
fn is_compilers(name: &&str) -> bool {
    // The C library has one for each kind of CPU: `__memcmp_sse2`
    let name = name.trim_start_matches("__");
    let name = name.split('_').next().unwrap_or(name);
    ["memcpy", "memmove", "memset", "memcmp", "memcmpeq", "bcmp"].contains(&name)
}

/// Returns true for the empty function that the compiler calls before each allocation, also before one that it removes.
fn is_allocation_marker(name: &str) -> bool {
    name.contains("__rust_no_alloc_shim")
}

/// Returns the functions that changed lines of one side call, but no line of the other side. They are among the callees
/// of their function unless they are inlined.
fn called_at<'a>(
    lines: &'a [LineChange<'a>],
    is_gone: bool,
) -> impl Iterator<Item = &'a str> + use<'a> {
    let is_side = move |line: &&LineChange<'_>| line.is_changed && line.is_gone == is_gone;
    let is_other = move |via: &&str| {
        !lines.iter().any(|line| line.is_gone != is_gone && line.via == Some(*via))
    };
    let callees = lines.iter().filter(is_side).filter_map(|line| line.via);
    callees.filter(|via| !is_allocation_marker(via)).filter(is_other)
}

#[cfg(test)]
mod tests {
    use iai_callgrind_explain::{Callee, SiteChange};

    use super::*;

    #[test]
    fn a_called_function_is_named_before_the_allocator() {
        let change_of = |change, via: Option<&str>, callees: &[(&str, u64, u64)]| {
            let callees = callees.iter().map(|&(name, old, new)| Callee {
                name: name.to_owned(),
                old,
                new,
                is_moved: name == "moved",
            });
            let line = |is_new| ChangedLine { file: "f".to_owned(), line: 1, is_new, after: 0 };
            let site = |is_gone, via: Option<&str>, change| SiteChange {
                file: "f".to_owned(),
                line: 1,
                is_gone,
                via: via.map(str::to_owned),
                change,
            };
            let entry = Entry {
                owner: None,
                file: String::new(),
                old: 0,
                new: 0,
                assumed: 0,
                calls: (0, 0),
                code: CodeChange::Other,
                changed_lines: vec![line(true), line(false)],
                merged_lines: Vec::new(),
                sites: vec![site(false, via, change), site(true, None, -1)],
                callees: callees.collect(),
            };
            what(&entry, &entry.edits()[0], &[])
        };
        let text = |via, callees: &[_]| change_of(9, via, callees);
        let allocates = ("__rustc::__rust_alloc", 0, 3);
        let frees = ("__rust_dealloc", 2, 0);
        let shim = ("__rustc::__rust_no_alloc_shim_is_unstable_v2", 0, 38);
        assert_eq!(text(Some("str::to_lowercase"), &[allocates]), "now calls str::to_lowercase");
        assert_eq!(text(None, &[frees, allocates, ("g", 0, 1)]), "now calls g");
        let of_trait = "<core::ops::range::RangeInclusive as core::iter::Iterator>::fold";
        assert_eq!(text(Some(of_trait), &[]), "now calls RangeInclusive::fold");
        assert_eq!(text(Some("<[u8] as a::Hash>::hash"), &[]), "now calls <[u8] as a::Hash>::hash");
        assert_eq!(text(Some("__rust_alloc"), &[allocates, frees]), "now allocates");
        assert_eq!(text(Some("__rdl_alloc"), &[shim, ("__rdl_alloc", 0, 3)]), "now allocates");
        // The compiler removed the allocation itself
        assert_eq!(text(Some(shim.0), &[shim]), "changed");
        // The compiler copies what is allocated
        assert_eq!(text(Some("memcpy"), &[("memcpy", 0, 3), allocates]), "now allocates");
        assert_eq!(text(Some("memcpy"), &[]), "now calls memcpy");
        let compares = ("__memcmp_avx2_movbe", 0, 3);
        assert_eq!(text(None, &[compares]), "changed");
        assert_eq!(text(None, &[compares, ("g", 0, 1)]), "now calls g");
        assert_eq!(text(None, &[frees]), "no longer frees memory");
        let of_cpp = ("operator new(unsigned long)", 0, 2);
        assert_eq!(text(None, &[of_cpp]), "now allocates");
        assert_eq!(text(None, &[("moved", 0, 1)]), "changed");
        // One release is not the reason for thousands of instructions
        let releases = |times| [("__rust_dealloc", 0, times)];
        assert_eq!(change_of(9000, None, &releases(1)), "changed");
        assert_eq!(change_of(9000, None, &releases(9)), "now frees memory");
        assert_eq!(text(None, &[]), "changed");
    }

    #[test]
    fn the_compiler_is_named_before_what_comes_with_it() {
        let change = |name: &str| (name.to_owned(), "1".to_owned(), "2".to_owned());
        let text = |names: &[&str]| {
            let changes: Vec<_> = names.iter().map(|name| change(name)).collect();
            environment_changed(&changes).unwrap().text
        };
        assert_eq!(text(&["LLVM", "compiler"]), "another compiler (1 → 2) and 1 other difference");
        assert_eq!(text(&["LLVM"]), "another LLVM (1 → 2)");
    }

    /// Returns the difference of a function with an edit of its first line, `change`, and of another one, `other`.
    fn difference(change: i64, other: i64) -> Difference {
        let entry = |owner: &str, change: i64| {
            let site =
                SiteChange { file: owner.to_owned(), line: 1, is_gone: false, via: None, change };
            Entry {
                owner: Some(owner.to_owned()),
                file: owner.to_owned(),
                old: 1000,
                new: 1000_u64.saturating_add_signed(change),
                assumed: 0,
                calls: (1, 1),
                code: CodeChange::Other,
                changed_lines: vec![ChangedLine {
                    file: owner.to_owned(),
                    line: 1,
                    is_new: true,
                    after: 0,
                }],
                merged_lines: Vec::new(),
                sites: vec![site],
                callees: Vec::new(),
            }
        };
        let called_less = Entry { changed_lines: Vec::new(), ..entry("called", -400) };
        let entries = vec![called_less, entry("a.rs", change), entry("b.rs", other)];
        let sum: i64 = entries.iter().map(Entry::change).sum();
        let lines = entries.iter().flat_map(|entry| entry.changed_lines.clone()).collect();
        Difference {
            old: 3000,
            new: 3000_u64.saturating_add_signed(sum),
            verdict: Verdict::ChangedLines(lines),
            entries,
            executed_in: Vec::new(),
            files: Vec::new(),
            has_debug_info: true,
            unseen_value: None,
        }
    }

    #[test]
    fn a_share_says_if_functions_changed_in_both_directions() {
        let closing = |change, other| {
            let difference = difference(change, other);
            super::super::Shown::select(&difference, 2).closing(&difference)
        };
        let start = "the function above accounts for 66 % of";
        assert_eq!(closing(-100, -100), format!("{start} the change; 2 more are not shown"));
        let both = format!("{start} all increases and decreases; 2 more are not shown");
        assert_eq!(closing(100, -100), both);
    }

    #[test]
    fn what_became_slower_is_not_the_cause_of_a_faster_result() {
        let cause = |change, other| changed_lines(&difference(change, other)).unwrap();
        let file = |change, other| cause(change, other).file.unwrap();
        assert_eq!(file(117, -5), "b.rs");
        assert_eq!(file(-117, -5), "a.rs");
        assert_eq!(file(600, -5), "a.rs", "all together are slower");
        let unknown = cause(117, 5);
        assert_eq!(unknown.text, "your changes to these lines (a.rs:1, b.rs:1)");
        assert_eq!((unknown.file, unknown.line), (None, None));
    }

    #[test]
    fn a_function_that_is_no_longer_inlined_is_named() {
        let mut other = difference(600, 5);
        let name = "something else in a.rs changed";
        assert_eq!(with_inlining(&other, name.to_owned()).text, name);
        other.entries[1].code = CodeChange::NoLongerInlined;
        let cause = with_inlining(&other, name.to_owned());
        assert_eq!(cause.name, name);
        assert_eq!(cause.text, "something else in a.rs changed; a.rs is no longer inlined");
    }

    #[test]
    fn an_improvement_is_not_the_cause_because_the_other_edit_is_new() {
        let mut new = difference(-117, 5000);
        new.entries[2].old = 0;
        let unknown = changed_lines(&new).unwrap();
        assert_eq!(unknown.text, "your changes to these lines (b.rs:1, a.rs:1)");
    }

    #[test]
    fn an_edit_with_the_cost_of_another_one_is_not_named_alone() {
        let mut merged = difference(600, 5);
        let entry = &mut merged.entries[1];
        entry.merged_lines = entry.changed_lines.clone();
        let unknown = changed_lines(&merged).unwrap();
        assert_eq!(unknown.text, "your changes to these lines (a.rs:1, b.rs:1)");
        assert_eq!((unknown.file, unknown.line), (None, None));
        let possible = unknown.possible_lines.iter();
        let possible: Vec<_> =
            possible.map(|line| (&*line.file, line.line, line.is_removed)).collect();
        assert_eq!(possible, [("a.rs", 1, false), ("b.rs", 1, false)]);
        let alone = changed_lines(&difference(600, 5)).unwrap();
        assert_eq!(alone.possible_lines, []);
    }
}
