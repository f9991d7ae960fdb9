//! The working directories of functions, each of which exists while its case runs.

use std::collections::HashMap;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::sync::Mutex;

use iai_callgrind_plan::protocol::capture_name;
use iai_callgrind_results::PlaceOptions;

use crate::captured::capture_number;
use crate::error::{Error, Result};
use crate::sandbox::{Place, check_directory};

/// The working directories of the cases of a launch.
///
/// The fork server enters the directory of a case through a link in the staging directory, whose
/// path has the same length in all cases.
pub struct Places<'a> {
    /// The names and the options of the cases.
    cases: Vec<(String, &'a PlaceOptions)>,
    package: &'a Path,
    staging: &'a Path,
    /// The places of the cases in progress.
    active: Mutex<HashMap<usize, Place<'a>>>,
}

impl<'a> Places<'a> {
    /// Returns the working directories of cases with these names and options.
    pub fn new(
        cases: Vec<(String, &'a PlaceOptions)>,
        package: &'a Path,
        staging: &'a Path,
    ) -> Self {
        Self { cases, package, staging, active: Mutex::default() }
    }

    /// Creates the directory of a case, and the link to it with the number of its output. Returns
    /// `false` if the case runs in the directory of the server.
    pub fn create(&self, case: usize) -> Result<bool> {
        let (name, options) = &self.cases[case];
        if !options.is_needed() {
            return Ok(false);
        }
        // A case that runs again has left its directory
        drop(self.take(case));
        let place = Place::create(options, self.package, None, name)?;
        let directory = place.current_dir();
        check_directory(&directory)?;
        let name = capture_name(capture_number(case));
        let link = self.staging.join(String::from_utf8_lossy(&name).as_ref());
        let _ = fs::remove_file(&link);
        symlink(&directory, &link).map_err(Error::io("create", &link))?;
        self.active.lock().unwrap().insert(case, place);
        Ok(true)
    }

    /// Returns the place of a case that ended.
    pub fn take(&self, case: usize) -> Option<Place<'a>> {
        self.active.lock().unwrap().remove(&case)
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;

    #[test]
    fn a_link_leads_to_the_directory_of_each_case_that_has_one() {
        let (package, staging) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let package = package.path().canonicalize().unwrap();
        fs::create_dir(package.join("data")).unwrap();
        let options = |sandbox, current_dir: &str| PlaceOptions {
            sandbox,
            fixtures: Vec::new(),
            current_dir: PathBuf::from(current_dir),
        };
        let all =
            [options(false, ""), options(false, "data"), options(true, ""), options(true, "data")];
        let cases = all.iter().enumerate().map(|(case, options)| (case.to_string(), options));
        let places = Places::new(cases.collect(), &package, staging.path());
        assert!(!places.create(0).unwrap());
        assert!(places.create(1).unwrap());
        assert!(places.create(2).unwrap());
        assert!(places.create(3).is_err(), "the sandbox does not contain `data`");
        let target = |name| fs::canonicalize(staging.path().join(name));
        assert!(target("00000001").is_err());
        assert_eq!(target("00000002").unwrap(), package.join("data"));
        let sandbox = target("00000003").unwrap();
        assert_eq!(places.take(2).unwrap().path(), sandbox);
        assert!(!sandbox.exists());
        assert!(places.take(2).is_none());
    }
}
