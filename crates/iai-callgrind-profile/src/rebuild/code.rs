//! The machine code of object files.

use std::fmt;

use super::branch::Branch;

/// The machine code of an object file.
pub trait Code: fmt::Debug {
    /// Returns the first address of the function whose symbol contains this address.
    fn symbol(&self, address: u64) -> Option<u64>;

    /// Returns the name of that function.
    fn name(&self, address: u64) -> Option<String>;

    /// Returns true for an address in the table of jumps to functions of other object files.
    fn is_linkage(&self, address: u64) -> bool;

    /// Returns the effect of the instruction at an address; `None` if it is not known.
    fn branch(&self, address: u64) -> Option<Branch>;
}
