//! Reasons why there is no fit, and what a fit needs.

use crate::number::percent;

/// Number of sizes that a fit needs.
pub const LEAST_SIZES: usize = 4;

/// Factor between the smallest and the largest size that a fit needs.
pub const LEAST_FACTOR: u64 = 8;

/// Reason why points have no fit.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum NoFit {
    /// There are too few sizes.
    #[error("{sizes} {}, and a fit needs {LEAST_SIZES}", if *sizes == 1 { "size" } else { "sizes" })]
    TooFew {
        /// Number of sizes.
        sizes: usize,
    },
    /// The sizes are too close to each other.
    #[error(
        "the sizes {smallest} to {largest} are too close: a fit needs a factor of {LEAST_FACTOR}"
    )]
    TooClose {
        /// Smallest size.
        smallest: i64,
        /// Largest size.
        largest: i64,
    },
    /// Several points have the same size.
    #[error("several inputs have the size {size}: each needs another one")]
    Repeated {
        /// Size of the points.
        size: i64,
    },
    /// A size is zero or negative.
    #[error("an input has the size {size}: sizes are 1 or more")]
    NotPositive {
        /// The size.
        size: i64,
    },
    /// All costs are zero.
    #[error("it is 0 for all sizes")]
    AllZero,
    /// The costs do not follow a formula.
    #[error("no class fits   {}", residuals_text(.residuals))]
    NoClass {
        /// Sizes and residuals of the formula that is closest, in percent of the costs.
        residuals: Vec<(i64, f64)>,
    },
}

fn residuals_text(residuals: &[(i64, f64)]) -> String {
    /// Number of residuals that fit in a line.
    const MOST: usize = 8;
    let text = |(size, residual): &(i64, f64)| {
        let sign = if *residual < 0.0 { "-" } else { "+" };
        format!("{sign}{} at {size}", percent(residual.abs()))
    };
    let mut largest: Vec<_> = residuals.iter().collect();
    if largest.len() > MOST {
        largest.sort_by(|left, right| right.1.abs().total_cmp(&left.1.abs()));
        largest.truncate(MOST);
        largest.sort_by_key(|(size, _)| *size);
    }
    let texts: Vec<_> = largest.into_iter().map(text).collect();
    let more = match residuals.len().saturating_sub(MOST) {
        0 => String::new(),
        more => format!(" and {more} smaller"),
    };
    format!("residuals {}{more}", texts.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_residuals_are_shown() {
        let few = NoFit::NoClass { residuals: vec![(8, -12.3456), (16, 0.04)] };
        assert_eq!(few.to_string(), "no class fits   residuals -12.3 % at 8, +0.04 % at 16");
        let residuals = (1..=10).map(|size| (size, size as f64)).collect();
        let many = NoFit::NoClass { residuals }.to_string();
        assert!(many.starts_with("no class fits   residuals +3 % at 3, +4 % at 4"), "{many}");
        assert!(many.ends_with("+10 % at 10 and 2 smaller"), "{many}");
    }
}
