//! The short help of a run: the options that most runs need, on one screen.

use clap::Command;

/// The options of the short help.
const SHOWN: [&str; 10] = [
    "filters",
    "save_baseline",
    "baseline",
    "against",
    "limit",
    "time",
    "report",
    "show",
    "list",
    "tools",
];

const END: &str = "\
Examples:
  cargo bench -- parse                                    with this in the name
  cargo bench -- --against=main --callgrind-limits=ir=2%  fail if over 2 % worse
  cargo bench --bench NAME -- annotate parse              print lines with costs

`--help` has all options and the subcommands.";

/// Returns the command line for `-h`.
pub(crate) fn short_help(command: Command) -> Command {
    command.mut_subcommand("bench", |bench| {
        let bench = bench.mut_args(|arg| {
            let is_shown = SHOWN.contains(&arg.get_id().as_str());
            let has_value = arg.get_action().takes_values();
            let arg = if has_value { arg.hide_env(true).hide_default_value(true) } else { arg };
            arg.help_heading(None::<&'static str>).hide_short_help(!is_shown)
        });
        bench.after_help(END)
    })
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;
    use crate::Cli;

    #[test]
    fn the_short_help_fits_one_screen() {
        let command = short_help(Cli::command());
        let mut bench = command.find_subcommand("bench").expect("a subcommand").clone();
        let help = bench.render_help().to_string();
        assert!(END.lines().all(|line| line.len() <= 80), "{END}");
        let options = help.lines().filter(|line| line.starts_with("      --")).count();
        assert_eq!(options, SHOWN.len() - 1, "without the filter:\n{help}");
        assert!(help.lines().count() <= 32, "{help}");
        let long = bench.render_long_help().to_string();
        assert!(long.contains("--valgrind-path"), "{long}");
    }
}
