//! The macros of iai-callgrind. Use them through the crate `iai-callgrind`, which re-exports them
//! and which their output refers to.
//!
//! A macro reads its input into a model and expands that to *data*, the static suite of
//! `iai_callgrind::__internal`; what is to be done with the data is the library's business.

mod benchmark;
mod binary;
mod binary_group;
mod cases;
mod data;
mod errors;
mod file;
mod group;
mod hooks;
mod inputs;
mod level;
mod library;
mod library_group;

mod parameters;
mod run;
mod subject;
mod suite;
mod tokens;

use proc_macro::TokenStream;

use self::subject::Subject;

/// Makes a function a benchmark.
///
/// The function itself stays what it is and can still be called. What is measured is one call of it,
/// with all that it calls, and nothing else: the arguments are evaluated before and the return value
/// is dropped after the measurement. A benchmark function is never inlined and the compiler can't
/// evaluate it in advance; inside the function, `std::hint::black_box` is needed only where the
/// compiler could evaluate or drop a part of the work.
///
/// ```ignore
/// use iai_callgrind::{library_benchmark, library_benchmark_group, main};
///
/// #[library_benchmark]
/// #[bench::short(10)]
/// #[benches::long(30, 40)]
/// fn fibonacci(n: u64) -> u64 {
///     my_library::fibonacci(n)
/// }
///
/// library_benchmark_group!(name = numbers; benchmarks = fibonacci);
/// main!(library_benchmark_groups = numbers);
/// ```
///
/// # Parameters
///
/// All are optional.
///
/// * `config`: an expression, the value of which is a `LibraryBenchmarkConfig`. What a `#[bench]` or
///   `#[benches]` configures itself comes on top of it.
/// * `setup`: a function or closure that is called with the arguments before the measurement. The
///   benchmark function gets what it returns.
/// * `teardown`: a function or closure that is called with the benchmark function's return value
///   after the measurement.
///
/// `setup` and `teardown` apply to each `#[bench]` and `#[benches]` of the function that doesn't have
/// its own.
///
/// ```ignore
/// #[library_benchmark(
///     config = LibraryBenchmarkConfig::default().env("LANG", "C"),
///     setup = Vec::with_capacity,
///     teardown = |filled| assert_eq!(filled.len(), filled.capacity()),
/// )]
/// #[bench::ten(10)]
/// fn fill(mut bytes: Vec<u8>) -> Vec<u8> {
///     bytes.resize(bytes.capacity(), 0);
///     bytes
/// }
/// ```
///
/// # `#[bench::id(..)]`
///
/// One run of the function with the arguments in the parentheses, which can be any expressions.
/// The id must be unique within the function.
///
/// ```ignore
/// #[library_benchmark]
/// #[bench::empty(vec![])]
/// #[bench::sorted((0..100).collect())]
/// fn sort(mut numbers: Vec<u32>) -> Vec<u32> {
///     numbers.sort();
///     numbers
/// }
/// ```
///
/// With other parameters, the arguments are given as a tuple:
///
/// * `args`: the arguments, as in `args = (10, "text")` or, if there is one only, `args = (10)`
/// * `config`, `setup` and `teardown`: see above
///
/// ```ignore
/// fn reversed(length: u32) -> Vec<u32> {
///     (0..length).rev().collect()
/// }
///
/// #[library_benchmark]
/// #[bench::worst(args = (100), setup = reversed, teardown = |sorted| assert_eq!(sorted[0], 0))]
/// fn sort(mut numbers: Vec<u32>) -> Vec<u32> {
///     numbers.sort();
///     numbers
/// }
/// ```
///
/// A function without any `#[bench]` and `#[benches]` runs once: without arguments, or with what
/// the `setup` returns.
///
/// # `#[benches::id(..)]`
///
/// One run of the function for each element in the parentheses. The runs' ids are `id_0`, `id_1`, and
/// so on. If the function (or the `setup`) takes several arguments, each element is a tuple of them.
///
/// One of these says what the elements are:
///
/// * `args`: an array, as in `args = [10, 20]` or `args = [(10, "a"), (20, "b")]`
/// * `file`: the path of a text file, relative to the directory of the workspace or absolute, as in
///   `file = "benches/words.txt"`. Each line is an element: without what ends it, as anything that
///   implements `From<&'static str>`, such as `&str`, `String` and `PathBuf`. The file is read when the
///   benchmarks are compiled, and they are compiled anew when it changes.
/// * `iter`: anything that implements `IntoIterator`, as in `iter = (1..5).map(|n| 10 * n)`. Its items
///   are counted when the benchmarks start, and each run evaluates the expression anew and takes its
///   item, before the measurement. So it has to have the same items each time, also where the
///   environment is empty.
///
/// Others are:
///
/// * `config`, `setup` and `teardown`: see above
///
/// If the `setup` is a closure with several parameters, an item of `iter` is a tuple of them. Any other
/// `setup` gets an item as one argument.
///
/// ```ignore
/// #[library_benchmark]
/// #[benches::by_length(args = [10, 100], setup = reversed)]
/// #[benches::from_file(file = "benches/lengths.txt", setup = |line| reversed(line.parse().unwrap()))]
/// #[benches::power(iter = (1..5).map(|exponent| 10_u32.pow(exponent)), setup = reversed)]
/// fn sort(mut numbers: Vec<u32>) -> Vec<u32> {
///     numbers.sort();
///     numbers
/// }
/// ```
#[proc_macro_attribute]
pub fn library_benchmark(parameters: TokenStream, item: TokenStream) -> TokenStream {
    benchmark::expand(parameters.into(), &item.into(), Subject::Library).into()
}

/// Makes benchmarks of the commands that a function makes.
///
/// What is measured is a process: the command runs under Valgrind, in a temporary directory of its own,
/// and all of it counts, with the processes that it starts. The function itself is called when the
/// benchmarks start, to tell what the command is, and may do anything that needs.
///
/// ```ignore
/// use iai_callgrind::{Command, binary_benchmark, binary_benchmark_group, main};
///
/// #[binary_benchmark]
/// #[bench::short("short.txt")]
/// #[bench::created(args = ("created.txt"), setup = create_file)]
/// fn sort(path: &str) -> Command {
///     Command::new(env!("CARGO_BIN_EXE_my-sort")).arg(path).build()
/// }
///
/// binary_benchmark_group!(name = sorting; benchmarks = sort);
/// main!(binary_benchmark_groups = sorting);
/// ```
///
/// # Parameters
///
/// As with [`macro@library_benchmark`] all are optional and apply to each `#[bench]` and `#[benches]` of
/// the function that doesn't have the same parameter itself.
///
/// * `config`: a `BinaryBenchmarkConfig`, on top of which what the command configures comes
/// * `setup`: what runs before the command, without Valgrind and in a process of its own, in the
///   temporary directory. A function gets the arguments of the case, and so does a closure that has
///   parameters. Anything else is an expression that is evaluated then, such as a call.
/// * `teardown`: the same after the command, also if that failed
///
/// # `#[bench::id(..)]`, `#[benches::id(..)]`
///
/// As with [`macro@library_benchmark`], with one difference: the arguments always go to the function.
#[proc_macro_attribute]
pub fn binary_benchmark(parameters: TokenStream, item: TokenStream) -> TokenStream {
    benchmark::expand(parameters.into(), &item.into(), Subject::Binary).into()
}

/// Puts benchmarks of commands into a group.
///
/// ```ignore
/// binary_benchmark_group!(name = sorting; benchmarks = sort, module::sort_numbers);
///
/// binary_benchmark_group!(
///     name = listing;
///     benchmarks = |group: &mut BinaryBenchmarkGroup| {
///         group.binary_benchmark(
///             BinaryBenchmark::new("ls").bench(Bench::new("all").command(Command::new("ls").arg("-a"))),
///         );
///     }
/// );
///
/// binary_benchmark_group!(
///     name = runs;
///     setup = create_file;
///     benchmark = |"my-sort", group: &mut BinaryBenchmarkGroup| {
///         group.bench(Run::with_arg(Arg::new("by number", ["-n", "file.txt"])));
///     }
/// );
/// ```
///
/// # Parameters
///
/// They can be in any order, with `;` or `,` between them.
///
/// * `name`, `compare_by_id`: as in [`library_benchmark_group!`]
/// * `config`: a `BinaryBenchmarkConfig` for all benchmarks of the group
/// * `benchmarks`: the functions, all of them annotated with `#[binary_benchmark]`, or a closure that
///   fills the group
/// * `setup`, `teardown`: what runs before the group's first benchmark and after its last one, as in
///   [`library_benchmark_group!`]
///
/// With `benchmark` in the place of `benchmarks` it takes a closure that fills the group with runs of a
/// command. The closure's first parameter can be that command: the name of one of the package's binaries,
/// a name in `PATH`, or a path. Then there are
///
/// * `setup`, `teardown`: what runs before and after each command, in its temporary directory
/// * `before`, `after`: what runs before the first command and after the last one, in a temporary
///   directory. What `before` leaves there is copied to where each of the commands runs.
///
/// `bench = true` behind one of these four makes it a benchmark too: what it does under Valgrind counts,
/// once in a run.
#[proc_macro]
pub fn binary_benchmark_group(input: TokenStream) -> TokenStream {
    binary_group::MACRO.expand(input.into()).into()
}

/// Puts benchmark functions into a group.
///
/// ```ignore
/// library_benchmark_group!(
///     name = sorting;
///     benchmarks = sort, module::sort_by_key
/// );
/// ```
///
/// # Parameters
///
/// They can be in any order, with `;` or `,` between them.
///
/// * `name` (required): an identifier, under which `main!` finds the group and which the benchmarks'
///   titles contain
/// * `benchmarks` (required): the functions, all of them annotated with `#[library_benchmark]`, in the
///   order in which they shall run; `[a, b]` is the same as `a, b`
/// * `compare_by_id`: `true` compares each case with those of the functions before that have the same
///   id; `false` if it isn't given
/// * `config`: a `LibraryBenchmarkConfig` for all functions of the group. What a function configures
///   comes on top of it.
/// * `setup`, `teardown`: what runs before the group's first benchmark and after its last one, once
///   and without Valgrind, in a process of its own: a function or closure without parameters, or any
///   other expression, which is then evaluated
///
/// ```ignore
/// library_benchmark_group!(
///     name = files;
///     config = LibraryBenchmarkConfig::default().pass_through_env("HOME");
///     setup = create_file("numbers.txt", 1000);
///     teardown = || std::fs::remove_file("numbers.txt").unwrap();
///     benchmarks = read, parse
/// );
/// ```
#[proc_macro]
pub fn library_benchmark_group(input: TokenStream) -> TokenStream {
    library_group::MACRO.expand(input.into()).into()
}

/// Makes the `main` function of a benchmark file.
///
/// ```ignore
/// main!(library_benchmark_groups = sorting, module::searching);
/// ```
///
/// The benchmark needs `harness = false` in the `[[bench]]` section of the `Cargo.toml`.
///
/// # Parameters
///
/// They can be in any order, with `;` or `,` between them.
///
/// * `library_benchmark_groups` or `binary_benchmark_groups` (required): the names of the groups, in the
///   order in which they shall run; `[a, b]` is the same as `a, b`. A file has groups of one kind.
/// * `config`: a `LibraryBenchmarkConfig` or `BinaryBenchmarkConfig` for all groups. What a group configures comes on top of it.
/// * `setup`, `teardown`: what runs before the first benchmark of the file and after the last one, as
///   in [`library_benchmark_group!`]
///
/// ```ignore
/// main!(
///     config = LibraryBenchmarkConfig::default();
///     setup = create_files;
///     teardown = remove_files;
///     library_benchmark_groups = sorting, module::searching
/// );
/// ```
#[proc_macro]
pub fn main(input: TokenStream) -> TokenStream {
    suite::expand(input.into()).into()
}
