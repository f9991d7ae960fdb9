//! Other revisions of a crate of a user: `--against`, `bisect` and `history`.

use std::collections::BTreeMap;
use std::fs;
use std::io::ErrorKind;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::{Command, Stdio};

use end_to_end_tests::{
    FreshCrate, ProcessGroup, Report, Run, assert_unchanged, clean, git, objects, run, runner, tree,
};

/// Returns a benchmark file of a crate with this name.
fn benchmark(crate_: &str) -> String {
    format!(
        "use iai_callgrind::{{library_benchmark, library_benchmark_group, main}};\n\
         #[library_benchmark]\n#[bench::short(10)]\n#[bench::long(1000)]\n\
         fn run(n: u64) -> u64 {{ std::hint::black_box({crate_}::work(n)) }}\n\
         library_benchmark_group!(name = group; benchmarks = run);\n\
         main!(library_benchmark_groups = group);\n"
    )
}

const PROFILE: &str = "[lib]\nbench = false\n[profile.bench]\ndebug = 1\ncodegen-units = 1\n";

/// Returns a library with this expression in a loop.
pub(crate) fn library(step: &str) -> String {
    format!(
        "pub fn work(n: u64) -> u64 {{\n    let mut sum = 0_u64;\n    for i in 0..n {{\n        \
         sum = {step};\n    }}\n    sum\n}}\n"
    )
}

pub(crate) const CHEAP: &str = "sum.wrapping_mul(31).wrapping_add(i)";
pub(crate) const DEAR: &str =
    "sum.wrapping_mul(31).wrapping_add(i).rotate_left(7) ^ i.wrapping_mul(sum)";

/// Makes cargo build revisions in a mirror into the directory of those in mounts, so that it builds their dependencies
/// once.
fn share_builds_with_mirrors() {
    let directory = FreshCrate::target().join("iai/.against");
    fs::create_dir_all(directory.join("target")).unwrap();
    // Another test can be first
    match symlink("target", directory.join("target-mirrored")) {
        Err(error) if error.kind() != ErrorKind::AlreadyExists => panic!("{error}"),
        _ => {}
    }
}

/// A workspace with two packages in a git repository, with a commit.
pub(crate) struct Project {
    pub(crate) root: FreshCrate,
}

impl Project {
    pub(crate) fn new(name: &'static str) -> Self {
        share_builds_with_mirrors();
        let other = format!("{name}-two");
        let manifest = format!("{PROFILE}[workspace]\nmembers = [\"two\"]\n");
        let crate_ = name.replace('-', "_");
        let root = FreshCrate::new(name, &benchmark(&crate_), &manifest);
        let main = fs::read_to_string(root.directory().join("Cargo.toml")).unwrap();
        let main = main.split("[profile.bench]").next().unwrap();
        root.write("two/Cargo.toml", &main.replace(&format!("{name:?}"), &format!("{other:?}")));
        let file = root.file();
        root.write(&format!("two/benches/{file}.rs"), &benchmark(&other.replace('-', "_")));
        for path in ["src/lib.rs", "two/src/lib.rs"] {
            root.write(path, &library(CHEAP));
        }
        root.write(".gitignore", "target\n");
        let project = Self { root };
        project.git(&["init"]);
        // The versions of the lock file are those of the crate from now on
        let _ = run(&mut project.bench(&["--list"])).expect(0);
        project.commit("first");
        project
    }

    /// Runs git as a user without a configuration, and returns its output.
    pub(crate) fn git(&self, arguments: &[&str]) -> String {
        git(self.root.directory(), arguments)
    }

    pub(crate) fn commit(&self, message: &str) {
        let _ = self.git(&["add", "."]);
        let _ = self.git(&["commit", "--message", message]);
    }

    pub(crate) fn step(&self, step: &str) {
        self.root.write("src/lib.rs", &library(step));
    }

    pub(crate) fn bench(&self, arguments: &[&str]) -> Command {
        self.bench_in(self.root.directory(), arguments)
    }

    fn bench_in(&self, directory: &Path, arguments: &[&str]) -> Command {
        let mut command = self.root.cargo_bench();
        command.current_dir(directory).args(["--workspace", "--"]).args(arguments);
        command.env("IAI_CALLGRIND_RUNNER", runner());
        command
    }

    pub(crate) fn subcommand(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(runner());
        clean(&mut command).current_dir(self.root.directory()).args(arguments);
        command.arg("--home").arg(self.root.results().parent().unwrap());
        command.args(["--bench", &self.root.file(), "--package", self.name()]);
        command
    }

    pub(crate) fn name(&self) -> &str {
        self.root.results().file_name().unwrap().to_str().unwrap().to_owned().leak()
    }

    /// Records the commits of the range that was measured, forgets some, and runs the command that `history` prints.
    fn the_printed_command_fills_a_gap(&self) {
        let range = "HEAD~7..HEAD~1";
        let recorded =
            run(&mut self.subcommand(&["history", range, "short", "--record"])).expect(0);
        assert_eq!(recorded.stderr.matches("recorded ").count(), 6, "{}", recorded.stderr);
        let notes = "--ref=refs/notes/iai-callgrind";
        let _ = self.git(&["notes", notes, "remove", "HEAD~2", "HEAD~3"]);
        let show = || {
            let mut command = Command::new(runner());
            let command = clean(&mut command).args(["history", range]);
            run(command.current_dir(self.root.directory())).expect(0)
        };
        let history = show();
        assert!(history.stdout.contains(", 2 commits are not recorded\n"), "{}", history.stdout);
        let (_, help) = history.stderr.split_once("with `iai-callgrind-runner ").unwrap();
        let words: Vec<_> = help.trim_end().trim_end_matches('`').split(' ').collect();
        let mut command = Command::new(runner());
        let command = clean(&mut command).current_dir(self.root.directory()).args(words);
        let filled = run(command.env("IAI_CALLGRIND_HOME", self.root.results().parent().unwrap()));
        let filled = filled.expect(0);
        assert_eq!(filled.stderr.matches("recorded ").count(), 2, "{}", filled.stderr);
        assert!(!filled.stdout.contains("not recorded"), "{}", filled.stdout);
        let history = show();
        let steps: Vec<_> = history.stdout.lines().filter(|line| line.contains(" → ")).collect();
        // The command has no filter, so that it records both benchmarks
        let is_cause = |step: &&str| step.ends_with("commit 7");
        assert!(steps.len() == 2 && steps.iter().all(is_cause), "{}", history.stdout);
        assert_eq!(history.stderr, "");
    }

    /// Demands that git knows of no change and of no other work tree.
    pub(crate) fn assert_clean(&self) {
        assert_eq!(self.git(&["status", "--porcelain"]), "");
        assert_eq!(self.git(&["worktree", "list"]).lines().count(), 1);
    }
}

/// Returns the new and old instructions by package and id.
fn instructions(run: &Run) -> BTreeMap<(String, String), [Option<u64>; 2]> {
    let value = |summary: &serde_json::Value| {
        let text = |name: &str| summary[name].as_str().unwrap().to_owned();
        let counts = &summary["tools"][0]["total"]["Ir"];
        (
            (text("package"), text("id")),
            [&counts["new"], &counts["old"]].map(serde_json::Value::as_u64),
        )
    };
    objects(&run.stdout).iter().map(value).collect()
}

// Cargo plans such a directory as the default. What the other revision builds must not be in it.
#[test]
fn a_build_directory_outside_of_the_target_directory_is_left_alone() {
    let project = Project::new("against-build");
    project.step(DEAR);
    project.commit("second");
    let target = tempfile::tempdir().unwrap();
    // The dependencies are those of the other tests
    let shared = FreshCrate::target();
    let against = target.path().join("iai/.against");
    fs::create_dir_all(&against).unwrap();
    symlink(shared.join("iai/.against/target"), against.join("build")).unwrap();
    let run_here = |arguments: &[&str]| {
        let mut command = project.bench(arguments);
        command.env("CARGO_TARGET_DIR", target.path()).env("CARGO_BUILD_BUILD_DIR", &shared);
        run(&mut command).expect(0)
    };
    let run_benches =
        |arguments: &[&str]| run_here(&[&["--output-format=json"], arguments].concat());
    let bench = |arguments: &[&str]| instructions(&run_benches(arguments));
    let before = bench(&[]);
    let compared = bench(&["--against=HEAD~1"]);
    let mut bisect = Command::new(runner());
    clean(&mut bisect).current_dir(project.root.directory()).args(["bisect", "HEAD~1", "HEAD"]);
    bisect.arg("--home").arg(target.path().join("iai"));
    bisect.args(["--bench", &project.root.file(), "--package", project.name()]);
    bisect.env("CARGO_TARGET_DIR", target.path()).env("CARGO_BUILD_BUILD_DIR", &shared);
    assert!(run(&mut bisect).expect(0).stdout.contains("second"));
    // Results, their notes and pages belong to the target directory
    let pages = target.path().join("pages");
    let recorded = run_here(&["record"]).stderr;
    assert!(recorded.contains(" results in the note of "), "{recorded}");
    let _ = run_here(&[&format!("--report=html:{}", pages.display())]);
    assert!(pages.join("index.html").is_file());
    let listed = run_here(&["list"]).stdout;
    assert!(listed.contains("@last"), "{listed}");
    assert!(!shared.join("iai").join(project.name()).exists());
    let after = bench(&[]);
    assert_eq!(after.len(), 4);
    for (name, counts) in &compared {
        let is_changed = name.0 == "against-build";
        assert_eq!(counts[0] != counts[1], is_changed, "{name:?}: {counts:?}");
        for other in [&before, &after] {
            assert_eq!(other[name][0], counts[0], "{name:?}");
        }
    }
    // Cargo's records in this directory have the features of both sides
    let manifest = fs::read_to_string(project.root.directory().join("Cargo.toml")).unwrap();
    project.root.write("Cargo.toml", &format!("{manifest}[features]\ndefault = [\"x\"]\nx = []\n"));
    let features = "was built with other features: features of against-build (none → default x)\n";
    run_benches(&["--against=HEAD"]).complains(&[features]);
}

#[test]
fn a_revision_is_measured_and_compared_with() {
    let project = Project::new("against");
    let by_hand = instructions(&run(&mut project.bench(&["--output-format=json"])).expect(0));
    project.root.write(".gitattributes", "*.large filter=lfs\n");
    project.root.write("data.large", "version https://git-lfs.github.com/spec/v1\nsize 12345\n");
    project.commit("with a large file");
    project.step(DEAR);
    project.commit("second");
    let arguments = ["--against=HEAD~1", "--output-format=json", "--explain=all"];
    // The machine can have Git LFS
    let mut command = project.bench(&arguments);
    command.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_SYSTEM", "/dev/null");
    let first = run(&mut command).expect(0);
    first.complains(&["`data.large` is a pointer of Git LFS and not the file itself (1 of this"]);
    let new = instructions(&run(&mut project.bench(&["--output-format=json"])).expect(0));
    let compared = instructions(&first);
    assert_eq!(compared.len(), 4);
    for (name, counts) in &compared {
        assert_eq!(*counts, [new[name][0], by_hand[name][0]], "{name:?}");
        let is_changed = name.0 == "against";
        assert_eq!(counts[0] != counts[1], is_changed, "{name:?}");
    }
    for (part, number) in [("building HEAD~1 (", 2), ("measuring HEAD~1 (", 2)] {
        assert_eq!(first.stderr.matches(part).count(), number, "{}", first.stderr);
    }
    let text = objects(&first.stdout)[0]["tools"][0]["explanation"].to_string();
    assert!(
        text.contains("src/lib.rs:4") && text.contains("your changes to these lines"),
        "{text}"
    );
    project.assert_clean();

    // The results are there: nothing is built
    let again = run(&mut project.bench(&arguments)).expect(0);
    assert_eq!(instructions(&again), compared);
    assert_eq!(again.stderr.matches(", measured before").count(), 2, "{}", again.stderr);
    assert!(!again.stderr.contains("building "), "{}", again.stderr);

    // The other revision is there for each shard
    let mut shards = BTreeMap::new();
    for shard in ["--shard=1/2", "--shard=2/2"] {
        let of_shard = run(&mut project.bench(&[&arguments[..2], &[shard]].concat())).expect(0);
        let of_shard = instructions(&of_shard);
        assert_eq!(of_shard.len(), 2, "{of_shard:?}");
        shards.extend(of_shard);
    }
    assert_eq!(shards, compared);

    // Changes that are not committed are the new side, and HEAD need not be a branch
    project.git(&["checkout", "--quiet", "--detach"]);
    project.step(CHEAP);
    let dirty = ["--against=HEAD", "--output-format=json", "--callgrind-limits=ir=1%", "short"];
    let dirty = instructions(&run(&mut project.bench(&dirty)).expect(0));
    let short = ("against".to_owned(), "short".to_owned());
    assert_eq!(dirty[&short], [by_hand[&short][0], new[&short][0]]);
    // A limit that the change breaks, and the base of two branches
    project.git(&["checkout", "--quiet", "src/lib.rs"]);
    project.git(&["branch", "--force", "main", "HEAD~1"]);
    let mut regressed = project.bench(&["--against=@merge-base", "--callgrind-limits=ir=1%"]);
    let regressed = run(&mut regressed);
    assert!(regressed.stdout.contains("limit exceeded"), "{}", regressed.stdout);
    assert!(regressed.stderr.contains("exit status: 3"), "{}", regressed.stderr);
    project.assert_clean();
}

#[test]
fn a_revision_that_cant_be_measured_is_an_error() {
    let project = Project::new("against-errors");
    let file = project.root.file();
    let against = |revision: &str| run(&mut project.bench(&["short", "--against", revision]));
    let complains = |revision: &str, part: &str| {
        let run = against(revision);
        assert!(run.code != Some(0) && run.stderr.contains(part), "{}", run.stderr);
        project.assert_clean();
    };
    complains("nowhere", "error: can't find the revision `nowhere`\nhelp: name a branch, a tag or");
    project.step("this is not Rust");
    project.commit("broken");
    project.step(DEAR);
    let benches = format!("benches/{file}.rs");
    let text = fs::read_to_string(project.root.directory().join(&benches)).unwrap();
    let manifest = fs::read_to_string(project.root.directory().join("Cargo.toml")).unwrap();
    let target = format!("[[bench]]\nname = {file:?}\nharness = false\n");
    assert!(manifest.contains(&target));
    project.root.write("Cargo.toml", &manifest.replace(&target, ""));
    project.git(&["rm", "--quiet", &benches]);
    project.commit("without");
    project.root.write("Cargo.toml", &manifest);
    project.root.write(&benches, &text);
    project.commit("with");
    complains("HEAD~2", &format!("error: can't build the benchmark file `{file}` of HEAD~2 ("));
    assert!(against("HEAD~2").stderr.contains("src/lib.rs:4:"), "cargo's errors are shown");

    // Without the file, its benchmarks are new
    let new = run(&mut project.bench(&["short", "--against=HEAD~1", "--output-format=json"]));
    let note = format!("has no benchmark file `{file}`, so that all of its benchmarks are new\n");
    assert!(new.code == Some(0) && new.stderr.contains(&note), "{}", new.stderr);
    let short = |package: &str| (package.to_owned(), "short".to_owned());
    let found = instructions(&new);
    assert_eq!(found[&short("against-errors")][1], None);
    assert!(found[&short("against-errors-two")][1].is_some());
    let here = ["short", "--against=HEAD~1", "--against-benches=here", "--output-format=json"];
    let found = instructions(&run(&mut project.bench(&here)).expect(0));
    let [new, old] = found[&short("against-errors")];
    assert_eq!(new, old, "the same library, measured with the file of this side");
    let history = |arguments: &[&str]| {
        let range = [&["history", "HEAD~1..HEAD", "short"], arguments].concat();
        run(&mut project.subcommand(&range)).expect(0).stdout
    };
    assert!(history(&[]).contains("not measured"));
    let counts = history(&["--against-benches=here"]);
    assert!(counts.contains("short") && !counts.contains("not measured"), "{counts}");

    // A manifest that can't be read, no common commit, and no cargo
    project.root.write("Cargo.toml", "[package");
    project.commit("no manifest");
    project.root.write("Cargo.toml", &manifest);
    project.commit("manifest");
    complains("HEAD~1", "error: `cargo metadata` failed in the other revision\n");
    project.git(&["checkout", "--quiet", "--orphan", "alone"]);
    project.commit("alone");
    let part = "error: can't find a common commit of HEAD and main for @merge-base\n";
    complains("@merge-base", part);
    let mut in_ci = project.bench(&["--against=@merge-base"]);
    let in_ci = run(in_ci.env("GITHUB_BASE_REF", "release"));
    in_ci.complains(&["error: can't find the branch origin/release for @merge-base"]);
    let alone = run(project
        .root
        .with_flags(&[])
        .arg("--against=HEAD")
        .env("IAI_CALLGRIND_RUNNER", runner()));
    alone.complains(&["can't build another revision: cargo did not start this run"]);

    // A clone without the commit, and no repository
    let shallow = tempfile::tempdir().unwrap();
    let source = format!("file://{}", project.root.directory().display());
    let _ = git(shallow.path(), &["clone", "--quiet", "--depth=1", &source, "clone"]);
    let clone = shallow.path().join("clone");
    let run_in_clone = run(&mut project.bench_in(&clone, &["--against=HEAD~1"]));
    assert!(run_in_clone.stderr.contains("`fetch-depth: 0`"), "{}", run_in_clone.stderr);
    assert!(run_in_clone.stderr.contains("`origin/alone`"), "{}", run_in_clone.stderr);
    fs::remove_dir_all(clone.join(".git")).unwrap();
    let without = run(&mut project.bench_in(&clone, &["--against=HEAD"]));
    assert!(without.stderr.contains("is not in a git work tree"), "{}", without.stderr);
}

#[test]
fn a_killed_run_leaves_nothing_behind() {
    let project = Project::new("against-killed");
    project.step(DEAR);
    project.commit("second");
    let directory = tempfile::tempdir().unwrap();
    let errors = directory.path().join("stderr");
    let repository = || tree(&project.root.directory().join(".git"));
    let before = repository();
    for (signal, moment) in [
        (libc::SIGKILL, "building "),
        (libc::SIGINT, "building "),
        (libc::SIGKILL, "measuring "),
        (libc::SIGTERM, "measuring "),
    ] {
        let mut command = project.bench(&["--against=HEAD~1"]);
        // Each time the results have other dependencies
        command.env("IAI_CALLGRIND_SEED", signal.to_string() + &moment.len().to_string());
        command.stdin(Stdio::null()).stdout(Stdio::null());
        command.stderr(fs::File::create(&errors).unwrap());
        let mut group = ProcessGroup::start(&mut command);
        group.wait_until(|| {
            fs::read_to_string(&errors).unwrap().contains(&format!("{moment}HEAD~1"))
        });
        group.signal(signal);
        let _ = group.leader.wait();
        assert_unchanged(&before, &repository());
    }
    // Two at once
    let (mut first, mut second) =
        (project.bench(&["--against=HEAD~1"]), project.bench(&["--against=HEAD~1"]));
    let (first, second) = std::thread::scope(|scope| {
        let first = scope.spawn(|| run(&mut first).expect(0));
        (run(&mut second).expect(0), first.join().unwrap())
    });
    let olds = |run: &Run| {
        let report = Report::parse(&run.stdout);
        report.benchmarks.iter().map(|found| found.lines[0].old).collect::<Vec<_>>()
    };
    assert_eq!(olds(&first), olds(&second));
    project.assert_clean();
}

#[test]
fn the_commit_that_changed_a_count_is_found() {
    let project = Project::new("against-bisect");
    let manifest = fs::read_to_string(project.root.directory().join("Cargo.toml")).unwrap();
    let manifest = format!("{manifest}[features]\ndefault = [\"x\"]\nx = []\n");
    for number in 2..=9 {
        match number {
            3 => project.step("this is not Rust"),
            4 => project.step(CHEAP),
            7 => {
                project.step(DEAR);
                project.root.write("Cargo.toml", &manifest);
            }
            _ => {}
        }
        project.root.write("README.md", &format!("{number}\n"));
        project.commit(&format!("commit {number}"));
    }
    let found = run(&mut project.subcommand(&["bisect", "HEAD~8", "long", "--limit=1%"]));
    let found = found.expect(0);
    let steps = found.stderr.matches("measuring ").count();
    assert!(steps <= 4, "{}", found.stderr);
    let features = "was built with other features: features of against-bisect (none → default x)\n";
    found.complains(&[features]);
    let first = found.stdout.lines().next().unwrap();
    assert!(first.ends_with(" commit 7"), "{}", found.stdout);
    // A feature can change any code, so that the line alone is not blamed
    for cause in [
        "the environment differs: features of against-bisect (none → default x)\n",
        " src/lib.rs:4  sum = sum.wrapping_mul(31).wrapping_add(i).rotate_left(7) ^ i.wrapping_mul(sum);  ← changed\n",
    ] {
        assert!(found.stdout.contains(cause), "{}", found.stdout);
    }
    let none = run(&mut project.subcommand(&["bisect", "HEAD~8", "HEAD~3"])).expect(1);
    assert!(none.stderr.contains("error: no count changed between HEAD~8 ("), "{}", none.stderr);
    let mistyped = run(&mut project.subcommand(&["bisect", "HEAD~8", "HAED"])).expect(1);
    mistyped.complains(&["has none of the benchmarks that match `HAED`\n"]);
    let same = run(&mut project.subcommand(&["bisect", "HEAD"])).expect(1);
    assert!(same.stderr.starts_with("error: no count changed between HEAD ("), "{}", same.stderr);
    let wrong = run(&mut project.subcommand(&["bisect", "HEAD", "HEAD~8"])).expect(1);
    assert!(wrong.stderr.contains("is not an ancestor of"), "{}", wrong.stderr);

    let history = run(&mut project.subcommand(&["history", "HEAD~7..HEAD~1", "short"])).expect(0);
    let lines: Vec<_> = history.stdout.lines().collect();
    assert_eq!(lines.len(), 1 + 7, "{}", history.stdout);
    assert!(lines[0].ends_with("::group::run::short (Instructions)"), "{}", lines[0]);
    for (line, number) in lines[1..].iter().zip(2..) {
        assert!(line.ends_with(&format!("commit {number}")), "{line}");
        assert_eq!(line.contains("not measured"), number == 3, "{line}");
        assert_eq!(line.contains("(+"), number == 7, "{line}");
    }
    project.the_printed_command_fills_a_gap();
    project.assert_clean();
}

#[test]
fn a_run_records_its_own_results() {
    let project = Project::new("against-record");
    let home = tempfile::tempdir().unwrap();
    let bench = |filter| {
        let mut command = project.bench(&["--record", filter]);
        run(command.env("IAI_CALLGRIND_HOME", home.path())).expect(0)
    };
    let nothing = bench("missing");
    assert!(!nothing.stderr.contains("recorded"), "{}", nothing.stderr);
    let each = bench("long");
    assert_eq!(each.stderr.matches("recorded 1 result ").count(), 2, "{}", each.stderr);
}
