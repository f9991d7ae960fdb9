//! Values of the machine as the reason for a different count of the same code.

use super::{calling, change_line, verdict};
use crate::Verdict;
use crate::machine_values::LOADER_CACHE;
use crate::table::Table;

/// Asks for these values in a program with this identity.
fn asking(cost: u64, values: &[&str], object_files: u64) -> Table {
    let mut table = calling(cost, 3);
    table.asked = values.iter().map(|name| (*name).to_owned()).collect();
    table.object_files = object_files;
    table
}

/// Returns the names of the values that are named.
fn named(old: &Table, new: &Table) -> Vec<&'static str> {
    match verdict(old, new) {
        Verdict::MachineValues(values) => values.iter().map(|value| value.name).collect(),
        _ => Vec::new(),
    }
}

fn set(table: &mut Table, name: &str, value: &str) {
    table.environment.insert(name.to_owned(), value.to_owned());
}

/// Makes `malloc` execute this many instructions.
fn in_library(mut table: Table, instructions: u64) -> Table {
    table.rows[1].counts[0] = instructions;
    table.totals = table.sums().unwrap();
    table
}

#[test]
fn the_same_program_varies_by_what_it_asks_for() {
    let old = asking(50, &["port", "file-metadata"], 7);
    assert_eq!(named(&old, &asking(70, &["port"], 7)), ["file-metadata", "port"]);
    let nothing = asking(50, &[], 7);
    assert_eq!(verdict(&nothing, &asking(70, &[], 7)), Verdict::Calls(Vec::new()));
    assert_eq!(verdict(&old, &asking(50, &["port"], 7)), Verdict::Equal);
    // Machine code that is not known
    let [mut old, mut new] = [asking(50, &["port"], 7), asking(70, &["port"], 7)];
    for table in [&mut old, &mut new] {
        table.functions.iter_mut().for_each(|function| function.code = 0);
    }
    assert_eq!(named(&old, &new), ["port"]);
    (old.object_files, new.object_files) = (0, 0);
    assert_eq!(named(&old, &new), [""; 0]);
}

#[test]
fn the_same_program_finds_other_data_if_nothing_else_changed() {
    let name = |old: &Table, new: &Table| {
        let value = crate::unseen_value(old, new);
        assert_eq!(crate::Difference::new(old, new, None).unseen_value, value);
        value.map(|value| value.name)
    };
    let (old, new) = (asking(50, &[], 7), asking(70, &[], 7));
    assert_eq!(name(&old, &new), Some("other-data"));
    assert_eq!(name(&old, &asking(50, &[], 7)), None, "nothing differs");
    assert_eq!(name(&old, &asking(70, &[], 8)), None, "another program");
    assert_eq!(name(&asking(50, &[], 0), &asking(70, &[], 0)), None, "programs are not known");
    assert_eq!(name(&old, &asking(70, &["thread-order"], 7)), Some("other-order"));
    let [mut with_seed, mut with_other] = [old, new];
    set(&mut with_seed, "seed", "0");
    set(&mut with_other, "seed", "7");
    assert_eq!(name(&with_seed, &with_other), None);
}

#[test]
fn a_value_of_the_shell_that_changed_is_named_where_code_asks_for_it() {
    let changed = |values: &[&str], parts: &[&str]| {
        let [mut old, mut new] = [asking(50, values, 7), asking(70, values, 7)];
        for part in parts {
            set(&mut old, part, "1012");
            set(&mut new, part, "500");
        }
        named(&old, &new)
    };
    let files = "limit of open files";
    assert_eq!(changed(&["limits"], &[files]), ["limits"]);
    assert_eq!(changed(&["limits"], &["file mode mask", "terminal"]), ["limits"]);
    assert_eq!(changed(&["host", "limits"], &["host"]), ["host"]);
    assert_eq!(changed(&["user", "process-ids"], &["local user"]), ["user"]);
    let directory = "local length of the working directory's path";
    assert_eq!(changed(&["working-directory", "host"], &[directory]), ["working-directory"]);
    // Nothing asks for it, or another part changed as well
    assert_eq!(changed(&["host"], &[files]), [""; 0]);
    assert_eq!(changed(&["limits", "port"], &[files, "compiler"]), [""; 0]);
    // Values that vary can be the reason as before
    assert_eq!(changed(&["limits", "port"], &[files]), ["port", "limits"]);
    assert_eq!(changed(&["file-metadata"], &[files, "local user"]), ["file-metadata"]);
    assert_eq!(changed(&["port"], &["seed"]), [""; 0], "every program depends on it");
}

#[test]
fn other_libraries_of_the_loader_are_named_next_to_a_value() {
    let named = |values: &[&str], parts: &[&str]| {
        let [mut old, mut new] = [asking(50, values, 7), asking(70, values, 7)];
        for part in [&[LOADER_CACHE], parts].concat() {
            set(&mut old, part, "1");
            set(&mut new, part, "2");
        }
        named(&old, &new)
    };
    assert_eq!(named(&["file-metadata"], &[]), ["file-metadata", "loader-libraries"]);
    assert_eq!(named(&["user"], &["local user"]), ["user", "loader-libraries"]);
    assert_eq!(named(&["port"], &["compiler"]), [""; 0]);
    // Then the environment is the reason
    assert_eq!(named(&["process-ids"], &[]), [""; 0]);
}

#[test]
fn a_user_for_whom_other_libraries_are_loaded_is_named() {
    let loading = |cost, object_files, user: &str| {
        let mut table = asking(cost, &["port", "user"], object_files);
        table.texts[4] = "_dl_relocate_object".to_owned();
        set(&mut table, "local user", user);
        in_library(table, 30 + object_files)
    };
    let old = loading(50, 7, "0 in 0");
    let (other, same) = (loading(70, 8, "1000 in 1000"), loading(70, 8, "0 in 0"));
    assert_eq!(named(&old, &other), ["user"]);
    assert_eq!(named(&old, &same), [""; 0]);
    // A program without symbols
    let [old, other, same] = [old, other, same].map(|mut table| {
        table.functions.iter_mut().for_each(|function| function.code = 0);
        table
    });
    assert_eq!(named(&old, &other), ["user"]);
    assert_eq!(named(&old, &same), [""; 0]);
}

#[test]
fn code_that_changed_has_no_such_reason() {
    let old = asking(50, &["port"], 7);
    let changed = |change: &dyn Fn(&mut Table)| {
        let mut new = asking(70, &["port"], 8);
        change(&mut new);
        named(&old, &new)
    };
    assert_eq!(changed(&|_| {}), ["port"], "other code of the program");
    assert_eq!(changed(&|new| new.functions[0].code = 99), [""; 0]);
    assert_eq!(changed(&change_line), [""; 0]);
    let mut with_dependency = old.clone();
    set(&mut with_dependency, "dependency smawk", "1.0.0");
    let mut new = asking(70, &["port"], 8);
    set(&mut new, "dependency smawk", "1.0.1");
    assert_eq!(named(&with_dependency, &new), [""; 0]);
    // The loader works for the program as a whole
    let loading = |cost, object_files| {
        let mut table = asking(cost, &["port"], object_files);
        table.texts[4] = "_dl_relocate_object".to_owned();
        in_library(table, 30 + object_files)
    };
    assert_eq!(named(&loading(50, 7), &loading(70, 8)), [""; 0]);
}

#[test]
fn what_much_code_asks_for_is_named_if_nothing_else_changed() {
    let old = asking(50, &["file-metadata", "port"], 7);
    let other = asking(70, &["file-metadata", "port"], 8);
    assert_eq!(named(&old, &other), ["file-metadata", "port"]);
    let mut constants = other.clone();
    constants.files.get_mut("src/lib.rs").unwrap().code = 2;
    assert_eq!(named(&old, &constants), ["port"]);
    let mut constants = other.clone();
    constants.packages.insert("member".to_owned(), 2);
    assert_eq!(named(&old, &constants), ["port"]);
    // Hash maps have other seeds in another program
    let [mut old, mut other] = [old, other];
    for table in [&mut old, &mut other] {
        table.texts[3] = "foldhash::seed::global::GlobalSeed::init_slow".to_owned();
    }
    assert_eq!(named(&old, &other), ["port", "moved-addresses"]);
    other.object_files = 7;
    assert_eq!(named(&old, &other), ["file-metadata", "port"]);
}

#[test]
fn addresses_are_not_the_reason_for_ids() {
    let ids = |instructions: u64, object_files: u64, native: &str| {
        let mut table = asking(50, &["process-ids", "file-metadata"], object_files);
        set(&mut table, "process ids", native);
        in_library(table, instructions)
    };
    assert_eq!(
        named(&ids(131, 7, "system"), &ids(141, 7, "system")),
        ["file-metadata", "process-ids"]
    );
    let other = [ids(131, 7, "system"), ids(141, 8, "system")];
    assert_eq!(named(&other[0], &other[1]), ["process-ids", "moved-addresses"]);
    // The data of another program is at other addresses
    let fixed = |object_files| ids(141, object_files, "fixed");
    assert_eq!(verdict(&ids(131, 7, "fixed"), &fixed(8)), Verdict::DataAddresses);
    let same = |mut table: Table, random: &str| {
        set(&mut table, "address randomization", random);
        table.asked.clear();
        table
    };
    let [old, new] = [ids(131, 7, "fixed"), fixed(7)].map(|table| same(table, "no"));
    assert_eq!(verdict(&old, &new), Verdict::Calls(Vec::new()));
    let [old, new] = [ids(131, 7, "fixed"), fixed(7)].map(|table| same(table, "yes"));
    assert_eq!(named(&old, &new), ["addresses"]);
}
