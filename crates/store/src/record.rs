//! The record of an experiment: its commission and its events.
//!
//! A [`Commission`] is all that an executor needs, [`Event`]s are all that it reports, and a report
//! follows from both. So an experiment may be run by one process and judged by another, today or in
//! a year. The store keeps records in tables; [`stream`] is the form in which they travel.

pub mod stream;

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use findings::inspection::Inspection;
use findings::reach::ChangeReach;
use findings::{CheckFinding, Document, Finding, TuningFinding};
use model::commission::{Commission, Kind};
use model::design::stopping::StopReason;
use model::host::Circumstances;
use model::json;
use model::note::Note;
use model::run::Printed;
use model::run::Run;
use run::curve::Curve;
use run::finished::SetupRun;
use run::suite::listing::Lists;
use run::{LookTaken, Pause};

/// An event during an experiment.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "kebab-case")]
pub enum Event<'a> {
    /// An experiment began.
    Begun {
        /// The subject and method of the experiment.
        #[serde(deserialize_with = "json::read_kept")]
        commission: Box<Commission>,
        /// The machine, time and conditions.
        #[serde(deserialize_with = "json::read_kept")]
        circumstances: Box<Circumstances>,
    },
    /// Runs finished, in this order.
    Runs {
        /// The runs.
        runs: Cow<'a, [Run]>,
    },
    /// A setup command was run.
    Setup(Cow<'a, SetupRun>),
    /// A quantity was sampled over the time of a run.
    Curves {
        /// The variant that ran.
        variant: u32,
        /// The number of the sampled round.
        round: u32,
        /// The samples.
        curves: Cow<'a, [Curve]>,
    },
    /// A harness measured something in a run.
    Measurements {
        /// The variant that ran.
        variant: u32,
        /// The round.
        round: u32,
        /// The measurements.
        measurements: Lists,
    },
    /// A look was taken. What it permits depends on when it was taken, so that an experiment
    /// resumed on another day takes the same looks again.
    Look(LookTaken),
    /// Measuring continued after a pause of unknown length.
    Pause(Pause),
    /// A variant was run for its output.
    Printed(Cow<'a, Printed>),
    /// The executor noticed something.
    Noted {
        /// The note.
        note: Cow<'a, Note>,
    },
    /// The experiment ended.
    Ended(Stop),
    /// The verb added its part to the report.
    #[serde(deserialize_with = "json::read_kept")]
    Added(Box<Addition>),
    /// Several experiments were combined into a history.
    History {
        /// The combined results.
        #[serde(deserialize_with = "json::read_kept")]
        document: Box<Document>,
    },
    /// An inspection was made, without runs.
    #[serde(deserialize_with = "json::read_kept")]
    Inspected(Box<Inspected>),
    /// The events that follow refer to this experiment, which is sent separately.
    Named(Identity),
}

/// The key that identifies an experiment across stores, whatever its number there.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Identity {
    /// The start, in nanoseconds since 1970-01-01 UTC, by the clock of its machine.
    pub started_unix_ns: u64,
    /// The kind of experiment.
    pub kind: Kind,
    /// The title shown in lists.
    pub title: String,
}

impl Event<'_> {
    /// The identity of the experiment that begins with this event.
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

/// The results of an inspection.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Inspected<I = Inspection> {
    /// The title shown in lists.
    pub title: String,
    /// The folder of the inspected project.
    pub project: String,
    /// The command line after `brisk`.
    pub arguments: Vec<String>,
    /// The folder that brisk was started in.
    pub cwd: String,
    /// The machine, time and conditions.
    pub circumstances: Circumstances,
    /// The end, in nanoseconds since 1970-01-01 UTC.
    pub finished_unix_ns: u64,
    /// The results.
    pub inspection: I,
}

/// The part that a verb adds to the report of its experiment.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Addition {
    /// The outcome of the expectations of `brisk.toml`.
    Check(CheckFinding),
    /// The recommended settings of a runtime.
    Tuning(TuningFinding),
    /// The benchmarks of a suite that a change can affect.
    Reach(ChangeReach),
}

/// The end of an experiment.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Stop {
    /// The reason.
    pub reason: StopReason,
    /// The time, in nanoseconds since 1970-01-01 UTC.
    pub unix_ns: u64,
    /// The time spent measuring, in seconds.
    pub elapsed_seconds: f64,
}

impl Addition {
    /// The part of a document that does not follow from its runs.
    pub fn from_document(document: &Document) -> Option<Self> {
        let tuning = || document.sweep()?.tuning.clone().map(Self::Tuning);
        let reach = || document.suite()?.reach.clone().map(Self::Reach);
        document.check().cloned().map(Self::Check).or_else(tuning).or_else(reach)
    }

    /// Adds it to the document of the runs.
    pub fn put_in(self, document: &mut Document) {
        let found = std::mem::replace(&mut document.finding, Finding::Compare);
        document.finding = match (self, found) {
            (Self::Check(check), Finding::Bench { suite }) => {
                Finding::Check { check: Box::new(check), suite: Some(suite) }
            }
            (Self::Check(check), _) => Finding::Check { check: Box::new(check), suite: None },
            (Self::Tuning(tuning), Finding::Sweep { mut sweep }) => {
                sweep.tuning = Some(tuning);
                Finding::Tune { sweep }
            }
            (Self::Reach(reach), Finding::Bench { mut suite }) => {
                suite.reach = Some(reach);
                Finding::Bench { suite }
            }
            // Only sweeps have a tuning, and only suites a change.
            (Self::Tuning(_) | Self::Reach(_), found) => found,
        };
    }
}
