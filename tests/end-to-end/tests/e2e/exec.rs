//! Commands without a benchmark file: `iai-callgrind-runner exec`.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use end_to_end_tests::{Run, clean, objects, run, runner};
use tempfile::TempDir;

/// A directory that is in no package.
struct Directory(TempDir);

impl Directory {
    /// Creates the directory with these files.
    fn with(files: &[(&str, &str)]) -> Self {
        let directory = Self(tempfile::tempdir().expect("a temporary directory"));
        for (name, content) in files {
            fs::create_dir_all(directory.path(name).parent().expect("a directory"))
                .expect("it is new");
            fs::write(directory.path(name), content).expect("the file can be written");
        }
        directory
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// Compiles a program there, with these flags.
    fn compile(&self, source: &str, flags: &[&str]) {
        let mut rustc = Command::new("rustc");
        rustc.args(["--edition=2021", source]).args(flags).current_dir(self.0.path());
        let Run { stderr, .. } = run(&mut rustc).expect(0);
        assert_eq!(stderr, "");
    }

    /// Runs the runner there.
    fn run(&self, arguments: &[&str]) -> Run {
        let mut command = Command::new(runner());
        run(clean(&mut command).args(arguments).current_dir(self.0.path()))
    }
}

const WORDS: (&str, &str) = ("words.txt", "a\nx\nx y\n");

/// The title of `grep -c x words.txt`.
const GREP: &str = "exec::commands::grep -c x words.txt";

#[test]
fn a_command_counts_the_same_again() {
    let directory = Directory::with(&[WORDS]);
    let grep = ["--", "grep", "-c", "x", "words.txt"];
    let options = ["exec", "--save-baseline=main", "--flamegraph", "--report=json:report.json"];
    let first = directory.run(&[&options, &grep[..]].concat()).expect(0);
    assert_eq!((first.report().benchmarks[0].title.as_str(), first.stderr.as_str()), (GREP, ""));
    let options = ["exec", "--baseline=main", "--callgrind-limits=ir=10,ramhits=1%", "--nocapture"];
    let second = directory.run(&[&options, &grep[..]].concat()).expect(3);
    assert_eq!(second.stdout.matches("(No change)").count(), 6, "{}", second.stdout);
    assert!(second.stdout.contains("limit exceeded: Instructions "), "{}", second.stdout);
    assert!(second.stdout.starts_with(&format!("{GREP}\n2\n")), "no output: {}", second.stdout);

    let list = directory.run(&["list"]).expect(0).stdout;
    assert_eq!(list, format!("exec\n  {GREP}  @last main\n"));
    let report = fs::read_to_string(directory.path("report.json")).expect("a report");
    let objects = objects(&report);
    let text = |key: &str| objects[0][key].as_str().map(str::to_owned);
    assert_eq!(text("name").as_deref(), Some(GREP));
    assert_eq!(text("arguments").as_deref(), Some("grep -c x words.txt"));
    assert!(objects[0]["executable"].is_null() && objects[0]["target"].is_null(), "{report}");
    let results = directory.path("target/iai/exec/exec/commands/grep%20-c%20x%20words%2Etxt");
    let names = fs::read_dir(results).expect("a directory").map(|entry| entry.unwrap().file_name());
    let names: Vec<_> = names.filter_map(|name| name.into_string().ok()).collect();
    assert!(names.iter().any(|name| name.ends_with(".flamegraph.svg")), "{names:?}");
}

#[test]
fn several_commands_are_compared_with_each_other() {
    let directory = Directory::with(&[WORDS]);
    let run = directory.run(&[
        "exec",
        "--name=grep",
        "--callgrind-metrics=ir",
        "--stdin=words.txt",
        "grep -c x",
        "grep -F -c 'x y' words.txt",
    ]);
    let stdout = run.expect(0).stdout;
    let lines: Vec<_> = stdout.lines().collect();
    assert_eq!(lines[0], "exec::commands::grep");
    assert_eq!(lines[2], "exec::commands::grep -F -c \"x y\" words.txt");
    assert_eq!(lines[4], "  Comparison with grep");
    let value = |line: &str| line.split(['|', ' ']).find_map(|word| word.parse::<u64>().ok());
    assert_eq!(value(lines[5]), value(lines[1]));
    assert!(lines[5].contains("(+") || lines[5].contains("(-"), "{stdout}");
}

// The name of a temporary file is random, and the C library has no part in it that a benchmark executable could replace.
#[test]
fn random_numbers_of_commands_come_from_the_seed() {
    let directory = Directory::with(&[]);
    let name = |option: &str| {
        let run = directory.run(&["exec", option, "--nocapture=stdout", "mktemp -u XXXXXXXXXX"]);
        run.expect(0).stdout.lines().nth(1).expect("a name").to_owned()
    };
    let first = name("--seed=0");
    assert_eq!(name("--seed=0"), first);
    assert_ne!(name("--seed=1"), first);
    assert_ne!(name("--seed=random"), name("--seed=random"));
}

/// A program that waits in ways of which each has another system call, and prints what the clock shows.
const WAITS: &str = r#"
use std::sync::{Condvar, Mutex, mpsc};
use std::time::{Duration, Instant, SystemTime};
use std::{process, thread};

fn main() {
    let date = || SystemTime::UNIX_EPOCH.elapsed().unwrap().as_secs();
    println!("{}", date());
    let start = Instant::now();
    let limit = Duration::from_millis(200);
    let passed = || print!("{} ", start.elapsed().as_millis());
    passed();
    thread::sleep(limit);
    passed();
    thread::park_timeout(limit);
    passed();
    let lock = Mutex::new(());
    assert!(Condvar::new().wait_timeout(lock.lock().unwrap(), limit).unwrap().1.timed_out());
    passed();
    let (sender, receiver) = mpsc::channel();
    assert!(receiver.recv_timeout(limit).is_err());
    passed();
    thread::spawn(move || {
        thread::sleep(limit);
        sender.send(())
    });
    receiver.recv_timeout(100 * limit).unwrap();
    passed();
    let end = Instant::now() + limit;
    while Instant::now() < end {}
    passed();
    let date = process::Command::new("/bin/sh").args(["-c", "sleep 0.2; date +%s.%2N"]).output();
    println!("\n{}", String::from_utf8(date.unwrap().stdout).unwrap());
}
"#;

#[test]
fn clocks_of_commands_are_virtual() {
    let directory = Directory::with(&[("waits.rs", WAITS)]);
    directory.compile("waits.rs", &["-O"]);
    let times = |option: &str, command: &str| {
        let run = directory.run(&["exec", option, "--nocapture=stdout", command]).expect(0);
        run.stdout.lines().skip(1).take(3).map(str::to_owned).collect::<Vec<_>>()
    };
    let lines = times("--seed=0", "./waits");
    assert_eq!(lines, ["1893456000", "0 200 400 600 800 1000 1200 ", "1893456001.72"]);
    assert_ne!(times("--seed=1", "./waits")[2], lines[2]);
    assert_eq!(times("--clock=virtual", "date +%s")[0], lines[0]);
    assert_ne!(times("--clock=system", "date +%s")[0], lines[0]);
}

/// Returns a program that ends at once, with this number of functions that never run.
fn program_with_functions(number: usize) -> String {
    let name = |index: usize| format!("function_with_a_symbol_that_takes_memory_{index}");
    let functions = (0..number).map(|index| {
        let name = name(index);
        let body = "for word in std::env::args() { *text += &format!(\"{word}\"); }";
        format!(
            "#[inline(never)] fn {name}(text: &mut String) {{ {body} *text += \"{index}\"; }}\n"
        )
    });
    let functions = functions.collect::<Vec<_>>().concat();
    let calls = (0..number).map(|index| name(index) + "(&mut text);\n");
    let calls = calls.collect::<Vec<_>>().concat();
    format!(
        "{functions}fn main() {{\nlet mut text = String::new();\n\
         if std::env::args().count() > 9 {{\n{calls}}}\nstd::process::exit(text.len() as i32) }}\n"
    )
}

// std reads the list of mappings before `main`. Its lines depend on the size of the program, and on the memory that
// Valgrind needs for the symbols.
#[test]
fn functions_that_do_not_run_do_not_count_in_a_command() {
    let directory = Directory::with(&[]);
    let build_and_run = |functions: usize| {
        fs::write(directory.path("program.rs"), program_with_functions(functions))
            .expect("the file can be written");
        directory.compile("program.rs", &["-Cdebuginfo=1"]);
        let exec =
            ["exec", "--callgrind-metrics=ir", "--callgrind-limits=ir=0%", "--", "./program"];
        directory.run(&exec)
    };
    let first = build_and_run(1).expect(0).stdout;
    assert!(first.contains("Instructions"), "{first}");
    let second = build_and_run(300).expect(0).stdout;
    assert!(second.contains("(No change)"), "{second}");
}

// The list of mappings is complete for a program that reads it, whose frames have names.
#[test]
fn a_command_reads_all_of_its_mappings() {
    let program = "fn main() {\n\
        let maps = std::fs::read_to_string(\"/proc/self/maps\").unwrap();\n\
        let stack = (&raw const maps).addr();\n\
        for address in [main as fn() as usize, maps.as_ptr().addr(), stack] {\n\
            let number = |text| usize::from_str_radix(text, 16).unwrap();\n\
            let mut ranges = maps.lines().map(|line| line.split([' ', '-']));\n\
            assert!(ranges.any(|mut range| {\n\
                let start = number(range.next().unwrap());\n\
                (start..number(range.next().unwrap())).contains(&address)\n\
            }));\n\
        }\n\
        println!(\"{}\", std::backtrace::Backtrace::force_capture());\n}\n";
    let directory = Directory::with(&[("program.rs", program)]);
    // Without debug information, which would be read under Valgrind: symbols have the names
    directory.compile("program.rs", &["-Cstrip=debuginfo"]);
    let stdout = directory.run(&["exec", "--nocapture=stdout", "./program"]).expect(0).stdout;
    assert!(stdout.contains("program::main\n"), "{stdout}");
}

const FILE: &str = r#"
setup = "touch set-up"
teardown = "rm set-up"

[config]
env = { LANG = "C" }
tool.callgrind.metrics = "ir"

[[command]]
name = "environment"
command = "sh"
args = ["-c", 'test "$LANG$OTHER" = Cx && test -e set-up && read line && test "$line" = a']
env = { OTHER = "x" }
stdin = { file = "words.txt" }

[[command]]
command = "cmp words.txt copy.txt"
fixtures = ["words.txt"]
setup = "sh -c 'cp words.txt copy.txt && echo z >>copy.txt'"
stderr = { file = "output" }
exit_with = 1
teardown = "grep -q EOF output"

[[group]]
name = "search"
compare_by_id = true

[[group.command]]
name = "grep"
id = "x"
command = "grep x words.txt"

[[group.command]]
name = "fixed"
id = "x"
command = "grep -F x words.txt"
tool.callgrind.limits = "ir=10"
"#;

#[test]
fn a_file_of_commands_runs_in_its_directory() {
    let directory =
        Directory::with(&[("project/bench.toml", FILE), ("project/words.txt", WORDS.1)]);
    let file = "--file=project/bench.toml";
    let list = directory.run(&["exec", file, "--list", "--filter=search"]).expect(0).stdout;
    let expected =
        ["search::grep::x", "search::fixed::x"].map(|name| format!("bench::{name}: benchmark\n"));
    assert!(list.starts_with(&expected.concat()), "{list}");

    let run = directory.run(&["exec", file]).expect(3);
    let titles = run.stdout.lines().filter(|line| line.starts_with("bench::"));
    let expected = [
        "bench::commands::environment",
        "bench::commands::cmp words.txt copy.txt",
        "bench::search::grep x:grep x words.txt",
        "bench::search::fixed x:grep -F x words.txt",
    ];
    assert_eq!(titles.collect::<Vec<_>>(), expected);
    assert!(run.stdout.contains("\n  Comparison with grep x:grep x words.txt\n"), "{}", run.stdout);
    assert_eq!(run.stdout.matches("limit exceeded").count(), 1, "{}", run.stdout);
    let project = fs::read_dir(directory.path("project")).expect("a directory").count();
    assert_eq!(project, 2, "the sandbox and the teardown left nothing");
    // The results are where the runner ran
    assert!(directory.path("target/iai/exec/bench/search/grep.x").is_dir());
}

#[test]
fn commands_that_fail_do_not_keep_the_others_from_running() {
    let file = r#"
[[command]]
command = "no-such-program x"
[[command]]
command = "./no-such-script"
[[command]]
command = "false"
[[command]]
name = "killed"
command = "sh -c 'kill -9 $$'"
[[command]]
name = "no setup"
command = "true"
setup = "no-such-setup"
[[command]]
command = "true"
"#;
    let directory = Directory::with(&[("bench.toml", file)]);
    let run = directory.run(&["exec", "--file=bench.toml"]).expect(1);
    assert_eq!(run.report().benchmarks.len(), 1, "{}", run.stdout);
    assert_eq!(run.report().benchmarks[0].title, "bench::commands::true");
    let script = directory.path("no-such-script").display().to_string();
    for (name, expected) in [
        (
            "no-such-program x",
            "there is no program `no-such-program` in PATH\nhelp: check the name, ",
        ),
        ("./no-such-script", &format!("there is no program {script}")),
        ("false", "the command ended with exit code 1, but success is expected"),
        ("killed", "the command was killed by signal 9 (SIGKILL)"),
        ("no setup", "there is no program `no-such-setup` in PATH"),
    ] {
        let error = run.error_of(&format!("bench::commands::{name}"));
        assert!(error.contains(expected), "{error}");
    }
}

#[test]
fn wrong_options_and_wrong_files_are_errors_before_anything_runs() {
    let unknown = "[[command]]\ncommand = 'true'\nargz = ['x']\n";
    let limits = "[[command]]\ncommand = 'true'\ntool.callgrind.limits = 'cycles=5%'\n";
    let directory = Directory::with(&[("unknown.toml", unknown), ("limits.toml", limits)]);
    for (code, arguments, parts) in [
        (2, &["exec"][..], &["required arguments were not provided", "-- PROGRAM"][..]),
        (2, &["exec", "ls", "-l"], &["unexpected argument '-l'", "-- PROGRAM"]),
        (2, &["exec", "cat a | sort"], &["`|` needs a shell: write `sh -c '...'`"]),
        (
            1,
            &["exec", "-na", "-nb", "true"],
            &["there are 2 names for 1 commands\nhelp: give each "],
        ),
        (1, &["exec", "--file=missing.toml"], &["can't read missing.toml: "]),
        (
            1,
            &["exec", "--file=unknown.toml"],
            &["can't read the commands in ", "/unknown.toml: ", "line 3", "unknown field `argz`"],
        ),
        (
            1,
            &["exec", "--file=limits.toml"],
            &["can't use `true` in ", "/limits.toml: `tool.callgrind.limits`: unknown metric"],
        ),
        (
            1,
            &["exec", "--baseline=main", "true"],
            &["has a baseline `main`\nhelp: save one with --save-baseline=main"],
        ),
    ] {
        let run = directory.run(arguments).expect(code);
        run.complains(parts);
        assert_eq!(run.stdout, "", "{arguments:?}");
    }
    let against = directory.run(&["exec", "--against=main", "true"]).expect(1);
    against.complains(&[
        "can't use --against with commands: there is no benchmark file to build\nhelp: ",
    ]);
    directory.run(&["list"]).expect(1).complains(&["no results in "]);
}

/// A program whose blocks are in an array, and one that passes requests on to the C library.
const ALLOCATORS: [(&str, &str); 2] = [
    (
        "array.rs",
        "use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};\n\
         static mut MEMORY: [u8; 1 << 20] = [0; 1 << 20];\nstatic END: AtomicUsize = AtomicUsize::new(0);\n\
         struct Array;\nunsafe impl std::alloc::GlobalAlloc for Array {\n\
         unsafe fn alloc(&self, layout: std::alloc::Layout) -> *mut u8 {\n\
         let start = END.fetch_add(layout.size() + layout.align(), Relaxed);\n\
         let start = (&raw mut MEMORY).cast::<u8>().wrapping_add(start);\n\
         start.wrapping_add(start.align_offset(layout.align()))\n}\n\
         unsafe fn dealloc(&self, _: *mut u8, _: std::alloc::Layout) {}\n}\n\
         #[global_allocator]\nstatic ARRAY: Array = Array;\n\
         fn main() { std::hint::black_box(vec![1_u8; 5000]); }\n",
    ),
    (
        "passes.rs",
        "use std::alloc::{GlobalAlloc, Layout, System};\nstruct Passes;\nunsafe impl GlobalAlloc for Passes {\n\
         unsafe fn alloc(&self, layout: Layout) -> *mut u8 { unsafe { System.alloc(layout) } }\n\
         unsafe fn dealloc(&self, block: *mut u8, layout: Layout) { unsafe { System.dealloc(block, layout) } }\n\
         }\n#[global_allocator]\nstatic PASSES: Passes = Passes;\n\
         fn main() { std::hint::black_box(vec![1_u8; 5000]); }\n",
    ),
];

// DHAT sees the few blocks of the C library, and limits would pass.
#[test]
fn the_allocator_of_a_program_must_be_one_that_the_tool_replaces() {
    let directory = Directory::with(&ALLOCATORS);
    for (source, _) in ALLOCATORS {
        directory.compile(source, &["-Cdebuginfo=1"]);
    }
    let [array, passes] =
        ["array", "passes"].map(|name| directory.path(name).to_str().unwrap().to_owned());
    let exec = |tool: &str, command: &[&str]| {
        directory.run(&[&["exec", "--default-tool", tool, "--"], command].concat())
    };
    for tool in ["dhat", "massif", "memcheck"] {
        let own = exec(tool, &[&array]).expect(1);
        own.complains(&[&format!("{tool} can't see what it allocates: it has an allocator of")]);
        let _ = exec(tool, &[&passes]).expect(0);
    }
    let started = exec("memcheck", &["sh", "-c", &format!("{array}; true")]).expect(1);
    started.complains(&[&format!("memcheck can't see what `{array}` allocates: it has an all")]);
    let relative = exec("dhat", &["sh", "-c", "./array; true"]).expect(1);
    relative.complains(&[
        "dhat can't see what `/",
        "/array` allocates: it has an allocator of its own",
    ]);
    let passed_on = exec("dhat", &["sh", "-c", &format!("{passes}; true")]).expect(0).stdout;
    let bytes = passed_on.lines().find_map(|line| line.trim().strip_prefix("Total bytes:"));
    let (bytes, _) = bytes.and_then(|line| line.split_once('|')).expect("a value");
    assert!(bytes.trim().parse::<u64>().expect("a number") > 5000, "{passed_on}");
    let _ = exec("callgrind", &[&array]).expect(0);
}

// Valgrind writes the path into its files as it is.
#[test]
fn a_program_with_a_line_break_in_its_name_is_refused() {
    let directory = Directory::with(&[]);
    fs::copy("/bin/true", directory.path("a\nfn=(0)")).expect("a copy");
    let refused = directory.run(&["exec", "--", "./a\nfn=(0)"]).expect(1);
    refused.complains(&["is not UTF-8 or has a line break, which Valgrind's files can't contain"]);
}

// Neither opening a pipe that no program has open nor waiting for one is silent.
#[test]
fn pipes_that_the_user_names_are_read_or_named() {
    let directory = Directory::with(&[WORDS]);
    let [pipe, report] = ["pipe", "report.json"].map(|name| directory.path(name));
    assert!(Command::new("mkfifo").arg(&pipe).status().expect("mkfifo").success());
    let run_within = |arguments: &[&str]| {
        let mut command = Command::new("timeout");
        command.arg("60").arg(runner()).args(arguments);
        run(clean(&mut command).current_dir(directory.0.path()))
    };
    for arguments in [&["report", "pipe"][..], &["exec", "--file=pipe"]] {
        run_within(arguments).expect(1).complains(&["pipe: a pipe that no program writes to"]);
    }
    run_within(&["import", "--home=home", "pipe"])
        .expect(1)
        .complains(&["pipe: not a regular file"]);
    let cat = ["exec", "--stdin=pipe", "--", "cat"];
    run_within(&cat)
        .expect(1)
        .complains(&["pipe: a pipe, which only one run of a command can read"]);

    let summary = "--report=json:report.json";
    let _ = run_within(&["exec", summary, "--", "grep", "-c", "x", "words.txt"]).expect(0);
    let writer = format!("exec >'{}'; sleep 6; cat '{}'", pipe.display(), report.display());
    let mut writer = Command::new("sh").args(["-c", &writer]).spawn().expect("a shell");
    let read = run_within(&["report", "pipe"]).expect(0);
    assert!(writer.wait().expect("it ends").success());
    assert_eq!(read.stdout, run_within(&["report", "report.json"]).expect(0).stdout);
    assert_eq!(read.stderr, "waiting for a program that writes to pipe\n");
}
