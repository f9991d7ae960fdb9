//! The benchmarks of a plan, one after the other.

use std::collections::BTreeSet;
use std::fmt;
use std::rc::Rc;

use crate::error::{Error, Result};
use crate::options::Options;
use crate::output::Files;
use crate::plan::{Config, Plan};
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
    /// The number of its group.
    pub(crate) group: usize,
    /// Whether it is compared with others of its group by their ids.
    pub(crate) is_compared: bool,
    /// Its files.
    pub(crate) files: Files,
    /// What it runs with.
    pub(crate) options: Rc<Options>,
}

impl Benchmark {
    /// The name that filters go by: `file::group::function::id`.
    pub(crate) fn name(&self) -> String {
        name(&self.path, self.id.as_deref())
    }

    /// The arguments, shortened to what fits into a title.
    pub(crate) fn description(&self) -> String {
        const DOTS: &str = "...";
        let longest = self.options.longest_description;
        if self.arguments.chars().count() <= longest {
            return self.arguments.clone();
        }
        let kept = longest.saturating_sub(DOTS.len());
        self.arguments.chars().take(kept).chain(DOTS.chars()).collect()
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
pub(crate) fn selected(plan: Plan, settings: &Settings) -> Result<Vec<Benchmark>> {
    let mut resolver = Resolver { settings, last: None, ignored: BTreeSet::new() };
    let mut benchmarks = Vec::new();
    for (number, group) in plan.groups.into_iter().enumerate() {
        let config = on_top(&plan.config, group.config);
        for function in group.functions {
            let config = on_top(&config, function.config);
            for case in function.cases {
                let path = format!("{}::{}::{}", plan.file, group.name, function.name);
                let name = name(&path, case.id.as_deref());
                if !settings.selection.selects(&name) {
                    continue;
                }
                let id = case.id.as_deref();
                let files = Files::new(&settings.directory, &group.name, &function.name, id);
                let options = resolver.resolve(on_top(&config, case.config), &name)?;
                benchmarks.push(Benchmark {
                    path,
                    id: case.id,
                    arguments: case.arguments,
                    function: MeasuredFunction {
                        owner: function.owner.clone(),
                        name: function.name.clone(),
                    },
                    start: Start { entry: case.entry, item: case.item, seed: settings.seeds[0] },
                    group: number,
                    is_compared: group.compare_by_id,
                    files,
                    options,
                });
            }
        }
    }
    for argument in resolver.ignored {
        log::warn!("ignored `{argument}`: the runner needs that option itself");
    }
    Ok(benchmarks)
}

/// The name that filters go by.
fn name(path: &str, id: Option<&str>) -> String {
    id.map_or_else(|| path.to_owned(), |id| format!("{path}::{id}"))
}

fn on_top(upper: &Config, lower: Config) -> Config {
    let mut config = upper.clone();
    config.update(lower);
    config
}

/// Resolves configurations. Most benchmarks have the same one as the benchmark before.
struct Resolver<'a> {
    settings: &'a Settings,
    last: Option<(Config, Rc<Options>)>,
    ignored: BTreeSet<String>,
}

impl Resolver<'_> {
    /// What this configuration means for the benchmark with this name.
    fn resolve(&mut self, config: Config, name: &str) -> Result<Rc<Options>> {
        if let Some((last, options)) = &self.last {
            if *last == config {
                return Ok(Rc::clone(options));
            }
        }
        let all = on_top(&config, self.settings.config.clone());
        let options = Options::resolve(&all, &mut self.ignored)
            .map_err(|what| Error::Config { benchmark: name.to_owned(), what })?;
        let options = Rc::new(options);
        self.last = Some((config, Rc::clone(&options)));
        Ok(options)
    }
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
            start: Start { entry: 0, item: 0, seed: None },
            group: 0,
            is_compared: false,
            files: Files::new(Path::new("/out"), "group", "function", id),
            options: Rc::new(Options::resolve(&Config::default(), &mut BTreeSet::new()).unwrap()),
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
}
