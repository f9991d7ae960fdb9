//! `library_benchmark_group!`: a group of benchmark functions.

use proc_macro2::{Ident, TokenStream};

use crate::errors::Errors;
use crate::group::{Group, GroupMacro, listed};
use crate::level::Level;
use crate::library_path::LibraryPath;
use crate::parameters::{Parameters, Syntax};
use crate::subject::Subject;

pub(crate) const MACRO: GroupMacro = GroupMacro {
    syntax: Syntax {
        name: "`library_benchmark_group!`",
        keys: &[
            "name",
            "benchmarks",
            "compare_by_id",
            "max_parallel",
            "config",
            "setup",
            "teardown",
            "crate",
        ],
    },
    example: "library_benchmark_group!(name = some_group; benchmarks = some_function)",
    subject: Subject::Library,
    take,
};

fn take(
    _: &Ident,
    library: &LibraryPath,
    parameters: &mut Parameters,
    errors: &mut Errors,
) -> Group {
    let is_compared = parameters.contains("compare_by_id");
    let benchmarks = parameters
        .require("benchmarks", MACRO.example, errors)
        .and_then(|benchmarks| errors.check(benchmarks.into_functions(is_compared)))
        .unwrap_or_default();
    let functions = listed(library, &benchmarks, Subject::Library);
    let level = Level::take(library, parameters, errors);
    let config = level.config(Subject::Library);
    Group { config, hooks: level.hooks(), functions, items: TokenStream::new() }
}
