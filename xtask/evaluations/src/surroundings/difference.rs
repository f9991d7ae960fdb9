//! The things that differ around the benchmarks.

/// The thing that differs from the first build.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Difference {
    Nothing,
    /// The path of the package is longer by this number of bytes.
    Directory(usize),
    UnusedDependency,
    Version,
    Function,
    FirstBenchmark,
    LastBenchmark,
}

impl Difference {
    /// All builds; the others are compared with the first one.
    pub(crate) const ALL: [Self; 9] = [
        Self::Nothing,
        Self::Directory(1),
        Self::Directory(16),
        Self::Directory(200),
        Self::UnusedDependency,
        Self::Version,
        Self::Function,
        Self::FirstBenchmark,
        Self::LastBenchmark,
    ];

    /// Returns the words of a table.
    pub(crate) fn text(self) -> String {
        match self {
            Self::Nothing => "nothing".to_owned(),
            Self::Directory(1) => "the directory is 1 byte longer".to_owned(),
            Self::Directory(bytes) => format!("the directory is {bytes} bytes longer"),
            Self::UnusedDependency => "an unused dependency".to_owned(),
            Self::Version => "another version of the package".to_owned(),
            Self::Function => "one more function with literals in the benchmark file".to_owned(),
            Self::FirstBenchmark => "one more benchmark, as the first one".to_owned(),
            Self::LastBenchmark => "one more benchmark, as the last one".to_owned(),
        }
    }
}
