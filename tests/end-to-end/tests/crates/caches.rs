//! Changes of accesses to caches alone, within what another layout of the data does.

use std::fs;

use end_to_end_tests::{FreshCrate, Run, objects, run, runner};

/// Reads 16 of the numbers of its own array, which no other code touches.
const BENCHMARK: &str = "\
use std::hint::black_box;
use iai_callgrind::{library_benchmark, main};

#[repr(align(64))]
struct Numbers([u64; 64]);
static FIRST: Numbers = Numbers([1; 64]);
static SECOND: Numbers = Numbers([2; 64]);

#[inline(never)]
fn sum(numbers: &Numbers, stride: usize) -> u64 {
    (0..16).fold(0, |sum, index| sum + black_box(numbers.0[(index * stride) % 64]))
}

#[library_benchmark]
fn first() -> u64 { sum(&FIRST, black_box(FIRST_STRIDE)) }

#[library_benchmark]
fn second() -> u64 { sum(&SECOND, black_box(SECOND_STRIDE)) }

#[library_benchmark]
fn third() -> u64 { sum(black_box(&Numbers([3; 64])), black_box(1)) }

main!();
";

/// Eight numbers are a line of a cache: with a stride of 2, 16 numbers are in four lines in place of two, with 3 in six.
const ONE: &str = "const FIRST_STRIDE: usize = 1;\nconst SECOND_STRIDE: usize = 1;\n";
const OTHER: &str = "const FIRST_STRIDE: usize = 2;\nconst SECOND_STRIDE: usize = 3;\n";

fn bench(crate_: &FreshCrate, strides: &str, arguments: &[&str]) -> Run {
    crate_.write(&format!("benches/{}.rs", crate_.file()), &format!("{BENCHMARK}{strides}"));
    let mut command = crate_.cargo_bench();
    command.args(["--bench", &crate_.file(), "--"]).args(arguments);
    run(command.env("IAI_CALLGRIND_RUNNER", runner()))
}

#[test]
fn a_change_of_caches_alone_is_not_listed() {
    let crate_ = FreshCrate::new("caches-alone", "", "[lib]\nbench = false\n");
    let _ = bench(&crate_, ONE, &["--save-baseline=base"]).expect(0);
    let path = |name: &str| crate_.directory().join(name).display().to_string();
    let [json, markdown, html] = ["json", "md", "html"].map(path);
    let json_lines = format!("--report=json:{json}");
    let [markdown_report, html_report] =
        [format!("--report=markdown:{markdown}"), format!("--report=html:{html}")];
    let arguments =
        ["--baseline=base", "--show=changed", &json_lines, &markdown_report, &html_report];
    let moved = bench(&crate_, OTHER, &arguments).expect(0);

    // Each line more costs 34 cycles in place of one hit
    let summaries = objects(&fs::read_to_string(json).unwrap());
    let metrics = |metric: &str| -> Vec<_> {
        let totals = summaries.iter().map(|summary| &summary["tools"][0]["total"][metric]);
        totals
            .map(|total| total["new"].as_i64().unwrap() - total["old"].as_i64().unwrap())
            .collect()
    };
    assert_eq!((metrics("Ir"), metrics("TotalRW")), (vec![0; 3], vec![0; 3]));
    assert_eq!((metrics("DLmr"), metrics("EstimatedCycles")), (vec![2, 4, 0], vec![68, 136, 0]));
    let kinds: Vec<_> = summaries.iter().map(|summary| &summary["change"]["kind"]).collect();
    assert_eq!(kinds, ["caches-only", "caches-only", "unchanged"]);

    // Without a block for each benchmark, changes are explained
    let counts = "2 moved in caches only, 1 unchanged";
    let start = format!(
        "\ncompared with the old results: {counts}\n\nCauses:\n\n  only caches moved: 2 benchmarks, \
         instructions equal\n    "
    );
    assert!(moved.stdout.starts_with(&start), "no benchmark: {}", moved.stdout);
    let markdown = fs::read_to_string(markdown).unwrap();
    let folded = "<details><summary>2 moved in caches only</summary>\n\n- `";
    let (before, _) = markdown.split_once(folded).unwrap_or_else(|| panic!("{markdown}"));
    let start = format!("✅ {counts} in `");
    assert!(before.starts_with(&start) && !before.contains("::functions"), "{before}");
    let page = fs::read_to_string(format!("{html}/index.html")).unwrap();
    assert!(page.contains("Nothing changed in 3 benchmarks; 2 moved in caches only."), "{page}");
    assert!(!page.contains(" worse</span>") && !page.contains(" better</span>"), "{page}");
}
