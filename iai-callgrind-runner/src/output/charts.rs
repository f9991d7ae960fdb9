//! Charts of growth, next to the results of a group.

use std::io::Write;
use std::path::Path;

use super::file_system::create_sibling;
use super::names::{LONGEST, encode_name, shorten};
use crate::error::{Error, Result};

/// End of the name of every chart.
const CHART: &str = ".growth.svg";

/// Writes a chart in the directory of a group: `<function>.<tool>.<metric>.growth.svg`.
pub(crate) fn write_chart(group: &Path, names: [&str; 3], svg: &str) -> Result<()> {
    let name = names.map(encode_name).join(".");
    let path = group.join(shorten(&name, LONGEST - CHART.len()) + CHART);
    // The next run removes temporary files from the output directory, if this run is killed
    let output = group.parent().unwrap_or(group);
    let write = || {
        let mut file = create_sibling(&output.join(CHART))?;
        file.write_all(svg.as_bytes())?;
        file.persist(&path)?;
        Ok(())
    };
    write().map_err(Error::io("write", &path))
}
