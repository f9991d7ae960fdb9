//! Output of processes below an error.

use anstream::adapter::strip_str;

/// Output of a process with the name under which an error shows it.
pub type Section = (&'static str, String);

/// Returns the output of a process, each section indented under its name; empty sections are left out.
pub fn indented(sections: &[Section]) -> String {
    let mut indented = String::new();
    for (name, text) in sections.iter().filter(|(_, text)| !text.trim().is_empty()) {
        indented.extend(["\n  ", name, ":"]);
        // Colours would be shown as text, as other control characters are
        for line in strip_str(text).to_string().trim_end().lines() {
            indented.extend(["\n    ", line]);
        }
    }
    indented
}
