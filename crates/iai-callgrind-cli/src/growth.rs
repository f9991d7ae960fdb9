//! Options of the growth with the size of the input.

use clap::Args;
use iai_callgrind_plan::metric::MetricKind;
use iai_callgrind_plan::{Complexity, Config, Percentage};

/// Options of the growth with the size of the input.
#[derive(Debug, Default, Args)]
#[command(next_help_heading = "Growth")]
pub struct Growth {
    /// Limit the class of the growth: 'n log n', or 'ir=n log n,totalbytes=n'
    ///
    /// A class without a metric applies to the instructions. A function whose cost grows with a worse class has
    /// regressed. The classes are 1, log n, sqrt n, n, n log n, n^2, n^2 log n, n^3 and 2^n.
    #[arg(
        long, value_name = "CLASSES", env = "IAI_CALLGRIND_COMPLEXITY", value_parser = ClassLimits::parse
    )]
    complexity: Option<ClassLimits>,

    /// Limit the change of the cost per element: '2%', or 'ir=2%,totalbytes=0%'
    ///
    /// It is the factor of the strongest growth, such as 12 in `12 n + 340`. A percentage without a metric applies to
    /// the instructions.
    #[arg(
        long, value_name = "PERCENTAGES", env = "IAI_CALLGRIND_PER_ELEMENT",
        value_parser = PercentageLimits::parse
    )]
    per_element: Option<PercentageLimits>,
}

impl Growth {
    /// Returns the limits as the configuration of a benchmark file.
    pub fn config(&self) -> Config {
        Config {
            complexity: self.complexity.clone().unwrap_or_default().0,
            per_element: self.per_element.clone().unwrap_or_default().0,
            ..Config::default()
        }
    }
}

/// Limits of classes by metric.
#[derive(Debug, Clone, Default)]
struct ClassLimits(Vec<(MetricKind, Complexity)>);

impl ClassLimits {
    fn parse(text: &str) -> Result<Self, String> {
        let class = |text: &str| {
            Complexity::from_text(text).ok_or_else(|| {
                let known = Complexity::ALL.map(|class| format!("`{class}`")).join(", ");
                format!("`{text}` is not a class: write one of {known}")
            })
        };
        parse_by_metric(text, class).map(Self)
    }
}

/// Limits of changes by metric.
#[derive(Debug, Clone, Default)]
struct PercentageLimits(Vec<(MetricKind, Percentage)>);

impl PercentageLimits {
    fn parse(text: &str) -> Result<Self, String> {
        let percentage = |text: &str| {
            let number = text.strip_suffix('%').unwrap_or(text).trim().parse();
            let number = number.ok().filter(|number: &f64| number.is_finite());
            number
                .map(Percentage::new)
                .ok_or_else(|| format!("`{text}` is not a percentage: write a number like `2%`"))
        };
        parse_by_metric(text, percentage).map(Self)
    }
}

/// Parses values with or without a metric: `a`, `ir=a,dr=b`.
fn parse_by_metric<T>(
    text: &str,
    parse: impl Fn(&str) -> Result<T, String>,
) -> Result<Vec<(MetricKind, T)>, String> {
    let limit = |part: &str| {
        let Some((name, value)) = part.split_once('=') else {
            return Ok((MetricKind::Ir, parse(part.trim())?));
        };
        let name = name.trim();
        let kind = MetricKind::ALL.iter().find(|kind| kind.has_name(name));
        let kind = kind.ok_or_else(|| format!("`{name}` is not a metric of any tool"))?;
        Ok((*kind, parse(value.trim())?))
    };
    text.split(',').map(limit).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_have_metrics() {
        let parse = |text| ClassLimits::parse(text).map(|limits| limits.0);
        assert_eq!(parse("n log n"), Ok(vec![(MetricKind::Ir, Complexity::NLogN)]));
        assert_eq!(
            parse("ir = O(n^2), totalbytes=n"),
            Ok(vec![
                (MetricKind::Ir, Complexity::NSquared),
                (MetricKind::TotalBytes, Complexity::N)
            ])
        );
        assert!(parse("n^4").unwrap_err().starts_with("`n^4` is not a class: write one of `1`"));
        assert_eq!(parse("no=n").unwrap_err(), "`no` is not a metric of any tool");
    }

    #[test]
    fn percentages_have_metrics() {
        let parse = |text| PercentageLimits::parse(text).map(|limits| limits.0);
        assert_eq!(parse("2%"), Ok(vec![(MetricKind::Ir, Percentage::new(2.0))]));
        assert_eq!(
            parse("ir=0.5%,tb=-3"),
            Ok(vec![
                (MetricKind::Ir, Percentage::new(0.5)),
                (MetricKind::TotalBytes, Percentage::new(-3.0))
            ])
        );
        for wrong in ["", "x%", "nan", "ir="] {
            assert!(parse(wrong).unwrap_err().contains("is not a percentage"), "{wrong}");
        }
    }
}
