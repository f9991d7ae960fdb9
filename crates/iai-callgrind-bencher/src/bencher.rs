//! The object that benchmark functions get. Here its loop calls the closure once, and that call counts.

use iai_callgrind_harness::__private::{Reached, Region, count_with_drop, reach, report_amount};
use iai_callgrind_plan::Config;

/// Counts a closure. A benchmark calls [`Self::iter`] once.
#[derive(Debug)]
pub struct Bencher {
    // A copy: the type has no lifetime, which a file could not leave out everywhere
    region: Region,
    is_called: bool,
    /// Number of bytes that a call processes.
    pub bytes: u64,
}

impl Bencher {
    /// Counts a call of the closure, and the drop of what it returns.
    ///
    /// # Panics
    ///
    /// Panics if the benchmark has called it before.
    #[track_caller]
    pub fn iter<T, F: FnMut() -> T>(&mut self, inner: F) {
        assert!(
            !self.is_called,
            "the benchmark calls `iter` several times, and only one call can count: make a benchmark of each"
        );
        self.is_called = true;
        count_with_drop(&mut self.region, || (), inner);
    }
}

/// Reaches a benchmark of the walk through the file.
pub(crate) fn reach_function(
    group: &str,
    function: &str,
    external_id: &str,
    run: &dyn Fn(&mut Bencher),
) {
    let config = Config::default();
    let reached = Reached {
        group,
        function,
        external_id,
        is_selected: None,
        size: None,
        curve: function,
        config,
    };
    reach(reached, &mut |region| {
        let mut bencher = Bencher { region: *region, is_called: false, bytes: 0 };
        run(&mut bencher);
        *region = bencher.region;
        assert!(
            bencher.is_called,
            "the benchmark counts nothing: its function does not call `Bencher::iter`"
        );
        if bencher.bytes > 0 {
            report_amount(None, Some(bencher.bytes));
        }
    });
}
