//! Macros of iai-callgrind-divan. Use them through that crate, which exports them and to which their expansions refer.

mod benchmark;
mod entry;
mod group;
mod message;
mod settings;

use proc_macro::TokenStream;

/// Registers a function as a benchmark.
///
/// The function is called once. If it has a parameter of the type `Bencher`, only the routine that it passes to the
/// bencher counts.
///
/// ```ignore
/// #[divan::bench(types = [Vec<u32>, VecDeque<u32>], args = [10, 100])]
/// fn collect<T: FromIterator<u32>>(n: u32) -> T {
///     (0..n).collect()
/// }
/// ```
///
/// # Options
///
/// - `name`: the name, if it is not that of the function.
/// - `args`: the values of the function's last parameter, one benchmark for each.
/// - `types`: the types of a generic function.
/// - `consts`: the constants of a generic function: a list, or a slice with at most 20 constants.
/// - `ignore`: leaves the benchmark out. `--include-ignored` and `--ignored` include it.
/// - `counter`, `counters`, `bytes_count`, `chars_count`, `cycles_count`, `items_count`: numbers of what one call
///   processes.
/// - `crate`: the path of the crate `divan`.
/// - `sample_count`, `sample_size`, `threads`, `min_time`, `max_time`, `skip_ext_time`: without effect on counts.
#[proc_macro_attribute]
pub fn bench(options: TokenStream, item: TokenStream) -> TokenStream {
    expand(options, item, benchmark::expand)
}

/// Sets options for all benchmarks of a module.
///
/// ```ignore
/// #[divan::bench_group(name = "large inputs", ignore)]
/// mod large {
///     #[divan::bench]
///     fn sort() {}
/// }
/// ```
///
/// # Options
///
/// Those of [`macro@bench`], except for `args`, `types` and `consts`. A benchmark or a group in the module overrides them.
#[proc_macro_attribute]
pub fn bench_group(options: TokenStream, item: TokenStream) -> TokenStream {
    expand(options, item, group::expand)
}

type Tokens = proc_macro2::TokenStream;

/// Returns the expansion of an item. If an option is wrong, that is the item with an error message.
fn expand(
    options: TokenStream,
    item: TokenStream,
    expand: fn(Tokens, &Tokens) -> syn::Result<Tokens>,
) -> TokenStream {
    let mut item = Tokens::from(item);
    let expansion = expand(options.into(), &item).unwrap_or_else(|error| {
        item.extend(error.into_compile_error());
        item
    });
    expansion.into()
}
