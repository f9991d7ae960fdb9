//! The namespaces of processes of the cases that a fork server runs, with the directory of each case.

use std::collections::HashMap;
use std::fs;
use std::io::ErrorKind;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use iai_callgrind_plan::protocol::{
    CHILD_FILES, Message, NAMESPACE, SERVER_NUMBER, TOOL_FILES, capture_name,
};
use iai_callgrind_process::{Namespace, Orphan};

use crate::captured::Captured;
use crate::error::{Error, Result};
use crate::spares::Spares;

/// The processes and files that a case left behind in its namespace.
#[derive(Debug)]
pub struct Isolated {
    /// The directory of the files that the tool wrote about its processes.
    pub files: PathBuf,
    /// The processes that nothing waited for, with their ids in the namespace. They are killed.
    pub left: Vec<Orphan>,
    /// Receives the directory for another case; `None` if there is none.
    spares: Option<Spares>,
}

/// The namespaces of a server's children, one more than children run at the same time, so that the
/// next child has an empty one.
#[derive(Debug)]
pub(crate) struct Namespaces {
    staging: PathBuf,
    spares: Spares,
    free: Vec<Room>,
    /// The namespace of the child that starts next.
    next: Option<Used>,
    /// By the process ids of children.
    used: HashMap<i32, Used>,
    /// Namespaces of children that only settle the simulated caches, whose ids the server does not
    /// send.
    settling: Vec<Used>,
}

/// A namespace for one child after the other, with the link to it.
#[derive(Debug)]
struct Room {
    namespace: Namespace,
    link: Option<PathBuf>,
}

impl Room {
    fn create() -> Option<Self> {
        Some(Self { namespace: Namespace::create()?, link: None })
    }

    /// Moves the link to this path. A new link would be a new file for each child.
    fn link_as(&mut self, path: PathBuf) -> Result<()> {
        // Another namespace can have the path by now, for a child with the same number
        let is_ours = |link: &PathBuf| {
            fs::read_link(link).is_ok_and(|target| *target == *self.namespace.path())
        };
        let link = self.link.take().filter(is_ours);
        if link.is_none_or(|link| fs::rename(link, &path).is_err()) {
            let _ = fs::remove_file(&path);
            symlink(self.namespace.path(), &path).map_err(Error::io("create", &path))?;
        }
        self.link = Some(path);
        Ok(())
    }
}

/// The namespace of a child.
#[derive(Debug)]
struct Used {
    room: Room,
    number: u32,
}

/// Creates the directory that each child of a server sees replaced by its own one.
pub(crate) fn files_of_launch(staging: &Path) -> Result<PathBuf> {
    let directory = staging.join(TOOL_FILES);
    create(&directory)?;
    Ok(directory)
}

/// Returns the directory for the files about a case's processes, by the number of its output.
pub fn files_of_case(staging: &Path, number: u32) -> PathBuf {
    numbered(staging, number, CHILD_FILES)
}

/// Returns a namespace for a case with a Valgrind of its own, if the system allows one, with the
/// directory of the tool's files.
pub fn of_single(
    fixed_ids: bool,
    staging: &Path,
    number: u32,
) -> Result<(Option<Namespace>, PathBuf)> {
    let namespace = fixed_ids.then(Namespace::create).flatten();
    let files = match &namespace {
        Some(_) => create_files(staging, number, None)?,
        None => staging.to_owned(),
    };
    Ok((namespace, files))
}

/// Creates the directory for the files about the processes of a case, or takes a spare one.
fn create_files(staging: &Path, number: u32, spares: Option<&Spares>) -> Result<PathBuf> {
    let directory = files_of_case(staging, number);
    if number != SERVER_NUMBER {
        // A case that runs again. Children that only settle the simulated caches can still run
        let _ = fs::remove_dir_all(&directory);
        if spares.is_some_and(|spares| spares.take(&directory, Captured::new(staging, number))) {
            return Ok(directory);
        }
    }
    create(&directory)?;
    Ok(directory)
}

/// Creates a directory in the staging directory, unless it exists.
fn create(directory: &Path) -> Result<()> {
    match fs::create_dir(directory) {
        Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(()),
        result => result.map_err(Error::io("create", directory)),
    }
}

impl Isolated {
    /// Returns the processes and files that the only case of a namespace left behind. Its files
    /// were in this directory.
    pub fn of_single(namespace: &Namespace, files: PathBuf) -> Self {
        let left = namespace.processes();
        namespace.clear();
        Self { files, left, spares: None }
    }

    /// Removes the files, with the captured output of the case, or empties them for another case.
    pub fn remove(&self, captured: Captured<'_>) -> Result<()> {
        if self.spares.as_ref().is_some_and(|spares| spares.give_back(&self.files, captured)) {
            return Ok(());
        }
        captured.remove()?;
        fs::remove_dir_all(&self.files).map_err(Error::io("remove", &self.files))
    }
}

impl Namespaces {
    /// Creates namespaces for this many parallel children. Returns `None` if the system does not
    /// allow them.
    pub(crate) fn create(staging: &Path, jobs: usize) -> Option<Self> {
        let free: Option<Vec<_>> = (0..=jobs).map(|_| Room::create()).collect();
        Some(Self {
            staging: staging.to_owned(),
            spares: Spares::default(),
            free: free?,
            next: None,
            used: HashMap::new(),
            settling: Vec::new(),
        })
    }

    /// Prepares an empty namespace for the next child, which has this number.
    pub(crate) fn prepare(&mut self, number: u32) -> Result<()> {
        let free = self.next.take().map(|used| used.room).or_else(|| self.free.pop());
        create_files(&self.staging, number, Some(&self.spares))?;
        let link = numbered(&self.staging, number, NAMESPACE);
        let Some(mut room) = free else {
            // Without a link, the server reports that it can't enter
            let _ = fs::remove_file(&link);
            return Ok(());
        };
        room.link_as(link)?;
        self.next = Some(Used { room, number });
        Ok(())
    }

    /// Records the prepared child, with its process id or a reason why the server does not send the
    /// id.
    pub(crate) fn start(&mut self, child: i32) {
        match (self.next.take(), child) {
            (Some(used), 1..) => drop(self.used.insert(child, used)),
            (Some(used), Message::NOT_ISOLATED) => self.next = Some(used),
            (used, _) => self.settling.extend(used),
        }
    }

    /// Kills what a child left behind. The server has waited for the child.
    pub(crate) fn end(&mut self, child: i32) -> Option<Isolated> {
        let used = self.used.remove(&child).or_else(|| self.settling.pop())?;
        Some(self.release(used))
    }

    /// Kills the prepared child, if the server started it without a message.
    pub(crate) fn end_next(&mut self) -> Option<Isolated> {
        let used = self.next.take()?;
        Some(self.release(used))
    }

    /// Empties a namespace for another child. Returns what its child left behind.
    fn release(&mut self, used: Used) -> Isolated {
        let Used { room, number } = used;
        let (left, is_alive) = (room.namespace.processes(), room.namespace.clear());
        // If another process killed the keeper, the child was killed with it
        self.free.extend(if is_alive { Some(room) } else { Room::create() });
        let spares = (number != SERVER_NUMBER).then(|| self.spares.clone());
        Isolated { files: files_of_case(&self.staging, number), left, spares }
    }
}

/// Returns the path of a file of the child with this number.
fn numbered(staging: &Path, number: u32, extension: &str) -> PathBuf {
    let name = capture_name(number);
    staging.join(format!("{}.{extension}", String::from_utf8_lossy(&name)))
}
