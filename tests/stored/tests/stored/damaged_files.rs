//! Each file of a stored result, damaged in each way that a file can be.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

use end_to_end_tests::{Run, Suite, objects, stored};
use serde_json::Value;

const BENCHMARK: &str = "in_file::kinds::bytes";

/// A way in which a file is damaged, given by its path and what it should contain.
type Damage = (&'static str, fn(&Path, &[u8]));

/// Ways in which something else is at the place of a file.
const KINDS: [Damage; 3] = [
    ("directory", |path, _| fs::create_dir(path).unwrap()),
    ("link to nothing", |path, _| symlink("nothing", path).unwrap()),
    ("pipe", |path, _| assert!(Command::new("mkfifo").arg(path).status().unwrap().success())),
];

/// Ways in which the content is not that of the runner.
const CONTENTS: [Damage; 6] = [
    ("empty", |path, _| fs::write(path, "").unwrap()),
    ("half", |path, text| fs::write(path, &text[..text.len() / 2]).unwrap()),
    ("one line", |path, _| fs::write(path, "7".repeat(10_000_000)).unwrap()),
    ("not UTF-8", |path, text| {
        let (start, end) = text.split_at(text.len() / 2);
        fs::write(path, [start, b"\xff\xfe", end].concat()).unwrap();
    }),
    ("numbers beyond 64 bits", |path, _| write_number(path, "99999999999999999999")),
    ("not a number", |path, _| write_number(path, "NaN")),
];

/// Writes JSON that has a number where the files of results have a text, a list or a smaller number.
fn write_number(path: &Path, number: &str) {
    let fields = ["commit", "compiler", "size", "benchmarks", "measured"];
    let fields = fields.map(|field| format!("\"{field}\":{number}"));
    fs::write(path, format!("{{{}}}", fields.join(","))).unwrap();
}

/// A damaged file of the baseline `b`, which is restored afterwards.
struct Lab {
    suite: Suite,
    path: PathBuf,
    content: Option<Vec<u8>>,
}

impl Lab {
    /// Returns the baselines `a` and `b` of one benchmark with this file, given by its path in the directory of the benchmark
    /// file.
    fn new(file: &str) -> Self {
        let suite = Suite::new("throughput");
        for baseline in ["a", "b"] {
            let save = format!("--save-baseline={baseline}");
            let _ = suite.run(&["*::kinds::bytes", &save]).expect(0);
        }
        let path = suite.directory().join(file);
        let content = fs::read(&path).ok();
        Self { suite, path, content }
    }

    fn of_result(tool: &str, extension: &str) -> Self {
        Self::new(&format!("in_file/kinds.bytes/{tool}.kinds.bytes.base@b.{extension}"))
    }

    /// Damages the file, runs the commands, and puts it back.
    fn each(&self, damages: &[Damage], check: impl Fn(&str)) {
        let text = self.content.as_deref().unwrap_or(b"{\"a\": 1}");
        for (name, damage) in damages {
            let _ = fs::remove_file(&self.path);
            damage(&self.path, text);
            check(name);
            if self.path.is_dir() {
                fs::remove_dir(&self.path).unwrap();
            } else {
                fs::remove_file(&self.path).unwrap();
            }
            if let Some(content) = &self.content {
                fs::write(&self.path, content).unwrap();
            }
        }
    }

    fn stored(&self, arguments: &[&str]) -> Run {
        stored(&self.suite.home(), arguments)
    }

    /// Returns the run of a command that must end with this exit code and name the file and a remedy.
    fn named(&self, arguments: &[&str], code: i32, damage: &str) -> Run {
        let run = self.stored(arguments);
        let path = self.path.to_str().expect("UTF-8");
        let errors = &run.stderr;
        assert!(
            errors.contains(path) && errors.contains("\nhelp: "),
            "{damage} {arguments:?}: {errors}"
        );
        assert!(errors.len() < 2000, "{damage}: {} bytes", errors.len());
        run.expect(code)
    }
}

const COMPARE: [&str; 3] = ["compare", "a", "b"];
const REPORT: [&str; 4] = ["report", "--baseline=a", "--load-baseline=b", "--format=json"];
const EXPLAIN: [&str; 3] = ["explain", "a", "--load-baseline=b"];
const ANNOTATE: [&str; 4] = ["annotate", "--load-baseline=b", "--baseline=a", "bytes"];

#[test]
fn a_result_with_a_damaged_file_is_an_error() {
    for extension in ["out", "log", "fingerprint.json", "amounts.json"] {
        let lab = Lab::of_result("callgrind", extension);
        lab.each(&[&KINDS[..], &CONTENTS].concat(), |damage| {
            // A log is for people, but for its start
            if extension == "log" && ["half", "not UTF-8"].contains(&damage) {
                return;
            }
            let table = lab.named(&COMPARE, 1, damage).stdout;
            assert!(!table.contains(BENCHMARK), "{extension} {damage}: {table}");
        });
        let archive = lab.suite.root().join("b.tar.gz");
        lab.each(&[KINDS[1], CONTENTS[0]], |damage| {
            let report = objects(&lab.named(&REPORT, 1, damage).stdout).remove(0);
            assert_eq!(report["status"], "failed", "{report:#}");
            assert_eq!(report["tools"], Value::Array(Vec::new()), "{report:#}");
            let export = ["export", "--baseline=b", archive.to_str().expect("UTF-8")];
            for arguments in [&EXPLAIN[..], &ANNOTATE, &export] {
                let _ = lab.named(arguments, 1, damage);
            }
            assert!(!archive.exists());
            let run = lab.suite.run(&["*::kinds::bytes", "--baseline=b"]).expect(1);
            run.complains(&[lab.path.to_str().unwrap(), "help: "]);
        });
    }
}

#[test]
fn a_damaged_time_is_named() {
    let lab = Lab::of_result("time", "json");
    lab.each(&KINDS, |damage| {
        let help = "help: make it readable, or remove it to start again without it\n";
        lab.named(&COMPARE, 1, damage).complains(&["error: can't read ", help]);
    });
    lab.each(&CONTENTS, |damage| drop(lab.named(&COMPARE, 1, damage)));
}

#[test]
fn a_damaged_table_is_the_reason_for_no_explanation() {
    let lab = Lab::of_result("callgrind", "table");
    lab.each(&[&KINDS[..], &CONTENTS].concat(), |damage| {
        let explained = lab.stored(&EXPLAIN).expect(0).stdout;
        let reason = "the table of the new result can't be used: ";
        assert!(explained.contains(reason), "{damage}: {explained}");
    });
    lab.each(&CONTENTS[..1], |_| {
        let lines = lab.stored(&ANNOTATE).expect(0).stdout;
        assert!(lines.contains("can't be used: it is damaged: "), "{lines}");
    });
}

#[test]
fn a_damaged_commit_is_named_by_reports() {
    let lab = Lab::of_result("callgrind", "commit.json");
    let pages = lab.suite.root().join("pages");
    let to_pages = format!("--html={}", pages.display());
    lab.each(&[&KINDS[..], &CONTENTS].concat(), |damage| {
        let _ = fs::remove_dir_all(&pages);
        let _ = lab.named(&["report", &to_pages, "--baseline=a", "--load-baseline=b"], 1, damage);
        let start = fs::read_to_string(pages.join("index.html")).expect("pages");
        assert!(start.contains("kinds"), "{damage}: {start}");
        let report = lab.named(&REPORT, 1, damage).stdout;
        assert_eq!(objects(&report).len(), 1, "{damage}: {report}");
    });
}

#[test]
fn damaged_files_of_a_directory_are_named() {
    for file in [".benchmarks.json", "../../.format-version"] {
        let lab = Lab::new(file);
        let lab = Lab { path: lab.path.canonicalize().unwrap(), ..lab };
        lab.each(&[&KINDS[..], &CONTENTS].concat(), |damage| {
            // The version without its newline is the version
            if file.ends_with("version") && damage == "half" {
                return;
            }
            for arguments in [&["list"][..], &["prune"]] {
                let run = lab.stored(arguments).expect(1);
                assert!(run.stdout.is_empty(), "{damage} {arguments:?}: {}", run.stdout);
                run.complains(&["error: ", "\nhelp: "]);
                assert!(run.stderr.len() < 1000, "{damage}: {} bytes", run.stderr.len());
            }
        });
    }
}
