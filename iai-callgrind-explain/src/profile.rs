//! A profile with addresses: the cost of each instruction and of each call.

/// A profile with addresses.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Profile {
    /// The program that wrote it, with its version.
    pub creator: String,
    /// Names of the events, for example `Ir`.
    pub events: Vec<String>,
    /// Paths of the object files.
    pub objects: Vec<String>,
    /// Names of functions, as the tool spells them.
    pub functions: Vec<String>,
    /// The instructions, each as often as it has costs.
    pub costs: Vec<Position>,
    /// The costs of these instructions: a count of each event.
    pub counts: Vec<u64>,
    /// The calls that instructions make.
    pub calls: Vec<Call>,
}

/// An instruction of a function in an object file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Position {
    /// The index of the object file.
    pub object: u32,
    /// The index of the function.
    pub function: u32,
    /// The address in the object file.
    pub address: u64,
}

/// The calls that an instruction makes to one function.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Call {
    /// The calling instruction.
    pub from: Position,
    /// The first instruction of the called function.
    pub to: Position,
    /// Number of calls.
    pub times: u64,
    /// The count of the first event during the calls.
    pub inclusive: u64,
}
