//! Names the jumps to functions of other object files by their targets: `memcpy@plt`.
//!
//! Callgrind's default is to leave these jumps out of the profile. But it never resets their costs: a dump has those of
//! all earlier executions too, from before the measured region. So the jumps are functions of the profile. Callgrind
//! names them by their addresses, which another version of the library changes.

use std::collections::HashMap;

use crate::names::{NameId, NameSpec, Names};

/// The end of the name of a jump to a function of another object file: `malloc@plt`.
pub(crate) const LINKAGE: &str = "@plt";

/// The end of callgrind's names.
const MARK: &[u8] = b" [PLT]";

/// The start of the names of the functions that look up a target for its first call.
const RESOLVER: &[u8] = b"_dl_runtime_resolve";

/// The jumps of a dump, and the functions that they lead to.
#[derive(Debug, Default)]
pub(crate) struct Jumps {
    /// The function whose lines follow, if it is a jump.
    jump: Option<NameId>,
    /// Targets by jumps.
    targets: HashMap<NameId, NameId>,
}

impl Jumps {
    /// Reads the name of a called function, or of the function whose lines follow.
    pub(crate) fn read(&mut self, spec: NameSpec, name: NameId, names: &Names) {
        let text = names.text(name);
        let is_jump = text.ends_with(MARK);
        if spec == NameSpec::Function {
            self.jump = is_jump.then_some(name);
        } else if let Some(jump) = self.jump {
            // The first call leads through another jump, or to the function that looks up the target
            if !is_jump && (!text.starts_with(RESOLVER) || !self.targets.contains_key(&jump)) {
                self.targets.insert(jump, name);
            }
        }
    }

    /// Returns the new names of the jumps. One without a target has none.
    pub(crate) fn names(self, names: &Names) -> Vec<(NameId, Vec<u8>)> {
        let rename = |(jump, target): (_, NameId)| {
            let target = names.text(target);
            let end = target.iter().position(|byte| *byte == b'@').unwrap_or(target.len());
            (jump, [&target[..end], LINKAGE.as_bytes()].concat())
        };
        self.targets.into_iter().map(rename).collect()
    }
}
