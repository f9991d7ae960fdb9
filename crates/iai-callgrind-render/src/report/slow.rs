//! Benchmarks that take long.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use iai_callgrind_results::RunId;

use super::note::Note;

/// The time after which a benchmark gets a note, and between further ones.
const INTERVAL: Duration = Duration::from_secs(60);

/// The active benchmarks.
#[derive(Debug, Default)]
pub(super) struct SlowBenchmarks(BTreeMap<RunId, ActiveBenchmark>);

#[derive(Debug)]
struct ActiveBenchmark {
    title: String,
    started: Instant,
    /// Number of notes so far.
    notes: u32,
}

impl ActiveBenchmark {
    /// Returns the time of the next note.
    fn next_note(&self) -> Instant {
        self.started + INTERVAL * (self.notes + 1)
    }
}

impl SlowBenchmarks {
    pub(super) fn start(&mut self, id: RunId, title: String, now: Instant) {
        self.0.insert(id, ActiveBenchmark { title, started: now, notes: 0 });
    }

    pub(super) fn end(&mut self, id: RunId) {
        self.0.remove(&id);
    }

    /// Starts the code at this `place` of the file, which ends when `next` starts.
    pub(super) fn pass(&mut self, over: &[RunId], next: RunId, place: String, now: Instant) {
        for id in over {
            self.end(*id);
        }
        self.start(next, place, now);
    }

    /// Returns the time of the next note of any benchmark.
    pub(super) fn next_note(&self) -> Option<Instant> {
        self.0.values().map(ActiveBenchmark::next_note).min()
    }

    /// Calls `print` with each note that is due.
    pub(super) fn each_due(&mut self, now: Instant, mut print: impl FnMut(Note<'_>)) {
        for benchmark in self.0.values_mut().filter(|active| active.next_note() <= now) {
            benchmark.notes += 1;
            print(Note::Slow { title: &benchmark.title, elapsed: INTERVAL * benchmark.notes });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_is_a_note_each_minute() {
        let start = Instant::now();
        let at = |seconds| start + Duration::from_secs(seconds);
        let [first, second] = [0, 1].map(|benchmark| RunId { benchmark, tool: 0, sample: 0 });
        let notes = |slow: &mut SlowBenchmarks, seconds| {
            let mut notes = Vec::new();
            slow.each_due(at(seconds), |note| notes.push(note.to_string()));
            notes
        };
        let mut slow = SlowBenchmarks::default();
        assert_eq!(slow.next_note(), None);
        slow.start(first, "file::group::f".to_owned(), at(0));
        slow.start(second, "file::group::f id:1".to_owned(), at(30));
        assert_eq!(slow.next_note(), Some(at(60)));
        assert!(notes(&mut slow, 59).is_empty());
        assert_eq!(notes(&mut slow, 60), ["slow: file::group::f has been running for 60 s"]);
        assert!(notes(&mut slow, 61).is_empty(), "once a minute");
        assert_eq!(slow.next_note(), Some(at(90)));
        assert_eq!(notes(&mut slow, 91), ["slow: file::group::f id:1 has been running for 60 s"]);
        assert_eq!(notes(&mut slow, 120), ["slow: file::group::f has been running for 120 s"]);
        slow.end(first);
        slow.end(second);
        assert!(notes(&mut slow, 1000).is_empty());
    }

    #[test]
    fn code_between_benchmarks_is_not_called_one_of_them() {
        let start = Instant::now();
        let at = |seconds| start + Duration::from_secs(seconds);
        let [before, after] = [0, 1].map(|benchmark| RunId { benchmark, tool: 0, sample: 0 });
        let mut slow = SlowBenchmarks::default();
        let mut notes = Vec::new();
        slow.start(before, "f::g::before".to_owned(), at(0));
        let place = "the code between f::g::before and f::g::after".to_owned();
        slow.pass(&[before], after, place, at(1));
        slow.each_due(at(61), |note| notes.push(note.to_string()));
        slow.start(after, "f::g::after".to_owned(), at(70));
        slow.each_due(at(130), |note| notes.push(note.to_string()));
        let code = "slow: the code between f::g::before and f::g::after has been running for 60 s";
        assert_eq!(notes, [code, "slow: f::g::after has been running for 60 s"]);
    }
}
