//! Charts of growth, next to the results of a group.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use iai_callgrind_base::Natural;

use super::file_system::{create_below, create_sibling};
use super::names::{LONGEST, encode_name, file_name, shorten};
use crate::{Error, Result};

/// End of the name of every chart.
const CHART: &str = ".growth.svg";

/// End of the name of a chart of instructions.
const INSTRUCTIONS: &str = ".Ir.growth.svg";

/// Writes a chart in the directory of a group: `<function>.<tool>.<metric>.growth.svg`.
pub fn write_chart(group: &Path, names: [&str; 3], svg: &str) -> Result<()> {
    let name = names.map(encode_name).join(".");
    let path = group.join(shorten(&name, LONGEST - CHART.len()) + CHART);
    // The next run removes temporary files from the output directory, if this run is killed
    let output = group.parent().unwrap_or(group);
    create_below(output, group)?;
    let write = || {
        let mut file = create_sibling(&output.join(CHART))?;
        file.write_all(svg.as_bytes())?;
        file.persist(&path)?;
        Ok(())
    };
    write().map_err(Error::io("write", &path))
}

/// Lists the charts in the directory of a group, sorted by name, those of instructions first.
pub fn list_charts(group: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(group).into_iter().flatten().flatten();
    let is_chart = |path: &PathBuf| file_name(path).ends_with(CHART);
    let mut paths: Vec<_> = entries.map(|entry| entry.path()).filter(is_chart).collect();
    paths.sort_by_cached_key(|path| {
        let name = file_name(path);
        (!name.ends_with(INSTRUCTIONS), Natural(name.to_owned()))
    });
    paths
}

/// Returns true for a chart of a function.
pub fn is_chart_of(path: &Path, function: &str) -> bool {
    let rest = file_name(path).strip_prefix(&encode_name(function));
    rest.is_some_and(|rest| rest.starts_with('.'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn charts_of_instructions_come_first() {
        let directory = tempfile::tempdir().unwrap();
        let group = directory.path().join("group");
        for metric in ["EstimatedCycles", "Ir"] {
            write_chart(&group, ["sort", "callgrind", metric], "<svg/>").unwrap();
        }
        let charts = list_charts(&group);
        let names: Vec<_> = charts.iter().map(|path| file_name(path)).collect();
        let expected =
            ["sort.callgrind.Ir.growth.svg", "sort.callgrind.EstimatedCycles.growth.svg"];
        assert_eq!(names, expected);
    }
}
