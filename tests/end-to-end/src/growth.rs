//! Growth of costs with the size of the input: what was printed, and the sizes that results have.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::{Suite, tree};

/// Returns the lines below the name of each curve, up to the closing line.
#[must_use]
pub fn growth(stdout: &str) -> Vec<(&str, Vec<&str>)> {
    let (_, section) = stdout.split_once("\nGrowth:\n").unwrap_or_default();
    let mut curves: Vec<(&str, Vec<&str>)> = Vec::new();
    for line in section.lines().take_while(|line| line.is_empty() || line.starts_with("  ")) {
        match (line.strip_prefix("    "), line.strip_prefix("  ")) {
            (Some(line), _) => curves.last_mut().expect("a name").1.push(line),
            (None, Some(name)) => curves.push((name, Vec::new())),
            (None, None) => {}
        }
    }
    curves
}

/// Returns the fit of the instructions of a curve.
#[must_use]
pub fn instructions<'a>(curves: &[(&str, Vec<&'a str>)], curve: &str) -> &'a str {
    let name = format!("growth::{curve}");
    let found = curves.iter().find(|(title, _)| *title == name);
    let lines = &found.unwrap_or_else(|| panic!("no {name} in {curves:#?}")).1;
    lines[0].strip_prefix("Instructions:").expect("the instructions").trim_start()
}

/// Returns the sizes of the results by the groups and their curves, from the smallest.
#[must_use]
pub fn curves(suite: &Suite) -> BTreeMap<String, Vec<i64>> {
    let mut curves: BTreeMap<_, Vec<_>> = BTreeMap::new();
    for (path, contents) in tree(&suite.directory()) {
        if !path.ends_with(".amounts.json") {
            continue;
        }
        let amounts: Value = serde_json::from_slice(&contents).expect("amounts");
        // Results with a throughput only are not on a curve
        let Some(size) = amounts["size"].as_i64() else { continue };
        let group = path.split('/').next().expect("a group");
        let curve = format!("{group}::{}", amounts["curve"].as_str().expect("a curve"));
        curves.entry(curve).or_default().push(size);
    }
    for sizes in curves.values_mut() {
        sizes.sort_unstable();
    }
    curves
}

/// Returns the curves that a test expects.
#[must_use]
pub fn expected<const N: usize>(curves: [(&str, &[i64]); N]) -> BTreeMap<String, Vec<i64>> {
    curves.map(|(curve, sizes)| (curve.to_owned(), sizes.to_vec())).into()
}
