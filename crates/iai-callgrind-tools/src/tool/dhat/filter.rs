//! Selects blocks by the functions that were on the stack when they were allocated.

use iai_callgrind_base::MalformedFile;
use iai_callgrind_profile::files;
use std::fs;
use std::path::{Path, PathBuf};

use iai_callgrind_plan::EntryPoint;
use iai_callgrind_plan::Json;
use iai_callgrind_plan::filter::matches_pattern;
use serde::Deserialize;

use super::parser::TOOL;
use crate::tool::ToolFailure;
use crate::tool::launch::LaunchOptions;
use crate::tool::lines::malformed;
use crate::{Error, Result};

/// The function of the library that calls the benchmark function, and nothing else: it is on all stacks
/// of the benchmark's own thread. The benchmark function need not be: its last call can take its place.
const MEASURE: [&str; 2] = ["iai_callgrind_harness::region::Region", "::measure"];

/// Functions at the bottom of the main thread's stack. Valgrind shows none below `main`.
const MAIN_THREAD: [&str; 7] = [
    "main",
    "(below main)",
    "_start",
    "_dl_start",
    "_dl_start_user",
    "_dl_init",
    "__libc_start_main",
];

/// Rust's runtime, which calls the `main` of Rust. It takes the place of C's `main` if that ends in a jump.
const RUNTIME: &str = "::rt::lang_start";

/// The first frame in a file, a placeholder.
const ROOT: &str = "[root]";

/// The loader, which allocates and copies in the main thread as well.
const LOADER: &str = "/ld-";

/// The extension of the file that a filter other than the default is stored in, next to DHAT's file.
pub(super) const EXTENSION: &str = "owners.json";

/// Selects the blocks that count.
///
/// The filter is stored next to a file of the whole process, for those who read the result later without the
/// benchmark file.
#[derive(Debug, Default, PartialEq, Eq, Deserialize)]
pub(super) struct BlockFilter {
    pub(super) entry_point: EntryPoint,
    /// Further patterns of functions.
    pub(super) frames: Vec<String>,
}

impl BlockFilter {
    /// Returns the filter that a launch is configured with.
    pub(super) fn from_options(options: &LaunchOptions) -> Self {
        Self { entry_point: options.entry_point.clone(), frames: options.frames.clone() }
    }

    /// Reads the filter of a stored result.
    pub(super) fn read(result: &Path) -> Result<Self> {
        let path = result.with_extension(EXTENSION);
        if !path.exists() {
            return Ok(Self::default());
        }
        let text = files::read_to_string(&path).map_err(Error::io("read", &path))?;
        serde_json::from_str(&text)
            .map_err(|error| malformed(TOOL, &path, error.line(), MalformedFile::Json(error)))
    }

    /// Writes the filter for the result of this process, unless it is the default.
    pub(super) fn write(&self, process: &Path) -> Result<Option<PathBuf>> {
        if *self == Self::default() {
            return Ok(None);
        }
        let path = process.with_extension(EXTENSION);
        let (entry_point, frames) = (self.entry_point.to_json(), self.frames.to_json());
        let text = format!("{{\"entry_point\":{entry_point},\"frames\":{frames}}}");
        fs::write(&path, text).map_err(Error::io("write", &path))?;
        Ok(Some(path))
    }

    /// Returns the filter of the process that ran the benchmark function, or of another one.
    pub(super) fn of_process(&self, is_main: bool) -> ProcessFilter<'_> {
        let Self { entry_point, frames } = self;
        let entry = match entry_point {
            EntryPoint::Custom(pattern) => FilterEntry::Pattern(pattern),
            EntryPoint::None if frames.is_empty() => FilterEntry::Process,
            EntryPoint::None => FilterEntry::Frames,
            EntryPoint::Default if is_main => FilterEntry::Benchmark,
            EntryPoint::Default => FilterEntry::Process,
        };
        ProcessFilter { entry, frames }
    }
}

/// Selects the blocks of one process.
#[derive(Debug)]
pub(super) struct ProcessFilter<'a> {
    entry: FilterEntry<'a>,
    /// Further patterns of functions.
    frames: &'a [String],
}

#[derive(Debug, Clone, Copy)]
enum FilterEntry<'a> {
    /// All blocks.
    Process,
    /// Only those of the further patterns.
    Frames,
    /// Those of the benchmark function and of other threads.
    Benchmark,
    /// Those of functions that match this pattern, and of their callees.
    Pattern(&'a str),
}

impl ProcessFilter<'_> {
    /// All blocks.
    pub(super) const ALL: Self = Self { entry: FilterEntry::Process, frames: &[] };

    /// Returns `true` if the filter selects all blocks.
    pub(super) fn selects_all(&self) -> bool {
        matches!(self.entry, FilterEntry::Process)
    }

    /// Fails if the benchmark function can't be found, because no function has a name.
    pub(super) fn check<'f>(&self, frames: impl Iterator<Item = &'f str>) -> Result<()> {
        // Without stacks there is only the frame `[root]`
        let mut frames = frames.filter(|frame| *frame != ROOT).peekable();
        let has_none = frames.peek().is_none();
        if !matches!(self.entry, FilterEntry::Benchmark)
            || has_none
            || frames.any(|frame| is_main(frame) || is_measured(frame))
        {
            return Ok(());
        }
        Err(ToolFailure::NoSymbols.into())
    }

    /// Selects a block by the stack that allocated it, innermost frame first.
    pub(super) fn selects(&self, frames: &[&str]) -> bool {
        let has = |pattern: &str| frames.iter().any(|frame| matches_pattern(pattern, name(frame)));
        let is_entry = match self.entry {
            FilterEntry::Process => true,
            FilterEntry::Frames => false,
            FilterEntry::Benchmark => is_of_benchmark(frames),
            FilterEntry::Pattern(pattern) => has(pattern),
        };
        is_entry || self.frames.iter().any(|pattern| has(pattern))
    }
}

/// Returns true for a stack of the benchmark function or of another thread. A stack that is too deep to
/// be seen to its end is the benchmark's.
fn is_of_benchmark(frames: &[&str]) -> bool {
    let is_main_thread = |frame: &&str| {
        let name = name(frame);
        let name = name.split('@').next().unwrap_or(name);
        MAIN_THREAD.contains(&name)
            || is_main(frame)
            || name.starts_with("call_init")
            || frame.contains(LOADER)
    };
    frames.iter().any(|frame| is_measured(frame)) || !frames.iter().any(is_main_thread)
}

fn is_measured(frame: &str) -> bool {
    MEASURE.iter().all(|part| name(frame).contains(part))
}

fn is_main(frame: &str) -> bool {
    let name = name(frame);
    name == "main" || name.contains(RUNTIME)
}

/// Returns the function's name in a frame like `0x1091BC: work (t.c:8)`.
fn name(frame: &str) -> &str {
    let rest = frame.split_once(": ").map_or(frame, |(_, rest)| rest);
    rest.rsplit_once(" (").map_or(rest, |(name, _)| name)
}

#[cfg(test)]
mod tests {
    use super::*;

    const MALLOC: &str =
        "0x48417B4: malloc (in /usr/libexec/valgrind/vgpreload_dhat-amd64-linux.so)";
    const SETUP: &str = "0x1091BC: my_benchmark::setup (my_benchmark.rs:8)";
    const MEASURED: &str =
        "0x10919B: iai_callgrind_harness::region::Region::measure (region.rs:40)";
    const MAIN: &str = "0x109231: main (in /target/release/deps/my_benchmark-1)";
    const CLONE: &str = "0x4959A3F: clone (clone.S:100)";

    fn filter(entry_point: EntryPoint, frames: &[&str]) -> BlockFilter {
        BlockFilter { entry_point, frames: frames.iter().map(|&frame| frame.to_owned()).collect() }
    }

    fn selects(filter: &BlockFilter, frames: &[&str]) -> bool {
        filter.of_process(true).selects(frames)
    }

    #[test]
    fn names() {
        assert_eq!(name(MALLOC), "malloc");
        assert_eq!(name("0x1: <fn() (a) as b::C>::d::<*> (x.rs:1)"), "<fn() (a) as b::C>::d::<*>");
        assert_eq!(name("[root]"), "[root]");
        assert_eq!(name("0x1: ??? (in /a (b)/c)"), "??? (in /a");
    }

    #[test]
    fn by_default_the_measured_call_and_other_threads_count() {
        let default = filter(EntryPoint::Default, &[]);
        assert!(selects(&default, &[MALLOC, SETUP, MEASURED, MAIN]));
        assert!(selects(
            &default,
            &[MALLOC, "0x1: <iai_callgrind_harness::region::Region>::measure::<x> (in a)"]
        ));
        assert!(selects(&default, &[MALLOC, SETUP, CLONE]));
        assert!(selects(&default, &[MALLOC, SETUP]), "the end of the stack is out of sight");
        assert!(!selects(&default, &[MALLOC, SETUP, MAIN]));
        assert!(!selects(&default, &["0x401AB77: ??? (in /usr/lib/ld-linux-x86-64.so.2)"]));
        assert!(!selects(
            &default,
            &[MALLOC, "0x1: __libc_start_main@@GLIBC_2.34 (libc-start.c:392)"]
        ));
        assert!(default.of_process(false).selects(&[MALLOC, SETUP, MAIN]), "a process of its own");
    }

    // With `opt-level = "z"` and without LTO, `main` ends in a jump to `lang_start`.
    #[test]
    fn the_runtime_takes_the_place_of_main() {
        const RUNTIME: &str =
            "0x11C065: std::rt::lang_start (in /target/release/deps/my_benchmark-1)";
        const STRIPPED: &str = "0x11C065: ??? (in /target/release/deps/my_benchmark-1)";
        const BELOW: &str = "0x48A2249: (below main) (libc_start_call_main.h:58)";
        let default = filter(EntryPoint::Default, &[]);
        let check = |frames: &[&str]| default.of_process(true).check(frames.iter().copied());
        for named in
            [&[ROOT, RUNTIME, BELOW][..], &[ROOT, MEASURED, STRIPPED], &[ROOT, MAIN], &[ROOT]]
        {
            assert!(check(named).is_ok(), "{named:?}");
        }
        assert!(check(&[ROOT, MALLOC, STRIPPED, BELOW]).is_err());
        assert!(selects(&default, &[MALLOC, MEASURED, RUNTIME, BELOW]));
        assert!(!selects(&default, &[MALLOC, SETUP, RUNTIME]));
    }

    #[test]
    fn patterns_take_the_place_of_the_benchmark_function_or_add_to_it() {
        let custom = filter(EntryPoint::Custom("*::setup".to_owned()), &[]);
        assert!(selects(&custom, &[MALLOC, SETUP, MAIN]));
        assert!(
            !selects(&custom, &[MALLOC, MEASURED, MAIN]) && !selects(&custom, &[MALLOC, CLONE])
        );
        let also = filter(EntryPoint::Default, &["my_benchmark::set?p"]);
        assert!(
            selects(&also, &[MALLOC, SETUP, MAIN]) && selects(&also, &[MALLOC, MEASURED, MAIN])
        );
        let only = filter(EntryPoint::None, &["*::setup"]);
        assert!(
            selects(&only, &[MALLOC, SETUP, MAIN]) && !selects(&only, &[MALLOC, MEASURED, MAIN])
        );
        assert!(selects(&filter(EntryPoint::None, &[]), &[MALLOC, MAIN]));
    }

    #[test]
    fn a_stored_filter_is_read_again() {
        let directory = tempfile::tempdir().unwrap();
        let process = directory.path().join("17");
        let result = process.with_extension("out");
        assert_eq!(BlockFilter::default().write(&process).unwrap(), None);
        assert_eq!(BlockFilter::read(&result).unwrap(), BlockFilter::default());
        for entry_point in [EntryPoint::None, EntryPoint::Custom("a\"::*".to_owned())] {
            let filter = BlockFilter { entry_point, frames: vec!["b".to_owned()] };
            let path = filter.write(&process).unwrap().unwrap();
            assert_eq!(BlockFilter::read(&result).unwrap(), filter);
            fs::write(path, "{").unwrap();
            let error = BlockFilter::read(&result).unwrap_err().to_string();
            assert!(error.contains("17.owners.json"), "{error}");
        }
    }
}
