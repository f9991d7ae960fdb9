//! Colours of the output.

use std::env;

use anstream::ColorChoice;
use clap::ValueEnum;

/// Variables that choose the colours, the first one first.
const VARIABLES: [&str; 2] = ["IAI_CALLGRIND_COLOR", "CARGO_TERM_COLOR"];

/// Returns the choice of the option, of the first variable that is set, or `Auto`.
pub fn color_choice(option: Option<clap::ColorChoice>) -> ColorChoice {
    let variable = || VARIABLES.into_iter().find_map(|name| env::var(name).ok());
    let parse = |text: String| clap::ColorChoice::from_str(&text, false).ok();
    match option.or_else(|| variable().and_then(parse)) {
        Some(clap::ColorChoice::Always) => ColorChoice::Always,
        Some(clap::ColorChoice::Never) => ColorChoice::Never,
        Some(clap::ColorChoice::Auto) | None => ColorChoice::Auto,
    }
}
