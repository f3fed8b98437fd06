//! The record of an experiment: what was asked for, and what happened.
//!
//! A [`Commission`] is all that an executor needs, [`Event`]s are all that it told, and a report
//! follows from both. So an experiment may be run by one process and judged by another, today or in
//! a year. The store keeps records in tables; [`stream`] is the form in which they travel.

pub mod stream;

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::commission::{Commission, Kind};
use crate::json;
use crate::judge::stopping::StopReason;
use crate::note::Note;
use crate::report::document::{CheckPart, Document, TuningPart};
use crate::report::inspection::Inspection;
use crate::run::Run;
use crate::run::curve::Curve;
use crate::run::looks::{LookTaken, Pause};
use crate::run::output::Printed;
use crate::run::setup::SetupRun;
use crate::run::suite::lists::Lists;

/// Where and when an experiment was run, as it was read there.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Circumstances {
    /// When it began, in nanoseconds since 1970-01-01 UTC.
    pub started_unix_ns: u64,
    /// The version of the brisk that ran it.
    pub brisk_version: String,
    /// What the machine is.
    pub machine: Value,
    /// How it was.
    pub conditions: Value,
}

/// What happened while an experiment was run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "kebab-case")]
pub enum Event<'a> {
    /// An experiment began.
    Begun {
        /// What it is to find out, and how.
        #[serde(deserialize_with = "json::read_kept")]
        commission: Box<Commission>,
        /// Where and when.
        #[serde(deserialize_with = "json::read_kept")]
        circumstances: Box<Circumstances>,
    },
    /// Runs finished, in this order.
    Runs {
        /// Those runs.
        runs: Cow<'a, [Run]>,
    },
    /// A setup command was run.
    Setup(Cow<'a, SetupRun>),
    /// Something was sampled over the time of a run.
    Curves {
        /// Which variant ran.
        variant: u32,
        /// In which of the sampled rounds.
        round: u32,
        /// What was sampled.
        curves: Cow<'a, [Curve]>,
    },
    /// A harness measured something in a run.
    Measurements {
        /// Which variant ran.
        variant: u32,
        /// In which round.
        round: u32,
        /// What was measured.
        measurements: Lists,
    },
    /// A look was taken: what it allows follows from when it was, so that an experiment that goes on
    /// another day takes the same looks again.
    Look(LookTaken),
    /// Measuring went on after a pause, whose length nobody knows.
    Pause(Pause),
    /// A variant was run for what it prints.
    Printed(Cow<'a, Printed>),
    /// Whoever ran it noticed something.
    Noted {
        /// What.
        note: Cow<'a, Note>,
    },
    /// It ended.
    Ended(Stop),
    /// The verb added to the report what only it knows.
    #[serde(deserialize_with = "json::read_kept")]
    Added(Box<Addition>),
    /// Several experiments were put together as a history.
    History {
        /// What they say together.
        #[serde(deserialize_with = "json::read_kept")]
        document: Box<Document>,
    },
    /// Something was looked at, without runs.
    #[serde(deserialize_with = "json::read_kept")]
    Inspected(Box<Inspected>),
    /// What follows names this experiment, which travels by itself.
    Named(Identity),
}

/// What tells an experiment from every other, whichever stores have it under whichever numbers.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Identity {
    /// When it began, in nanoseconds since 1970-01-01 UTC, by the clock of its machine.
    pub started_unix_ns: u64,
    /// What asked for it.
    pub kind: Kind,
    /// What lists call it.
    pub title: String,
}

impl Event<'_> {
    /// Whose events begin here.
    pub fn identity(&self) -> Option<Identity> {
        let (circumstances, kind, title) = match self {
            Self::Begun { commission, circumstances } => {
                (&**circumstances, commission.kind, &commission.title)
            }
            Self::Inspected(inspected) => {
                (&inspected.circumstances, inspected.inspection.kind, &inspected.title)
            }
            _ => return None,
        };
        let started_unix_ns = circumstances.started_unix_ns;
        Some(Identity { started_unix_ns, kind, title: title.clone() })
    }
}

/// What was found by looking at something, once.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Inspected<I = Inspection> {
    /// What lists call it.
    pub title: String,
    /// The folder of the project that it is about.
    pub project: String,
    /// The command line after `brisk`.
    pub arguments: Vec<String>,
    /// The folder it was started in.
    pub cwd: String,
    /// Where and when.
    pub circumstances: Circumstances,
    /// When it ended, in nanoseconds since 1970-01-01 UTC.
    pub finished_unix_ns: u64,
    /// What was found.
    pub inspection: I,
}

/// What a verb adds to the report of its experiment.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Addition {
    /// What became of the expectations of `brisk.toml`.
    Check(CheckPart),
    /// What a runtime is best told.
    Tuning(TuningPart),
}

/// How an experiment ended.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Stop {
    /// Why.
    pub reason: StopReason,
    /// When, in nanoseconds since 1970-01-01 UTC.
    pub unix_ns: u64,
    /// The time of measuring, in seconds.
    pub elapsed_seconds: f64,
}

impl Addition {
    /// What a document has that its runs do not say.
    pub fn of(document: &Document) -> Option<Self> {
        let tuning = || document.sweep.as_ref()?.tuning.clone().map(Self::Tuning);
        document.check.clone().map(Self::Check).or_else(tuning)
    }

    /// Puts it into the document of the runs.
    pub fn put_in(self, document: &mut Document) {
        match (self, &mut document.sweep) {
            (Self::Check(check), _) => document.check = Some(check),
            (Self::Tuning(tuning), Some(sweep)) => sweep.tuning = Some(tuning),
            // Only a sweep is tuned.
            (Self::Tuning(_), None) => {}
        }
    }
}
