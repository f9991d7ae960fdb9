//! The flamegraphs of a benchmark, resolved.

use iai_callgrind_plan::metric::{MetricKind, unique};
use iai_callgrind_plan::{self as plan, Direction, FlamegraphKind, Percentage};

/// A reason why flamegraphs can't be drawn as they are configured.
#[derive(Debug, PartialEq, thiserror::Error)]
#[expect(missing_docs, reason = "the text of each is next to it")]
pub enum FlamegraphError {
    #[error(
        "there can be no flamegraph of `{rate}`: percentages and ratios have no sum\nhelp: use a metric that is a \
         count"
    )]
    OfRate { rate: MetricKind },
    #[error("the `min_width` of a flamegraph is `{width}`\nhelp: use a percentage from 0 to 100")]
    Width { width: Percentage },
}

/// Default width of the narrowest frame, in percent.
const MIN_WIDTH: f64 = 0.01;

/// The flamegraphs to make, and their options.
#[derive(Debug, Clone, PartialEq)]
pub struct Flamegraphs {
    /// Never [`FlamegraphKind::None`].
    kind: FlamegraphKind,
    /// Metrics to make one flamegraph of each, at least one.
    pub(super) events: Vec<MetricKind>,
    pub(super) direction: Direction,
    pub(super) title: Option<String>,
    pub(super) subtitle: Option<String>,
    /// Width of the narrowest frame, in percent of the total.
    pub(super) min_width: f64,
    pub(super) negate: bool,
    pub(super) normalize: bool,
}

impl Flamegraphs {
    /// Resolves a configuration. `None` means no flamegraphs.
    pub fn resolve(config: &plan::Flamegraph) -> Result<Option<Self>, FlamegraphError> {
        let kind = config.kind.unwrap_or(FlamegraphKind::All);
        if kind == FlamegraphKind::None {
            return Ok(None);
        }
        let events = config.event_kinds.as_deref().map_or_else(|| vec![MetricKind::Ir], unique);
        if events.is_empty() {
            return Ok(None);
        }
        if let Some(&rate) = events.iter().find(|kind| kind.is_rate()) {
            return Err(FlamegraphError::OfRate { rate });
        }
        Ok(Some(Self {
            kind,
            events,
            direction: config.direction.unwrap_or_default(),
            title: config.title.clone(),
            subtitle: config.subtitle.clone(),
            min_width: config.min_width.map_or(Ok(MIN_WIDTH), resolve_width)?,
            negate: config.negate_differential.unwrap_or(false),
            normalize: config.normalize_differential.unwrap_or(false),
        }))
    }

    /// Returns `true` if a flamegraph shows the costs of the run.
    pub fn is_regular(&self) -> bool {
        matches!(self.kind, FlamegraphKind::Regular | FlamegraphKind::All)
    }

    /// Returns `true` if a flamegraph shows the differences from another run.
    pub fn is_differential(&self) -> bool {
        matches!(self.kind, FlamegraphKind::Differential | FlamegraphKind::All)
    }

    /// Returns the smallest cost that is drawn.
    pub(super) fn smallest(&self, total: u64) -> u64 {
        let smallest = (total as f64 * self.min_width / 100.0).ceil();
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0 to total")]
        let smallest = smallest as u64;
        smallest
    }
}

fn resolve_width(width: Percentage) -> Result<f64, FlamegraphError> {
    let valid = Some(width.get()).filter(|number| (0.0..=100.0).contains(number));
    valid.ok_or(FlamegraphError::Width { width })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn resolve(config: &plan::Flamegraph) -> Result<Option<Flamegraphs>, String> {
        Flamegraphs::resolve(config).map_err(|error| error.to_string())
    }

    #[test]
    fn by_default_there_are_both_kinds_of_the_instructions() {
        let options = resolve(&plan::Flamegraph::default()).unwrap().unwrap();
        assert!(options.is_regular() && options.is_differential());
        assert_eq!(options.events, [MetricKind::Ir]);
        let none = Some(FlamegraphKind::None);
        assert_eq!(resolve(&plan::Flamegraph { kind: none, ..Default::default() }), Ok(None));
    }

    #[test]
    fn without_an_event_there_is_no_flamegraph() {
        let event_kinds = Some(Vec::new());
        assert_eq!(resolve(&plan::Flamegraph { event_kinds, ..Default::default() }), Ok(None));
    }

    #[test]
    fn a_width_is_at_most_the_whole() {
        for width in [-1.0, 100.5, f64::NAN] {
            let min_width = Some(width.into());
            let error = resolve(&plan::Flamegraph { min_width, ..Default::default() }).unwrap_err();
            let expected = format!("the `min_width` of a flamegraph is `{width}%`\nhelp: use a ");
            assert!(error.starts_with(&expected), "{error}");
        }
    }

    #[test]
    fn a_rate_cannot_be_drawn() {
        let event_kinds = Some(vec![MetricKind::Ir, MetricKind::L1HitRate]);
        let error = resolve(&plan::Flamegraph { event_kinds, ..Default::default() }).unwrap_err();
        assert!(error.starts_with("there can be no flamegraph of `L1HitRate`"), "{error}");
    }
}
