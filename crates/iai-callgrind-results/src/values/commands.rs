//! Commands and their ends as texts.

use std::ops::RangeInclusive;

use iai_callgrind_plan::ExitWith;
use iai_callgrind_tools::valgrind::Arguments;

/// Exit codes that a process can have.
const EXIT_CODES: RangeInclusive<i32> = 0..=255;

/// Signals that can end a process.
const SIGNALS: RangeInclusive<i32> = 1..=64;

/// Words that only a shell understands.
const SHELL: [&str; 6] = ["|", "||", "&&", ">", ">>", "<"];

/// Splits a command like words in a shell. The first word is the program.
pub fn parse_command(text: &str) -> Result<Arguments, String> {
    let arguments = Arguments::parse(text)?;
    if arguments.0.first().is_none_or(String::is_empty) {
        return Err("there is no program".to_owned());
    }
    match arguments.0.iter().find(|word| SHELL.contains(&word.as_str())) {
        Some(word) => Err(format!("`{word}` needs a shell: write `sh -c '...'`")),
        None => Ok(arguments),
    }
}

/// Parses the expected exit of a command.
pub fn parse_exit(text: &str) -> Result<ExitWith, &'static str> {
    let number = |text: &str, range: RangeInclusive<i32>| {
        text.parse().ok().filter(|number| range.contains(number))
    };
    let parsed = match (text, text.strip_prefix("signal ")) {
        ("success", _) => Some(ExitWith::Success),
        ("failure", _) => Some(ExitWith::Failure),
        (_, Some(signal)) => number(signal, SIGNALS).map(ExitWith::Signal),
        (code, _) => number(code, EXIT_CODES).map(ExitWith::Code),
    };
    parsed.ok_or(
        "expected `success`, `failure`, an exit code from 0 to 255, or `signal` and a number from 1 to 64",
    )
}
