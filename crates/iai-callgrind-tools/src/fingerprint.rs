//! The fingerprint of a result: everything except the user's code that its counts depend on, by name.

use iai_callgrind_base::console::one_line;
use iai_callgrind_base::{FileError, read_json};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::Path;

use serde::{Deserialize, Serialize};

/// The extension of the file with the fingerprint of a result.
pub const FINGERPRINT: &str = "fingerprint.json";

/// The start of the names of settings in the profile of the build. A profile without the setting has cargo's default.
const PROFILE: &str = "profile.";

/// The name of the compiler's flags.
pub const COMPILER_FLAGS: &str = "compiler flags";

/// The start of the names of packages that are linked into the executable.
const DEPENDENCY: &str = "dependency ";

/// The start of the names of packages in directories, whose features the build has.
const FEATURES: &str = "features of ";

/// The start of the names of values that differ between users and checkouts. Hardly any count depends on them, so
/// histories and snapshots of several people leave them out.
const LOCAL: &str = "local ";

/// The entry of a fingerprint whose profile is not known: name and value.
const UNKNOWN_PROFILE: (&str, &str) = ("profile", "unknown");

/// The build and the machine of a result: names and values.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Fingerprint(BTreeMap<String, String>);

/// A part of a fingerprint that differs from the one of another result.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct FingerprintChange {
    /// The name of the part.
    pub name: String,
    /// The value of the other result.
    pub old: String,
    /// The value of this result.
    pub new: String,
}

/// Writes the name with the old and the new value. Hashes are left out.
impl fmt::Display for FingerprintChange {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, old, new } = self;
        let is_hash =
            |value: &str| value.len() >= 8 && value.bytes().all(|byte| byte.is_ascii_hexdigit());
        formatter.write_str(&one_line(name))?;
        if is_hash(old) && is_hash(new) {
            return Ok(());
        }
        write!(formatter, " ({} → {})", one_line(old), one_line(new))
    }
}

impl FingerprintChange {
    /// Returns true for a package that the other side has with other features.
    pub fn is_of_features(&self) -> bool {
        self.name.starts_with(FEATURES)
    }
}

impl<'a> FromIterator<(&'a String, &'a String)> for Fingerprint {
    fn from_iter<I: IntoIterator<Item = (&'a String, &'a String)>>(entries: I) -> Self {
        let mut fingerprint = Self::default();
        entries.into_iter().for_each(|(name, value)| fingerprint.insert(name, value));
        fingerprint
    }
}

/// Writes changes one after the other.
pub fn changes_text(changes: &[FingerprintChange]) -> String {
    changes.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

impl Fingerprint {
    /// Adds a value. An empty value means unknown.
    pub fn insert(&mut self, name: &str, value: impl Into<String>) {
        let value = value.into();
        if !value.is_empty() {
            self.0.insert(name.to_owned(), value);
        }
    }

    /// Adds a setting in the profile of the build.
    pub fn insert_setting(&mut self, setting: &str, value: &str) {
        self.insert(&format!("{PROFILE}{setting}"), value);
    }

    /// Adds the versions of a package that is linked into the executable.
    pub fn insert_dependency(&mut self, package: &str, versions: String) {
        self.insert(&format!("{DEPENDENCY}{package}"), versions);
    }

    /// Adds the features of a package. No features are a value, too.
    pub fn insert_features(&mut self, package: &str, features: &str) {
        let value = if features.is_empty() { "none" } else { features };
        self.insert(&format!("{FEATURES}{package}"), value);
    }

    /// Adds a value that differs between users and checkouts.
    pub fn insert_local(&mut self, name: &str, value: impl Into<String>) {
        self.insert(&format!("{LOCAL}{name}"), value);
    }

    /// Returns the values that users and checkouts have in common.
    #[must_use]
    pub fn shared(&self) -> Self {
        self.0.iter().filter(|(name, _)| !name.starts_with(LOCAL)).collect()
    }

    /// States that the settings of the profile are not known, rather than cargo's defaults.
    pub fn without_settings(&mut self) {
        let (name, value) = UNKNOWN_PROFILE;
        self.insert(name, value);
    }

    /// Adds the names of another fingerprint that does not differ from this one.
    pub fn join(&mut self, other: &Self) {
        let (unknown, _) = UNKNOWN_PROFILE;
        if other.has_profile() {
            self.0.remove(unknown);
        }
        let known = other.0.iter().filter(|(name, _)| *name != unknown);
        self.0.extend(known.map(|(name, value)| (name.clone(), value.clone())));
    }

    /// Reads the fingerprint from a file; `None` if there is none.
    pub fn read(path: &Path) -> Result<Option<Self>, FileError> {
        read_json(path, "iai-callgrind", "this is not the fingerprint of a result")
    }

    fn has_profile(&self) -> bool {
        !self.0.contains_key(UNKNOWN_PROFILE.0)
    }

    /// Returns `true` if the crate is known to be compiled in several units, which is cargo's default.
    pub fn has_units(&self) -> bool {
        const UNITS: &str = "codegen-units";
        let value = |name: &str| self.0.get(name).map_or("", String::as_str);
        let flags = value(COMPILER_FLAGS).split_whitespace();
        let mut of_flags = flags.filter_map(|flag| flag.split_once(UNITS)?.1.strip_prefix('='));
        // The setting of a package wins
        let is_of_package = value(&format!("{PROFILE}package")).contains(UNITS);
        let units = match of_flags.next_back() {
            Some(units) => units,
            None => value(&format!("{PROFILE}{UNITS}")),
        };
        self.has_profile() && !is_of_package && units != "1"
    }

    /// Returns the names and values.
    pub fn entries(&self) -> &BTreeMap<String, String> {
        &self.0
    }

    /// Returns the differences from an older fingerprint. Names of one side only are not compared,
    /// because another version can know more names.
    pub fn changes_since<'a>(
        &'a self,
        old: &'a Self,
    ) -> impl Iterator<Item = FingerprintChange> + use<'a> {
        let names: BTreeSet<_> = self.0.keys().chain(old.0.keys()).collect();
        names.into_iter().filter_map(|name| {
            let is_setting = name.starts_with(PROFILE);
            let value = |side: &Self| {
                let default = || (is_setting && side.has_profile()).then(|| "default".to_owned());
                side.0.get(name).cloned().or_else(default)
            };
            let (old, new) = (value(old)?, value(self)?);
            (old != new).then(|| FingerprintChange { name: name.clone(), old, new })
        })
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_setting_of_the_profile_has_a_default() {
        let mut old = Fingerprint::default();
        let mut new = Fingerprint::default();
        for (name, values) in
            [("compiler", ["1", "2"]), ("LLVM", ["", "21"]), ("target", ["x86", "x86"])]
        {
            old.insert(name, values[0]);
            new.insert(name, values[1]);
        }
        new.insert_setting("lto", "fat");
        let changes: Vec<_> = new.changes_since(&old).collect();
        let change = |name: &str, old: &str, new: &str| FingerprintChange {
            name: name.to_owned(),
            old: old.to_owned(),
            new: new.to_owned(),
        };
        let expected = [change("compiler", "1", "2"), change("profile.lto", "default", "fat")];
        assert_eq!(changes, expected);
        assert_eq!(new.changes_since(&new).count(), 0);
    }

    #[test]
    fn values_of_a_user_are_not_shared() {
        let mut fingerprint = Fingerprint::default();
        fingerprint.insert("compiler", "1");
        let shared = fingerprint.clone();
        fingerprint.insert_local("user", "0");
        assert_ne!(fingerprint, shared);
        assert_eq!(fingerprint.shared(), shared);
    }

    #[test]
    fn an_unknown_profile_has_no_defaults() {
        let (mut old, mut new) = (Fingerprint::default(), Fingerprint::default());
        old.insert_setting("lto", "fat");
        new.without_settings();
        assert_eq!(new.changes_since(&old).count(), 0);
        assert_eq!(old.changes_since(&new).count(), 0);
    }

    #[test]
    fn several_units_are_the_default() {
        let with = |entries: &[(&str, &str)]| {
            let mut fingerprint = Fingerprint::default();
            for (name, value) in entries {
                fingerprint.insert(name, *value);
            }
            fingerprint.has_units()
        };
        assert!(with(&[]) && with(&[("compiler flags", "none"), ("profile.debug", "1")]));
        assert!(!with(&[("profile.codegen-units", "1")]));
        assert!(with(&[("profile.codegen-units", "16")]));
        assert!(!with(&[("compiler flags", "-g -C codegen-units=1 -C lto")]));
        assert!(!with(&[("compiler flags", "-Ccodegen-units=16 -Ccodegen-units=1")]));
        assert!(with(&[("compiler flags", "-Ccodegen-units=2"), ("profile.codegen-units", "1")]));
        // Neither the package nor the profile is known
        assert!(!with(&[("profile.package", "{x={codegen-units=1,debug=1}}")]));
        assert!(!with(&[UNKNOWN_PROFILE]));
    }

    #[test]
    fn a_damaged_file_is_an_error() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("f");
        assert_eq!(Fingerprint::read(&path).unwrap(), None);
        let mut fingerprint = Fingerprint::default();
        fingerprint.insert("compiler", "rustc \"1\"\u{1f}");
        fs::write(&path, serde_json::to_vec(&fingerprint).unwrap()).unwrap();
        assert_eq!(Fingerprint::read(&path).unwrap(), Some(fingerprint));
        fs::write(&path, "{\"compiler\": 1}").unwrap();
        let error = Fingerprint::read(&path).unwrap_err().to_string();
        assert!(error.contains(":1: this is not the fingerprint of a result"), "{error}");
    }
}
