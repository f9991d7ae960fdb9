//! Options of the attributes.

use crate::counter::{IntoCounter, count_methods};
use crate::throughput::Throughput;

/// Options of a benchmark or of a group of benchmarks.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Options {
    pub(crate) ignore: Option<bool>,
    pub(crate) throughput: Throughput,
}

/// Declares the options that have no effect on counts.
macro_rules! without_effect {
    ($($(#[doc = $text:literal])* $name:ident$(<$generic:ident$(: $bound:path)?>)?($type:ty);)+) => {$(
        $(#[doc = $text])*
        ///
        /// Without effect on counts.
        #[must_use]
        pub fn $name$(<$generic$(: $bound)?>)?(self, _: $type) -> Self {
            self
        }
    )+};
}
pub(crate) use without_effect;

count_methods!(Options);

impl Options {
    /// Leaves the benchmark out, unless the command line includes it.
    #[must_use]
    pub fn ignore(self, ignore: bool) -> Self {
        Self { ignore: Some(ignore), ..self }
    }

    /// Sets a number of what one call processes.
    #[must_use]
    pub fn counter(mut self, counter: impl IntoCounter) -> Self {
        self.throughput.insert(counter);
        self
    }

    /// Returns these options. Those that are not set come from the group around.
    pub(crate) fn or(self, group: Self) -> Self {
        Self {
            ignore: self.ignore.or(group.ignore),
            throughput: self.throughput.or(group.throughput),
        }
    }

    without_effect! {
        /// Sets the number of samples.
        sample_count(u32);
        /// Sets the number of calls in a sample.
        sample_size(u32);
        /// Sets the numbers of threads: a flag, a number or several.
        threads<T>(T);
        /// Sets the time for all samples at least: a duration, or seconds.
        min_time<T>(T);
        /// Sets the time for all samples at most: a duration, or seconds.
        max_time<T>(T);
        /// Leaves the time outside of the routine out of the others.
        skip_ext_time(bool);
    }
}
