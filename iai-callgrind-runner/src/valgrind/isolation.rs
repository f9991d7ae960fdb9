//! What is the same for every process that is measured, each with the option that leaves it as it is.

use clap::Args;
use clap::builder::BoolishValueParser;

/// Which of the isolation stay those of the machine and of the checkout.
#[derive(Debug, Clone, Copy, Default, Args)]
pub(crate) struct Isolation {
    /// Leave address space layout randomization as it is, instead of switching it off
    #[arg(
        long, value_name = "yes|no", num_args = 0..=1, require_equals = true,
        default_value = "no", default_missing_value = "yes", hide_possible_values = true,
        value_parser = BoolishValueParser::new(), env = "IAI_CALLGRIND_ALLOW_ASLR"
    )]
    pub(crate) allow_aslr: bool,

    /// Let the C library take its functions for this CPU, instead of those for every CPU
    #[arg(
        long, value_name = "yes|no", num_args = 0..=1, require_equals = true,
        default_value = "no", default_missing_value = "yes", hide_possible_values = true,
        value_parser = BoolishValueParser::new(), env = "IAI_CALLGRIND_NATIVE_CPU"
    )]
    pub(crate) native_cpu: bool,

    /// Run the executable where it lies, instead of under a path of constant length
    #[arg(
        long, value_name = "yes|no", num_args = 0..=1, require_equals = true,
        default_value = "no", default_missing_value = "yes", hide_possible_values = true,
        value_parser = BoolishValueParser::new(), env = "IAI_CALLGRIND_OWN_PATH"
    )]
    pub(crate) own_path: bool,
}
