//! Growth of a cost with the size of the input: the class, the factors, and the sizes at which the cost steps.
//!
//! Counts have no noise, so a class of growth is not estimated from samples: its formula has to describe each of them.
//!
//! ```
//! use iai_callgrind_growth::{Point, fit};
//!
//! let points: Vec<_> = [8, 64, 512, 4096].map(|n| Point::new(n, 12.0 * n as f64 + 340.0)).into();
//! let fitted = fit(&points).unwrap();
//! assert_eq!(fitted.to_string(), "12 n + 340   O(n)   R² 1   max. residual 0 %");
//! ```

mod candidate;
mod change;
mod crossover;
mod error;
mod fitted;
mod formula;
#[cfg(test)]
mod known_functions;
mod least_squares;
mod number;
mod points;
mod selection;
mod significance;
mod steps;
mod term;
#[cfg(test)]
mod tests;

pub use self::change::{FitChange, TermChange};
pub use self::crossover::{Crossover, Side, crossovers};
pub use self::error::{LEAST_FACTOR, LEAST_SIZES, NoFit};
pub use self::fitted::Fit;
pub use self::formula::{Formula, Piece, WeightedTerm};
pub use self::number::factor_text;
pub use self::points::Point;
pub use self::selection::fit;
pub use self::term::{Class, Term};
