//! Errors of subcommands over stored results.

/// A reason why stored results can't be shown.
#[derive(Debug, thiserror::Error)]
pub(crate) enum StoredError {
    #[error(
        "can't find the target directory: `cargo metadata` failed\nhelp: run this command in a package or \
         choose the directory of the results with --home"
    )]
    NoTargetDirectory,
    #[error("the result has no event `{name}`\nhelp: use one of {known}")]
    NoEvent { name: String, known: String },
    #[error(
        "can't check limits of summaries: the runs have checked them\nhelp: check stored results, without files as \
         arguments"
    )]
    LimitsOfFiles,
    /// A word in the place of a file contains `::`, as names of benchmarks do.
    #[error(
        "can't read {name}: there is no such file\nhelp: to select benchmarks, write `--filter={name}`"
    )]
    NameOfBenchmark { name: String },
}
