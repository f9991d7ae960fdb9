//! The benchmarks of a plan, one after the other.

use std::fmt;

use crate::filter::selects;
use crate::output::Files;
use crate::plan::Plan;
use crate::run::Start;
use crate::settings::Settings;

/// What callgrind knows the measured function by.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct MeasuredFunction {
    /// The type that it belongs to, with its path.
    pub(crate) owner: String,
    /// Its name.
    pub(crate) name: String,
}

/// One benchmark: a case of a function in a group.
#[derive(Debug)]
pub(crate) struct Benchmark {
    /// `file::group::function`.
    pub(crate) path: String,
    /// The id of the case, if it has one.
    pub(crate) id: Option<String>,
    /// The arguments as they stand in the source.
    pub(crate) arguments: String,
    /// The measured function.
    pub(crate) function: MeasuredFunction,
    /// What the fork server runs for it.
    pub(crate) start: Start,
    /// The number of its group, if cases in there are compared by their ids.
    pub(crate) compared_in: Option<usize>,
    /// Its files.
    pub(crate) files: Files,
}

impl Benchmark {
    /// Whether the filter selects it.
    fn is_selected(&self, filter: Option<&str>) -> bool {
        let id = self.id.as_ref().map_or_else(String::new, |id| format!("::{id}"));
        filter.is_none_or(|filter| selects(filter, &format!("{}{id}", self.path)))
    }

    /// The arguments, shortened to what fits into a title.
    pub(crate) fn description(&self) -> String {
        const LONGEST: usize = 40;
        const DOTS: &str = "...";
        if self.arguments.chars().count() <= LONGEST {
            return self.arguments.clone();
        }
        self.arguments.chars().take(LONGEST - DOTS.len()).chain(DOTS.chars()).collect()
    }
}

/// The title that stands above the benchmark's results: `file::group::function id:arguments`.
impl fmt::Display for Benchmark {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.path)?;
        match &self.id {
            Some(id) => write!(formatter, " {id}:{}", self.description()),
            None => Ok(()),
        }
    }
}

/// The plan's benchmarks that the settings select, in the order of declaration.
pub(crate) fn selected(plan: Plan, settings: &Settings) -> Vec<Benchmark> {
    let mut benchmarks = Vec::new();
    for (number, group) in plan.groups.into_iter().enumerate() {
        for function in group.functions {
            for case in function.cases {
                let id = case.id.as_deref();
                let files = Files::new(&settings.directory, &group.name, &function.name, id);
                benchmarks.push(Benchmark {
                    path: format!("{}::{}::{}", plan.file, group.name, function.name),
                    id: case.id,
                    arguments: case.arguments,
                    function: MeasuredFunction {
                        owner: function.owner.clone(),
                        name: function.name.clone(),
                    },
                    start: Start { entry: case.entry, item: case.item, seed: 0 },
                    compared_in: group.compare_by_id.then_some(number),
                    files,
                });
            }
        }
    }
    benchmarks.retain(|benchmark| benchmark.is_selected(settings.filter.as_deref()));
    benchmarks
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    fn benchmark(id: Option<&str>, arguments: &str) -> Benchmark {
        Benchmark {
            path: "file::group::function".to_owned(),
            id: id.map(ToOwned::to_owned),
            arguments: arguments.to_owned(),
            function: MeasuredFunction::default(),
            start: Start { entry: 0, item: 0, seed: 0 },
            compared_in: None,
            files: Files::new(Path::new("/out"), "group", "function", id),
        }
    }

    #[test]
    fn titles() {
        assert_eq!(benchmark(None, "").to_string(), "file::group::function");
        assert_eq!(benchmark(Some("short"), "10").to_string(), "file::group::function short:10");
        let long = "benchmark-tests-printargs \"--foo=fixtures/test1.txt\"";
        assert_eq!(
            benchmark(Some("do foo"), long).to_string(),
            "file::group::function do foo:benchmark-tests-printargs \"--foo=fixt..."
        );
    }

    #[test]
    fn filters() {
        let benchmark = benchmark(Some("short"), "10");
        for filter in [None, Some("group::fun"), Some("function::short"), Some("file")] {
            assert!(benchmark.is_selected(filter), "{filter:?}");
        }
        assert!(!benchmark.is_selected(Some("long")));
    }
}
