//! The extensions of the files of a tool, one or more of each process.

/// The extension of a file of the process with this number: `out` for that which ran the benchmark
/// function, `out.p2` for the next one.
pub(crate) fn of_process(extension: &str, process: usize) -> String {
    match process {
        0 => extension.to_owned(),
        _ => format!("{extension}.p{}", process + 1),
    }
}

/// Whether this is the known extension, perhaps with numbers of a thread and of a process behind it.
pub(crate) fn is_of(known: &str, extension: &str) -> bool {
    let is_number = |part: &str| {
        let digits = part.strip_prefix('p').unwrap_or(part);
        !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
    };
    let rest = extension.strip_prefix(known);
    rest.is_some_and(|rest| {
        rest.is_empty() || rest.strip_prefix('.').is_some_and(|rest| rest.split('.').all(is_number))
    })
}
