//! Round trips: written values are read back unchanged.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;

use iai_callgrind_compare::{Change, Limits};
use iai_callgrind_plan::metric::{self, CALLGRIND, MetricKind};
use iai_callgrind_plan::{
    self as plan, Build, Case, Command, Compare, Complexity, Config, Delay, DelayKind, EntryPoint,
    Executable, ExitWith, Fixture, Flamegraph, FlamegraphKind, Function, Group, HookKind, Hooks,
    Json, Limit, MeasuredHook, OutputFormat, PLAN_VERSION, Percentage, Pipe, Plan, ProcessName,
    SanitizeOutput, Stdin, Stdio, Subject, Throughput, ToolConfig, ValgrindTool, Variable, decode,
    encode, protocol,
};
use iai_callgrind_results::values::parse_limits;
use iai_callgrind_store::{Files, Slot, decode_name};
use iai_callgrind_summary::{self as summary, Baselines, Invocation, Status, Summary};
use proptest::collection::{btree_map, vec};
use proptest::option;
use proptest::prelude::*;
use proptest::sample::select;

/// Returns any text.
fn text() -> impl Strategy<Value = String> {
    vec(any::<char>(), 0..12).prop_map(|characters| characters.into_iter().collect())
}

/// Returns any number that JSON can represent.
fn number() -> impl Strategy<Value = f64> {
    any::<f64>().prop_filter("JSON has only finite numbers", |number| number.is_finite())
}

/// Returns any number, NaN and the infinities among them.
fn percentage() -> impl Strategy<Value = Percentage> {
    any::<u64>().prop_map(|bits| Percentage::new(f64::from_bits(bits)))
}

fn kinds() -> impl Strategy<Value = Vec<MetricKind>> {
    vec(select(MetricKind::ALL), 0..4)
}

fn limit() -> impl Strategy<Value = (MetricKind, Limit)> {
    let limit = prop_oneof![
        percentage().prop_map(|change| Limit::Soft { change }),
        any::<u64>().prop_map(|value| Limit::Count { value }),
        percentage().prop_map(|value| Limit::Rate { value: value.get().into() }),
    ];
    (select(MetricKind::ALL), limit)
}

fn flamegraph() -> impl Strategy<Value = Flamegraph> {
    let options = (option::of(text()), option::of(any::<bool>()));
    (options, option::of(kinds()), option::of(percentage())).prop_map(
        |((title, switch), event_kinds, min_width)| Flamegraph {
            kind: switch
                .map(|all| if all { FlamegraphKind::All } else { FlamegraphKind::Differential }),
            event_kinds,
            title,
            min_width,
            negate_differential: switch,
            ..Flamegraph::default()
        },
    )
}

fn entry_point() -> impl Strategy<Value = EntryPoint> {
    prop_oneof![
        Just(EntryPoint::None),
        Just(EntryPoint::Default),
        text().prop_map(EntryPoint::Custom)
    ]
}

fn tool() -> impl Strategy<Value = ToolConfig> {
    let kinds = [ValgrindTool::Callgrind, ValgrindTool::DHAT, ValgrindTool::DRD, ValgrindTool::BBV];
    let options = (option::of(any::<bool>()), option::of(entry_point()), option::of(flamegraph()));
    let metrics = (vec(limit(), 0..4), option::of(self::kinds()));
    (select(kinds.to_vec()), vec(text(), 0..3), metrics, options).prop_map(
        |(kind, args, (limits, metrics), (enable, entry_point, flamegraph))| ToolConfig {
            enable,
            frames: args.clone(),
            sanitize_output: Some(SanitizeOutput::KeepOrig),
            args,
            entry_point,
            metrics,
            limits,
            cold_caches: enable,
            flamegraph,
            ..ToolConfig::new(kind)
        },
    )
}

fn exit_with() -> impl Strategy<Value = ExitWith> {
    let code = any::<i32>().prop_map(ExitWith::Code);
    let signal = any::<i32>().prop_map(ExitWith::Signal);
    let signals = vec(any::<i32>(), 0..3).prop_map(ExitWith::Signals);
    prop_oneof![Just(ExitWith::Success), Just(ExitWith::Failure), code, signal, signals]
}

fn throughput() -> impl Strategy<Value = Throughput> {
    let both = (any::<u64>(), any::<u64>());
    prop_oneof![
        any::<u64>().prop_map(Throughput::Bytes),
        any::<u64>().prop_map(Throughput::BytesDecimal),
        any::<u64>().prop_map(Throughput::Elements),
        both.prop_map(|(elements, bytes)| Throughput::ElementsAndBytes { elements, bytes }),
        any::<u64>().prop_map(Throughput::Bits),
    ]
}

fn config() -> impl Strategy<Value = Config> {
    let texts = (vec(text(), 0..3), option::of(text()));
    let format = (option::of(any::<usize>()), option::of(percentage()));
    let command = (option::of(exit_with()), option::of(throughput()));
    (texts, vec(tool(), 0..3), command, any::<bool>(), format).prop_map(
        |(
            (texts, text),
            tools,
            (exit_with, throughput),
            switch,
            (truncate_description, tolerance),
        )| Config {
            env_clear: Some(switch),
            envs: texts
                .iter()
                .map(|name| Variable { name: name.clone(), value: text.clone() })
                .collect(),
            valgrind_args: texts.clone(),
            tools,
            forget_tools: switch,
            output_format: OutputFormat {
                truncate_description,
                tolerance,
                show_grid: Some(switch),
                ..OutputFormat::default()
            },
            fixtures: texts
                .into_iter()
                .map(|path| Fixture { path, follow_symlinks: switch })
                .collect(),
            current_dir: text,
            exit_with,
            throughput,
            complexity: vec![(MetricKind::Ir, Complexity::NLogN)],
            per_element: vec![(MetricKind::Dr, Percentage::new(2.0))],
            counter_limits: vec![("nodes visited".to_owned(), Limit::Count { value: 3 })],
            process_names: vec![ProcessName { name: "a".to_owned(), pattern: "*a".to_owned() }],
            snapshot: Some(true),
            ..Config::default()
        },
    )
}

fn delay() -> impl Strategy<Value = Delay> {
    let kind = prop_oneof![
        any::<u64>().prop_map(|milliseconds| DelayKind::DurationElapse { milliseconds }),
        text().prop_map(|path| DelayKind::PathExists { path }),
        text().prop_map(|address| DelayKind::TcpConnect { address }),
        (text(), any::<Vec<u8>>())
            .prop_map(|(address, request)| DelayKind::UdpResponse { address, request }),
    ];
    (kind, any::<u64>(), any::<u64>()).prop_map(|(kind, poll, timeout)| Delay {
        kind,
        poll,
        timeout,
    })
}

fn command() -> impl Strategy<Value = Command> {
    let stdin = prop_oneof![
        text().prop_map(|path| Stdin::File { path }),
        Just(Stdin::Setup { pipe: Pipe::Stderr }),
        Just(Stdin::default()),
    ];
    let stdout = prop_oneof![
        text().prop_map(|path| Stdio::File { path }),
        Just(Stdio::Show),
        Just(Stdio::Null),
        Just(Stdio::Capture),
    ];
    (text(), vec(text(), 0..4), stdin, stdout, option::of(delay())).prop_map(
        |(program, args, stdin, stdout, delay)| {
            let stderr = stdout.clone();
            Command { program, args, stdin, stdout, stderr, delay }
        },
    )
}

fn subject() -> impl Strategy<Value = Subject> {
    let library = (text(), any::<u64>(), any::<u64>()).prop_map(|(owner, entry, item)| {
        Subject::Library { function: owner.clone(), owner, entry, item }
    });
    let binary = (command(), any::<u64>(), any::<bool>()).prop_map(|(command, index, setup)| {
        Subject::Binary { command, index, hooks: Hooks { setup, teardown: !setup } }
    });
    prop_oneof![library, binary]
}

fn case() -> impl Strategy<Value = Case> {
    (text(), text(), subject(), config()).prop_map(|(id, arguments, subject, config)| Case {
        // A case without a function has its own name
        id: Some(id + "x"),
        subject,
        external_id: Some(format!("{arguments}/")).filter(|_| arguments.len() > 3),
        is_selected: (arguments.len() > 3).then_some(arguments.len() > 5),
        size: i64::try_from(arguments.len()).ok().filter(|size| *size > 2),
        curve: Some(arguments.clone()).filter(|_| arguments.len() > 1),
        arguments,
        config,
    })
}

fn group() -> impl Strategy<Value = Group> {
    let hook = (text(), subject()).prop_map(|(name, subject)| MeasuredHook {
        kind: HookKind::Teardown,
        name,
        subject,
    });
    let function = (option::of("[a-z]{1,8}"), config(), vec(case(), 0..3))
        .prop_map(|(name, config, cases)| Function { name, config, cases });
    ("[a-z]{1,8}", config(), vec(hook, 0..2), vec(function, 0..3), any::<bool>()).prop_map(
        |(name, config, measured_hooks, functions, any)| Group {
            name,
            compare: if any { Compare::All } else { Compare::ById },
            max_parallel: u64::from(any),
            config,
            hooks: Hooks { setup: any, teardown: false },
            hooks_in_sandbox: any,
            measured_hooks,
            functions,
        },
    )
}

fn plan() -> impl Strategy<Value = Plan> {
    let executable = text().prop_map(|path| Executable {
        path,
        build: Build {
            target: "target".to_owned(),
            optimization: "3".to_owned(),
            flags: "-C\u{1f}target-cpu=native".to_owned(),
            compiler: "rustc 1.85.0".to_owned(),
            llvm: "19.1.7".to_owned(),
            features: "fxsr,sse".to_owned(),
            panic: "unwind".to_owned(),
        },
    });
    let executable = option::of(executable);
    let parts = (text(), executable, config(), vec(group(), 0..3));
    parts.prop_map(|(any, executable, config, groups)| Plan {
        plan_version: PLAN_VERSION,
        library_version: any.clone(),
        package: "package".to_owned(),
        package_dir: any,
        file: "file".to_owned(),
        executable,
        config,
        hooks: Hooks::default(),
        groups,
    })
}

fn value() -> impl Strategy<Value = summary::Value> {
    prop_oneof![
        any::<u64>().prop_map(summary::Value::Count),
        number().prop_map(summary::Value::Rate)
    ]
}

fn metrics() -> impl Strategy<Value = summary::Metrics> {
    let change = (option::of(number()), option::of(number()))
        .prop_map(|(percentage, factor)| summary::Change { percentage, factor });
    let metric = (text(), option::of(value()), option::of(value()), option::of(change)).prop_map(
        |(label, new, old, change)| summary::Metric {
            label,
            unit: summary::Unit::Percent,
            tolerated: change.is_some(),
            new,
            old,
            change,
        },
    );
    btree_map(text(), metric, 0..4)
}

fn cause(name: &str) -> summary::explanation::Cause {
    summary::explanation::Cause {
        name: name.to_owned(),
        text: name.to_owned(),
        function: Some(name.to_owned()),
        file: None,
        line: None,
        is_removed_line: true,
        possible_lines: vec![summary::explanation::PossibleLine {
            file: name.to_owned(),
            line: 7,
            is_removed: true,
        }],
    }
}

fn commits(subject: String) -> summary::Commits {
    let id = subject.clone();
    let new = summary::Commit { id, date: None, subject: Some(subject), uncommitted: 3 };
    summary::Commits { new: Some(new), old: None }
}

fn machine_value(text: &str) -> summary::MachineValue {
    summary::MachineValue { name: text.to_owned(), text: String::new() }
}

fn environment_change(text: &str) -> summary::EnvironmentChange {
    let (name, old) = (text.to_owned(), text.to_owned());
    summary::EnvironmentChange { name, old, new: String::new() }
}

fn excerpt(text: &str, cost: u64) -> summary::explanation::SourceExcerpt {
    let line = summary::explanation::SourceLine {
        number: 7,
        text: Some(text.to_owned()),
        change: summary::explanation::LineChange::Removed,
        old: Some(cost),
        new: None,
    };
    summary::explanation::SourceExcerpt { file: text.to_owned(), lines: vec![line] }
}

fn range(value: summary::Value) -> summary::Range {
    let (mean, deviation) = (Some(7.5), None);
    summary::Range { minimum: value, median: value, maximum: value, mean, deviation }
}

/// Returns a command line of these words.
fn invocation(word: String) -> Invocation {
    Invocation { program: word.clone(), arguments: vec![word] }
}

fn summary() -> impl Strategy<Value = Summary> {
    let tool = (text(), option::of(text()), metrics(), value(), any::<u64>()).prop_map(
        |(tool, command, total, value, pid)| {
            let limit = summary::Limit {
                metric: tool.clone(),
                kind: summary::LimitKind::Soft,
                value: summary::LimitValue::Number(value),
                learned_from: Some(3),
                learned_from_layouts: Some(8),
            };
            let process = summary::Process { pid, thread: Some(pid), command: tool.clone() };
            let range = range(value);
            summary::Tool {
                valgrind_args: command.iter().cloned().collect(),
                files: summary::Files { new: vec![tool.clone()], old: Vec::new() },
                shown: vec![tool.clone()],
                parts: vec![summary::Part {
                    new: Some(process),
                    old: None,
                    metrics: total.clone(),
                }],
                regressions: vec![summary::Regression {
                    limit: limit.clone(),
                    new: summary::LimitValue::Class(tool.clone()),
                    old: None,
                    message: tool.clone(),
                }],
                spread: Some(summary::Spread {
                    seeds: vec![None, Some(pid)],
                    metrics: BTreeMap::from([(tool.clone(), range)]),
                }),
                varies_with: vec![machine_value(&tool)],
                environment: Some(BTreeMap::from([(tool.clone(), tool.clone())])),
                environment_changes: vec![environment_change(&tool)],
                explanation: Some(summary::explanation::Explanation {
                    verdict: summary::explanation::Verdict::ChangedLines,
                    text: vec![tool.clone()],
                    cause: Some(cause(&tool)),
                    source: Some(excerpt(&tool, pid)),
                    entries: vec![summary::explanation::Entry {
                        function: command.clone(),
                        file: command.clone(),
                        line: u32::try_from(pid).ok(),
                        kind: summary::explanation::Kind::NoLongerInlined,
                        old: pid,
                        new: 0,
                        share: 0.5,
                    }],
                    executed_in: Vec::new(),
                    changed_files: Some(summary::explanation::ChangedFiles {
                        old: tool.clone(),
                        new: tool.clone(),
                        uncommitted: pid > 0,
                        files: vec![summary::explanation::ChangedFile {
                            path: tool.clone(),
                            runs: (pid > 0).then_some(pid == 1),
                        }],
                    }),
                    noise: Some(summary::explanation::Noise {
                        pairs: 3,
                        layouts: 8,
                        metrics: BTreeMap::from([(
                            tool.clone(),
                            summary::explanation::NoiseFloor { largest: pid, percentage: None },
                        )]),
                    }),
                }),
                limits: vec![limit],
                tool,
                command,
                total,
            }
        },
    );
    (text(), option::of(text()), vec(tool, 0..3)).prop_map(|(name, other, tools)| Summary {
        version: summary::VERSION,
        runner: name.clone(),
        package: name.clone(),
        package_dir: other.clone(),
        file: name.clone(),
        group: name.clone(),
        function: other.clone(),
        id: other.clone(),
        external_id: other.clone(),
        label: other.clone(),
        size: Some(-7),
        arguments: other.clone(),
        executable: other.clone(),
        target: other.clone(),
        baselines: Baselines { new: other.clone(), old: None },
        invocation: other.clone().map(invocation),
        status: Status::Regressed,
        commits: other.clone().map(commits),
        error: other,
        tools,
        comparisons: Vec::new(),
        growth: None,
        time: None,
        change: None,
        name,
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    // The library writes the plan with other code than the runner reads it with.
    #[test]
    fn plans(plan in plan()) {
        prop_assert_eq!(serde_json::from_str::<Plan>(&plan.to_json()).unwrap(), plan);
    }

    // On one line each, as a stream, and indented, as in a file.
    #[test]
    fn summaries(summaries in vec(summary(), 0..3)) {
        let lines = summaries.iter().map(|summary| serde_json::to_string(summary).unwrap() + "\n");
        let lines: String = lines.collect();
        prop_assert_eq!(&Summary::read_all(&lines).unwrap(), &summaries);
        let indented = serde_json::to_string_pretty(&summaries).unwrap();
        prop_assert_eq!(&Summary::read_all(&indented).unwrap(), &summaries);
    }

    #[test]
    fn paths_and_arguments(bytes in any::<Vec<u8>>()) {
        let value = OsStr::from_bytes(&bytes);
        prop_assert_eq!(decode(&encode(value)), value);
    }

    // No id leaves the directory of its group, and the directory's name contains each id unless it
    // is too long.
    #[test]
    fn ids(id in text(), function in "[a-z_]{1,20}") {
        let files = Files::new("/out".as_ref(), "group", Some(&function), Some(&id));
        let directory = files.directory();
        prop_assert_eq!(directory.parent().unwrap(), "/out/group");
        let name = directory.file_name().unwrap().to_str().unwrap();
        prop_assert!(name.len() <= 255);
        let (function_of_name, id_of_name) = name.split_once('.').unwrap();
        prop_assert_eq!(function_of_name, function);
        if id.len() < 40 {
            prop_assert_eq!(decode_name(id_of_name), id);
        }
    }

    // The name of a baseline is refused, or becomes a part of a file's name.
    #[test]
    fn baselines(name in text()) {
        if let Ok(slot) = Slot::baseline(&name) {
            prop_assert_eq!(slot.name(), &name);
            let files = Files::new("/out".as_ref(), "group", Some("f"), None);
            let path = files.path("callgrind", "out", &slot);
            prop_assert_eq!(path.parent().unwrap(), "/out/group/f");
            prop_assert!(!name.starts_with('.') && !name.contains(['/', '\0']));
        }
    }

    #[test]
    fn limits(
        soft in btree_map(select(MetricKind::CALLGRIND), number(), 1..5),
        hard in btree_map(select(MetricKind::CALLGRIND), 0..u64::MAX, 1..5),
    ) {
        let hard: BTreeMap<_, _> = hard.into_iter().filter(|(kind, _)| !kind.is_rate()).collect();
        let mut parts: Vec<_> = soft.iter().map(|(kind, value)| format!("{kind}={value}%")).collect();
        parts.extend(hard.iter().map(|(kind, value)| format!("{kind}={value}")));
        let limits = parse_limits(&parts.join(", "), &CALLGRIND).unwrap();
        let limits = Limits::resolve(&limits).unwrap();
        prop_assert_eq!(limits.soft().collect::<BTreeMap<_, _>>(), soft);
        let hard = hard.into_iter().map(|(kind, value)| (kind, metric::Value::Count(value)));
        prop_assert!(limits.hard().eq(hard));
    }

    // The printed percentage is the change, to six digits.
    #[test]
    fn percentages(new in 1..u64::MAX, old in 1..u64::MAX) {
        let change = Change::between(Some(metric::Value::Count(new)), Some(metric::Value::Count(old)));
        let percentage = change.percentage().unwrap();
        let text = change.percentage_text();
        match text.trim().strip_suffix('%') {
            None => prop_assert!(text == "No change" && new == old),
            Some(printed) => {
                let printed: f64 = printed.parse().unwrap();
                prop_assert!((printed - percentage).abs() <= 1e-5 * percentage.abs().max(1.0));
                prop_assert!(printed != 0.0 && (printed > 0.0) == (new > old), "{text}");
            }
        }
    }

    #[test]
    fn messages_of_the_fork_server(
        (entry, item, seed, number) in any::<(u64, u64, Option<u64>, u32)>(),
        (wait, fork, enter, alone, isolate) in any::<(bool, bool, bool, bool, bool)>(),
        (pid, status, begin, end, end_lag) in any::<(i32, i32, u64, u64, i32)>(),
    ) {
        let region = protocol::MeasuredRegion {
            begin,
            end,
            end_lag,
            measures_itself: !wait,
            clock_leapt: fork,
            allocator_unseen: enter,
        };
        let token = protocol::Token::new(number);
        let command = protocol::ServerCommand {
            entry,
            item,
            seed,
            number,
            wait,
            fork,
            enter,
            alone,
            isolate,
            token,
        };
        prop_assert_eq!(protocol::ServerCommand::decode(&command.encode()), command);
        for message in [
            protocol::Message::Turn { ended: pid, status, forked: pid },
            protocol::Message::Region { pid, region, is_unordered: wait },
        ] {
            let decoded = protocol::Message::decode(&message.encode(token));
            prop_assert_eq!(decoded, Some((token, message)));
        }
    }

    // The name of a benchmark as a filter selects the benchmark.
    #[test]
    fn filters(name in "[a-z:]{1,20}") {
        prop_assert!(iai_callgrind_plan::filter::selects(&name, &plan::name("file::group", Some(&name))));
    }
}
