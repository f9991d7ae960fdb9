//! Causes of changes, which benchmarks have in common.

use std::slice;

use iai_callgrind_explain::{CodeChange, Difference, Entry, LineChange, Verdict};
use iai_callgrind_summary::explanation::Cause;

use super::{LISTED, environment, package_name};
use crate::explanation::{Explained, Explanation};
use crate::note::counted;

/// Name of the compiler in the environment.
const COMPILER: &str = "compiler";

/// Returns the cause of a change; `None` if there is no difference or no explanation.
pub(in crate::report) fn cause(explanation: &Explanation) -> Option<Cause> {
    let Explained { difference, .. } = explanation.as_ref().ok()?;
    let of_kind = |text: &str| {
        let text = text.to_owned();
        Some(Cause { name: text.clone(), text, function: None, file: None, line: None })
    };
    match &difference.verdict {
        Verdict::Equal => None,
        Verdict::Caches => of_kind("only caches moved"),
        Verdict::Environment(changes) => environment_changed(changes),
        Verdict::ChangedLines(_) => changed_lines(difference),
        Verdict::DataAddresses => of_kind("data is at another address"),
        Verdict::Spread => of_kind("the spread of the benchmark"),
        Verdict::Calls(calls) => match calls.first() {
            Some((name, ..)) => of_kind(&format!("the same lines make other calls of {name}")),
            None => of_kind("the same machine code runs more or less often"),
        },
        Verdict::OtherInFile { files, .. } => {
            of_kind(&format!("something else in {} changed", files.join(", ")))
        }
        Verdict::OtherFiles { packages, .. } => {
            let packages: Vec<_> =
                packages.iter().take(LISTED).map(|name| package_name(name)).collect();
            of_kind(&format!("something else in {} changed", packages.join(", ")))
        }
        Verdict::CodeGeneration { .. } => of_kind("the same source, compiled differently"),
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
    Some(Cause {
        name: environment(changes),
        text: format!("another {}{more}", environment(slice::from_ref(named))),
        function: None,
        file: None,
        line: None,
    })
}

/// Returns the function with changed lines that accounts for most, and what changed in it.
fn changed_lines(difference: &Difference) -> Option<Cause> {
    // The function with the largest change comes first
    let mut changed = difference.entries.iter().filter(|entry| !entry.changed_lines.is_empty());
    let Some(entry) = changed.find(|entry| entry.owner.is_some()) else {
        let Verdict::ChangedLines(lines) = &difference.verdict else { return None };
        let line = lines.first()?;
        let (file, line) = (line.file.clone(), line.line);
        return Some(Cause {
            name: file.clone(),
            text: format!("{file}:{line} changed"),
            function: None,
            file: Some(file),
            line: Some(line),
        });
    };
    let function = entry.owner.clone()?;
    let lines = entry.lines();
    let is_new = |line: &&LineChange<'_>| line.is_changed && !line.is_gone;
    let costliest = lines.iter().find(is_new).map(|line| (line.file, line.line));
    let first = || entry.changed_lines.first().map(|line| (&*line.file, line.line));
    let (file, line) = costliest.or_else(first)?;
    Some(Cause {
        text: format!("{function}, {file}:{line} {}", what(entry)),
        name: function.clone(),
        function: Some(function),
        file: Some(file.to_owned()),
        line: Some(line),
    })
}

/// Returns what changed in a function.
fn what(entry: &Entry) -> String {
    let mut callees = entry.callees.iter();
    if let Some((name, ..)) = callees.clone().find(|(_, old, _)| *old == 0) {
        return format!("now calls {name}");
    }
    if let Some((name, ..)) = callees.find(|(.., new)| *new == 0) {
        return format!("no longer calls {name}");
    }
    match entry.code {
        CodeChange::New => "is new".to_owned(),
        CodeChange::Gone => "is gone".to_owned(),
        _ => "changed".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
}
