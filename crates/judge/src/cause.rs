//! The class of a change's cause: all evidence about it in, one decision out.
//!
//! The evidence is, in the order of its weight:
//! * *layout*: the change is gone in other orders of the functions ([`crate::step`]);
//! * *waiting*: the time that a change takes is not the program's own on the processor, but the
//!   kernel's, or nobody's;
//! * *hunks*: the parts of the difference that make the change, proved by programs with and without
//!   them ([`crate::hunks`]), or else all parts;
//! * *functions*: those that execute more or fewer instructions, with what the difference says of
//!   each: touched or not, and with equal machine code or not.
//!
//! A class that rests on a proof is proved; one that rests on what is merely usual is likely.

use serde::{Deserialize, Serialize};
use stats::interval::{Interval, ratio, sum};
use toolchains::source_change::FileRole;

use crate::step::{EXPLAINED, Origin, is_equal_count};

/// The class of the cause of a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum CauseClass {
    /// A function that the change touches does more or less.
    Source,
    /// A function that nobody touched has other machine code.
    CompiledOtherwise,
    /// The same code lies elsewhere.
    Layout,
    /// A dependency, the compiler, or the way of building changed.
    Dependency,
    /// A file that the program reads changed.
    Input,
    /// The time is not the program's own on the processor: it waits, or the kernel works for it.
    Waiting,
    /// The evidence does not decide.
    Open,
}

/// The certainty of a class.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Certainty {
    /// Programs with and without the cause show it.
    Proved,
    /// It is what the evidence usually means.
    Likely,
}

/// The machine code of a function in the new program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum CodeChange {
    /// It is the same but for addresses.
    Same,
    /// It differs.
    Other,
    /// Only one of the programs has the function.
    OneSided,
    /// It cannot be read.
    Unread,
}

/// A function whose cost changed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FunctionEvidence {
    /// Its share of the change of all functions; negative if it works against that.
    pub share: f64,
    /// True if the difference touches its text.
    pub touched: bool,
    /// Its machine code.
    pub code: CodeChange,
}

/// The least shares of a change of wall time, or of processor time, that are certain.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TimeParts {
    /// The share that is not the program's own work on the processor.
    pub waiting: f64,
    /// The share that is.
    pub own: f64,
}

impl TimeParts {
    /// The shares, from three changes in seconds: of the whole time, of the time of the program's own
    /// code on a processor, and of its waiting for a processor that others have. The rest is the
    /// kernel's work for it, or nobody's. `None` if the time may not have changed.
    pub fn from_intervals(whole: Interval, own: Interval, queued: Interval) -> Option<Self> {
        if !whole.excludes_zero() {
            return None;
        }
        let along = |change: Interval| if whole.low > 0.0 { change } else { change.negated() };
        let (whole, own) = (along(whole), along(own));
        // What was gained elsewhere makes up for no part of the change.
        let busy = sum(own, along(queued).at_least(0.0));
        let share = |part: f64| part.clamp(0.0, 1.0);
        Some(Self {
            waiting: ratio(busy, whole).map_or(0.0, |busy| share(1.0 - busy.high)),
            own: ratio(own, whole).map_or(0.0, |own| share(own.low)),
        })
    }

    /// The shares if the program's own time is everything but the one that they were found for.
    #[must_use]
    pub fn of_the_rest(self) -> Self {
        Self { waiting: self.own, own: self.waiting }
    }

    /// The shares that are certain by one or the other evidence.
    #[must_use]
    pub fn also(self, other: Self) -> Self {
        Self { waiting: self.waiting.max(other.waiting), own: self.own.max(other.own) }
    }
}

/// The evidence about the cause of a change of a metric between two commits.
#[derive(Debug, Clone, PartialEq)]
pub struct CauseEvidence {
    /// The origin of the change, if it was examined.
    pub origin: Option<Origin>,
    /// The newer value of the metric over the older one.
    pub ratio: f64,
    /// The ratio of the instructions; `None` if not counted.
    pub instructions: Option<f64>,
    /// The parts of the change of a time; `None` in other metrics.
    pub parts: Option<TimeParts>,
    /// The roles of the files with the hunks that are proved to make the change, or else of all
    /// files that differ and could matter.
    pub roles: Vec<FileRole>,
    /// Set if these hunks are proved.
    pub is_proved: bool,
    /// Set if these hunks change only hints for the compiler.
    pub is_hint: bool,
    /// Set if the body of a touched function may be a part of other functions: it did not run by
    /// itself.
    pub may_be_inlined: bool,
    /// Set if the change is gone in programs whose compiler decides otherwise on units and inlining.
    pub is_undone: bool,
    /// The functions, the largest share first.
    pub functions: Vec<FunctionEvidence>,
}

/// The class, and its certainty unless it is open.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CauseDecision {
    /// The class.
    pub class: CauseClass,
    /// The certainty; `None` if the class is open.
    pub certainty: Option<Certainty>,
}

/// The least part of a change that a change of the instructions must reach to stand for it in a search:
/// a program that executes more may also miss the caches more.
const STANDS: f64 = 0.25;

/// True if the instructions change in the direction of a metric, and by enough to stand for it.
pub fn stand_for(instructions: f64, ratio: f64) -> bool {
    !is_equal_count(instructions) && instructions.ln() / ratio.ln() >= STANDS
}

/// The least share of a change that decides whether the program waits.
const DECIDES: f64 = 0.5;

impl CauseEvidence {
    /// The decision.
    pub fn decide(&self) -> CauseDecision {
        let class = self.class();
        let certainty = match class {
            CauseClass::Open => None,
            CauseClass::Layout => Some(Certainty::Proved),
            CauseClass::CompiledOtherwise if self.is_undone => Some(Certainty::Proved),
            _ if self.is_proved => Some(Certainty::Proved),
            _ => Some(Certainty::Likely),
        };
        CauseDecision { class, certainty }
    }

    /// True if programs that are compiled otherwise can tell more: a function that nobody touched
    /// has other machine code.
    pub fn asks_for_counter_builds(&self) -> bool {
        let is_untouched =
            |lead: &FunctionEvidence| !lead.touched && lead.code == CodeChange::Other;
        match self.class() {
            CauseClass::CompiledOtherwise => true,
            CauseClass::Source => self.functions.first().is_some_and(is_untouched),
            _ => false,
        }
    }

    fn class(&self) -> CauseClass {
        let is_equal_work = self.instructions.is_some_and(is_equal_count);
        if self.origin == Some(Origin::Layout) {
            return CauseClass::Layout;
        }
        if let Some(parts) = self.parts.filter(|_| !self.is_explained_by_counts()) {
            if parts.waiting > DECIDES {
                return CauseClass::Waiting;
            }
            // Neither is certain, and the instructions do not tell.
            if parts.own <= DECIDES && self.instructions.is_some() {
                return CauseClass::Open;
            }
        }
        // Equal work that takes another time may still be due to layout.
        if is_equal_work && self.origin != Some(Origin::Source) {
            return CauseClass::Open;
        }
        let has = |role| self.roles.contains(&role);
        match () {
            () if has(FileRole::Source) => self.class_of_source(),
            () if has(FileRole::Build) => CauseClass::Dependency,
            () if has(FileRole::Data) => CauseClass::Input,
            () => CauseClass::Open,
        }
    }

    /// True if the instructions change in the direction of the metric, and by enough.
    fn is_explained_by_counts(&self) -> bool {
        let counted = self.instructions.filter(|count| !is_equal_count(*count));
        counted.is_some_and(|count| count.ln() / self.ratio.ln() >= EXPLAINED)
    }

    /// The class if sources are among what changed.
    fn class_of_source(&self) -> CauseClass {
        let is_alone = self.roles.iter().all(|role| *role == FileRole::Source);
        if self.is_hint {
            return CauseClass::CompiledOtherwise;
        }
        match self.functions.first() {
            Some(lead) if lead.touched => CauseClass::Source,
            // Other files that changed could be the cause just as well.
            _ if !is_alone && !self.is_proved => CauseClass::Open,
            Some(lead) if lead.code == CodeChange::Other => {
                match self.may_be_inlined && !self.is_undone {
                    true => CauseClass::Source,
                    false => CauseClass::CompiledOtherwise,
                }
            }
            // Untouched code that does more is called more often, by what was touched.
            Some(_) => CauseClass::Source,
            None if self.is_proved || self.instructions.is_some() => CauseClass::Source,
            None => match self.origin {
                Some(Origin::Source) => CauseClass::Source,
                _ => CauseClass::Open,
            },
        }
    }
}

/// The part of a change up to which it counts as gone.
const GONE: f64 = 0.2;

/// The part of a change that remains in two programs that were compiled otherwise: the counts of both
/// commits, as usually compiled and otherwise. Absolute counts are compared, because without inlining
/// everything takes more.
pub fn remaining(usual: [u64; 2], otherwise: [u64; 2]) -> f64 {
    let change = |[old, new]: [u64; 2]| new as f64 - old as f64;
    change(otherwise) / change(usual)
}

/// True if a change of which this part remains is gone.
pub fn is_gone(remains: f64) -> bool {
    remains.abs() <= GONE
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source() -> CauseEvidence {
        CauseEvidence {
            origin: Some(Origin::Source),
            ratio: 1.061,
            instructions: Some(1.06),
            parts: Some(TimeParts { waiting: 0.0, own: 0.8 }),
            roles: vec![FileRole::Source],
            is_proved: true,
            is_hint: false,
            may_be_inlined: false,
            is_undone: false,
            functions: vec![function(true, CodeChange::Other)],
        }
    }

    fn waiting(waiting: f64) -> Option<TimeParts> {
        Some(TimeParts { waiting, own: 0.1 })
    }

    fn function(touched: bool, code: CodeChange) -> FunctionEvidence {
        FunctionEvidence { share: 0.97, touched, code }
    }

    #[test]
    fn each_class_has_its_evidence() {
        use CauseClass::{CompiledOtherwise, Dependency, Input, Layout, Open, Source, Waiting};
        let with = |functions: &[FunctionEvidence]| functions.to_vec();
        let untouched = with(&[function(false, CodeChange::Other)]);
        let called = with(&[function(false, CodeChange::Same)]);
        let (build, data) = (vec![FileRole::Build], vec![FileRole::Data]);
        let both = vec![FileRole::Source, FileRole::Build];
        for (case, evidence, class) in [
            ("a touched function does more", source(), Source),
            (
                "gone in other layouts",
                CauseEvidence { origin: Some(Origin::Layout), ..source() },
                Layout,
            ),
            (
                "untouched, with other code",
                CauseEvidence { functions: untouched.clone(), ..source() },
                CompiledOtherwise,
            ),
            (
                "untouched, and it may contain what was touched",
                CauseEvidence { functions: untouched.clone(), may_be_inlined: true, ..source() },
                Source,
            ),
            (
                "untouched, it may contain what was touched, but inlining makes the change",
                CauseEvidence {
                    functions: untouched.clone(),
                    may_be_inlined: true,
                    is_undone: true,
                    ..source()
                },
                CompiledOtherwise,
            ),
            (
                "untouched, and called more often",
                CauseEvidence { functions: called.clone(), ..source() },
                Source,
            ),
            ("only hints", CauseEvidence { is_hint: true, ..source() }, CompiledOtherwise),
            (
                "the build",
                CauseEvidence { roles: build.clone(), functions: untouched.clone(), ..source() },
                Dependency,
            ),
            ("data", CauseEvidence { roles: data, functions: called, ..source() }, Input),
            (
                "the program waits",
                CauseEvidence { parts: waiting(0.9), instructions: Some(1.002), ..source() },
                Waiting,
            ),
            (
                "it waits on a busy machine",
                CauseEvidence { parts: waiting(0.9), ..source() },
                Source,
            ),
            (
                "it is not certain that it waits",
                CauseEvidence { parts: waiting(0.3), instructions: Some(1.002), ..source() },
                Open,
            ),
            (
                "as many instructions, and layouts do not confirm it",
                CauseEvidence { instructions: Some(1.0), origin: Some(Origin::Open), ..source() },
                Open,
            ),
            (
                "as many instructions, confirmed in layouts",
                CauseEvidence { instructions: Some(1.0), ..source() },
                Source,
            ),
            (
                "sources and the build, not told apart",
                CauseEvidence {
                    roles: both.clone(),
                    is_proved: false,
                    functions: untouched,
                    ..source()
                },
                Open,
            ),
            (
                "sources and the build, and a touched function does more",
                CauseEvidence { roles: both, is_proved: false, ..source() },
                Source,
            ),
            (
                "nothing that could matter differs",
                CauseEvidence { roles: vec![], ..source() },
                Open,
            ),
            (
                "nothing but a time",
                CauseEvidence {
                    instructions: None,
                    origin: Some(Origin::Open),
                    functions: vec![],
                    is_proved: false,
                    ..source()
                },
                Open,
            ),
        ] {
            assert_eq!(evidence.decide().class, class, "{case}");
        }
    }

    #[test]
    fn a_change_is_gone_if_hardly_any_instruction_of_it_remains() {
        for (otherwise, remains, gone) in [
            ([3000, 3000], 0.0, true),
            ([3000, 3020], 0.2, true),
            ([3000, 3100], 1.0, false),
            ([1000, 900], -1.0, false),
        ] {
            let found = remaining([1000, 1100], otherwise);
            assert!((found - remains).abs() < 1e-12, "{otherwise:?}: {found}");
            assert_eq!(is_gone(found), gone, "{otherwise:?}");
        }
    }

    #[test]
    fn compilers_are_asked_only_about_code_that_nobody_touched() {
        let untouched = vec![function(false, CodeChange::Other)];
        let evidence = CauseEvidence { functions: untouched, ..source() };
        assert!(evidence.asks_for_counter_builds());
        assert!(
            CauseEvidence { may_be_inlined: true, ..evidence.clone() }.asks_for_counter_builds()
        );
        assert!(!source().asks_for_counter_builds());
        let build = CauseEvidence { roles: vec![FileRole::Build], ..evidence };
        assert!(!build.asks_for_counter_builds());
    }

    #[test]
    fn the_parts_of_a_change_are_what_its_intervals_leave_certain() {
        let interval = |low, estimate, high| Interval { estimate, low, high };
        let parts = |wall, own, queued| TimeParts::from_intervals(wall, own, queued);
        let exactly = |estimate| interval(estimate, estimate, estimate);
        // Of 12 s more, 3 s are its own, and 1 s is others': exactly, then within errors.
        let wall = interval(10.0, 12.0, 14.0);
        let found = parts(exactly(12.0), exactly(3.0), exactly(1.0)).expect("a change");
        assert!((found.waiting - 2.0 / 3.0).abs() < 1e-12 && (found.own - 0.25).abs() < 1e-12);
        let found =
            parts(wall, interval(2.0, 3.0, 4.0), interval(0.0, 1.0, 2.0)).expect("a change");
        // If all errors were at their worst at once, 6 of 10 s could be busy, and 2 of 14 its own.
        assert!(0.4 < found.waiting && found.waiting < 2.0 / 3.0, "{found:?}");
        assert!(2.0 / 14.0 < found.own && found.own < 0.25, "{found:?}");
        // The same, faster.
        let faster =
            [wall, interval(2.0, 3.0, 4.0), interval(0.0, 1.0, 2.0)].map(Interval::negated);
        assert_eq!(parts(faster[0], faster[1], faster[2]), Some(found));
        // Less of others' time leaves no more to wait for.
        let found = parts(exactly(12.0), exactly(3.0), exactly(-5.0)).expect("a change");
        assert!((found.waiting - 0.75).abs() < 1e-12);
        // Its own time may explain everything, or nothing.
        let found = parts(wall, interval(-1.0, 9.0, 20.0), exactly(0.0)).expect("a change");
        assert_eq!(found, TimeParts { waiting: 0.0, own: 0.0 });
        assert_eq!(parts(interval(-1.0, 8.0, 14.0), exactly(1.0), exactly(0.0)), None);
        let poorly = parts(interval(1.0, 12.0, 30.0), exactly(1.0), exactly(0.0));
        assert_eq!(poorly, Some(TimeParts { waiting: 0.0, own: 0.0 }), "little is certain");
        // The kernel's time is known better than the program's own.
        let by_own = parts(wall, interval(-4.0, 1.0, 9.0), exactly(0.0)).expect("a change");
        let by_kernel = parts(wall, exactly(11.0), exactly(0.0)).expect("a change");
        let both = by_own.also(by_kernel.of_the_rest());
        assert!((both.waiting - 11.0 / 14.0).abs() < 0.01 && both.own == 0.0, "{both:?}");
    }

    #[test]
    fn counts_stand_for_a_change_in_their_direction_and_by_a_quarter() {
        for (instructions, ratio, stands) in [
            (1.06, 1.06, true),
            (1.02, 1.06, true),
            (1.01, 1.06, false),
            (0.9, 1.06, false),
            (1.0005, 1.001, false),
            (0.7, 0.5, true),
        ] {
            assert_eq!(stand_for(instructions, ratio), stands, "{instructions} {ratio}");
        }
    }

    #[test]
    fn only_proofs_make_a_class_certain() {
        assert_eq!(source().decide().certainty, Some(Certainty::Proved));
        let unproved = CauseEvidence { is_proved: false, ..source() };
        assert_eq!(unproved.decide().certainty, Some(Certainty::Likely));
        let open = CauseEvidence { roles: vec![], ..source() };
        assert_eq!(open.decide().certainty, None);
    }
}
