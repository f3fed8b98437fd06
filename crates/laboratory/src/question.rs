//! The checked input of a measurement.

use std::os::unix::fs::MetadataExt as _;
use std::path::PathBuf;

use engine::Chosen;
use findings::Document;
use measure::Launcher;
use model::commission::{Commission, Contender, Execution, Kind};
use model::design::contrasts::Contrasts;
use model::design::stopping::{Progress, StoppingRule};
use model::failure::Failure;
use model::host;
use model::host::MachineClass;
use model::metric::{MetricId, Source};
use model::spec::Experiment;
use model::spec::reading::Sources;
use model::spec::suite::Suite;
use report::too_few;
use run::LookTaken;
use run::attendant::Attendant;
use store::{ExperimentId, ExperimentState, Place, Store, StoredExperiment};

use crate::archive;
use crate::conduct::Past;
use crate::conducting::{self, Begun, Equipment};
use crate::machine::Turns;
use crate::measured::MeasuredExperiment;
use crate::remote;
use crate::watcher::{Event, Watcher};

/// The checked input of a measurement.
pub struct Question<'a> {
    /// The programs to run.
    pub experiment: &'a Experiment,
    /// The pairs to compare.
    pub contrasts: Contrasts,
    /// The kind of experiment.
    pub kind: Kind,
    /// The folder of the project that the experiment is about. If None, the current one.
    pub project: Option<String>,
    /// The canonical form of the request. None if every such experiment stands alone.
    pub subject: Option<String>,
    /// The title in lists.
    pub title: String,
    /// The stopping rule.
    pub rule: &'a StoppingRule,
    /// The benchmarks to run inside programs. None if commands are timed as a whole.
    pub suite: Option<&'a Suite>,
    /// The sources of readings besides the run itself.
    pub sources: Sources,
    /// Set if memory is sampled over time, in separate rounds.
    pub samples_memory: bool,
    /// The metrics named by the user.
    pub metrics: Option<Vec<MetricId>>,
    /// The seed of the order of the runs. A fresh one if None.
    pub seed: Option<u64>,
    /// The command line and the folder that the experiment is stored with.
    pub asker: Asker,
    /// The attendant of the timed runs, on this machine.
    pub attendant: Option<&'a dyn Attendant>,
}

/// The place where an experiment runs.
#[derive(Clone, Copy)]
pub enum Site<'a> {
    /// On this machine, held for it.
    Here {
        /// Set to fail instead of waiting for others, and not to give way to them.
        no_wait: bool,
    },
    /// On this machine; others are neither waited for nor kept from measuring.
    BesideOthers,
    /// On a machine of an engine.
    Engine(&'a Chosen),
}

impl<'a> Site<'a> {
    /// This engine, or else this machine.
    pub fn new(engine: Option<&'a Chosen>, no_wait: bool) -> Self {
        engine.map_or(Self::Here { no_wait }, Self::Engine)
    }

    /// The engine. None if this machine measures.
    pub fn engine(self) -> Option<&'a Chosen> {
        match self {
            Self::Engine(engine) => Some(engine),
            Self::Here { .. } | Self::BesideOthers => None,
        }
    }
}

/// The fate of an earlier experiment with the same subject.
#[derive(Debug, Clone, PartialEq)]
pub enum Earlier {
    /// There is none with the same subject that could.
    None,
    /// It does not, for this reason.
    Ended(String),
    /// It goes on, after this number of rounds.
    GoesOn(ExperimentId, u32),
}

impl<'a> Question<'a> {
    /// A standalone experiment that reads only what every run provides.
    pub fn new(
        kind: Kind,
        experiment: &'a Experiment,
        contrasts: Contrasts,
        rule: &'a StoppingRule,
    ) -> Self {
        Self {
            experiment,
            contrasts,
            kind,
            project: None,
            subject: None,
            title: String::new(),
            rule,
            suite: None,
            sources: Sources::NONE,
            samples_memory: false,
            metrics: None,
            seed: None,
            asker: Asker::new(Vec::new()),
            attendant: None,
        }
    }

    /// A remark, before the first round, about questions that the rounds cannot decide.
    pub fn remark(&self) -> String {
        if self.contrasts.compared().next().is_none() {
            return String::new();
        }
        let members = self.contrasts.members(self.metrics.as_deref(), self.rule);
        too_few::remark(self.rule, &members)
    }

    /// Runs the experiment, or continues an interrupted one from the store. Every run is stored
    /// before the next one starts.
    ///
    /// # Errors
    ///
    /// When something cannot be run or stored. The end of the experiment is a part of the result.
    pub fn measure(
        &self,
        place: &Place,
        site: &Site<'_>,
        launcher: &mut Launcher,
        interrupted: Option<ExperimentId>,
        watcher: &mut dyn Watcher,
    ) -> Result<MeasuredExperiment, Failure> {
        let turns = match site {
            Site::Engine(engine) => {
                let commissions = vec![self.commission()];
                let measured = remote::measure(commissions, self.seed, engine, place, watcher);
                return Ok(measured?.pop().expect("one was asked for"));
            }
            Site::BesideOthers => None,
            Site::Here { no_wait } => Some(*no_wait),
        };
        let mut commission = self.commission();
        let execution = commission.execution.as_mut().expect("it says how it is run");
        let equipment = Equipment::new(execution, self.metrics.as_deref(), launcher)?;
        let equipment = equipment.attended_by(self.attendant);
        // Nothing else can be refused, and nothing has begun while others are waited for, so the
        // wait costs no budget.
        let turns = match turns {
            Some(no_wait) => Turns::begin(no_wait, watcher)?,
            None => Turns::new(None, true),
        };
        let mut store = archive::open_for_writing(place)?;
        let begun = self.begin(&mut store, commission, interrupted)?;
        watcher.on(Event::Begun(&begun.commission));
        let outcome = conducting::conduct(&mut store, &begun, equipment, turns, launcher, watcher);
        watcher.on(Event::Ended);
        let (ending, conducted) = outcome?;
        let variants = self.experiment.variants.len() as u64;
        watcher.on(Event::Judging { runs: u64::from(conducted.rounds) * variants });
        Ok(MeasuredExperiment { id: begun.id, ending, conducted })
    }

    /// The newest experiment with the same subject, if it was interrupted, or if it was
    /// inconclusive and `goes_further` is set: this request says how long.
    pub fn earlier(&self, place: &Place, goes_further: bool) -> Result<Earlier, Failure> {
        let Some(subject) = &self.subject else { return Ok(Earlier::None) };
        let Some(mut store) = Store::open_existing(place)? else { return Ok(Earlier::None) };
        archive::recover_if_possible(&mut store);
        let ids = store.of_subject(subject)?;
        let Some(&newest) = ids.first() else { return Ok(Earlier::None) };
        let stored = store.experiment(newest)?;
        let Some(stored) = stored else { return Ok(Earlier::None) };
        let goes_on = match stored.state {
            // A request for fewer rounds than are stored is a different request.
            ExperimentState::Interrupted => stored.rounds <= self.rule.max_rounds,
            ExperimentState::Complete if goes_further => {
                is_open(&archive::own_document(&store, newest, &stored)?)
                    && can_go_on(&store, newest, &stored, self.rule)?
            }
            _ => false,
        };
        if !goes_on {
            return Ok(Earlier::None);
        }
        // The rounds could not be assigned to states of the machine afterwards.
        if let Some(why) = MachineClass::here().differences(&(&stored.circumstances).into()).first()
        {
            return Ok(Earlier::Ended(format!(
                "experiment {newest} does not go on: {}; everything is measured as it is now",
                why.from_here()
            )));
        }
        if let Some(file) = self.changed_since(stored.circumstances.started_unix_ns) {
            return Ok(Earlier::Ended(format!(
                "experiment {newest} does not go on: `{}` has changed since it began; everything is \
                 measured anew",
                file.display()
            )));
        }
        Ok(Earlier::GoesOn(newest, stored.rounds))
    }

    /// A file that the commands name, and that changed after this moment. Files that a command
    /// writes cannot be distinguished from those it reads.
    pub fn changed_since(&self, unix_ns: u64) -> Option<PathBuf> {
        // Suites track their programs themselves.
        let files = self.experiment.variants.iter().filter(|_| self.suite.is_none());
        files.flat_map(|variant| variant.run.named_files()).find(|file| {
            let changed = std::fs::metadata(file).map(|found| {
                let seconds = u64::try_from(found.ctime()).unwrap_or(0);
                seconds * 1_000_000_000 + u64::try_from(found.ctime_nsec()).unwrap_or(0)
            });
            changed.is_ok_and(|changed| changed > unix_ns)
        })
    }

    fn begin(
        &self,
        store: &mut Store,
        commission: Commission,
        interrupted: Option<ExperimentId>,
    ) -> Result<Begun, Failure> {
        if let Some(id) = interrupted {
            let stored = store.experiment(id)?.ok_or_else(|| store.no_such(id))?;
            let is_complete = stored.state == ExperimentState::Complete;
            let done = if is_complete { last_look(store, id)? } else { None };
            let past = archive::past(store, &stored)?;
            let Commission { seed, contrasts, rule, .. } = stored.commission;
            let rule = self.rule.going_on(&rule, done);
            if let Some(journal) = store.resume(id, &rule)? {
                let commission = Commission { seed, contrasts, rule, ..commission };
                return Ok(Begun { id, journal, commission, past });
            }
        }
        let (id, journal) = store.begin(&commission, &host::circumstances())?;
        Ok(Begun { id, journal, commission, past: Past::default() })
    }

    /// The commission, with everything needed to run it.
    pub fn commission(&self) -> Commission {
        let contender = |variant: &model::spec::Variant| Contender {
            name: variant.name.clone(),
            command: variant.command.clone(),
            labels: variant.labels.clone(),
        };
        let Asker { arguments, cwd } = self.asker.clone();
        Commission {
            kind: self.kind,
            title: self.title.clone(),
            project: self.project.clone().unwrap_or_else(|| cwd.clone()),
            arguments,
            cwd,
            seed: self.seed.unwrap_or_else(host::fresh_seed),
            commands: self.experiment.commands,
            contrasts: self.contrasts.clone(),
            subject: self.subject.clone(),
            rule: self.rule.clone(),
            metrics: self.metrics.clone(),
            variants: self.experiment.variants.iter().map(contender).collect(),
            execution: Some(Execution {
                experiment: self.experiment.clone(),
                suite: self.suite.cloned(),
                reads: self.sources.reads(self.metrics.as_deref()),
                sources: self.sources,
                instruments: self.samples_memory.then_some(Source::Sampled).into_iter().collect(),
            }),
        }
    }
}

/// The command line and the folder that an experiment is stored with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Asker {
    /// The command line after the program's name.
    pub arguments: Vec<String>,
    /// The current folder.
    pub cwd: String,
}

impl Asker {
    /// The asker with this command line, in the current folder.
    pub fn new(arguments: Vec<String>) -> Self {
        let cwd = std::env::current_dir().unwrap_or_default();
        Self { arguments, cwd: cwd.to_string_lossy().into_owned() }
    }
}

/// The message that an experiment is continued.
pub fn going_on(id: ExperimentId, rounds: u32) -> String {
    let word = if rounds == 1 { "round" } else { "rounds" };
    format!("continues experiment {id}: {rounds} {word} so far\n")
}

/// True if an answer is inconclusive.
pub fn is_open(document: &Document) -> bool {
    document.answers.iter().any(|answer| !answer.verdict.is_conclusive())
}

/// True if an experiment that has ended can continue under this rule.
pub fn can_go_on(
    store: &Store,
    id: ExperimentId,
    stored: &StoredExperiment,
    rule: &StoppingRule,
) -> Result<bool, Failure> {
    let done = last_look(store, id)?;
    Ok(done.is_some_and(|done| rule.goes_beyond(&stored.commission.rule, done)))
}

/// The progress of an experiment at its last look.
fn last_look(store: &Store, id: ExperimentId) -> Result<Option<Progress>, Failure> {
    let looks = store.looks(id)?;
    let progress =
        |look: &LookTaken| Progress { rounds: look.rounds, elapsed_seconds: look.elapsed_seconds };
    Ok(looks.last().map(progress))
}
