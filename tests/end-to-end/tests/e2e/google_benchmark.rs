//! A file of Google Benchmark in C++.

mod compilers;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use end_to_end_tests::{
    Run, annotated_functions, git, lines, run, runner, shared_report, skip, target_directory, tree,
};

/// Returns the library.
fn library() -> PathBuf {
    target_directory().join("google-benchmark/libiai_callgrind_google_benchmark.a")
}

/// Returns the object file of `google_benchmark.cpp`, which executables share: the headers take seconds to compile.
fn object() -> PathBuf {
    library().with_file_name("google_benchmark_test.o")
}

/// Returns the directory of the package.
fn package() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../crates/iai-callgrind-google-benchmark")
}

/// Returns the file with the benchmarks.
fn source() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/e2e/google_benchmark.cpp")
}

/// Builds the library and the executable of `google_benchmark.cpp`, once. `None` without a compiler for C++.
fn executable() -> Option<&'static Path> {
    static EXECUTABLE: OnceLock<Option<PathBuf>> = OnceLock::new();
    EXECUTABLE
        .get_or_init(|| {
            if Command::new("c++").arg("--version").output().is_err() {
                skip("there is no compiler for C++");
                return None;
            }
            let package = package();
            let mut cargo = Command::new(env!("CARGO"));
            cargo.args(["build", "--quiet", "--profile=google-benchmark"]).current_dir(&package);
            let _ = run(cargo.env("CARGO_TARGET_DIR", target_directory())).expect(0);
            let object = object();
            let mut compiler = Command::new("c++");
            compiler.args(["-std=c++11", "-O2", "-g", "-Wall", "-Werror", "-c", "-I"]);
            compiler.arg(package.join("include")).arg("-o").arg(&object);
            let _ = run(compiler.arg(source())).expect(0);
            let executable = object.with_extension("");
            let source = object.with_file_name("squares.cpp");
            std::fs::write(&source, squares("number")).unwrap();
            compile(&[&source, &object], &executable);
            Some(executable)
        })
        .as_deref()
}

/// Compiles files and links them with the library.
fn compile(files: &[&Path], executable: &Path) {
    let mut compiler = Command::new("c++");
    compiler.args(["-std=c++11", "-O1", "-g", "-Wall", "-Werror", "-I"]);
    compiler.arg(package().join("include")).args(files).arg(library());
    let _ = run(compiler.arg("-o").arg(executable).args(["-pthread", "-ldl"])).expect(0);
}

/// Returns the file of the function `squares` with a formula.
fn squares(formula: &str) -> String {
    format!(
        r#"
namespace sums {{
template <class T>
__attribute__((noinline)) T squares(T last) {{
  T sum = 0;
  for (T number = 0; number < last; ++number) {{
    sum += {formula};
    asm volatile("" : "+r"(sum));
  }}
  return sum;
}}
}}  // namespace sums

extern "C" long squares(long last) {{ return sums::squares<long>(last); }}
"#
    )
}

/// Starts the executable with its results in this directory.
fn start(executable: &Path, home: &Path, arguments: &[&str]) -> Run {
    let mut command = Command::new(executable);
    command.env("IAI_CALLGRIND_RUNNER", runner()).env("IAI_CALLGRIND_HOME", home);
    run(command.args(arguments))
}

#[test]
fn the_body_of_the_loop_counts_once_and_repeats() {
    let Some(executable) = executable() else { return };
    let home = tempfile::tempdir().unwrap();
    let first = start(executable, home.path(), &["--benchmark_filter=-wrong"]).expect(0);
    let blocks = lines::blocks(&first.stdout);
    let counts = |name: &str| {
        lines::value(
            &blocks[&*format!("google_benchmark_test::benchmarks::{name}")],
            "Instructions",
        )
    };
    assert_eq!(blocks.len(), 12, "{}", first.stdout);
    let difference = counts("characters") - counts("characters_again");
    assert!(counts("characters") > 60.0 && difference.abs() < 0.5, "{difference}");
    // The loop itself and nothing of the harness
    let empty = counts("empty");
    assert!((1.0..=10.0).contains(&empty), "{empty}");
    assert!(counts("paused") < 50.0, "{}", counts("paused"));
    assert!(counts("Numbers/Clear") < 50.0, "{}", counts("Numbers/Clear"));
    assert!(counts("two_threads/threads:2") > 6000.0);
    let per_number = (counts("sum/n:100") - counts("sum/n:10")) / 90.0;
    assert!((2.0..=10.0).contains(&per_number), "{per_number}");
    assert!(first.stdout.contains("half:"), "{}", first.stdout);
    assert!(first.stdout.contains("Ir per element:"), "{}", first.stdout);
    assert!(first.stdout.contains("\n  label: a label\n"), "{}", first.stdout);
    let items = lines::value(
        &blocks["google_benchmark_test::benchmarks::iterations/iterations:42"],
        "Ir per element",
    );
    assert!((1.0..=50.0).contains(&items), "one of 42 iterations counts: {items}");
    let skipped = "google_benchmark_test::benchmarks::skips skips itself: not on this machine";
    assert!(first.stderr.contains(skipped), "{}", first.stderr);
    let again = start(executable, home.path(), &["--benchmark_filter=-wrong"]).expect(0);
    let is_changed = |line: &&str| line.contains('|') && !line.contains("(No change)");
    assert_eq!(again.stdout.lines().find(is_changed), None, "{}", again.stdout);
}

#[test]
fn the_heap_and_the_variables_are_the_same_in_another_build_directory() {
    let Some(executable) = executable() else { return };
    let addresses = |executable: &Path, home: &Path| {
        let run = start(executable, home, &["--benchmark_filter=heap"]).expect(0);
        ["address:", "variables:"].map(|name| {
            let line = run.stdout.lines().find(|line| line.contains(name));
            line.unwrap_or_else(|| panic!("{}", run.stdout)).to_owned()
        })
    };
    let directory = tempfile::tempdir().unwrap();
    let build = directory.path().join("a_build_directory_with_a_long_name");
    std::fs::create_dir(&build).unwrap();
    let cache = "# a comment\n".repeat(10_000) + "CMAKE_HOME_DIRECTORY:INTERNAL=/sources\n";
    std::fs::write(build.join("CMakeCache.txt"), cache).unwrap();
    let copy = build.join("a_copy");
    let _ = std::fs::copy(executable, &copy).unwrap();
    let home = directory.path().join("iai");
    assert_eq!(addresses(executable, &home), addresses(&copy, &build.join("iai")));
}

#[test]
fn valgrind_translates_the_code_around_benchmarks_once() {
    let Some(executable) = executable() else { return };
    let home = tempfile::tempdir().unwrap();
    // A line of the log for each translation
    let traced = ["--benchmark_filter=empty", "--callgrind-args=--trace-flags=10000000"];
    let _ = start(executable, home.path(), &traced).expect(0);
    let files = tree(home.path());
    let is_log =
        |path: &str| Path::new(path).extension().is_some_and(|extension| extension == "log");
    let logs = files.iter().filter(|(path, _)| is_log(path));
    let log: String = logs.map(|(_, log)| String::from_utf8_lossy(log)).collect();
    let translations: Vec<_> = log.lines().filter(|line| line.contains("==== SB ")).collect();
    let has = |function| translations.iter().any(|line| line.contains(function));
    assert!(has(" empty(benchmark::State&)"), "{log}");
    for function in
        ["benchmark::internal::Instance::Run", "Heap::take", "iai_callgrind_loop_next", "std::"]
    {
        assert!(!has(function), "{function}: {translations:#?}");
    }
}

#[test]
fn dhat_counts_what_the_function_of_a_benchmark_allocates() {
    let Some(executable) = executable() else { return };
    let home = tempfile::tempdir().unwrap();
    let arguments = ["--default-tool=dhat", "--benchmark_filter=heap|sum/n:100"];
    let run = start(executable, home.path(), &arguments).expect(0);
    let blocks = lines::blocks(&run.stdout);
    for (name, numbers) in [("heap", 1000.0), ("sum/n:100", 100.0)] {
        let block = &blocks[&*format!("google_benchmark_test::benchmarks::{name}")];
        let bytes = lines::value(block, "Total bytes");
        assert!((4.0 * numbers..4.0 * numbers + 500.0).contains(&bytes), "{name}: {bytes}");
    }
}

#[test]
fn a_benchmark_that_fails_ends_alone() {
    let Some(executable) = executable() else { return };
    let home = tempfile::tempdir().unwrap();
    let failed = start(executable, home.path(), &["--benchmark_filter=wrong|empty"]).expect(1);
    let output = failed.stdout.clone() + &failed.stderr;
    for text in [
        "an exception was thrown: thrown",
        "the benchmark failed",
        "killed by signal 6",
        "ended its process before it returned",
        "never enters the loop over its `State`",
        "enters the loop over its `State` twice",
        "thread 1 never enters the loop over its `State`, or leaves it before the end",
        "an exception was thrown: thrown in a thread",
        "10 benchmarks ran, 0 regressed, 9 failed",
    ] {
        assert!(output.contains(text), "no {text:?}: {output}");
    }
    for text in ["panicked", "RUST_BACKTRACE"] {
        assert!(!output.contains(text), "{text:?}: {output}");
    }
}

#[test]
fn a_runner_that_reads_no_plan_keeps_its_exit_code() {
    if executable().is_none() {
        return;
    }
    let directory = tempfile::tempdir().unwrap();
    let [source, executable] = ["many.cpp", "many"].map(|name| directory.path().join(name));
    // The plan does not fit into a pipe
    let many = "#include <benchmark/benchmark.h>\n\
                static void one(benchmark::State& state) { for (auto _ : state) {} }\n\
                BENCHMARK(one)->DenseRange(1, 2000);\n\
                BENCHMARK_MAIN();\n";
    std::fs::write(&source, many).unwrap();
    compile(&[&source], &executable);
    let wrong_filters = ["--benchmark_filter=[", "--benchmark_filter=-["].map(|it| (it, 2));
    for (argument, code) in [("--help", 0), ("--unknown", 2)].into_iter().chain(wrong_filters) {
        let _ = start(&executable, directory.path(), &[argument]).expect(code);
    }
    let wrong = start(&executable, directory.path(), &["--benchmark_repetitions=abc"]).expect(2);
    let error = "error: invalid value 'abc' for '--benchmark_repetitions': ";
    assert!(wrong.stderr.starts_with(error), "{}", wrong.stderr);
}

#[test]
fn a_benchmark_that_skips_itself_has_no_time() {
    let Some(executable) = executable() else { return };
    let home = tempfile::tempdir().unwrap();
    let timed = start(executable, home.path(), &["--time", "--benchmark_filter=skips"]).expect(1);
    let text = "the benchmark skips itself: not on this machine";
    assert!(timed.stderr.contains(text), "{}", timed.stderr);
}

#[test]
fn options_of_google_benchmark_have_their_effect() {
    let Some(executable) = executable() else { return };
    let home = tempfile::tempdir().unwrap();
    let start = |arguments: &[&str]| start(executable, home.path(), arguments).expect(0);
    let list = start(&["--benchmark_list_tests", "--benchmark_filter=^sum"]);
    assert_eq!(list.stdout, "sum/n:10\nsum/n:100\n");
    let json =
        start(&["--benchmark_filter=^sum", "--benchmark_format=json", "--benchmark_repetitions=3"]);
    let read: serde_json::Value = serde_json::from_str(&json.stdout).unwrap();
    assert_eq!(read["benchmarks"][1]["name"], "sum/n:100");
    assert!(read["benchmarks"][1]["cpu_time"].as_u64() > Some(100));
    assert!(json.stderr.contains("note: without effect on counts: --benchmark_repetitions"));
    // The names of the file and of the group are ours
    // Others than those of Rust: `\d` is a letter
    let expressions = [(r"^sum/n:\d", 0), ("^[[:alpha:]]+/n:1", 2)];
    let filters = [("benchmarks", 0), ("-^sum|wrong|skip", 0), ("^sum", 2)];
    for (filter, number) in filters.into_iter().chain(expressions) {
        let filter = format!("--benchmark_filter={filter}");
        let list = &["--benchmark_list_tests", &*filter][..];
        let [listed, counted] = [list, &[&*filter, "--", "number"]].map(start);
        let names = listed.stdout.lines().count();
        let ran = format!("{names} benchmark{} ran", if names == 1 { "" } else { "s" });
        assert!(counted.stdout.contains(&ran), "{filter}: {ran}: {}", counted.stdout);
        let selected = format!("{names} are selected");
        assert!(counted.stderr.contains(&selected), "{filter}: {}", counted.stderr);
        assert!(number == 0 || names == number, "{filter}: {}", listed.stdout);
    }
    let wrong = self::start(executable, home.path(), &["--", "filter"]).expect(2);
    assert!(wrong.stderr.starts_with("error: invalid value '[' for "), "{}", wrong.stderr);
    assert_eq!(wrong.stdout, "");
    let dry = start(&["--benchmark_dry_run", "--benchmark_filter=^sum"]);
    assert!(dry.stdout.contains("2 passed; 0 failed"), "{}", dry.stdout);
    // The exit code of `main` after the benchmarks
    for (argument, filter, code) in [
        ("--benchmark_dry_run", "^sum", 3),
        ("--benchmark_dry_run", "wrong/throws", 101),
        ("--benchmark_list_tests", "^sum", 3),
        ("--benchmark_format=console", "^sum", 0),
    ] {
        let filter = format!("--benchmark_filter={filter}");
        let arguments = [argument, &*filter, "--", "fail"];
        let _ = self::start(executable, home.path(), &arguments).expect(code);
    }
}

#[test]
fn a_function_of_rust_counts_the_same_from_cpp() {
    if executable().is_none() {
        return;
    }
    let directory = tempfile::tempdir().unwrap();
    let package = directory.path().join("package");
    std::fs::create_dir(&package).unwrap();
    let [object, executable] = ["squares.o", "squares"].map(|name| package.join(name));
    let source = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../benchmark-tests/benches/squares/function.rs");
    let mut rustc = Command::new("rustc");
    rustc.args(["--edition=2024", "--crate-type=lib", "--emit=obj", "-Copt-level=3", "-o"]);
    let _ = run(rustc.arg(&object).arg(source)).expect(0);
    compile(&[&object, &self::object()], &executable);
    let home = directory.path().join("iai");
    let _ = start(&executable, &home, &["squares_below"]).expect(0);
    let profile = home.join("package/squares/benchmarks/squares_below_100");
    let profile = profile.join("callgrind.squares_below_100.out");
    let Some(functions) = annotated_functions(&profile, "--inclusive=yes") else {
        return skip("callgrind_annotate is not installed");
    };
    let rust = shared_report("squares", &[]).instructions("group::squares::below_100");
    // The benchmark in Rust jumps to the function
    assert_eq!(functions["squares"], [rust - 1]);
}

#[test]
fn an_explanation_names_a_function_of_cpp_with_its_line() {
    if executable().is_none() {
        return;
    }
    // Not in this workspace, whose units of Rust have debug information too
    let directory = tempfile::tempdir().unwrap();
    let [source, executable] = ["sums.cpp", "sums"].map(|name| directory.path().join(name));
    let home = directory.path().join("iai");
    let mut run = None;
    for formula in ["number", "number * (number ^ sum)"] {
        std::fs::write(&source, squares(formula)).unwrap();
        compile(&[&source, &object()], &executable);
        run = Some(start(&executable, &home, &["squares", "--explain=all"]).expect(0));
    }
    let run = run.unwrap();
    assert!(!run.stderr.contains("no debug information"), "{}", run.stderr);
    for text in ["sums::squares, sums.cpp:7 changed", "sums.cpp:7  sum += number * (number ^ sum)"]
    {
        assert!(run.stdout.contains(text), "no {text:?}: {}", run.stdout);
    }
}

const CMAKE: &str = r"
cmake_minimum_required(VERSION 3.10)
project(sums CXX)
add_executable(sums sums.cpp)
target_link_libraries(sums ${OBJECTS} -pthread ${CMAKE_DL_LIBS})
";

/// Makes a project of `CMake` in a repository, which is built in `build`. Its first commit has another formula. `None` without
/// `CMake`.
fn project(directory: &Path) -> Option<PathBuf> {
    if Command::new("cmake").arg("--version").output().is_err() {
        skip("there is no CMake");
        return None;
    }
    std::fs::write(directory.join("CMakeLists.txt"), CMAKE).unwrap();
    std::fs::write(directory.join(".gitignore"), "/build\n").unwrap();
    std::fs::write(directory.join("sums.cpp"), squares("number")).unwrap();
    let _ = git(directory, &["init", "--quiet"]);
    let _ = git(directory, &["add", "."]);
    let _ = git(directory, &["commit", "--quiet", "--message", "first"]);
    let changed = squares("number * (number ^ sum)");
    std::fs::write(directory.join("sums.cpp"), changed).unwrap();
    let mut cmake = Command::new("cmake");
    cmake
        .args(["-B", "build", "-DCMAKE_BUILD_TYPE=Debug", "-DCMAKE_CXX_COMPILER_FORCED=ON"])
        .current_dir(directory);
    let objects = format!("-DOBJECTS={};{}", object().display(), library().display());
    let _ = run(cmake.arg(objects)).expect(0);
    let mut cmake = Command::new("cmake");
    let _ = run(cmake.args(["--build", "build"]).current_dir(directory)).expect(0);
    Some(directory.join("build/sums"))
}

#[test]
fn a_command_builds_another_revision() {
    if executable().is_none() {
        return;
    }
    let directory = tempfile::tempdir().unwrap();
    let directory = directory.path().canonicalize().unwrap();
    let Some(executable) = project(&directory) else { return };
    let start = |build: &str, place: &str| {
        let mut command = Command::new(&executable);
        command.args(["squares", "--against=HEAD", "--explain=all", "--build", build]);
        command.env("IAI_CALLGRIND_RUNNER", runner()).env("IAI_CALLGRIND_AGAINST_PLACE", place);
        run(command.current_dir(&directory))
    };
    for place in ["", "mirror"] {
        let run = start("cmake --build build --target sums", place).expect(0);
        assert!(run.stderr.contains("building HEAD ("), "{}", run.stderr);
        assert!(run.stderr.contains("measuring HEAD ("), "{}", run.stderr);
        for text in ["(+", "sums::squares", "sums.cpp:7  sum += number * (number ^ sum)"] {
            assert!(run.stdout.contains(text), "{place}: no {text:?}: {}", run.stdout);
        }
    }
    let again = start("cmake --build build --target sums", "").expect(0);
    assert!(again.stderr.contains("using the results of HEAD ("), "{}", again.stderr);
    let mut command = Command::new(&executable);
    command.args(["by_argument", "--against=HEAD", "--build=cmake --build build --target sums"]);
    command.args(["--", "--register=by_argument"]).env("IAI_CALLGRIND_RUNNER", runner());
    let with_argument = run(command.current_dir(&directory)).expect(0);
    for text in ["sums::benchmarks::by_argument\n", "(No change)"] {
        assert!(with_argument.stdout.contains(text), "{}", with_argument.stdout);
    }
    let failed = start("echo the reason; false", "").expect(1);
    assert!(failed.stderr.contains("the reason\n"), "{}", failed.stderr);
    assert!(failed.stderr.contains("its output is above\nhelp: "), "{}", failed.stderr);
    let missing = start("true", "").expect(1);
    let text = format!("`true` makes no {}\nhelp: ", executable.display());
    assert!(missing.stderr.contains(&text), "{}", missing.stderr);
}

#[test]
fn a_command_builds_each_commit_of_a_search_and_of_a_history() {
    if executable().is_none() {
        return;
    }
    let directory = tempfile::tempdir().unwrap();
    let directory = directory.path().canonicalize().unwrap();
    let Some(executable) = project(&directory) else { return };
    let changed = squares("number * (number ^ sum)");
    for (subject, text) in [
        ("comment", format!("{}// A comment\n", squares("number"))),
        ("broken", "this is no C++".to_owned()),
        ("slower", changed.clone()),
        ("last", changed + "// A comment\n"),
    ] {
        std::fs::write(directory.join("sums.cpp"), text).unwrap();
        let _ = git(&directory, &["commit", "--quiet", "--all", "--message", subject]);
    }
    let start = |executable: &Path, arguments: &[&str]| {
        let mut command = Command::new(executable);
        command.args(arguments).args(["squares", "--build=cmake --build build --target sums"]);
        command.env("IAI_CALLGRIND_RUNNER", runner()).current_dir(&directory);
        run(&mut command)
    };
    let found = start(&executable, &["bisect", "HEAD~4", "HEAD"]).expect(0);
    assert!(found.stderr.contains("note: skipping "), "{}", found.stderr);
    for text in [" broken\n", " slower\n", "the count changed with one of these", "sums::squares"] {
        assert!(found.stdout.contains(text), "no {text:?}: {}", found.stdout);
    }
    let history = start(&executable, &["history", "HEAD~4..HEAD"]).expect(0);
    let rows: Vec<_> = history.stdout.lines().skip(1).collect();
    assert_eq!(rows.len(), 5, "{}", history.stdout);
    assert!(rows[2].contains("not measured") && rows[3].contains("(+"), "{}", history.stdout);
    let elsewhere = start(runner(), &["history", "HEAD~1..HEAD", "--bench=sums"]).expect(1);
    let text = "no benchmark executable started this subcommand\nhelp: ";
    assert!(elsewhere.stderr.contains(text), "{}", elsewhere.stderr);
    let mut command = Command::new(runner());
    command.args(["bisect", "HEAD~1", "HEAD", "--bench=sums", "--build=true"]);
    command.env("IAI_CALLGRIND_EXECUTABLE", "/bin/true").current_dir(&directory);
    let ended = run(&mut command).expect(1);
    assert!(ended.stderr.contains("does not list its benchmarks\nhelp: "), "{}", ended.stderr);
}

#[test]
fn benchmarks_count_if_the_code_after_them_aborts() {
    let Some(executable) = executable() else { return };
    let home = tempfile::tempdir().unwrap();
    let run = start(executable, home.path(), &["--benchmark_filter=empty", "--", "abort"]);
    let run = run.expect(0);
    assert!(run.stdout.contains("1 benchmark ran"), "{}", run.stdout);
    assert!(run.stderr.contains("the code after the benchmarks aborts"), "{}", run.stderr);
    let arguments = ["--benchmark_list_tests", "--benchmark_filter=^sum", "--", "abort"];
    let list = start(executable, home.path(), &arguments);
    assert_eq!((list.code, &*list.stdout), (None, "sum/n:10\nsum/n:100\n"));
}

#[test]
fn the_program_has_its_arguments_in_all_modes() {
    let Some(executable) = executable() else { return };
    let home = tempfile::tempdir().unwrap();
    let start = |option: &str| {
        let arguments =
            ["--benchmark_filter=^by_argument$", option, "--", "--register=by_argument"];
        start(executable, home.path(), &arguments).expect(0)
    };
    for option in ["--parallel=2", "--repeat=2"] {
        let counted = start(option);
        assert!(counted.stdout.contains("::by_argument\n"), "{}", counted.stdout);
    }
    let timed = start("--time");
    assert!(timed.stdout.contains("::by_argument "), "{}", timed.stdout);
    let repeated = start("--profile-time=50ms");
    assert!(repeated.stderr.contains("::by_argument: "), "{}", repeated.stderr);
}

#[test]
fn a_static_executable_is_an_error() {
    if executable().is_none() {
        return;
    }
    let directory = tempfile::tempdir().unwrap();
    let executable = directory.path().join("static");
    compile(
        &[Path::new("-static"), &object().with_file_name("squares.cpp"), &object()],
        &executable,
    );
    let run = start(&executable, directory.path(), &["--benchmark_filter=empty"]).expect(1);
    assert!(run.stderr.contains("it is linked with -static"), "{}", run.stderr);
}

#[test]
fn an_executable_without_benchmarks_has_a_note() {
    if executable().is_none() {
        return;
    }
    let directory = tempfile::tempdir().unwrap();
    let [source, executable] = ["none.cpp", "none"].map(|name| directory.path().join(name));
    let main = "extern \"C\" int iai_callgrind_main(int, char**);\n\
                int main(int argc, char** argv) { return iai_callgrind_main(argc, argv); }\n";
    std::fs::write(&source, main).unwrap();
    compile(&[&source], &executable);
    let run = start(&executable, directory.path(), &[]).expect(0);
    assert!(run.stderr.contains("the executable registers no benchmarks"), "{}", run.stderr);
}
