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

/// Lists the charts in the directory of a group, sorted by name.
pub fn list_charts(group: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(group).into_iter().flatten().flatten();
    let is_chart = |path: &PathBuf| file_name(path).ends_with(CHART);
    let mut paths: Vec<_> = entries.map(|entry| entry.path()).filter(is_chart).collect();
    paths.sort_by_cached_key(|path| Natural(file_name(path).to_owned()));
    paths
}

/// Returns true for a chart of a function.
pub fn is_chart_of(path: &Path, function: &str) -> bool {
    let rest = file_name(path).strip_prefix(&encode_name(function));
    rest.is_some_and(|rest| rest.starts_with('.'))
}
