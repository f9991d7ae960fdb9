//! Options that are switches.

use clap::builder::BoolishValueParser;
use clap::{Arg, ArgAction};

/// Name of the value of a switch. Its name alone means `yes`.
pub(crate) const YES_OR_NO: &str = "yes|no";

/// Completes an option with the value `yes|no` to a switch: its name alone means `yes`. Leaves other options as they are.
pub(crate) fn complete_switch(option: Arg) -> Arg {
    if option.get_value_names().is_none_or(|names| names != [YES_OR_NO]) {
        return option;
    }
    option
        .action(ArgAction::Set)
        .num_args(0..=1)
        .require_equals(true)
        .default_missing_value("yes")
        .hide_possible_values(true)
        .value_parser(BoolishValueParser::new())
}
