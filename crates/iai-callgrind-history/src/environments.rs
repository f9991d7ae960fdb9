//! Equal environments: one can know a name that another does not, such as a dependency that a
//! commit started to use.

use std::collections::{BTreeMap, HashMap};
use std::mem;

use iai_callgrind_tools::fingerprint::Fingerprint;

use super::note_text::{CommitResults, ResultKey};

/// The environments by their names.
type Environments = BTreeMap<String, BTreeMap<String, String>>;

/// Gives results the name of the last environment before that theirs does not differ from. Returns the environments, with
/// all that is known of them.
pub(super) fn join(commits: &mut [CommitResults]) -> Environments {
    let mut joined = Joined::default();
    for commit in commits {
        let names: HashMap<_, _> = commit
            .environments
            .iter()
            .map(|(name, values)| (name.clone(), joined.add(name, values)))
            .collect();
        let renamed = |key: &ResultKey| {
            let environment = names.get(&key.environment).unwrap_or(&key.environment).clone();
            ResultKey { environment, ..key.clone() }
        };
        let (unchanged, others): (BTreeMap<_, _>, BTreeMap<_, _>) =
            mem::take(&mut commit.results).into_iter().partition(|(key, _)| renamed(key) == *key);
        commit.results = unchanged;
        for (key, recording) in others {
            let new = renamed(&key);
            // A commit can have results of two of them, which stay two
            let key = if commit.results.contains_key(&new) { key } else { new };
            commit.results.insert(key, recording);
        }
        commit.contradictions = commit.contradictions.iter().map(renamed).collect();
    }
    joined.all()
}

/// Environments without a difference, and those that belong to them.
#[derive(Debug, Default)]
struct Joined {
    /// The environments, the last seen one at the end.
    groups: Vec<(String, Fingerprint)>,
    /// The values of all of them as they were recorded.
    recorded: Environments,
    /// The group of each.
    groups_by_name: HashMap<String, String>,
}

impl Joined {
    /// Adds an environment of the next commit. Returns the name of its group.
    fn add(&mut self, name: &str, values: &BTreeMap<String, String>) -> String {
        let fingerprint: Fingerprint = values.iter().collect();
        self.recorded.insert(name.to_owned(), values.clone());
        let known = self.groups_by_name.get(name);
        let is_group = |(group, all): &(String, Fingerprint)| match known {
            Some(known) => known == group,
            None => fingerprint.changes_since(all).next().is_none(),
        };
        // Nothing is known of an environment without values
        let place = if values.is_empty() { None } else { self.groups.iter().rposition(is_group) };
        let (group, mut all) = match place {
            Some(place) => self.groups.remove(place),
            None => (name.to_owned(), Fingerprint::default()),
        };
        all.join(&fingerprint);
        self.groups.push((group.clone(), all));
        self.groups_by_name.insert(name.to_owned(), group.clone());
        group
    }

    fn all(self) -> Environments {
        let mut all = self.recorded;
        all.extend(self.groups.into_iter().map(|(name, joined)| (name, joined.entries().clone())));
        all
    }
}

#[cfg(test)]
mod tests {
    use super::super::note_text::Recording;
    use super::*;

    /// Returns the commits with a result in each of these environments: a name, and values separated by commas.
    fn groups(commits: &[&[(&str, &str)]]) -> (Vec<Vec<String>>, Environments) {
        let key = |environment: &str| ResultKey {
            package: "p".to_owned(),
            name: "a".to_owned(),
            tool: "callgrind".to_owned(),
            environment: environment.to_owned(),
        };
        let values = |text: &str| {
            let values = text.split(',').filter_map(|value| value.split_once('='));
            values.map(|(name, value)| (name.to_owned(), value.to_owned())).collect()
        };
        let commit = |environments: &&[(&str, &str)]| CommitResults {
            results: environments
                .iter()
                .map(|(name, _)| (key(name), Recording::default()))
                .collect(),
            environments: environments
                .iter()
                .map(|(name, text)| ((*name).to_owned(), values(text)))
                .collect(),
            ..CommitResults::default()
        };
        let mut commits: Vec<_> = commits.iter().map(commit).collect();
        let environments = join(&mut commits);
        let names = |commit: &CommitResults| {
            commit.results.keys().map(|key| key.environment.clone()).collect()
        };
        (commits.iter().map(names).collect(), environments)
    }

    #[test]
    fn a_dependency_that_came_in_is_the_same_environment_and_another_version_of_it_is_not() {
        let commits: [&[_]; 6] = [
            &[("1", "rustc=1")],
            &[("2", "rustc=1,smawk=1")],
            &[("1", "rustc=1")],
            &[("3", "rustc=1,smawk=2")],
            &[("4", "smawk=2,log=1")],
            &[("2", "rustc=1,smawk=1")],
        ];
        let (names, environments) = groups(&commits);
        assert_eq!(names.concat(), ["1", "1", "1", "3", "3", "1"]);
        assert_eq!(environments["1"]["smawk"], "1");
        assert_eq!(environments["3"]["smawk"], "2");
    }

    #[test]
    fn two_environments_of_a_commit_stay_two() {
        let pair: &[_] = &[("1", "rustc=1"), ("2", "rustc=1,log=1")];
        let commits = [&[("2", "rustc=1,log=1")], pair, &[("0", "")]];
        assert_eq!(groups(&commits).0, [vec!["2"], vec!["1", "2"], vec!["0"]]);
    }
}
