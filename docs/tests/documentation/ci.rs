//! The workflows of the chapter on CI: every command in them runs, on a change that makes a benchmark slower.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::Command;

use crate::document::Document;
use crate::lab::{Lab, prepend_to_path};

/// Programs that do nothing in a lab, because it has what they would install, or no service to talk to. They
/// write down what they were called with, and what they would send.
const PRETENDED: [(&str, &str); 4] =
    [("sudo", ":"), ("apt-get", ":"), ("gh", "cat report.md"), ("curl", "cat report.md")];

/// Returns the steps of a workflow in their order: each is what one shell runs.
pub(crate) fn steps(workflow: &str) -> Vec<String> {
    let mut steps: Vec<String> = Vec::new();
    let mut lines = workflow.lines().peekable();
    let indentation = |line: &str| line.len() - line.trim_start().len();
    while let Some(line) = lines.next() {
        let key = line.trim_start().trim_start_matches("- ");
        let outer = indentation(line);
        let mut inner = Vec::new();
        if key == "run: |" || key == "script:" || key == "after_script:" {
            while let Some(line) = lines.next_if(|line| indentation(line) > outer) {
                inner.push(line.trim_start().trim_start_matches("- "));
            }
            steps.push(inner.join("\n"));
        } else if let Some(command) = key.strip_prefix("run: ") {
            steps.push(command.to_owned());
        }
    }
    steps
}

/// Returns a lab with a repository of two commits, of which the second makes a benchmark slower.
pub(crate) fn repository(name: &str) -> Lab {
    let lab = Lab::new(name, &[]);
    lab.write(
        ".gitignore",
        "/target\n/reports\n/benchmarks\n/archives\n/merged\n/incomplete\n/bin\n/report.*\n/summary.md\n/sent.txt\n",
    );
    for (program, script) in PRETENDED {
        let script = format!(
            "#!/bin/sh\n{{ echo \"$(basename \"$0\") $*\"; {script}; }} >> '{}'\n",
            lab.path("sent.txt").display()
        );
        let path = format!("bin/{program}");
        lab.write(&path, &script);
        fs::set_permissions(lab.path(&path), fs::Permissions::from_mode(0o755)).unwrap();
    }
    let git = |arguments: &[&str]| {
        let mut git = Command::new("git");
        let identity = ["-c", "user.name=Lab", "-c", "user.email=lab@localhost"];
        git.args(identity).args(arguments).current_dir(lab.path(""));
        let output = git.output().expect("git can be run");
        assert!(output.status.success(), "{git:?}: {}", String::from_utf8_lossy(&output.stderr));
    };
    git(&["init", "--quiet", "--initial-branch=main"]);
    git(&["add", "--all"]);
    git(&["commit", "--quiet", "--message=base"]);
    git(&["checkout", "--quiet", "-b", "change"]);
    let file = "benches/my_benchmark.rs";
    let benchmark = fs::read_to_string(lab.path(file)).unwrap();
    lab.write(file, &benchmark.replace("#[bench::short(10)]", "#[bench::short(11)]"));
    git(&["commit", "--quiet", "--all", "--message=change"]);
    lab
}

/// Runs the steps of the workflow in this file. Returns what was sent, and which steps failed.
fn run(lab: &Lab, file: &str, variables: &[(&str, &str)]) -> (String, Vec<usize>) {
    let chapter = Document::read("docs/src/ci.md");
    let workflow = &chapter.blocks(&format!("yaml,file={file}"))[0].text;
    let mut failed = Vec::new();
    let steps = steps(workflow);
    for (number, step) in steps.iter().enumerate() {
        let mut shell = lab.shell();
        prepend_to_path(&mut shell, &lab.path("bin"));
        shell.args(["-e", "-c", step]).envs(variables.iter().copied());
        let output = shell.output().unwrap();
        if !output.status.success() {
            failed.push(number);
            let stdout = String::from_utf8_lossy(&output.stdout);
            let is_regression = stdout.contains("limit exceeded: Instructions");
            assert!(is_regression, "{step}\n{stdout}{}", String::from_utf8_lossy(&output.stderr));
        }
    }
    let sent = fs::read_to_string(lab.path("sent.txt")).unwrap();
    let headline = ": my_benchmark`, commits ";
    let worst = "; worst: `my_benchmark::functions::bench_fibonacci::short`, Instructions +";
    let cause = "\n\n1. the same lines make other calls of my_benchmark::fibonacci\n";
    let row = "\n\n| Benchmark | Metric | Old | New | Change | Cause |\n| --- | --- | --: | --: | --: | --- |\n\
        | `my_benchmark::functions::bench_fibonacci::short` | Instructions | 1,734 | ";
    assert!([headline, worst, cause, row].iter().all(|part| sent.contains(part)), "{sent}");
    (sent, failed)
}

#[test]
#[ignore = "guide"]
fn the_workflow_for_github() {
    let lab = repository("github");
    let variables = [("PULL_REQUEST", "7"), ("GITHUB_STEP_SUMMARY", "summary.md")];
    let (sent, failed) = run(&lab, ".github/workflows/benchmarks.yml", &variables);
    assert_eq!(failed, [1], "that which benchmarks the change");
    assert!(
        sent.contains("gh pr comment 7 --edit-last --create-if-none --body-file report.md\n❌ **1 exceeded a limit**, 1 unchanged in `github: my_benchmark`, ")
    );
    assert!(
        fs::read_to_string(lab.path("summary.md"))
            .unwrap()
            .starts_with("❌ **1 exceeded a limit**, 1 unchanged in `github: my_benchmark`, ")
    );
}

#[test]
#[ignore = "guide"]
fn the_workflow_for_gitlab() {
    let lab = repository("gitlab");
    let directory = lab.path("");
    let variables = [
        ("CI_MERGE_REQUEST_DIFF_BASE_SHA", "main"),
        ("CI_PROJECT_DIR", directory.to_str().unwrap()),
        ("CI_API_V4_URL", "https://localhost/api/v4"),
        ("CI_PROJECT_ID", "1"),
        ("CI_MERGE_REQUEST_IID", "2"),
        ("BENCHMARKS_TOKEN", "token"),
    ];
    let (sent, failed) = run(&lab, ".gitlab-ci.yml", &variables);
    assert_eq!(failed, [0], "the script, not what comes after it");
    assert!(
        sent.contains(
            "https://localhost/api/v4/projects/1/merge_requests/2/notes\n❌ **1 exceeded a limit**"
        ),
        "{sent}"
    );
    let junit = fs::read_to_string(directory.join("reports/gitlab-my_benchmark.xml")).unwrap();
    assert!(junit.contains(r#"tests="2" failures="1" errors="0""#), "{junit}");
}
