//! Charts as SVG and HTML: growth, recorded values, times, and bars in tables.

mod axis;
mod bars;
mod curves;
mod growth;
mod history;
mod observations;

pub use self::bars::{ChangeScale, old_and_new};
pub use self::curves::{Charts, group_chart};
pub use self::growth::{Series, draw_growth};
pub use self::history::{ChartPoint, history_chart, sparkline};
pub use self::observations::observations_chart;
