//! Reasons why tests take more than ten seconds.

/// Modules or whole names of tests, and what takes their time.
const REASONS: &[(&str, &str)] = &[
    ("action::", "runs the action's commands, which build the runner"),
    ("added_benchmarks::", "builds a crate with other benchmarks again"),
    ("against::", "builds revisions of a workspace"),
    ("annotations::", "builds a crate with its changes"),
    ("bencher::", "builds files of two harnesses"),
    ("browser::", "looks at pages in a browser, in each of their states"),
    ("by_hand::", "runs functions in assembly under two tools"),
    ("caches::", "builds a crate with its changes"),
    ("causes::", "builds a crate with its changes"),
    ("ci::", "runs the commands of a workflow, which build the runner"),
    ("command_groups::", "starts Valgrind for each command and each measured hook"),
    ("commands::all_processes_and_threads_count", "shares a run of all counted cases"),
    ("commands::an_entry_point_counts_less", "shares a run of all counted cases"),
    (
        "commands::counts_do_not_depend_on_where_the_checkout_lies",
        "runs the commands of the file in two directories",
    ),
    (
        "commands::each_process_is_a_result_of_its_own",
        "runs a command with four processes several times",
    ),
    (
        "commands::every_way_to_run_a_command_works_and_counts_the_same_again",
        "runs nearly all cases of the file",
    ),
    ("counters::files_of_criterion_and_divan_report_them", "runs the files of two harnesses"),
    (
        "directories::benchmarks_of_other_harnesses_have_a_sandbox_with_an_option",
        "runs the files of two harnesses, under two tools",
    ),
    ("counts_files::", "builds a crate with its changes"),
    (
        "criterion::a_benchmark_that_is_not_optimized_counts_as_its_twin",
        "builds files without optimization",
    ),
    ("criterion::other_tools_count_as_for_the_twin", "runs two files under two other tools"),
    ("debug_information::", "builds a crate in five forms, and one with generated code"),
    ("dependencies::", "builds a crate with two versions of a dependency"),
    ("effects::every_tool::", "starts each tool of Valgrind"),
    ("effects::threads::", "runs threads under the slowest tools"),
    ("every_command_works_in_the_order_of_its_document", "runs all commands of the guide"),
    ("every_rust_block_is_a_benchmark_file_that_compiles", "compiles all blocks of the guide"),
    ("every_file::", "runs each benchmark file several times, and single benchmarks alone"),
    (
        "exec::a_command_reads_all_of_its_mappings",
        "looks up a backtrace in the symbols of a program under Valgrind",
    ),
    ("exec::clocks_of_commands_are_virtual", "has a program that sleeps, and runs it twice"),
    (
        "exec::the_allocator_of_a_program_must_be_one_that_the_tool_replaces",
        "runs four programs under three tools",
    ),
    (
        "errors::what_the_chapter_lists_is_said_and_tested",
        "looks for each message in all sources and tests",
    ),
    (
        "errors::what_the_sources_say_the_chapter_lists",
        "looks for each message of the chapter in all sources",
    ),
    ("explanations::", "builds a crate with ten changes"),
    ("faults::", "runs and repeats runs that are killed"),
    ("fixed_data::", "builds a crate with other texts and paths"),
    (
        "fixed_surroundings::a_clock_is_at_most_ten_seconds_behind",
        "has a benchmark and a setup that take longer than that",
    ),
    ("fixed_surroundings::", "runs files with threads and clocks several times"),
    (
        "foreign_messages::each_is_named_and_the_others_run",
        "starts Valgrind again after each message",
    ),
    ("function_cancellation::", "waits until the processes of cancelled runs are gone"),
    ("google_benchmark::", "compiles C++"),
    ("growth_sizes::", "runs some 80 benchmarks of functions and commands"),
    ("inlined_frames::", "builds a crate in two profiles"),
    (
        "json::lines_of_commands_and_other_tools_are_as_the_schema_says",
        "runs six benchmark files with two tools",
    ),
    ("json::lines_of_every_benchmark_file_are_as_the_schema_says", "runs 19 stored files twice"),
    ("noise::", "builds the commits of a crate"),
    ("one_machine::", "reads all that is fixed, in two surroundings"),
    ("opt_out::", "builds the harness with other features"),
    (
        "peaks::peaks_are_exact_and_without_the_memory_of_the_setup",
        "runs a file with threads under DHAT twice",
    ),
    ("process_ids::", "runs commands that signal their processes several times"),
    ("repositories::", "builds revisions of a workspace"),
    (
        "requests::requests_are_made_with_their_feature_only",
        "builds the harness with other features",
    ),
    ("runner::", "builds the runner in the release profile"),
    ("sabotage::", "runs files that kill, hang and exhaust limits"),
    ("sanitizers::", "builds a crate with sanitizers"),
    ("spinning::", "shares the CPUs with threads that spin"),
    ("the_chapters_of_a_subcommand_name_all_that_its_help_names", "builds the runner"),
    ("the_task_for_a_first_run_prints_what_the_readme_prints", "builds a crate and the runner"),
    ("time::", "builds the real Criterion"),
    ("the_chapter_on_the_command_line_names_all_that_help_names", "builds a crate and the runner"),
    ("timeouts::", "waits until benchmarks exceed their time"),
    (
        "timed_revisions::",
        "builds revisions of a workspace, and times them until a change is clear",
    ),
    (
        "tool_runners::a_benchmark_under_a_tool_runner_that_takes_too_long",
        "waits until benchmarks exceed their time",
    ),
    (
        "tool_runners::a_tool_runner_can_start_valgrind_as_another_process",
        "starts a Valgrind for each of many benchmarks",
    ),
    ("tools::", "runs files under all tools of Valgrind"),
    ("ui", "compiles 49 files, and runs those without an error"),
    ("user_crates::", "builds crates in the profiles of users"),
    (
        "valgrind_arguments::other_forms_of_the_logs_are_read_too",
        "runs memcheck, whose verbose log has all that it reads",
    ),
];

/// Returns the reason of a test.
pub(crate) fn reason(test: &str) -> Option<&'static str> {
    let is_of = |name: &str| test == name || name.ends_with("::") && test.starts_with(name);
    REASONS.iter().find(|(name, _)| is_of(name)).map(|(_, reason)| *reason)
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::*;
    use crate::command;

    /// Directories of tests that have reasons.
    const DIRECTORIES: [&str; 6] = [
        "tests/end-to-end/tests/e2e",
        "tests/end-to-end/tests/crates",
        "docs/tests/documentation",
        "iai-callgrind/tests",
        "tests/client-requests/tests/requests",
        "tests/stored/tests/stored",
    ];

    fn exists(name: &str, directory: &Path) -> bool {
        let in_module = |module: &str, function: &str| {
            let path = directory.join(module.replace("::", "/")).with_extension("rs");
            let file = fs::read_to_string(path);
            file.is_ok_and(|text| function.is_empty() || text.contains(&format!("fn {function}(")))
        };
        match name.rsplit_once("::") {
            Some((module, function)) => in_module(module, function),
            None => ["main", name].iter().any(|module| in_module(module, name)),
        }
    }

    #[test]
    fn each_reason_has_a_test() {
        for (name, _) in REASONS {
            let found =
                DIRECTORIES.iter().any(|directory| exists(name, &command::root().join(directory)));
            assert!(found, "no test `{name}`");
        }
        assert_eq!(reason("time::a_feature"), Some("builds the real Criterion"));
        assert_eq!(reason("times::a_test"), None);
        assert_eq!(reason("uids_are_known"), None);
    }
}
