//! Text files of `file = "path"`, which are read when the benchmarks are compiled.

use std::fs;
use std::io;
use std::path::Path;

use proc_macro2::Span;
use syn::LitStr;

use crate::errors::error_at;
use crate::{manifest, message};

/// Text file with its lines.
pub(crate) struct TextFile {
    /// Span of the path in the source.
    pub(crate) span: Span,
    /// Absolute path of the file.
    pub(crate) path: String,
    /// Lines without their line breaks, at least one.
    pub(crate) lines: Vec<String>,
}

impl TextFile {
    /// Reads the file with this path, which is absolute or relative to the workspace.
    pub(crate) fn read(file: &LitStr) -> syn::Result<Self> {
        let (span, file) = (file.span(), file.value());
        let path = manifest::workspace().join(&file);
        let lines = read(&path).map_err(|problem| {
            error_at(span, message::no_cases_in_file(&file, &path.display(), &problem))
        })?;
        Ok(Self { span, path: path.display().to_string(), lines })
    }
}

/// Returns the lines of the file with this absolute path, or the problem with the file.
fn read(path: &Path) -> Result<Vec<String>, String> {
    let read = || {
        if fs::metadata(path)?.is_file() {
            return fs::read(path);
        }
        Err(io::Error::new(io::ErrorKind::InvalidInput, "not a regular file"))
    };
    let bytes = read().map_err(|error| message::unreadable_file(&error))?;
    let text = String::from_utf8(bytes).map_err(|error| {
        let valid = &error.as_bytes()[..error.utf8_error().valid_up_to()];
        message::file_encoding(valid.split(|byte| *byte == b'\n').count())
    })?;
    if text.is_empty() {
        return Err(message::EMPTY_FILE.to_owned());
    }
    Ok(text.lines().map(ToOwned::to_owned).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_directory::TestDirectory;

    fn lines(name: &str, content: &[u8]) -> Result<Vec<String>, String> {
        let directory = TestDirectory::new(name, &[("lines", content)]);
        read(&directory.path().join("lines"))
    }

    #[test]
    fn line_breaks_do_not_belong_to_lines() {
        for content in ["a\n\n b \n", "a\n\n b ", "a\r\n\r\n b \r\n"] {
            assert_eq!(lines("ends", content.as_bytes()).unwrap(), ["a", "", " b "], "{content:?}");
        }
        assert_eq!(lines("ends", b"\n").unwrap(), [""]);
    }

    #[test]
    fn problems_with_a_file_are_named() {
        assert!(lines("empty", b"").unwrap_err().starts_with("is empty; "));
        assert!(
            lines("binary", b"a\nb\n\xff").unwrap_err().starts_with("is not UTF-8 in line 3; ")
        );
        let missing = read(Path::new("/no/such/file")).unwrap_err();
        assert!(missing.starts_with("can't be read (No such file"), "{missing}");
        assert!(missing.contains("relative to the workspace's directory"), "{missing}");
    }
}
