//! Groups whose functions have the same inputs: a table of functions and inputs that marks the
//! cheapest function of each input.

use std::collections::hash_map::Entry;
use std::collections::{BTreeSet, HashMap, HashSet};

use iai_callgrind_base::numbers;
use iai_callgrind_plan::metric::Value;
use iai_callgrind_results::function_and_input;
use iai_callgrind_summary::Summary;
use iai_callgrind_summary::growth::Crossover;

use crate::format::{first_shown, is_better_if_higher, metric_value};

/// A benchmark of a group.
#[derive(Debug, Clone)]
pub(crate) struct GroupMember {
    /// The package, and the group: `file::group`.
    pub(crate) group: (String, String),
    pub(crate) function: String,
    pub(crate) input: String,
    /// The size of the input, if it is known.
    pub(crate) size: Option<i64>,
    /// Another harness named the input.
    pub(crate) is_foreign: bool,
    /// The label of the first metric that is shown, with its value.
    pub(crate) metric: String,
    pub(crate) value: Value,
    pub(crate) is_better_if_higher: bool,
}

/// The values of the functions of a group for their inputs.
#[derive(Debug)]
pub(crate) struct GroupTable {
    /// The package.
    pub(crate) package: String,
    /// The name of the group: `file::group`.
    pub(crate) group: String,
    /// The label of the metric.
    pub(crate) metric: String,
    /// The functions, in the order of the benchmarks.
    pub(crate) functions: Vec<String>,
    /// The inputs, by their sizes if all are known.
    pub(crate) inputs: Vec<String>,
    /// The inputs are called by their sizes alone.
    pub(crate) are_sizes: bool,
    values: HashMap<String, InputValues>,
}

/// The values for an input.
#[derive(Debug, Default)]
struct InputValues {
    of_functions: HashMap<String, Value>,
    best: f64,
}

/// The name of a row with its cells.
pub(crate) type GroupRow<'a> = (&'a str, Vec<Option<GroupCell>>);

/// A value in a table.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct GroupCell {
    /// The value with separators.
    pub(crate) text: String,
    /// No other function is better for this input.
    pub(crate) is_best: bool,
    /// The value divided by the best one, if it is not the best.
    pub(crate) factor: Option<f64>,
}

impl GroupMember {
    /// Returns the function and the input of a group's benchmark. Criterion's names contain them;
    /// other groups are compared if the user wants it.
    fn of(summary: &Summary, compared: &BTreeSet<(&str, &str, &str)>) -> Option<Self> {
        let named = summary.external_id.as_deref();
        let named = named.and_then(|id| function_and_input(&summary.group, id));
        let is_compared = compared.contains(&group_of(summary));
        let by_id = || summary.function.as_deref().zip(summary.id.as_deref());
        let (function, input) = named.or_else(|| by_id().filter(|_| is_compared))?;
        let (_, _, metric, value) = first_shown(summary)?;
        Some(Self {
            group: named_group(summary),
            function: function.to_owned(),
            input: input.to_owned(),
            size: summary.size,
            is_foreign: summary.external_id.is_some(),
            metric: metric.label.clone(),
            value: metric_value(value),
            is_better_if_higher: is_better_if_higher(metric),
        })
    }

    /// Returns the size, if it can be the name of the input.
    fn own_size(&self) -> Option<i64> {
        self.size.filter(|_| !self.is_foreign)
    }
}

fn group_of(summary: &Summary) -> (&str, &str, &str) {
    (&summary.package, &summary.file, &summary.group)
}

/// Returns the package and the name of the group of a benchmark: `file::group`.
fn named_group(summary: &Summary) -> (String, String) {
    (summary.package.clone(), format!("{}::{}", summary.file, summary.group))
}

/// Returns the tables of the groups of these benchmarks.
pub(crate) fn tables_of(summaries: &[Summary]) -> Vec<GroupTable> {
    let is_compared = |summary: &&Summary| !summary.comparisons.is_empty();
    let compared = summaries.iter().filter(is_compared).map(group_of).collect();
    let members = summaries.iter().filter_map(|summary| GroupMember::of(summary, &compared));
    tables(members.collect())
}

/// Returns the tables of groups, each at its first member. A group with a single function, or
/// without a common input, has none.
pub(crate) fn tables(members: Vec<GroupMember>) -> Vec<GroupTable> {
    let mut groups: Vec<Vec<GroupMember>> = Vec::new();
    let mut indices = HashMap::new();
    for member in members {
        match indices.entry(member.group.clone()) {
            Entry::Vacant(entry) => {
                entry.insert(groups.len());
                groups.push(vec![member]);
            }
            Entry::Occupied(entry) => {
                let group = &mut groups[*entry.get()];
                if group[0].metric == member.metric {
                    group.push(member);
                }
            }
        }
    }
    groups.into_iter().filter_map(GroupTable::new).collect()
}

/// The names of a group's inputs. `n_0` and `n_1` are called by their sizes if no two inputs have the same size. If two
/// have, `random_0` and `sorted_0` have their sizes in parentheses. Inputs that another harness named keep their names.
struct InputNames {
    /// The ids of the inputs with their names.
    names: Vec<(String, String)>,
    are_sizes: bool,
}

impl InputNames {
    fn new(members: &[GroupMember]) -> Self {
        // In the order of their first benchmarks
        let mut inputs: Vec<(Option<i64>, &str)> = Vec::new();
        let mut sizes = HashMap::new();
        for member in members {
            match sizes.entry(&*member.input) {
                Entry::Vacant(entry) => {
                    entry.insert(member.own_size());
                    inputs.push((member.size, &member.input));
                }
                // The functions disagree about it
                Entry::Occupied(mut entry) if *entry.get() != member.own_size() => {
                    entry.insert(None);
                }
                Entry::Occupied(_) => {}
            }
        }
        if inputs.iter().all(|(size, _)| size.is_some()) {
            inputs.sort_by_key(|(size, _)| *size);
        }
        let different: HashSet<_> = sizes.values().flatten().collect();
        let are_sizes = different.len() == inputs.len();
        let name = |input: &str| match sizes[input].map(|size| size.to_string()) {
            Some(size) if are_sizes => size,
            Some(size) if input.split('_').all(|part| part != size) => format!("{input} ({size})"),
            _ => input.to_owned(),
        };
        let names = inputs.into_iter().map(|(_, input)| (input.to_owned(), name(input)));
        Self { names: names.collect(), are_sizes }
    }
}

impl GroupTable {
    fn new(members: Vec<GroupMember>) -> Option<Self> {
        let first = members.first()?.clone();
        let InputNames { names, are_sizes } = InputNames::new(&members);
        let inputs: Vec<_> = names.iter().map(|(_, name)| name.clone()).collect();
        let names: HashMap<_, _> = names.into_iter().collect();
        let better = if first.is_better_if_higher { f64::max } else { f64::min };
        let (mut functions, mut known) = (Vec::new(), HashSet::new());
        let mut values: HashMap<String, InputValues> = HashMap::new();
        for GroupMember { function, input, value, .. } in members {
            if known.insert(function.clone()) {
                functions.push(function.clone());
            }
            let of_input = values.entry(names[&input].clone()).or_default();
            let is_first = of_input.of_functions.is_empty();
            let number = value.as_f64();
            of_input.best = if is_first { number } else { better(of_input.best, number) };
            of_input.of_functions.insert(function, value);
        }
        let (package, group) = first.group;
        let metric = first.metric;
        let is_shared = values.values().any(|of_input| of_input.of_functions.len() > 1);
        let table = Self { package, group, metric, functions, inputs, are_sizes, values };
        is_shared.then_some(table)
    }

    /// Returns the title: `file::group: Instructions of each function and size`.
    pub(crate) fn title(&self) -> String {
        format!("{}: {}", self.group, self.subtitle())
    }

    /// Returns the title without the group.
    pub(crate) fn subtitle(&self) -> String {
        format!("{} of each function and {}", self.metric, self.input_noun())
    }

    /// Returns the name of what distinguishes the benchmarks of a function.
    pub(crate) fn input_noun(&self) -> &'static str {
        if self.are_sizes { "size" } else { "input" }
    }

    /// Returns true if a benchmark is in the group.
    pub(crate) fn has(&self, summary: &Summary) -> bool {
        named_group(summary) == (self.package.clone(), self.group.clone())
    }

    /// Returns the value of a function for an input; `None` if there is none.
    pub(crate) fn cell(&self, function: &str, input: &str) -> Option<GroupCell> {
        let InputValues { of_functions, best } = self.values.get(input)?;
        let value = *of_functions.get(function)?;
        let is_alone = of_functions.len() == 1;
        let is_best = !is_alone && value.as_f64().total_cmp(best).is_eq();
        let factor = (!is_alone && !is_best && *best > 0.0).then(|| value.as_f64() / best);
        Some(GroupCell { text: numbers::value(value), is_best, factor })
    }

    /// Returns the rows of the table with their headings: a column for each function, or for each input if there are fewer.
    pub(crate) fn rows(&self) -> (Vec<&str>, Vec<GroupRow<'_>>) {
        let by_input = self.functions.len() <= self.inputs.len();
        let (columns, rows) = if by_input {
            (&self.functions, &self.inputs)
        } else {
            (&self.inputs, &self.functions)
        };
        let cell = |row: &str, column: &str| {
            if by_input { self.cell(column, row) } else { self.cell(row, column) }
        };
        let row = |row| {
            let row: &String = row;
            (&**row, columns.iter().map(|column| cell(row, column)).collect())
        };
        (columns.iter().map(String::as_str).collect(), rows.iter().map(row).collect())
    }
}

/// Returns the sentences about the sizes at which functions of a group cross.
pub(crate) fn crossovers(table: &GroupTable, summaries: &[Summary]) -> Vec<String> {
    let growths = summaries.iter().filter(|summary| table.has(summary));
    let growths = growths.filter_map(|summary| summary.growth.as_ref());
    let sentence = |curve: &str, crossover: &Crossover| {
        let Crossover { with, cheaper_below, size, below, above, .. } = crossover;
        let dearer = if cheaper_below == with { curve } else { with };
        let short = |name: &str| {
            let curve = name.rsplit("::").next().unwrap_or(name);
            // With one series of sizes, its name says nothing
            let function = curve.split_once(' ').filter(|_| table.are_sizes);
            function.map_or(curve, |(function, _)| function).to_owned()
        };
        let place = match size {
            Some(size) => format!("below n = {}", size.ceil()),
            None => format!("up to a size between {} and {}", below.size, above.size),
        };
        format!("{} is cheaper than {} {place}", short(cheaper_below), short(dearer))
    };
    let of_growth = growths.flat_map(|growth| {
        let of_metric = growth.crossovers.iter();
        of_metric.map(|crossover| sentence(&growth.curve, crossover))
    });
    of_growth.collect()
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    pub(crate) fn member(function: &str, size: i64, value: u64) -> GroupMember {
        GroupMember {
            group: ("crate".to_owned(), "file::sorts".to_owned()),
            function: function.to_owned(),
            input: size.to_string(),
            size: Some(size),
            is_foreign: true,
            metric: "Instructions".to_owned(),
            value: Value::Count(value),
            is_better_if_higher: false,
        }
    }

    #[test]
    fn the_best_function_of_each_input_is_marked() {
        let members = [("a", 128, 900), ("a", 16, 1000), ("b", 16, 1500), ("b", 128, 300)];
        let members = members.map(|(function, size, value)| member(function, size, value));
        let tables = tables(members.into());
        let [table] = &*tables else { panic!("{tables:?}") };
        assert_eq!(table.inputs, ["16", "128"]);
        let cell = |function, input| table.cell(function, input).unwrap();
        let best = |text: &str| GroupCell { text: text.to_owned(), is_best: true, factor: None };
        assert_eq!(cell("a", "16"), best("1,000"));
        assert_eq!(cell("b", "128"), best("300"));
        assert_eq!((cell("b", "16").factor, cell("a", "128").factor), (Some(1.5), Some(3.0)));
        assert_eq!(table.cell("c", "16"), None);
        let (columns, rows) = table.rows();
        assert_eq!((columns, rows[0].0, rows[1].0), (vec!["a", "b"], "16", "128"));
    }

    /// Returns the names of these inputs with their sizes, which two functions have.
    fn names(inputs: &[(&str, Option<i64>)]) -> (Vec<String>, bool) {
        let members = ["a", "b"].into_iter().flat_map(|function| {
            let of_input = |(input, size): &(&str, Option<i64>)| GroupMember {
                input: (*input).to_owned(),
                size: *size,
                is_foreign: false,
                ..member(function, 0, 1)
            };
            inputs.iter().map(of_input).collect::<Vec<_>>()
        });
        let table = tables(members.collect()).pop().unwrap();
        (table.inputs.clone(), table.are_sizes)
    }

    #[test]
    fn inputs_are_called_by_their_sizes() {
        let alone = names(&[("n_0", Some(1000)), ("n_8", Some(8))]);
        assert_eq!(alone, (vec!["8".to_owned(), "1000".to_owned()], true));
        let (several, are_sizes) = names(&[("random_0", Some(8)), ("sorted_8", Some(8))]);
        assert_eq!((&*several.join(", "), are_sizes), ("random_0 (8), sorted_8", false));
        let (unknown, are_sizes) = names(&[("n_0", Some(8)), ("text", None)]);
        assert_eq!((&*unknown.join(", "), are_sizes), ("n_0 (8), text", false));
        // The functions disagree about the size
        let [first, second] = [8, 9].map(|size| GroupMember {
            input: "n_0".to_owned(),
            is_foreign: false,
            ..member(if size == 8 { "a" } else { "b" }, size, 1)
        });
        assert_eq!(tables(vec![first, second])[0].inputs, ["n_0"]);
    }

    #[test]
    fn functions_without_a_common_input_have_no_table() {
        assert!(tables(vec![member("a", 1, 1), member("b", 2, 1)]).is_empty());
        assert!(tables(vec![member("a", 1, 1), member("a", 2, 1)]).is_empty());
        // An input of a single function has no best one
        let tables = tables(vec![member("a", 1, 1), member("b", 1, 1), member("b", 2, 1)]);
        let cell = |function, input| tables[0].cell(function, input).unwrap();
        assert!(cell("a", "1").is_best && cell("b", "1").is_best && !cell("b", "2").is_best);
    }
}
