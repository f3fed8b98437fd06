//! Builds as Slurm jobs, which share their node with other jobs.
//!
//! A job leaves the build's exit status in a folder that both machines see. If both the status and
//! the job are missing, the build was lost, which says nothing about the commit.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::Duration;

use measure::clock::{Stopwatch, unix_time_ns};
use measure::tool::{Log, LogEnd};
use measure::{Outcome, interrupt};
use prepare::{BuildOrder, BuildSite, LostBuilds, SiteError, SiteSaid};

use crate::slurm::{self, JobRequest};
use crate::wait::{Action, Memory, Sight};
use crate::{Job, SubmitError, Unreachable};

/// The time between two looks at the folder.
const LOOK: Duration = Duration::from_millis(100);

/// The number of looks at the folder before the job is told again that we are still waiting.
const LOOKS_PER_BEAT: u64 = 10;

/// The shortest and the longest time between two polls, in seconds.
const PAUSES: [f64; 2] = [1.0, 30.0];

/// The script of a job, after its variables.
const SCRIPT: &str = include_str!("build_job.sh");

/// The number of bytes shown of a job's output.
const LAST_WORDS: usize = 1000;

/// A site that runs builds as jobs.
#[derive(Debug)]
pub(super) struct BuildJobs {
    pub(super) request: JobRequest,
}

impl BuildSite for BuildJobs {
    fn run(&self, order: &BuildOrder<'_>) -> Result<Log, SiteError> {
        let folder = BuildFolder::new(order)?;
        let mut build = Build::new(&self.request, order, &folder);
        let log = build.see_through();
        let is_over = log.as_ref().is_ok_and(|log| matches!(log.end, LogEnd::ByItself(_)));
        if !is_over && build.may_have_job() {
            slurm::cancel(&folder.name, None);
        }
        folder.remove();
        log
    }
}

/// The folder of a build that runs as a job.
struct BuildFolder {
    path: PathBuf,
    /// The name of its job.
    name: String,
}

/// The observed state of a build.
#[derive(Default)]
struct Look {
    has_begun: bool,
    status: Option<i32>,
}

impl BuildFolder {
    fn new(order: &BuildOrder<'_>) -> Result<Self, SiteError> {
        // The folder around it is ours alone, and nothing in it has ever had this name.
        let place = order.folder.file_name().unwrap_or_default().to_string_lossy();
        let unique = format!("{}-{place}-{:x}", std::process::id(), unix_time_ns());
        let path = order.folder.join(format!("job-{unique}"));
        fs::create_dir_all(&path).map_err(|error| unusable(&path, error))?;
        Ok(Self { path, name: format!("{}build-{unique}", super::JOB) })
    }

    /// Lists the folder: a shared file system may have cached that a file was missing.
    fn look(&self) -> Result<Look, SiteError> {
        let read = || -> io::Result<Look> {
            let mut look = Look::default();
            for entry in fs::read_dir(&self.path)? {
                match entry?.file_name().to_str() {
                    Some("began") => look.has_begun = true,
                    Some("status") => {
                        let text = fs::read_to_string(self.path.join("status"))?;
                        look.status = text.trim().parse().ok();
                    }
                    _ => {}
                }
            }
            Ok(look)
        };
        read().map_err(|error| unusable(&self.path, error))
    }

    /// The end of the build's output, and the number of bytes of the whole.
    fn printed(&self, kept_bytes: usize) -> (Vec<u8>, u64) {
        let mut tail = Vec::new();
        let mut read = || -> io::Result<u64> {
            let mut file = File::open(self.path.join("log"))?;
            let length = file.metadata()?.len();
            file.seek(SeekFrom::Start(length.saturating_sub(kept_bytes as u64)))?;
            file.take(kept_bytes as u64).read_to_end(&mut tail)?;
            Ok(length)
        };
        let length = read().unwrap_or(0);
        (tail, length)
    }

    /// The end of the job's own output, for the user.
    fn last_words(&self) -> String {
        let said = fs::read(self.path.join("job.log")).unwrap_or_default();
        let end = &said[said.len().saturating_sub(LAST_WORDS)..];
        String::from_utf8_lossy(end).trim().to_owned()
    }

    /// Removes the folder. A job that still runs notices, and ends.
    fn remove(self) {
        let _ = fs::remove_dir_all(&self.path);
    }
}

/// A build with its state while we wait.
struct Build<'a> {
    request: &'a JobRequest,
    order: &'a BuildOrder<'a>,
    folder: &'a BuildFolder,
    memory: Memory,
    is_submitted: bool,
    /// Set if Slurm did not answer when last asked.
    is_unanswered: bool,
    waiting: Stopwatch,
    running: Option<Stopwatch>,
}

impl<'a> Build<'a> {
    fn new(request: &'a JobRequest, order: &'a BuildOrder<'a>, folder: &'a BuildFolder) -> Self {
        Self {
            request,
            order,
            folder,
            memory: Memory::default(),
            is_submitted: false,
            is_unanswered: false,
            waiting: Stopwatch::start(),
            running: None,
        }
    }

    fn may_have_job(&self) -> bool {
        self.is_submitted || self.is_unanswered
    }

    /// Submits it, and waits for its end.
    fn see_through(&mut self) -> Result<Log, SiteError> {
        let order = self.order;
        let mut next_poll = 0.0;
        for beat in 0_u64.. {
            let look = self.folder.look()?;
            if look.has_begun && self.running.is_none() {
                self.running = Some(Stopwatch::start());
            }
            if let Some(status) = look.status {
                return Ok(self.log(LogEnd::ByItself(Outcome::Exited(status))));
            }
            if interrupt::requests() > order.requests {
                return Ok(self.log(LogEnd::Interrupted));
            }
            let has_run = self.running.map(|watch| watch.elapsed());
            if order.timeout.zip(has_run).is_some_and(|(limit, has_run)| has_run >= limit) {
                return Ok(self.log(LogEnd::TimedOut));
            }
            if beat % LOOKS_PER_BEAT == 0 {
                // If this fails, the job ends, which we notice.
                let _ = fs::write(self.folder.path.join("alive"), beat.to_string());
            }
            let elapsed = self.waiting.elapsed().as_secs_f64();
            if elapsed >= next_poll {
                self.poll(look.has_begun)?;
                let [least, most] = PAUSES;
                let elapsed = self.waiting.elapsed().as_secs_f64();
                next_poll = elapsed + (elapsed / 20.0).clamp(least, most);
            }
            sleep(LOOK);
        }
        unreachable!("nobody waits so long")
    }

    fn log(&self, end: LogEnd) -> Log {
        let (tail, printed_bytes) = self.folder.printed(self.order.kept_bytes);
        let elapsed = self.running.map(|watch| watch.elapsed()).unwrap_or_default();
        Log { end, tail, printed_bytes, elapsed }
    }

    /// Polls its job, and takes the steps that follow.
    fn poll(&mut self, has_begun: bool) -> Result<(), SiteError> {
        let jobs = match self.may_have_job() {
            true => slurm::jobs(std::slice::from_ref(&self.folder.name)),
            false => Ok(Vec::new()),
        };
        self.note_answer(jobs.as_ref().err());
        // An unanswered submission may have succeeded.
        self.is_submitted |= jobs.as_ref().is_ok_and(|jobs: &Vec<Job>| !jobs.is_empty());
        let LostBuilds { all, begun } = self.order.lost;
        let attempts = begun + u32::from(has_begun);
        let submissions = if self.is_submitted { all + 1 } else { 0 };
        let sight = Sight { is_finished: false, submissions, attempts, jobs: jobs.as_deref() };
        let lost = LostBuilds { all: all + 1, begun: attempts };
        for action in self.memory.decide(sight) {
            match action {
                Action::Submit { .. } if !self.is_submitted => self.submit()?,
                Action::Submit { .. } => {
                    let told = "of a build vanished without a result: submitting again";
                    (self.order.say)(&format!("job {} {told}", all + 1));
                    return Err(SiteError::Lost(lost));
                }
                Action::GiveUp => {
                    let source = SiteSaid(self.why_lost());
                    return Err(SiteError::GivenUp { lost, source });
                }
                Action::Cancel(job) => slurm::cancel(&job.name, Some(&job.id)),
                // Build jobs are not requeued; one that the user delays waits.
                Action::Release(_) | Action::Take => {}
            }
        }
        Ok(())
    }

    fn why_lost(&self) -> String {
        match self.folder.last_words() {
            words if words.is_empty() => "they said nothing".to_owned(),
            words => words,
        }
    }

    /// Reports that the scheduler stopped answering, or answers again.
    fn note_answer(&mut self, away: Option<&Unreachable>) {
        match away {
            Some(Unreachable(why)) if !self.is_unanswered => {
                (self.order.say)(&format!("Slurm does not answer, and is waited for: {why}"));
            }
            None if self.is_unanswered => (self.order.say)("Slurm answers again"),
            _ => {}
        }
        self.is_unanswered = away.is_some();
    }

    fn submit(&mut self) -> Result<(), SiteError> {
        let printed = self.folder.path.join("job.log");
        let script = script(self.order, &self.folder.path);
        match self.request.submit(&self.folder.name, &printed, script) {
            Ok(_) => self.is_submitted = true,
            Err(SubmitError::Unreachable(away)) => self.note_answer(Some(&away)),
            Err(SubmitError::Refused(mut failure)) => {
                return Err(SiteError::Refused {
                    what: failure.error().to_owned(),
                    source: SiteSaid(failure.causes().join(": ")),
                    hint: failure.take_hint(),
                });
            }
        }
        Ok(())
    }
}

/// The script of the job. Variables go through `env`, so that they affect only the build.
fn script(order: &BuildOrder<'_>, job: &Path) -> Vec<u8> {
    let mut script = b"#!/bin/sh\n".to_vec();
    let mut assign = |name: &str, path: &Path| {
        script.extend_from_slice(name.as_bytes());
        script.extend(quoted(path.as_os_str()));
        script.push(b'\n');
    };
    assign("job=", job);
    assign("tree=", order.tree);
    assign("cwd=", order.cwd);
    script.extend_from_slice(b"build() { exec \"$setsid\" \"$env\"");
    // `env` expects the variables to remove first.
    for (name, _) in order.env.iter().filter(|(_, value)| value.is_none()) {
        script.extend_from_slice(b" -u ");
        script.extend(quoted(name));
    }
    for (name, value) in order.env.iter().filter_map(|(name, value)| Some((name, value.as_ref()?)))
    {
        script.push(b' ');
        script.extend(quoted(name));
        script.push(b'=');
        script.extend(quoted(value));
    }
    script.extend_from_slice(b" /bin/sh -c ");
    script.extend(quoted(OsStr::new(order.command)));
    script.extend_from_slice(b"; }\n");
    script.extend_from_slice(SCRIPT.as_bytes());
    script
}

/// Bytes, quoted for a shell.
fn quoted(text: &OsStr) -> Vec<u8> {
    let mut word = vec![b'\''];
    for byte in text.as_bytes() {
        match byte {
            b'\'' => word.extend_from_slice(b"'\\''"),
            byte => word.push(*byte),
        }
    }
    word.push(b'\'');
    word
}

fn unusable(path: &Path, source: io::Error) -> SiteError {
    SiteError::Folder { path: path.to_owned(), source }
}
