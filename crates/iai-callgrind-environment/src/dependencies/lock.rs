//! The packages of a `Cargo.lock`.

use std::collections::{BTreeSet, HashMap, HashSet};

use serde::Deserialize;

/// Number of digits of a commit that are shown.
const SHORT: usize = 9;

/// A lock file.
#[derive(Debug, Deserialize)]
pub(super) struct LockFile {
    #[serde(rename = "package")]
    pub(super) packages: Vec<Package>,
}

/// A package of a lock file.
#[derive(Debug, PartialEq, Eq, Deserialize)]
pub(super) struct Package {
    pub(super) name: String,
    pub(super) version: String,
    /// The registry or repository; `None` for a package of the workspace and for one with a path.
    pub(super) source: Option<String>,
    /// Names, with the version where the name alone is ambiguous.
    #[serde(default)]
    dependencies: Vec<Dependency>,
}

#[derive(Debug, PartialEq, Eq, Deserialize)]
#[serde(from = "String")]
struct Dependency {
    name: String,
    version: Option<String>,
}

impl LockFile {
    /// Parses a lock file; `None` if it is not one. Cargo has read it before, without an error.
    pub(super) fn parse(text: &str) -> Option<Self> {
        toml::from_str(text).ok()
    }

    /// Returns the names of the directories in which registries keep the sources of packages.
    pub(super) fn names_of_directories(&self) -> HashSet<String> {
        let packages = self.packages.iter().filter(|package| package.source.is_some());
        packages.map(Package::directory).collect()
    }

    /// Returns the packages that this package of the workspace depends on, directly or not; all of them if there is no such
    /// package.
    pub(super) fn reachable(&self, package: Option<&str>) -> Vec<&Package> {
        let mut by_name: HashMap<&str, Vec<usize>> = HashMap::new();
        for (index, package) in self.packages.iter().enumerate() {
            by_name.entry(&package.name).or_default().push(index);
        }
        let named = |name: &str| by_name.get(name).into_iter().flatten().copied();
        let is_own = |index: &usize| self.packages[*index].source.is_none();
        let mut found: BTreeSet<usize> =
            package.into_iter().flat_map(named).filter(is_own).collect();
        if found.is_empty() {
            return self.packages.iter().collect();
        }
        let mut next: Vec<_> = found.iter().copied().collect();
        while let Some(index) = next.pop() {
            for Dependency { name, version } in &self.packages[index].dependencies {
                let is_version = |index: &usize| {
                    version.as_ref().is_none_or(|version| self.packages[*index].version == *version)
                };
                next.extend(named(name).filter(is_version).filter(|index| found.insert(*index)));
            }
        }
        found.into_iter().map(|index| &self.packages[index]).collect()
    }
}

impl Package {
    /// Returns the name of the directory in which registries keep its sources.
    pub(super) fn directory(&self) -> String {
        format!("{}-{}", self.name, self.version)
    }

    /// Returns the version, and for a repository the commit, because the version can stay the same;
    /// `None` without a source.
    pub(super) fn version_of_source(&self) -> Option<String> {
        let (source, version) = (self.source.as_ref()?, &self.version);
        let commit = source.strip_prefix("git+").and_then(|source| source.rsplit_once('#'));
        Some(match commit {
            Some((_, commit)) => format!("{version} at {}", commit.get(..SHORT).unwrap_or(commit)),
            None => version.clone(),
        })
    }
}

impl From<String> for Dependency {
    /// Reads `name`, `name version` or `name version (source)`.
    fn from(text: String) -> Self {
        let mut words = text.split(' ').map(str::to_owned);
        Self { name: words.next().unwrap_or_default(), version: words.next() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packages_have_a_source_and_dependencies() {
        let text = "version = 4\n\n[[package]]\nname = \"mine\"\nversion = \"1.0.0\"\n\
                    dependencies = [\n \"a\",\n \"b 2.0.0\",\n \"c 1.0.0 (registry+https://x)\",\n]\n\n\
                    [[package]]\nname = \"a\"\nversion = \"1.2.3+4\"\n\
                    source = \"git+https://x/a?branch=main#0123456789abcdef0123456789abcdef01234567\"\n\n\
                    [[package]]\nname = \"b\"\nversion = \"2.0.0\"\nsource = \"registry+https://x\"\n\
                    checksum = \"00\"\n";
        let lock = LockFile::parse(text).unwrap();
        let versions: Vec<_> = lock.packages.iter().map(Package::version_of_source).collect();
        let expected = [None, Some("1.2.3+4 at 012345678"), Some("2.0.0")];
        assert_eq!(versions, expected.map(|version| version.map(str::to_owned)));
        let version = |version: &str| Some(version.to_owned());
        let dependencies = [("a", None), ("b", version("2.0.0")), ("c", version("1.0.0"))];
        let dependencies =
            dependencies.map(|(name, version)| Dependency { name: name.to_owned(), version });
        assert_eq!(lock.packages[0].dependencies, dependencies);
        let directories = ["a-1.2.3+4", "b-2.0.0"].map(str::to_owned);
        assert_eq!(lock.names_of_directories(), directories.into());
    }

    #[test]
    fn what_a_package_depends_on_is_reachable() {
        let package = |name: &str, dependencies: &str| {
            format!("[[package]]\nname = '{name}'\nversion = '1.0.0'\n{dependencies}\n")
        };
        let text = package("mine", "dependencies = ['a']")
            + &package("other", "dependencies = ['c']")
            + &package("a", "source = 'registry+x'\ndependencies = ['b', 'mine']")
            + &package("b", "source = 'registry+x'\ndependencies = ['a 2.0.0']")
            + &package("c", "source = 'registry+x'");
        let lock = LockFile::parse(&text).unwrap();
        let names = |package| {
            let reachable = lock.reachable(package);
            reachable.iter().map(|package| package.name.as_str()).collect::<Vec<_>>()
        };
        assert_eq!(names(Some("mine")), ["mine", "a", "b"]);
        assert_eq!(names(Some("other")), ["other", "c"]);
        assert_eq!(names(Some("a")), ["mine", "other", "a", "b", "c"], "not of the workspace");
        assert_eq!(names(None).len(), 5);
    }
}
