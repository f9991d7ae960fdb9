//! Commands and their ends as texts.

use iai_callgrind_plan::ExitWith;

use crate::valgrind::Arguments;

/// Words that only a shell understands.
const SHELL: [&str; 6] = ["|", "||", "&&", ">", ">>", "<"];

/// Splits a command like words in a shell. The first word is the program.
pub(crate) fn parse_command(text: &str) -> Result<Arguments, String> {
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
pub(crate) fn parse_exit(text: &str) -> Result<ExitWith, &'static str> {
    let signal = text.strip_prefix("signal ").map(str::parse);
    match (text, signal) {
        ("success", _) => Ok(ExitWith::Success),
        ("failure", _) => Ok(ExitWith::Failure),
        (_, Some(Ok(signal))) => Ok(ExitWith::Signal(signal)),
        (code, _) => code
            .parse()
            .map(ExitWith::Code)
            .map_err(|_| "expected `success`, `failure`, an exit code, or `signal` and a number"),
    }
}
