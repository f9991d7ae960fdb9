//! Names, values and output of others: no control character and no command of a CI service reaches the terminal or a report.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use end_to_end_tests::{Run, Suite, clean, git, run, runner, tree, write_tree};
use iai_callgrind_render::format::FORMATS;
use serde_json::{Value, json};

const NOTES: &str = "refs/notes/iai-callgrind";
const FIVE: &str = "numbers::fibonacci::five";

/// The title of the window, a return, lines that are commands of GitHub, `TeamCity` and Azure, a colour, and text in the other
/// direction.
const HOSTILE: &str = "x\u{1b}]0;x\u{7}\r\n::error::x\n  ::add-mask::x\n##teamcity[x] ##vso[x]\n##[error]\u{9b}35m\u{1b}[35m\u{202e}x\u{1b}[31mx";

/// Returns the same on one line.
fn on_one_line() -> String {
    HOSTILE.replace('\n', " ")
}

/// Escape sequences of the runner's styles.
const STYLES: [&str; 9] = ["0", "1", "31", "32", "34", "36", "90", "91", "92"];

/// Demands that a text has no hidden character and no command.
#[track_caller]
fn assert_visible(text: &str, place: &str) {
    let mut plain = text.to_owned();
    for style in STYLES {
        plain = plain.replace(&format!("\u{1b}[{style}m"), "");
    }
    let is_hidden = |character: char| match character {
        '\n' | '\t' => false,
        '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => true,
        character => character.is_control(),
    };
    let found = plain.find(is_hidden);
    assert_eq!(found.map(|start| &plain[start..]), None, "{place}: {plain:?}");
    for line in plain.lines() {
        let is_command = ["##[", "##vso[", "##teamcity["].iter().any(|start| line.contains(start));
        assert!(!is_command && !line.trim_start().starts_with("::"), "{place}: {line:?}");
    }
}

/// Runs the runner with colours, and demands that what it prints is visible.
#[track_caller]
fn visible(directory: &Path, home: &Path, arguments: &[&str]) -> Run {
    let mut command = Command::new(runner());
    clean(&mut command).args(arguments).current_dir(directory);
    command.env("IAI_CALLGRIND_HOME", home).env("IAI_CALLGRIND_COLOR", "always");
    command.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_SYSTEM", "/dev/null");
    let run = run(&mut command);
    assert_visible(&run.stdout, &format!("standard output of {arguments:?}"));
    assert_visible(&run.stderr, &format!("standard error of {arguments:?}"));
    run
}

/// Does the same, and demands that a part of the hostile text is shown.
#[track_caller]
fn shown(directory: &Path, home: &Path, arguments: &[&str]) -> Run {
    let run = visible(directory, home, arguments);
    let text = format!("{}{}", run.stdout, run.stderr);
    assert!(text.contains("error"), "{arguments:?} shows it: {text}");
    run
}

/// Returns a repository whose commit and notes have this text everywhere.
fn repository(suite: &Suite) -> PathBuf {
    let directory = suite.subdirectory("repository");
    let _ = git(&directory, &["init", "--quiet"]);
    let name = format!("user.name={}", on_one_line());
    for count in [100, 200, 300] {
        let commit = ["commit", "--quiet", "--allow-empty", "--message", &on_one_line()];
        let _ = git(&directory, &[&["-c", &name], &commit[..]].concat());
        let environment = if count == 300 { "e" } else { HOSTILE };
        let result = |name: &str, count: u64| {
            let values = json!({ "Ir": count, HOSTILE: count });
            json!({
                "format": 1, "package": HOSTILE, "name": name, "tool": "callgrind",
                "environment": environment, "values": values,
            })
        };
        let name = format!("{HOSTILE}::a::b");
        let lines = [
            json!({
                "format": 1, "environment": environment,
                "fingerprint": { HOSTILE: format!("{HOSTILE}{count}"), "clock": HOSTILE },
            }),
            result(&name, count),
            result(&format!("{HOSTILE}::c"), count),
            result(&format!("{HOSTILE}::c"), count + 1),
        ];
        let lines = lines.map(|line| line.to_string()).join("\n");
        let note = format!("{lines}\n{}\n", on_one_line());
        fs::write(suite.root().join("note"), note).expect("a file");
        let file = suite.root().join("note");
        let file = file.to_str().expect("UTF-8");
        let _ = git(&directory, &["notes", "--ref", NOTES, "add", "--file", file]);
    }
    directory
}

#[test]
fn notes_and_commits_are_shown_without_control_characters() {
    let (order, _) = Suite::after("order", &["five"]);
    let (directory, home) = (repository(&order), order.home());
    let history = shown(&directory, &home, &["history"]).expect(0);
    assert!(history.stdout.contains("other environment: "), "{}", history.stdout);
    assert!(history.stderr.contains("different values"), "{}", history.stderr);
    let json = shown(&directory, &home, &["history", "--json"]).expect(0);
    let json: Value = serde_json::from_str(&json.stdout).expect("JSON");
    assert_eq!(
        json["commits"][0]["subject"].as_str().map(|subject| subject.contains("\\u{1b}]0")),
        Some(true)
    );
    // The similar names are those of notes
    let _ = visible(&directory, &home, &["history", "x]0;xx"]).expect(1);
    let _ = git(&directory, &["notes", "--ref", NOTES, "remove", "HEAD~1"]);
    let gap = visible(&directory, &home, &["history", "--metric=ir"]).expect(0);
    assert!(gap.stderr.contains("--bench="), "{}", gap.stderr);
    order.measured_at(&directory);
    let _ = in_repository(&directory, &home);
    order.pretend(FIVE, 7);
    let pages = order.root().join("pages");
    let mut report = Command::new(runner());
    clean(&mut report).args(["report", "--html"]).arg(&pages).current_dir(&directory);
    let _ = run(report.env("IAI_CALLGRIND_HOME", &home)).expect(0);
    assert_pages(&pages);
}

/// Records the results, so that the pages have the history.
fn in_repository(directory: &Path, home: &Path) -> Run {
    let mut command = Command::new(runner());
    clean(&mut command).arg("record").current_dir(directory).env("IAI_CALLGRIND_HOME", home);
    command.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_SYSTEM", "/dev/null");
    run(&mut command).expect(0)
}

/// Demands that all files of pages are visible.
#[track_caller]
fn assert_pages(directory: &Path) {
    let files = tree(directory);
    assert!(files.keys().any(|path| path.contains("index")), "{:?}", files.keys());
    for (path, content) in files {
        let text = String::from_utf8(content).expect("UTF-8");
        assert!(!text.contains('\u{1b}'), "{path}");
        assert_visible(&text, &path);
    }
}

#[test]
fn directories_and_fingerprints_of_results_are_shown_without_control_characters() {
    let (order, _) = Suite::with_two_baselines();
    let (root, home) = (order.root(), order.home());
    let mut files = tree(&order.directory().join("numbers"));
    for (path, content) in &mut files {
        if path.contains("base@b") && path.ends_with(".fingerprint.json") {
            let mut fingerprint: Value = serde_json::from_slice(content).expect("JSON");
            fingerprint["clock"] = json!(HOSTILE);
            *content = fingerprint.to_string().into_bytes();
        }
    }
    // A name of a directory has no slash
    write_tree(&home.join(HOSTILE).join(HOSTILE).join(HOSTILE), &files);
    let _ = fs::remove_dir_all(home.join("benchmark-tests"));
    let _ = shown(root, &home, &["list"]).expect(0);
    let _ = shown(root, &home, &["compare", "a", "b"]).expect(0);
    let _ = visible(root, &home, &["explain", "a", "--load-baseline=b"]);
    let _ = visible(root, &home, &["annotate", "five"]);
    let _ = visible(root, &home, &["flamegraph"]);
    let _ = visible(root, &home, &["history"]);
    for format in FORMATS.iter().map(|format| format.name) {
        let _ = visible(
            root,
            &home,
            &["report", "--load-baseline=b", "--baseline=a", "--format", format],
        )
        .expect(0);
    }
    let _ = visible(root, &home, &["record"]);
    // Errors name paths
    for (path, _) in tree(&home)
        .into_iter()
        .filter(|(path, _)| Path::new(path).extension().is_some_and(|extension| extension == "out"))
    {
        fs::write(home.join(path), on_one_line()).expect("a file");
    }
    let _ = visible(root, &home, &["report", "--load-baseline=b", "--baseline=a"]).expect(1);
}

#[test]
fn summaries_and_archives_of_others_are_shown_without_control_characters() {
    let (order, _) = Suite::after("order", &["five"]);
    let (root, home) = (order.root(), order.home());
    let report = Command::new(runner())
        .args(["report", "--format=json", "--home"])
        .arg(&home)
        .output()
        .expect("the runner");
    let mut summary: Value = serde_json::from_slice(&report.stdout).expect("a summary");
    for name in ["name", "package", "file", "group", "function", "id", "target", "arguments"] {
        summary[name] = json!(HOSTILE);
    }
    let mut failed = summary.clone();
    failed["status"] = json!("failed");
    failed["error"] = json!(HOSTILE);
    failed["name"] = json!("error");
    let counts = &mut summary["tools"][0]["total"]["Ir"];
    counts["label"] = json!(HOSTILE);
    counts["old"] = json!(1);
    let change = json!([{ "name": HOSTILE, "old": HOSTILE, "new": "x" }]);
    summary["tools"][0]["environment_changes"] = change;
    let path = root.join("summary.json");
    fs::write(&path, format!("{summary}\n{failed}\n")).expect("a file");
    let path = path.to_str().expect("UTF-8");
    for format in FORMATS.iter().map(|format| format.name) {
        let report = shown(root, &home, &["report", path, "--format", format]).expect(0);
        assert!(!report.stdout.contains('\u{1b}'), "{format}: {}", report.stdout);
    }
    let pages = root.join("pages");
    let html = pages.to_str().expect("UTF-8");
    let _ = run(Command::new(runner()).args(["report", path, "--html", html])).expect(0);
    assert_pages(&pages);

    summary["status"] = json!(HOSTILE);
    fs::write(path, summary.to_string()).expect("a file");
    let _ = visible(root, &home, &["report", path]).expect(1);
    for (name, manifest) in [
        ("format", json!({ "version": HOSTILE })),
        (
            "file",
            json!({
                "version": 1, "runner": HOSTILE, "baseline": "b",
                "files": [{ "path": HOSTILE, "size": 1, "checksum": HOSTILE }],
            }),
        ),
    ] {
        let directory = order.subdirectory(name);
        fs::write(directory.join("manifest.json"), manifest.to_string()).expect("a file");
        let mut tar = Command::new("tar");
        tar.args(["-czf", "archive.tar.gz", "manifest.json"]).current_dir(&directory);
        let _ = run(&mut tar).expect(0);
        let _ = shown(&directory, &home, &["import", "archive.tar.gz"]).expect(1);
    }
}

#[test]
fn commands_that_are_measured_are_shown_without_control_characters() {
    let suite = Suite::new("order");
    let (root, home) = (suite.root(), suite.home());
    let script = root.join("script");
    fs::write(&script, format!("printf '%s' '{HOSTILE}'; printf '%s' '{HOSTILE}' >&2; exit $1"))
        .expect("a file");
    let script = script.to_str().expect("UTF-8");
    let failed = visible(root, &home, &["exec", "--", "sh", script, "3", HOSTILE]).expect(1);
    assert!(failed.stderr.contains("    \\::error::x"), "{}", failed.stderr);
    let shown = ["exec", "--nocapture", "--", "sh", script, "0"];
    let mut command = Command::new(runner());
    clean(&mut command).args(shown).current_dir(root);
    let shown = run(command.env("IAI_CALLGRIND_HOME", &home).env("IAI_CALLGRIND_COLOR", "always"));
    let shown = shown.expect(0).stdout;
    assert!(shown.contains("\u{1b}[35m"), "colours of the command are its own: {shown:?}");
    assert_visible(&shown.replace("\u{1b}[35m", ""), "captured output");
    assert!(shown.contains("\n\\::error::x\n"), "{shown:?}");
}

#[test]
fn errors_of_the_command_line_are_visible() {
    let (order, _) = Suite::after("order", &[]);
    let home = order.home();
    let (format, path) = (format!("--format={HOSTILE}"), format!("--report=xml:{HOSTILE}"));
    for arguments in [&["report", &format][..], &["list", "--x", HOSTILE], &[HOSTILE]] {
        let _ = visible(order.root(), &home, arguments).expect(2);
    }
    let run = order.run(&[&path]).expect(2);
    assert_visible(&run.stderr, "an option of a run");
    run.complains(&["error: invalid value 'xml:x\\u{1b}", "\\::error::x"]);
    let mut variable = order.command();
    let run = self::run(variable.env("IAI_CALLGRIND_SHARD", HOSTILE)).expect(2);
    assert_visible(&run.stderr, "a variable");
}
