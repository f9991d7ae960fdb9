//! The common part of the output of two runs of a command.

/// Returns the lines of `output` without what differs from run to run and from compiler to compiler: cargo's own
/// lines, the numbers, and the time that it took.
pub(crate) fn shape(output: &str) -> Vec<&str> {
    let lines = output.lines().filter(|line| !line.is_empty() && !line.starts_with("     Running"));
    lines.map(common).collect()
}

fn common(line: &str) -> &str {
    let metric = line.starts_with("  ") && line.contains('|');
    let end = if metric { line.find(':') } else { line.rfind(", in ") };
    &line[..end.unwrap_or(line.len())]
}

#[test]
fn numbers_and_times_make_no_difference() {
    let output = "     Running x\na::b::c id:1\n  L1 Hits:    12|N/A    (***)\n\n2 ran, in 1.2 s\n";
    assert_eq!(shape(output), ["a::b::c id:1", "  L1 Hits", "2 ran"]);
}
