//! `brisk worker`: takes tasks from the queue of a store, one at a time, and gives back what was
//! measured.
//!
//! Each task is measured by a `brisk task` of its own. Meanwhile this process says again and again
//! that it is still at it; it does not measure, so nothing that it does is part of a reading.

use std::time::Duration;

use clap::Args;
use measure::attended;
use measure::interrupt;
use page::plain::plain;

use super::Done;
use super::exit::ExitCode;
use super::output::note;
use super::waiting::wait;
use crate::cli::options::StoreOptions;
use crate::engine::artifacts::{self, NamedArtifact, NotPut};
use crate::engine::folder::{self, Task, TaskFolder};
use crate::engine::own_program;
use crate::engine::result::{self, Header};
use crate::failure::{Failing, Failure};
use crate::json;
use crate::run::instrument::scratch_folder;
use crate::store::blobs::Needed;
use crate::store::queue::{LEASE_SECONDS, Lease, Queue, Worker};
use crate::store::{Place, StoreError};

/// Arguments of `brisk worker`.
#[derive(Debug, Args)]
#[command(after_help = "Example: brisk worker --store postgres://brisk@server/brisk --class zen4")]
pub(super) struct WorkerArguments {
    /// The class of this machine, a name of your own: tasks for another class are left to others
    #[arg(long, value_name = "CLASS", default_value = "", hide_default_value = true)]
    class: String,

    /// End when no task is left
    #[arg(long)]
    drain: bool,

    #[command(flatten)]
    store: StoreOptions,

    /// Do not say which tasks are taken
    #[arg(short, long)]
    quiet: bool,
}

/// How often a worker says that it is still at a task: a lease lasts ten times as long.
const RENEWED_AFTER: Duration = Duration::from_secs(LEASE_SECONDS / 10);

/// The time between two looks at a queue that is empty: at first, and at most.
const PAUSES: [Duration; 2] = [Duration::from_millis(500), Duration::from_secs(10)];

/// Takes tasks until it is asked to end.
pub(super) fn run(arguments: &WorkerArguments) -> Done {
    interrupt::install().failing("cannot watch for Ctrl-C")?;
    let queue = arguments.store.place()?;
    // What is wrong from the beginning is no reason to wait.
    Queue::open(&queue)?;
    let me = Worker {
        name: format!("{} {}", folder::node(), std::process::id()),
        class: arguments.class.clone(),
        brisk: env!("CARGO_PKG_VERSION").to_owned(),
    };
    let mut serving = Serving { queue, me, says: !arguments.quiet, is_away: false };
    let [first, most] = PAUSES;
    let mut pause = first;
    while !interrupt::requested() {
        match serving.ask(|queue, me| queue.lease(me))? {
            Some(Some(lease)) => {
                serving.measure(&lease)?;
                pause = first;
                continue;
            }
            Some(None) if arguments.drain => break,
            Some(None) | None => wait(pause),
        }
        pause = (pause * 2).min(most);
    }
    Ok(ExitCode::Fine)
}

/// The result of a task that cannot be measured here.
fn refusal(failure: Failure) -> Result<String, Failure> {
    let header = Header::cannot_measure(String::new(), failure);
    let mut text = Vec::new();
    result::write(&mut text, &header)?;
    Ok(String::from_utf8_lossy(&text).into_owned())
}

/// Why a task is given back.
const ASKED_TO_END: &str = "the worker was asked to end";

/// Whether what was built for a task is here.
enum Provided {
    /// It is.
    All,
    /// It cannot be: the task cannot be measured here.
    Refused(Failure),
    /// This is to end.
    Ended,
}

/// A worker at its queue.
struct Serving {
    queue: Place,
    me: Worker,
    says: bool,
    /// Whether the server did not answer the last time.
    is_away: bool,
}

impl Serving {
    /// Asks the queue; none where the server does not answer now.
    ///
    /// # Errors
    ///
    /// When it answers that it never will.
    fn ask<T>(
        &mut self,
        what: impl FnOnce(&Queue, &Worker) -> Result<T, StoreError>,
    ) -> Result<Option<T>, Failure> {
        match Queue::open(&self.queue).and_then(|queue| what(&queue, &self.me)) {
            Ok(answer) => {
                if std::mem::take(&mut self.is_away) {
                    note("the server answers again");
                }
                Ok(Some(answer))
            }
            Err(error) if !error.is_passing() => Err(error.into()),
            Err(error) => {
                if !std::mem::replace(&mut self.is_away, true) {
                    let why = Failure::from_error(&error).in_one_line();
                    note(&plain(&format!("waiting for the server: {why}")));
                }
                Ok(None)
            }
        }
    }

    fn say(&self, what: &str) {
        if self.says {
            note(&plain(what));
        }
    }

    /// Has a task measured, and gives its result to the queue.
    fn measure(&mut self, lease: &Lease) -> Result<(), Failure> {
        let key = &lease.name.key;
        let task: Result<Task, _> = json::read(lease.task.as_bytes());
        let task = match task {
            Ok(task) => task,
            Err(error) => {
                self.say(&format!("cannot read task {key}"));
                return self.give_back(lease, &format!("cannot read the task: {error}"));
            }
        };
        self.say(&format!("task {key} of {}: {}", task.by, task.commission.title));
        match self.provide(lease)? {
            Provided::All => {}
            Provided::Ended => return self.give_back(lease, ASKED_TO_END),
            Provided::Refused(failure) => return self.finish(lease, &refusal(failure)?),
        }
        let scratch = scratch_folder()?;
        folder::check_root(scratch.path())?;
        let (task, _) = TaskFolder::hand_over(scratch.path(), key, &task, &own_program()?)?;
        let [program, path] = task.command();
        let words = ["task".into(), path.into_os_string()];
        let mut refused = None;
        let mut is_wanted = || {
            let progress = task.progress().map(|progress| json::text(&progress));
            let progress = progress.unwrap_or_default();
            // Where nobody answers, it is measured for when somebody does.
            let asked = self.ask(|queue, me| queue.renew(me, lease, &progress));
            asked
                .unwrap_or_else(|failure| {
                    refused = Some(failure);
                    Some(false)
                })
                .unwrap_or(true)
        };
        attended::run_while(&program, &words, RENEWED_AFTER, &mut is_wanted)
            .failing(format!("cannot run `{}`", program.display()))?;
        if let Some(failure) = refused {
            return Err(failure);
        }
        // It is for people; the result is what counts.
        self.ask(|queue, _| queue.note_log(lease, &task.noted()))?;
        let is_finished = task.look().is_ok_and(|look| look.is_finished);
        let result = task.result().ok().filter(|_| is_finished);
        match result.and_then(|result| std::io::read_to_string(result).ok()) {
            Some(result) => self.finish(lease, &result),
            None if interrupt::requested() => self.give_back(lease, ASKED_TO_END),
            None => self.give_back(lease, &task.last_words()),
        }
    }

    /// Puts what was built for a task where that expects it.
    fn provide(&mut self, lease: &Lease) -> Result<Provided, Failure> {
        let Some(needs) = self.insist(|queue, _| queue.needs(lease))? else {
            return Ok(Provided::Ended);
        };
        for Needed { path, digest } in needs {
            let artifact = NamedArtifact { path: path.into(), digest };
            match artifacts::is_there(&artifact) {
                Ok(true) => continue,
                Ok(false) => {}
                Err(failure) => return Ok(Provided::Refused(failure)),
            }
            let asked = self.insist(|queue, me| {
                queue.renew(me, lease, "")?;
                queue.blob(&artifact.digest)
            });
            let Some(blob) = asked? else { return Ok(Provided::Ended) };
            let Some(blob) = blob else {
                let gone = Failure::new(format!("the artefact {} is gone", artifact.digest));
                return Ok(Provided::Refused(gone));
            };
            match artifacts::put(&artifact, blob) {
                Ok(()) => {}
                Err(NotPut::Unwritable(failure)) => return Ok(Provided::Refused(failure)),
                Err(NotPut::Damaged(failure)) => {
                    self.insist(|queue, _| queue.discard(&artifact.digest))?;
                    return Ok(Provided::Refused(failure));
                }
            }
        }
        Ok(Provided::All)
    }

    /// Asks the queue until the server answers; none where this is to end before.
    fn insist<T>(
        &mut self,
        what: impl Fn(&Queue, &Worker) -> Result<T, StoreError>,
    ) -> Result<Option<T>, Failure> {
        loop {
            let answer = self.ask(&what)?;
            if answer.is_some() || interrupt::requested() {
                return Ok(answer);
            }
            wait(PAUSES[1]);
        }
    }

    /// Gives the result to the queue, as soon as that answers.
    fn finish(&mut self, lease: &Lease, result: &str) -> Result<(), Failure> {
        match self.insist(|queue, _| queue.finish(lease, result))? {
            Some(true) => self.say("its result is accepted"),
            Some(false) => self.say("nobody wants its result any more"),
            None => note("the server does not answer: the task will be measured again"),
        }
        Ok(())
    }

    fn give_back(&mut self, lease: &Lease, trouble: &str) -> Result<(), Failure> {
        // Where nobody answers, the lease ends by itself.
        self.ask(|queue, _| queue.give_back(lease, trouble))?;
        self.say("it has no result, and is given back");
        Ok(())
    }
}
