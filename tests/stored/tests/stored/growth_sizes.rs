//! Sizes of inputs: the ids of generated cases, and the sizes and curves that results have.

use std::fs;

use end_to_end_tests::Suite;
use end_to_end_tests::growth::{curves, expected};

/// Returns the names of the listed benchmarks, without the file.
fn list(suite: &Suite) -> Vec<String> {
    let run = suite.run(&["--list", "--format=terse"]).expect(0);
    let name = |line: &str| {
        let name = line.strip_suffix(": benchmark").expect("a name");
        name.strip_prefix("growth_sizes::").expect("the file").to_owned()
    };
    run.stdout.lines().map(name).collect()
}

/// Returns the ids of a function.
fn ids<'a>(names: &'a [String], function: &str) -> Vec<&'a str> {
    let path = format!("{function}::");
    names.iter().filter_map(|name| name.strip_prefix(&path)).collect()
}

#[test]
fn ids_have_the_values_of_generated_elements() {
    let names = list(&Suite::new("growth_sizes"));
    let ids = |function| ids(&names, function).join(" ");
    assert_eq!(
        ids("functions::ranges"),
        "n_8 n_64 n_512 n_4096 n_8192 factor_1 factor_2 factor_4 factor_8 \
         dense_0 dense_256 dense_512 dense_768 dense_1024 steps_3 steps_4 steps_5 \
         iter_0 iter_1 iter_2 iter_3 own_8 own_64"
    );
    assert_eq!(
        ids("functions::lines"),
        "m_1_Lf m_1_CrLf m_8_Lf m_8_CrLf m_64_Lf m_64_CrLf \
         named_ending_lf_n_1 named_ending_lf_n_8 named_ending_cr_lf_n_1 named_ending_cr_lf_n_8"
    );
    assert_eq!(
        ids("functions::tables"),
        "area_rows_2_columns_0 area_rows_2_columns_1 area_rows_3_columns_0 area_rows_3_columns_1 \
         rows_rows_1_columns_1 rows_rows_1_columns_2 rows_rows_2_columns_1 rows_rows_2_columns_2"
    );
    assert_eq!(ids("commands::echo"), "one n_n_1_text_a n_n_1_text_b n_n_2_text_a n_n_2_text_b");
}

#[test]
fn parameters_that_are_integers_are_the_sizes_of_criterion_and_divan() {
    let suite = Suite::new("criterion_book");
    let _ = suite.run(&[]).expect(0);
    let of_criterion = expected([
        ("Fibonacci::Iterative", &[20, 21]),
        ("Fibonacci::Recursive", &[20, 21]),
        ("benches::async_example", &[1024]),
        ("benches::input_example", &[1024]),
        ("from_elem::", &[1024, 2048, 4096, 8192, 16384]),
        ("log_scale_example::", &[1, 10, 100, 1000, 10_000, 100_000, 1_000_000]),
        // The sizes of these are their throughputs
        ("throughput-example::Encode 0", &[10]),
        ("throughput-example::Encode 1", &[20]),
        ("throughput-example::decode", &[100]),
    ]);
    assert_eq!(curves(&suite), of_criterion);
    let suite = Suite::new("divan_file");
    let _ = suite.run(&[]).expect(0);
    let of_divan = expected([
        ("first::fibonacci", &[5, 10]),
        ("functions::combined/BTreeSet<u64>/2", &[7, 8]),
        ("functions::combined/BTreeSet<u64>/3", &[7, 8]),
        ("functions::combined/Vec<u64>/2", &[7, 8]),
        ("functions::combined/Vec<u64>/3", &[7, 8]),
        ("functions::combined/VecDeque<u64>/2", &[7, 8]),
        ("functions::combined/VecDeque<u64>/3", &[7, 8]),
        ("functions::slices", &[1, 4]),
        ("second_group.inner::fibonacci", &[5, 10]),
        ("third::fibonacci", &[5, 10]),
    ]);
    assert_eq!(curves(&suite), of_divan);
}

#[test]
fn functions_of_a_group_are_compared_for_their_inputs() {
    let suite = Suite::new("criterion_book");
    let pages = suite.root().join("pages");
    let markdown = suite.root().join("report.md");
    let [html, markdown_report] = [("html", &pages), ("markdown", &markdown)]
        .map(|(format, path)| format!("--report={format}:{}", path.display()));
    let run = suite.run(&[&html, &markdown_report]).expect(0);
    let (_, groups) = run.stdout.split_once("\nGroups:\n\n").expect("a section");
    let lines: Vec<_> = groups.lines().take(4).collect();
    let title = "  criterion_book::Fibonacci: Instructions of each function and input";
    assert_eq!(lines[..2], [title, "        Recursive  Iterative"], "{groups}");
    // Each row has the values of the benchmarks, the lower one with a star
    assert!(lines[2].starts_with("    20    213,139  "), "{groups}");
    assert!(lines[2..].iter().all(|line| line.matches('*').count() == 1), "{groups}");
    assert_eq!(groups.matches("of each function and input").count(), 1, "{groups}");

    let markdown = fs::read_to_string(markdown).unwrap();
    let heading = "| | `Recursive` | `Iterative` |\n| --- | --: | --: |\n| `20` | 213,139 | **";
    assert!(markdown.contains(heading), "{markdown}");

    let start = fs::read_to_string(pages.join("index.html")).unwrap();
    assert!(start.contains("best of 2 inputs: Iterative for 2"), "{start}");
    let (before, _) = start.split_once("\">Charts of ").expect("a link");
    let (_, file) = before.rsplit_once('"').expect("a link");
    let page = fs::read_to_string(pages.join(file)).unwrap();
    let [figures, references] = ["<figure class=\"growth\">", "href=\"../benchmarks/"]
        .map(|text| page.matches(text).count());
    // Two metrics are printed on the terminal, and four benchmarks are in the group
    assert_eq!((figures, references), (2, 4), "{page}");
    assert_eq!(page.matches(">Iterative<").count(), 3, "{page}");
    let chart = "criterion_book/Fibonacci/group%20Fibonacci.callgrind.Ir.growth.svg";
    assert!(suite.home().join("benchmark-tests").join(chart).is_file());
}

#[test]
fn inputs_of_a_compared_group_are_called_by_their_sizes() {
    let suite = Suite::new("growth");
    let pages = suite.root().join("pages");
    let markdown = suite.root().join("report.md");
    let [html, markdown_report] = [("html", &pages), ("markdown", &markdown)]
        .map(|(format, path)| format!("--report={format}:{}", path.display()));
    let lines = "--output-format=lines";
    let run = suite.run(&["simple::n_", "clever", lines, &html, &markdown_report]).expect(0);
    let rows =
        |text: &str, start: &str| text.lines().filter(|line| line.starts_with(start)).count();
    // Names of benchmarks are those that filters match, once
    assert_eq!(
        (rows(&run.stdout, "  n_8 "), rows(&run.stdout, "  n_8:")),
        (2, 0),
        "{}",
        run.stdout
    );
    let (_, groups) = run.stdout.split_once("\nGroups:\n\n").expect("a section");
    let title = "growth::crossing: Instructions of each function and size";
    assert!(groups.starts_with(&format!("  {title}\n")), "{groups}");
    assert_eq!((rows(groups, "    8 "), rows(groups, "    512 ")), (1, 1), "{groups}");

    let markdown = fs::read_to_string(markdown).unwrap();
    assert!(markdown.contains(&format!("<summary>{title}</summary>")), "{markdown}");
    assert_eq!(rows(&markdown, "| `512` | "), 1, "{markdown}");
    assert_eq!(rows(&markdown, "`simple is cheaper than clever below n = "), 1, "{markdown}");

    let start = fs::read_to_string(pages.join("index.html")).unwrap();
    assert!(start.contains("best of 7 sizes: simple for 4, clever for 3"), "{start}");
    for part in [">Size</th>", "<th scope=\"row\"><bdi>512</bdi></th>"] {
        assert!(start.contains(part), "no {part}: {start}");
    }
    // Two series have the same sizes
    let all = suite.run(&["crossing", lines]).expect(0).stdout;
    let (_, groups) = all.split_once("\nGroups:\n\n").expect("a section");
    assert!(groups.contains("of each function and input\n"), "{groups}");
    assert_eq!((rows(groups, "    n_8 "), rows(groups, "    other_8 ")), (1, 1), "{groups}");
}

#[test]
fn a_regression_and_its_cause_have_the_same_name() {
    let suite = Suite::new("growth");
    let _ = suite.run(&["classes"]).expect(0);
    suite.pretend("classes::constant::n_8", 100);
    let arguments = ["classes", "--output-format=lines", "--callgrind-limits=ir=5%"];
    let stdout = suite.run(&arguments).expect(3).stdout;
    let name = "growth::classes::constant n_8";
    for part in [
        format!("  worst: {name}, "),
        format!("\nRegressions:\n\n  {name}\n"),
        format!("    {name} +101 %\n"),
    ] {
        assert!(stdout.contains(&part), "no {part:?}: {stdout}");
    }
}
