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

    /// Returns the parameter if it is an integer, which is the size of the input.
    pub(crate) fn size(&self) -> Option<i64> {
        self.parameter.as_ref()?.parse().ok()
    }

    /// Returns the name without the parameter.
    pub(crate) fn curve(&self) -> &str {
        self.function.as_deref().unwrap_or_default()
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_integer_as_the_parameter_is_the_size() {
        let growth = |id: BenchmarkId| (id.size(), id.curve().to_owned());
        let expected = |size, curve: &str| (size, curve.to_owned());
        assert_eq!(growth(BenchmarkId::new("sort", 1000)), expected(Some(1000), "sort"));
        assert_eq!(growth(BenchmarkId::from_parameter(-7_i8)), expected(Some(-7), ""));
        assert_eq!(growth(BenchmarkId::new("sort", "random")), expected(None, "sort"));
        assert_eq!(growth(BenchmarkId::from_parameter(1.5)), expected(None, ""));
        assert_eq!(growth("sort/1000".into_benchmark_id()), expected(None, "sort/1000"));
    }
}
