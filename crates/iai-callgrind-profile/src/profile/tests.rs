//! Merges real dumps and checks that each cost is still at the same place.

use std::collections::BTreeMap;
use std::fs;

use iai_callgrind_plan::metric::MetricKind;
use tempfile::TempDir;

use super::*;
use crate::fixtures::{damage, fixture};

/// Instructions of `client_request.out` and of `forked_child.out`; `termination.out` has none.
const TOTAL_IR: u64 = 1859 + 2050;

/// The header of the first and the second of these.
const HEADER: &str = "\
# callgrind format
version: 1
creator: callgrind-3.19.0
pid: 15927
cmd:  /tmp/lab/p1/target/release/p1 9 5
desc: I1 cache: 32768 B, 64 B, 8-way associative
desc: D1 cache: 32768 B, 64 B, 8-way associative
desc: LL cache: 8388608 B, 64 B, 16-way associative
positions: line
desc: Part 1: pid 15927: /tmp/lab/p1/target/release/p1 9 5: 1859 306 382 3 0 0 2 0 0
desc: Part 2: pid 15928: /tmp/lab/p1/target/release/p1 9 5: 2050 334 433 5 0 0 4 0 0
events: Ir Dr Dw I1mr D1mr D1mw ILmr DLmr DLmw
summary: 3909 640 815 8 0 0 6 0 0
";

/// Merges dumps and returns the totals.
fn merge_totals(dumps: &[PathBuf], to: &Path) -> Result<Metrics> {
    merge(dumps, to, ProfileDetails::default()).map(|profile| profile.total)
}

fn read_totals(path: &Path) -> Metrics {
    Profile::read(path, ProfileDetails::default()).unwrap().total
}

fn read_header(path: &Path) -> DumpHeader {
    DumpHeader::read(path).unwrap()
}

/// Returns a directory with copies of fixtures, and their paths.
fn copies(names: &[&str]) -> (TempDir, Vec<PathBuf>) {
    let directory = TempDir::new().unwrap();
    let copy = |name: &&str| {
        let path = directory.path().join(name);
        fs::copy(fixture(name), &path).unwrap();
        path
    };
    let paths = names.iter().map(copy).collect();
    (directory, paths)
}

fn names_in(directory: &TempDir) -> Vec<String> {
    let entries = fs::read_dir(directory.path()).unwrap();
    let mut names: Vec<_> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

/// Returns the self cost and the cost of the calls of each function.
fn costs_by_function(path: &Path) -> BTreeMap<String, (u64, u64)> {
    let content = fs::read_to_string(path).unwrap();
    let columns = read_header(path).positions.len();
    let (mut names, mut costs) = (BTreeMap::new(), BTreeMap::new());
    let (mut function, mut is_call) = (String::new(), false);
    for line in content.lines() {
        if let Some((spec @ ("fn" | "cfn"), name)) = line.split_once('=') {
            let (id, name) = name.split_once(' ').unwrap_or((name, ""));
            if !name.is_empty() {
                let previous = names.insert(id.to_owned(), name.to_owned());
                assert_eq!(previous, None, "{id} has two names");
            }
            if spec == "fn" {
                function.clone_from(&names[id]);
            }
        } else if line.starts_with("calls=") {
            is_call = true;
        } else if line.starts_with(|first: char| first.is_ascii_digit() || "+-*".contains(first)) {
            let mut words = line.split_whitespace().skip(columns);
            let value: u64 = words.next().map_or(0, |word| word.parse().unwrap());
            let cost: &mut (u64, u64) = costs.entry(function.clone()).or_default();
            *(if is_call { &mut cost.1 } else { &mut cost.0 }) += value;
            is_call = false;
        }
    }
    costs
}

/// Removes functions without self cost.
fn keep_measured(costs: &mut BTreeMap<String, (u64, u64)>) {
    costs.retain(|_, (own, _)| *own > 0);
}

#[test]
fn a_process_its_dumps_and_its_child() {
    let parts = ["client_request.out", "termination.out", "forked_child.out"].map(fixture).to_vec();
    let directory = TempDir::new().unwrap();
    let to = directory.path().join("callgrind.out");
    let totals = merge_totals(&parts, &to).unwrap();
    assert_eq!(totals.count(MetricKind::Ir), Some(TOTAL_IR));

    let merged = read_header(&to);
    assert_eq!((merged.summary.as_ref(), &read_totals(&to)), (Some(&totals), &totals));
    assert_eq!((merged.number, merged.trigger), (None, None));

    let mut expected = BTreeMap::new();
    for part in &parts {
        for (function, (own, calls)) in costs_by_function(part) {
            let sum: &mut (u64, u64) = expected.entry(function).or_default();
            *sum = (sum.0 + own, sum.1 + calls);
        }
    }
    keep_measured(&mut expected);
    assert_eq!(costs_by_function(&to), expected);
    assert_eq!(expected.values().map(|(own, _)| own).sum::<u64>(), TOTAL_IR);
}

#[test]
fn the_header_describes_the_parts() {
    let (directory, parts) = copies(&["client_request.out", "forked_child.out"]);
    let to = directory.path().join("callgrind.out");
    merge_totals(&parts, &to).unwrap();
    let header: String = fs::read_to_string(&to).unwrap().split_inclusive('\n').take(13).collect();
    assert_eq!(header, HEADER);
}

#[test]
fn two_columns_of_positions() {
    let parts = vec![fixture("instr_line_jumps.out"); 2];
    let directory = TempDir::new().unwrap();
    let to = directory.path().join("callgrind.out");
    merge_totals(&parts, &to).unwrap();
    let mut twice = costs_by_function(&parts[0])
        .into_iter()
        .map(|(function, (own, calls))| (function, (2 * own, 2 * calls)))
        .collect();
    keep_measured(&mut twice);
    assert_eq!(costs_by_function(&to), twice);
}

/// Returns the lines of the body of the merged profile of one dump.
fn merged_body(dump: &str) -> Vec<String> {
    let directory = TempDir::new().unwrap();
    let to = directory.path().join("callgrind.out");
    merge_totals(&[fixture(dump)], &to).unwrap();
    let content = fs::read_to_string(&to).unwrap();
    let (_, body) = content.split_once("\n\n").unwrap();
    body.lines().map(ToOwned::to_owned).collect()
}

// Callgrind wrote the costs of the same run with relative positions and with `--compress-pos=no`. A call
// in progress has another line than the self cost before it.
#[test]
fn relative_positions_are_those_that_callgrind_writes_as_absolute_ones() {
    let relative = merged_body("call_in_progress.out");
    assert_eq!(relative, merged_body("call_in_progress_absolute.out"));
    // The call of `second`, and the self cost after it
    let call = relative.windows(2).position(|lines| lines == ["calls=1 0x112e 3", "0x11e9 24 28"]);
    let call = call.unwrap_or_else(|| panic!("{relative:#?}"));
    assert_eq!(relative[call + 2], "0x11ee 24 1");
}

#[test]
fn a_single_profile_begins_with_what_was_measured() {
    let (directory, parts) = copies(&["client_request.out"]);
    let to = directory.path().join("callgrind.out");
    merge_totals(&parts, &to).unwrap();
    let mut expected = costs_by_function(&fixture("client_request.out"));
    assert!(expected.contains_key("p1::main"));
    keep_measured(&mut expected);
    assert_eq!(costs_by_function(&to), expected);
    assert!(!fs::read_to_string(&to).unwrap().contains("desc: Part "));
}

#[test]
fn a_wrong_summary_is_put_right() {
    let (directory, parts) = copies(&["forked_child.out"]);
    let before = read_totals(&parts[0]);
    assert_ne!(read_header(&parts[0]).summary.as_ref(), Some(&before));
    // In place
    let totals = merge_totals(&parts, &parts[0]).unwrap();
    let summary = read_header(&parts[0]).summary;
    assert_eq!((summary, read_totals(&parts[0])), (Some(totals), before));
    assert_eq!(names_in(&directory), ["forked_child.out"]);
}

#[test]
fn a_failure_leaves_everything_as_it_was() {
    for (names, message) in [
        (
            ["client_request.out", "no_cache_sim.out"],
            "no_cache_sim.out:17: the costs can't be added to those of the other profiles: \
             different events were counted",
        ),
        (
            ["client_request.out", "instr_line_jumps.out"],
            "instr_line_jumps.out:17: the positions `instr line` are not the `line` of the other \
             profiles",
        ),
    ] {
        let (directory, parts) = copies(&names);
        let to = directory.path().join("callgrind.out");
        fs::write(&to, "previous").unwrap();
        let error = merge_totals(&parts, &to).unwrap_err().to_string();
        assert!(error.ends_with(message), "{error}");
        assert_eq!(names_in(&directory), [&["callgrind.out"], &names[..]].concat());
        assert_eq!(fs::read_to_string(&to).unwrap(), "previous");
    }
}

#[test]
fn a_sum_beyond_64_bits() {
    let directory = TempDir::new().unwrap();
    let part = directory.path().join("part.out");
    fs::write(&part, format!("events: Ir\ntotals: {}\n", u64::MAX)).unwrap();
    let error =
        merge_totals(&[part.clone(), part], &directory.path().join("to")).unwrap_err().to_string();
    assert!(error.ends_with("the sum of Ir exceeds 64 bits"), "{error}");
}

#[test]
fn nothing_to_merge() {
    let error = merge_totals(&[], Path::new("callgrind.out")).unwrap_err().to_string();
    assert_eq!(error, "callgrind wrote no profile for callgrind.out");
}

#[test]
fn garbage_in_any_field_is_an_error_or_does_no_harm() {
    let (directory, parts) = copies(&["instr_line_jumps.out"]);
    let right = read_totals(&parts[0]);
    let to = directory.path().join("callgrind.out");
    for (damaged, field) in damage(&fs::read(&parts[0]).unwrap()) {
        fs::write(&parts[0], damaged).unwrap();
        if let Ok(totals) = merge_totals(&parts, &to) {
            assert_eq!(totals, right, "{field}");
            assert_eq!(read_totals(&to), right, "{field}");
        }
    }
}
