//! The metrics of a tool, and how users name them.

use std::fmt;

use super::EventKind;

/// What a tool can tell, and the groups of it
#[derive(Debug)]
pub struct MetricSet {
    /// All its metrics, in the order in which they are printed
    pub all: &'static [EventKind],
    /// Its groups besides `all` and `default`
    pub groups: &'static [Group],
}

/// Metrics that go by one name
#[derive(Debug)]
pub struct Group {
    /// What it is called, in small letters: first the long name, then shorter ones
    pub names: &'static [&'static str],
    /// Its metrics
    pub members: &'static [EventKind],
}

/// The metrics that are shown, each once, in the order in which they are shown
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Selection {
    /// The metrics
    pub kinds: Vec<EventKind>,
}

impl MetricSet {
    /// The metrics that are printed unless the user asks for others
    #[must_use]
    pub fn default(&self) -> Vec<EventKind> {
        self.all.iter().copied().filter(|kind| kind.is_default()).collect()
    }

    /// The metrics that a name or, with an `@` before it, the name of a group stands for
    ///
    /// Fails with a message that names what there is.
    pub fn named(&self, name: &str) -> Result<Vec<EventKind>, String> {
        if let Some(name) = name.strip_prefix('@') {
            return self.group(name).ok_or_else(|| {
                format!("there is no group `@{name}` of metrics: take one of {}", self.groups())
            });
        }
        let found = self.all.iter().copied().find(|kind| kind.is_called(name));
        found
            .map(|kind| vec![kind])
            .ok_or_else(|| format!("there is no metric `{name}`: take one of {}", self.names()))
    }

    /// The names of all metrics: `Ir, Dr, Dw`
    #[must_use]
    pub fn names(&self) -> String {
        self.all.iter().map(|kind| kind.name()).collect::<Vec<_>>().join(", ")
    }

    /// The names of all groups: `@all, @default, @cachehits (@hs)`
    #[must_use]
    pub fn groups(&self) -> String {
        format!("@all, @default{}", List(self.groups))
    }

    fn group(&self, name: &str) -> Option<Vec<EventKind>> {
        let name = name.to_ascii_lowercase();
        match &*name {
            "all" => Some(self.all.to_vec()),
            "default" => Some(self.default()),
            name => {
                let found = self.groups.iter().find(|group| group.names.contains(&name));
                found.map(|group| group.members.to_vec())
            }
        }
    }
}

/// The groups with their short names: `, @cachehits (@hs)`
struct List(&'static [Group]);

impl fmt::Display for List {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for group in self.0 {
            let mut names = group.names.iter();
            write!(f, ", @{}", names.next().unwrap_or(&""))?;
            names.try_for_each(|short| write!(f, " (@{short})"))?;
        }
        Ok(())
    }
}

impl Selection {
    /// Reads a selection as the command line has it: `ir,@mr`; `none` stands for nothing
    ///
    /// Of a metric that is named twice the first place counts.
    pub fn parse(text: &str, set: &MetricSet) -> Result<Self, String> {
        let mut kinds = Vec::new();
        for name in text.split(',').map(str::trim).filter(|name| !name.eq_ignore_ascii_case("none"))
        {
            for kind in set.named(name)? {
                if !kinds.contains(&kind) {
                    kinds.push(kind);
                }
            }
        }
        Ok(Self { kinds })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metric::CALLGRIND;
    use crate::metric::EventKind::{
        D1MissRate, Dr, EstimatedCycles, I1MissRate, Ir, L1hits, LLMissRate, LLdMissRate, LLhits,
        LLiMissRate, RamHits, TotalRW,
    };

    fn select(text: &str) -> Result<Vec<EventKind>, String> {
        Selection::parse(text, &CALLGRIND).map(|selection| selection.kinds)
    }

    #[test]
    fn what_is_printed_by_default() {
        let default = [Ir, L1hits, LLhits, RamHits, TotalRW, EstimatedCycles];
        assert_eq!(CALLGRIND.default(), default);
        assert_eq!(select("@default"), Ok(default.to_vec()));
    }

    #[test]
    fn the_order_is_that_of_the_text_and_nothing_comes_twice() {
        let rates = [I1MissRate, LLiMissRate, D1MissRate, LLdMissRate, LLMissRate];
        let expected: Vec<_> = [Dr].into_iter().chain(rates).chain([Ir]).collect();
        assert_eq!(select("DR, @mr,ir,dr,@CacheMissRates"), Ok(expected));
        assert_eq!(select("@hs,l2hits"), Ok(vec![L1hits, LLhits, RamHits]));
        assert_eq!(select("@all"), Ok(EventKind::CALLGRIND.to_vec()));
    }

    #[test]
    fn none_is_nothing() {
        assert_eq!(select("none"), Ok(vec![]));
        assert_eq!(select("None,ir"), Ok(vec![Ir]));
    }

    #[test]
    fn mistakes_name_what_there_is() {
        for (wrong, part) in [
            ("", "no metric ``: take one of Ir, Dr, "),
            ("ir,", "no metric ``"),
            ("cycles", "no metric `cycles`: take one of Ir, Dr, "),
            (
                "@none",
                "no group `@none` of metrics: take one of @all, @default, @cachemisses (@ms), ",
            ),
        ] {
            let message = select(wrong).unwrap_err();
            assert!(message.contains(part), "{wrong}: {message}");
        }
    }
}
