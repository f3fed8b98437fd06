//! What changed in a binding, in the terms of those who wrote it.

use super::facts::{Allocates, Facts};
use crate::causes::Cause;

/// One thing that changed in a binding from before to after.
#[derive(Debug, Clone, PartialEq)]
pub enum Change {
    /// Another binding's code is in it now, and it calls that one no more.
    Inlines {
        /// The other binding, for people.
        what: String,
        /// Why it was not before, as far as the dumps tell.
        reasons: Vec<Reason>,
    },
    /// Another binding's code was in it, and is called now.
    NoLongerInlines {
        /// The other binding, for people.
        what: String,
        /// Why, as far as the dumps tell.
        reasons: Vec<Reason>,
    },
    /// It calls a copy of a function that was made for its types.
    Specialised {
        /// The function, for people.
        what: String,
    },
    /// It called such a copy, and calls the overloaded function now.
    NoLongerSpecialised {
        /// The function, for people.
        what: String,
    },
    /// GHC split it into a worker, which takes parts of its arguments, and a wrapper.
    Split,
    /// It was split, and is not any more.
    NoLongerSplit,
    /// How many arguments it takes before it does work.
    Arity {
        /// The function within, where it is about one.
        of: Option<String>,
        /// Before.
        before: u32,
        /// After.
        after: u32,
    },
    /// How many parameters are passed without a box.
    Unboxed {
        /// Before.
        before: u32,
        /// After.
        after: u32,
    },
    /// How many parameters are dictionaries of classes.
    Dictionaries {
        /// Before.
        before: u32,
        /// After.
        after: u32,
    },
    /// Whether it is given what comes next, as a function that it calls with its result.
    Continuation {
        /// Whether it is after the change.
        now: bool,
    },
    /// Whether it gives back a function that it makes after some work.
    GivesFunction {
        /// Whether it does so after the change.
        now: bool,
    },
    /// Whether a function within is a join point, which is not allocated.
    JoinPoint {
        /// The function.
        of: String,
        /// Whether it is one after the change.
        now: bool,
    },
    /// How many calls are of functions that are arguments or parts of data.
    UnknownCalls {
        /// Before.
        before: u32,
        /// After.
        after: u32,
    },
    /// Whether a value within, with a name of the source, is made before it is used.
    Keeps {
        /// The value.
        what: String,
        /// Whether it is after the change.
        now: bool,
    },
    /// How many places of its body allocate.
    Allocates {
        /// Before.
        before: Allocates,
        /// After.
        after: Allocates,
    },
    /// Whether an argument is certainly needed.
    Strict {
        /// Its number, from 1.
        argument: usize,
        /// Whether it is after the change.
        now: bool,
    },
    /// Its pragma.
    Pragma {
        /// Before.
        before: Option<String>,
        /// After.
        after: Option<String>,
    },
    /// Whether it calls itself.
    Recursive {
        /// Whether it does after the change.
        now: bool,
    },
    /// It uses other functions.
    Uses {
        /// What it used and does not use any more; names for people.
        before: Vec<String>,
        /// What it uses and did not use before; names for people.
        after: Vec<String>,
        /// Whether one of the program's own is among them that only one of the builds has: then the
        /// source is another one.
        rewritten: bool,
    },
    /// Whether something shows in it that is known to cost.
    Cause {
        /// What.
        cause: &'static Cause,
        /// Whether it does after the change.
        now: bool,
        /// Whether the binding itself came or went with it.
        whole: bool,
    },
    /// Something else.
    Body,
}

/// Why something is not inlined.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reason {
    /// A pragma forbids it now.
    Forbidden,
    /// A pragma asked for it, and is gone.
    NotAskedFor,
    /// It calls itself, directly or through others, and did not where it was there before.
    BreaksLoop,
    /// It is larger, in GHC's count for inlining.
    Grew {
        /// Before.
        before: u32,
        /// After.
        after: u32,
    },
    /// Its definition in the source is longer, in lines.
    Longer {
        /// Before.
        before: u32,
        /// After.
        after: u32,
    },
    /// Its module exports it, so that its code stays although it is used once.
    Exported,
    /// It is too large to be inlined; its size in GHC's count for inlining.
    Large {
        /// The size.
        size: u32,
    },
}

/// Which way a change usually moves the cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Tends {
    /// Less work.
    Down,
    /// More work.
    Up,
    /// Either.
    Either,
}

impl Change {
    /// Which way it usually moves the cost.
    #[must_use]
    pub fn tends(&self) -> Tends {
        let less = |is_less: bool| if is_less { Tends::Down } else { Tends::Up };
        match self {
            Self::Inlines { .. } | Self::Specialised { .. } | Self::Split => Tends::Down,
            Self::NoLongerInlines { .. }
            | Self::NoLongerSpecialised { .. }
            | Self::NoLongerSplit => Tends::Up,
            Self::Arity { before, after, .. } | Self::Unboxed { before, after } => {
                less(after > before)
            }
            Self::Dictionaries { before, after } | Self::UnknownCalls { before, after } => {
                less(after < before)
            }
            Self::GivesFunction { now } | Self::Continuation { now } => less(!now),
            Self::JoinPoint { now, .. } | Self::Strict { now, .. } => less(*now),
            Self::Allocates { before, after } => match after.sum().cmp(&before.sum()) {
                std::cmp::Ordering::Less => Tends::Down,
                std::cmp::Ordering::Greater => Tends::Up,
                std::cmp::Ordering::Equal => Tends::Either,
            },
            Self::Recursive { now } | Self::Cause { now, .. } | Self::Keeps { now, .. } => {
                less(!now)
            }
            Self::Pragma { .. } | Self::Uses { .. } | Self::Body => Tends::Either,
        }
    }

    /// How much it explains where several things changed at once: causes before what follows from them.
    #[must_use]
    pub fn weight(&self) -> u32 {
        match self {
            Self::NoLongerSpecialised { .. } | Self::Specialised { .. } => 120,
            Self::Dictionaries { .. } => 110,
            Self::NoLongerInlines { reasons, .. } if reasons.is_empty() => 65,
            Self::NoLongerInlines { reasons, .. } | Self::Inlines { reasons, .. } => {
                let is_telling = |reason: &Reason| {
                    !matches!(reason, Reason::Large { .. } | Reason::Longer { .. })
                };
                if reasons.iter().any(is_telling) { 100 } else { 90 }
            }
            // From 77 to 99, by what is known of them. Code that goes elsewhere takes them along, so
            // what went says more than what came.
            Self::Cause { cause, now, .. } => {
                (if *now { 77 } else { 80 }) + (19.0 * cause.explains) as u32
            }
            // What callers put off, and which boxes they make, follows from how a function is called.
            Self::GivesFunction { .. } => 100,
            // A difference list looks the same.
            Self::Continuation { .. } => 92,
            Self::Arity { before: 0, .. } | Self::Arity { after: 0, .. } => 40,
            Self::Uses { rewritten: true, .. } => 85,
            Self::Arity { of: None, .. } => 80,
            Self::Arity { .. } | Self::Unboxed { .. } => 70,
            Self::Split | Self::NoLongerSplit | Self::JoinPoint { .. } => 60,
            Self::Uses { before, after, .. } if !before.is_empty() && !after.is_empty() => 55,
            Self::Pragma { .. } | Self::Strict { .. } | Self::Recursive { .. } => 50,
            Self::Keeps { .. } => 45,
            Self::UnknownCalls { .. } => 40,
            Self::Uses { .. } => 30,
            Self::Allocates { .. } => 20,
            Self::Body => 0,
        }
    }
}

impl Allocates {
    /// All places.
    #[must_use]
    pub fn sum(&self) -> u32 {
        self.functions + self.thunks + self.constructors
    }

    fn is_like(&self, other: &Self) -> bool {
        (self.functions, self.constructors) == (other.functions, other.constructors)
            && (self.thunks == other.thunks || self.is_exact != other.is_exact)
    }
}

/// What two versions of a binding say of themselves.
pub(super) fn of_facts(before: &Facts, after: &Facts) -> Vec<Change> {
    let mut changes = Vec::new();
    // Otherwise the arguments are other ones.
    let is_called_alike =
        before.dictionaries == after.dictionaries && before.is_continued == after.is_continued;
    if let (Some(before), Some(after)) = (before.arity, after.arity)
        && before != after
        && is_called_alike
    {
        changes.push(Change::Arity { of: None, before, after });
    }
    if before.unboxed != after.unboxed {
        changes.push(Change::Unboxed { before: before.unboxed, after: after.unboxed });
    }
    let dictionaries = (before.dictionaries, after.dictionaries);
    // A worker whose wrapper is gone has lost the type that names its classes, and nothing else.
    let takes_as_many = before.own_arity.is_some() && before.own_arity == after.own_arity;
    if dictionaries.0 != dictionaries.1 && !takes_as_many {
        changes.push(Change::Dictionaries { before: dictionaries.0, after: dictionaries.1 });
    }
    if before.is_continued != after.is_continued {
        changes.push(Change::Continuation { now: after.is_continued });
    }
    if before.gives_function != after.gives_function {
        changes.push(Change::GivesFunction { now: after.gives_function });
    }
    inner(before, after, &mut changes);
    if before.is_recursive != after.is_recursive {
        changes.push(Change::Recursive { now: after.is_recursive });
    }
    let asks = |facts: &Facts| facts.is_inline() || facts.is_noinline();
    if before.pragma != after.pragma && (asks(before) || asks(after)) {
        let pragma = |facts: &Facts| facts.pragma.clone().filter(|_| asks(facts));
        changes.push(Change::Pragma { before: pragma(before), after: pragma(after) });
    }
    if let (Some(ours), Some(theirs)) = (&before.strict, &after.strict)
        // With another number of arguments they are not the same ones.
        && ours.len() == theirs.len()
        && is_called_alike
    {
        let pairs = ours.iter().zip(theirs).enumerate();
        let moved = pairs.filter(|(_, (before, after))| before != after);
        changes.extend(
            moved.map(|(place, (_, now))| Change::Strict { argument: place + 1, now: *now }),
        );
    }
    // Calls of methods and of what comes next go along with these.
    if before.unknown_calls != after.unknown_calls && is_called_alike {
        let (before, after) = (before.unknown_calls, after.unknown_calls);
        changes.push(Change::UnknownCalls { before, after });
    }
    for (now, one, other) in [(false, before, after), (true, after, before)] {
        let only = one.values.difference(&other.values);
        changes.extend(only.map(|what| Change::Keeps { what: what.clone(), now }));
    }
    if !before.allocates.is_like(&after.allocates) {
        changes.push(Change::Allocates { before: before.allocates, after: after.allocates });
    }
    changes
}

/// What changed in functions within that both have.
fn inner(before: &Facts, after: &Facts, changes: &mut Vec<Change>) {
    for (name, ours) in &before.inner {
        let Some(theirs) = after.inner.get(name) else { continue };
        if ours.is_join_point != theirs.is_join_point {
            changes.push(Change::JoinPoint { of: name.clone(), now: theirs.is_join_point });
        }
        if let (Some(before), Some(after)) = (ours.arity, theirs.arity)
            && before != after
        {
            changes.push(Change::Arity { of: Some(name.clone()), before, after });
        }
    }
}

/// Why a binding may not be inlined. `before` is the one that was, where it was there.
pub(super) fn reasons(
    before: Option<&Facts>,
    after: &Facts,
    is_exported_alone: bool,
) -> Vec<Reason> {
    let mut reasons = Vec::new();
    if after.is_noinline() && !before.is_some_and(Facts::is_noinline) {
        reasons.push(Reason::Forbidden);
    }
    if before.is_some_and(Facts::is_inline) && !after.is_inline() {
        reasons.push(Reason::NotAskedFor);
    }
    if after.is_recursive && !before.is_some_and(|it| it.is_recursive) {
        reasons.push(Reason::BreaksLoop);
    }
    let size = after.inlining_size();
    match (before.and_then(Facts::inlining_size), size) {
        (Some(before), Some(after)) if after > before => {
            reasons.push(Reason::Grew { before, after });
        }
        _ => {}
    }
    if is_exported_alone {
        reasons.push(Reason::Exported);
    }
    if let (true, Some(size)) = (reasons.is_empty() && !after.is_inline(), size) {
        reasons.push(Reason::Large { size });
    }
    reasons
}
