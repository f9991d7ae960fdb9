//! Every message that a macro reports, as the text of a compile error.

use std::fmt::Display;

pub(crate) const METHOD: &str =
    "a method can't be a benchmark: write a function outside of the `impl` that calls it";

pub(crate) const ASYNC: &str = "an `async` function needs an executor: name its function that runs a future, as in \
     `#[library_benchmark(block_on = executor::block_on)]`";

pub(crate) const ASYNC_COMMAND: &str = "a function that makes a command can't be `async`";

pub(crate) const NOT_ASYNC: &str =
    "`block_on` is for `async` functions: remove it, or write `async fn`";

pub(crate) const UNSAFE: &str =
    "a benchmark function can't be `unsafe`: write an `unsafe` block in its body instead";

pub(crate) const EXTERN: &str =
    "a benchmark function can't be `extern`: write a function that calls it";

pub(crate) const INLINE: &str = "a benchmark function is never inlined: remove this attribute, and write it on the functions \
     that the benchmark calls";

pub(crate) const MIXED_ARGUMENTS: &str =
    "arguments and parameters can't be mixed: write the arguments as `args = ..` too";

pub(crate) const NO_ELEMENTS: &str = "no elements: write `(first, second)`, `args = [first, second]`, `file = \"...\"` or `iter = ..`";

pub(crate) fn not_an_integer(function: &str) -> String {
    format!(
        "`{function}` takes integers here, such as `8 << 10`: write `iter = sizes::{function}(..)` with \
         `iai_callgrind::sizes` for other expressions"
    )
}

pub(crate) const INTEGER_OUT_OF_RANGE: &str = "the number is negative or larger than 64 bits";

pub(crate) const RANGE_USAGE: &str = "`range` takes a start, an end and an optional factor: write `range(8, 8 << 10)` or `range(8, 8 << 10, 2)`";

pub(crate) const DENSE_RANGE_USAGE: &str = "`dense_range` takes a start, an end and an optional step: write `dense_range(1, 10)` or \
     `dense_range(0, 1024, 128)`";

pub(crate) const RANGE_ORDER: &str =
    "the range ends before its start: write the smaller number first";

pub(crate) const RANGE_FACTOR: &str = "the factor of a `range` is at least 2";

pub(crate) const RANGE_STEP: &str = "the step of a `dense_range` is at least 1";

pub(crate) fn too_many_elements(max: usize) -> String {
    format!("more than {max} elements: write a shorter range, or a larger factor or step")
}

pub(crate) fn unknown_class(text: &str, classes: &str) -> String {
    format!("`{text}` is not a class of growth: write one of {classes}")
}

pub(crate) const PRODUCT_USAGE: &str =
    "`product` takes 2 to 6 lists of values: write `product([1, 8, 64], [\"lf\", \"crlf\"])`";

pub(crate) const AXIS: &str = "`product` takes arrays that are not empty, `range(..)` and `dense_range(..)`: write \
                               `product([1, 8, 64], [\"lf\", \"crlf\"])`";

pub(crate) const BENCH_WITHOUT_FUNCTION: &str =
    "`bench` belongs behind a function: write `setup = some_function, bench = true`";

pub(crate) const BENCH_VALUE: &str = "`bench` takes `true` or `false`";

pub(crate) const SEPARATOR: &str = "expected `;` or `,` before this";

pub(crate) fn not_a_function(attribute: &str) -> String {
    format!("{attribute} belongs on a function with a body")
}

pub(crate) fn own_name(name: &str) -> String {
    format!(
        "`{name}` is the benchmark itself here: write the path from its start, such as \
         `my_crate::{name}::..` or `::{name}::..` for a crate, or rename the function"
    )
}

pub(crate) fn args_value(expected: &str, example: &str) -> String {
    format!("`args` takes {expected} here: write `args = {example}`")
}

pub(crate) fn consts_value(expected: &str, example: &str) -> String {
    format!("`consts` takes {expected} here: write `consts = {example}`")
}

pub(crate) fn number_of_constants(parameters: &[String], found: usize) -> String {
    let list = parameters.iter().map(|parameter| format!("`{parameter}`")).collect::<Vec<_>>();
    match list.len() {
        0 => format!("expected no const arguments but found {found}"),
        1 => format!("expected 1 const argument ({}) but found {found}", list[0]),
        number => {
            format!("expected {number} const arguments ({}) but found {found}", list.join(", "))
        }
    }
}

pub(crate) const SEVERAL_CONSTS: &str =
    "`consts` takes one element next to `file` or `iter`: write a `#[benches]` for each element";

pub(crate) fn no_arguments(function: &impl Display, parameters: &impl Display) -> String {
    format!(
        "`{function}` takes {parameters} but has no `#[bench]` with arguments: write \
         `#[bench::some_id(..)]` above it"
    )
}

pub(crate) fn number_of_arguments(parameters: &impl Display, found: &str) -> String {
    format!("expected {parameters} but found {found}")
}

pub(crate) fn setup_value(function: &impl Display, parameters: &impl Display) -> String {
    format!(
        "`setup` returns one value but `{function}` takes {parameters}: let it take one parameter, \
         which can be a tuple"
    )
}

pub(crate) fn duplicate_id(id: &str) -> String {
    format!("the id `{id}` is taken: ids must be unique within a function")
}

pub(crate) fn missing_id(attribute: &str, arguments: &str) -> String {
    format!("missing id: write `#[{attribute}::some_id({arguments})]`")
}

pub(crate) fn malformed_id(attribute: &str) -> String {
    format!("expected an id and arguments: write `#[{attribute}::some_id(..)]`")
}

pub(crate) fn line_for_several_parameters(parameters: &impl Display) -> String {
    format!(
        "a line is one argument but its receiver takes {parameters}: write a `setup` that makes one \
         value of a line"
    )
}

pub(crate) fn no_cases_in_file(file: &str, path: &impl Display, problem: &impl Display) -> String {
    format!("no cases in `{file}`: {path} {problem}")
}

pub(crate) const EMPTY_FILE: &str = "is empty; write a line for each case into it";

pub(crate) fn unreadable_file(error: &impl Display) -> String {
    format!("can't be read ({error}); create it, or {FILE_VALUE}")
}

pub(crate) fn file_encoding(line: usize) -> String {
    format!("is not UTF-8 in line {line}; convert it, or {FILE_VALUE}")
}

const FILE_VALUE: &str =
    "write the path of a text file, relative to the workspace's directory or absolute";

pub(crate) fn unknown_parameter(key: &impl Display, usage: &str) -> String {
    format!("unknown parameter `{key}`: {usage}")
}

pub(crate) fn duplicate_parameter(key: &impl Display) -> String {
    format!("`{key}` is given twice: remove one of them")
}

pub(crate) fn malformed_parameter(usage: &str) -> String {
    format!("expected `key = value`: {usage}")
}

pub(crate) fn usage(name: &str, keys: &str) -> String {
    format!("{name} takes {keys}")
}

pub(crate) fn missing_value(key: &impl Display) -> String {
    format!("`{key}` has no value: write `{key} = ..`")
}

pub(crate) fn missing_parameter(key: &str, example: &str) -> String {
    format!("missing `{key}`: write `{example}`")
}

pub(crate) fn exclusive_parameters(first: &str, second: &str) -> String {
    format!("`{first}` and `{second}` exclude each other: remove one of them")
}

pub(crate) fn several_values(key: &impl Display) -> String {
    format!("`{key}` takes one value, and only another `key = value` can follow it")
}

pub(crate) fn text_value(key: &impl Display) -> String {
    format!("`{key}` takes a string: write `{key} = \"...\"`")
}

pub(crate) fn identifier_value(key: &impl Display) -> String {
    format!("`{key}` takes an identifier: write `{key} = some_name`")
}

pub(crate) fn path_value(key: &impl Display) -> String {
    format!("`{key}` takes a path: write `{key} = some_name`")
}

pub(crate) fn paths_value(key: &impl Display) -> String {
    format!("`{key}` takes names and paths: write `{key} = some_name, module::other_name`")
}

pub(crate) fn empty_paths(key: &impl Display) -> String {
    format!("`{key}` is empty: write `{key} = some_name, module::other_name`")
}

pub(crate) fn duplicate_name(name: &str, key: &impl Display) -> String {
    format!(
        "`{name}` is already in `{key}`: titles and output directories contain the last identifier, \
         so remove or rename one of them"
    )
}

pub(crate) fn closure_value(key: &impl Display) -> String {
    format!(
        "`{key}` takes a closure: write `{key} = |group: &mut BinaryBenchmarkGroup| {{ .. }}`, or \
         `{key} = |\"name\", group: &mut BinaryBenchmarkGroup| {{ .. }}` for runs of one command"
    )
}

pub(crate) fn only_with_benchmark(key: &impl Display, instead: &str) -> String {
    format!(
        "`{key}` needs `benchmark = |group: &mut BinaryBenchmarkGroup| ..`: write `{instead}`, which \
         has the same meaning here"
    )
}
