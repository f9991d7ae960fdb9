//! The workflows that publish pages: they measure two commits, push the history and leave a site.

use std::fs;
use std::process::Command;

use crate::ci::steps;
use crate::document::Document;
use crate::lab::Lab;
use crate::shards::{Job, pretend_installation, repository_with_runner};

/// Runs git in the lab and returns its output.
fn git(lab: &Lab, arguments: &[&str]) -> String {
    let mut git = Command::new("git");
    let output = git.args(arguments).current_dir(lab.path("")).output().expect("git can be run");
    assert!(output.status.success(), "{git:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// Returns a lab whose repository has a remote one next to it, in place of this address.
fn published(name: &str, address: &str) -> Lab {
    let lab = repository_with_runner(name);
    git(&lab, &["config", "core.excludesFile", lab.path(".git/ignored").to_str().unwrap()]);
    lab.write(".git/ignored", "/public\n/remote\n");
    let remote = lab.path("remote");
    git(&lab, &["init", "--quiet", "--bare", remote.to_str().unwrap()]);
    git(&lab, &["remote", "add", "origin", address]);
    git(&lab, &["config", &format!("url.{}.insteadOf", remote.display()), address]);
    // Cargo removes from the lock file what the lab does not need. Nothing is downloaded, not even what other systems need
    let mut shell = lab.shell();
    shell.args(["-c", "cargo update --workspace --offline"]);
    assert!(shell.status().expect("cargo can be run").success());
    let identity = ["-c", "user.name=Lab", "-c", "user.email=lab@localhost"];
    git(&lab, &[&identity[..], &["commit", "--quiet", "--all", "--amend", "--no-edit"]].concat());
    lab
}

/// Runs the workflow in this file, and checks the site in this directory and the history of the remote repository.
fn run(lab: &Lab, file: &str, variables: &[(&str, &str)], site: &str) {
    let chapter = Document::read("docs/src/pages.md");
    let workflow = &chapter.blocks(&format!("yaml,file={file}"))[0].text;
    let job = Job { lab, steps: steps(workflow) };
    job.run("results", variables).unwrap();
    let start = fs::read_to_string(lab.path(site).join("index.html")).unwrap();
    assert!(start.contains(">1 worse</span>") && start.contains(">1 unchanged</span>"), "{start}");
    let commit = git(lab, &["rev-parse", "HEAD"]);
    let notes = ["--git-dir=remote", "notes", "--ref=refs/notes/iai-callgrind", "list"];
    let recorded = git(lab, &notes);
    assert_eq!(recorded.lines().count(), 1, "{recorded}");
    assert!(recorded.contains(commit.trim()), "{recorded}");
}

#[test]
#[ignore = "guide"]
fn the_workflow_for_github_pages() {
    let lab = published("github-pages", "https://localhost/group/project.git");
    run(&lab, ".github/workflows/pages.yml", &[], "target/pages");
}

#[test]
#[ignore = "guide"]
fn the_workflow_for_gitlab_pages() {
    let lab = published("gitlab-pages", "https://token:secret@localhost/group/project.git");
    pretend_installation(&lab);
    let directory = lab.path("");
    let variables = [
        ("HISTORY_TOKEN", "secret"),
        ("CI_SERVER_HOST", "localhost"),
        ("CI_PROJECT_PATH", "group/project"),
        ("CI_PROJECT_DIR", directory.to_str().unwrap()),
    ];
    run(&lab, "pages.gitlab-ci.yml", &variables, "public");
}
