//! The time that the setup of a function takes, compared with that of the function.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use iai_callgrind_plan::protocol::MeasuredRegion;

use super::note::SetupTimes;

/// A shorter setup is not worth a note.
const SHORTEST: Duration = Duration::from_secs(5);

/// A note is printed if a setup takes this many times as long as the benchmark.
const FACTOR: u32 = 4;

/// Returns the times of a case that started at this time if its setup takes far longer than the benchmark.
pub(super) fn of_slow_setup(started: SystemTime, region: &MeasuredRegion) -> Option<SetupTimes> {
    let start = started.duration_since(UNIX_EPOCH).ok()?;
    let setup = Duration::from_nanos(region.begin).checked_sub(start)?;
    let benchmark = Duration::from_nanos(region.end.saturating_sub(region.begin));
    let is_slow = setup >= SHORTEST && setup >= benchmark * FACTOR;
    is_slow.then_some(SetupTimes { setup, benchmark })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_setup_is_slow_if_it_takes_seconds_and_far_more_than_the_benchmark() {
        let times = |setup: u64, benchmark: u64| {
            let seconds = |number: u64| number * 1_000_000_000;
            let (begin, end) = (seconds(100 + setup), seconds(100 + setup + benchmark));
            let region = MeasuredRegion { begin, end, ..MeasuredRegion::default() };
            let found = of_slow_setup(UNIX_EPOCH + Duration::from_secs(100), &region);
            found.map(|times| (times.setup.as_secs(), times.benchmark.as_secs()))
        };
        assert_eq!(times(36, 2), Some((36, 2)));
        assert_eq!(times(5, 0), Some((5, 0)));
        assert_eq!(times(4, 0), None);
        assert_eq!(times(36, 10), None);
    }

    #[test]
    fn a_region_that_began_before_the_case_has_no_setup() {
        let region = MeasuredRegion::default();
        assert_eq!(of_slow_setup(UNIX_EPOCH + Duration::from_secs(100), &region), None);
    }
}
