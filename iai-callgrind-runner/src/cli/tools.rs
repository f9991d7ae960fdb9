//! The options of Valgrind's tools: the same ones for each row of the table of tools.

use clap::builder::BoolishValueParser;
use clap::{Arg, ArgMatches, Args, Command, FromArgMatches};

use crate::compare::Limits;
use crate::metric::Selection;
use crate::plan::{Config, ValgrindTool};
use crate::tool::callgrind::CALLGRIND;
use crate::tool::{TOOLS, Tool};
use crate::valgrind::Arguments;

const REGRESSION: &str = "regression";
const FAIL_FAST: &str = "regression-fail-fast";

/// What the command line says of the tools, as a benchmark file would configure it.
#[derive(Debug, Default)]
pub(crate) struct Tools(pub(crate) Config);

impl Args for Tools {
    fn augment_args(command: Command) -> Command {
        let command = command.next_help_heading("Tools");
        let command = TOOLS.iter().fold(command, |command, tool| {
            command.arg(arguments(tool)).arg(metrics(tool)).arg(limits(tool))
        });
        command.arg(regression()).arg(fail_fast())
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for Tools {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let mut tools = Self::default();
        tools.update_from_arg_matches(matches)?;
        Ok(tools)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        let text = |name: &str| matches.get_one::<String>(name).cloned();
        let fail_fast = matches.get_one::<bool>(FAIL_FAST).copied();
        for tool in TOOLS {
            let options = self.0.tool_mut(tool.kind);
            if let Some(arguments) = matches.get_one::<Arguments>(&argument_name(tool, "args")) {
                options.args.clone_from(&arguments.0);
            }
            let older = text(REGRESSION).filter(|_| tool.kind == ValgrindTool::Callgrind);
            let limits = [older, text(&argument_name(tool, "limits"))];
            options.limits = limits.into_iter().flatten().reduce(|older, new| older + "," + &new);
            options.fail_fast = fail_fast;
            options.metrics = text(&argument_name(tool, "metrics"));
        }
        Ok(())
    }
}

/// `callgrind-args`
fn argument_name(tool: &Tool, what: &str) -> String {
    format!("{}-{what}", tool.name)
}

/// An option of a tool that takes a value, with its variable.
fn option(name: String, value: &'static str, help: String) -> Arg {
    let variable = format!("IAI_CALLGRIND_{}", name.to_uppercase().replace('-', "_"));
    Arg::new(name.clone()).long(name).value_name(value).env(variable).help(help)
}

fn arguments(tool: &Tool) -> Arg {
    let Tool { name, .. } = tool;
    option(argument_name(tool, "args"), "ARGUMENTS", format!("Pass these arguments on to {name}"))
        .long_help(format!(
            "Pass these arguments on to {name}, split as a shell splits words: {}, for example",
            tool.example
        ))
        .allow_hyphen_values(true)
        .value_parser(Arguments::parse)
}

fn metrics(tool: &'static Tool) -> Arg {
    let help = "Show these metrics, in this order: ir,@cachemissrates";
    option(argument_name(tool, "metrics"), "METRICS", help.to_owned())
        .long_help(format!(
            "{help}\n\nMetrics go by Valgrind's names, an @ is before the name of a group: @all, @default, \
             @cachehits, ... What was not counted is left out: most events need an option of {}'s. With \
             none only the titles are shown.",
            tool.name
        ))
        .value_parser(|text: &str| Selection::parse(text, tool.metrics).map(|_| text.to_owned()))
}

fn limits(tool: &'static Tool) -> Arg {
    let help = "Fail the run when a benchmark breaks one of these limits: ir=5%|10000,@all=10%";
    option(argument_name(tool, "limits"), "LIMITS", help.to_owned())
        .long_help(format!(
            "{help}\n\nA number with % is by how much a metric may exceed its old value, a bare number \
             the largest value allowed; a negative percentage is a limit for improvements. Metrics go by \
             Valgrind's names, an @ is before the name of a group: @all, @default, @cachehits, \
             @cachemisses, ... Of two limits for the same metric the last one wins. The exit code is 3."
        ))
        .value_parser(|text: &str| Limits::parse(text, tool.metrics).map(|_| text.to_owned()))
}

fn regression() -> Arg {
    let help = "Fail the run when a metric of callgrind exceeds its old value by more than these \
                percentages: ir=5,dr=10";
    option(REGRESSION.to_owned(), "LIMITS", help.to_owned())
        .long_help(format!(
            "{help}\n\nThe older spelling of soft limits. For the same metric --callgrind-limits wins."
        ))
        .value_parser(|text: &str| Limits::from_percentages(text, CALLGRIND.metrics))
}

fn fail_fast() -> Arg {
    let help = "End the run at the first benchmark that breaks a limit";
    option(FAIL_FAST.to_owned(), "yes|no", help.to_owned())
        .num_args(0..=1)
        .require_equals(true)
        .default_missing_value("yes")
        .hide_possible_values(true)
        .value_parser(BoolishValueParser::new())
}

#[cfg(test)]
mod tests {
    use crate::cli::bench;
    use crate::plan::ValgrindTool;

    #[test]
    fn both_spellings_of_limits_come_together() {
        let limits = |arguments: &[&str]| {
            let mut tools = bench(arguments).unwrap().tools;
            tools.0.tool_mut(ValgrindTool::Callgrind).limits.clone()
        };
        assert_eq!(limits(&[]), None);
        assert_eq!(limits(&["--regression=ir=5"]).as_deref(), Some("ir=5%"));
        let both = limits(&["--callgrind-limits=ir=7%|9", "--regression=ir=5, dr=1%"]);
        assert_eq!(both.as_deref(), Some("ir=5%,dr=1%,ir=7%|9"));
    }

    #[test]
    fn arguments_are_split() {
        let mut tools = bench(&["--callgrind-args=--a=1 '--b=2 3'"]).unwrap().tools;
        assert_eq!(tools.0.tool_mut(ValgrindTool::Callgrind).args, ["--a=1", "--b=2 3"]);
    }
}
