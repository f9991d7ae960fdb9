//! Counts the benchmarks of a [Google Benchmark](https://github.com/google/benchmark) file in C++ with iai-callgrind, without
//! a change of the file.
//!
//! This is the C interface below the headers in `include/benchmark`. `cargo xtask google-benchmark --prefix DIR` installs both
//! as a package of `CMake` and `pkg-config`.

#![cfg(unix)]

mod abort;
mod arguments;
mod counters;
mod filter;
mod loops;
mod package;
#[cfg(target_os = "linux")]
mod random;

use std::ffi::{CStr, OsString, c_char, c_int, c_void};
use std::os::unix::ffi::OsStringExt;
use std::sync::OnceLock;

use iai_callgrind_harness::__private::{Reached, Region, begin_walk_of, reach};
use iai_callgrind_plan::metric::MetricKind;
use iai_callgrind_plan::{Complexity, Config, EntryPoint, ValgrindTool};

use self::arguments::Arguments;
pub use self::arguments::Mode;
use self::loops::Loop;

// The code of a file's `main` can print before it comes to the benchmarks
#[used]
#[cfg_attr(target_vendor = "apple", unsafe(link_section = "__DATA,__mod_init_func"))]
#[cfg_attr(not(target_vendor = "apple"), unsafe(link_section = ".init_array"))]
static INITIALIZER: extern "C" fn() = iai_callgrind_harness::__private::claim_pipes;

/// The command line of this process.
static ARGUMENTS: OnceLock<Arguments> = OnceLock::new();

/// Status of a benchmark that is skipped.
const SKIPPED: c_int = 2;

/// Runs a benchmark with its loop.
type Run = extern "C" fn(*mut c_void, *mut c_void) -> c_int;

/// A benchmark that the walk reaches.
#[repr(C)]
#[derive(Debug)]
pub struct Benchmark {
    /// Name that Google Benchmark has.
    pub name: *const c_char,
    /// The name without the size.
    pub curve: *const c_char,
    /// Size of the input.
    pub size: i64,
    /// There is a size.
    pub has_size: bool,
    /// Number of the class in the enumeration `BigO`.
    pub complexity: c_int,
    /// Number of iterations of the loop; 0 if the file does not set it.
    pub iterations: i64,
    /// Runs the benchmark with its loop. Returns 0 if it passed, and 2 if it is skipped.
    pub run: Run,
    /// Second argument of the function.
    pub data: *mut c_void,
}

/// Reads the command line and starts the walk. Returns the number of the remaining arguments. Without effect if it was read.
///
/// # Safety
///
/// The arguments are those of `main`, or `argc` is 0. `header` is the path of a header in the prefix, or null. `empty` runs a
/// benchmark without a body, as [`Benchmark::run`] does with data.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn iai_callgrind_initialize(
    argc: c_int,
    words: *mut *mut c_char,
    header: *const c_char,
    empty: Run,
) -> c_int {
    let number = usize::try_from(argc).unwrap_or(0);
    if ARGUMENTS.get().is_some() {
        return argc;
    }
    let given = (1..number).map(|index| {
        // SAFETY: the caller guarantees that there are as many.
        let word = unsafe { CStr::from_ptr(*words.add(index)) };
        OsString::from_vec(word.to_bytes().to_vec())
    });
    let arguments = ARGUMENTS.get_or_init(|| {
        Arguments::parse(given, |name| std::env::var(name).ok()).unwrap_or_else(|error| {
            eprintln!("error: {error}");
            std::process::exit(2)
        })
    });
    arguments.print_note();
    if arguments.mode != Mode::List {
        // SAFETY: the caller guarantees it.
        let header = (!header.is_null()).then(|| unsafe { CStr::from_ptr(header) });
        let origin = || {
            check_linking();
            package::find_runner(header);
            package::origin()
        };
        begin_walk_of(origin, || arguments.to_runner(), &mut |region| {
            run(region, empty, std::ptr::null_mut(), 0);
        });
        // Runs before the end of the walk, whose own errors are none of the file's code
        // SAFETY: the function does not unwind.
        unsafe { libc::atexit(let_abort) };
    }
    for (place, kept) in arguments.kept.iter().enumerate() {
        // SAFETY: both places are in the array, and the argument has as many bytes before its start.
        unsafe { *words.add(1 + place) = (*words.add(1 + kept.index)).add(kept.start) };
    }
    let kept = arguments.kept.len();
    if number > 0 {
        // SAFETY: the array of `main` has a null pointer at its end.
        unsafe { *words.add(1 + kept) = std::ptr::null_mut() };
    }
    c_int::try_from(kept + number.min(1)).unwrap_or(argc)
}

/// Returns what this process does with benchmarks.
#[unsafe(no_mangle)]
pub extern "C" fn iai_callgrind_mode() -> Mode {
    ARGUMENTS.get().map_or(Mode::Count, |arguments| arguments.mode)
}

/// Returns `true` if `--benchmark_filter` selects the benchmark.
///
/// # Safety
///
/// The name ends with a zero byte.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn iai_callgrind_is_selected(name: *const c_char) -> bool {
    let Some(arguments) = ARGUMENTS.get() else { return true };
    // SAFETY: the caller guarantees it.
    unsafe { filter::selects(&arguments.filter, CStr::from_ptr(name)) }
}

/// Returns `true` if a filter of the file's code selects the benchmark.
///
/// # Safety
///
/// Both texts end with a zero byte.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn iai_callgrind_matches(filter: *const c_char, name: *const c_char) -> bool {
    // SAFETY: the caller guarantees it.
    unsafe { filter::selects(CStr::from_ptr(filter), CStr::from_ptr(name)) }
}

/// Returns the filter of the command line.
#[unsafe(no_mangle)]
pub extern "C" fn iai_callgrind_filter() -> *const c_char {
    ARGUMENTS.get().map_or(c"".as_ptr(), |arguments| arguments.filter.as_ptr())
}

/// Returns the value of `--v`.
#[unsafe(no_mangle)]
pub extern "C" fn iai_callgrind_verbosity() -> c_int {
    ARGUMENTS.get().map_or(0, |arguments| arguments.verbosity)
}

/// Reaches a benchmark, which the filter selects or not: it is listed, or runs if it is this one's turn.
///
/// # Panics
///
/// Panics in a benchmark that fails.
///
/// # Safety
///
/// The texts end with a zero byte.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn iai_callgrind_reach(benchmark: &Benchmark, is_selected: bool) {
    // SAFETY: the caller guarantees it.
    let text = |text| unsafe { CStr::from_ptr(text) }.to_string_lossy();
    let (name, curve) = (text(benchmark.name), text(benchmark.curve));
    let has_filter =
        ARGUMENTS.get().is_some_and(|arguments| !filter::selects_all(&arguments.filter));
    let reached = Reached {
        group: "benchmarks",
        function: &name,
        external_id: &name,
        is_selected: has_filter.then_some(is_selected),
        size: benchmark.has_size.then_some(benchmark.size),
        curve: &curve,
        config: config(benchmark),
    };
    reach(reached, &mut |region| {
        run(region, benchmark.run, benchmark.data, benchmark.iterations);
    });
}

/// Runs a benchmark with a loop of at least this number of iterations. The rehearsal does so as well.
#[inline(never)]
fn run(region: &mut Region, run: Run, data: *mut c_void, iterations: i64) {
    let mut measured = Loop::new(region, iterations);
    match run((&raw mut measured).cast(), data) {
        0 => measured.check(),
        SKIPPED => measured.skip(),
        _ => loops::end(),
    }
}

/// Ends a static executable, in which the harness finds no function of the C library.
fn check_linking() {
    // SAFETY: always allowed. Without a dynamic linker there is no address of one
    if unsafe { libc::getauxval(libc::AT_BASE) } == 0 {
        eprintln!(
            "error: the executable can't count: it is linked with -static\n\
             help: link it with the shared C library, for instance with -static-libstdc++"
        );
        std::process::exit(1);
    }
}

extern "C" fn let_abort() {
    abort::iai_callgrind_survive_abort(false);
}

/// Returns the configuration of a benchmark. Callgrind's limit is none of another default tool.
fn config(benchmark: &Benchmark) -> Config {
    let mut config = Config::default();
    config.tool_mut(ValgrindTool::DHAT).entry_point =
        Some(EntryPoint::Custom("*benchmark::internal::Body*".to_owned()));
    let names_tool = ARGUMENTS.get().is_some_and(Arguments::names_tool);
    if let Some(class) = complexity(benchmark.complexity).filter(|_| !names_tool) {
        config.complexity = vec![(MetricKind::Ir, class)];
    }
    config
}

/// Returns the class with a number of `BigO`. Those that leave the class to the fit or to a function of the file are not limits.
fn complexity(number: c_int) -> Option<Complexity> {
    Some(match number {
        1 => Complexity::Constant,
        2 => Complexity::N,
        3 => Complexity::NSquared,
        4 => Complexity::NCubed,
        5 => Complexity::LogN,
        6 => Complexity::NLogN,
        _ => return None,
    })
}

/// The `main` of the headers.
type Main = extern "C" fn(c_int, *mut *mut c_char) -> c_int;

/// The `main` of the headers, once a benchmark is registered.
static MAIN: OnceLock<Main> = OnceLock::new();

/// Has the library `benchmark_main` call this function.
#[unsafe(no_mangle)]
pub extern "C" fn iai_callgrind_set_main(main: Main) {
    let _ = MAIN.set(main);
}

/// Runs the registered benchmarks.
#[unsafe(no_mangle)]
pub extern "C" fn iai_callgrind_main(argc: c_int, words: *mut *mut c_char) -> c_int {
    let Some(main) = MAIN.get() else {
        eprintln!("note: the executable registers no benchmarks");
        return 0;
    };
    main(argc, words)
}
