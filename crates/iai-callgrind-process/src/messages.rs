//! The pipe from a fork server. Benchmarks can write to it as well, so each byte is checked, and
//! the runner never waits for the rest of a message.

use std::io::{ErrorKind, Read};
use std::os::fd::AsFd;
use std::time::Duration;

use iai_callgrind_plan::protocol::{Message, Token};
use rustix::event::{PollFd, PollFlags, Timespec, poll};

/// The error of a benchmark, or of the code of a file, that writes to the harness's pipe.
pub const FOREIGN_MESSAGE: &str = "foreign bytes on file descriptor 201, which belongs to the harness\n\
                                   help: check code that writes to descriptors which it did not open";

/// The runner's end of the pipe from a fork server.
#[derive(Debug)]
pub struct MessagePipe<Pipe> {
    pipe: Pipe,
    bytes: [u8; Message::LENGTH],
    /// Number of bytes of a message that have arrived.
    length: usize,
    /// Text before a message is skipped, such as that of the file before the harness takes over the
    /// pipe.
    leaves_out_text: bool,
    /// A program that starts the server can write text at any time.
    has_foreign_text: bool,
}

/// The next piece of the pipe.
#[derive(Debug, PartialEq, Eq)]
pub enum Received {
    /// A message in reply to the command with this token.
    Message(Token, Message),
    /// No whole message in this time.
    Nothing,
    /// Bytes that no fork server writes, or only a part of a message: it writes whole ones.
    Foreign,
    /// The pipe is closed.
    End,
}

impl<Pipe: Read + AsFd> MessagePipe<Pipe> {
    /// Returns the pipe of a server. With `has_foreign_text`, a program that starts the server can write to it.
    pub fn new(pipe: Pipe, has_foreign_text: bool) -> Self {
        Self {
            pipe,
            bytes: [0; Message::LENGTH],
            length: 0,
            leaves_out_text: true,
            has_foreign_text,
        }
    }

    /// Reads from the pipe as soon as it has input, or after this time.
    pub fn receive(&mut self, patience: Duration) -> Received {
        if !self.has_input(patience) {
            // A program that starts the server can pass on what it writes in pieces
            let is_part = self.length > 0 && !self.has_foreign_text;
            return if is_part { Received::Foreign } else { Received::Nothing };
        }
        match self.pipe.read(&mut self.bytes[self.length..]) {
            Ok(0) => return Received::End,
            Ok(length) => self.length += length,
            Err(error) if error.kind() == ErrorKind::Interrupted => return Received::Nothing,
            Err(_) => return Received::End,
        }
        if self.leaves_out_text {
            self.leave_out_text();
        }
        let is_foreign = self.length > 0 && !Message::is_start(self.bytes[0]);
        if !is_foreign && self.length < Message::LENGTH {
            return Received::Nothing;
        }
        self.length = 0;
        self.leaves_out_text = self.has_foreign_text;
        match Message::decode(&self.bytes) {
            Some((token, message)) if !is_foreign => Received::Message(token, message),
            _ => Received::Foreign,
        }
    }

    /// Returns `true` if there is input within this time, or the other end is closed.
    pub fn has_input(&self, patience: Duration) -> bool {
        let patience = Timespec::try_from(patience).ok();
        let mut pipes = [PollFd::new(&self.pipe, PollFlags::IN)];
        poll(&mut pipes, patience.as_ref()).is_ok_and(|number| number > 0)
    }

    /// Removes the bytes before the start of a message.
    fn leave_out_text(&mut self) {
        let text = self.bytes[..self.length].iter().take_while(|byte| !Message::is_start(**byte));
        let text = text.count();
        self.bytes.copy_within(text..self.length, 0);
        self.length -= text;
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::net::Shutdown;
    use std::os::unix::net::UnixStream;

    use iai_callgrind_plan::protocol::BatchTime;

    use super::*;

    /// A message whose last byte is not that of the start of a message.
    const MESSAGE: Message = Message::Time {
        pid: 3,
        batch: BatchTime {
            calls: 1,
            wall: 2,
            cpu: u64::MAX,
            has_threads: false,
            measures_itself: false,
        },
    };

    fn message() -> [u8; Message::LENGTH] {
        MESSAGE.encode(token())
    }

    fn token() -> Token {
        Token::new(7)
    }

    /// Returns the results of these bytes, until nothing is left.
    fn received(foreign_text: bool, writes: &[&[u8]]) -> Vec<Received> {
        let (input, mut other_end) = UnixStream::pair().unwrap();
        let mut pipe = MessagePipe::new(input, foreign_text);
        let mut all = Vec::new();
        for bytes in writes {
            other_end.write_all(bytes).unwrap();
            while pipe.has_input(Duration::ZERO) {
                match pipe.receive(Duration::ZERO) {
                    Received::Nothing => {}
                    received => all.push(received),
                }
            }
        }
        let rest =
            if pipe.length > 0 && !foreign_text { Received::Foreign } else { Received::Nothing };
        assert_eq!(pipe.receive(Duration::ZERO), rest, "it does not wait");
        // A process that another test starts has a copy of the pipe until it runs its program
        other_end.shutdown(Shutdown::Write).unwrap();
        assert_eq!(pipe.receive(Duration::ZERO), Received::End);
        all
    }

    #[test]
    fn messages_come_in_any_pieces() {
        let message = message();
        let whole = || Received::Message(token(), MESSAGE);
        assert_eq!(received(false, &[&message, &message]), [whole(), whole()]);
        assert_eq!(received(false, &[&message[..1], &message[1..20], &message[20..]]), [whole()]);
        assert_eq!(received(false, &[&[message, message].concat()]), [whole(), whole()]);
    }

    #[test]
    fn the_rest_of_a_message_never_comes_later() {
        let (input, mut other_end) = UnixStream::pair().unwrap();
        let mut pipe = MessagePipe::new(input, false);
        other_end.write_all(&message()[..3]).unwrap();
        assert_eq!(pipe.receive(Duration::ZERO), Received::Nothing);
        assert_eq!(pipe.receive(Duration::ZERO), Received::Foreign);
    }

    #[test]
    fn text_is_left_out_only_where_programs_write_it() {
        let message = message();
        let whole = || Received::Message(token(), MESSAGE);
        let text = [b"text\n", &message[..]].concat();
        assert_eq!(received(true, &[&text, &text]), [whole(), whole()]);
        assert_eq!(received(false, &[b"te", b"xt", &message]), [whole()]);
        let after = received(false, &[&message, b"text"]);
        assert_eq!(after, [whole(), Received::Foreign]);
    }

    #[test]
    fn a_part_of_a_message_makes_the_next_one_foreign() {
        let message = message();
        for length in 1..message.len() {
            // No other process knows the token
            let part = &MESSAGE.encode(Token::START)[..length];
            let all = received(false, &[&message, part, &message]);
            // One with other values has another token as well
            let is_rejected = match all[1] {
                Received::Message(other, _) => other != token(),
                _ => all[1] == Received::Foreign,
            };
            assert!(is_rejected, "{length}: {all:?}");
        }
        let nonsense = [0xff; Message::LENGTH];
        assert_eq!(received(false, &[&message, &nonsense])[1], Received::Foreign);
    }
}
