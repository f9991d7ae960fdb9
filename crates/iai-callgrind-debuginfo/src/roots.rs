//! The directories that tell the user's sources from those of others.

use std::path::{Path, PathBuf};

/// Directories that distinguish the user's sources from others.
#[derive(Debug, Clone)]
pub struct Roots {
    /// The directory of the user's workspace. Paths in it are stored relative to it.
    pub workspace: PathBuf,
    /// Directories with other sources: of cargo, the toolchain and the harness.
    pub foreign: Vec<PathBuf>,
}

impl Roots {
    /// Returns the stored path of a user source file: relative to the workspace if it is in it.
    /// `None` for a library file.
    #[must_use]
    pub fn own<'a>(&self, file: &'a str) -> Option<&'a str> {
        /// Paths of the standard library, and of the crates that it contains.
        const STANDARD_LIBRARY: [&str; 3] = ["/rustc/", "/rust/deps/", "library/std/"];
        let path = Path::new(file);
        let is_foreign = STANDARD_LIBRARY.iter().any(|start| file.starts_with(start))
            || self.foreign.iter().any(|directory| path.starts_with(directory));
        if file.is_empty() || is_foreign {
            return None;
        }
        match path.strip_prefix(&self.workspace) {
            Ok(relative) => relative.to_str(),
            // Files of the system lie elsewhere
            Err(_) if file.starts_with("/usr/") || !path.is_absolute() => None,
            Err(_) => Some(file),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_users_files_are_those_of_no_library() {
        let roots = Roots {
            workspace: "/home/me/project".into(),
            foreign: vec!["/home/me/.cargo/registry".into(), "/home/me/project/target".into()],
        };
        for (file, own) in [
            ("/home/me/project/src/lib.rs", Some("src/lib.rs")),
            ("/home/me/other/src/lib.rs", Some("/home/me/other/src/lib.rs")),
            ("/home/me/.cargo/registry/src/x/serde/src/lib.rs", None),
            ("/home/me/project/target/debug/build/x/out/y.rs", None),
            ("/rustc/abc/library/core/src/fmt/mod.rs", None),
            ("/rust/deps/hashbrown-0.15.2/src/raw.rs", None),
            ("/usr/include/string.h", None),
            ("./malloc/malloc.c", None),
            ("", None),
        ] {
            assert_eq!(roots.own(file), own, "{file}");
        }
    }
}
