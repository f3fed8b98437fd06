//! The hot spots of a plain GHC program: it is stopped about every millisecond to examine its
//! stack. Counters do not see precompiled libraries; sampling does.

use std::collections::HashSet;
use std::fs;
use std::path::Path;
use std::time::Duration;

use ghc::causes::Program;
use ghc::heap_census::{Census, Stacks, Waiting, Waits};
use ghc::image::Image;
use ghc::samples::{Samples, Stop, Tally, stack_register};
use measure::Outcome;
use measure::clock::Stopwatch;
use measure::sampling::{Stopped, sample};
use measure::tool::LogEnd;

use super::running::{Figures, Run, command};

/// The approximate number of samples in one run. A share of a tenth of 1000 has an interval (95 %)
/// of 8 to 12 %.
const LOOKS: f64 = 1000.0;

/// The minimum and maximum processor time between two samples. A sample takes some tens of
/// microseconds.
const EVERY_SECONDS: (f64, f64) = (0.0002, 0.002);

/// Runs are repeated until this number of samples hit the program's own work.
const ENOUGH: u64 = 1000;

/// No run is started that is expected to end later than this.
const PATIENCE: Duration = Duration::from_millis(1500);

/// The minimum number of samples for a result.
const LEAST: u64 = 50;

/// A program that works less than this is hardly ever seen at work, however often it runs.
const LEAST_SECONDS: f64 = 0.002;

/// The reason for a missing result, as a sentence without its end; or an interruption by the user.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "each message says what its fields are")]
pub enum Unsampled {
    #[error("{0}")]
    Missing(String),
    #[error("interrupted while the program was sampled")]
    Interrupted,
}

/// Runs a plain program until there are enough samples. `compiled` has the program's own modules
/// and bindings; `plain` has the figures of a plain run.
pub fn samples(
    path: &Path,
    run: &Run,
    compiled: &Program,
    plain: Figures,
) -> Result<Samples, Unsampled> {
    let missing = Unsampled::Missing;
    let bytes = fs::read(path).map_err(|error| missing(error.to_string()))?;
    let image = Image::read(&bytes).map_err(|error| missing(error.to_string()))?;
    drop(bytes);
    let own: HashSet<String> = compiled.modules.iter().map(|it| it.name.clone()).collect();
    let own_seconds = plain.mutator_seconds.unwrap_or(plain.wall_seconds);
    if own_seconds < LEAST_SECONDS {
        return Err(missing("the program works for less than 2 ms".to_owned()));
    }
    let (least, most) = EVERY_SECONDS;
    let every = Duration::from_secs_f64((own_seconds / LOOKS).clamp(least, most));
    let line = command(path, run, "");
    let mut tally = Tally::default();
    let patience = Stopwatch::start();
    loop {
        let mut looking = Looking { image: &image, own: &own, tally: &mut tally, moved_by: None };
        let sampled = sample(&line, every, run.timeout, &mut |stopped| looking.look(path, stopped))
            .map_err(|error| missing(reason(&error)))?;
        match sampled.end {
            LogEnd::Interrupted => return Err(Unsampled::Interrupted),
            LogEnd::ByItself(Outcome::Exited(0)) => {}
            _ => {
                let reason = "the program did not end well while it was sampled";
                return Err(missing(reason.to_owned()));
            }
        }
        if tally.worked() >= ENOUGH || patience.elapsed() + sampled.elapsed > PATIENCE {
            break;
        }
    }
    match tally.worked() {
        few if few < LEAST => {
            Err(missing(format!("the program was seen at work {few} times only")))
        }
        _ => Ok(Samples { mutator_seconds: plain.mutator_seconds, ..tally.placed(compiled) }),
    }
}

fn reason(error: &dyn std::error::Error) -> String {
    match error.source() {
        Some(source) => format!("{error}: {source}"),
        None => error.to_string(),
    }
}

/// The approximate number of heap censuses in a run.
const HEAP_LOOKS: f64 = 12.0;

/// The maximum amount of a heap that is read at once: the rest would be more of the same.
const MOST_HEAP_BYTES: u64 = 1 << 28;

/// Runs a plain program, and counts the thunks in its heap and the frames on its stacks at
/// intervals. Returns the largest census of each; empty if unavailable, which is not worth failing
/// for, unless the user interrupts.
pub fn census(
    path: &Path,
    run: &Run,
    compiled: &Program,
    plain: Figures,
) -> Result<(Vec<Waiting>, Waits), Unsampled> {
    let Some(image) = fs::read(path).ok().and_then(|bytes| Image::read(&bytes).ok()) else {
        return Ok(Default::default());
    };
    let every = Duration::from_secs_f64((plain.wall_seconds / HEAP_LOOKS).max(EVERY_SECONDS.0));
    let mut thunks = Census::default();
    let mut stacks = Stacks::default();
    let sampled = sample(&command(path, run, ""), every, run.timeout, &mut |stopped| {
        let pieces = heap(stopped);
        let moved_by = moved_by(&image, path, stopped);
        let census = Census::read(&image, moved_by, &pieces);
        if census.bytes() > thunks.bytes() {
            thunks = census;
        }
        let census = Stacks::read(&image, moved_by, &pieces);
        if census.bytes() > stacks.bytes() {
            stacks = census;
        }
    });
    match sampled {
        Ok(sampled) if sampled.end == LogEnd::Interrupted => Err(Unsampled::Interrupted),
        Ok(_) => Ok((thunks.placed(compiled, &image), stacks.placed(compiled, &image))),
        Err(_) => Ok(Default::default()),
    }
}

/// The memory of a stopped program, up to a limit.
fn heap(stopped: &Stopped) -> Vec<(u64, Vec<u8>)> {
    let mut room = MOST_HEAP_BYTES;
    let mut pieces = Vec::new();
    for range in stopped.data() {
        let length = (range.end - range.start).min(room);
        let Ok(size) = usize::try_from(length) else { continue };
        let mut bytes = vec![0; size];
        let read = stopped.read(range.start, &mut bytes);
        bytes.truncate(read);
        room -= read as u64;
        pieces.push((range.start, bytes));
    }
    pieces
}

/// The offset of a program's code from its linked address.
fn moved_by(image: &Image, path: &Path, stopped: &Stopped) -> u64 {
    let place = stopped.place_of(path).unwrap_or_else(|| image.base());
    place.wrapping_sub(image.base())
}

/// The sampler of one run.
struct Looking<'a> {
    image: &'a Image,
    own: &'a HashSet<String>,
    tally: &'a mut Tally,
    moved_by: Option<u64>,
}

impl Looking<'_> {
    fn look(&mut self, path: &Path, stopped: &Stopped) {
        let image = self.image;
        let moved_by = *self.moved_by.get_or_insert_with(|| moved_by(image, path, stopped));
        let registers = stopped.registers;
        let top = registers.general[stack_register()];
        let mut window = Window { start: 0, bytes: Vec::new() };
        let mut memory = |address: u64| {
            image.word(address.wrapping_sub(moved_by)).or_else(|| window.word(stopped, address))
        };
        let at = Stop { code: registers.counter, top, moved_by };
        self.tally.look(image, self.own, at, &mut memory);
    }
}

/// A piece of the program's memory read at once: frames are adjacent.
struct Window {
    start: u64,
    bytes: Vec<u8>,
}

/// The number of bytes of a stack read at once.
const PIECE_BYTES: usize = 4096;

impl Window {
    fn word(&mut self, stopped: &Stopped, address: u64) -> Option<u64> {
        if let Some(word) = self.known(address) {
            return Some(word);
        }
        // A distant address is a single heap object.
        let is_next =
            |it: &Self| address.wrapping_sub(it.start) < (it.bytes.len() + PIECE_BYTES) as u64;
        if self.bytes.is_empty() || is_next(self) {
            self.bytes.resize(PIECE_BYTES, 0);
            let read = stopped.read(address, &mut self.bytes);
            self.bytes.truncate(read);
            self.start = address;
            return self.known(address);
        }
        let mut word = [0; 8];
        (stopped.read(address, &mut word) == word.len()).then(|| u64::from_ne_bytes(word))
    }

    fn known(&self, address: u64) -> Option<u64> {
        let at = usize::try_from(address.checked_sub(self.start)?).ok()?;
        Some(u64::from_ne_bytes(self.bytes.get(at..at.checked_add(8)?)?.try_into().ok()?))
    }
}
