//! Variables without an option, which clap does not check, and those that are mistyped.

use std::collections::BTreeSet;
use std::env;

use clap::Command;
use clap::error::{Error, ErrorKind};
use iai_callgrind_base::note;
use iai_callgrind_base::similar::typo;

/// The variables with the values that they can have.
const VARIABLES: [(&str, &[&str]); 2] = [
    ("IAI_CALLGRIND_COLOR", &["always", "never", "auto"]),
    ("IAI_CALLGRIND_LOG", &["off", "error", "warn", "info", "debug", "trace"]),
];

/// The start of the names of all variables.
const PREFIX: &str = "IAI_CALLGRIND_";

/// Prints a note about each variable whose name is that of an option but for a typing error. Returns the error of the
/// first variable with another value than it can have, in the form of those of options.
pub(crate) fn check(command: &mut Command) -> Result<(), Error> {
    let given: Vec<_> = env::vars_os().filter_map(|(name, _)| name.into_string().ok()).collect();
    for (name, known) in mistyped(command, &given) {
        note::print_line(&format_args!(
            "note: the variable `{name}` is unknown: did you mean `{known}`?"
        ));
    }
    for (name, values) in VARIABLES {
        let Some(value) = env::var_os(name) else { continue };
        if !values.iter().any(|known| value == *known) {
            let (value, values) = (value.to_string_lossy(), values.join(", "));
            let message =
                format!("invalid value '{value}' for '{name}'\n  [possible values: {values}]");
            return Err(command.error(ErrorKind::InvalidValue, message));
        }
    }
    Ok(())
}

/// Returns the variables of these that are unknown, each with the one of an option that it is similar to.
fn mistyped<'a>(command: &Command, given: &'a [String]) -> Vec<(&'a str, String)> {
    let arguments = command.get_subcommands().chain([command]).flat_map(Command::get_arguments);
    let known = arguments.filter_map(|argument| argument.get_env()?.to_str());
    let known: BTreeSet<_> = known.filter_map(|name| name.strip_prefix(PREFIX)).collect();
    let given = given.iter().filter_map(|name| Some((&**name, name.strip_prefix(PREFIX)?)));
    let unknown = given.filter(|(_, own)| {
        !known.contains(own)
            && !VARIABLES.iter().any(|(name, _)| name.strip_prefix(PREFIX) == Some(own))
    });
    let similar = unknown.filter_map(|(name, own)| {
        Some((name, format!("{PREFIX}{}", typo(own, known.iter().copied())?)))
    });
    similar.collect()
}

#[cfg(test)]
mod tests {
    use clap::Arg;

    use super::*;

    #[test]
    fn names_with_a_typing_error_are_found() {
        let option = |name| Arg::new(name).env(name);
        let command = Command::new("a").args([option("IAI_CALLGRIND_SHOW_GRID"), option("OTHER")]);
        let command = command.subcommand(Command::new("b").arg(option("IAI_CALLGRIND_BASELINE")));
        let given = [
            "IAI_CALLGRIND_SHOW_GIRD",
            "IAI_CALLGRIND_SHOW_GRID",
            "IAI_CALLGRIND_BASELNE",
            "IAI_CALLGRIND_BASELINE_LENIENT",
            "IAI_CALLGRIND_SERVE",
            "IAI_CALLGRIND_COLOR",
            "OTHERS",
            "BASELNE",
        ];
        assert_eq!(
            mistyped(&command, &given.map(str::to_owned)),
            [
                ("IAI_CALLGRIND_SHOW_GIRD", "IAI_CALLGRIND_SHOW_GRID".to_owned()),
                ("IAI_CALLGRIND_BASELNE", "IAI_CALLGRIND_BASELINE".to_owned()),
            ]
        );
    }
}
