//! Notes about the place of a case.

use std::path::Path;

use iai_callgrind_base::note::print_line;

/// Notes that the target of a link in a fixture is copied.
pub(crate) fn print_link_of_fixture(link: &Path) {
    print_line(&format_args!(
        "note: the target of the symbolic link {} is copied: it is outside of the fixture",
        link.display()
    ));
}
