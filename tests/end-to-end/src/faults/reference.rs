//! The valid contents of stored results: those of one of the runs that wrote them.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::LazyLock;

use super::{SIZES, arguments};
use crate::{Suite, tree, write_tree};

/// The slots that runs write, and the one that is written once.
const SLOTS: [&str; 3] = ["", ".old", MAIN];
const MAIN: &str = ".base@main";
const KEPT: &str = ".base@kept";

/// A result under one tool: its files by their extensions.
type Files = BTreeMap<String, Vec<u8>>;

/// The results of undisturbed runs.
pub(super) struct Reference {
    /// For each size, by directory and tool.
    runs: [BTreeMap<(String, String), Files>; 2],
    /// The values that each of them prints.
    pub(super) printed: [String; 2],
    /// The files of a home directory after these runs, with results in all slots.
    prepared: BTreeMap<String, Vec<u8>>,
}

impl Reference {
    /// Returns the results of runs that nothing disturbs, which run once per process.
    pub(super) fn get() -> &'static Self {
        static REFERENCE: LazyLock<Reference> = LazyLock::new(Reference::new);
        &REFERENCE
    }

    fn new() -> Self {
        let suite = Suite::new("faults");
        let run = |size, baseline: Option<&str>| {
            let mut command = suite.command();
            command.args(arguments(size)).args(baseline);
            values(&crate::run(&mut command).expect(0).stdout)
        };
        for (size, baseline) in SIZES.into_iter().zip(["kept", "main"]) {
            let _ = run(size, Some(&format!("--save-baseline={baseline}")));
        }
        let [(first, first_printed), (second, second_printed)] = SIZES.map(|size| {
            let printed = run(size, None);
            (slot(&tree(&suite.directory()), ""), printed)
        });
        assert!(first.len() >= 8, "{:?}", first.keys());
        assert!(first_printed != second_printed, "the runs count differently");
        let prepared = tree(&suite.home());
        Self { runs: [first, second], printed: [first_printed, second_printed], prepared }
    }

    /// Puts results in all slots into a home directory that does not exist yet.
    pub(super) fn prepare(home: &Path) {
        write_tree(home, &Self::get().prepared);
    }

    /// Puts the results of the run with this number into a home directory that does not exist yet, as the baseline
    /// `main`.
    pub(super) fn prepare_main(home: &Path, number: usize) {
        let slot = [KEPT, MAIN][number];
        let files = Self::get().prepared.iter().filter(|(path, _)| path.contains(slot));
        let files = files.map(|(path, content)| (path.replace(slot, MAIN), content.clone()));
        write_tree(home, &files.collect());
    }

    /// Returns the files of the baseline that is written once.
    pub(super) fn kept(directory: &Path) -> BTreeMap<String, Vec<u8>> {
        kept(&tree(directory))
    }

    /// Returns the problems of single files in this directory: each must be complete and come from one of the runs.
    pub(super) fn problems_of_files(&self, directory: &Path) -> Vec<String> {
        let files = tree(directory);
        let mut problems = Vec::new();
        for (key, found) in SLOTS.into_iter().chain([KEPT]).flat_map(|it| slot(&files, it)) {
            for (extension, content) in found.iter().filter(|(extension, _)| *extension != "log") {
                let known = self.runs.iter().filter_map(|run| run.get(&key)?.get(extension));
                let known: Vec<_> = known.collect();
                if !known.iter().any(|known| same(known, content)) {
                    let differences: Vec<_> =
                        known.iter().map(|known| difference(known, content)).collect();
                    problems.push(format!("{key:?} {extension} is of no run: {differences:?}"));
                }
            }
        }
        problems
    }

    /// Returns the problems of the results in this directory: each has to have all files of one run, and those of
    /// the kept baseline have to be as they were.
    pub(super) fn problems(
        &self,
        directory: &Path,
        before: &BTreeMap<String, Vec<u8>>,
    ) -> Vec<String> {
        let files = tree(directory);
        let mut problems = self.problems_of_files(directory);
        if kept(&files) != *before {
            problems.push("the kept baseline has changed".to_owned());
        }
        for name in SLOTS {
            let found = slot(&files, name);
            for key in self.runs[0].keys() {
                match found.get(key) {
                    Some(found) => problems.extend(self.problem(key, name, found)),
                    None => problems.push(format!("{key:?} has lost its result{name}")),
                }
            }
        }
        problems
    }

    /// Returns the problem of one result.
    fn problem(&self, key: &(String, String), slot: &str, found: &Files) -> Option<String> {
        let is_of = |run: &BTreeMap<_, Files>| {
            let run = &run[key];
            run.keys().eq(found.keys())
                && run.iter().all(|(name, file)| name == "log" || same(file, &found[name]))
        };
        let processes: BTreeSet<_> =
            ["out", "log"].iter().map(|it| found.get(*it).and_then(|file| pid(file))).collect();
        let is_one = self.runs.iter().any(is_of) && processes.len() == 1;
        let names = || found.keys().collect::<Vec<_>>();
        (!is_one).then(|| format!("{key:?}{slot} is of no single run: {:?} {processes:?}", names()))
    }
}

/// Returns the results in this slot.
fn slot(tree: &BTreeMap<String, Vec<u8>>, slot: &str) -> BTreeMap<(String, String), Files> {
    let mut found: BTreeMap<_, Files> = BTreeMap::new();
    for (path, content) in tree {
        let Some((directory, name)) = path.rsplit_once('/') else { continue };
        if directory.starts_with('.') {
            continue;
        }
        let stem = directory.rsplit('/').next().unwrap_or_default();
        for tool in ["callgrind", "dhat"] {
            let begin = format!("{tool}.{stem}{slot}.");
            let extension = name.strip_prefix(&begin).filter(|it| is_extension(it));
            if let Some(extension) = extension {
                let key = (directory.to_owned(), tool.to_owned());
                found.entry(key).or_default().insert(extension.to_owned(), content.clone());
            }
        }
    }
    found
}

fn is_extension(text: &str) -> bool {
    text == "log" || text == "out" || text.starts_with("out.p")
}

fn kept(tree: &BTreeMap<String, Vec<u8>>) -> BTreeMap<String, Vec<u8>> {
    let files = tree.iter().filter(|(path, _)| path.contains(KEPT));
    files.map(|(path, content)| (path.clone(), content.clone())).collect()
}

/// Returns true if two files differ in process ids at most.
fn same(one: &[u8], other: &[u8]) -> bool {
    let without_processes = |file: &[u8]| {
        let text = String::from_utf8_lossy(file);
        let numbers =
            |part: &str| part.trim_start_matches(|it: char| it.is_ascii_digit()).to_owned();
        let parts = text.split("pid: ").flat_map(|it| it.split("\"pid\":"));
        parts.flat_map(|it| it.split(": pid ")).map(numbers).collect::<Vec<_>>()
    };
    without_processes(one) == without_processes(other)
}

/// Returns what two files have at the first place where they differ.
fn difference(one: &[u8], other: &[u8]) -> [String; 2] {
    let place = one.iter().zip(other).take_while(|(one, other)| one == other).count();
    [one, other].map(|file| {
        let around = &file[place.saturating_sub(40)..file.len().min(place + 40)];
        String::from_utf8_lossy(around).into_owned()
    })
}

/// Returns the process that a file is of: the first number in `pid: N`, `"pid":N` or `==N==`.
fn pid(file: &[u8]) -> Option<u32> {
    let text = String::from_utf8_lossy(file);
    let rest = ["pid: ", "\"pid\":", "=="].iter().find_map(|before| text.split_once(before))?.1;
    rest.split(|it: char| !it.is_ascii_digit()).next()?.parse().ok()
}

/// Returns the output of a run without old values, changes, the duration, and what else differs from the last run.
pub(super) fn values(stdout: &str) -> String {
    let other = ["Iai-Callgrind result", "Environment differs"];
    let is_value = |line: &&str| !line.is_empty() && !other.iter().any(|it| line.starts_with(it));
    let lines = stdout.lines().filter(is_value);
    let new = lines.map(|line| line.split('|').next().unwrap_or(line));
    new.collect::<Vec<_>>().join("\n")
}
