//! Arguments, variables and ids that would do something if a shell, a path or Valgrind took them for more
//! than text.

use iai_callgrind::{
    Arg, BinaryBenchmarkGroup, Command, Run, binary_benchmark, binary_benchmark_group, main,
};

const PRINTARGS: &str = env!("CARGO_BIN_EXE_benchmark-tests-printargs");

/// Each is one argument, and stays that.
const WORDS: [&str; 14] = [
    "a b",
    "",
    "; touch pwned",
    "$(touch pwned)",
    "`touch pwned`",
    "> pwned",
    "'\"",
    "*",
    "~",
    "$HOME",
    "%p",
    "--tool=none",
    "--",
    "\\",
];

#[binary_benchmark]
fn words() -> Command {
    Command::new(PRINTARGS).args(WORDS).env("; touch pwned", "$(touch pwned)").build()
}

binary_benchmark_group!(name = arguments; benchmarks = words);

binary_benchmark_group!(
    name = ids;
    benchmark = |"benchmark-tests-printargs", group: &mut BinaryBenchmarkGroup| {
        for id in ["..", ".", "../../../pwned", "/tmp/pwned", "a\nb", "; touch pwned", "%p", ".staging-"] {
            group.bench(Run::with_arg(Arg::new(id, [id])));
        }
    }
);

main!(binary_benchmark_groups = arguments, ids);
