//! Charts as SVG and HTML: growth, recorded values, times, and bars in tables.

mod axis;
mod bars;
mod growth;
mod history;
mod observations;

pub(crate) use self::bars::{ChangeScale, old_and_new};
pub(crate) use self::growth::{Series, draw_growth};
pub(crate) use self::history::{ChartPoint, history_chart, sparkline};
pub(crate) use self::observations::observations_chart;
