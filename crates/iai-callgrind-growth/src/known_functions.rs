//! Known functions at few sizes, with the small deviations of real code.

use iai_callgrind_plan::Complexity::{self, *};

use crate::{Class, Point, fit};

type Cost = fn(f64) -> f64;

/// Functions whose class is known, without deviations.
const FUNCTIONS: [(Complexity, Cost); 20] = [
    (Constant, |_| 52.0),
    (Constant, |_| 8400.0),
    (LogN, |n| 7.0 * n.log2() + 20.0),
    (LogN, |n| 62.0 * n.log2() + 340.0),
    (SqrtN, |n| 100.0 * n.sqrt() + 9.0),
    (SqrtN, |n| 14.0 * n.sqrt() + 210.0),
    (N, |n| 5.0 * n + 12.0),
    (N, |n| 4.0 * n + 160.0),
    (N, |n| 9.0 * n + 3000.0),
    (N, |n| 340.0 * n + 90.0),
    (N, |n| 5.5 * n - 3.0),
    (NLogN, |n| 3.0 * n * n.log2() + 40.0),
    (NLogN, |n| 9.2 * n * n.log2() - 20.0),
    (NLogN, |n| 24.0 * n * n.log2() + 37.0 * n),
    (NLogN, |n| 18.0 * n * n.log2() + 90.0 * n + 60.0),
    (NSquared, |n| 2.5 * n * n + 8.0 * n + 100.0),
    (NSquared, |n| 3.0 * n * (n - 1.0) + 7.0),
    (NSquared, |n| 1.7 * n * n + 6.0 * n),
    (NCubed, |n| 5.0 * n * n * n + 17.0 * n * n + 60.0),
    (NCubed, |n| 12.0 * n * n * n + 14.0 * n * n + 500.0),
];

/// Deviations from a function at a size, in parts of its cost or in instructions.
const DEVIATIONS: [fn(f64, f64, Complexity) -> f64; 5] = [
    |_, _, _| 0.0,
    // The rest of an unrolled loop
    |n, _, class| if class >= N { 3.0 * (n % 8.0) } else { 0.0 },
    // A vector that grows: a call of the allocator and a copy each time; otherwise another path for larger values
    |n, cost, class| {
        let capacities = (2..40).map(|power| f64::from(power).exp2());
        let moves = capacities.filter(|capacity| *capacity < n);
        match class {
            Constant | LogN | SqrtN => 0.01 * cost * f64::from(n > 200.0),
            _ => moves.map(|capacity| 60.0 + capacity / 16.0).sum(),
        }
    },
    // Nodes and blocks that are not full
    |n, cost, _| 0.01 * cost * scatter(n, 1),
    // Another path of the allocator for large blocks
    |n, cost, class| if n > 2000.0 && class >= N { 0.02 * cost + 40.0 } else { 0.0 },
];

const SIZES: [&[i64]; 12] = [
    &[10, 100, 1000, 10_000],
    &[1, 8, 64, 256],
    &[16, 64, 256, 1024],
    &[1024, 2048, 4096, 8192],
    &[10, 50, 100, 500, 1000],
    &[1024, 2048, 4096, 8192, 16_384],
    &[8, 64, 512, 4096, 32_768],
    &[100, 200, 400, 800, 1600],
    &[16, 32, 64, 128, 256, 512],
    &[1, 10, 100, 1000, 10_000, 100_000],
    &[1024, 2048, 4096, 8192, 16_384, 32_768],
    &[100, 200, 500, 1000, 2000, 5000],
];

/// Returns a number between -1 and 1 that depends on the size and the seed.
fn scatter(n: f64, seed: u64) -> f64 {
    let mut state = n.to_bits() ^ seed.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    for _ in 0..3 {
        state ^= state >> 33;
        state = state.wrapping_mul(0xff51_afd7_ed55_8ccd);
    }
    (state >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
}

#[test]
fn nearly_all_classes_are_right_and_none_is_wrong_and_certain() {
    for number in 4..=6 {
        let (mut right, mut all) = (0, 0);
        for sizes in SIZES.into_iter().filter(|sizes| sizes.len() == number) {
            for (index, (class, cost)) in FUNCTIONS.into_iter().enumerate() {
                for (deviation, deviate) in DEVIATIONS.into_iter().enumerate() {
                    let cost = |n: f64| (cost(n) + deviate(n, cost(n), class)).round();
                    let points = sizes.iter().map(|size| Point::new(*size, cost(*size as f64)));
                    let class = Class::Named(class);
                    all += 1;
                    let Ok(fit) = fit(&points.collect::<Vec<_>>()) else { continue };
                    right += usize::from(fit.formula.class == class);
                    let is_possible = fit.formula.class == class || fit.allows(class);
                    assert!(is_possible, "{index} with deviation {deviation} at {sizes:?}: {fit}");
                }
            }
        }
        assert!(right * 100 >= all * 95, "{right} of {all} at {number} sizes");
    }
}

#[test]
fn a_vector_that_grows_is_linear() {
    let capacities = || (2..40).map(|power| f64::from(power).exp2());
    let cost = |n: f64| {
        let grown = capacities().filter(|capacity| *capacity < n);
        (9.0 * n + 140.0 + grown.map(|capacity| 200.0 + capacity / 8.0).sum::<f64>()).round()
    };
    // One element alone never grows
    for sizes in SIZES.into_iter().filter(|sizes| **sizes != [1, 8, 64, 256]) {
        let points = sizes.iter().map(|size| Point::new(*size, cost(*size as f64)));
        let fit = fit(&points.collect::<Vec<_>>()).unwrap();
        assert_eq!(fit.formula.class, Class::Named(N), "{sizes:?}: {fit}");
    }
}

#[test]
fn a_class_that_does_not_describe_the_points_is_not_the_simplest() {
    // `vec![0; n]`, counted
    let costs = [(1024, 371.0), (2048, 480.0), (4096, 706.0), (8192, 1154.0), (16_384, 2050.0)];
    let points = costs.map(|(size, cost)| Point::new(size, cost));
    assert_eq!(fit(&points).unwrap().formula.class, Class::Named(N));
    // Lookups of all keys of a map
    let costs = [(1, 37.0), (8, 486.0), (64, 5898.0), (256, 30_265.0)];
    let points = costs.map(|(size, cost)| Point::new(size, cost));
    assert_eq!(fit(&points).unwrap().formula.class, Class::Named(NLogN));
}

#[test]
fn classes_that_the_sizes_do_not_exclude_are_named() {
    let cost = |n: f64| 62.0 * n.log2() + 340.0 + 10.0 * scatter(n, 1);
    let points = [1024, 2048, 4096, 8192].map(|size| Point::new(size, cost(size as f64)));
    let fit = fit(&points).unwrap();
    assert!(fit.allows(Class::Named(LogN)) && !fit.exceeds(LogN), "{fit}");
    assert!(fit.quality().starts_with("O(1) or O(log n), O(√n), O(n) and 4 more   max. "), "{fit}");
}
