//! The changes in a binding, in the terms of its authors.

use super::facts::{Allocates, Facts};
use crate::causes::Cause;

/// One change in a binding from before to after.
#[derive(Debug, Clone, PartialEq)]
pub enum Change {
    /// Another binding's code is now in it, and it does not call that one any more.
    Inlines {
        /// The other binding, for people.
        what: String,
        /// The reasons why it was not before, as far as the dumps show.
        reasons: Vec<Reason>,
    },
    /// Another binding's code was in it, which it now calls.
    NoLongerInlines {
        /// The other binding, for people.
        what: String,
        /// The reasons, as far as the dumps show.
        reasons: Vec<Reason>,
    },
    /// It calls a copy of a function specialised for its types.
    Specialised {
        /// The function, for people.
        what: String,
    },
    /// It called such a copy, and now calls the overloaded function.
    NoLongerSpecialised {
        /// The function, for people.
        what: String,
    },
    /// GHC split it into a worker, which takes parts of its arguments, and a wrapper.
    Split,
    /// It is not split into worker and wrapper any more.
    NoLongerSplit,
    /// The number of arguments that it takes before it does work.
    Arity {
        /// The nested function, if it is about one.
        of: Option<String>,
        /// Before.
        before: u32,
        /// After.
        after: u32,
    },
    /// The number of parameters passed without a box.
    Unboxed {
        /// Before.
        before: u32,
        /// After.
        after: u32,
    },
    /// The number of parameters that are dictionaries of classes.
    Dictionaries {
        /// Before.
        before: u32,
        /// After.
        after: u32,
    },
    /// It has a continuation as a parameter, or not any more.
    Continuation {
        /// Set if it has after the change.
        now: bool,
    },
    /// It returns a function that it makes after some work, or not any more.
    GivesFunction {
        /// Set if it does after the change.
        now: bool,
    },
    /// A nested function is a join point, which is not allocated, or not any more.
    JoinPoint {
        /// The function.
        of: String,
        /// Set if it is one after the change.
        now: bool,
    },
    /// The number of calls of functions that are arguments or parts of data.
    UnknownCalls {
        /// Before.
        before: u32,
        /// After.
        after: u32,
    },
    /// A nested value, with a name of the source, is made before its use, or not any more.
    Keeps {
        /// The value.
        what: String,
        /// Set if it is after the change.
        now: bool,
    },
    /// The number of places in its body that allocate.
    Allocates {
        /// Before.
        before: Allocates,
        /// After.
        after: Allocates,
    },
    /// An argument is certainly needed, or not any more.
    Strict {
        /// Its number, from 1.
        argument: usize,
        /// Set if it is after the change.
        now: bool,
    },
    /// Its pragma.
    Pragma {
        /// Before.
        before: Option<String>,
        /// After.
        after: Option<String>,
    },
    /// It is recursive, or not any more.
    Recursive {
        /// Set if it is after the change.
        now: bool,
    },
    /// It uses other functions.
    Uses {
        /// Functions that it no longer uses; names for people.
        before: Vec<String>,
        /// Functions that it did not use before; names for people.
        after: Vec<String>,
        /// Set if one of them is a function of the program that only one of the builds has: then
        /// the source has changed.
        rewritten: bool,
    },
    /// It shows a known cause of cost, or not any more.
    Cause {
        /// The cause.
        cause: &'static Cause,
        /// Set if it shows after the change.
        now: bool,
        /// Set if the binding itself came or went with it.
        whole: bool,
    },
    /// Any other change.
    Body,
}

/// The reason why a binding is not inlined.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reason {
    /// A pragma forbids it now.
    Forbidden,
    /// A pragma asked for inlining, and is gone.
    NotAskedFor,
    /// It is now recursive, directly or through others, and was not if it existed before.
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
    /// Its module exports it, so its code stays although it is used once.
    Exported,
    /// It is too large to be inlined; its size in GHC's count for inlining.
    Large {
        /// The size.
        size: u32,
    },
}

/// The usual effect of a change on the cost.
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
    /// Its usual effect on the cost.
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

    /// The weight of a change as an explanation among several: causes come before their
    /// consequences.
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
            // From 77 to 99, by the cause's `explains`. Code that goes elsewhere takes its causes
            // along, so a cause that went says more than one that came.
            Self::Cause { cause, now, .. } => {
                (if *now { 77 } else { 80 }) + (19.0 * cause.explains) as u32
            }
            // Thunks and boxes made by callers follow from the way a function is called.
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

/// The changes between the facts of two versions of a binding.
pub(super) fn of_facts(before: &Facts, after: &Facts) -> Vec<Change> {
    let mut changes = Vec::new();
    // Otherwise the arguments are different ones.
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
    // A worker whose wrapper is gone has only lost the type that names its classes.
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
        // With a different number of arguments they are not the same ones.
        && ours.len() == theirs.len()
        && is_called_alike
    {
        let pairs = ours.iter().zip(theirs).enumerate();
        let moved = pairs.filter(|(_, (before, after))| before != after);
        changes.extend(
            moved.map(|(place, (_, now))| Change::Strict { argument: place + 1, now: *now }),
        );
    }
    // Calls of methods and continuations follow these changes.
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

/// The changes in nested functions that both have.
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

/// The reasons why a binding may not be inlined. `before` are the facts of the one that was, if it
/// existed.
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
