//! Which of the benchmarks that run take long.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// How long a benchmark runs before there is a notice, and then another one.
const LONG: Duration = Duration::from_secs(60);

/// The benchmarks that run, by their numbers.
#[derive(Debug, Default)]
pub(super) struct Slow(BTreeMap<usize, Running>);

#[derive(Debug)]
struct Running {
    title: String,
    started: Instant,
    /// How many notices there were.
    told: u32,
}

impl Running {
    /// When there will be a notice.
    fn next(&self) -> Instant {
        self.started + LONG * (self.told + 1)
    }
}

impl Slow {
    pub(super) fn started(&mut self, number: usize, title: String, now: Instant) {
        self.0.insert(number, Running { title, started: now, told: 0 });
    }

    pub(super) fn ended(&mut self, number: usize) {
        self.0.remove(&number);
    }

    /// When there will be a notice if nothing changes.
    pub(super) fn next(&self) -> Option<Instant> {
        self.0.values().map(Running::next).min()
    }

    /// The notices that are due.
    pub(super) fn notices(&mut self, now: Instant) -> Vec<String> {
        let due = self.0.values_mut().filter(|it| it.next() <= now);
        due.map(|it| {
            it.told += 1;
            let seconds = (LONG * it.told).as_secs();
            format!("slow: {} has been running for {seconds} s", it.title)
        })
        .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_is_a_notice_each_minute_as_long_as_it_runs() {
        let start = Instant::now();
        let at = |seconds| start + Duration::from_secs(seconds);
        let mut slow = Slow::default();
        assert_eq!(slow.next(), None);
        slow.started(0, "file::group::f".to_owned(), at(0));
        slow.started(1, "file::group::f id:1".to_owned(), at(30));
        assert_eq!(slow.next(), Some(at(60)));
        assert!(slow.notices(at(59)).is_empty());
        assert_eq!(slow.notices(at(60)), ["slow: file::group::f has been running for 60 s"]);
        assert!(slow.notices(at(61)).is_empty(), "once a minute");
        assert_eq!(slow.next(), Some(at(90)));
        assert_eq!(slow.notices(at(91)), ["slow: file::group::f id:1 has been running for 60 s"]);
        assert_eq!(slow.notices(at(120)), ["slow: file::group::f has been running for 120 s"]);
        slow.ended(0);
        slow.ended(1);
        assert!(slow.notices(at(1000)).is_empty());
    }
}
