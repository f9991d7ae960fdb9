//! Functions with libtest's `#[bench]`.

use std::process::{ExitCode, Termination};

use iai_callgrind_harness::__private::unraw;

use crate::Bencher;
use crate::bencher::reach_function;

/// Name of the group of the benchmarks at the root of the file.
const ROOT: &str = "functions";

/// A function with `#[bench]`.
#[derive(Debug)]
pub struct Function {
    /// Path of its module (`module_path!()`).
    pub module: &'static str,
    /// Name.
    pub name: &'static str,
    /// File, line and column of the attribute.
    pub place: (&'static str, u32, u32),
    /// Code.
    pub run: fn(&mut Bencher),
}

/// Registration of a function. It is only an address, because the data is in a section of its own.
#[derive(Debug)]
pub struct Registered(pub &'static Function);

inventory::collect!(Registered);

/// Checks the result of a benchmark.
///
/// # Panics
///
/// Panics if the benchmark returns an error.
pub fn succeed(result: impl Termination) {
    assert!(result.report() == ExitCode::SUCCESS, "the benchmark returned an error");
}

/// Reaches the registered benchmarks in the order of the source.
pub fn walk_registered() {
    let functions = inventory::iter::<Registered>().map(|Registered(function)| *function);
    let mut functions: Vec<&Function> = functions.collect();
    // Those of a module together
    functions.sort_by_key(|function| (function.module, function.place));
    for Function { module, name, run, .. } in functions {
        let (group, id) = match module.split_once("::") {
            Some((_, module)) => (module, format!("{module}::{name}")),
            None => (ROOT, (*name).to_owned()),
        };
        reach_function(group, unraw(name), &id, run);
    }
}
