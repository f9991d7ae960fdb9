//! Counts in a file of the repository: `--snapshot`.

use std::env;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::PathBuf;
use std::process::Command;

use end_to_end_tests::{FreshCrate, Run, git, run, runner, skip};

const BENCHMARK: &str = "\
use iai_callgrind::{library_benchmark, main, LibraryBenchmarkConfig};
fn sum(n: u64) -> u64 { (0..n).fold(0, |sum, i| std::hint::black_box(sum + i)) }
#[library_benchmark]
fn empty() {}
#[library_benchmark]
#[bench::long(1000)]
#[bench::short(10)]
fn run(n: u64) -> u64 { std::hint::black_box(sum(n)) }
main!(config = LibraryBenchmarkConfig::default().snapshot(true));
";

const MANIFEST: &str = "[lib]\nbench = false\n[profile.bench]\ndebug = 1\ncodegen-units = 1\n";

struct Project(FreshCrate);

impl Project {
    fn new(name: &'static str) -> Self {
        let crate_ = FreshCrate::new(name, BENCHMARK, MANIFEST);
        crate_.write(".gitignore", "target\n");
        let project = Self(crate_);
        let _ = project.git(&["init"]);
        project
    }

    fn git(&self, arguments: &[&str]) -> String {
        git(self.0.directory(), arguments)
    }

    fn commit(&self, message: &str) {
        let _ = self.git(&["add", "."]);
        let _ = self.git(&["commit", "--message", message]);
    }

    /// Runs the benchmarks as on a desktop.
    fn bench(&self, arguments: &[&str]) -> Run {
        self.bench_with(arguments, "")
    }

    /// Runs the benchmarks in a CI job.
    fn ci(&self, arguments: &[&str]) -> Run {
        self.bench_with(arguments, "true")
    }

    fn bench_with(&self, arguments: &[&str], ci: &str) -> Run {
        let mut command = self.0.cargo_bench();
        command.args(["--quiet", "--"]).args(arguments).env("CI", ci);
        run(command.env("IAI_CALLGRIND_RUNNER", runner()))
    }

    fn path(&self) -> PathBuf {
        let entries = fs::read_dir(self.0.directory().join("benches")).unwrap().flatten();
        let mut paths = entries.map(|entry| entry.path());
        paths.find(|path| path.extension().is_some_and(|end| end == "counts")).expect("a snapshot")
    }

    fn text(&self) -> String {
        fs::read_to_string(self.path()).unwrap()
    }

    /// Changes the snapshot as another state of the code would.
    fn edit(&self, from: &str, to: &str) {
        let text = self.text();
        assert!(text.contains(from), "{text}");
        fs::write(self.path(), text.replace(from, to)).unwrap();
    }

    /// Returns the start of a line of the snapshot.
    fn line(&self, benchmark: &str) -> String {
        format!("{}::functions::{benchmark} | Instructions | ", self.0.file())
    }
}

/// The closing line of a run that fails because of the snapshot.
const VERDICT: &str = "\nIai-Callgrind result: Differs from the snapshot. ";

#[test]
fn counts_are_committed_compared_and_merged() {
    let project = Project::new("counts-files");
    let file = project.0.file();

    // Without a snapshot
    let first = project.bench(&[]).expect(0);
    let accept = format!("help: write it with `cargo bench --bench {file} -- --snapshot=accept`");
    first.complains(&["no snapshot /", &accept]);
    let in_ci = project.ci(&[]).expect(3);
    assert!(in_ci.stderr.contains("no snapshot /"), "{}", in_ci.stderr);
    assert!(in_ci.stdout.contains(VERDICT) && !first.stdout.contains(VERDICT), "{}", in_ci.stdout);
    // A filter that selects benchmarks of other files only
    assert!(!project.ci(&["elsewhere"]).expect(0).stderr.contains("snapshot"));
    assert!(!project.ci(&["--snapshot=no"]).expect(0).stderr.contains("snapshot"));

    // Written
    let accepted = project.bench(&["--snapshot=accept"]).expect(0);
    assert!(accepted.stderr.contains("wrote the snapshot /"), "{}", accepted.stderr);
    let report = accepted.report();
    let count = |benchmark: &str| report.instructions(benchmark);
    assert_eq!(count("functions::empty"), 1);
    let thousands = |count: u64| match count {
        0..1000 => count.to_string(),
        _ => format!("{},{:03}", count / 1000, count % 1000),
    };
    let [short, long] =
        ["run::short", "run::long"].map(|name| count(&format!("functions::{name}")));
    assert!(short < 1000 && (1000..1_000_000).contains(&long));
    let lines = [("empty", 1), ("run::long", long), ("run::short", short)];
    let lines = lines.map(|(name, count)| format!("{}{}\n", project.line(name), thousands(count)));
    let text = project.text();
    let title = format!(
        "# iai-callgrind counts 1, written by `cargo bench --bench {file} -- --snapshot=accept`\n"
    );
    assert!(text.starts_with(&title) && text.ends_with(&lines.concat()), "{text}");
    assert!(text.contains("\n# compiler: rustc ") && text.contains("\n# C library: "), "{text}");
    let equal = project.ci(&[]).expect(0);
    assert!(equal.stderr.contains(":\n  3 counts, no difference\n"), "{}", equal.stderr);
    project.commit("counts");
    let _ = project.bench(&["elsewhere", "--snapshot=accept"]).expect(0);
    assert_eq!(project.text(), text);

    // A difference fails a CI job, but not a run on a desktop
    project.edit(&lines[2], &format!("{}{}\n", project.line("run::short"), short - 1));
    let difference = format!("\n    Instructions: {} → {short} (+", short - 1);
    for (run, fails) in [(project.bench(&[]).expect(0), false), (project.ci(&[]).expect(3), true)] {
        run.complains(&[&difference, "3 counts, 1 beyond the limits\nhelp: accept"]);
        assert_eq!(run.stdout.contains(VERDICT), fails, "{}", run.stdout);
    }
    let within = project.ci(&["--callgrind-limits=ir=50%"]).expect(0);
    assert!(within.stderr.contains("0 beyond the limits, 1 within"), "{}", within.stderr);
    let _ = project.bench(&["empty", "--snapshot=accept"]).expect(0);
    let other = project.ci(&["empty"]).expect(0);
    assert!(other.stderr.contains("  1 count, no difference"), "{}", other.stderr);
    // Surroundings come before the first number
    project.edit("\n# compiler: rustc ", "\n# compiler: gcc ");
    let foreign = project.ci(&[]).expect(3).stderr;
    let [surroundings, number] = ["the surroundings differ: compiler (gcc ", &difference]
        .map(|part| foreign.find(part).expect("a part of the report"));
    assert!(surroundings < number, "{foreign}");
    assert!(
        foreign.contains("\nhelp: compare in the surroundings of the file, or accept "),
        "{foreign}"
    );
    // The kept lines of other benchmarks would get surroundings in which they were not counted
    let text = project.text();
    let part = project.bench(&["empty", "--snapshot=accept"]).expect(1);
    part.complains(&[
        "can't accept a part of /",
        "other benchmarks (compiler differ)\nhelp: accept all",
    ]);
    assert_eq!(project.text(), text);
    let _ = project.git(&["checkout", "."]);

    // Two branches change neighbouring lines
    for (branch, name, count) in [("left", "run::long", long), ("right", "run::short", short)] {
        let _ = project.git(&["checkout", "-b", branch, "main"]);
        let line = project.line(name);
        project.edit(
            &format!("{line}{}", thousands(count)),
            &format!("{line}{}", thousands(count + 5)),
        );
        project.commit(branch);
    }
    let mut merge = Command::new("git");
    merge.args(["-c", "user.name=me", "-c", "user.email=me@localhost", "merge", "left"]);
    let merged = run(merge.current_dir(project.0.directory())).expect(1);
    assert!(merged.stdout.contains("CONFLICT"), "{}", merged.stdout);
    let text = project.text();
    let first = text.lines().position(|line| line.starts_with("<<<<<<< HEAD")).unwrap();
    let conflict = project.ci(&[]).expect(1);
    conflict.complains(&[
        &format!("counts:{}: a merge conflict", first + 1),
        "help: keep one line for each benchmark and metric",
    ]);
    assert_eq!(conflict.stdout, "", "nothing runs");
    println!("{}", project.git(&["diff"]));
    // Resolved by hand: the line of each side that it changed
    let kept = [(&lines[1], long), (&lines[2], short)]
        .map(|(line, count)| line.replace(&thousands(count), &thousands(count + 5)));
    let head = text.split("<<<<<<<").next().unwrap();
    fs::write(project.path(), format!("{head}{}", kept.concat())).unwrap();
    let resolved = project.ci(&[]).expect(3);
    assert!(resolved.stderr.contains("3 counts, 2 beyond the limits\n"), "{}", resolved.stderr);
    // Or by a run
    fs::write(project.path(), &text).unwrap();
    let _ = project.bench(&["--snapshot=accept"]).expect(0);
    assert!(project.text().ends_with(&lines.concat()));
    assert!(project.git(&["diff", "main", "--", "benches"]).is_empty());
}

/// Returns the version that this command prints.
fn version(valgrind: &mut Command) -> Option<String> {
    let text = String::from_utf8(valgrind.arg("--version").output().ok()?.stdout).ok()?;
    text.trim_end().strip_prefix("valgrind-").map(ToOwned::to_owned)
}

// `cargo xtask test newer` has another Valgrind before the installed one. The variable is for this one only.
#[test]
fn another_valgrind_is_named_before_any_number() {
    const LIBRARY: &str = "VALGRIND_LIB";
    let newer = version(&mut Command::new("valgrind")).expect("Valgrind");
    let paths = env::var_os("PATH").unwrap_or_default();
    let installed = env::split_paths(&paths).map(|path| path.join("valgrind")).find_map(|path| {
        let version = version(Command::new(&path).env_remove(LIBRARY))?;
        (version != newer).then_some((path, version))
    });
    let Some((path, installed)) = installed else { return skip("there is only one Valgrind") };
    let project = Project::new("other-valgrinds");
    let mut write = project.0.cargo_bench();
    write.args(["--quiet", "--", "--snapshot=accept"]).env("CI", "");
    write.env("IAI_CALLGRIND_RUNNER", runner()).env("IAI_CALLGRIND_VALGRIND_PATH", path);
    let _ = run(write.env_remove(LIBRARY)).expect(0);
    assert!(project.text().contains(&format!("\n# Valgrind: valgrind-{installed}\n")));

    let differ = format!(
        "\n  the surroundings differ: Valgrind (valgrind-{installed} → valgrind-{newer})\n"
    );
    // The counts are the same, unless the file is edited
    let same = project.ci(&[]).expect(0);
    same.complains(&[&format!("{differ}  3 counts, no difference\n")]);
    let line = project.line("empty");
    project.edit(&format!("{line}1\n"), &format!("{line}2\n"));
    let other = project.ci(&[]).expect(3).stderr;
    let (before, after) = other.split_once(&differ).expect("the surroundings");
    assert!(!before.contains(" → ") && after.contains("Instructions: 2 → 1 (-50 %)"), "{other}");
}

#[test]
fn the_file_of_another_is_neither_printed_nor_followed() {
    let project = Project::new("foreign-counts-files");
    let _ = project.bench(&["--snapshot=accept"]).expect(0);
    let (path, text) = (project.path(), project.text());
    // Names that no benchmark has
    let name = format!("\u{1b}]0;title\u{7}::error::{}", "x".repeat(1000));
    fs::write(&path, format!("{text}{name} | Instructions | 1\n")).unwrap();
    let run = project.ci(&[]).expect(3);
    assert!(!run.stderr.contains('\u{1b}') && !run.stderr.contains(&"x".repeat(300)));
    assert!(run.stderr.contains("1 in the snapshot only"), "{}", run.stderr);
    for (content, message) in [
        ("a | b", "is not a file of counts"),
        ("", "is not a file of counts"),
        ("# iai-callgrind counts 2\n", "version 2 of the format is newer"),
        (&*format!("{text}secret\n"), "counts:"),
    ] {
        fs::write(&path, content).unwrap();
        let run = project.ci(&[]).expect(1);
        assert!(run.stderr.contains(message) && !run.stderr.contains("secret"), "{}", run.stderr);
    }
    // A file of another program is not overwritten
    fs::write(&path, "precious").unwrap();
    project.bench(&["--snapshot=accept"]).expect(1).complains(&["is not a file of counts"]);
    assert_eq!(project.text(), "precious");
    let target = project.0.directory().join("precious");
    fs::rename(&path, &target).unwrap();
    symlink(&target, &path).unwrap();
    for arguments in [&[][..], &["--snapshot=accept"]] {
        project.bench(arguments).expect(1).complains(&["is a symbolic link"]);
    }
    assert_eq!(fs::read_to_string(target).unwrap(), "precious");
}
