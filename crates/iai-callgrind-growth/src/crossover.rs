//! Sizes at which the other one of two functions becomes cheaper.

use std::cmp::Ordering;

use crate::fitted::Fit;
use crate::points::Point;

/// One of two functions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// The first function.
    First,
    /// The second function.
    Second,
}

/// Two measured sizes, next to each other, between which another function becomes the cheaper one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Crossover {
    /// Function that is cheaper below.
    pub cheaper_below: Side,
    /// Size from which the other one is cheaper, by both formulas; `None` if they do not cross
    /// there.
    pub size: Option<f64>,
    /// Last size before, with the costs of both functions.
    pub below: (i64, [f64; 2]),
    /// First size after, with the costs of both functions.
    pub above: (i64, [f64; 2]),
}

/// Returns the sizes at which two functions cross, from sizes at which both were measured.
#[must_use]
pub fn crossovers(
    first: (&[Point], Option<&Fit>),
    second: (&[Point], Option<&Fit>),
) -> Vec<Crossover> {
    let mut common: Vec<(i64, [f64; 2])> = Vec::new();
    for point in first.0 {
        if let Some(other) = second.0.iter().find(|other| other.size == point.size) {
            common.push((point.size, [point.cost, other.cost]));
        }
    }
    common.sort_by_key(|(size, _)| *size);
    let mut found = Vec::new();
    let mut last: Option<(Ordering, (i64, [f64; 2]))> = None;
    for point in common {
        let order = point.1[0].total_cmp(&point.1[1]);
        // Equal costs are on neither side
        if order == Ordering::Equal {
            continue;
        }
        if let Some((before, below)) = last.filter(|(before, _)| *before != order) {
            let cheaper_below = if before == Ordering::Less { Side::First } else { Side::Second };
            let size = first.1.zip(second.1).and_then(|fits| meeting(fits, below.0, point.0));
            found.push(Crossover { cheaper_below, size, below, above: point });
        }
        last = Some((order, point));
    }
    found
}

/// Returns the size between two others at which two formulas have the same value.
fn meeting((first, second): (&Fit, &Fit), low: i64, high: i64) -> Option<f64> {
    let difference = |n: f64| first.formula.cost(n) - second.formula.cost(n);
    let (mut low, mut high) = (low as f64, high as f64);
    let start = difference(low);
    if start * difference(high) > 0.0 {
        return None;
    }
    for _ in 0..60 {
        let middle = f64::midpoint(low, high);
        if start * difference(middle) > 0.0 { low = middle } else { high = middle }
    }
    Some(high)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fit;

    fn curve(cost: impl Fn(f64) -> f64) -> Vec<Point> {
        [8, 16, 32, 64, 128, 256].map(|n| Point::new(n, cost(n as f64))).to_vec()
    }

    #[test]
    fn the_size_is_between_its_neighbours() {
        let (quadratic, linear) = (curve(|n| n * n), curve(|n| 80.0 * n + 1536.0));
        let (first, second) = (fit(&quadratic).unwrap(), fit(&linear).unwrap());
        let found = crossovers((&quadratic, Some(&first)), (&linear, Some(&second)));
        let [only] = &*found else { panic!("{found:?}") };
        assert_eq!(only.cheaper_below, Side::First);
        assert_eq!((only.below.0, only.above.0), (64, 128));
        assert_eq!(format!("{:?}", only.below.1), "[4096.0, 6656.0]");
        assert!((only.size.unwrap() - 96.0).abs() < 1e-6, "{only:?}");
        let swapped = crossovers((&linear, None), (&quadratic, None));
        assert_eq!(swapped[0].cheaper_below, Side::Second);
        assert_eq!(swapped[0].size, None);
    }

    #[test]
    fn curves_that_only_touch_do_not_cross() {
        let (first, second) = (curve(|n| n), curve(|n| n.max(64.0)));
        assert_eq!(crossovers((&first, None), (&second, None)), []);
        let same = curve(|n| n);
        assert_eq!(crossovers((&same, None), (&same, None)), []);
        assert_eq!(crossovers((&first, None), (&[], None)), []);
    }
}
