//! Each value that the guide calls fixed has an end-to-end test.

use std::fs;

use crate::document::{Document, root};

/// The starts of the rows of the tables about fixed values, with the tests of each.
const ROWS: [(&str, &[&str]); 37] = [
    (
        "Addresses",
        &[
            "counts::address_space_layout_randomization_does_not_matter_to_instructions",
            "exec::a_command_counts_the_same_again",
        ],
    ),
    ("Functions of the C library", &["machines::libc_functions_are_those_for_every_cpu"]),
    (
        "Path of the executable",
        &[
            "counts::the_executable_can_stay_where_it_lies",
            "commands::counts_do_not_depend_on_where_the_checkout_lies",
        ],
    ),
    ("Sandboxes", &["directories::a_function_runs_in_its_directory_and_counts_the_same"]),
    (
        "Environment variables",
        &[
            "counts::the_environment_does_not_matter",
            "commands::every_way_to_run_a_command_works_and_counts_the_same_again",
        ],
    ),
    (
        "Random numbers",
        &[
            "fixed_surroundings::random_numbers_are_the_same_in_every_run",
            "exec::random_numbers_of_commands_come_from_the_seed",
        ],
    ),
    (
        "Clocks",
        &[
            "fixed_surroundings::clocks_show_the_same_times_in_every_run",
            "exec::clocks_of_commands_are_virtual",
        ],
    ),
    (
        "CPUs",
        &[
            "fixed_surroundings::benchmarks_see_the_same_number_of_cpus",
            "one_machine::commands_see_one_machine",
        ],
    ),
    (
        "Order of threads",
        &[
            "fixed_surroundings::threads_count_the_same_in_every_run",
            "fixed_surroundings::processes_that_a_function_starts_count_the_same_in_every_run",
        ],
    ),
    (
        "Ids of processes",
        &[
            "process_ids::a_function_and_its_processes_have_the_same_ids_alone_and_next_to_others",
            "process_ids::a_command_has_the_same_ids_and_its_signals",
        ],
    ),
    (
        "Id of the parent",
        &[
            "one_machine::functions_see_one_machine",
            "one_machine::commands_start_in_the_same_way_in_each_shell",
        ],
    ),
    (
        "Limits of open files",
        &[
            "inherited::functions_inherit_the_same_from_each_shell",
            "inherited::a_command_inherits_the_same_from_each_shell",
        ],
    ),
    (
        "File mode mask",
        &[
            "inherited::functions_inherit_the_same_from_each_shell",
            "inherited::a_command_inherits_the_same_from_each_shell",
        ],
    ),
    (
        "Memory, load, uptime",
        &["one_machine::functions_see_one_machine", "one_machine::commands_see_one_machine"],
    ),
    (
        "Host name",
        &["one_machine::functions_see_one_machine", "one_machine::commands_see_one_machine"],
    ),
    (
        "Ports",
        &[
            "one_machine::functions_see_one_machine",
            "real_programs::x86_64::a_command_starts_with_the_same_values_of_the_kernel",
        ],
    ),
    (
        "Values of the kernel",
        &["fixed_surroundings::the_kernel_keeps_the_values_of_the_start_to_itself"],
    ),
    (
        "Auxiliary vector",
        &[
            "one_machine::addresses_and_variables_of_functions_do_not_depend_on_the_shell",
            "real_programs::x86_64::a_command_starts_with_the_same_values_of_the_kernel",
        ],
    ),
    (
        "Version of the C library",
        &["real_programs::x86_64::a_command_starts_with_the_same_values_of_the_kernel"],
    ),
    ("Sizes of the simulated caches", &["counts::a_valgrindrc_does_not_matter"]),
    ("Valgrind's own settings", &["counts::a_valgrindrc_does_not_matter"]),
    (
        "Other benchmarks",
        &[
            "fixed_surroundings::hash_maps_count_the_same_next_to_other_benchmarks",
            "spinning::counts_are_the_same_next_to_others",
        ],
    ),
    ("Memory: ", &["one_machine::functions_see_one_machine"]),
    ("Load, uptime, processes: ", &["one_machine::functions_see_one_machine"]),
    ("Control groups: ", &["one_machine::commands_see_one_machine"]),
    ("Space of file systems: ", &["one_machine::commands_see_one_machine"]),
    ("Mappings of functions: ", &["one_machine::functions_see_one_machine"]),
    ("The process itself: ", &["one_machine::functions_see_one_machine"]),
    ("Settings: ", &["one_machine::functions_see_one_machine"]),
    ("Names: ", &["one_machine::commands_see_one_machine"]),
    ("Mounts: ", &["one_machine::functions_see_one_machine"]),
    (
        "What the kernel has: ",
        &[
            "one_machine::functions_see_one_machine",
            "real_programs::other_file_systems_of_the_kernel_do_not_change_a_command",
        ],
    ),
    (
        "Ports: ",
        &[
            "one_machine::functions_see_one_machine",
            "real_programs::x86_64::a_command_starts_with_the_same_values_of_the_kernel",
        ],
    ),
    ("CPUs: ", &["one_machine::functions_see_one_machine"]),
    ("Limits that the start can't set: ", &["one_machine::functions_see_one_machine"]),
    ("/proc/sys/kernel/random/uuid", &["one_machine::functions_see_one_machine"]),
    ("/dev/urandom", &["one_machine::commands_see_one_machine"]),
];

/// The pages and headings of these tables.
const SECTIONS: [(&str, &str); 2] = [
    ("docs/src/stability.md", "\n## Fixed surroundings\n"),
    ("docs/src/fixed-values.md", "\n## The machine\n"),
];

/// Returns the first cells of a section's table as they are displayed.
fn values((page, heading): &(&str, &str)) -> Vec<String> {
    let guide = Document::read(page).text;
    let (_, section) = guide.split_once(heading).expect("a section with a table");
    let lines = section.lines().skip_while(|line| !line.starts_with("| ---")).skip(1);
    let cells = lines.map_while(|line| line.strip_prefix("| ")?.split(" |").next());
    cells.map(displayed).collect()
}

/// Returns the text of a cell without links and marks.
fn displayed(cell: &str) -> String {
    let mut parts = cell.split("](");
    let first = parts.next().unwrap_or_default().to_owned();
    let rest = parts.map(|part| part.split_once(')').map_or("", |(_, rest)| rest));
    let text: String = std::iter::once(first.as_str()).chain(rest).collect();
    text.replace(['[', '`'], "")
}

#[test]
fn each_fixed_value_of_the_guide_has_a_test() {
    let shown: Vec<_> = SECTIONS.iter().flat_map(values).collect();
    let known: Vec<_> = ROWS.iter().map(|(name, _)| *name).collect();
    assert_eq!(shown.len(), known.len(), "{shown:#?}");
    for (value, name) in shown.iter().zip(known) {
        assert!(value.starts_with(name), "{value:?} is in the place of {name:?}");
    }
    for test in ROWS.iter().flat_map(|(_, tests)| *tests) {
        let (module, function) = test.rsplit_once("::").expect("a module");
        let file = format!("{}.rs", module.replace("::", "/"));
        let file = root().join("tests/end-to-end/tests/e2e").join(file);
        let text = fs::read_to_string(&file).expect("a file of tests");
        assert!(text.contains(&format!("\nfn {function}() {{")), "{test}");
    }
}
