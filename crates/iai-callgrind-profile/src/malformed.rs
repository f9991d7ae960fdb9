//! Reasons why a line does not belong to a profile.

use iai_callgrind_plan::metric::AddError;

/// The reason why a line, or the file that ends with it, does not belong to a profile. Texts of the
/// file are quoted.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Malformed {
    /// The line is not complete.
    #[error("{0}")]
    Incomplete(&'static str),
    /// The line is not one of a header.
    #[error("{0} doesn't belong to a header")]
    NotInHeader(String),
    /// The line is not one of a body.
    #[error("{0} doesn't belong among the costs")]
    NotInBody(String),
    /// There are lines after the last one.
    #[error("the file goes on after its `totals:` line")]
    AfterEnd,
    /// There is no last line.
    #[error("the file ends before its `totals:` line")]
    EndsEarly,
    /// The format has a later version.
    #[error("version {0} of the format is not known")]
    UnknownVersion(String),
    /// The value of a header line is not a number.
    #[error("{value} of `{key}:` is not a number")]
    NotANumber {
        /// The key of the line.
        key: String,
        /// The value.
        value: String,
    },
    /// The meaning of a column of positions is not known.
    #[error("the position {0} is not known")]
    UnknownPosition(String),
    /// An event is not known.
    #[error("the event {0} is not known")]
    UnknownEvent(String),
    /// An event is listed twice.
    #[error("the event {0} is listed twice")]
    RepeatedEvent(String),
    /// No event is listed.
    #[error("`events:` lists no event")]
    NoEvent,
    /// The events are listed twice.
    #[error("the events are listed a second time")]
    RepeatedEvents,
    /// The header ends without events.
    #[error("the header has no `events:` line")]
    NoEvents,
    /// Counts come before their events.
    #[error("there is no `events:` line before this one")]
    EventsAfter,
    /// The description of a merged dump can't be parsed.
    #[error("{0} does not describe a part")]
    NotAPart(String),
    /// A word is not a count.
    #[error("{0} is not a count")]
    NotACount(String),
    /// The line has no count.
    #[error("there is no count in this line")]
    NoCount,
    /// The line has too many counts.
    #[error("there are {counts} counts for {events} events")]
    TooManyCounts {
        /// Number of counts.
        counts: usize,
        /// Number of events.
        events: usize,
    },
    /// A line of costs has too many counts.
    #[error("there are more counts than events")]
    MoreCountsThanEvents,
    /// The costs exceed the total.
    #[error("`{0}` is not the total of the costs")]
    NotTheTotal(u64),
    /// The sum of all costs is too large for metrics that are derived from it.
    #[error("the costs are too large to be added up")]
    CostsTooLarge,
    /// The numbers of calls exceed 64 bits.
    #[error("the calls exceed 64 bits")]
    CallsTooLarge,
    /// A call has no count.
    #[error("{0} has no count")]
    NoCallCount(String),
    /// A call has no target.
    #[error("there is no `cfn=` before this call")]
    NoTarget,
    /// A call has no caller.
    #[error("there is no `fn=` before this call")]
    NoCaller,
    /// Costs have no function.
    #[error("there is no `fn=` before these costs")]
    NoFunction,
    /// A name starts like one with a number, which it does not have.
    #[error("{0} is not a name id")]
    NotANameId(String),
    /// A number has no name.
    #[error("the dump does not have the name with this number")]
    UnknownName,
    /// There are too many names, or their numbers are too large.
    #[error("the number of a name is too large")]
    NameTooLarge,
    /// A word is not a position.
    #[error("{0} is not a position here")]
    NotAPosition(String),
    /// A position is missing.
    #[error("{0} lacks a position")]
    NoPosition(String),
    /// Profiles with different positions can't be merged.
    #[error("the positions `{here}` are not the `{others}` of the other profiles")]
    OtherPositions {
        /// The positions of this one.
        here: String,
        /// The positions of the others.
        others: String,
    },
    /// The counts of profiles can't be added.
    #[error("the costs can't be added to those of the other profiles: {0}")]
    NotAddable(AddError),
    /// The counts of the parts of a profile can't be added.
    #[error(transparent)]
    PartsNotAddable(AddError),
}
