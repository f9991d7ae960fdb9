//! What flamegraphs a benchmark gets, resolved.

use iai_callgrind_plan::metric::{CALLGRIND, EventKind, Selection};
use iai_callgrind_plan::{self as plan, Direction, FlamegraphKind};

/// The narrowest frame that is drawn by default, in percent.
const MIN_WIDTH: f64 = 0.01;

/// What flamegraphs are made, and how.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Flamegraphs {
    /// Never [`FlamegraphKind::None`].
    kind: FlamegraphKind,
    /// One for each of these.
    pub(super) events: Vec<EventKind>,
    pub(super) direction: Direction,
    pub(super) title: Option<String>,
    pub(super) subtitle: Option<String>,
    /// In percent of the total.
    pub(super) min_width: f64,
    pub(super) negate: bool,
    pub(super) normalize: bool,
}

impl Flamegraphs {
    /// Resolves a configuration. None if there are to be none.
    pub(crate) fn resolve(config: &plan::Flamegraph) -> Result<Option<Self>, String> {
        let kind = config.kind.unwrap_or(FlamegraphKind::All);
        if kind == FlamegraphKind::None {
            return Ok(None);
        }
        let events = config.event_kinds.as_deref().unwrap_or("Ir");
        let events = Selection::parse(events, &CALLGRIND)
            .map_err(|error| format!("in the `event_kinds` of a flamegraph: {error}"))?
            .kinds;
        if let Some(rate) = events.iter().find(|kind| kind.is_rate()) {
            return Err(format!(
                "there can be no flamegraph of `{rate}`: percentages have no sum. Take a metric that is \
                 counted"
            ));
        }
        Ok(Some(Self {
            kind,
            events,
            direction: config.direction.unwrap_or_default(),
            title: config.title.clone(),
            subtitle: config.subtitle.clone(),
            min_width: config.min_width.as_deref().map_or(Ok(MIN_WIDTH), percentage)?,
            negate: config.negate_differential.unwrap_or(false),
            normalize: config.normalize_differential.unwrap_or(false),
        }))
    }

    pub(crate) fn is_regular(&self) -> bool {
        matches!(self.kind, FlamegraphKind::Regular | FlamegraphKind::All)
    }

    pub(crate) fn is_differential(&self) -> bool {
        matches!(self.kind, FlamegraphKind::Differential | FlamegraphKind::All)
    }

    /// The smallest cost that is drawn.
    pub(super) fn smallest(&self, total: u64) -> u64 {
        let smallest = (total as f64 * self.min_width / 100.0).ceil();
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0 to total")]
        let smallest = smallest as u64;
        smallest
    }
}

fn percentage(text: &str) -> Result<f64, String> {
    let number = text.parse().ok().filter(|number| (0.0..=100.0).contains(number));
    number.ok_or_else(|| {
        format!("the `min_width` of a flamegraph is `{text}`: use a percentage, from 0 to 100")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn resolve(config: &plan::Flamegraph) -> Result<Option<Flamegraphs>, String> {
        Flamegraphs::resolve(config)
    }

    #[test]
    fn by_default_there_are_both_kinds_of_the_instructions() {
        let options = resolve(&plan::Flamegraph::default()).unwrap().unwrap();
        assert!(options.is_regular() && options.is_differential());
        assert_eq!(options.events, [EventKind::Ir]);
        let none = Some(FlamegraphKind::None);
        assert_eq!(resolve(&plan::Flamegraph { kind: none, ..Default::default() }), Ok(None));
    }

    #[test]
    fn mistakes_are_told() {
        for width in ["-1", "100.5", "NaN", "x"] {
            let min_width = Some(width.to_owned());
            let error = resolve(&plan::Flamegraph { min_width, ..Default::default() }).unwrap_err();
            assert!(error.contains(&format!("`{width}`")), "{error}");
        }
        for (events, expected) in [
            ("Nonsense", "in the `event_kinds` of a flamegraph: there is no metric `Nonsense`"),
            ("Ir,L1HitRate", "there can be no flamegraph of `L1HitRate`"),
        ] {
            let event_kinds = Some(events.to_owned());
            let config = plan::Flamegraph { event_kinds, ..Default::default() };
            let error = resolve(&config).unwrap_err();
            assert!(error.starts_with(expected), "{error}");
        }
    }
}
