//! The parents of processes, from the logs that they leave in a directory.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::{fs, iter};

use iai_callgrind_tools::valgrind::log::preamble;

use crate::error::{Error, Result};

/// The processes with a log in a directory, which parallel cases share. Each log is read once,
/// however many cases end meanwhile.
pub struct Ancestry<'a> {
    directory: &'a Path,
    parents: Mutex<HashMap<i32, i32>>,
}

impl<'a> Ancestry<'a> {
    /// Returns the processes whose logs are in this directory.
    pub fn new(directory: &'a Path) -> Self {
        Self { directory, parents: Mutex::default() }
    }

    /// Returns the directory of the logs.
    pub fn directory(&self) -> &'a Path {
        self.directory
    }

    /// Returns the processes that this one started, directly or not, in the order of their ids.
    pub fn descendants(&self, process: i32) -> Result<Vec<i32>> {
        let parents = self.parents()?;
        let is_descendant = |&pid: &i32| {
            let ancestors = iter::successors(Some(pid), |pid| parents.get(pid).copied().flatten());
            // Bounded by the number of processes, because a reused id can lead to a cycle
            pid != process && ancestors.take(parents.len() + 1).any(|ancestor| ancestor == process)
        };
        let mut descendants: Vec<_> = parents.keys().copied().filter(is_descendant).collect();
        descendants.sort_unstable();
        Ok(descendants)
    }

    /// Returns the process whose parent has no log.
    pub fn first_process(&self) -> Option<i32> {
        let parents = self.parents().ok()?;
        let has_parent = |parent: &Option<i32>| parent.is_some_and(|id| parents.contains_key(&id));
        parents.iter().find(|(_, parent)| !has_parent(parent)).map(|(process, _)| *process)
    }

    /// Forgets processes whose logs are removed, because other processes can get their ids.
    pub fn forget(&self, processes: &[i32]) {
        let mut known = self.parents.lock().unwrap();
        for process in processes {
            known.remove(process);
        }
    }

    /// Returns the parent of each process, as far as its log names it.
    fn parents(&self) -> Result<HashMap<i32, Option<i32>>> {
        let mut known = self.parents.lock().unwrap();
        let mut parents = HashMap::new();
        for log in files_in(self.directory)?
            .filter(|path| path.extension().is_some_and(|end| end == "log"))
        {
            let stem = log.file_stem().and_then(|stem| stem.to_str());
            let Some(process) = stem.and_then(|stem| stem.parse().ok()) else { continue };
            // A process that has just started may not have written it
            let parent = known.get(&process).copied().or_else(|| preamble(&log).parent);
            known.extend(parent.map(|parent| (process, parent)));
            parents.insert(process, parent);
        }
        Ok(parents)
    }
}

/// Lists the files in a directory.
pub fn files_in(directory: &Path) -> Result<impl Iterator<Item = PathBuf> + use<>> {
    let entries = fs::read_dir(directory).map_err(Error::io("read the directory", directory))?;
    Ok(entries.flatten().map(|entry| entry.path()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_log_is_read_once_until_its_process_is_forgotten() {
        let directory = tempfile::tempdir().unwrap();
        let write = |process: i32, parent: &str| {
            let text = format!("=={process}== Command: x\n=={process}== {parent}\n");
            fs::write(directory.path().join(format!("{process}.log")), text).unwrap();
        };
        let ancestry = Ancestry::new(directory.path());
        write(7, "Parent PID: 1");
        write(8, "Parent PID: 7");
        write(9, "");
        assert_eq!(ancestry.descendants(7).unwrap(), [8]);
        write(8, "Parent PID: 1");
        write(9, "Parent PID: 8");
        assert_eq!(ancestry.descendants(7).unwrap(), [8, 9]);
        assert_eq!(ancestry.first_process(), Some(7));
        ancestry.forget(&[8]);
        assert_eq!(ancestry.descendants(7).unwrap(), [0; 0]);
        assert_eq!(ancestry.descendants(8).unwrap(), [9]);
    }

    #[test]
    fn ids_in_a_circle_have_an_end() {
        let directory = tempfile::tempdir().unwrap();
        for (process, parent) in [(7, 8), (8, 7)] {
            let text = format!("=={process}== Parent PID: {parent}\n");
            fs::write(directory.path().join(format!("{process}.log")), text).unwrap();
        }
        assert_eq!(Ancestry::new(directory.path()).descendants(9).unwrap(), [0; 0]);
    }
}
