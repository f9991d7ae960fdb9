//! Isolation of the measured processes from the machine and the checkout.

use clap::Args;
use clap::builder::BoolishValueParser;

/// Options that turn off a part of the isolation.
#[derive(Debug, Clone, Copy, Default, Args)]
pub(crate) struct Isolation {
    /// Do not turn off address space layout randomization
    #[arg(
        long, value_name = "yes|no", num_args = 0..=1, require_equals = true,
        default_value = "no", default_missing_value = "yes", hide_possible_values = true,
        value_parser = BoolishValueParser::new(), env = "IAI_CALLGRIND_ALLOW_ASLR"
    )]
    pub(crate) allow_aslr: bool,

    /// Let the C library choose its functions for this CPU
    #[arg(
        long, value_name = "yes|no", num_args = 0..=1, require_equals = true,
        default_value = "no", default_missing_value = "yes", hide_possible_values = true,
        value_parser = BoolishValueParser::new(), env = "IAI_CALLGRIND_NATIVE_CPU"
    )]
    pub(crate) native_cpu: bool,

    /// Run the executable under its original path, instead of a path of constant length
    #[arg(
        long, value_name = "yes|no", num_args = 0..=1, require_equals = true,
        default_value = "no", default_missing_value = "yes", hide_possible_values = true,
        value_parser = BoolishValueParser::new(), env = "IAI_CALLGRIND_OWN_PATH"
    )]
    pub(crate) own_path: bool,
}
