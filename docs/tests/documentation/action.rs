//! The action in this repository and the workflow that comments for it: every command in them runs.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use crate::ci::{repository, steps};
use crate::document::{Document, root};
use crate::lab::{Lab, prepend_to_path};

/// A job on a machine of GitHub's.
struct Job<'a> {
    lab: &'a Lab,
    /// The directory of caches.
    directory: PathBuf,
}

impl Job<'_> {
    /// Runs a step as the service does.
    fn run(&self, step: &str, variables: &[(&str, &str)]) -> Output {
        const BASH: &str = "PATH=\"$DIRECTORY/runner/bin:$PATH\" \
                            exec bash --noprofile --norc -e -o pipefail -c \"$STEP\"";
        let mut shell = self.lab.shell();
        prepend_to_path(&mut shell, &self.lab.path("bin"));
        for (name, file) in [
            ("GITHUB_OUTPUT", "outputs.txt"),
            ("GITHUB_PATH", "path.txt"),
            ("GITHUB_ENV", "environment.txt"),
            ("GITHUB_STEP_SUMMARY", "summary.md"),
        ] {
            shell.env(name, self.lab.path(file));
        }
        shell
            .args(["-c", BASH])
            .env("STEP", step)
            .env("GITHUB_ACTION_PATH", root())
            .env("RUNNER_TEMP", self.lab.path("temporary"))
            .env("DIRECTORY", &self.directory)
            .envs(variables.iter().copied());
        shell.output().expect("a shell can be run")
    }

    fn succeed(&self, step: &str, variables: &[(&str, &str)]) {
        let output = self.run(step, variables);
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        assert!(
            output.status.success(),
            "{step}\n{}{}",
            text(&output.stdout),
            text(&output.stderr)
        );
    }

    fn read(&self, file: &str) -> String {
        fs::read_to_string(self.lab.path(file)).unwrap_or_default()
    }
}

/// Writes a program of the lab.
fn program(lab: &Lab, name: &str, script: &str) {
    let path = format!("bin/{name}");
    lab.write(&path, &format!("#!/bin/sh\n{script}\n"));
    fs::set_permissions(lab.path(&path), fs::Permissions::from_mode(0o755)).unwrap();
}

fn checkout(lab: &Lab, branch: &str) {
    let mut git = Command::new("git");
    git.args(["checkout", "--quiet", branch]).current_dir(lab.path(""));
    assert!(git.status().expect("git can be run").success());
}

#[test]
#[ignore = "guide"]
fn the_action_compares_with_the_default_branch() {
    let lab = repository("action");
    let action = fs::read_to_string(root().join("action.yml")).unwrap();
    let steps = steps(&action);
    let [setup, valgrind, runner, benchmarks, report, comment] = &steps[..] else {
        panic!("{steps:#?}");
    };
    let job = Job { lab: &lab, directory: lab.path("target/cache") };
    fs::create_dir_all(lab.path("temporary")).unwrap();
    // What the workspace has built already
    symlink(root().join("target"), lab.path("temporary/iai-callgrind-runner")).unwrap();

    job.succeed(setup, &[]);
    let outputs = job.read("outputs.txt");
    for output in ["runner=Linux-", "system=Linux-", "compiler=rustc_", "directory=/"] {
        assert_eq!(outputs.lines().filter(|line| line.starts_with(output)).count(), 1, "{outputs}");
    }

    // On a machine without Valgrind
    let sent = lab.path("sent.txt");
    let sudo = format!(
        "echo \"$*\" >> '{}'\ncase \"$*\" in *download-only*) : > '{}/valgrind/valgrind.deb';; esac",
        sent.display(),
        job.directory.display()
    );
    program(&lab, "sudo", &sudo);
    for name in ["mkdir", "rm", "bash", "sh"] {
        symlink(Path::new("/bin").join(name), lab.path("bin").join(name)).unwrap();
    }
    let bin = lab.path("bin");
    let path = [("PATH", bin.to_str().unwrap())];
    job.succeed(valgrind, &path);
    let first = job.read("sent.txt");
    let cached = job.directory.join("valgrind");
    let expected = format!(
        "apt-get update\napt-get install --yes --download-only --option Dir::Cache::archives={0} valgrind\n\
         rm -rf {0}/lock {0}/partial\napt-get install --yes {0}/valgrind.deb\n",
        cached.display()
    );
    assert_eq!(first, expected);
    // From the cache
    job.succeed(valgrind, &path);
    assert_eq!(
        job.read("sent.txt"),
        format!("{expected}apt-get install --yes {}/valgrind.deb\n", cached.display())
    );
    for name in ["mkdir", "rm", "bash", "sh"] {
        fs::remove_file(lab.path("bin").join(name)).unwrap();
    }

    job.succeed(runner, &[]);
    let path = job.directory.join("runner/bin");
    assert!(path.join("iai-callgrind-runner").is_file());
    assert_eq!(job.read("path.txt"), format!("{}\n", path.display()));

    // The default branch, then a change
    // Block scalars have several lines, and a newline at the end
    let inputs = [
        ("ARGUMENTS", "--bench\nmy_benchmark\n"),
        ("OPTIONS", "--parallel=1\n--nosummary\n"),
        ("LIMITS", "bcm=50%\nir=5%\n"),
    ];
    checkout(&lab, "main");
    job.succeed(benchmarks, &inputs);
    job.succeed(report, &[]);
    assert!(job.read("summary.md").contains("2 new"), "{}", job.read("summary.md"));
    checkout(&lab, "change");
    assert!(!job.run(benchmarks, &inputs).status.success(), "a limit is broken");
    job.succeed(report, &[]);
    let summary = job.read("summary.md");
    assert!(summary.contains("**1 exceeded a limit**, 1 unchanged in "), "{summary}");
    fs::remove_file(&sent).unwrap();
    program(&lab, "gh", &format!("echo \"gh $*\" >> '{}'", sent.display()));
    job.succeed(comment, &[("PULL_REQUEST", "7")]);
    let body = job.directory.join("report/report.md");
    let expected =
        format!("gh pr comment 7 --edit-last --create-if-none --body-file {}\n", body.display());
    assert_eq!(job.read("sent.txt"), expected);
    assert!(fs::read_to_string(body).unwrap().contains("**1 exceeded a limit**"));
}

#[test]
#[ignore = "guide"]
fn a_comment_on_a_pull_request_from_a_fork() {
    let lab = repository("fork");
    let chapter = Document::read("docs/src/action.md");
    let workflow = &chapter.blocks("yaml,file=.github/workflows/comment.yml")[0].text;
    assert!(!workflow.contains("actions/checkout"), "nothing of the fork is there");
    let steps = steps(workflow);
    let [download, find, comment] = &steps[..] else { panic!("{steps:#?}") };
    for step in &steps {
        assert!(!step.contains("${{"), "values of the event are not in commands: {step}");
    }
    let job = Job { lab: &lab, directory: lab.path("target/cache") };
    let sent = lab.path("sent.txt");
    program(
        &lab,
        "gh",
        &format!(
            "echo \"gh $*\" >> '{0}'\ncase \"$1 $2\" in\n\
             'run download') mkdir report; echo 'faster, @everyone' > report/report.md;;\n\
             'api --method') printf '6 other\\n7 abc\\n';;\n\
             'pr comment') cat comment.md >> '{0}';;\nesac",
            sent.display()
        ),
    );
    let hostile = "someone:$(touch hostile)";
    let variables = [("RUN", "12"), ("GH_REPO", "a/b"), ("HEAD", hostile), ("COMMIT", "abc")];
    job.succeed(download, &variables);
    job.succeed(find, &variables);
    assert_eq!(job.read("environment.txt"), "PULL_REQUEST=7\n");
    job.succeed(comment, &[("PULL_REQUEST", "7")]);
    let sent = job.read("sent.txt");
    assert!(sent.contains(&format!("--raw-field head={hostile} --jq")), "{sent}");
    assert!(!lab.path("hostile").exists());
    let end = "gh pr comment 7 --edit-last --create-if-none --body-file comment.md\nfaster, &#64;everyone\n";
    assert!(sent.ends_with(end), "{sent}");

    // The author has pushed again
    fs::remove_file(lab.path("environment.txt")).unwrap();
    job.succeed(find, &[("RUN", "12"), ("GH_REPO", "a/b"), ("HEAD", "x"), ("COMMIT", "older")]);
    assert_eq!(job.read("environment.txt"), "");
    // A link in the place of the report
    let report = lab.path("report/report.md");
    fs::remove_file(&report).unwrap();
    symlink("/etc/hostname", &report).unwrap();
    assert!(!job.run(comment, &[("PULL_REQUEST", "7")]).status.success());
}
