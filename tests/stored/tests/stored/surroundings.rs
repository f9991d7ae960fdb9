//! Bad surroundings get one clear error, and nothing is lost.

use std::fs;
use std::path::Path;
use std::process::Command;

use end_to_end_tests::{Run, Suite, assert_unchanged, run, tree};

/// Asserts that there is one error on stderr and no result.
fn one_error(run: &Run) {
    assert_eq!(run.stdout, "");
    assert_eq!(run.stderr.matches("error: ").count(), 1, "{}", run.stderr);
}

/// Runs `order.rs` with wrong arguments or variables after a good run, whose results have to stay.
fn wrong_after_a_good_run(change: impl FnOnce(&mut Command), parts: &[&str]) {
    let (order, _) = Suite::after("order", &[]);
    let before = tree(&order.directory());
    let mut command = order.command();
    change(&mut command);
    let run = run(&mut command).expect(2);
    assert_unchanged(&before, &tree(&order.directory()));
    one_error(&run);
    run.complains(parts);
}

#[test]
fn an_unknown_argument() {
    let unknown = |command: &mut Command| {
        command.arg("--no-such-argument");
    };
    wrong_after_a_good_run(unknown, &["--no-such-argument"]);
}

#[test]
fn no_process_at_once() {
    let by_variable = |command: &mut Command| {
        command.env("IAI_CALLGRIND_PARALLEL", "0");
    };
    wrong_after_a_good_run(by_variable, &["parallel", "greater than 0"]);
    let by_flag = |command: &mut Command| {
        command.arg("--parallel=many");
    };
    wrong_after_a_good_run(by_flag, &["--parallel", "many"]);
}

// Not by permissions, which mean nothing to the superuser.
#[test]
fn an_output_directory_that_can_not_be_written() {
    let order = Suite::new("order");
    let file = order.root().join("file");
    fs::write(&file, "precious").unwrap();
    for home in [&*file, Path::new("/proc/no/such/place"), Path::new("/dev/null")] {
        let run = run(order
            .bare()
            .arg("--bench")
            .arg("--home")
            .arg(home)
            .env("IAI_CALLGRIND_RUNNER", end_to_end_tests::runner()));
        let run = run.expect(1);
        one_error(&run);
        run.complains(&[&home.display().to_string()]);
    }
    assert_eq!(fs::read_to_string(&file).unwrap(), "precious");
}

#[test]
fn a_file_in_the_place_of_a_benchmarks_directory() {
    let order = Suite::new("order");
    fs::create_dir_all(order.directory().join("texts")).unwrap();
    let file = order.directory().join("texts/tree.pangram");
    fs::write(&file, "precious").unwrap();
    let run = order.run(&[]).expect(1);
    run.complains(&["tree pangram", &file.display().to_string()]);
    assert_eq!(run.report().names().len(), 7, "the others have results");
    assert_eq!(fs::read_to_string(&file).unwrap(), "precious");
}

/// Damages the last result of a benchmark, which has to stay, and whose line has to be named. The others run.
fn damaged_result(damage: impl Fn(&[u8]) -> Vec<u8>) {
    let (order, _) = Suite::after("order", &[]);
    let result = order.result("numbers::bubble_sort::ten", "out");
    let whole = fs::read(&result).unwrap();
    fs::write(&result, damage(&whole)).unwrap();
    let run = order.run(&[]).expect(1);
    assert_eq!(run.stderr.matches("error: ").count(), 1, "{}", run.stderr);
    assert_eq!(run.report().names().len(), 7, "the others have results");
    let (_, place) = run
        .stderr
        .split_once(&format!("{}:", result.display()))
        .unwrap_or_else(|| panic!("the file is not named: {}", run.stderr));
    let line: usize = place.split(':').next().and_then(|line| line.parse().ok()).expect("a line");
    let lines = damage(&whole).split(|byte| *byte == b'\n').count();
    assert!((1..=lines).contains(&line), "{}", run.stderr);
    assert!(fs::read(&result).unwrap() == damage(&whole), "the file stays");
    assert!(!result.with_extension("old.out").exists(), "nothing took its place");
}

#[test]
fn a_truncated_result() {
    damaged_result(|whole| whole[..whole.len() / 2].to_vec());
    damaged_result(|whole| whole[..100].to_vec());
    damaged_result(|whole| whole[..whole.len() - 20].to_vec());
}

#[test]
fn an_empty_result() {
    damaged_result(|_| Vec::new());
}

#[test]
fn a_result_that_is_something_else() {
    damaged_result(|_| b"\x7fELF\0\xff\xfe binary \n\n more".to_vec());
    damaged_result(|_| b"# callgrind format\nevents: Ir\nfn=x\n1 1\ntotals: many\n".to_vec());
}
