//! Temporary folders for the files of runs, in the system's temporary folder.
//!
//! Each is removed with its value. If brisk is killed it remains, and the next brisk that needs one
//! removes it: a living brisk holds a lock on its folders (flock(2), which works on folders as
//! well).
//!
//! An executor that runs nothing: each variant's readings are given in advance.
//!
//! It makes every test of scheduling, stopping and judging exact, and allows drift, outliers and
//! crashes in one line each.

use super::{Answer, Event, Executor, Observer, Phase, RunError};
use measure::Outcome;
use model::metric::{CPU_TIME, Missing, Readings, Source, WALL_TIME};
use model::run::Printed;
use model::run::{Plan, Run, RunPlace};
use std::collections::BTreeMap;
use std::fs::{File, TryLockError};
use std::ops::Range;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::sync::Once;
use std::{fs, io};
use tempfile::TempDir;

/// The common prefix of their names, which nothing else has.
const PREFIX: &str = "brisk-scratch-";

/// A folder that no other user may read; removed when this is dropped.
#[derive(Debug)]
pub struct Scratch {
    // The order matters: the folder is removed before its lock is released.
    folder: TempDir,
    _lock: File,
}

impl Scratch {
    /// Makes an empty folder; the first call of a process also removes the folders of dead briskes.
    ///
    /// # Errors
    ///
    /// When it cannot be made.
    pub fn new() -> io::Result<Self> {
        static COLLECTED: Once = Once::new();
        let root = std::env::temp_dir();
        let scratch = Self::within(&root)?;
        COLLECTED.call_once(|| collect(&root, &scratch));
        Ok(scratch)
    }

    /// Makes a locked folder in `root`. Before it is locked it looks abandoned, so another brisk
    /// may have removed it.
    fn within(root: &Path) -> io::Result<Self> {
        loop {
            let folder = tempfile::Builder::new().prefix(PREFIX).tempdir_in(root)?;
            let lock = match File::open(folder.path()) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                opened => opened?,
            };
            match lock.try_lock() {
                Err(TryLockError::WouldBlock) => continue,
                // If nothing can be locked, nobody removes anything.
                Ok(()) | Err(TryLockError::Error(_)) => {}
            }
            if folder.path().exists() {
                return Ok(Self { folder, _lock: lock });
            }
        }
    }

    /// The path of the folder.
    pub fn path(&self) -> &Path {
        self.folder.path()
    }
}

/// Removes the folders of killed briskes that belong to this user. Folders that cannot be removed
/// stay: they do no harm.
fn collect(root: &Path, own: &Scratch) {
    let (Ok(entries), Ok(files)) = (fs::read_dir(root), fs::metadata(own.path())) else { return };
    let left = entries.flatten().filter(|entry| {
        let named = entry.file_name().to_string_lossy().starts_with(PREFIX);
        let is_ours = |found: fs::Metadata| found.is_dir() && found.uid() == files.uid();
        named && entry.metadata().is_ok_and(is_ours)
    });
    for folder in left.map(|entry| entry.path()) {
        let Ok(lock) = File::open(&folder) else { continue };
        // The lock is held until the folder is gone: otherwise, a process that has just made it
        // could take it for its own in between.
        if lock.try_lock().is_ok() {
            let _ = fs::remove_dir_all(&folder);
        }
    }
}

/// Returns the behaviour of the run at a place.
pub type Script<'a> = dyn FnMut(RunPlace) -> Scripted + 'a;

/// The behaviour of a scripted run.
#[derive(Debug, Clone)]
pub enum Scripted {
    /// It takes this wall time and processor time, in seconds.
    Takes(f64),
    /// It has these readings.
    Reads(BTreeMap<model::metric::MetricId, model::metric::Value>),
    /// It fails with this exit status.
    Exits(i32),
}

/// An executor that follows a script.
pub struct ScriptedExecutor<'a> {
    /// The order of the runs.
    pub plan: Plan,
    /// The behaviour of each run.
    pub script: Box<Script<'a>>,
    /// The scripted clock: it advances by the wall time of each run.
    pub now_ns: u64,
}

impl ScriptedExecutor<'_> {
    fn round(
        &mut self,
        number: u32,
        phase: Phase,
        observer: &mut dyn Observer,
    ) -> Result<Answer, RunError> {
        let mut round = self.plan.round(number, phase == Phase::WarmUp);
        round.keep(|variant| observer.takes_part(phase, variant));
        for (position, &variant) in (0..).zip(&round.order) {
            let place = RunPlace {
                source: Source::Run,
                warmup: round.warmup,
                round: number,
                position,
                variant,
            };
            let readings = match (self.script)(place) {
                Scripted::Takes(seconds) => {
                    [WALL_TIME, CPU_TIME].map(|metric| (metric, Ok(seconds))).into_iter().collect()
                }
                Scripted::Reads(readings) => readings.into_iter().collect::<Readings>(),
                Scripted::Exits(code) => {
                    let run = Run {
                        place,
                        started_unix_ns: self.now_ns,
                        outcome: Outcome::Exited(code),
                        readings: Readings::default(),
                        left_behind: 0,
                        stderr_tail: None,
                    };
                    let answer = observer.on(Event::Failed(&run)).map_err(RunError::Observer)?;
                    if answer == Answer::Withdraw {
                        continue;
                    }
                    return Err(RunError::Failed {
                        name: format!("variant {variant}"),
                        how: Outcome::Exited(code).to_string(),
                        when: format!("round {}", number + 1),
                        stderr: String::new(),
                        outcome: Outcome::Exited(code),
                    });
                }
            };
            let started_unix_ns = self.now_ns;
            if let Some(Ok(seconds)) = readings.get(&WALL_TIME) {
                self.now_ns += (seconds * 1e9) as u64;
            }
            let run = Run {
                place,
                started_unix_ns,
                outcome: Outcome::Exited(0),
                readings,
                left_behind: 0,
                stderr_tail: None,
            };
            let answer = observer.on(Event::Finished(&[run])).map_err(RunError::Observer)?;
            if answer == Answer::Abort {
                return Ok(Answer::Abort);
            }
        }
        Ok(Answer::Continue)
    }
}

impl Executor for ScriptedExecutor<'_> {
    fn setup(&mut self, _observer: &mut dyn Observer) -> Result<Answer, RunError> {
        Ok(Answer::Continue)
    }

    fn rounds(
        &mut self,
        numbers: Range<u32>,
        phase: Phase,
        observer: &mut dyn Observer,
    ) -> Result<Answer, RunError> {
        for number in numbers {
            if self.round(number, phase, observer)? == Answer::Abort {
                return Ok(Answer::Abort);
            }
        }
        Ok(Answer::Continue)
    }

    fn outputs(
        &mut self,
        variants: &[u32],
        observer: &mut dyn Observer,
    ) -> Result<Answer, RunError> {
        for &variant in variants {
            let seen = Err(Missing("it is only a script".into()));
            let event = Event::Printed(Printed { variant, seen });
            observer.on(event).map_err(RunError::Observer)?;
        }
        Ok(Answer::Continue)
    }

    fn cleanup(&mut self) -> Result<(), RunError> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_of_the_dead_are_collected_and_no_others() {
        let root = tempfile::tempdir().expect("writable");
        let at = |name: &str| root.path().join(name);
        let dead = Scratch::within(root.path()).expect("writable");
        fs::write(dead.path().join("left"), "x").expect("writable");
        let Scratch { folder, _lock: lock } = dead;
        let dead = folder.keep();
        fs::create_dir(at("elsewhere")).expect("writable");
        let link = at(&format!("{PREFIX}link"));
        std::os::unix::fs::symlink(at("elsewhere"), &link).expect("writable");
        fs::create_dir(at("brisk-of-mine")).expect("writable");
        // This brisk was killed before it could lock its folder.
        let newborn = at(&format!("{PREFIX}newborn"));
        fs::create_dir(&newborn).expect("writable");
        let living = Scratch::within(root.path()).expect("writable");

        collect(root.path(), &living);
        assert!(dead.join("left").exists(), "it is locked");
        assert!(!newborn.exists());
        drop(lock);
        collect(root.path(), &living);
        assert!(!dead.exists());
        assert!(living.path().exists() && at("elsewhere").exists() && link.is_symlink());
        assert!(at("brisk-of-mine").exists(), "nobody says that it was brisk's");
    }

    /// Folders are made and collected at the same time: none in use is removed.
    #[test]
    fn a_folder_that_is_in_use_is_never_collected() {
        let root = tempfile::tempdir().expect("writable");
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for _ in 0..100 {
                        let own = Scratch::within(root.path()).expect("writable");
                        fs::write(own.path().join("file"), "x").expect("it is there");
                        collect(root.path(), &own);
                        assert!(own.path().join("file").exists());
                    }
                });
            }
        });
        assert_eq!(fs::read_dir(root.path()).expect("readable").count(), 0);
    }
}
