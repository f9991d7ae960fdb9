//! Finds the dumps of the region among those of a process.

use std::fs;

use super::*;
use crate::stable_path::StablePath;
use crate::tool::CodeFiles;

/// Merges the region of a process with these dumps: number, trigger and instructions.
fn merge_region(dumps: &[(&str, &str, u64)]) -> Result<Profile, String> {
    let directory = tempfile::tempdir().unwrap();
    let process = directory.path().join("7");
    for (number, trigger, count) in dumps {
        let body =
            if *count == 0 { "fn=f\ngarbage".to_owned() } else { format!("fn=f\n1 {count}") };
        let text = format!(
            "pid: 7\ncmd: /link x\ndesc: Trigger: Client Request: {trigger}\nevents: Ir\n\
             {body}\ntotals: {count}\n"
        );
        fs::write(directory.path().join(format!("7.out{number}")), text).unwrap();
    }
    let to = process.with_extension("result");
    let mut writer = ProfileWriter::new(&to, ProfileDetails::default());
    let processes = Processes {
        main: &process,
        others: &[],
        is_command: false,
        log: &process,
        options: &LaunchOptions::default(),
        link: &StablePath::default(),
        code: &CodeFiles::default(),
        needs_call_graph: false,
        needs_addresses: false,
    };
    add_region(&processes, &mut writer)
        .and_then(|()| Ok(writer.finish()?))
        .map_err(|error| error.to_string())
}

fn label(label: &CStr) -> &str {
    label.to_str().unwrap()
}

#[test]
fn dumps_outside_of_the_region_are_not_read() {
    let (begin, end) = (label(BEGIN.label), label(END.label));
    let dumps = [
        (".1", "setup", 0),
        (".2", begin, 0),
        (".3", "of the benchmark", 5),
        (".10", end, 7),
        (".11", "teardown", 0),
        ("", "at the end", 0),
    ];
    let profile = merge_region(&dumps).unwrap();
    assert_eq!(profile.total.count(MetricKind::Ir), Some(12));
}

#[test]
fn a_region_without_a_mark_at_its_start_has_all_dumps_before_its_end() {
    let end = label(END.label);
    for (dumps, expected) in [
        (&[(".1", end, 7), (".2", "teardown", 1), ("", "at the end", 0)][..], 7),
        (&[(".1", "of the benchmark", 5), (".2", end, 7), ("", "at the end", 0)], 12),
        (&[(".1-01", end, 5), (".1-02", end, 7), (".2-01", "teardown", 1)], 12),
        // It ran twice
        (&[(".1", end, 7), (".2", label(BEGIN.label), 0), (".3", end, 9)], 7),
    ] {
        let profile = merge_region(dumps).unwrap();
        assert_eq!(profile.total.count(MetricKind::Ir), Some(expected), "{dumps:?}");
    }
}

#[test]
fn the_region_ends_with_the_dumps_of_all_threads() {
    let (begin, end) = (label(BEGIN.label), label(END.label));
    let dumps = [
        (".1-01", begin, 0),
        (".1-02", begin, 0),
        (".2-01", end, 5),
        (".2-02", end, 7),
        (".3-01", "teardown", 0),
    ];
    let profile = merge_region(&dumps).unwrap();
    assert_eq!(profile.total.count(MetricKind::Ir), Some(12));
}

#[test]
fn a_region_that_starts_again_contains_its_last_start() {
    let (begin, end) = (label(BEGIN.label), label(END.label));
    let dumps = [(".1", begin, 1), (".2", "x", 5), (".3", begin, 9), (".4", end, 7)];
    let profile = merge_region(&dumps).unwrap();
    assert_eq!(profile.total.count(MetricKind::Ir), Some(7));
}

#[test]
fn a_region_without_end_is_an_error() {
    for dumps in [&[(".1", label(BEGIN.label), 1), (".2", "x", 5)][..], &[("", "x", 1)], &[]] {
        let error = merge_region(dumps).unwrap_err();
        assert_eq!(error, "the benchmark ended its process before it returned");
    }
}

#[test]
fn an_entry_point_of_a_command_drops_what_came_before() {
    let entered = |dump: &Path| {
        let name = dump.to_string_lossy().into_owned();
        Ok(Some(name).filter(|name| name.chars().all(|it| it.is_alphabetic() || it == '_')))
    };
    let after = |dumps: &[&str]| {
        let rest = from_entry(dumps.iter().map(PathBuf::from).collect(), &entered).unwrap();
        rest.iter().map(|dump| dump.to_string_lossy().into_owned()).collect::<Vec<_>>()
    };
    assert_eq!(after(&["1", "_Fork", "main", "2", "main", "3"]), ["2", "main", "3"]);
    assert!(after(&["1", "fork", "2"]).is_empty());
}

fn patterns(owner: &str, name: &str) -> Vec<String> {
    symbols(&MeasuredFunction { owner: owner.to_owned(), name: name.to_owned() }).collect()
}

#[test]
fn names_beyond_ascii_and_digits_are_escaped_by_legacy_mangling() {
    assert_eq!(patterns("a::f", "f"), ["a::f::f", "<a::f>::f", "<a::f>::f::<*>"]);
    let first = ["1st::f::f", "<1st::f>::f", "<1st::f>::f::<*>", "_1st::f::f"];
    assert_eq!(patterns("1st::f", "f"), first);
    assert_eq!(
        patterns("größe::日本", "日本"),
        [
            "größe::日本::日本",
            "<größe::日本>::日本",
            "<größe::日本>::日本::<*>",
            "gr$uf6$$udf$e::$u65e5$$u672c$::$u65e5$$u672c$",
        ]
    );
}
