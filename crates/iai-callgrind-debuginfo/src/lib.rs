//! Object files: symbols, machine code, and the functions and lines of addresses.
//!
//! This crate is optimized in the runner: an executable can have hundreds of megabytes of debug information.

mod code_file;
mod map;
mod object_file;
mod roots;

pub use object::Architecture;

pub use self::code_file::CodeFile;
pub use self::map::map;
pub use self::object_file::{Build, ObjectFile, SourceFrame, UnreadDebugInfo};
pub use self::roots::Roots;
