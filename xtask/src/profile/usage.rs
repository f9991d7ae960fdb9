//! Time, CPU time and page faults of a command with all its processes.

use std::fs;
use std::time::Instant;

/// Units of CPU time in a second, on every Linux.
const TICKS: f64 = 100.0;

/// Resources that a command with all its processes took.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Usage {
    /// Seconds.
    pub(super) wall: f64,
    /// Seconds of CPU time in user mode.
    pub(super) user: f64,
    /// Seconds of CPU time in the kernel.
    pub(super) system: f64,
    /// Number of page faults without reads from a disk.
    pub(super) faults: f64,
}

impl Usage {
    /// Runs commands and waits for them. Their processes have to be descendants that others wait for.
    pub(super) fn measure(run: impl FnOnce() -> Result<(), String>) -> Result<Self, String> {
        let before = Self::of_children()?;
        let start = Instant::now();
        run()?;
        let wall = start.elapsed().as_secs_f64();
        let after = Self::of_children()?;
        Ok(Self {
            wall,
            user: after.user - before.user,
            system: after.system - before.system,
            faults: after.faults - before.faults,
        })
    }

    /// Returns the sums over all children that this process has waited for.
    fn of_children() -> Result<Self, String> {
        let text =
            fs::read_to_string("/proc/self/stat").map_err(|it| format!("/proc/self/stat: {it}"))?;
        Self::parse(&text).ok_or_else(|| "/proc/self/stat: a field is missing".to_owned())
    }

    fn parse(text: &str) -> Option<Self> {
        // The name of the program can have spaces
        let (_, fields) = text.rsplit_once(") ")?;
        let fields: Vec<_> = fields.split(' ').collect();
        let field = |number: usize| fields.get(number - 3)?.parse::<f64>().ok();
        Some(Self {
            wall: 0.0,
            user: field(16)? / TICKS,
            system: field(17)? / TICKS,
            faults: field(11)?,
        })
    }
}

/// Returns the median of each figure.
pub(super) fn median(usages: &[Usage]) -> Usage {
    let of = |figure: fn(&Usage) -> f64| {
        let mut values: Vec<_> = usages.iter().map(figure).collect();
        values.sort_by(f64::total_cmp);
        values.get(values.len() / 2).copied().unwrap_or_default()
    };
    Usage {
        wall: of(|usage| usage.wall),
        user: of(|usage| usage.user),
        system: of(|usage| usage.system),
        faults: of(|usage| usage.faults),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_those_of_the_children() {
        let text = "7 (a) b) S 1 7 7 0 -1 4194304 10 2345 0 0 1 2 150 25 20 0 1 0 5";
        let usage = Usage { wall: 0.0, user: 1.5, system: 0.25, faults: 2345.0 };
        assert_eq!(Usage::parse(text), Some(usage));
        assert_eq!(Usage::parse("7 (a) S 1"), None);
    }
}
