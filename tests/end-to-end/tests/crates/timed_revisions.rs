//! Times of revisions, of layouts and of the executable that a baseline keeps.

use std::fs;
use std::path::{Path, PathBuf};

use end_to_end_tests::{objects, on_terminal_of_width, run, runner};
use serde_json::Value;

use crate::against::{CHEAP, Project};

/// A step that takes more than a hundred times as long as the cheap one.
const SLOW: &str =
    "(0..20).fold(sum, |sum, more| std::hint::black_box(sum).rotate_left(7) ^ (i + more))";

/// Options for a comparison that ends soon, but on a busy machine continues until it has six pairs.
const UNTIL_CLEAR: [&str; 2] = ["--time-budget=20s", "--time-precision=20%"];

/// Adds a program that runs the library, and a benchmark of it, and commits both.
fn add_program(project: &Project) {
    project.root.write(
        "src/main.rs",
        "fn main() {\n    let number = std::env::args().nth(1).unwrap().parse().unwrap();\n    \
         println!(\"{}\", durations::work(number));\n}\n",
    );
    let program = "use iai_callgrind::{BinaryBenchmarkConfig, Command, binary_benchmark, binary_benchmark_group, main};\n\
                   #[binary_benchmark(config = limit())]\n#[bench::long(\"1000000\")]\n\
                   fn program(number: &str) -> Command {\n    \
                   Command::new(env!(\"CARGO_BIN_EXE_durations\")).arg(number).build()\n}\n\
                   fn limit() -> BinaryBenchmarkConfig {\n    \
                   BinaryBenchmarkConfig::default().time_limit(20.0).clone()\n}\n\
                   binary_benchmark_group!(name = group; benchmarks = program);\n\
                   main!(binary_benchmark_groups = group);\n";
    project.root.write("benches/programs.rs", program);
    let manifest = fs::read_to_string(project.root.directory().join("Cargo.toml")).unwrap();
    let targets = "\n[[bench]]\nname = \"programs\"\nharness = false\n\
                   [[bin]]\nname = \"durations\"\npath = \"src/main.rs\"\nbench = false\n";
    project.root.write("Cargo.toml", &(manifest + targets));
    project.commit("with a program");
}

/// Demands that both sides are linked several times, and that each layout is one observation.
fn layouts_are_compared(project: &Project) {
    if cfg!(not(target_arch = "x86_64")) {
        // The linker that Rust uses there has no option for it
        return;
    }
    let mut command = project.root.cargo_bench();
    command.env("IAI_CALLGRIND_RUNNER", runner()).args(["--bench", &project.root.file()]);
    command.args([
        "--bench",
        "programs",
        "--",
        "long",
        "--time-layouts=6",
        "--time-budget=1s",
        "--time",
        "--against=HEAD",
    ]);
    let layouts = run(command.arg("--output-format=json")).expect(0);
    let time = &objects(&layouts.stdout)[0]["time"];
    assert_eq!((&time["layouts"], &time["verdict"]), (&6.into(), &"slower".into()), "{time}");
    let command = "note: without a time: 1 command, whose programs --time-layouts does not link\n";
    // The file with the command has nothing to link
    for part in ["\nlinking layout 6 of 6\n", command] {
        assert_eq!(layouts.stderr.matches(part).count(), 1, "{}", layouts.stderr);
    }
}

/// Saves the times of this state as a baseline. Returns the path of the executable that it keeps.
fn keep_executable(project: &Project) -> PathBuf {
    let options = ["long", "--time", "--time-budget=1s", "--output-format=json"];
    let json = run(&mut project.bench(&[&options[..], &["--save-baseline=kept"]].concat()));
    let summaries = objects(&json.expect(0).stdout);
    let of_file = |summary: &&Value| summary["file"] == *project.root.file();
    let executable = &summaries.iter().find(of_file).unwrap()["executable"];
    let profile = Path::new(executable.as_str().unwrap()).parent().unwrap().parent().unwrap();
    let file = format!("durations/{}/executable.base@kept", project.root.file());
    profile.join("iai-callgrind").join(file)
}

/// Demands that the benchmark executable is compared with the one that a baseline keeps, and removes this one.
fn kept_executable_is_compared(project: &Project, kept: &Path) {
    let compare = |options: &[&str]| {
        let mut command = project.root.cargo_bench();
        command.env("IAI_CALLGRIND_RUNNER", runner()).args(["--bench", &project.root.file()]);
        run(command.args(["--", "long", "--time"]).args(UNTIL_CLEAR).args(options))
    };
    let compared = compare(&["--baseline=kept", "--time-limit=50%"]);
    assert!(compared.stderr.contains("exit status: 3"), "{compared:?}");
    for part in ["\nTime, old → new, with 95 % intervals ", "  slower than the limit of 50 %\n"] {
        assert!(compared.stdout.contains(part), "{}", compared.stdout);
    }
    fs::remove_file(kept).unwrap();
    let missing = compare(&["--baseline=kept"]);
    let error =
        format!("the baseline `kept` keeps no executable of durations::{}", project.root.file());
    for part in [&*error, "help: save it with `--time --save-baseline=kept` where "] {
        assert!(missing.stderr.contains(part), "{}", missing.stderr);
    }
    let mut command = project.root.cargo_bench();
    command.env("IAI_CALLGRIND_RUNNER", runner()).args(["--bench", "programs", "--", "long"]);
    let commands =
        run(command.args(["--time", "--save-baseline=kept", "--time-budget=1s"])).expect(0);
    assert!(commands.stdout.contains("programs::group::program long"), "{}", commands.stdout);
}

#[test]
fn the_times_of_two_revisions_are_compared() {
    let project = Project::new("durations");
    add_program(&project);
    let kept = keep_executable(&project);
    project.step(SLOW);
    kept_executable_is_compared(&project, &kept);
    let arguments = |budget| ["long", "--time", budget, "--against=HEAD"];
    // The option overrides the limit of the program
    let options = ["--output-format=json", "--time-limit=1000000%"];
    // A program starts for each of its times. Of six pairs, one that waited for a CPU would be an end of the interval
    let json = run(&mut project.bench(&[&arguments("--time-budget=5s")[..], &options].concat()));
    let json = json.expect(0);
    is_built_once(&json.stderr);
    let summaries = objects(&json.stdout);
    let of = |name: &str| {
        let summary = summaries.iter().find(|summary| summary["name"] == name);
        summary.unwrap_or_else(|| panic!("{name} is not in {summaries:?}"))
    };
    let function = format!("{}::group::run::long", project.root.file());
    // A program waits for a CPU at its start, which a busy machine makes long
    for (name, part) in [(&*function, "wall"), ("programs::group::program::long", "cpu")] {
        let summary = of(name);
        let time = &summary["time"];
        assert_eq!(time["verdict"], "slower", "{name}: {time}");
        assert!(time["ratio"][part]["low"].as_f64() > Some(1.5), "{name}: {time}");
        let instructions = &summary["tools"][0]["total"]["Ir"];
        assert!(instructions["new"].as_u64() > instructions["old"].as_u64(), "{instructions}");
    }
    let two = summaries.iter().find(|summary| summary["package"] == "durations-two").unwrap();
    assert_eq!(two["time"], Value::Null, "the same code runs");

    let report = [
        UNTIL_CLEAR[1],
        "--time-limit=50%",
        "--report=markdown:{package}.md",
        "--report=html:{package}-pages",
        "--report=junit:{package}.xml",
    ];
    let limited = run(&mut project.bench(&[&arguments(UNTIL_CLEAR[0])[..], &report].concat()));
    assert!(limited.stderr.contains("exit status: 3"), "{}", limited.stderr);
    for part in ["Time, old → new, ", "  Instructions +", "slower than the limit of 50 %"] {
        assert!(limited.stdout.contains(part), "{}", limited.stdout);
    }
    let row = limited.stdout.lines().find(|line| line.contains("  Instructions +")).unwrap();
    let changes = row.split('+').skip(1).map(|change| change.split([' ', ']']).next().unwrap());
    let changes: Vec<_> = changes.collect();
    assert!(changes.iter().all(|change| change.contains(',')), "thousands of percent: {row}");
    names_are_above_times(&project);
    let markdown = fs::read_to_string(project.root.directory().join("durations.md")).unwrap();
    for part in ["| Benchmark | Time, old |", "**slower than the limit of 50 %** |"] {
        assert!(markdown.contains(part), "{markdown}");
    }
    let junit = fs::read_to_string(project.root.directory().join("durations.xml")).unwrap();
    let failure = "<failure type=\"regression\" message=\"Time +";
    assert!(junit.contains(failure) && junit.contains("]: slower than the limit"), "{junit}");

    let start = project.root.directory().join("durations-pages/index.html");
    let start = fs::read_to_string(start).unwrap();
    let sentence = "<p>Time: 1 of 1 benchmark is slower; the largest change, <a href=\"benchmarks/";
    let (_, sentence) = start.split_once(sentence).unwrap_or_else(|| panic!("{start}"));
    let (sentence, _) = sentence.split_once(".</p>").expect("an end");
    assert!(
        sentence.contains(" %</strong>, 95\u{a0}% interval [+") && sentence.contains(" → "),
        "{sentence}"
    );
    for part in [
        ">Time</th>",
        "<td class=\"number middle worse up\" title=\"slower than the limit of 50 %\">+",
    ] {
        assert!(start.contains(part), "{start}");
    }

    let pages = fs::read_dir(project.root.directory().join("durations-pages/benchmarks")).unwrap();
    let mut pages = pages.map(|page| fs::read_to_string(page.unwrap().path()).unwrap());
    let dots = "Each dot is a pair of processes: the change of the time";
    assert!(
        pages.any(|page| page.contains(dots) && page.contains("slower than the limit of 50 %"))
    );

    let mut command = project.root.cargo_bench();
    command.env("IAI_CALLGRIND_RUNNER", runner()).args(["--bench", "programs", "--"]);
    // A program starts for each of its times, and on a busy machine few times give a wide interval
    let limited = run(command.args(["long", "--time", "--time-budget=5s", "--against=HEAD"]));
    assert!(limited.stderr.contains("exit status: 3"), "{}", limited.stderr);
    assert!(limited.stdout.contains("slower than the limit of 20 %"), "{}", limited.stdout);
    let (_, cpu) = limited.stdout.split_once("\nCPU time of all threads, ").expect("a heading");
    let row = cpu.lines().find(|line| line.contains("programs::group::program long")).unwrap();
    assert!(row.contains("→") && row.ends_with(']'), "{row}");

    layouts_are_compared(&project);

    // What changed is not in this benchmark
    project.step(CHEAP);
    let same = run(&mut project.bench(&arguments("--time-budget=2s"))).expect(0);
    let line = "\nNot timed, because the same code runs on both sides: 1 benchmark (";
    assert_eq!(same.stdout.matches(line).count(), 3, "{}", same.stdout);
    assert!(!same.stdout.contains("→"), "{}", same.stdout);
    is_built_once(&same.stderr);
}

/// Demands that names and times, which do not fit next to each other on a terminal of 80 columns, are on lines of their own.
fn names_are_above_times(project: &Project) {
    let arguments = ["long", "--time", "--time-budget=1s", "--against=HEAD"];
    let text = run(&mut on_terminal_of_width(&project.bench(&arguments), 80)).stdout;
    let lines: Vec<_> = text.lines().map(|line| line.trim_end_matches('\r')).collect();
    let name = format!("  {}::group::run long:1000", project.root.file());
    let place = lines.iter().position(|line| *line == name);
    let place = place.unwrap_or_else(|| panic!("no line {name:?}: {text}"));
    let times = lines[place + 1];
    assert!(times.starts_with("    Instructions +") && times.contains(" → "), "{text}");
}

/// Demands that a revision is built to be counted, and not once more to be timed.
fn is_built_once(stderr: &str) {
    let (built, counted) = (stderr.matches("building "), stderr.matches("\nmeasuring "));
    assert_eq!(built.count(), counted.count(), "{stderr}");
}
