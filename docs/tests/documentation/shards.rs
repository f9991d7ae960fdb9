//! The workflows with shards of the chapter on CI: each job runs as often as the service starts it.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::process::Command;

use crate::ci::{repository, steps};
use crate::document::{Document, root};
use crate::lab::{Lab, prepend_to_path};

/// The number of shards in the workflows.
const SHARDS: usize = 5;

/// A job of a workflow: all of its commands, for which a shell runs each step.
pub(crate) struct Job<'a> {
    pub(crate) lab: &'a Lab,
    pub(crate) steps: Vec<String>,
}

impl Job<'_> {
    /// Runs the steps up to the first one that fails. Returns the output of that step.
    pub(crate) fn run(&self, home: &str, variables: &[(&str, &str)]) -> Result<(), String> {
        for step in &self.steps {
            let mut shell = self.lab.shell_with_results_in(home);
            prepend_to_path(&mut shell, &self.lab.path("bin"));
            // The shells of both services stop at the first command that fails
            shell.args(["-e", "-c", step]).envs(variables.iter().copied());
            let output = shell.output().unwrap();
            if !output.status.success() {
                let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
                let (stdout, stderr) = (text(&output.stdout), text(&output.stderr));
                return Err(format!("{step}\n{}\n{stdout}{stderr}", output.status));
            }
        }
        Ok(())
    }
}

/// Returns the lab and the two jobs of the workflow in this file: that of a shard, and the one that starts with this line.
fn workflow<'a>(lab: &'a Lab, file: &str, second: &str) -> [Job<'a>; 2] {
    let chapter = Document::read("docs/src/ci.md");
    let workflow = &chapter.blocks(&format!("yaml,file={file}"))[0].text;
    let (first, second) = workflow.split_once(second).expect("the second job");
    [first, second].map(|job| Job { lab, steps: steps(job) })
}

/// Returns a repository with a runner in `PATH`, as the workflows install it.
pub(crate) fn repository_with_runner(name: &str) -> Lab {
    let lab = repository(name);
    let runner = root().join("target/release/iai-callgrind-runner");
    symlink(runner, lab.path("bin/iai-callgrind-runner")).unwrap();
    lab
}

/// Writes a `cargo` that installs nothing.
pub(crate) fn pretend_installation(lab: &Lab) {
    let cargo = Command::new("sh").args(["-c", "command -v cargo"]).output().unwrap();
    let cargo = String::from_utf8(cargo.stdout).unwrap();
    let script = format!("#!/bin/sh\ntest \"$1\" = install || exec '{}' \"$@\"\n", cargo.trim());
    lab.write("bin/cargo", &script);
    let executable = fs::Permissions::from_mode(0o755);
    fs::set_permissions(lab.path("bin/cargo"), executable).unwrap();
}

/// Runs the second job over the archives of the first one: all of them, and then without those of a shard.
fn merge(report: &Job<'_>, variables: &[(&str, &str)], printed: &str) {
    let lab = report.lab;
    let failed = report.run("merged", variables).unwrap_err();
    assert!(failed.contains("exit status: 3"), "{failed}");
    let text = fs::read_to_string(lab.path(printed)).unwrap();
    assert!(text.contains("my_benchmark::functions::bench_fibonacci"), "{text}");
    assert!(text.contains("+61.8 % (limit +5 %)"), "{text}");

    fs::remove_file(lab.path("archives/change-2.tar.gz")).unwrap();
    let failed = report.run("incomplete", variables).unwrap_err();
    let error = "can't import the baseline `change` without shard 2/5 of ";
    assert!(failed.contains(error), "{failed}");
}

#[test]
#[ignore = "guide"]
fn the_shards_on_github() {
    let lab = repository_with_runner("github-shards");
    let [shards, report] = workflow(&lab, ".github/workflows/shards.yml", "\n  report:\n");
    for number in 1..=SHARDS {
        let (number, shard) = (number.to_string(), format!("{number}/{SHARDS}"));
        let variables = [("BASE", "main"), ("SHARD", &number), ("IAI_CALLGRIND_SHARD", &shard)];
        shards.run(&format!("target/benchmarks-{number}"), &variables).unwrap();
    }
    assert_eq!(fs::read_dir(lab.path("archives")).unwrap().count(), 2 * SHARDS);
    merge(&report, &[("GITHUB_STEP_SUMMARY", "summary.md")], "summary.md");
}

#[test]
#[ignore = "guide"]
fn the_shards_on_gitlab() {
    let lab = repository_with_runner("gitlab-shards");
    pretend_installation(&lab);
    let [shards, report] = workflow(&lab, "shards.gitlab-ci.yml", "\nreport:\n");
    for number in 1..=SHARDS {
        let (number, total) = (number.to_string(), SHARDS.to_string());
        let variables = [
            ("CI_MERGE_REQUEST_DIFF_BASE_SHA", "main"),
            ("CI_COMMIT_SHA", "change"),
            ("CI_NODE_INDEX", &number),
            ("CI_NODE_TOTAL", &total),
        ];
        shards.run(&format!("benchmarks/{number}"), &variables).unwrap();
    }
    merge(&report, &[], "report.xml");
}
