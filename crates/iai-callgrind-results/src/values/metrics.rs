//! Metrics, limits and percentages as texts.

use iai_callgrind_base::similar;
use iai_callgrind_plan::metric::{Group, MetricKind, MetricSet};
use iai_callgrind_plan::{CounterName, Limit, Percentage};

use super::error::MetricError;

/// Metrics with their limits. The last of several limits of one kind for a metric wins.
pub type MetricLimits = Vec<(MetricKind, Limit)>;

/// Parses metrics: `ir,@mr`; `none` adds no metric.
pub fn parse_metrics(text: &str, set: &MetricSet) -> Result<Vec<MetricKind>, MetricError> {
    let mut kinds = Vec::new();
    for name in text.split(',').map(str::trim).filter(|name| !name.eq_ignore_ascii_case("none")) {
        kinds.extend(parse_name(name, set)?);
    }
    Ok(kinds)
}

/// Parses limits: `ir=5%|10000,@all=10%`. A number with `%` is a soft limit, a bare one a hard limit.
pub fn parse_limits(text: &str, set: &MetricSet) -> Result<MetricLimits, String> {
    let mut limits = Vec::new();
    for part in text.split(',').map(str::trim) {
        let (kinds, values) = parse_assignment(part, set)?;
        for value in values.split('|').map(str::trim) {
            let limit = |&kind: &MetricKind| Ok((kind, parse_limit(kind, value)?));
            limits.extend(kinds.iter().map(limit).collect::<Result<MetricLimits, String>>()?);
        }
    }
    Ok(limits)
}

/// Parses limits of counters, with the same values: `nodes visited=5%|10000,compression ratio=3.5`.
pub fn parse_counter_limits(text: &str) -> Result<MetricLimits, String> {
    let mut limits = Vec::new();
    for part in text.split(',').map(str::trim) {
        let (name, values) = part.split_once('=').ok_or_else(|| {
            format!("`{part}` is not a limit: write `nodes=5%`, `nodes=10000` or `nodes=5%|10000`")
        })?;
        let kind = parse_counter(name).map_err(|error| error.to_string())?;
        for value in values.split('|').map(str::trim) {
            limits.push((kind, parse_limit(kind, value)?));
        }
    }
    Ok(limits)
}

/// Parses the name of a counter.
pub fn parse_counter(name: &str) -> Result<MetricKind, MetricError> {
    let name = name.trim();
    let counter = CounterName::new(name).map(MetricKind::Counter);
    counter.map_err(|reason| MetricError::CounterName { name: name.to_owned(), reason })
}

/// Parses limits in the older spelling, in which each number is a percentage: `ir=5,dr=10`.
pub fn parse_regression(text: &str, set: &MetricSet) -> Result<MetricLimits, String> {
    let mut limits = Vec::new();
    for part in text.split(',').map(str::trim) {
        let (kinds, value) = parse_assignment(part, set)?;
        let limit = parse_soft(value.trim_end_matches('%'))?;
        limits.extend(kinds.into_iter().map(|kind| (kind, limit)));
    }
    Ok(limits)
}

/// Parses a percentage that is not negative.
pub fn parse_percentage(text: &str) -> Result<Percentage, String> {
    let number = text.parse().ok().filter(|number: &f64| number.is_finite() && *number >= 0.0);
    number
        .map(Percentage::new)
        .ok_or_else(|| format!("`{text}` is not a percentage: write a number like `0.5`"))
}

/// Parses the name of a metric or, with an `@` before it, of a group.
fn parse_name(name: &str, set: &MetricSet) -> Result<Vec<MetricKind>, MetricError> {
    if let Some(name) = name.strip_prefix('@') {
        return match &*name.to_ascii_lowercase() {
            "all" => Ok(set.all.to_vec()),
            "default" => Ok(set.default()),
            group => {
                let found = set.groups.iter().find(|known| known.names.contains(&group));
                found.map(|known| set.members(known.group)).ok_or_else(|| MetricError::NoGroup {
                    name: name.to_owned(),
                    known: group_names(set),
                })
            }
        };
    }
    let found = set.all.iter().find(|kind| kind.has_name(name)).map(|kind| vec![*kind]);
    found.ok_or_else(|| {
        let names = set.all.iter().map(|kind| kind.name());
        MetricError::NoMetric { name: name.to_owned(), help: similar::help(name, names) }
    })
}

/// Returns the metrics and the value of `name=value`.
fn parse_assignment<'a>(
    part: &'a str,
    set: &MetricSet,
) -> Result<(Vec<MetricKind>, &'a str), String> {
    let (name, value) = part.split_once('=').ok_or_else(|| {
        format!("`{part}` is not a limit: write `ir=5%`, `ir=10000` or `ir=5%|10000`")
    })?;
    let kinds = parse_name(name.trim(), set).map_err(|error| error.to_string())?;
    Ok((kinds, value))
}

/// Parses `5%`, or a hard limit: a whole number for a count, any number for a rate and for a counter.
fn parse_limit(kind: MetricKind, value: &str) -> Result<Limit, String> {
    if let Some(number) = value.strip_suffix('%') {
        return parse_soft(number);
    }
    let count = || value.parse().ok().map(|value| Limit::Count { value });
    let rate = || {
        let rate = value.parse().ok().filter(|rate: &f64| rate.is_finite() && *rate >= 0.0);
        rate.map(|rate| Limit::Rate { value: rate.into() })
    };
    let (limit, example) = match kind {
        // Whole numbers are exact
        kind if kind.is_counter() => (count().or_else(rate), "a number like `99.5`"),
        kind if kind.is_rate() => (rate(), "a number like `99.5`"),
        _ => (count(), "a whole number"),
    };
    limit.ok_or_else(|| {
        format!("`{value}` is not a limit of {kind}: write a percentage like `5%`, or {example}")
    })
}

fn parse_soft(number: &str) -> Result<Limit, String> {
    let change = number.trim().parse().ok().filter(|number: &f64| number.is_finite());
    change
        .map(|change| Limit::Soft { change: change.into() })
        .ok_or_else(|| format!("`{number}%` is not a percentage"))
}

/// Returns the names of all metrics: `Ir, Dr, Dw`.
pub fn metric_names(set: &MetricSet) -> String {
    set.all.iter().map(|kind| kind.name()).collect::<Vec<_>>().join(", ")
}

/// Returns the names of all groups: `@all, @default, @cachehits (@hs)`.
pub fn group_names(set: &MetricSet) -> String {
    let names = |group: &Group| {
        let short = group.names[1..].iter().map(|name| format!(" (@{name})"));
        format!(", @{}{}", group.names[0], short.collect::<String>())
    };
    format!("@all, @default{}", set.groups.iter().map(names).collect::<String>())
}

#[cfg(test)]
mod tests {
    use iai_callgrind_plan::metric::CALLGRIND;
    use iai_callgrind_plan::metric::MetricKind::{
        Bc, Bcm, Bi, Bim, D1MissRate, Dr, I1MissRate, Ir, L1hits, LLMissRate, LLdMissRate, LLhits,
        LLiMissRate, RamHits,
    };

    use super::*;

    fn metrics(text: &str) -> Result<Vec<MetricKind>, String> {
        parse_metrics(text, &CALLGRIND).map_err(|error| error.to_string())
    }

    fn limits(text: &str) -> Result<MetricLimits, String> {
        parse_limits(text, &CALLGRIND)
    }

    fn soft(percentage: f64) -> Limit {
        Limit::Soft { change: percentage.into() }
    }

    #[test]
    fn metrics_have_the_order_of_the_text() {
        let rates = [I1MissRate, LLiMissRate, D1MissRate, LLdMissRate, LLMissRate];
        let expected: Vec<_> = [Dr].into_iter().chain(rates).chain([Ir]).collect();
        assert_eq!(metrics("DR, @mr,ir"), Ok(expected));
        assert_eq!(metrics("@hs,l2hits"), Ok(vec![L1hits, LLhits, RamHits, LLhits]));
        assert_eq!(metrics("@all"), Ok(MetricKind::CALLGRIND.to_vec()));
        assert_eq!(metrics("@default"), Ok(CALLGRIND.default()));
        assert_eq!(metrics("none"), Ok(vec![]));
        assert_eq!(metrics("None,ir"), Ok(vec![Ir]));
    }

    #[test]
    fn groups_have_a_long_and_a_short_name() {
        for Group { names, group } in CALLGRIND.groups {
            let members = CALLGRIND.members(*group);
            assert_eq!(names.len(), 2);
            for name in *names {
                assert_eq!(*name, name.to_lowercase());
                let name = format!("@{}", name.to_uppercase());
                assert_eq!(metrics(&name).as_ref(), Ok(&members));
            }
        }
    }

    #[test]
    fn limits_are_soft_or_hard() {
        let count = Limit::Count { value: 200 };
        assert_eq!(
            limits("IR = 5% | 200, dr=-10%"),
            Ok(vec![(Ir, soft(5.0)), (Ir, count), (Dr, soft(-10.0))])
        );
        let branches = [Bc, Bcm, Bi, Bim].map(|kind| (kind, soft(1.0)));
        assert_eq!(limits("@branchsim=1%").as_deref(), Ok(&branches[..]));
        let rate = Limit::Rate { value: 2.0.into() };
        assert_eq!(limits("d1missrate=2"), Ok(vec![(D1MissRate, rate)]));
    }

    #[test]
    fn limits_of_counters_are_soft_or_hard() {
        let kind = |name| parse_counter(name).unwrap();
        let (count, rate) = (Limit::Count { value: 200 }, Limit::Rate { value: 3.5.into() });
        let [nodes, ratio] = ["nodes visited", "ratio"].map(kind);
        assert_eq!(
            parse_counter_limits("nodes visited = 5% | 200, ratio=-10%|3.5"),
            Ok(vec![(nodes, soft(5.0)), (nodes, count), (ratio, soft(-10.0)), (ratio, rate)])
        );
        for (wrong, part) in [
            ("", "`` is not a limit: write `nodes=5%`"),
            ("nodes", "`nodes` is not a limit"),
            ("=5%", "`` is not the name of a counter: the name is empty"),
            ("a:b=5%", "`a:b` is not the name of a counter: the name contains `:`"),
            ("ir=5%", "`ir` is not the name of a counter: a metric has that name"),
            ("nodes=-5", "`-5` is not a limit of nodes: write a percentage like `5%`, or a number"),
            ("nodes=", "a number like `99.5`"),
            ("nodes=x%", "`x%` is not a percentage"),
        ] {
            let message = parse_counter_limits(wrong).unwrap_err();
            assert!(message.contains(part), "{wrong}: {message}");
        }
    }

    #[test]
    fn the_older_spelling_has_percentages_only() {
        let limits = |text: &str| parse_regression(text, &CALLGRIND);
        let branches = [Bc, Bcm, Bi, Bim].map(|kind| (kind, soft(0.5)));
        let expected: Vec<_> = [(Ir, soft(5.0))].into_iter().chain(branches).collect();
        assert_eq!(limits("ir=5, @branchsim=0.5%"), Ok(expected));
        assert!(limits("ir").is_err() && limits("ir=5|9").is_err());
    }

    #[test]
    fn errors_name_the_metrics_and_groups() {
        for (wrong, part) in [
            ("", "unknown metric ``\nhelp: use one of Ir, Dr, "),
            ("ir,", "unknown metric ``"),
            (
                "cycles",
                "unknown metric `cycles`\nhelp: did you mean `EstimatedCycles`? (all: Ir, Dr, ",
            ),
            (
                "@None",
                "unknown group `@None` of metrics\nhelp: use one of @all, @default, @cachemisses (@ms), ",
            ),
        ] {
            let message = metrics(wrong).unwrap_err();
            assert!(message.contains(part), "{wrong}: {message}");
        }
    }

    #[test]
    fn errors_in_limits_have_an_example() {
        for (wrong, part) in [
            ("", "`` is not a limit"),
            ("ir", "write `ir=5%`"),
            ("ir=", "a whole number"),
            ("ir=5.5", "a percentage like `5%`"),
            ("ir=x%", "`x%` is not a percentage"),
            ("ir=nan%", "`nan%` is not a percentage"),
            (
                "l1hitrate=x",
                "`x` is not a limit of L1HitRate: write a percentage like `5%`, or a number",
            ),
            ("l1hitrate=nan", "a number like `99.5`"),
            ("l1hitrate=-1", "a number like `99.5`"),
            ("@all=99.5", "`99.5` is not a limit of Ir"),
            ("cycles=5%", "unknown metric `cycles`\nhelp: did you mean `EstimatedCycles`?"),
            ("@hits=5%", "unknown group `@hits` of metrics\nhelp: use one of @all"),
        ] {
            let message = limits(wrong).unwrap_err();
            assert!(message.contains(part), "{wrong}: {message}");
        }
    }
}
