//! Macros of iai-callgrind. Use them through the crate `iai-callgrind`, which exports them and to which
//! their expansions refer.
//!
//! A macro parses its input into a model and expands the model to *data*, the static suite of
//! `iai_callgrind::__private`. The library contains the logic.

mod amount;
mod benchmark;
mod binary;
mod binary_group;
mod body;
mod cases;
mod constants;
mod data;
mod errors;
mod group;
mod growth;
mod hooks;
mod inputs;
mod integer;
mod level;
mod library;
mod library_group;
mod library_path;
mod literals;
mod manifest;
mod marker;
mod matrix;
mod message;
mod parameters;
mod primitives;
mod range;
mod run;
mod source_text;
mod subject;
mod suite;
#[cfg(test)]
mod test_directory;
mod text_file;
mod tokens;

use proc_macro::TokenStream;

use self::subject::Subject;

/// Makes a function a benchmark.
///
/// The measurement covers one call of the function, with all calls that it makes. The arguments are
/// evaluated before the measurement, and the return value is dropped after it. The compiler can neither
/// inline the benchmark function nor evaluate it in advance. Inside the function, `black_box` is needed
/// only where the compiler could evaluate or drop a part of the work. The function stays available to
/// other code.
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
/// All parameters are optional.
///
/// * `config`: an expression with a `LibraryBenchmarkConfig` as its value. The `config` of a `#[bench]`
///   or `#[benches]` is applied on top.
/// * `throughput`: the amount of data that a call processes, for the metrics `IrPerByte`, `IrPerElement` and
///   `IrPerBit`. It is a `Throughput`, or a function or closure that is called with references to the arguments
///   and returns one. With a `setup`, these are the arguments of the `setup`.
/// * `size`: the size of the input, to which the costs of the function are fitted. It is an integer of any type, or
///   a function or closure with the same arguments as that of `throughput`, as in `size = |n| *n`. Without it, the
///   `throughput` is the size.
/// * `complexity`: the worst class of the growth of the instructions with the size, as in `complexity = "n log n"`:
///   `1`, `log n`, `sqrt n`, `n`, `n log n`, `n^2`, `n^2 log n`, `n^3` or `2^n`, also with a square root sign or
///   superscripts, and in `O(..)`. A run fails if the class that fits is a worse one.
/// * `per_element`: the largest increase of the instructions per element since the last run in percent, as in
///   `per_element = 2.0`
/// * `setup`: a function or closure that is called with the arguments before the measurement. The
///   benchmark function takes its return value.
/// * `teardown`: a function or closure that is called with the benchmark function's return value
///   after the measurement.
/// * `block_on`: the function of an executor that runs a future to its end, for an `async fn`. It is called in the
///   measurement with the function's body, as in `block_on = futures::executor::block_on`.
/// * `crate`: the path of the crate `iai-callgrind`, as in `crate = some_crate::iai_callgrind`. All
///   macros of this crate have this parameter. It is needed for a re-export; a renamed dependency is
///   found in the `Cargo.toml`.
///
/// `throughput`, `size`, `setup` and `teardown` apply to each `#[bench]` and `#[benches]` of the function without its
/// own. The `throughput` of a `#[bench]` or `#[benches]` wins over its `config`, and its `config` over the `throughput`
/// of the function. `complexity` and `per_element` win over the limits of the instructions in the
/// `config` of the same attribute.
///
/// ```ignore
/// #[library_benchmark(throughput = |text: &str| Throughput::Bytes(text.len() as u64))]
/// #[bench::short("some text")]
/// #[bench::words(args = ("three short words"), throughput = Throughput::Elements(3))]
/// fn parse(text: &str) -> Vec<Word> {
///     my_library::parse(text)
/// }
/// ```
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
/// Declares one run of the function with the arguments in the parentheses, which can be any expressions.
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
/// With other parameters, the arguments are given as a tuple or an array:
///
/// * `args`: the arguments, as in `args = (10, "text")` or `args = [10, "text"]`, or `args = (10)` for a
///   single one
/// * `consts`: the values of the function's const parameters in their order, as in `consts = (16)` or
///   `consts = (16, { 2 * 16 })`. Without it, the compiler infers them.
/// * `config`, `throughput`, `size`, `setup` and `teardown`: see above
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
/// A function without any `#[bench]` and `#[benches]` runs once: without arguments, or with the return
/// value of the `setup`.
///
/// # `#[benches::id(..)]`
///
/// Declares one run of the function for each element in the parentheses. The runs' ids are `id_0`,
/// `id_1`, and so on. If the function (or the `setup`) takes several arguments, each element is a tuple
/// of them.
///
/// One of these parameters contains the elements:
///
/// * `args`: an array, as in `args = [10, 20]` or `args = [(10, "a"), (20, "b")]`. An empty array is a
///   single run, `id_0`, without arguments: of a function or a `setup` without parameters. A range or a product
///   generates the elements, see below.
/// * `file`: the path of a text file, relative to the directory of the workspace or absolute, as in
///   `file = "benches/words.txt"`. Each line without its line break is an element. An argument can have
///   any type that implements `From<&'static str>`, such as `&str`, `String` and `PathBuf`. The file is
///   read when the benchmarks are compiled, and a change of the file makes cargo compile them again.
/// * `iter`: a value that implements `IntoIterator`, as in `iter = (1..5).map(|n| 10 * n)`. The items
///   are counted when the benchmarks start. Each run evaluates the expression again and takes its item,
///   before the measurement. So the expression must return the same items each time, also in an empty
///   environment.
///
/// `consts` is an array of the values of const parameters, as in `consts = [16, 32]` or `consts = [(16,
/// 1), (32, 2)]`. There are as many runs as the longer of `args` and `consts` has elements; the elements
/// of the shorter one are repeated. Next to `file` or `iter`, `consts` has one element, for all runs.
///
/// The others are `config`, `throughput`, `size`, `complexity`, `per_element`, `setup` and `teardown`, see above. A
/// `throughput` or `size` that is a function is called for each run. The runs are the points of one growth curve.
///
/// If the `setup` is a closure with several parameters, an item of `iter` is a tuple of them. Any other
/// `setup` takes an item as one argument.
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
///
/// # Ranges and products
///
/// The ids of generated elements have the values instead of an index. There are at most 1000 elements.
///
/// * `args = range(start, end)`: the start, the powers of 8 between, and the end, as in Google Benchmark. The runs of
///   `#[benches::n(args = range(8, 8 << 10))]` are `n_8`, `n_64`, `n_512`, `n_4096` and `n_8192`. A third argument is
///   another factor.
/// * `args = dense_range(start, end)`: all integers up to the end. A third argument is the step.
/// * `args = product(first, second)`: each combination of the values of two to six parameters, each of them an array,
///   a `range(..)` or a `dense_range(..)`. The last one changes fastest. The ids have the names of the parameters,
///   unless the `setup` is a path: `m_n_64_ending_crlf`. Values that are not literals or paths have their index.
///
/// The numbers of ranges are literals, which can be added, subtracted, multiplied and shifted to the left. For others,
/// write `iter = sizes::range(start, end)` with the functions of the library's module `sizes`.
///
/// Without a `size`, the numbers of a range are the sizes, in a product those of its only range. The parameters that
/// the closure of `size` ignores, `_` or `_name`, distinguish series: the runs of each combination of their values are
/// a growth curve. Without a size, those that the closure of `throughput` ignores do.
///
/// ```ignore
/// #[library_benchmark(complexity = "n log n")]
/// #[benches::n(args = range(8, 8 << 10), setup = reversed)]
/// #[benches::m(args = product([10, 100, 1000], [1, 7]), setup = multiples, size = |n, _| *n)]
/// fn sort(mut numbers: Vec<u32>) -> Vec<u32> {
///     numbers.sort();
///     numbers
/// }
/// ```
#[proc_macro_attribute]
pub fn library_benchmark(parameters: TokenStream, item: TokenStream) -> TokenStream {
    benchmark::expand(parameters.into(), &item.into(), Subject::Library, library::expand).into()
}

/// Makes benchmarks of the commands that a function returns.
///
/// The measurement covers the whole process and the processes that it starts. The command runs under
/// Valgrind in its own temporary directory. The function itself is not measured: it is called when the
/// benchmarks start.
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
/// As with [`macro@library_benchmark`], all are optional and apply to each `#[bench]` and `#[benches]` of
/// the function without the same parameter.
///
/// * `config`: a `BinaryBenchmarkConfig`. The command's own configuration is applied on top.
/// * `throughput`: the amount of data that the command processes, as in [`macro@library_benchmark`]
/// * `size`, `complexity`, `per_element`: the size of the input, and limits of the growth with it, as in
///   [`macro@library_benchmark`]
/// * `setup`: code that runs before the command, without Valgrind and in its own process, in the
///   temporary directory. A function, or a closure with parameters, takes the arguments of the case. Any
///   other expression, such as a call, is evaluated at that time.
/// * `teardown`: the same after the command, also if the command failed
/// * `crate`: see [`macro@library_benchmark`]
///
/// # `#[bench::id(..)]`, `#[benches::id(..)]`
///
/// The same as with [`macro@library_benchmark`], except that the function always takes the arguments.
#[proc_macro_attribute]
pub fn binary_benchmark(parameters: TokenStream, item: TokenStream) -> TokenStream {
    benchmark::expand(parameters.into(), &item.into(), Subject::Binary, binary::expand).into()
}

/// Declares a group of binary benchmarks.
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
/// * `name`, `compare_by_id`, `max_parallel`, `crate`: as in [`library_benchmark_group!`]
/// * `config`: a `BinaryBenchmarkConfig` for all benchmarks of the group
/// * `benchmarks`: the functions, all of them annotated with `#[binary_benchmark]`, or a closure that
///   fills the group
/// * `setup`, `teardown`: code that runs before the group's first benchmark and after its last one, as
///   in [`library_benchmark_group!`]
///
/// `benchmark` instead of `benchmarks` takes a closure that fills the group with runs of a command. The
/// closure's first parameter can be that command: the name of one of the package's binaries, a name in
/// `PATH`, or a path. Such a group has these parameters:
///
/// * `setup`, `teardown`: code that runs before and after each command, in its temporary directory
/// * `before`, `after`: code that runs before the first command and after the last one, in a temporary
///   directory. The files that `before` creates there are copied to the directory of each command.
///
/// `bench = true` after one of these four makes it a benchmark too, which is measured once per run.
#[proc_macro]
pub fn binary_benchmark_group(input: TokenStream) -> TokenStream {
    binary_group::MACRO.expand(input.into()).into()
}

/// Declares a group of library benchmarks.
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
/// * `name` (required): the identifier of the group, for `main!` and in the titles of the benchmarks
/// * `benchmarks` (required): the functions, all of them annotated with `#[library_benchmark]`, in the
///   order of their runs; `[a, b]` is the same as `a, b`
/// * `compare_by_id`: `true` compares each case with the cases of earlier functions that have the same
///   id. The default is `false`. The group can then list the same function repeatedly; the titles are
///   `function`, `function_2`, and so on.
/// * `max_parallel`: the largest number of the group's benchmarks that run at the same time, as in
///   `max_parallel = 1` for benchmarks that share a file. The default is `0`, no limit.
/// * `config`: a `LibraryBenchmarkConfig` for all functions of the group. The `config` of a function is
///   applied on top.
/// * `setup`, `teardown`: code that runs before the group's first benchmark and after its last one, once
///   and without Valgrind, in its own process: a function or closure without parameters, or any other
///   expression, which is evaluated at that time
/// * `crate`: see [`macro@library_benchmark`]
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

/// Expands to the type that represents a benchmark function, for macros of the library.
#[doc(hidden)]
#[proc_macro]
pub fn marker(input: TokenStream) -> TokenStream {
    marker::expand(input.into()).into()
}

/// Makes the `main` function of a benchmark file.
///
/// ```ignore
/// main!();
/// ```
///
/// Without groups, it runs all functions of the file with [`macro@library_benchmark`] or [`macro@binary_benchmark`], in
/// the order of the source. Modules are the groups; functions outside of modules are in the group
/// `functions`.
///
/// The benchmark needs `harness = false` in the `[[bench]]` section of the `Cargo.toml`.
///
/// # Parameters
///
/// They can be in any order, with `;` or `,` between them.
///
/// * `library_benchmark_groups` or `binary_benchmark_groups`: the names of the groups, in the
///   order of their runs; `[a, b]` is the same as `a, b`. These are groups of one kind, and a function that none of
///   them lists does not run.
/// * `config`: a `LibraryBenchmarkConfig` or `BinaryBenchmarkConfig` for all groups. The `config` of a
///   group is applied on top.
/// * `setup`, `teardown`: code that runs before the first benchmark of the file and after the last one,
///   as in [`library_benchmark_group!`]
/// * `crate`: see [`macro@library_benchmark`]
///
/// ```ignore
/// main!(
///     config = LibraryBenchmarkConfig::default();
///     setup = create_files;
///     teardown = remove_files;
///     library_benchmark_groups = sorting, module::searching
/// );
/// ```
///
/// # Functions without attributes
///
/// `main!(first, second)` makes a group, called `functions`, of functions without parameters and without
/// `#[library_benchmark]`.
///
/// ```ignore
/// fn sort_thousand() -> Vec<u32> {
///     my_library::sort(black_box((0..1000).rev().collect()))
/// }
///
/// main!(sort_thousand);
/// ```
#[proc_macro]
pub fn main(input: TokenStream) -> TokenStream {
    suite::expand(input.into()).into()
}

/// Generates a `main` function that times the library benchmarks with Criterion, for its statistics, its plots and its HTML
/// report. It needs the feature `criterion`, and takes the same parameters as [`main!`].
///
/// Criterion's name of a case is `group/function/id`, and the command line is Criterion's. Each call of a benchmark function
/// is timed by itself, with setup and teardown around it, so times below a tenth of a microsecond contain those of the
/// clock. Binary benchmarks do not run.
///
/// ```ignore
/// #[cfg(feature = "time")]
/// iai_callgrind::criterion!();
/// #[cfg(not(feature = "time"))]
/// iai_callgrind::main!();
/// ```
#[proc_macro]
pub fn criterion(input: TokenStream) -> TokenStream {
    suite::expand_criterion(input.into()).into()
}
