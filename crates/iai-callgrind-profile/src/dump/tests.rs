//! Reads real profiles, and damaged ones.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs::{self, File};
use std::path::Path;

use tempfile::TempDir;

use super::*;
use crate::fixtures::{damage, fixtures};

/// Formats a dump as a fixture's `.parsed` file does.
fn describe(part: &DumpHeader, totals: &Metrics) -> String {
    let mut text = String::new();
    let mut line = |name: &str, value: Option<String>| {
        writeln!(text, "{name}: {}", value.as_deref().unwrap_or("none")).unwrap();
    };
    let metrics = |metrics: &Metrics| {
        metrics
            .events()
            .map(|(kind, value)| format!("{kind}={value}"))
            .collect::<Vec<_>>()
            .join(" ")
    };
    line("creator", part.creator.clone());
    line("pid", part.pid.map(|number| number.to_string()));
    line("part", part.number.map(|number| number.to_string()));
    line("thread", part.thread.map(|number| number.to_string()));
    line("command", part.command.clone());
    line("trigger", part.trigger.clone());
    line("positions", Some(part.positions.join(" ")));
    line("summary", part.summary.as_ref().map(metrics));
    line("totals", Some(metrics(totals)));
    text
}

/// Reads a dump to its end.
fn read(path: &Path) -> Result<(DumpHeader, Metrics)> {
    let mut dump = Dump::open_merged(path)?;
    while dump.next(&mut |_, _| Ok(()))? {}
    let totals = dump.totals()?.clone();
    Ok((dump.header, totals))
}

/// Parses a dump with this content.
fn parse(content: impl AsRef<[u8]>) -> Result<(DumpHeader, Metrics), String> {
    let directory = TempDir::new().unwrap();
    let path = directory.path().join("x.out");
    fs::write(&path, content).unwrap();
    let prefix = directory.path().display().to_string() + "/";
    read(&path).map_err(|error| error.to_string().replace(&prefix, ""))
}

#[test]
fn fixtures_parse_to_the_files_next_to_them() {
    for path in fixtures() {
        let expected = fs::read_to_string(path.with_extension("parsed")).unwrap_or_default();
        let (header, totals) = read(&path).unwrap();
        assert_eq!(describe(&header, &totals), expected, "{}", path.display());
    }
}

#[test]
fn every_truncation_is_an_error() {
    let directory = TempDir::new().unwrap();
    let copy = directory.path().join("x.out");
    for path in fixtures() {
        let content = fs::read(&path).unwrap();
        fs::write(&copy, &content).unwrap();
        let file = File::options().write(true).open(&copy).unwrap();
        let line_ends = (0..content.len()).filter(|&at| content[at] == b'\n');
        let end_of_totals = content.len() - 50..content.len();
        let lengths: BTreeSet<_> = line_ends.chain(end_of_totals).collect();
        // From the longest, so that it is written once
        for length in lengths.into_iter().rev() {
            file.set_len(length as u64).unwrap();
            let error = read(&copy).unwrap_err().to_string();
            assert!(error.contains("x.out:"), "{error}");
        }
    }
}

#[test]
fn garbage_in_any_field_changes_no_count() {
    for path in fixtures() {
        let content = fs::read(&path).unwrap();
        let (_, right) = read(&path).unwrap();
        for (damaged, field) in damage(&content) {
            let in_totals = field.starts_with("totals");
            match parse(damaged) {
                Err(error) => assert!(error.starts_with("x.out:"), "{error}"),
                Ok((_, totals)) => {
                    assert!(!in_totals && totals == right, "{field}");
                }
            }
        }
    }
}

#[test]
fn old_profiles_without_the_first_lines() {
    let (part, totals) = parse("events: Ir\nfn=main\n1 5\ntotals: 5\n").unwrap();
    assert_eq!(totals.count(MetricKind::Ir), Some(5));
    assert_eq!((part.creator, part.pid, part.summary), (None, None, None));
    assert_eq!(part.positions, ["line"]);
}

#[test]
fn names_of_any_encoding() {
    let (part, _) = parse(b"cmd: \xff x\nevents: Ir\nfn=(1) \xfe\n1 5\ntotals: 5\n").unwrap();
    assert_eq!(part.command.as_deref(), Some("\u{fffd} x"));
}

#[test]
fn causes_of_a_dump() {
    let trigger = |cause: &str| {
        parse(format!("desc: Trigger: {cause}\nevents: Ir\ntotals: 0\n")).unwrap().0.trigger
    };
    assert_eq!(trigger("Client Request: a label: x"), Some("a label: x".to_owned()));
    assert_eq!(trigger("Client Request"), Some(String::new()));
    assert_eq!(trigger("Program termination"), None);
    let entered = |cause: &str| {
        let text = format!("desc: Trigger: {cause}\nevents: Ir\ntotals: 0\n");
        parse(text).unwrap().0.entered
    };
    assert_eq!(entered("--dump-before=a::main"), Some("a::main".to_owned()));
    assert_eq!(entered("Client Request: a::main"), None);
}

#[test]
fn damaged_dumps_and_their_errors() {
    for (content, error) in [
        ("", "x.out:1: the file ends before its `totals:` line"),
        ("events: Ir\nfn=a\n1 2\n", "x.out:3: the file ends before its `totals:` line"),
        ("events: Ir\ntotals: 12", "x.out:2: the file ends in the middle of this line"),
        ("no profile\n", "x.out:1: `no profile` doesn't belong to a header"),
        ("fn=a\n", "x.out:1: the header has no `events:` line"),
        ("totals: 1\n", "x.out:1: there is no `events:` line before this one"),
        ("events: Ir\n1 2\npid: 3\n", "x.out:3: `pid: 3` doesn't belong among the costs"),
        ("version: 2\n", "x.out:1: version `2` of the format is not known"),
        ("pid: x\n", "x.out:1: `x` of `pid:` is not a number"),
        ("positions: page\n", "x.out:1: the position `page` is not known"),
        ("\nevents: Ir Foo\n", "x.out:2: the event `Foo` is not known"),
        ("events: Ir\nevents: Ir\n", "x.out:2: the events are listed a second time"),
        ("events: Ir\ntotals: 1 2\n", "x.out:2: there are 2 counts for 1 events"),
        ("events: Ir\nsummary: 1x\n", "x.out:2: `1x` is not a count"),
    ] {
        assert_eq!(parse(content).unwrap_err(), error);
    }
}

#[test]
fn several_parts_in_one_file() {
    let part = "part: 1\nevents: Ir\n1 2\ntotals: 2\n";
    let error = parse(part.repeat(2)).unwrap_err();
    assert!(error.starts_with("x.out:5: the file goes on after its `totals:`"), "{error}");
}

#[test]
fn a_file_that_can_not_be_read() {
    let missing = read(Path::new("/nonexistent/x.out")).unwrap_err().to_string();
    assert!(missing.starts_with("can't read /nonexistent/x.out: No such file"), "{missing}");
    let directory = read(Path::new("/")).unwrap_err().to_string();
    assert!(directory.starts_with("can't read /: "), "{directory}");
}

#[test]
fn a_line_without_end() {
    let mut content = b"cmd: ".to_vec();
    content.resize(17 << 20, b'x');
    let error = parse(content).unwrap_err();
    assert!(error.starts_with("x.out:1: this line is longer than 16 MiB"), "{error}");
}
