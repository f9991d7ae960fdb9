//! The list of the benchmarks that a walk reaches, as groups of the plan.

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use iai_callgrind_plan::protocol::ServerCommand;
use iai_callgrind_plan::walk::Item;
use iai_callgrind_plan::{self as plan, Case, Config, Function, Group, Subject};

use crate::error::Cause;
use crate::platform::{self, Original, Stream};
use crate::region::Region;
use crate::walk::{Reached, Routine, Visitor, walk};

/// List of a native walk in progress.
pub(crate) struct Listing {
    /// Visitor of the walk.
    pub(crate) list: Rc<RefCell<List>>,
    stdout: Original,
}

impl Listing {
    /// Starts a list. Until it is complete, the standard output, which belongs to the results, is the standard error.
    pub(crate) fn start() -> Result<Self, Cause> {
        let stdout = platform::copy_of_stderr()
            .and_then(|stderr| platform::redirect(Stream::Stdout, &stderr))
            .map_err(Cause::Descriptor)?;
        Ok(Self { list: Rc::default(), stdout })
    }

    /// Returns the benchmarks of the walk, or an error if the code of the file panicked.
    pub(crate) fn finish(self, is_complete: bool, file: &'static str) -> Result<Vec<Group>, Cause> {
        platform::restore(self.stdout).map_err(Cause::Descriptor)?;
        if !is_complete {
            return Err(Cause::Walk { file });
        }
        Ok(self.list.take().groups())
    }
}

/// Walks natively through the code of a file and returns its benchmarks in the order of the walk. A group has a part for
/// each time that the walk comes to it.
pub(crate) fn list(code: fn(), file: &'static str) -> Result<Vec<Group>, Cause> {
    let listing = Listing::start()?;
    let is_complete = walk(code, &listing.list);
    listing.finish(is_complete, file)
}

/// The benchmarks of a walk.
#[derive(Default)]
pub(crate) struct List(Vec<Listed>);

struct Listed {
    item: Item,
    group: String,
    function: String,
    external_id: String,
    is_selected: Option<bool>,
    size: Option<i64>,
    curve: String,
    config: Config,
}

impl Visitor for List {
    fn visit(&mut self, reached: Reached<'_>, _: &mut dyn FnMut(&mut Region)) {
        let item = reached.item(self.0.len());
        let Reached { group, function, external_id, is_selected, size, curve, config } = reached;
        let (group, function) = (group_name(group), function_name(function));
        let (external_id, curve) = (external_id.to_owned(), printable(curve));
        self.0.push(Listed {
            item,
            group,
            function,
            external_id,
            is_selected,
            size,
            curve,
            config,
        });
    }
}

impl List {
    fn groups(self) -> Vec<Group> {
        let mut numbers = HashMap::new();
        for listed in &self.0 {
            *numbers.entry(listed.item.number(true)).or_insert(0) += 1;
        }
        let (mut groups, mut names): (Vec<Group>, _) = (Vec::new(), HashSet::new());
        for Listed { item, group, function, external_id, is_selected, size, curve, config } in
            self.0
        {
            let number = free_number(&mut names, &group, &function);
            let (function, curve) = (numbered(function, number), numbered(curve, number));
            let is_unique = numbers[&item.number(true)] == 1;
            let case = Case {
                id: None,
                arguments: String::new(),
                subject: Subject::Library {
                    owner: Routine::OWNER.to_owned(),
                    function: Routine::FUNCTION.to_owned(),
                    entry: ServerCommand::WALK,
                    item: item.number(is_unique),
                },
                config,
                external_id: Some(external_id),
                is_selected,
                size,
                curve: Some(curve),
            };
            let function =
                Function { name: Some(function), config: Config::default(), cases: vec![case] };
            match groups.last_mut().filter(|last| last.name == group) {
                Some(last) => last.functions.push(function),
                None => groups.push(Group::new(group, vec![function])),
            }
        }
        groups
    }
}

/// Names of benchmarks, in the order of a walk.
#[derive(Default)]
pub(crate) struct Names(HashSet<(String, String)>);

impl Names {
    /// Returns the name of the benchmark that the walk has reached.
    pub(crate) fn next(&mut self, file: &str, reached: &Reached<'_>) -> String {
        let (group, function) = (group_name(reached.group), function_name(reached.function));
        let number = free_number(&mut self.0, &group, &function);
        plan::path(file, &group, Some(&numbered(function, number)))
    }
}

/// Returns the number that makes the name of a function unique in the group.
fn free_number(names: &mut HashSet<(String, String)>, group: &str, name: &str) -> usize {
    let mut number = 1;
    while !names.insert((group.to_owned(), numbered(name.to_owned(), number))) {
        number += 1;
    }
    number
}

/// Returns the name with its number: the second `name` is `name #2`.
fn numbered(name: String, number: usize) -> String {
    if number == 1 { name } else { format!("{name} #{number}") }
}

/// Returns the name of a group, which becomes the name of a directory.
fn group_name(text: &str) -> String {
    let name = printable(text).replace("::", ".").replace('/', "_");
    if name.starts_with('.') || name.is_empty() { format!("_{name}") } else { name }
}

/// Returns the name of a function. No id follows it.
fn function_name(text: &str) -> String {
    let name = printable(text);
    let name = name.trim_end_matches("::");
    if name.is_empty() { "_".to_owned() } else { name.to_owned() }
}

/// Replaces characters that are not for a line of text.
fn printable(text: &str) -> String {
    text.chars().map(|next| if next.is_control() { ' ' } else { next }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reached(group: &'static str, function: &'static str) -> Reached<'static> {
        let (external_id, curve, config) = ("id", "curve", Config::default());
        Reached { group, function, external_id, is_selected: None, size: Some(1), curve, config }
    }

    fn names(benchmarks: &[(&'static str, &'static str)]) -> Vec<(String, Vec<String>)> {
        let mut list = List::default();
        for (group, function) in benchmarks {
            list.visit(reached(group, function), &mut |_| panic!("nothing runs"));
        }
        let names = |group: Group| {
            let names = group.functions.into_iter().filter_map(|function| function.name);
            (group.name, names.collect())
        };
        list.groups().into_iter().map(names).collect()
    }

    fn group(name: &str, functions: &[&str]) -> (String, Vec<String>) {
        (name.to_owned(), functions.iter().map(ToString::to_string).collect())
    }

    #[test]
    fn groups_are_in_the_order_of_the_walk() {
        assert_eq!(
            names(&[("a", "1"), ("a", "2"), ("b", "1"), ("a", "3"), ("a", "1")]),
            [group("a", &["1", "2"]), group("b", &["1"]), group("a", &["3", "1 #2"])]
        );
    }

    #[test]
    fn benchmarks_with_the_same_name_are_on_different_curves() {
        let mut list = List::default();
        for curve in ["sort", "sort", "a\nb"] {
            list.visit(Reached { curve, ..reached("group", "sort/1") }, &mut |_| {});
        }
        let functions = list.groups().remove(0).functions;
        let cases = functions.into_iter().flat_map(|function| function.cases);
        let growth: Vec<_> = cases.map(|case| (case.size, case.curve.unwrap())).collect();
        let expected = ["sort", "sort #2", "a b #3"];
        assert_eq!(growth, expected.map(|curve| (Some(1), curve.to_owned())));
    }

    #[test]
    fn names_are_for_directories_and_lines() {
        assert_eq!(
            names(&[("a/b::c", "d/e::f"), (".", "x\ny::"), ("", "")]),
            [group("a_b.c", &["d/e::f"]), group("_.", &["x y"]), group("_", &["_"])]
        );
    }

    #[test]
    fn a_name_twice_is_found_by_its_place() {
        let mut list = List::default();
        for function in ["one", "two", "one"] {
            list.visit(reached("group", function), &mut |_| {});
        }
        let items: Vec<_> = list.0.iter().map(|listed| listed.item).collect();
        let functions = list.groups().remove(0).functions;
        let found: Vec<_> = functions
            .into_iter()
            .map(|mut function| match function.cases.remove(0).subject {
                Subject::Library { item, .. } => item,
                Subject::Binary { .. } => unreachable!("only functions"),
            })
            .collect();
        assert_eq!(found, [items[0].number(false), items[1].number(true), items[2].number(false)]);
    }
}
