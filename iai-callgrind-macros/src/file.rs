//! `file = "path"`: reads the lines when the benchmarks are compiled.

use std::path::{Path, PathBuf};
use std::{env, fs};

use proc_macro2::Span;
use syn::LitStr;

/// A file and its lines.
pub(crate) struct TextFile {
    /// Where the file is named.
    pub(crate) span: Span,
    /// The file's absolute path.
    pub(crate) path: String,
    /// The lines, at least one, without what ends them.
    pub(crate) lines: Vec<String>,
}

impl TextFile {
    /// Reads the file with this path, which is absolute or relative to the workspace.
    pub(crate) fn read(file: &LitStr) -> syn::Result<Self> {
        let (span, file) = (file.span(), file.value());
        let path = workspace().join(&file);
        let tried = path.display();
        let lines = read(&path).map_err(|problem| {
            syn::Error::new(span, format!("no cases in `{file}`: {tried} {problem}"))
        })?;
        Ok(Self { span, path: tried.to_string(), lines })
    }
}

/// The lines of the file with this absolute path, or what is wrong with it.
fn read(path: &Path) -> Result<Vec<String>, String> {
    const WHAT_TO_WRITE: &str =
        "write the path of a text file, relative to the workspace's directory or absolute";
    let bytes = fs::read(path)
        .map_err(|error| format!("can't be read ({error}). Create it, or {WHAT_TO_WRITE}"))?;
    let text = String::from_utf8(bytes).map_err(|error| {
        let valid = &error.as_bytes()[..error.utf8_error().valid_up_to()];
        let line = valid.split(|byte| *byte == b'\n').count();
        format!("is not UTF-8 in line {line}. Convert it, or {WHAT_TO_WRITE}")
    })?;
    if text.is_empty() {
        return Err("is empty. Write a line for each case into it".to_owned());
    }
    Ok(text.lines().map(ToOwned::to_owned).collect())
}

/// The directory of the workspace that is compiled.
fn workspace() -> PathBuf {
    let current = env::current_dir().unwrap_or_default();
    match env::var_os("CARGO_MANIFEST_DIR") {
        Some(package) => workspace_of(Path::new(&package), &current),
        None => current,
    }
}

/// The directory of the workspace that this package is in.
///
/// Cargo starts the compiler there, so that it needs no search, which could find a workspace that
/// excludes the package. Other tools start it anywhere.
fn workspace_of(package: &Path, current: &Path) -> PathBuf {
    if current == package || is_workspace(current) {
        return current.to_owned();
    }
    let root = package.ancestors().find(|directory| is_workspace(directory));
    root.unwrap_or(package).to_owned()
}

fn is_workspace(directory: &Path) -> bool {
    let manifest = fs::read_to_string(directory.join("Cargo.toml")).unwrap_or_default();
    manifest
        .lines()
        .map(str::trim)
        .any(|line| ["[workspace]", "[workspace."].iter().any(|section| line.starts_with(section)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A directory with these files, which ends with the test.
    struct Directory(PathBuf);

    impl Directory {
        fn new(name: &str, files: &[(&str, &[u8])]) -> Self {
            let id = std::process::id();
            let root = env::temp_dir().join(format!("iai-callgrind-macros-{name}-{id}"));
            for (path, content) in files {
                let path = root.join(path);
                fs::create_dir_all(path.parent().unwrap()).unwrap();
                fs::write(path, content).unwrap();
            }
            Self(root)
        }
    }

    impl Drop for Directory {
        fn drop(&mut self) {
            fs::remove_dir_all(&self.0).unwrap();
        }
    }

    fn lines(name: &str, content: &[u8]) -> Result<Vec<String>, String> {
        let directory = Directory::new(name, &[("lines", content)]);
        read(&directory.0.join("lines"))
    }

    #[test]
    fn what_ends_a_line_does_not_belong_to_it() {
        for content in ["a\n\n b \n", "a\n\n b ", "a\r\n\r\n b \r\n"] {
            assert_eq!(lines("ends", content.as_bytes()).unwrap(), ["a", "", " b "], "{content:?}");
        }
        assert_eq!(lines("ends", b"\n").unwrap(), [""]);
    }

    #[test]
    fn what_is_wrong_with_a_file() {
        assert!(lines("empty", b"").unwrap_err().starts_with("is empty. "));
        assert!(
            lines("binary", b"a\nb\n\xff").unwrap_err().starts_with("is not UTF-8 in line 3. ")
        );
        let missing = read(Path::new("/no/such/file")).unwrap_err();
        assert!(missing.starts_with("can't be read (No such file"), "{missing}");
        assert!(missing.contains("relative to the workspace's directory"), "{missing}");
    }

    #[test]
    fn the_workspace_is_found_from_anywhere() {
        let directory = Directory::new(
            "workspace",
            &[
                ("Cargo.toml", b"[workspace.package]\nversion = \"1.0.0\"\n"),
                ("members/one/Cargo.toml", b"[package]\n# [workspace]\n"),
                ("excluded/Cargo.toml", b"[package]\n"),
            ],
        );
        let root = &*directory.0;
        let member = root.join("members/one");
        assert_eq!(workspace_of(&member, root), root, "as cargo does");
        assert_eq!(workspace_of(&member, Path::new("/")), root);
        assert_eq!(workspace_of(&member, &root.join("members")), root);
        let excluded = root.join("excluded");
        assert_eq!(workspace_of(&excluded, &excluded), excluded);
        let alone = Path::new("/no/such/package");
        assert_eq!(workspace_of(alone, Path::new("/")), alone);
    }
}
