//! Commands in files become a plan.

use std::path::Path;

use iai_callgrind_plan::metric::MetricKind;
use iai_callgrind_plan::protocol::Hook;
use iai_callgrind_plan::{
    self as plan, Case, Compare, Config, DelayKind, ExitWith, Function, Group, Limit, Pipe, Stdin,
    Stdio, Subject, ValgrindTool, Variable,
};

use super::*;

fn read(text: &str) -> Result<Commands> {
    parse(text, Path::new("/project/bench.toml"))
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
fn a_file_has_commands_with_the_keys_of_the_builders() {
    let commands = read(
        r#"
        setup = "make data"
        [config]
        env = { LANG = "C" }
        pass_through_envs = ["HOME"]
        tool.callgrind.limits = "ir=1%"

        [[command]]
        command = "bin/count --all words.txt"
        stdin = { file = "words.txt" }
        stdout = { file = "out.txt" }
        stderr = "inherit"
        exit_with = 2
        fixtures = ["words.txt"]
        delay = { kind = { path_exists = "ready" }, timeout = "1s" }
        teardown = "cmp out.txt 'expected file'"

        [[command]]
        name = "second"
        command = "a program"
        args = ["b c"]
        stdin = { setup = "stderr" }
        setup = "sh -c 'echo x >&2'"
        exit_with = "signal 6"
        tool.dhat = {}
        tool.callgrind = { entry_point = "main", flamegraph = "regular", args = "--a --b" }
        "#,
    )
    .unwrap();
    let Commands { plan, hooks } = commands;
    assert_eq!((&*plan.file, &*plan.package_dir), ("bench", "/project"));
    let variables: [Variable; 2] = ["HOME".into(), "LANG=C".into()];
    assert_eq!(plan.config.envs, variables);
    let limit = (MetricKind::Ir, Limit::Soft { change: 1.0.into() });
    assert_eq!(plan.config.tools[0].limits, [limit]);
    assert_eq!((plan.config.sandbox, plan.hooks.setup), (Some(false), true));

    let [group] = &*plan.groups else { panic!("{plan:?}") };
    assert_eq!(names(group), ["bin/count --all words.txt", "second"]);
    let (command, config) = first(&group.functions[0]);
    assert_eq!(command.program, "/project/bin/count");
    assert_eq!(command.stdin, Stdin::File { path: "/project/words.txt".to_owned() });
    assert_eq!(command.stdout, Stdio::File { path: "out.txt".to_owned() });
    assert_eq!(command.stderr, Stdio::Show);
    let delay = command.delay.as_ref().unwrap();
    assert_eq!(delay.kind, DelayKind::PathExists { path: "ready".to_owned() });
    assert_eq!((delay.poll, delay.timeout), (10, 1000));
    assert_eq!(config.exit_with, Some(ExitWith::Code(2)));
    assert_eq!((config.sandbox, &*config.fixtures[0].path), (Some(true), "words.txt"));

    let (command, config) = first(&group.functions[1]);
    assert_eq!((&*command.program, &*command.args), ("a program", &["b c".to_owned()][..]));
    assert_eq!(command.stdin, Stdin::Setup { pipe: Pipe::Stderr });
    assert_eq!((&config.exit_with, config.sandbox), (&Some(ExitWith::Signal(6)), None));
    let tools: Vec<_> = config.tools.iter().map(|tool| (tool.tool, tool.enable)).collect();
    let (callgrind, dhat) = (ValgrindTool::Callgrind, ValgrindTool::DHAT);
    assert_eq!(tools, [(callgrind, Some(true)), (dhat, Some(true))]);
    assert_eq!(config.tools[0].args, ["--a", "--b"]);

    let line =
        |group, case, is_setup| hooks.get(&Hook { group, case, is_setup }).map(plan::Command::line);
    assert_eq!(line(None, None, true).as_deref(), Some("make data"));
    assert_eq!(line(Some(0), Some(0), false).as_deref(), Some("cmp out.txt \"expected file\""));
    assert_eq!(line(Some(0), Some(1), true).as_deref(), Some("sh -c \"echo x >&2\""));
    assert_eq!(hooks.len(), 3);
}

#[test]
fn commands_with_the_same_name_are_cases_with_ids() {
    let text = r#"
        [[command]]
        command = "true"
        [[group]]
        name = "search"
        compare_by_id = true
        max_parallel = 2
        config.current_dir = "data"
        command = [
            { name = "grep", id = "short", command = "grep x a" },
            { name = "grep", id = "long", command = "grep x b" },
            { name = "rg", id = "long", command = "rg x b" },
        ]"#;
    let plan = read(text).unwrap().plan;
    let [ungrouped, group] = &*plan.groups else { panic!("{plan:?}") };
    assert_eq!(names(ungrouped), ["true"]);
    assert_eq!((names(group), group.compare), (vec!["grep", "rg"], Compare::ById));
    let ids: Vec<_> = group.functions[0].cases.iter().map(|case| case.id.as_deref()).collect();
    assert_eq!(ids, [Some("short"), Some("long")]);
    assert_eq!((group.max_parallel, group.config.current_dir.as_deref()), (2, Some("data")));
    let indexes = group.functions.iter().flat_map(|function| &function.cases);
    let indexes = indexes.map(|case| match case.subject {
        Subject::Binary { index, .. } => index,
        Subject::Library { .. } => u64::MAX,
    });
    assert_eq!(indexes.collect::<Vec<_>>(), [0, 1, 2]);
}

#[test]
fn errors_name_the_file_and_the_key() {
    for (text, parts) in [
        ("[[command]]\ncommand = 'a'\nargz = []", &["line 3", "unknown field `argz`"][..]),
        ("[config]\nenvs = {}", &["line 2", "unknown field `envs`"]),
        ("[[group]]\nname = 'a'\ncompare = true", &["line 3", "unknown field `compare`"]),
        ("[[command]]\ntool.dhat.limit = ''", &["line 2", "unknown field `limit`"]),
        ("[[command]]\nsetup = \"'a\"", &["line 2", "has no end"]),
        ("[[command]]\nexit_with = 'x'", &["line 2", "expected `success`"]),
        ("[[command]]\nexit_with = 256", &["line 2", "an exit code from 0 to 255"]),
        ("[[command]]\nexit_with = true", &["line 2", "an exit code or a text"]),
        ("[[command]]\nname = 'x'", &["`x`", "`command`: there is no program"]),
        ("[[command]]\ncommand = 'a | b'", &["`a | b`", "needs a shell"]),
        ("[[command]]\ncommand = 'a'\ntool.x = {}", &["`a`", "`tool.x`: unknown tool `x`"]),
        (
            "[config]\ntool.dhat.limits = 'ir=1%'",
            &["`config`", "`tool.dhat.limits`: unknown metric"],
        ),
        ("[[command]]\ncommand = 'a'\ndefault_tool = 'x'", &["`default_tool`: unknown tool"]),
    ] {
        let error = read(text).unwrap_err().to_string();
        for part in [&["/project/bench.toml"], parts].concat() {
            assert!(error.contains(part), "{text}: {error}");
        }
    }
}
