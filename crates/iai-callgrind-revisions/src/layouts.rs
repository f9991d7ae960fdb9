//! Other layouts of a benchmark executable: the options with which the linker makes them, and their counts.

use std::path::Path;

use iai_callgrind_base::workspace_directory;
use iai_callgrind_plan::Plan;
use iai_callgrind_profile::files;
use iai_callgrind_store::{OutputDirectory, staging_directory};
use object::{Object, ObjectSymbol, ReadCache};

use super::arguments::MeasuringArguments;
use super::cargo::{BenchmarkFile, BuildPlace, CargoCall};
use super::error::{AgainstError, Error, Result};
use super::note::RevisionNote;
use super::place::TreePlace;
use super::revisions::{DIRECTORY, create_ignored};

/// Maximum length of all names in an option of the linker. The kernel has a limit of 128 KiB for an argument.
const LONGEST_NAMES: usize = 64 * 1024;

/// The option for a name.
const UNDEFINED: &str = ",--undefined=";

/// Sections of functions, constants and variables, which mean the same in any order. Each function has its own.
const SHUFFLED: [&str; 4] = [".text*", ".rodata*", ".data*", ".bss*"];

/// Layouts of a benchmark executable.
///
/// Functions and data have another order and other distances from each other. Distances alone
/// change too little: pages start in the library, so the code of a benchmark keeps its place within
/// a page. Code finds library functions in a table of addresses, ordered by the linker's first use
/// of their names. A new benchmark in the file changes this order, so a layout does so, too.
#[derive(Debug)]
pub(super) struct Layouts {
    /// Functions and variables that the executable needs of shared libraries.
    imports: Vec<String>,
}

impl Layouts {
    /// Reads the executable of a plan.
    pub(super) fn of(plan: &Plan) -> Result<Self> {
        let imports = plan.executable.iter().map(|executable| imports(Path::new(&executable.path)));
        Ok(Self { imports: imports.collect::<Result<Vec<_>>>()?.concat() })
    }

    /// Returns the compiler's option for the layout with this number.
    pub(super) fn option(&self, number: u32) -> String {
        let mut random = fastrand::Rng::with_seed(number.into());
        let first = random.usize(..=self.imports.len());
        let mut first = random.choose_multiple(&self.imports, first);
        random.shuffle(&mut first);
        let mut option = format!("-Clink-arg=-Wl,--randomize-section-padding={number}");
        option.extend(SHUFFLED.map(|sections| format!(",--shuffle-sections={sections}={number}")));
        option.extend(first.iter().map(|name| format!("{UNDEFINED}{name}")));
        option
    }
}

/// Links the benchmark file of a plan this many times with another layout, and counts the benchmarks of each executable. This
/// function reads the results of a layout from their directory, which is removed then; it fails with an error of the caller.
/// `home` is the directory of all results.
pub fn count_layouts<E: From<Error>>(
    plan: &Plan,
    home: &Path,
    arguments: &MeasuringArguments,
    number: u32,
    mut read: impl FnMut(&Path) -> Result<(), E>,
) -> Result<(), E> {
    let file = BenchmarkFile::of(plan);
    let cargo = CargoCall::of_parents()?;
    let workspace = workspace_directory(Path::new(&plan.package_dir));
    let packages = cargo.own_packages()?;
    let place = TreePlace::here(&workspace, &packages);
    let executable = plan.executable.as_ref().map(|executable| Path::new(&executable.path));
    let executable = executable.ok_or(AgainstError::Commands).map_err(Error::from)?;
    let at = BuildPlace { top: &workspace, place: &place, flags: None };
    let directory = home.join(DIRECTORY);
    let _lock = OutputDirectory::open(home, &directory).map_err(Error::from)?;
    create_ignored(&directory)?;
    let layouts = Layouts::of(plan)?;
    for layout in 1..=number {
        RevisionNote::CountingLayout { layout, number }.print();
        let option = layouts.option(layout);
        let built = cargo.build_layout(&at, &packages, &file, (executable, option))?;
        let home = staging_directory(&directory).map_err(Error::from)?;
        if let Some(status) = arguments.run(&place, &built, home.path(), &[])? {
            return Err(Error::from(AgainstError::CountLayout { layout, status }).into());
        }
        read(home.path())?;
    }
    Ok(())
}

/// Returns the names that an executable needs of shared libraries. A name that a library may lack would be an error of the
/// linker.
fn imports(path: &Path) -> Result<Vec<String>> {
    let content = ReadCache::new(files::open(path).map_err(Error::io("read", path))?);
    let Ok(file) = object::File::parse(&content) else { return Ok(Vec::new()) };
    let needed = file.dynamic_symbols().filter(|symbol| symbol.is_undefined() && !symbol.is_weak());
    let names = needed.filter_map(|symbol| symbol.name().ok().map(str::to_owned));
    Ok(fitting(names.filter(|name| is_plain(name))))
}

/// Returns the first names, as many as fit into an option.
fn fitting(names: impl Iterator<Item = String>) -> Vec<String> {
    let mut length = 0;
    let fits = |name: &String| {
        length += UNDEFINED.len() + name.len();
        length <= LONGEST_NAMES
    };
    names.take_while(fits).collect()
}

/// Returns `true` if a name has no character that separates options of the linker.
fn is_plain(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_layout_has_distances_and_orders_of_its_own() {
        let own = imports(&std::env::current_exe().unwrap()).unwrap();
        assert!(own.iter().any(|name| name == "malloc"), "{own:?}");
        let layouts = Layouts { imports: own };
        let options = [layouts.option(1), layouts.option(1), layouts.option(2)];
        assert_eq!(options[0], options[1]);
        let names = options.each_ref().map(|option| option.split_once(",--undefined=").unwrap().1);
        assert!(names[0].contains(",--undefined=") && names[0] != names[2], "{names:?}");
        let none = Layouts { imports: Vec::new() };
        let sections = "--shuffle-sections=.text*=3,--shuffle-sections=.rodata*=3,--shuffle-sections=.data*=3,\
                        --shuffle-sections=.bss*=3";
        let expected = format!("-Clink-arg=-Wl,--randomize-section-padding=3,{sections}");
        assert_eq!(none.option(3), expected);
        assert!(imports(Path::new("/does/not/exist")).is_err());
        let long = (0..500).map(|number| format!("{number:0>300}"));
        let fit = Layouts { imports: fitting(long) };
        assert!((1..20).all(|number| fit.option(number).len() < 100 * 1024));
        assert_eq!(fit.imports.len(), 64 * 1024 / 313);
        let names = ["__cxa_atexit", "", "a,--wrap=b", "a b"];
        assert_eq!(names.map(is_plain), [true, false, false, false]);
    }
}
