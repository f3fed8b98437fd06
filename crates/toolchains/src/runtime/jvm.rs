//! The Java virtual machine (HotSpot, since version 9): the variable `JDK_JAVA_OPTIONS`, with
//! `-Xlog`, written to a separate file, and with its knobs.
//!
//! The program `java` reads the variable, and mentions that on standard error; programs that embed
//! the machine do not. Version 8 and older ignore it. The options of the command itself override
//! it. A line of the log is (JEP 158, 271)
//!
//! ```text
//! [4711][gc,cpu] GC(0) User=0.01s Sys=0.00s Real=0.07s
//! [4711][gc] GC(0) Pause Young (Normal) (G1 Evacuation Pause) 6M->6M(64M) 73.058ms
//! ```
//!
//! with the process, the tags, and words that differ between collectors. The Serial, Parallel, G1,
//! Z and Shenandoah collectors are supported. Sizes are rounded down to mebibytes or kibibytes,
//! processor times to hundredths of a second, and cover only work in pauses.
//!
//! The machine refuses to start with two collectors, and with an initial heap above the largest.
//! Checked with OpenJDK 17.0.15.

use super::adapter::{Adapter, Asking, COMPILED, Kept, Request, Said, Way, plain_path};
use super::figures::{Figures, FiguresError, Quantity, between, decimal, size, whole};
use super::tuning::{
    ApplyError, Change, Choice, Effect, Facts, KNOB, Knob, Level, Start, Tuning, Unit, Untouched,
    chosen, in_variable, option, plain, refuse_said, sizes,
};
use std::collections::{BTreeMap, BTreeSet};

/// The Java virtual machine.
pub static ADAPTER: Adapter = Adapter {
    word: "jvm",
    name: NAME,
    about: "The Java virtual machine, for programs that `java` starts",
    marks: &[&[b"libjli.so\0", b"JDK_JAVA_OPTIONS\0"]],
    ways: &[Way { shown: "JDK_JAVA_OPTIONS=-Xlog:gc", request, read }],
    silence: "no program of the run wrote the log (not started by `java`, or by that of Java 8 or \
              older, or ended by a signal)",
    unreachable: "the folder for temporary files has a sign in its name that the options of Java cannot have; `TMPDIR` chooses another",
    lacking: &[
        (
            Quantity::Allocated,
            "the log does not say it; a recording (`-XX:StartFlightRecording`) does",
        ),
        (Quantity::Promoted, "the log does not say it in the same way for all collectors"),
        (Quantity::Copied, "the log does not say it"),
        (Quantity::MaxLive, "there was no full collection"),
        (Quantity::MutatorTime, "the log does not say it; see cpu time"),
        (Quantity::MinorCollections, "this collector does not tell them apart"),
        (Quantity::MajorCollections, "this collector does not tell them apart"),
        (Quantity::GcTime, "this collector does not say it"),
        (Quantity::PauseTime, "this collector does not say it in the lines that are read"),
        (Quantity::MaxPause, "there was no pause, or this collector does not say it"),
    ],
    live_heap: Err("what the Java virtual machine logs of each collection is not read over time"),
    ..COMPILED
};

const NAME: &str = "the Java virtual machine";
const VARIABLE: &str = "JDK_JAVA_OPTIONS";

fn request(asking: &Asking<'_>) -> Option<Request> {
    // Characters that the variable or the option would treat as a separator, quote or placeholder.
    let file = plain_path(asking.mailbox, &[' ', '\t', '\n', '"', '\'', '\\', ':', ',', '%', '@'])?;
    let value = format!("-Xlog:gc,gc+cpu,gc+heap+exit:file={file}:pid,tags:filecount=0");
    Some(Request::variable(VARIABLE, value, Kept::Before(" ")))
}

/// The log of one process.
#[derive(Debug, Default)]
struct Log {
    collector: Option<String>,
    collections: BTreeSet<u64>,
    minor: u64,
    major: u64,
    cpu_seconds: f64,
    pause_seconds: f64,
    max_pause_seconds: Option<f64>,
    max_live_bytes: Option<u64>,
    max_in_use_bytes: Option<u64>,
    at_exit_bytes: Option<u64>,
}

fn read(said: &Said<'_>) -> Result<Vec<Figures>, FiguresError> {
    let mut logs: BTreeMap<u64, Log> = BTreeMap::new();
    for line in said.mailbox.lines() {
        let Some((process, tags, message)) = parts(line) else { continue };
        let log = logs.entry(process).or_default();
        log.take(tags, message).ok_or(FiguresError::Malformed { runtime: NAME })?;
    }
    logs.retain(|_, log| log.collector.is_some() || !log.collections.is_empty());
    if logs.values().any(|log| log.collector.is_none()) {
        return Err(FiguresError::CutOff { runtime: NAME });
    }
    Ok(logs.values().map(Log::figures).collect())
}

/// The process (0 if not given), the tags and the words of a line.
fn parts(line: &str) -> Option<(u64, &str, &str)> {
    let mut rest = line;
    let mut process = 0;
    let mut tags = None;
    while let Some((decoration, after)) = rest.strip_prefix('[').and_then(|r| r.split_once(']')) {
        process = whole(decoration).unwrap_or(process);
        tags = Some(decoration.trim());
        rest = after;
    }
    Some((process, tags?, rest.strip_prefix(' ')?))
}

impl Log {
    /// Takes a line; `None` if its numbers do not fit its words. Other lines are ignored.
    fn take(&mut self, tags: &str, message: &str) -> Option<()> {
        match tags {
            "gc" => match message.strip_prefix("Using ") {
                Some(collector) => self.collector = Some(collector.to_owned()),
                None => self.take_event(message)?,
            },
            "gc,cpu" => {
                let time = |name| decimal(between(message, name, "s")?);
                self.cpu_seconds += time("User=")? + time("Sys=")?;
            }
            "gc,heap,exit" => self.take_exit(message)?,
            _ => {}
        }
        Some(())
    }

    /// Takes `GC(0) Pause Young (Normal) (G1 Evacuation Pause) 6M->6M(64M) 73.058ms`, and the like.
    fn take_event(&mut self, message: &str) -> Option<()> {
        let Some(rest) = message.strip_prefix("GC(") else { return Some(()) };
        let (number, words) = rest.split_once(") ")?;
        let number = whole(number)?;
        let sizes = words.split(' ').find(|word| word.contains("->"));
        let is_full = words.starts_with("Pause Full");
        if is_full || words.starts_with("Major Collection") && sizes.is_some() {
            self.major += 1;
        } else if words.starts_with("Pause Young")
            || words.starts_with("Minor Collection") && sizes.is_some()
        {
            self.minor += 1;
        }
        // A concurrent cycle of G1 has its own number, and begins with a young collection.
        if !words.starts_with("Concurrent Mark Cycle") && !words.starts_with("Concurrent Undo") {
            self.collections.insert(number);
        }
        if words.starts_with("Pause ") {
            let milliseconds = words.rsplit(' ').next()?.strip_suffix("ms")?;
            let seconds = decimal(milliseconds)? / 1e3;
            self.pause_seconds += seconds;
            self.max_pause_seconds = Some(self.max_pause_seconds.unwrap_or(0.0).max(seconds));
        }
        if let Some((_, after)) = sizes.and_then(|sizes| sizes.split_once("->"))
            && let Some((left, capacity)) = after.strip_suffix(')').and_then(|s| s.split_once('('))
            && let Some(capacity) = size(capacity)
        {
            self.max_in_use_bytes = self.max_in_use_bytes.max(Some(capacity));
            if is_full {
                self.max_live_bytes = self.max_live_bytes.max(Some(size(left)?));
            }
        }
        Some(())
    }

    /// Takes the heap at exit: ` garbage-first heap   total 65536K, used 13100K [...)`, a line for
    /// each generation of other collectors, or ` ZHeap  used 2M, capacity 64M, ...`.
    fn take_exit(&mut self, message: &str) -> Option<()> {
        let total =
            between(message, " total ", ",").or_else(|| between(message, ", capacity ", ","));
        if let Some(total) = total {
            let so_far = self.at_exit_bytes.unwrap_or(0);
            self.at_exit_bytes = Some(so_far.checked_add(size(total)?)?);
        }
        Some(())
    }

    fn figures(&self) -> Figures {
        let collector = self.collector.as_deref().unwrap_or_default();
        let is_in_pauses = ["Serial", "Parallel", "G1"].contains(&collector);
        let is_z = collector.contains("Z Garbage");
        let has_generations = is_in_pauses || (is_z && self.minor + self.major > 0);
        let count =
            if is_in_pauses { self.minor + self.major } else { self.collections.len() as u64 };
        Figures {
            max_live_bytes: self.max_live_bytes,
            max_in_use_bytes: self.max_in_use_bytes.max(self.at_exit_bytes),
            collections: Some(count),
            minor_collections: has_generations.then_some(self.minor),
            major_collections: has_generations.then_some(self.major),
            gc_cpu_seconds: is_in_pauses.then_some(self.cpu_seconds),
            pause_seconds: (!is_z).then_some(self.pause_seconds),
            max_pause_seconds: self.max_pause_seconds,
            ..Figures::default()
        }
    }
}

/// The virtual machine's knobs.
pub static TUNING: Tuning = Tuning {
    word: "jvm",
    knobs: &[&COLLECTOR, &YOUNG, &INITIAL, &LARGEST, &RATIO],
    conflict,
    apply,
    facts: |_| Facts::default(),
};

static COLLECTOR: Knob = Knob {
    name: "collector",
    about: "which collector",
    unit: Unit::Name,
    default: "G1, or Serial on one processor or with less than 1792 MiB",
    levels: &plain(["-XX:+UseSerialGC", "-XX:+UseParallelGC", "-XX:+UseG1GC", "-XX:+UseZGC"]),
    effect: Effect::Unordered,
    ..KNOB
};

static YOUNG: Knob = Knob {
    name: "-Xmn",
    about: "size of the young generation",
    default: "it adapts, up to a third of the heap or more",
    levels: &sizes(["16m", "32m", "64m", "128m", "256m", "512m", "1g", "2g", "4g"], 1),
    ..KNOB
};

static SIZES: [Level; 8] = sizes(["64m", "128m", "256m", "512m", "1g", "2g", "4g", "8g"], 1);

static INITIAL: Knob = Knob {
    name: "-Xms",
    about: "size of the heap at the beginning",
    default: "a sixty-fourth of the machine's memory",
    levels: &SIZES,
    untouched: Untouched::PartOfMemory(64),
    ..KNOB
};

static LARGEST: Knob = Knob {
    name: "-Xmx",
    about: "size that the heap may have",
    default: "a quarter of the machine's memory",
    levels: &SIZES,
    untouched: Untouched::PartOfMemory(4),
    ..KNOB
};

static RATIO: Knob = Knob {
    name: "-XX:NewRatio=",
    about: "size of the old generation over that of the young one",
    unit: Unit::Quotient,
    default: "2",
    levels: &plain(["1", "3", "4", "8"]),
    untouched: Untouched::After(1),
    effect: Effect::Unknown,
    ..KNOB
};

fn conflict(choices: &[Choice]) -> Option<&'static str> {
    let bytes = |knob| chosen(choices, knob).map(|level| level.claims_bytes);
    let (young, largest, initial) = (bytes(&YOUNG), bytes(&LARGEST), bytes(&INITIAL));
    let has_generations = chosen(choices, &COLLECTOR).is_none_or(|level| level.text != Z);
    let sizes_young = young.is_some() || chosen(choices, &RATIO).is_some();
    match () {
        () if initial.zip(largest).is_some_and(|(i, l)| i > l) => {
            Some("a heap begins no larger than it may become")
        }
        () if young.zip(largest).is_some_and(|(y, l)| y >= l) => {
            Some("the young generation is smaller than the heap")
        }
        () if young.is_some() && chosen(choices, &RATIO).is_some() => {
            Some("the size of the young generation is given twice")
        }
        () if sizes_young && !has_generations => Some("this collector has no generations"),
        () => None,
    }
}

/// The collector without generations before version 21.
const Z: &str = "-XX:+UseZGC";

/// True if a word of the user's sets the same knob as a choice.
fn is_same(word: &str, choice: &Choice) -> bool {
    match choice.knob.name {
        "collector" => word.starts_with("-XX:+Use") && word.ends_with("GC"),
        name => word.starts_with(name),
    }
}

fn apply(choices: &[Choice], start: &Start<'_>) -> Result<Change, ApplyError> {
    refuse_said(start.argv.unwrap_or_default().iter().skip(1), choices, is_same)?;
    let theirs = (start.variable)(VARIABLE);
    Ok(in_variable(VARIABLE, theirs, ' ', choices, option, is_same))
}
