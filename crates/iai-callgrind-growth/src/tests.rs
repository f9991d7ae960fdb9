//! Fits of known formulas.

use std::fmt::Write;

use iai_callgrind_plan::Complexity::{self, *};

use crate::{Fit, FitChange, NoFit, Point, fit};

const DOUBLING: &[i64] = &[8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192];
const COARSE: &[i64] = &[8, 64, 512, 4096];
const DECADES: &[i64] = &[10, 100, 1000, 10_000];
const SMALL: &[i64] = &[2, 4, 8, 12, 16, 20, 24, 28];

fn points(sizes: &[i64], cost: impl Fn(f64) -> f64) -> Vec<Point> {
    sizes.iter().map(|size| Point::new(*size, cost(*size as f64).round())).collect()
}

fn fitted(sizes: &[i64], cost: impl Fn(f64) -> f64) -> Result<Fit, NoFit> {
    fit(&points(sizes, cost))
}

fn class(sizes: &[i64], cost: impl Fn(f64) -> f64) -> String {
    fitted(sizes, cost)
        .map_or_else(|no_fit| no_fit.to_string(), |fit| fit.formula.class.to_string())
}

/// Returns a number between -1 and 1 that depends on the size and the seed.
fn noise(n: f64, seed: u64) -> f64 {
    let mut state = n.to_bits() ^ seed.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    for _ in 0..3 {
        state ^= state >> 33;
        state = state.wrapping_mul(0xff51_afd7_ed55_8ccd);
    }
    state ^= state >> 33;
    (state >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
}

type Cost = fn(f64) -> f64;

const FORMULAS: [(Complexity, Cost); 16] = [
    (Constant, |_| 52.0),
    (LogN, |n| 7.0 * n.log2() + 20.0),
    (SqrtN, |n| 100.0 * n.sqrt() + 9.0),
    (N, |n| 5.0 * n + 12.0),
    (N, |n| 5.0 * n + 10_000.0),
    (N, |n| 6.0 * n + 250.0 * n.log2() + 90.0),
    (NLogN, |n| 3.0 * n * n.log2() + 40.0),
    (NLogN, |n| 3.0 * n * n.log2() + 30.0 * n + 40.0),
    (NLogN, |n| 12.0 * n * n.log2() - 9.0 * n + 400.0),
    (NSquared, |n| 2.5 * n * n + 8.0 * n + 100.0),
    (NSquared, |n| n * (n - 1.0) / 2.0 * 6.0),
    (NSquared, |n| n * n / 32.0 + 100.0 * n + 50.0),
    (NSquaredLogN, |n| 2.0 * n * n * n.log2() + 900.0),
    (NCubed, |n| 5.0 * n * n * n + 17.0 * n * n + 30.0 * n + 60.0),
    (NCubed, |n| n * n * n),
    (NCubed, |n| n * n * n + 4.0 * n * n + 1000.0),
];

#[test]
fn exact_formulas() {
    for (index, (expected, cost)) in FORMULAS.into_iter().enumerate() {
        assert_eq!(class(DOUBLING, cost), expected.to_string(), "formula {index}");
    }
}

#[test]
fn exact_formulas_at_few_sizes() {
    for sizes in [COARSE, DECADES] {
        for (index, (expected, cost)) in FORMULAS.into_iter().enumerate() {
            let found = class(sizes, cost);
            // Four sizes are too few for a formula with three factors
            let three = [5, 7, 8, 9, 11, 13, 15].contains(&index);
            assert!(
                found == expected.to_string() || three,
                "formula {index} at {sizes:?}: {found}"
            );
        }
    }
}

#[test]
fn irregular_costs_have_the_class_too() {
    for (index, (expected, cost)) in FORMULAS.into_iter().enumerate() {
        for seed in 0..20 {
            let found = class(DOUBLING, |n| cost(n) * (1.0 + 0.002 * noise(n, seed)));
            assert_eq!(found, expected.to_string(), "formula {index} with seed {seed}");
        }
    }
}

#[test]
fn free_powers_and_exponentials() {
    let karatsuba = fitted(DOUBLING, |n| 40.0 * n.powf(1.58) + 700.0).unwrap();
    assert_eq!(karatsuba.formula.class.to_string(), "n^1.58");
    assert_eq!(class(SMALL, |n| 11.0 * 1.618_034_f64.powf(n) - 7.0), "1.618ⁿ");
    assert_eq!(class(SMALL, |n| 9.0 * n.exp2() + 30.0), "2ⁿ");
    assert_eq!(class(DOUBLING, |n| n.powi(4) + 90.0), "n^4");
}

#[test]
fn the_factor_is_that_of_the_loop() {
    let fit = fitted(DOUBLING, |n| 5.0 * n + 12.0).unwrap();
    assert_eq!(fit.to_string(), "5 n + 12   O(n)   R² 1   max. residual 0 %");
    let fit = fitted(DOUBLING, |n| n * (n - 1.0) / 2.0 * 6.0 + 7.0).unwrap();
    assert_eq!(fit.to_string(), "3 n² - 3 n + 7   O(n²)   R² 1   max. residual 0 %");
    let fit = fitted(DOUBLING, |n| 8.0 * n).unwrap();
    assert_eq!(fit.to_string(), "8 n   O(n)   R² 1   max. residual 0 %");
    let fit = fitted(DOUBLING, |_| 52.0).unwrap();
    assert_eq!(fit.to_string(), "52   O(1)   max. residual 0 %");
}

#[test]
fn no_class_fits_irregular_costs() {
    let formulas: [Cost; 4] = [
        |n| 1000.0 + 800.0 * noise(n, 1),
        |n| n * (1.0 + 0.5 * (n.log2() * 2.0).sin()),
        |n| 1e6 / n,
        |n| if n.log2() % 2.0 == 0.0 { n * n } else { n },
    ];
    for (index, cost) in formulas.into_iter().enumerate() {
        let error = fitted(DOUBLING, cost).unwrap_err();
        assert!(matches!(&error, NoFit::NoClass { residuals } if residuals.len() == 11), "{index}");
    }
}

#[test]
fn a_jump_is_a_step() {
    let sizes: Vec<i64> = (1..=16).map(|step| step * 100).collect();
    let fit = fitted(&sizes, |n| 6.0 * n + 90.0 + if n > 800.0 { 4812.0 } else { 0.0 }).unwrap();
    let expected = "6 n + 90 up to 800, 6 n + 4902 above 800   O(n)   R² 1   max. residual 0 %";
    assert_eq!(fit.to_string(), expected);
    // A vector that doubles
    let cost = |n: f64| {
        let moves = [128.0, 256.0, 512.0, 1024.0].into_iter().filter(|moved| n > *moved);
        6.0 * n + 90.0 + moves.map(|moved| moved + 150.0).sum::<f64>()
    };
    let sizes: Vec<i64> = (1..=32).map(|step| step * 50).collect();
    let fit = fitted(&sizes, cost).unwrap();
    let steps: Vec<_> = fit.formula.steps.iter().filter_map(|step| step.term.after()).collect();
    assert_eq!(steps, [100.0, 250.0, 500.0, 1000.0], "{fit}");
    assert!((fit.formula.leading() - 6.0).abs() < 0.05, "{fit}");
}

#[test]
fn a_change_of_the_slope_is_a_step() {
    // A cache level that is left: each element costs more above it
    let cost = |n: f64| 8.0 * n + 200.0 + if n > 1024.0 { 5.0 * n } else { 0.0 };
    let fit = fitted(DOUBLING, cost).unwrap();
    let expected = "8 n + 200 up to 1024, 13 n + 200 above 1024   O(n)   R² 1   max. residual 0 %";
    assert_eq!(fit.to_string(), expected);
}

#[test]
fn a_class_that_is_worse_is_found_though_all_costs_are_lower() {
    let old = fitted(DOUBLING, |n| 100_000.0 + 9000.0 * n).unwrap();
    let new = fitted(DOUBLING, |n| n * n + 8.0 * n).unwrap();
    let change = FitChange::between(&new, &old);
    assert_eq!(change.to_string(), "class changed from O(n) to O(n²)");
    assert_eq!(change.leading(), None);
}

#[test]
fn a_constant_that_changes_leaves_the_class() {
    for constant in [0.0, 50.0, 5000.0, 1_000_000.0] {
        let old = fitted(DOUBLING, |n| 12.0 * n + 340.0).unwrap();
        let new = fitted(DOUBLING, |n| 12.0 * n + constant).unwrap();
        if constant < 100_000.0 {
            assert_eq!(new.formula.class, old.formula.class, "{constant}");
        }
    }
    let change = |cost: fn(f64) -> f64| {
        let old = fitted(DOUBLING, |n| 100.0 * n + 500.0).unwrap();
        FitChange::between(&fitted(DOUBLING, cost).unwrap(), &old).to_string()
    };
    assert_eq!(change(|n| 103.1 * n + 300.0), "per element +3.1 %, constant -40 %");
    assert_eq!(change(|n| 100.0 * n + 500.0), "no change");
    assert_eq!(change(|n| 100.0 * n + 1000.0), "per element no change, constant +100 %");
    assert_eq!(
        change(|n| 100.0 * n + 50.0 * n.log2() + 500.0),
        "per element no change, per log n 0 → 50, constant no change"
    );
    assert_eq!(
        change(|n| 100.0 * n + if n > 100.0 { 9500.0 } else { 500.0 }),
        "per element no change, constant no change, other steps"
    );
}

/// Fits each line of `counts.txt`, costs by size under callgrind, to the line of `fits.txt`.
#[test]
fn counts_of_real_functions() {
    let mut fits = String::new();
    for line in include_str!("../tests/data/counts.txt").lines() {
        let (name, points) = line.split_once(": ").unwrap();
        let point = |point: &str| {
            let (size, cost) = point.split_once('=').unwrap();
            Point::new(size.parse().unwrap(), cost.parse().unwrap())
        };
        let points: Vec<_> = points.split(' ').map(point).collect();
        let text = fit(&points).map_or_else(|reason| reason.to_string(), |fit| fit.to_string());
        writeln!(fits, "{name}: {text}").unwrap();
    }
    assert_eq!(fits, include_str!("../tests/data/fits.txt"), "\n{fits}");
}
