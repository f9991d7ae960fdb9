//! Growth of costs with the size of the input: classes, steps, changes, limits, crossovers and charts.

use end_to_end_tests::growth::{growth, instructions};
use end_to_end_tests::shared_run;

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
