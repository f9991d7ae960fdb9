//! The static suite that the macros fill: names and function pointers, no logic.
//!
//! `#[library_benchmark]` implements [`LibraryBenchmark`] for a type that has the function's name,
//! `library_benchmark_group!` implements [`LibraryBenchmarkGroup`] for one that has the group's, and
//! `main!` puts the groups into a [`Suite`]. A function and a type can share a name, so the user's
//! function stays where it is and paths such as `module::bench` reach both.

use crate::region::Region;

/// All benchmarks of one benchmark file.
#[derive(Debug, Clone, Copy)]
pub struct Suite {
    /// The package's name (`CARGO_PKG_NAME`).
    pub package: &'static str,
    /// The package's root directory (`CARGO_MANIFEST_DIR`).
    pub package_dir: &'static str,
    /// The benchmark file's name: the name of its crate (`CARGO_CRATE_NAME`).
    pub file: &'static str,
    /// The groups in the order in which `main!` lists them.
    pub groups: &'static [Group],
}

/// The functions that one `library_benchmark_group!` lists.
#[derive(Debug, Clone, Copy)]
pub struct Group {
    /// The group's name.
    pub name: &'static str,
    /// Whether cases with the same id are compared with each other.
    pub compare_by_id: bool,
    /// The functions in the order in which the group lists them.
    pub functions: &'static [Function],
}

/// A benchmark function with its cases.
#[derive(Debug, Clone, Copy)]
pub struct Function {
    /// The function's name.
    pub name: &'static str,
    /// Tells the full path of the type that has the copy of the function that is measured.
    pub owner: fn() -> &'static str,
    /// One case per `#[bench]` and per element of a `#[benches]`; a single one without id when the
    /// function has neither.
    pub cases: &'static [Case],
}

/// One run of a benchmark function.
#[derive(Debug, Clone, Copy)]
pub struct Case {
    /// The id, unique in its function; none for a function without `#[bench]` and `#[benches]`.
    pub id: Option<&'static str>,
    /// The arguments as they stand in the source.
    pub arguments: &'static str,
    /// Set-up, the measured call between [`Region::begin`] and [`Region::end`], and tear-down.
    pub run: fn(&mut Region),
}

/// What `#[library_benchmark]` gives a function.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a benchmark function",
    label = "not a benchmark function",
    note = "`benchmarks` takes functions that are annotated with `#[library_benchmark]`"
)]
pub trait LibraryBenchmark {
    /// The function as data.
    const FUNCTION: Function;
}

/// What `library_benchmark_group!` gives the name of a group.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a group of library benchmarks",
    label = "not a group",
    note = "`library_benchmark_groups` takes the names given to `library_benchmark_group!(name = ...)`"
)]
pub trait LibraryBenchmarkGroup {
    /// The group as data.
    const GROUP: Group;
}
