//! The option of snapshots.

use std::env;

use clap::Args;
use iai_callgrind_plan::Config;

use super::LIMITS;
use crate::settings::{SnapshotMode, SnapshotSettings};

/// The option for the counts in a file of the repository.
#[derive(Debug, Default, Args)]
#[command(next_help_heading = LIMITS)]
pub(crate) struct Snapshots {
    /// Compare the counts with those in benches/FILE.TARGET.counts, or write them there
    ///
    /// Without limits of their own, instructions must be equal. In a CI job, where the variable CI is set, a difference
    /// beyond the limits ends the run with exit code 3.
    #[arg(
        long, value_name = "compare|accept|no", num_args = 0..=1, require_equals = true,
        default_missing_value = "compare", hide_possible_values = true, value_enum,
        env = "IAI_CALLGRIND_SNAPSHOT"
    )]
    snapshot: Option<SnapshotMode>,
}

impl Snapshots {
    /// Returns the settings. The option takes precedence over the configuration of the benchmark
    /// file.
    pub(crate) fn settings(&self, file: &Config) -> Option<SnapshotSettings> {
        let configured = file.snapshot.unwrap_or(false).then_some(SnapshotMode::Compare);
        let mode = self.snapshot.or(configured).filter(|mode| *mode != SnapshotMode::No)?;
        let is_ci = env::var_os("CI").is_some_and(|value| {
            !["", "0", "false"].iter().any(|no| value.eq_ignore_ascii_case(no))
        });
        Some(SnapshotSettings { accept: mode == SnapshotMode::Accept, is_ci })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench;

    #[test]
    fn the_option_wins_over_the_configuration() {
        let accepts = |arguments: &[&str], configured| {
            let config = Config { snapshot: configured, ..Config::default() };
            let options = bench(arguments).unwrap().snapshots;
            options.settings(&config).map(|settings| settings.accept)
        };
        for (arguments, configured, accept) in [
            (&[][..], None, None),
            (&[], Some(false), None),
            (&[], Some(true), Some(false)),
            (&["--snapshot"], None, Some(false)),
            (&["--snapshot=compare"], Some(false), Some(false)),
            (&["--snapshot=accept"], None, Some(true)),
            (&["--snapshot=no"], Some(true), None),
        ] {
            assert_eq!(accepts(arguments, configured), accept, "{arguments:?}");
        }
        assert!(bench(&["--snapshot=x"]).is_err());
    }
}
