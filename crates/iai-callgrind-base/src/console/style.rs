//! The colours of the terminal.

use anstyle::{AnsiColor, Style};

/// The colour of names.
pub const PATH: Style = AnsiColor::Green.on_default();
/// The colour of ids.
pub const ID: Style = AnsiColor::Cyan.on_default();
/// The colour of arguments.
pub const ARGUMENTS: Style = AnsiColor::Blue.on_default().bold();
/// The colour of new values.
pub const NEW: Style = Style::new().bold();
/// The colour of what did not change.
pub const FAINT: Style = AnsiColor::BrightBlack.on_default();
/// The colour of worse values.
pub const WORSE: Style = AnsiColor::BrightRed.on_default().bold();
/// The colour of better values.
pub const BETTER: Style = AnsiColor::BrightGreen.on_default().bold();
/// The verdict of a run that is neither good nor bad.
pub const NOTABLE: Style = AnsiColor::BrightYellow.on_default().bold();
/// The colour of the word `error`.
pub const ERROR: Style = AnsiColor::Red.on_default().bold();
