//! The user's repository is the same after `--against` and `bisect`, and files outside of it are found.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

use end_to_end_tests::{assert_unchanged, git, objects, run, script, tree};

use crate::against::{CHEAP, DEAR, Project, library};

/// A build script that notes the commit of the work tree that it is built in.
const BUILD_SCRIPT: &str = r#"
use std::io::Write;
fn main() {
    println!("cargo::rerun-if-changed=src/lib.rs");
    let git = std::process::Command::new("git").args(["rev-parse", "HEAD"]).output().unwrap();
    let file = std::fs::OpenOptions::new().append(true).create(true).open(NOTES);
    file.unwrap().write_all(&git.stdout).unwrap();
}
"#;

/// Files next to the repository: a crate, a text, and an `origin` that is a submodule.
struct Surroundings {
    directory: tempfile::TempDir,
}

impl Surroundings {
    fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let write = |path: &str, text: &str| {
            let path = directory.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        let manifest = "[package]\nname = \"against-sibling\"\nversion = \"0.1.0\"\n";
        write("sibling/Cargo.toml", manifest);
        write("sibling/src/lib.rs", "pub const STEP: u64 = 31;\n");
        write("text", "31");
        write("origin/src/lib.rs", "pub const START: u64 = 0;\n");
        write("origin/Cargo.toml", &manifest.replace("sibling", "module"));
        let origin = directory.path().join("origin");
        for arguments in [&["init"][..], &["add", "."], &["commit", "--message=module"]] {
            let _ = git(&origin, arguments);
        }
        Self { directory }
    }

    /// Returns the path of a file, relative to another directory for temporary files.
    fn relative(&self, path: &str) -> String {
        let name = self.directory.path().file_name().unwrap().to_str().unwrap();
        format!("../{name}/{path}")
    }

    fn path(&self, path: &str) -> String {
        self.directory.path().join(path).to_str().unwrap().to_owned()
    }
}

/// Adds paths that lead out of the project, and files that could be changed by accident.
fn entangle(project: &Project, surroundings: &Surroundings) {
    let manifest = fs::read_to_string(project.root.directory().join("Cargo.toml")).unwrap();
    let dependencies = format!(
        "[dependencies]\nagainst-sibling = {{ path = {:?} }}\nagainst-module = {{ path = \"module\" }}\n",
        surroundings.relative("sibling")
    );
    project.root.write("Cargo.toml", &format!("{manifest}exclude = [\"module\"]\n{dependencies}"));
    let notes = format!("const NOTES: &str = {:?};{BUILD_SCRIPT}", surroundings.path("commits"));
    project.root.write("build.rs", &notes);
    let origin = surroundings.path("origin");
    let add =
        ["-c", "protocol.file.allow=always", "submodule", "--quiet", "add", &origin, "module"];
    let _ = project.git(&add);
    project.step(CHEAP);
}

/// Returns a library that uses everything outside of it.
fn entangled(step: &str, surroundings: &Surroundings) -> String {
    let text = format!("include_str!(\"../{}\")", surroundings.relative("text"));
    let start = format!("{text}.len() as u64 - 2 + against_module::START");
    library(&step.replace("31", "against_sibling::STEP")).replace("0_u64", &start)
}

/// Returns a command that a hook of git starts in the user's work tree, and that accepts submodules in directories.
fn from_hook(command: &mut Command, top: &Path) -> end_to_end_tests::Run {
    command.env("GIT_DIR", top.join(".git")).env("GIT_WORK_TREE", top);
    command.env("GIT_INDEX_FILE", top.join(".git/index"));
    command.env("GIT_CONFIG_COUNT", "1").env("GIT_CONFIG_KEY_0", "protocol.file.allow");
    run(command.env("GIT_CONFIG_VALUE_0", "always")).expect(0)
}

#[test]
fn nothing_in_the_repository_changes() {
    check_repository(&Project::new("against-unchanged"), "");
}

#[test]
fn nothing_changes_without_mounts() {
    check_repository(&Project::new("against-mirrored"), "mirror");
}

/// Checks what `--against` and `bisect` find and leave, with another revision that programs see in this place.
fn check_repository(project: &Project, place: &str) {
    let surroundings = Surroundings::new();
    entangle(project, &surroundings);
    project.root.write("src/lib.rs", &entangled(CHEAP, &surroundings));
    let top = project.root.directory();
    let _ = run(&mut project.bench(&["--list"])).expect(0);
    project.commit("cheap");
    project.root.write("src/lib.rs", &entangled(DEAR, &surroundings));
    project.commit("dear");

    // A work tree with staged work, whose disk is not there at the moment
    let (away, gone) = (surroundings.path("away"), surroundings.path("gone"));
    project.git(&["worktree", "add", "--quiet", &away, "HEAD~1"]);
    fs::write(Path::new(&away).join("staged"), "work").unwrap();
    let _ = git(Path::new(&away), &["add", "staged"]);
    fs::rename(&away, &gone).unwrap();
    // Programs that git would start
    let ran = surroundings.path("ran");
    fs::create_dir_all(top.join(".git/hooks")).unwrap();
    for hook in ["post-checkout", "post-index-change", "fsmonitor"] {
        script(&top.join(".git/hooks").join(hook), &format!("echo {hook} >> {ran}"));
    }
    project.git(&["config", "core.fsmonitor", top.join(".git/hooks/fsmonitor").to_str().unwrap()]);
    // For git's commands, but not for those of the runner in another work tree
    project.git(&["config", "submodule.recurse", "true"]);
    let _ = fs::remove_file(&ran);
    let _ = fs::remove_file(surroundings.path("commits"));

    let before = tree(&top.join(".git"));
    let arguments = ["--against=HEAD~1", "--output-format=json", "short"];
    let hook =
        |mut command: Command| from_hook(command.env("IAI_CALLGRIND_AGAINST_PLACE", place), top);
    let compared = hook(project.bench(&arguments));
    let counts = |summary: &serde_json::Value| {
        let count = &summary["tools"][0]["total"]["Ir"];
        let text = summary["package"].as_str().unwrap().to_owned();
        (text, [&count["new"], &count["old"]].map(|count| count.as_u64().unwrap()))
    };
    let compared: BTreeMap<_, _> = objects(&compared.stdout).iter().map(counts).collect();
    let [new, old] = compared[project.name()];
    assert!(new > old, "{compared:?}");
    assert_unchanged(&before, &tree(&top.join(".git")));
    // Cargo built this side before, and the build script of the other one has asked for its own commit
    let commits = fs::read_to_string(surroundings.path("commits")).unwrap();
    let commits: Vec<_> = commits.lines().collect();
    let parent = git(top, &["--no-optional-locks", "rev-parse", "HEAD~1"]);
    assert_eq!(commits.last(), Some(&parent.trim()), "{commits:?}");

    let bisect = ["bisect", "HEAD~1", "HEAD", "short"];
    let found = hook(project.subcommand(&bisect));
    assert!(found.stdout.lines().next().unwrap().ends_with(" dear"), "{}", found.stdout);
    assert_unchanged(&before, &tree(&top.join(".git")));
    assert!(!Path::new(&ran).exists(), "{}", fs::read_to_string(&ran).unwrap());

    fs::rename(&gone, &away).unwrap();
    let status = git(Path::new(&away), &["status", "--porcelain"]);
    assert_eq!(status, "A  staged\n");
}

#[test]
fn a_dependency_that_is_not_there_is_named() {
    let surroundings = Surroundings::new();
    let project = Project::new("against-missing");
    let manifest = fs::read_to_string(project.root.directory().join("Cargo.toml")).unwrap();
    let path = surroundings.relative("sibling");
    let missing = format!("[dependencies]\nagainst-sibling = {{ path = {path:?} }}\n");
    project.root.write("Cargo.toml", &format!("{manifest}{missing}"));
    project.commit("with a dependency");
    project.root.write("Cargo.toml", &manifest);
    project.commit("without");
    let [sibling, moved] = ["sibling", "moved"].map(|name| surroundings.path(name));
    fs::rename(&sibling, &moved).unwrap();
    let against = || run(&mut project.bench(&["short", "--against=HEAD~1"]));
    let failed = against();
    let expected = [
        "failed to load manifest for dependency `against-sibling`\n",
        &format!("`{sibling}/Cargo.toml`"),
        "help: a path that leads out of the repository starts at your work tree; put the missing",
    ];
    for part in expected {
        assert!(failed.code != Some(0) && failed.stderr.contains(part), "{}", failed.stderr);
    }
    // What the help says
    fs::rename(&moved, &sibling).unwrap();
    let _ = against().expect(0);
}

/// Benchmarks whose counts depend on where literals and locations of panics are.
const SENSITIVE: &str = r#"
use std::hint::black_box;

use iai_callgrind::{library_benchmark, library_benchmark_group, main};

const TEXT: &str = "name=value; other=another value; last=the end of it\n";

#[library_benchmark]
#[bench::find("end")]
#[bench::none("nowhere")]
#[bench::equals("=")]
fn position(word: &str) -> Option<usize> {
    black_box(TEXT).find(black_box(word))
}

#[library_benchmark]
#[bench::fields(';')]
#[bench::lines('\n')]
fn split(by: char) -> usize {
    black_box(TEXT).split(by).map(str::len).max().expect("there is one")
}

#[library_benchmark]
#[bench::first(0)]
#[bench::last(50)]
fn index(at: usize) -> u8 {
    black_box(TEXT).as_bytes()[black_box(at)]
}

#[library_benchmark]
fn path() -> usize {
    black_box(LIBRARY::path()).split('/').filter(|part| !part.is_empty()).count()
}

#[library_benchmark]
fn caught() -> bool {
    std::panic::set_hook(Box::new(|panic| {
        black_box(panic.location().map(|location| location.file().len()));
    }));
    std::panic::catch_unwind(|| black_box(TEXT).parse::<u64>().unwrap()).is_err()
}

#[library_benchmark]
fn format() -> String {
    format!("{}:{}: {:?}", file!(), line!(), black_box(TEXT))
}

library_benchmark_group!(name = all; benchmarks = position, split, index, path, caught, format);
main!(library_benchmark_groups = all);
"#;

/// The path of the package, which has another length in a mirror. It is in the library, because each literal moves those
/// of its crate that come after it.
const PATH: &str = r#"
#[inline(never)]
pub fn path() -> &'static str {
    env!("CARGO_MANIFEST_DIR")
}
"#;

/// Compares a commit with itself. Returns the names of the benchmarks, and those of the metrics that differ.
fn differences(place: &str, name: &'static str) -> (usize, Vec<String>) {
    let project = Project::new(name);
    let file = project.root.file();
    let sensitive = SENSITIVE.replace("LIBRARY", &name.replace('-', "_"));
    project.root.write(&format!("benches/{file}.rs"), &sensitive);
    project.root.write("src/lib.rs", &(library(CHEAP) + PATH));
    project.commit("literals and locations");
    let mut command = project.bench(&["--against=HEAD", "--output-format=json"]);
    let same = run(command.env("IAI_CALLGRIND_AGAINST_PLACE", place)).expect(0);
    let summaries = objects(&same.stdout);
    let differences = summaries.iter().flat_map(|summary| {
        let metrics = summary["tools"][0]["total"].as_object().unwrap().iter();
        let differs = metrics.filter(|(_, metric)| metric["new"] != metric["old"]);
        differs.map(|(metric, counts)| format!("{} {metric} {counts}", summary["function"]))
    });
    (summaries.len(), differences.collect())
}

#[test]
fn a_commit_counts_the_same_as_itself() {
    let (number, differences) = differences("", "against-itself");
    assert!(number >= 10 && differences.is_empty(), "{number}: {differences:#?}");
}

#[test]
fn a_commit_counts_the_same_as_itself_without_mounts() {
    let (number, mut differences) = differences("mirror", "against-itself-mirrored");
    let all = differences.len();
    // It counts the directories in its path. The literals after this longer one are in other cache lines
    differences
        .retain(|difference| difference.contains(" Ir ") && !difference.starts_with("\"path\" "));
    assert!(number >= 10 && differences.is_empty() && all > 0, "{number}: {differences:#?}");
}
