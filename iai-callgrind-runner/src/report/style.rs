//! The colours of the terminal.

use anstyle::{AnsiColor, Style};

pub(crate) const PATH: Style = AnsiColor::Green.on_default();
pub(super) const ID: Style = AnsiColor::Cyan.on_default();
pub(super) const ARGUMENTS: Style = AnsiColor::Blue.on_default().bold();
pub(crate) const NEW: Style = Style::new().bold();
pub(crate) const FAINT: Style = AnsiColor::BrightBlack.on_default();
pub(crate) const WORSE: Style = AnsiColor::BrightRed.on_default().bold();
pub(crate) const BETTER: Style = AnsiColor::BrightGreen.on_default().bold();
pub(super) const ERROR: Style = AnsiColor::Red.on_default().bold();
