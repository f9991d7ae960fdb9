//! The counts of a benchmark file whose functions and data have another order and other distances.

use std::path::Path;

use iai_callgrind_plan::Plan;

use super::arguments::MeasuringArguments;
use super::cargo::{BenchmarkFile, BuildPlace, CargoCall};
use super::error::AgainstError;
use super::linking::Layouts;
use super::note::RevisionNote;
use super::place::Place;
use super::{DIRECTORY, create_ignored};
use crate::error::Result;
use crate::output::{OutputDirectory, staging_directory};
use crate::settings::{Settings, workspace_directory};

/// Links the benchmark file of a plan this many times with another layout, and counts the benchmarks of each executable. This
/// function reads the results of a layout from their directory, which is removed then.
pub(crate) fn count_layouts(
    plan: &Plan,
    settings: &Settings,
    arguments: &MeasuringArguments,
    number: u32,
    mut read: impl FnMut(&Path) -> Result<()>,
) -> Result<()> {
    let file = BenchmarkFile::of(plan);
    let cargo = CargoCall::of_parents()?;
    let workspace = workspace_directory(Path::new(&plan.package_dir));
    let packages = cargo.own_packages()?;
    let place = Place::here(&workspace, cargo.target_directory(&packages));
    let at = BuildPlace { top: &workspace, place: &place, flags: None };
    let directory = settings.home.join(DIRECTORY);
    let _lock = OutputDirectory::open(&settings.home, &directory)?;
    create_ignored(&directory)?;
    let layouts = Layouts::of(plan)?;
    for layout in 1..=number {
        RevisionNote::CountingLayout { layout, number }.print();
        let built = cargo.build_layout(&at, &packages, &file, layouts.option(layout))?;
        let built = built.ok_or_else(|| AgainstError::Layout { file: file.name.to_owned() })?;
        let home = staging_directory(&directory)?;
        if let Some(status) = arguments.run(&place, &built, home.path(), &[])? {
            return Err(AgainstError::CountLayout { layout, status }.into());
        }
        read(home.path())?;
    }
    Ok(())
}
