//! A case that a server runs in its own process.

use iai_callgrind_plan::protocol::{Message, ServerCommand, Start, Token};
use iai_callgrind_process::FIRST_ID;

use crate::active::Walk;
use crate::captured::capture_number;
use crate::cases::{CaseEnd, CaseEvent, Killed, NotReached};
use crate::turns::{self, Turns, is_on_walk, not_reached};

/// A case that a server runs in its own process.
#[derive(Debug, Clone, Copy)]
pub(crate) struct AloneCase {
    pub(crate) case: usize,
    /// The case has a place.
    pub(crate) enter: bool,
    pub(crate) start: Start,
    /// Other cases run at the same time.
    pub(crate) in_parallel: bool,
}

impl Turns<'_, '_> {
    /// Runs a case in the server's process until the process exits, in its directory if it has one.
    /// Returns `None` if the process exited before it received the command, and otherwise the event
    /// of the end.
    pub(crate) fn run_itself(mut self, alone: AloneCase) -> Option<CaseEvent> {
        let AloneCase { case, enter, start, in_parallel } = alone;
        let command = turns::command(start, capture_number(case), enter);
        let command = ServerCommand { alone: true, ..command };
        let token = command.token;
        self.server.command(&command)?;
        let server = self.server.process.id();
        let own_id = if self.server.is_isolated { FIRST_ID } else { server };
        let mut pid = server;
        self.token = token;
        self.start_itself(case);
        let mut event = None;
        while let Some((found, message)) = self.message() {
            match message {
                // That of the warm-up
                Message::Region { pid: 0, .. } if found == Token::START => {
                    if is_on_walk(start) {
                        self.active.remove(&server);
                        self.walk = Some(Walk::of_itself(case));
                    }
                }
                Message::Turn { forked: 0, .. } if found == token && self.walk.is_some() => {
                    self.reach_itself(case);
                }
                // Another process that returned from the case has another id
                Message::Region { pid: inner, .. }
                    if found == token && inner != own_id && !self.server.foreign_ids => {}
                Message::Region { pid: inner, region, is_unordered }
                    if found == token && !self.regions.contains_key(&(token, server)) =>
                {
                    pid = inner;
                    self.reach_end(server, token, region, is_unordered);
                }
                Message::Turn { forked, .. } if found == token && event.is_none() => {
                    event = not_reached(forked);
                }
                _ => _ = self.server.reject::<()>(),
            }
        }
        let event = event.or_else(|| self.walk.take()?.exceeded.map(NotReached::Exceeded));
        let region = self.regions.remove(&(token, server));
        let exceeded = self.active.remove(&server).and_then(|active| active.exceeded);
        let foreign = self.server.is_foreign.then_some(Killed::ForForeignMessage);
        let killed = exceeded.map(Killed::Exceeded).or(foreign);
        let status = self.server.end()?;
        Some(match event {
            Some(reason) => CaseEvent::NotReached { case, reason },
            None => CaseEvent::Ended(CaseEnd {
                case,
                pid,
                isolated: None,
                status,
                killed,
                in_parallel,
                region,
            }),
        })
    }
}
