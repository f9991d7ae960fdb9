//! Every message of the macros.

pub(crate) const BENCHER_AND_ARGUMENT: &str =
    "a benchmark function has at most two parameters: a `Bencher` and one of `args`";

pub(crate) const NO_ARGS: &str = "the second parameter needs values: `args = [...]`";

pub(crate) const NO_CONSTANTS: &str = "`consts` needs a function with a generic constant";

pub(crate) const NO_PARAMETER: &str = "`args` needs a function with a parameter for the values";

pub(crate) const NO_TYPES: &str = "`types` needs a function with a generic type";

pub(crate) const TOO_MANY_CONSTANTS: &str =
    "`consts` that are not a list in the attribute can't have more than 20 values";

pub(crate) fn repeated(option: &str) -> String {
    format!("the option `{option}` is given twice")
}

pub(crate) fn unknown(option: &str) -> String {
    format!("there is no option `{option}` here")
}
