//! Notes: messages on the standard error that are not errors.

use std::fmt;
use std::io::Write as _;
use std::sync::Mutex;

use crate::console;
use crate::numbers::grouped;

/// A part of the display, such as a progress line, that is hidden while a note is printed.
pub type Suspend = dyn Fn(&dyn Fn()) + Send + Sync;

static SUSPEND: Mutex<Option<Box<Suspend>>> = Mutex::new(None);

/// Returns a number of things for people: `1 commit`, `1,200 commits`.
pub fn counted(number: usize, noun: &str) -> String {
    let number = number as u64;
    format!("{} {}", grouped(number), plural(number, noun))
}

/// Returns a noun for this number of things: `commit` for one, otherwise `commits`.
pub fn plural(number: u64, noun: &str) -> String {
    let end = if number == 1 { "" } else { "s" };
    format!("{noun}{end}")
}

/// Prints a note on a line of its own.
pub fn print_line(note: &dyn fmt::Display) {
    print(&format!("{note}\n"));
}

/// Prints text on the standard error.
pub fn print(text: &str) {
    let print = || {
        // An error on the standard error cannot be reported anywhere
        let _ = console::stderr().write_all(text.as_bytes());
    };
    let suspend = SUSPEND.lock().unwrap();
    match &*suspend {
        Some(suspend) => suspend(&print),
        None => print(),
    }
}

/// Sets or removes the function through which notes are printed.
pub fn suspend_with(suspend: Option<Box<Suspend>>) {
    *SUSPEND.lock().unwrap() = suspend;
}
