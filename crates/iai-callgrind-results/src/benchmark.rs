//! A benchmark with its resolved configuration.

use std::fmt;
use std::sync::Arc;

use iai_callgrind_plan::protocol::Start;
use iai_callgrind_plan::{self as plan, Amounts, Compare, HookKind};
use iai_callgrind_store::Files;
use iai_callgrind_tools::tool::MeasuredFunction;

use super::options::Options;

/// The subject of a benchmark.
#[derive(Debug)]
pub enum Subject {
    /// A function of the benchmark executable.
    Library {
        /// The function as callgrind knows it.
        function: MeasuredFunction,
        /// The case as the fork server sees it, see [`plan::Subject::Library`].
        entry: u64,
        /// The number of the input.
        item: u64,
    },
    /// A command.
    Binary(BinaryCase),
}

/// A command with its hooks.
#[derive(Debug)]
pub struct BinaryCase {
    /// The command.
    pub command: plan::Command,
    /// See [`plan::Subject::Binary`].
    pub index: u64,
    /// The hooks around it.
    pub hooks: plan::Hooks,
}

/// The place of a benchmark on a growth curve.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CurvePlace {
    /// The size of the input.
    pub size: i64,
    /// The name of the curve in its group, see [`plan::Case::curve`].
    pub curve: String,
    /// The user declared the size. Otherwise it comes from the throughput, or from a parameter.
    pub is_declared: bool,
    /// Number of the curve's benchmarks, including unselected ones.
    pub points: usize,
}

impl CurvePlace {
    /// Returns the name of the curve: `file::group::function id`.
    pub fn title(&self, benchmark: &Benchmark) -> String {
        let curve = Some(&*self.curve).filter(|curve| !curve.is_empty());
        plan::path(&benchmark.file, &benchmark.group_name, curve)
    }

    /// Returns the part of the name that curves of other functions share.
    pub fn series(&self, benchmark: &Benchmark) -> &str {
        if benchmark.external_id.is_some() {
            return "";
        }
        self.curve.strip_prefix(benchmark.function()).unwrap_or(&self.curve)
    }

    /// Returns the function of the curve. If another harness named the benchmark, the name of the
    /// function contains the input.
    pub fn function<'a>(&'a self, benchmark: &'a Benchmark) -> &'a str {
        match benchmark.external_id {
            Some(_) if self.curve.is_empty() => &benchmark.group_name,
            Some(_) => &self.curve,
            None => benchmark.function(),
        }
    }
}

/// Returns the function and the input in the name of a benchmark in a Criterion group:
/// `Fibonacci/Recursive/20`.
pub fn function_and_input<'a>(group: &str, external_id: &'a str) -> Option<(&'a str, &'a str)> {
    external_id.strip_prefix(group)?.strip_prefix('/')?.rsplit_once('/')
}

/// One benchmark: a case of a function in a group.
#[derive(Debug)]
pub struct Benchmark {
    /// The name of the benchmark file.
    pub file: String,
    /// The name of its group.
    pub group_name: String,
    /// The name of the function, if it has one.
    pub function: Option<String>,
    /// The id of the case, if it has one.
    pub id: Option<String>,
    /// See [`plan::Case::external_id`].
    pub external_id: Option<String>,
    /// The place on a growth curve, if the size of the input is known.
    pub curve: Option<CurvePlace>,
    /// The arguments as in the source, or the command.
    pub arguments: String,
    /// The function or command that is measured.
    pub subject: Subject,
    /// The hook of the group that it measures.
    pub hook: Option<HookKind>,
    /// The number of its group.
    pub group: usize,
    /// The benchmarks of its group that it is compared with.
    pub compare: Compare,
    /// Number of benchmarks of its group that may run in parallel, if there is a limit.
    pub max_parallel: Option<usize>,
    /// The files of its results.
    pub files: Files,
    /// The resolved configuration.
    pub options: Arc<Options>,
}

impl Benchmark {
    /// Returns the start of its name: `file::group::function`, or `file::group` without a function.
    pub fn path(&self) -> String {
        plan::path(&self.file, &self.group_name, self.function.as_deref())
    }

    /// Returns the name that filters match: `file::group::function::id`.
    pub fn name(&self) -> String {
        plan::name(&self.path(), self.id.as_deref())
    }

    /// Returns the name of the function or, if there is none, of the group.
    pub fn function(&self) -> &str {
        self.function.as_ref().unwrap_or(&self.group_name)
    }

    /// Returns the title: `file::group::function id:arguments` or, if the arguments say nothing else, without them.
    pub fn title_in_text(&self) -> String {
        match self.case() {
            Some((id, Some(arguments))) => format!("{} {id}:{arguments}", self.path()),
            Some((id, None)) => format!("{} {id}", self.path()),
            None => self.path(),
        }
    }

    /// Returns the id of the case, if it has one, and the arguments unless the id has them at its end: `n_8` has `8`.
    pub fn case(&self) -> Option<(&str, Option<String>)> {
        let id = self.id.as_deref()?;
        let end = id.strip_suffix(&self.arguments);
        let is_in_id = end.is_some_and(|start| start.is_empty() || start.ends_with('_'));
        let is_shown = !self.arguments.is_empty() && !is_in_id;
        Some((id, is_shown.then(|| self.description())))
    }

    /// Returns the text that it shares with the compared benchmarks of its group, if there are any.
    pub fn comparison_key(&self) -> Option<&str> {
        match self.compare {
            Compare::No => None,
            Compare::ById => self.id.as_deref(),
            Compare::All => Some(""),
        }
    }

    /// Returns the function and the input by which it is compared with others of its group, if any.
    pub fn function_and_input(&self) -> Option<(&str, &str)> {
        match (&self.external_id, &self.id) {
            (Some(name), _) => function_and_input(&self.group_name, name),
            (None, Some(id)) if self.compare == Compare::ById => Some((self.function(), id)),
            (None, _) => None,
        }
    }

    /// Returns the amounts that its results have, apart from those of each run.
    pub fn amounts(&self) -> Amounts {
        let place = self.curve.as_ref();
        Amounts {
            throughput: self.options.throughput,
            counters: Vec::new(),
            size: place.map(|place| place.size),
            curve: place.map(|place| place.curve.clone()),
            label: None,
        }
    }

    /// Returns the command, `None` for a function.
    pub fn command(&self) -> Option<&BinaryCase> {
        match &self.subject {
            Subject::Binary(case) => Some(case),
            Subject::Library { .. } => None,
        }
    }

    /// Returns the server command for a function with this seed, `None` for a command.
    pub fn start(&self, seed: Option<u64>) -> Option<Start> {
        match self.subject {
            Subject::Library { entry, item, .. } => Some(Start { entry, item, seed }),
            Subject::Binary(_) => None,
        }
    }

    /// Returns the arguments, truncated for the title, dots included. Arguments that leave no room
    /// for the dots are truncated too.
    pub fn description(&self) -> String {
        const DOTS: &str = "...";
        let kept = self.options.longest_description.saturating_sub(DOTS.len());
        if self.arguments.chars().count() <= kept {
            return self.arguments.clone();
        }
        self.arguments.chars().take(kept).chain(DOTS.chars()).collect()
    }
}

/// The title above the results of a benchmark: `file::group::function id:arguments`.
impl fmt::Display for Benchmark {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.path())?;
        match &self.id {
            Some(id) => write!(formatter, " {id}:{}", self.description()),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::path::Path;

    use iai_callgrind_plan::Config;

    use super::*;

    fn benchmark(id: Option<&str>, arguments: &str) -> Benchmark {
        Benchmark {
            file: "file".to_owned(),
            group_name: "group".to_owned(),
            id: id.map(ToOwned::to_owned),
            external_id: None,
            curve: None,
            arguments: arguments.to_owned(),
            function: Some("function".to_owned()),
            subject: Subject::Library { function: MeasuredFunction::default(), entry: 0, item: 0 },
            hook: None,
            group: 0,
            compare: Compare::No,
            max_parallel: None,
            files: Files::new(Path::new("/out"), "group", Some("function"), id),
            options: Arc::new(
                Options::resolve(&Config::default(), false, &mut BTreeSet::new()).unwrap(),
            ),
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
        let close = "benchmark-tests-printargs foo \"foo bar\"";
        assert_eq!(
            benchmark(Some("args"), close).to_string(),
            "file::group::function args:benchmark-tests-printargs foo \"foo ba..."
        );
    }

    #[test]
    fn titles_in_text_say_arguments_once() {
        let title = |id, arguments| benchmark(id, arguments).title_in_text();
        assert_eq!(title(None, ""), "file::group::function");
        assert_eq!(title(Some("n_0"), "1000"), "file::group::function n_0:1000");
        for (id, arguments) in [("n_8", "8"), ("8", "8"), ("n_8", "")] {
            assert_eq!(title(Some(id), arguments), format!("file::group::function {id}"));
        }
        assert_eq!(title(Some("n_18"), "8"), "file::group::function n_18:8");
    }
}
