//! Names of benchmarks.

use std::fmt::Display;

/// Name of a benchmark: a function, a parameter, or both.
///
/// ```
/// use iai_callgrind_criterion::BenchmarkId;
///
/// // sort/1000
/// let both = BenchmarkId::new("sort", 1000);
/// // 1000
/// let parameter = BenchmarkId::from_parameter(1000);
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct BenchmarkId {
    pub(crate) function: Option<String>,
    pub(crate) parameter: Option<String>,
}

impl BenchmarkId {
    /// Names a benchmark after a function and a parameter.
    pub fn new<S: Into<String>, P: Display>(function_name: S, parameter: P) -> Self {
        Self { function: Some(function_name.into()), parameter: Some(parameter.to_string()) }
    }

    /// Names a benchmark after a parameter.
    pub fn from_parameter<P: Display>(parameter: P) -> Self {
        Self { function: None, parameter: Some(parameter.to_string()) }
    }

    /// Returns the parts, joined by slashes.
    pub(crate) fn text(&self) -> String {
        let parts = [&self.function, &self.parameter].into_iter().flatten();
        parts.map(|part| &**part).collect::<Vec<_>>().join("/")
    }
}

/// Values that can be the name of a benchmark in a group.
pub trait IntoBenchmarkId {
    /// Converts the value.
    fn into_benchmark_id(self) -> BenchmarkId;
}

impl IntoBenchmarkId for BenchmarkId {
    fn into_benchmark_id(self) -> BenchmarkId {
        self
    }
}

impl<S: Into<String>> IntoBenchmarkId for S {
    fn into_benchmark_id(self) -> BenchmarkId {
        BenchmarkId { function: Some(self.into()), parameter: None }
    }
}
