//! The values of the machine that the code of a profile asks for.

use std::collections::BTreeSet;
use std::hash::Hasher;
use std::slice;

use fnv::FnvHasher;
use iai_callgrind_profile::{AddressProfile, Call};

use super::Builder;
use crate::machine_values::instructions::{Instruction, NumberRegister, decode, number_before};
use crate::machine_values::{
    is_file_metadata, needs_size_only, passes_metadata_on, request_value, system_call_name,
};
use crate::names;
use iai_callgrind_debuginfo::ObjectFile;

/// The function of the C library that makes any system call.
const ANY_SYSTEM_CALL: &str = "syscall";

/// The function and the system call whose request decides about the value.
const REQUEST: &str = "ioctl";

/// Start of the names of the functions through which the loader makes a function's first call.
const FIRST_CALL: &str = "_dl_runtime_resolve";

/// Maximum number of functions of the standard library between one that reads a file and the C library.
const DEPTH: usize = 3;

/// Returns what an instruction asks for: the name of a value that it reads, or of a system call.
/// For the C library, its functions count instead.
pub(super) fn question(file: &ObjectFile, address: u64) -> Option<&'static str> {
    let (before, code) = file.code_around(address).filter(|_| !file.is_of_c_library)?;
    match decode(file.architecture(), code)? {
        Instruction::Reads(name) => Some(name),
        Instruction::SystemCall => {
            let (number, request) = (NumberRegister::Instruction, NumberRegister::SecondArgument);
            system_call(file, before, number, request)
        }
    }
}

/// Returns the name of the system call whose number is in this register, or the value that its request asks for.
fn system_call(
    file: &ObjectFile,
    before: &[u8],
    number: NumberRegister,
    request: NumberRegister,
) -> Option<&'static str> {
    let number = number_before(file.architecture(), before, number)?;
    let name = system_call_name(file.architecture(), number.into())?;
    let value = if name == REQUEST { requested(file, before, request) } else { None };
    value.or(Some(name))
}

/// Returns the value that a request of `ioctl` asks for.
fn requested(file: &ObjectFile, before: &[u8], register: NumberRegister) -> Option<&'static str> {
    number_before(file.architecture(), before, register).and_then(request_value)
}

/// Returns the value that a call of a function asks for, for functions that ask only with certain
/// arguments.
fn question_of_call(function: &str, file: &ObjectFile, call: &Call) -> Option<&'static str> {
    // A program calls `ioctl@plt` if the loader finds functions when they are called
    let name = function.split('@').next().unwrap_or(function);
    if ![ANY_SYSTEM_CALL, REQUEST].contains(&name) {
        return None;
    }
    let (before, _) = file.code_around(call.from.address)?;
    if name == REQUEST {
        return requested(file, before, NumberRegister::SecondArgument);
    }
    system_call(file, before, NumberRegister::FirstArgument, NumberRegister::ThirdArgument)
}

impl Builder {
    /// Returns the names of the values that calls of C library functions ask for, and these
    /// instructions.
    pub(super) fn asked(
        &self,
        objects: &[usize],
        profile: &AddressProfile,
        questions: &[&'static str],
    ) -> Vec<String> {
        let mut asked = BTreeSet::new();
        for question in questions {
            asked.extend(self.values(question));
        }
        let functions = profile.functions.iter().map(|name| self.asking.values(name));
        let functions: Vec<_> = functions.collect();
        for call in &profile.calls {
            let function = call.to.function as usize;
            let file = &self.objects[objects[call.from.object as usize]].file;
            let question = question_of_call(&profile.functions[function], file, call);
            let values = question.as_ref().map_or(functions[function], |name| self.values(name));
            if values.is_empty() || !is_of_program(file, profile, call) {
                continue;
            }
            let is_left_out = |value: &str| {
                is_file_metadata(value) && is_for_size(profile, call.from.function, DEPTH)
            };
            asked.extend(values.iter().filter(|value| !is_left_out(value)));
        }
        asked.into_iter().map(str::to_owned).collect()
    }

    /// Returns the values that a question asks for: the values of a system call, or the value itself.
    fn values<'a>(&'a self, question: &'a &'static str) -> &'a [&'static str] {
        match self.asking.values(question) {
            [] => slice::from_ref(question),
            values => values,
        }
    }

    /// Returns the hash of the object files of a profile; 0 if one of them is not known.
    pub(super) fn identity(&self, objects: &[usize], profile: &AddressProfile) -> u64 {
        let is_file = |path: &str| path.starts_with('/');
        let files = profile.objects.iter().zip(objects).filter(|(path, _)| is_file(path));
        let files: BTreeSet<_> = files.map(|(_, at)| self.objects[*at].file.identity).collect();
        if files.is_empty() || files.contains(&0) {
            return 0;
        }
        let mut hasher = FnvHasher::default();
        for identity in files {
            hasher.write_u64(identity);
        }
        hasher.finish().max(1)
    }
}

/// Returns true for a call from outside of the C library.
fn is_of_program(file: &ObjectFile, profile: &AddressProfile, call: &Call) -> bool {
    let caller = &profile.functions[call.from.function as usize];
    !file.is_of_c_library || caller.starts_with(FIRST_CALL)
}

/// Returns true if this function asks for a file's metadata only because of its size.
fn is_for_size(profile: &AddressProfile, function: u32, depth: usize) -> bool {
    let name = names::demangle(&profile.functions[function as usize]);
    if needs_size_only(&name) {
        return true;
    }
    if depth == 0 || !passes_metadata_on(&name) {
        return false;
    }
    let calls = profile.calls.iter().filter(|call| call.to.function == function);
    let callers: BTreeSet<_> = calls.map(|call| call.from.function).collect();
    !callers.is_empty() && callers.iter().all(|caller| is_for_size(profile, *caller, depth - 1))
}
