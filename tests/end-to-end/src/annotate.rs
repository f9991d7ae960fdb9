//! Reads what `callgrind_annotate` prints.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

/// Returns the instructions of a profile by function as `callgrind_annotate` adds them up, one cost for each file
/// that a function has code of. `costs` is `--inclusive=yes` or `--inclusive=no`. None if it isn't installed.
#[must_use]
pub fn annotated_functions(profile: &Path, costs: &str) -> Option<BTreeMap<String, Vec<u64>>> {
    let mut command = Command::new("callgrind_annotate");
    command.args([costs, "--show=Ir", "--auto=no", "--threshold=100"]).arg(profile);
    let output = command.output().ok()?;
    let mut functions = BTreeMap::<_, Vec<u64>>::new();
    for line in String::from_utf8_lossy(&output.stdout).lines() {
        let row = line.trim_start().split_once(" (").and_then(|(cost, rest)| {
            let (_, place) = rest.split_once("%) ")?;
            let (_, function) = place.trim_start().split_once(':')?;
            let function = function.rsplit_once(" [").map_or(function, |(name, _)| name);
            Some((function.to_owned(), cost.replace(',', "").parse().ok()?))
        });
        if let Some((function, cost)) = row {
            functions.entry(function).or_default().push(cost);
        }
    }
    Some(functions)
}
