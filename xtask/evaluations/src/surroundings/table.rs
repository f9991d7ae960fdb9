//! The tables of the benchmarks whose counts differ.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use clap::ValueEnum as _;

use crate::counts::{Counts, Differs};
use crate::harness::{Profile, header, row};
use crate::surroundings::difference::Difference;

/// The counts of each benchmark of a build.
pub(crate) type Results = BTreeMap<String, Counts>;

/// The results of all builds with a linker.
pub(crate) struct Column<'a> {
    pub(crate) profile: Profile,
    pub(crate) linker: &'a str,
    /// The results of each difference. The first one is none.
    pub(crate) results: Vec<Results>,
}

/// Returns a table for each profile, and a list of all benchmarks that differ.
pub(crate) fn tables(columns: &[Column<'_>]) -> String {
    let mut text = String::new();
    for profile in Profile::value_variants() {
        let columns: Vec<_> = columns.iter().filter(|column| column.profile == *profile).collect();
        let Some(first) = columns.first().and_then(|column| column.results.first()) else {
            continue;
        };
        write!(
            text,
            "Codegen units: {profile}. Of {} benchmarks, those with other instructions, reads or writes, and those of \
             which only caches differ:\n\n",
            first.len()
        )
        .expect("a string takes all");
        let linkers = columns.iter().map(|column| column.linker);
        text += &header(&["difference"].into_iter().chain(linkers).collect::<Vec<_>>());
        for (index, difference) in Difference::ALL.into_iter().enumerate().skip(1) {
            let cells = columns.iter().map(|column| cell(column, index));
            text += &row(&[difference.text()].into_iter().chain(cells).collect::<Vec<_>>());
        }
        text += "\n";
    }
    for column in columns {
        list(&mut text, column);
    }
    text
}

/// Returns the benchmarks whose results differ between the first build and the one with this index.
fn differing<'a>(column: &'a Column<'_>, index: usize) -> BTreeMap<&'a str, [&'a Counts; 2]> {
    let (first, other) = (&column.results[0], &column.results[index]);
    let pairs = first.iter().filter_map(|(name, old)| Some((&**name, [old, other.get(name)?])));
    pairs.filter(|(_, [old, new])| Differs::of(old, new) != Differs::Nothing).collect()
}

fn cell(column: &Column<'_>, index: usize) -> String {
    let pairs = differing(column, index);
    let is_caches = |[old, new]: &&[&Counts; 2]| Differs::of(old, new) == Differs::Caches;
    let caches = pairs.values().filter(is_caches).count();
    format!("{} and {caches}", pairs.len() - caches)
}

fn list(text: &mut String, column: &Column<'_>) {
    for (index, difference) in Difference::ALL.into_iter().enumerate().skip(1) {
        for (name, [old, new]) in differing(column, index) {
            let changes = old.iter().filter_map(|(label, old)| {
                let new = new.get(label)?;
                (old != new).then(|| format!("{label} {old} -> {new}"))
            });
            let changes = changes.collect::<Vec<_>>().join(", ");
            let (profile, linker, difference) = (column.profile, column.linker, difference.text());
            writeln!(text, "- {profile}, {linker}, {difference}: {name}: {changes}")
                .expect("a string takes all");
        }
    }
}
