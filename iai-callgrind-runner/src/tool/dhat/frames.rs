//! Whose a block is, by the functions that were on the stack when it was allocated.

use iai_callgrind_plan::EntryPoint;
use iai_callgrind_plan::filter::matches_pattern;

use super::recorded::Recorded;
use crate::error::{Error, Result};

/// The function of the library that calls the benchmark function, and nothing else: it is on the stack
/// of all that the benchmark does in its own thread. The benchmark function itself need not be: when it
/// calls a function as the last thing it does, that one can take its place.
const MEASURE: [&str; 2] = ["iai_callgrind::region::Region", "::measure"];

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

/// The first of the functions in a file, which stands for none.
const ROOT: &str = "[root]";

/// The loader, which allocates and copies in the main thread too.
const LOADER: &str = "/ld-";

/// Whose blocks count.
#[derive(Debug)]
pub(super) struct Owners<'a> {
    entry: Entry<'a>,
    /// Further patterns of functions.
    frames: &'a [String],
}

#[derive(Debug, Clone, Copy)]
enum Entry<'a> {
    /// All.
    Process,
    /// None but those of the further patterns.
    Frames,
    /// Those of the benchmark function and of other threads.
    Benchmark,
    /// Those of functions that match this pattern, and of what they call.
    Pattern(&'a str),
}

impl<'a> Owners<'a> {
    /// What the options say of the process that runs the benchmark function, or of one that it started.
    pub(super) fn of(options: &'a Recorded, is_main: bool) -> Self {
        let frames = &*options.frames;
        let entry = match &options.entry_point {
            EntryPoint::Custom(pattern) => Entry::Pattern(pattern),
            EntryPoint::None if frames.is_empty() => Entry::Process,
            EntryPoint::None => Entry::Frames,
            EntryPoint::Default if is_main => Entry::Benchmark,
            EntryPoint::Default => Entry::Process,
        };
        Self { entry, frames }
    }

    /// Fails if the benchmark function can't be told, because nothing has a name.
    pub(super) fn check<'f>(&self, frames: impl Iterator<Item = &'f str>) -> Result<()> {
        // Without stacks there is only one, which says `[root]`
        let mut frames = frames.filter(|frame| *frame != ROOT).peekable();
        let has_none = frames.peek().is_none();
        if !matches!(self.entry, Entry::Benchmark)
            || has_none
            || frames.any(|it| name(it) == "main")
        {
            return Ok(());
        }
        Err(Error::Case(
            "DHAT saw no symbols, so what the benchmark allocates can't be told from the rest.\nSet \
             `strip = false` in [profile.bench], or let all count with `entry_point(EntryPoint::None)`"
                .to_owned(),
        ))
    }

    /// Whether a block counts that was allocated with these frames on the stack.
    pub(super) fn own(&self, frames: &[&str]) -> bool {
        let has = |pattern: &str| frames.iter().any(|frame| matches_pattern(pattern, name(frame)));
        let is_entry = match self.entry {
            Entry::Process => true,
            Entry::Frames => false,
            Entry::Benchmark => is_benchmarks(frames),
            Entry::Pattern(pattern) => has(pattern),
        };
        is_entry || self.frames.iter().any(|pattern| has(pattern))
    }
}

/// Whether the benchmark function or another thread allocated it. A stack that is too deep to be seen to
/// its end counts as the benchmark's.
fn is_benchmarks(frames: &[&str]) -> bool {
    let is_measured = |frame: &&str| MEASURE.iter().all(|part| name(frame).contains(part));
    let is_main_thread = |frame: &&str| {
        let name = name(frame);
        let name = name.split('@').next().unwrap_or(name);
        MAIN_THREAD.contains(&name) || name.starts_with("call_init") || frame.contains(LOADER)
    };
    frames.iter().any(is_measured) || !frames.iter().any(is_main_thread)
}

/// The function's name in a frame like `0x1091BC: work (t.c:8)`.
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
    const MEASURED: &str = "0x10919B: iai_callgrind::region::Region::measure (region.rs:40)";
    const MAIN: &str = "0x109231: main (in /target/release/deps/my_benchmark-1)";
    const CLONE: &str = "0x4959A3F: clone (clone.S:100)";

    fn options(entry_point: EntryPoint, frames: &[&str]) -> Recorded {
        Recorded { entry_point, frames: frames.iter().map(|&frame| frame.to_owned()).collect() }
    }

    fn own(options: &Recorded, frames: &[&str]) -> bool {
        Owners::of(options, true).own(frames)
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
        let default = options(EntryPoint::Default, &[]);
        assert!(own(&default, &[MALLOC, SETUP, MEASURED, MAIN]));
        assert!(own(
            &default,
            &[MALLOC, "0x1: <iai_callgrind::region::Region>::measure::<x> (in a)"]
        ));
        assert!(own(&default, &[MALLOC, SETUP, CLONE]));
        assert!(own(&default, &[MALLOC, SETUP]), "the end of the stack is out of sight");
        assert!(!own(&default, &[MALLOC, SETUP, MAIN]));
        assert!(!own(&default, &["0x401AB77: ??? (in /usr/lib/ld-linux-x86-64.so.2)"]));
        assert!(!own(&default, &[MALLOC, "0x1: __libc_start_main@@GLIBC_2.34 (libc-start.c:392)"]));
        assert!(Owners::of(&default, false).own(&[MALLOC, SETUP, MAIN]), "a process of its own");
    }

    #[test]
    fn patterns_take_the_place_of_the_benchmark_function_or_add_to_it() {
        let custom = options(EntryPoint::Custom("*::setup".to_owned()), &[]);
        assert!(own(&custom, &[MALLOC, SETUP, MAIN]));
        assert!(!own(&custom, &[MALLOC, MEASURED, MAIN]) && !own(&custom, &[MALLOC, CLONE]));
        let also = options(EntryPoint::Default, &["my_benchmark::set?p"]);
        assert!(own(&also, &[MALLOC, SETUP, MAIN]) && own(&also, &[MALLOC, MEASURED, MAIN]));
        let only = options(EntryPoint::None, &["*::setup"]);
        assert!(own(&only, &[MALLOC, SETUP, MAIN]) && !own(&only, &[MALLOC, MEASURED, MAIN]));
        assert!(own(&options(EntryPoint::None, &[]), &[MALLOC, MAIN]));
    }
}
