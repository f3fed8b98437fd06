//! The machine, held while something is measured and given to those who wait: see
//! [`measure::hold`].

use std::ffi::OsStr;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use measure::Wake;
use measure::clock::Stopwatch;
use measure::hold::{Hold, Holder, Kind, MachineLock};
use model::failure::Failure;
use model::spec::words::quote;
use page::plain::plain;
use words::quantity::duration;

use crate::watcher::{Event, Wait, Watcher};

/// Environment variable that names another lock file, or is `off`.
const VARIABLE: &str = "BRISK_LOCK";
const OFF: &str = "off";

/// The wait before the first reminder, which names the holder. Each later wait is twice as long.
const FIRST_REMINDER: Duration = Duration::from_secs(60);

/// The maximum length of a displayed command line, in characters.
const SHOWN: usize = 60;

/// The total time spent waiting for other processes, in nanoseconds.
static WAITED: AtomicU64 = AtomicU64::new(0);

fn waited() -> Duration {
    Duration::from_nanos(WAITED.load(Ordering::SeqCst))
}

/// Measures elapsed time, without the time spent waiting for other processes.
pub struct WorkWatch {
    watch: Stopwatch,
    waited: Duration,
}

impl WorkWatch {
    /// Starts now.
    pub fn start() -> Self {
        Self { watch: Stopwatch::start(), waited: waited() }
    }

    /// The time since the start, in seconds.
    pub fn elapsed_seconds(&self) -> f64 {
        let waited = waited().saturating_sub(self.waited);
        self.watch.elapsed().saturating_sub(waited).as_secs_f64()
    }
}

/// The reason that the machine is not held.
pub enum Unheld {
    /// Holding is impossible here.
    Impossible(Failure),
    /// The wait has ended, or the request is invalid.
    Ended(Failure),
}

/// Holds the machine, waiting for others unless `no_wait` is set; `tell` is called from time to time
/// with the holders. None if holding is turned off.
///
/// # Errors
///
/// When holding is impossible here, or the wait has ended.
pub fn held(
    kind: Kind,
    no_wait: bool,
    tell: &mut dyn FnMut(&Wait<'_>),
) -> Result<Option<Hold>, Unheld> {
    let Some(lock) = lock()? else { return Ok(None) };
    let mut waited = Duration::ZERO;
    let mut next_reminder = FIRST_REMINDER;
    let mut holders = String::new();
    let outcome = lock.hold(kind, &mut |waiting| {
        waited = waiting.since;
        let for_whom = || told(&waiting.for_whom());
        if no_wait || measure::interrupt::requested() {
            holders = for_whom();
            return Wake::Abort;
        }
        let is_due = waited >= next_reminder;
        let reminder = is_due.then(|| {
            next_reminder *= 2;
            still_waiting(waited, &for_whom())
        });
        tell(&Wait { for_whom: &for_whom, reminder: reminder.as_deref() });
        Wake::Continue
    });
    let waited = u64::try_from(waited.as_nanos()).unwrap_or(u64::MAX);
    WAITED.fetch_add(waited, Ordering::SeqCst);
    match outcome {
        Ok(Some(held)) => Ok(Some(held)),
        Ok(None) if measure::interrupt::requested() => {
            Err(Unheld::Ended(Failure::new("interrupted while waiting for the machine")))
        }
        Ok(None) => Err(Unheld::Ended(Failure::held(&holders))),
        Err(error) => {
            let path = lock.path().display();
            let failure = Failure::new(format!("cannot lock `{path}`")).caused_by(&error);
            Err(Unheld::Impossible(failure.hint(Some(way_out()))))
        }
    }
}

fn still_waiting(waited: Duration, for_whom: &str) -> String {
    format!("still waiting after {}, for {for_whom}", duration(waited.as_secs_f64().floor()))
}

/// Holds the machine for measuring, unless that is turned off or, with a note, impossible.
pub fn measuring(no_wait: bool, watcher: &mut dyn Watcher) -> Result<Option<Hold>, Failure> {
    let held = beside_work(Kind::Exclusive, no_wait, watcher)?;
    if let Some(held) = held.as_ref().filter(|held| held.kind() == Kind::Shared) {
        debug_assert!(held.is_inherited(), "what is ours is as we wanted it");
        let why =
            "measures beside others, because the `brisk hold --shared` around it lets them in";
        once(why, watcher);
    }
    Ok(held)
}

/// Shares the machine with others who build; None if holding is turned off or impossible.
pub fn building(no_wait: bool, watcher: &mut dyn Watcher) -> Result<Option<Hold>, Failure> {
    beside_work(Kind::Shared, no_wait, watcher)
}

/// Holds the machine; lets work proceed if that is impossible, with a note.
fn beside_work(
    kind: Kind,
    no_wait: bool,
    watcher: &mut dyn Watcher,
) -> Result<Option<Hold>, Failure> {
    let mut has_waited = false;
    let held = held(kind, no_wait, &mut |wait| {
        has_waited = true;
        watcher.on(Event::Waiting(*wait));
    });
    if has_waited {
        watcher.on(Event::Waited);
    }
    match held {
        Ok(held) => Ok(held),
        Err(Unheld::Impossible(failure)) => {
            let why = failure.causes().join(": ");
            once(
                &format!("{}, so nothing keeps others from measuring: {why}", failure.error()),
                watcher,
            );
            Ok(None)
        }
        Err(Unheld::Ended(failure)) => Err(failure),
    }
}

/// Tells of a fact at most once per process.
fn once(text: &str, watcher: &mut dyn Watcher) {
    static TOLD: AtomicBool = AtomicBool::new(false);
    if !TOLD.swap(true, Ordering::SeqCst) {
        watcher.on(Event::Note(text));
    }
}

/// The machine, held for measuring, in turns with waiting processes.
pub struct Turns {
    held: Option<Hold>,
    no_wait: bool,
}

impl Turns {
    /// The machine, held exclusively if that is possible. With `no_wait`, it is kept until the end.
    pub fn begin(no_wait: bool, watcher: &mut dyn Watcher) -> Result<Self, Failure> {
        Ok(Self::new(measuring(no_wait, watcher)?, no_wait))
    }

    /// The turns that begin with this one. With `no_wait`, the machine is kept until the end.
    pub fn new(held: Option<Hold>, no_wait: bool) -> Self {
        Self { held, no_wait }
    }

    pub(crate) fn is_wanted(&self) -> bool {
        !self.no_wait && self.held.as_ref().is_some_and(Hold::is_wanted)
    }

    /// Lets all waiting processes have it, and takes it back, unless interrupted. `tell` is called
    /// from time to time with the wait.
    pub(crate) fn give_way(&mut self, tell: &mut dyn FnMut(&Wait<'_>)) {
        self.held = None;
        // Only an interruption ends the wait, and the measuring code detects that itself. If holding
        // has become impossible, the rest is measured beside others.
        self.held = held(Kind::Exclusive, self.no_wait, tell).ok().flatten();
    }
}

/// The configured lock. None if it is turned off.
fn lock() -> Result<Option<MachineLock>, Unheld> {
    match std::env::var_os(VARIABLE).filter(|value| !value.is_empty()) {
        Some(value) if value == OsStr::new(OFF) => Ok(None),
        Some(value) if Path::new(&value).is_absolute() => Ok(Some(MachineLock::at(value))),
        Some(value) => {
            let value = value.to_string_lossy();
            Err(Unheld::Ended(
                Failure::new(format!("bad `{VARIABLE}`: `{value}` is not an absolute path"))
                    .hint(Some(way_out())),
            ))
        }
        None => match MachineLock::of_machine() {
            Ok(lock) => Ok(Some(lock)),
            Err(error) => Err(Unheld::Impossible(
                Failure::new("cannot lock this machine").caused_by(&error).hint(Some(way_out())),
            )),
        },
    }
}

fn way_out() -> String {
    format!("`{VARIABLE}` names another file that everybody can reach, or is `{OFF}`")
}

fn told(holders: &[Holder]) -> String {
    let Some(first) = holders.first() else {
        return "a process that cannot be seen from here".to_owned();
    };
    let others = match holders.len() - 1 {
        0 => String::new(),
        1 => ", and one other".to_owned(),
        others => format!(", and {others} others"),
    };
    plain(&format!("{}{others}", described(first))).into_owned()
}

/// `` `brisk history main` of ada (process 812, running for 3 min 00 s) ``.
fn described(holder: &Holder) -> String {
    let mut command = holder.command.iter();
    let program = command.next().map(|word| {
        let name = Path::new(word).file_name();
        name.map_or(word.clone(), |name| name.to_string_lossy().into_owned())
    });
    let words: Vec<String> = program.iter().chain(command).map(|word| quote(word)).collect();
    let line = words.join(" ");
    let what = match line.chars().count() {
        0 => "a command".to_owned(),
        count if count <= SHOWN => format!("`{line}`"),
        _ => format!("`{}…`", line.chars().take(SHOWN - 1).collect::<String>()),
    };
    let whose = holder.user.as_ref().map(|user| format!(" of {user}")).unwrap_or_default();
    let running = holder.running.map(|time| duration(time.as_secs_f64().floor()));
    let running = running.map(|time| format!(", running for {time}")).unwrap_or_default();
    format!("{what}{whose} (process {}{running}){}", holder.pid, until(holder))
}

/// The words for when a holder releases the machine, as far as its command shows.
fn until(holder: &Holder) -> &'static str {
    let waits = !holder.command.iter().any(|word| word == "--no-wait");
    let mut words = holder.command.iter();
    let program = words.next().and_then(|word| Path::new(word).file_name());
    match (program.is_some_and(|name| name == "brisk"), words.next().map(String::as_str)) {
        (false, _) | (true, None) => "",
        (true, Some("hold")) => ", until its command ends",
        (true, Some(verb)) if waits && verb != "doctor" && verb != "explain" => {
            ", which gives way between rounds"
        }
        (true, Some(_)) => ", until it ends",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn holder(words: &[&str]) -> Holder {
        Holder {
            pid: 812,
            user: Some("ada".to_owned()),
            command: words.iter().map(|word| (*word).to_owned()).collect(),
            running: Some(Duration::from_secs(180)),
        }
    }

    #[test]
    fn who_is_waited_for_is_told_in_words() {
        let history = holder(&["/opt/bin/brisk", "history", "a b"]);
        assert_eq!(
            told(std::slice::from_ref(&history)),
            "`brisk history 'a b'` of ada (process 812, running for 3 min 00 s), which gives way between \
             rounds"
        );
        let keeping = holder(&["brisk", "compare", "--no-wait", "a"]);
        assert!(told(std::slice::from_ref(&keeping)).ends_with("3 min 00 s), until it ends"));
        let held = holder(&["brisk", "hold", "make"]);
        assert!(told(std::slice::from_ref(&held)).ends_with("3 min 00 s), until its command ends"));
        let unseen = Holder { user: None, command: Vec::new(), running: None, ..history.clone() };
        assert_eq!(told(std::slice::from_ref(&unseen)), "a command (process 812)");
        assert!(told(&[unseen.clone(), history.clone(), unseen]).ends_with(", and 2 others"));
        assert_eq!(told(&[]), "a process that cannot be seen from here");
    }

    #[test]
    fn what_others_have_typed_is_shortened_and_hides_nothing() {
        let long = told(&[holder(&["x", &"y".repeat(100)])]);
        assert!(long.starts_with("`x yyy") && long.contains("yyy…` of ada"), "{long}");
        assert!(!told(&[holder(&["x", "\u{1b}[2J"])]).contains('\u{1b}'));
    }
}
