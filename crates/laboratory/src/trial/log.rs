//! The log of a trial: everything that is known about it, as a ledger in its repository.
//!
//! The log alone decides. The reference to the incumbent is a copy of what it says, for people and
//! proposers, and is put right whenever a trial is opened. The level of a try is written down before
//! its first round, so a try that was killed has spent it, and nobody gets it twice.

use findings::brief::{Brief, TrialFacts};
use judge::trial::Decision;
use model::failure::{Failing, Failure};
use model::spec::project::TrialRules;
use prepare::Repository;
use prepare::ledger::{self, Ledger, LedgerState};
use serde::{Deserialize, Serialize};
use stats::online::{left, next_level};

/// The error that a whole trial may make.
pub(super) const ALPHA: f64 = 0.05;

/// The references of all trials.
const PREFIX: &str = "refs/brisk/trials/";

/// An entry of the log.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "entry", rename_all = "lowercase")]
pub(super) enum Entry {
    /// The trial began.
    Started(Started),
    /// Rounds of a proposal are about to begin.
    Begun {
        /// The probability of error that it is given.
        level: f64,
    },
    /// A proposal was decided on.
    Judged(Box<Judged>),
    /// The last state was compared with the first.
    Finished(Box<Brief>),
}

/// The beginning of a trial.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Started {
    /// The commit of the first state, from which benchmarks, checks and brisk.toml are taken.
    pub(super) first: String,
    /// The folder of the project in the repository.
    pub(super) place: String,
    /// The digest of everything besides the tree that a build depends on.
    pub(super) toolchain: String,
}

/// A decision on a proposal.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Judged {
    pub(super) decision: Decision,
    /// The number of its `Begun` entry among these, from 0; absent if nothing was measured.
    pub(super) begun: Option<usize>,
    /// The proposal as it was typed.
    pub(super) typed: String,
    /// The tree of the proposal on top of the incumbent; absent if it cannot be put there.
    pub(super) tree: Option<String>,
    /// The commit of that tree.
    pub(super) proposal: String,
    /// The incumbent that it was compared with.
    pub(super) incumbent: String,
    pub(super) brief: Brief,
}

/// A trial's log, as it was read.
pub(super) struct Log<'a> {
    repository: &'a Repository,
    pub(super) number: u32,
    state: LedgerState,
    pub(super) started: Started,
    pub(super) levels: Vec<f64>,
    pub(super) judged: Vec<Judged>,
    pub(super) finished: Option<Brief>,
}

/// The result of keeping a decision.
pub(super) enum Kept {
    Written,
    /// Another proposal was kept meanwhile.
    IncumbentMoved,
}

impl<'a> Log<'a> {
    /// Begins the next trial.
    pub(super) fn start(repository: &'a Repository, started: &Started) -> Result<u32, Failure> {
        loop {
            let number = last_number(repository)?.map_or(1, |last| last + 1);
            let entry = text(&Entry::Started(started.clone()))?;
            let ledger = Ledger::new(repository, log_name(number));
            if ledger.append(&LedgerState::default(), &entry, &[])? {
                copy_incumbent(repository, number, &started.first)?;
                return Ok(number);
            }
        }
    }

    /// The newest trial.
    pub(super) fn open(repository: &'a Repository) -> Result<Self, Failure> {
        let number = last_number(repository)?.ok_or_else(|| {
            Failure::new("no trial has begun in this repository")
                .hint(Some("`brisk try --start` begins one, by `[trial]` of brisk.toml"))
        })?;
        let log = Self::read(repository, number)?;
        copy_incumbent(repository, number, log.incumbent())?;
        Ok(log)
    }

    fn read(repository: &'a Repository, number: u32) -> Result<Self, Failure> {
        let state = Ledger::new(repository, log_name(number)).read()?;
        let damaged = || Failure::new(format!("the log of trial {number} is damaged"));
        let entries = state.texts.iter().map(|text| {
            let json = text.lines().last().unwrap_or_default();
            serde_json::from_str::<Entry>(json).map_err(|error| damaged().caused_by(&error))
        });
        let mut entries = entries.collect::<Result<Vec<_>, _>>()?.into_iter();
        let Some(Entry::Started(started)) = entries.next() else { return Err(damaged()) };
        let (mut levels, mut judged, mut finished) = (Vec::new(), Vec::new(), None);
        for entry in entries {
            match entry {
                Entry::Started(_) => return Err(damaged()),
                Entry::Begun { level } => levels.push(level),
                Entry::Judged(one) => judged.push(*one),
                Entry::Finished(brief) => finished = Some(*brief),
            }
        }
        Ok(Self { repository, number, state, started, levels, judged, finished })
    }

    /// The same trial, read again.
    fn again(&mut self) -> Result<(), Failure> {
        *self = Self::read(self.repository, self.number)?;
        Ok(())
    }

    /// The commit that proposals are compared with.
    pub(super) fn incumbent(&self) -> &str {
        let kept = self.kept().last();
        kept.map_or(&self.started.first, |judged| &judged.proposal)
    }

    /// The kept proposals, in their order.
    pub(super) fn kept(&self) -> impl DoubleEndedIterator<Item = &Judged> {
        self.judged.iter().filter(|judged| judged.decision == Decision::Keep)
    }

    /// The earlier answer on the same tree against the same incumbent; an open one is none.
    pub(super) fn earlier(&self, tree: &str) -> Option<&Judged> {
        let is_same = |judged: &&Judged| {
            judged.tree.as_deref() == Some(tree) && judged.incumbent == self.incumbent()
        };
        let mut earlier = self.judged.iter().rev().filter(is_same);
        earlier.find(|judged| judged.decision != Decision::Open)
    }

    /// For each level, in their order, true if the proposal was kept.
    fn findings(&self) -> Vec<bool> {
        let kept: Vec<usize> = self.kept().filter_map(|judged| judged.begun).collect();
        (0..self.levels.len()).map(|number| kept.contains(&number)).collect()
    }

    /// Writes down that rounds begin, and returns their level with its number.
    pub(super) fn begin(&mut self, rules: &TrialRules) -> Result<(usize, f64), Failure> {
        loop {
            let level = next_level(rules.errors, ALPHA, &self.findings());
            let number = self.levels.len();
            if self.append(&Entry::Begun { level }, &[])? {
                return Ok((number, level));
            }
            self.again()?;
        }
    }

    /// Writes down a decision. What is kept must have been compared with the present incumbent.
    pub(super) fn keep(&mut self, judged: Judged) -> Result<Kept, Failure> {
        let entry = Entry::Judged(Box::new(judged.clone()));
        loop {
            if judged.decision == Decision::Keep && judged.incumbent != self.incumbent() {
                return Ok(Kept::IncumbentMoved);
            }
            if self.append(&entry, &[&judged.proposal])? {
                copy_incumbent(self.repository, self.number, self.incumbent())?;
                return Ok(Kept::Written);
            }
            self.again()?;
        }
    }

    /// Writes down the last comparison.
    pub(super) fn finish(&mut self, brief: &Brief) -> Result<(), Failure> {
        while !self.append(&Entry::Finished(Box::new(brief.clone())), &[])? {
            self.again()?;
        }
        Ok(())
    }

    fn append(&mut self, entry: &Entry, about: &[&str]) -> Result<bool, Failure> {
        let ledger = Ledger::new(self.repository, log_name(self.number));
        let is_written = ledger.append(&self.state, &text(entry)?, about)?;
        if is_written {
            self.again()?;
        }
        Ok(is_written)
    }

    /// The state of the trial, for an answer.
    pub(super) fn facts(&self, rules: &TrialRules) -> TrialFacts {
        TrialFacts {
            trial: self.number,
            incumbent: self.incumbent().to_owned(),
            proposal: None,
            tries: self.judged.len(),
            kept: self.kept().count(),
            level: None,
            errors_left: left(rules.errors, ALPHA, &self.findings()),
        }
    }
}

fn text(entry: &Entry) -> Result<String, Failure> {
    let subject = match entry {
        Entry::Started(_) => "brisk try: start".to_owned(),
        Entry::Begun { level } => format!("brisk try: rounds at {level:.2e}"),
        Entry::Judged(judged) => format!("brisk try: {} {}", judged.decision.word(), judged.typed),
        Entry::Finished(_) => "brisk try: finish".to_owned(),
    };
    let json = serde_json::to_string(entry).failing("cannot write an entry of the log")?;
    // A subject is one line, whatever was typed.
    Ok(format!("{}\n\n{json}\n", subject.replace(['\n', '\r', '\0'], " ")))
}

fn log_name(number: u32) -> String {
    format!("{PREFIX}{number}/log")
}

/// The reference to the incumbent of a trial.
pub(super) fn incumbent_name(number: u32) -> String {
    format!("{PREFIX}{number}/incumbent")
}

/// Points the reference to the incumbent to where the log says.
fn copy_incumbent(repository: &Repository, number: u32, commit: &str) -> Result<(), Failure> {
    let name = incumbent_name(number);
    let from = ledger::tip(repository, &name)?;
    if from.as_deref() != Some(commit) {
        // Another process that read a newer log may be quicker.
        ledger::moved(repository, &name, from.as_deref(), commit)?;
    }
    Ok(())
}

fn last_number(repository: &Repository) -> Result<Option<u32>, Failure> {
    let names = Ledger::all(repository, PREFIX)?;
    let number =
        |name: &String| name.strip_prefix(PREFIX)?.strip_suffix("/log")?.parse::<u32>().ok();
    Ok(names.iter().filter_map(number).max())
}
