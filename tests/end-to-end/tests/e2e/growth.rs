//! Growth of costs with the size of the input: classes, steps, changes, limits, crossovers and charts.

use end_to_end_tests::shared_run;

/// Returns the lines below the name of each curve, up to the closing line.
fn growth(stdout: &str) -> Vec<(&str, Vec<&str>)> {
    let (_, section) = stdout.split_once("\nGrowth:\n").unwrap_or_default();
    let mut curves: Vec<(&str, Vec<&str>)> = Vec::new();
    for line in section.lines().take_while(|line| line.is_empty() || line.starts_with("  ")) {
        match (line.strip_prefix("    "), line.strip_prefix("  ")) {
            (Some(line), _) => curves.last_mut().expect("a name").1.push(line),
            (None, Some(name)) => curves.push((name, Vec::new())),
            (None, None) => {}
        }
    }
    curves
}

/// Returns the fit of the instructions of a curve.
fn instructions<'a>(curves: &[(&str, Vec<&'a str>)], curve: &str) -> &'a str {
    let name = format!("growth::{curve}");
    let found = curves.iter().find(|(title, _)| *title == name);
    let lines = &found.unwrap_or_else(|| panic!("no {name} in {curves:#?}")).1;
    lines[0].strip_prefix("Instructions:").expect("the instructions").trim_start()
}

#[test]
fn each_class_has_its_exact_factor() {
    let stdout = &shared_run("growth", &["classes"]).succeeded().stdout;
    let curves = growth(stdout);
    // A step has two instructions; the function itself has some more
    for (curve, formula, class) in [
        ("linear n", "20 n + ", "n"),
        ("linear series_k_5", "10 n + ", "n"),
        ("linear series_k_15", "30 n + ", "n"),
        ("logarithmic n", "2 log n + ", "log n"),
        ("linearithmic n", "2 n log n + ", "n log n"),
        ("quadratic n", "2 n² + ", "n²"),
        ("quadratic fine", "n² - n + ", "n²"),
        ("cubic n", "2 n³ + ", "n³"),
        ("exponential n", "2 · 2ⁿ + ", "2ⁿ"),
    ] {
        let fit = instructions(&curves, &format!("classes::{curve}"));
        assert!(fit.starts_with(formula), "{curve}: {fit}");
        let end = format!("   O({class})   R² 1   max. residual 0 %");
        assert!(fit.ends_with(&end), "{curve}: {fit}");
    }
    let constant = instructions(&curves, "classes::constant n");
    assert!(constant.ends_with("   O(1)   max. residual 0 %"), "{constant}");
}
