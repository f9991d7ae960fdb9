//! The workflow that builds the runner for a release, the metadata by which `cargo binstall` finds it, and the actions that
//! workflows use.

use std::fs;
use std::process::Command;

use regex_lite::Regex;

use crate::document::root;

/// The runner's package and executable.
const RUNNER: &str = "iai-callgrind-runner";

fn read(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap()
}

/// Returns the value of a key in the runner's metadata for `cargo binstall`.
fn metadata(key: &str) -> String {
    let manifest = read("iai-callgrind-runner/Cargo.toml");
    let (_, section) = manifest.split_once("[package.metadata.binstall]\n").expect("the metadata");
    let section = section.split("\n[").next().unwrap_or_default();
    let value = section.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(" = "));
    value.unwrap_or_else(|| panic!("no {key}")).trim_matches('"').to_owned()
}

/// Returns the lines of the workflow that start with this, without it.
fn values(workflow: &str, start: &str) -> Vec<String> {
    let lines = workflow.lines().filter_map(|line| line.trim_start().strip_prefix(start));
    lines.map(ToOwned::to_owned).collect()
}

#[test]
fn the_workflow_builds_the_archives_that_the_metadata_names() {
    let workflow = read(".github/workflows/release.yml");
    let targets = values(&workflow, "- target: ");
    assert_eq!(targets, ["x86_64-unknown-linux-gnu", "aarch64-unknown-linux-gnu"]);
    assert_eq!(values(&workflow, "tags: "), ["[\"v*\"]"]);
    let [package] = &values(&workflow, "- run: tar ")[..] else { panic!("a step that packs") };
    let [upload] = &values(&workflow, "- run: gh release upload ")[..] else { panic!("an upload") };
    let url = metadata("pkg-url");
    assert_eq!(metadata("pkg-fmt"), "tgz");
    for target in targets {
        let of_target = |text: &str| text.replace("${{ matrix.target }}", &target);
        let archive = url.replace("{ name }", RUNNER).replace("{ target }", &target);
        let archive = archive.strip_prefix("{ repo }/releases/download/v{ version }/").unwrap();
        assert_eq!(of_target(upload), format!("${{{{ github.ref_name }}}} {archive}"));

        // The step packs what the build leaves, so that it is where the metadata says
        let directory = std::env::temp_dir().join(format!("{archive}-{}", std::process::id()));
        let built = directory.join("target").join(&target).join("release");
        fs::create_dir_all(&built).unwrap();
        fs::write(built.join(RUNNER), "").unwrap();
        let script = format!("tar {} && tar -tf {archive}", of_target(package));
        let output = Command::new("sh").args(["-ec", &script]).current_dir(&directory).output();
        fs::remove_dir_all(&directory).unwrap();
        let packed = String::from_utf8(output.unwrap().stdout).unwrap();
        let expected = metadata("bin-dir").replace("{ bin }", RUNNER).replace("{ binary-ext }", "");
        assert_eq!(packed.trim(), expected);
    }
}

#[test]
fn the_workflow_builds_the_runner_optimized() {
    let workflow = read(".github/workflows/release.yml");
    let [build] = &values(&workflow, "- run: cargo build ")[..] else { panic!("a build") };
    for argument in [
        "--locked",
        "--release",
        "--config profile.release.opt-level=3",
        "--target ${{ matrix.target }}",
    ] {
        assert!(build.contains(argument), "{argument}: {build}");
    }
}

#[test]
fn actions_of_others_are_pinned() {
    let mut git = Command::new("git");
    let output = git.args(["ls-files", "*.yml", "*.md"]).current_dir(root()).output().unwrap();
    let pinned = Regex::new(r"^[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$").unwrap();
    let mut actions = 0;
    for file in String::from_utf8(output.stdout).unwrap().lines() {
        let text = read(file);
        let lines = text.lines().map(|line| line.trim_start().trim_start_matches("- "));
        for action in lines.filter_map(|line| line.strip_prefix("uses: ")) {
            // The reader replaces both
            let is_ours = action == "OWNER/iai-callgrind@REF";
            assert!(is_ours || pinned.is_match(action), "{file}: {action}");
            actions += 1;
        }
    }
    assert!(actions > 20, "{actions}");
}
