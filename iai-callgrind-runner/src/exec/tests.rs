//! Commands on the command line become a plan, and names are checked.

use std::env;
use std::path::Path;

use clap::Parser;
use iai_callgrind_cli::{Cli, Command};
use iai_callgrind_commands::parse;
use iai_callgrind_plan::{
    self as plan, Case, Compare, Config, ExitWith, Function, Group, Stdin, Subject,
};

use super::*;

fn on_command_line(arguments: &[&str]) -> Result<Commands> {
    let words = ["iai-callgrind-runner", "exec"].iter().chain(arguments);
    match Cli::try_parse_from(words).unwrap().command {
        Command::Exec(options) => commands(&options.commands),
        _ => unreachable!("the first word is `exec`"),
    }
}

/// Returns the names of the commands of a group.
fn names(group: &Group) -> Vec<&str> {
    group.functions.iter().filter_map(|function| function.name.as_deref()).collect()
}

/// Returns the first command of a function, with its configuration.
fn first(function: &Function) -> (&plan::Command, &Config) {
    let Case { subject, config, .. } = &function.cases[0];
    match subject {
        Subject::Binary { command, .. } => (command, config),
        Subject::Library { .. } => panic!("not a command: {subject:?}"),
    }
}

#[test]
fn commands_have_their_text_as_their_name_unless_they_have_one() {
    let plan = on_command_line(&["-n", "one", "/bin/grep -c 'x y' f", "./a b"]).unwrap().plan;
    let [group] = &*plan.groups else { panic!("{plan:?}") };
    assert_eq!((&*plan.package, &*plan.file, &*group.name), ("exec", "exec", "commands"));
    assert_eq!(names(group), ["one", "./a b"]);
    assert_eq!(group.compare, Compare::All);
    let (command, _) = first(&group.functions[0]);
    assert_eq!(
        (&*command.program, &*command.args),
        ("/bin/grep", &["-c", "x y", "f"].map(str::to_owned)[..])
    );
    assert_eq!(group.functions[0].cases[0].arguments, "grep -c \"x y\" f");

    let single = on_command_line(&["--exit-with=3", "--stdin=in", "--", "a", "b c"]).unwrap().plan;
    assert_eq!(names(&single.groups[0]), ["a \"b c\""]);
    assert_eq!(single.groups[0].compare, Compare::No);
    assert_eq!(single.config.exit_with, Some(ExitWith::Code(3)));
    assert_eq!(single.config.sandbox, Some(false));
    let path = env::current_dir().unwrap().join("in").to_str().unwrap().to_owned();
    assert_eq!(first(&single.groups[0].functions[0]).0.stdin, Stdin::File { path });
    for (wrong, part) in [
        (&["-n", "a", "-n", "b", "true"][..], "there are 2 names for 1 commands"),
        (&["true", "true"], "within a group\nhelp: give one of them another name"),
        (&["-n=a::", "true"], "empty id"),
        (&["--", "", "x"], "can't run a command: there is no program\nhelp: "),
    ] {
        let error = on_command_line(wrong).unwrap_err().to_string();
        assert!(error.contains(part), "{wrong:?}: {error}");
    }
}

#[test]
fn names_in_a_file_are_checked() {
    for (text, part) in [
        ("[[command]]\ncommand = 'a'\n[[command]]\ncommand = 'a'", "declared twice"),
        ("[[group]]\nname = 'a/b'", "not a valid name of a group"),
        ("[[command]]\ncommand = 'a'\nname = ''", "empty"),
    ] {
        let commands = parse(text, Path::new("/project/bench.toml")).unwrap();
        let error = check_names(&commands.plan).unwrap_err().to_string();
        assert!(error.contains(part), "{text}: {error}");
    }
}
