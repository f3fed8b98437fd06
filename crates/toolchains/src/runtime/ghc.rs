//! GHC's runtime, which programs compiled by the Haskell compiler have: its figures and its knobs.
//!
//! The runtime reads the variable `GHCRTS` and the options between `+RTS` and `-RTS`, which
//! override it (GHC user's guide, "Runtime system options"). So an executable has these three names
//! as C strings, each ended by a zero byte. If the runtime is a shared library (`ghc -dynamic`),
//! its name, `libHSrts...so`, is among the libraries that the executable needs.
//!
//! Possible queries depend on how the program was linked:
//!
//! 1. With `-rtsopts` it writes its exact figures to a file, and takes the knobs.
//! 2. Without that option, it refuses both before it does anything, with exit status 1, but can
//!    print one line of coarser figures to standard error.
//! 3. With `-rtsopts=none` it reports that it ignores the variable; with `-rtsopts=ignoreAll` it
//!    ignores it silently. Neither gives figures.
//!
//! The figures of the option `-t` have two forms: one line for people, between `<<ghc:` and
//! `:ghc>>`, with times in milliseconds and memory in mebibytes; and with `--machine-readable` a
//! Haskell list of pairs of strings, which in a file follows the program's arguments. Both may
//! appear anywhere in the output of the program and its children, any number of times.
//!
//! The runtime refuses `--nonmoving-gc` with `-c`, crashes with it and `-G1`, and switches `-c` off
//! with `-G1`. Checked with GHC 9.0.2.

use super::adapter::{
    Adapter, Asking, COMPILED, Kept, LiveHeapError, LiveHeapQuery, LiveSample, Request, Said, Way,
    ordered_samples, plain_path,
};
use super::figures::{
    Figures, FiguresError, MEBIBYTE, Quantity, decimal, decimal as seconds, whole,
};
use super::tuning::{
    ApplyError, Change, Choice, Effect, Facts, KNOB, Knob, Need, Start, Tuning, Unit, Untouched,
    chosen, in_variable, is_option, option, plain, refuse_said, sizes,
};
use memchr::memmem::find;

/// GHC's runtime.
pub static ADAPTER: Adapter = Adapter {
    word: "ghc",
    name: NAME,
    about: "GHC, for Haskell programs",
    marks: &[&[b"GHCRTS\0", b"+RTS\0", b"-RTS\0"], &[b"libHSrts"]],
    ways: &[
        Way { shown: "GHCRTS=-t", request: to_file, read: exact },
        Way { shown: "GHCRTS=-t", request: |_| Some(options("-t")), read: lines },
    ],
    refusal,
    silence: "no program of the run gave GHC's figures (not one of GHC's, linked with \
              `-rtsopts=ignoreAll`, with `+RTS` options of its own, or its standard error goes \
              elsewhere)",
    unreachable: "GHC's runtime cannot be asked like this",
    lacking: &[
        (Quantity::MaxLive, "there was no major collection"),
        (Quantity::Promoted, "GHC's runtime does not say it; see what was copied"),
        (Quantity::Copied, EXACT_ONLY),
        (Quantity::MinorCollections, EXACT_ONLY),
        (Quantity::MajorCollections, EXACT_ONLY),
        (Quantity::PauseTime, EXACT_ONLY),
        (Quantity::MaxPause, EXACT_ONLY),
    ],
    live_heap: Ok(&LIVE_HEAP),
    ..COMPILED
};

const EXACT_ONLY: &str = "only said when linked with `-rtsopts`";

fn to_file(asking: &Asking<'_>) -> Option<Request> {
    // The runtime splits its variable at every blank.
    let file = plain_path(asking.mailbox, &[' ', '\t', '\n', '\r', '\x0b', '\x0c'])?;
    Some(options(format!("-t{file} --machine-readable")))
}

fn options(value: impl Into<String>) -> Request {
    Request::variable("GHCRTS", value, Kept::Before(" "))
}

/// The name of the runtime in errors.
const NAME: &str = "GHC's runtime";

const CUT_OFF: FiguresError = FiguresError::CutOff { runtime: NAME };
const MALFORMED: FiguresError = FiguresError::Malformed { runtime: NAME };

const LINE_BEGIN: &str = "<<ghc: ";
const LINE_END: &str = " :ghc>>";
/// Every list begins with this pair.
const LIST_BEGIN: &str = "[(\"bytes allocated\", ";
/// A pair that every list has, and nothing else.
const IN_EVERY_LIST: &str = ",(\"num_GCs\", \"";

/// The figures of every process in `text`, in the order in which they ended.
pub fn figures(text: &str) -> Result<Vec<Figures>, FiguresError> {
    let mut found = Vec::new();
    let mut rest = text;
    loop {
        let line = rest.find(LINE_BEGIN);
        let list = rest.find(LIST_BEGIN);
        let begin = line.into_iter().chain(list).min();
        if rest[..begin.unwrap_or(rest.len())].contains(IN_EVERY_LIST) {
            return Err(CUT_OFF);
        }
        let Some(begin) = begin else { return Ok(found) };
        let (figures, after) =
            if line == Some(begin) { line_at(&rest[begin..])? } else { list_at(&rest[begin..])? };
        found.push(figures);
        rest = after;
    }
}

/// The figures of a line, and the text after it.
fn line_at(text: &str) -> Result<(Figures, &str), FiguresError> {
    let text = &text[LINE_BEGIN.len()..];
    let line = text.lines().next().unwrap_or_default();
    let end = line.find(LINE_END).ok_or(CUT_OFF)?;
    let mut figures = Figures::default();
    for part in line[..end].split(", ") {
        take_part(&mut figures, part).ok_or(MALFORMED)?;
    }
    if figures.allocated_bytes.is_none() || figures.collections.is_none() {
        return Err(MALFORMED);
    }
    Ok((figures, &text[end + LINE_END.len()..]))
}

/// Takes one part of a line; `None` if its number does not fit its words. Other parts are ignored.
fn take_part(figures: &mut Figures, part: &str) -> Option<()> {
    if let Some(residency) = part.strip_suffix(" samples)") {
        let (sizes, samples) = residency.split_once(" avg/max bytes residency (")?;
        let (_, max) = sizes.split_once('/')?;
        let samples: u64 = samples.parse().ok()?;
        figures.max_live_bytes = Some(max.parse().ok()?).filter(|_| samples > 0);
    } else if let Some(mebibytes) = part.strip_suffix("M in use") {
        figures.max_in_use_bytes = Some(mebibytes.parse::<u64>().ok()?.checked_mul(MEBIBYTE)?);
    } else if let Some(bytes) = part.strip_suffix(" bytes") {
        figures.allocated_bytes = Some(bytes.parse().ok()?);
    } else if let Some(collections) = part.strip_suffix(" GCs") {
        figures.collections = Some(collections.parse().ok()?);
    } else if let Some((time, _)) = part.split_once(" MUT (") {
        figures.mutator_cpu_seconds = Some(seconds(time)?);
    } else if let Some((time, _)) = part.split_once(" GC (") {
        figures.gc_cpu_seconds = Some(seconds(time)?);
    }
    Some(())
}

/// The figures of a list, and the text after it.
fn list_at(text: &str) -> Result<(Figures, &str), FiguresError> {
    let mut rest = text.strip_prefix('[').ok_or(MALFORMED)?;
    let mut pairs = Vec::new();
    loop {
        let (pair, after) = pair_at(rest)?;
        pairs.push(pair);
        let after = after.trim_start();
        rest = match after.chars().next() {
            Some(',') => &after[1..],
            Some(']') => return Ok((of_pairs(&pairs)?, &after[1..])),
            Some(_) => return Err(MALFORMED),
            None => return Err(CUT_OFF),
        };
    }
}

/// `("key", "value")`, and the text after it. The runtime does not escape strings, and those in its
/// lists do not need it.
fn pair_at(text: &str) -> Result<((&str, &str), &str), FiguresError> {
    let key = after_sign(text, '(')?;
    let (key, rest) = string_at(key)?;
    let (value, rest) = string_at(after_sign(rest, ',')?)?;
    Ok(((key, value), after_sign(rest, ')')?))
}

fn string_at(text: &str) -> Result<(&str, &str), FiguresError> {
    after_sign(text, '"')?.split_once('"').ok_or(CUT_OFF)
}

/// The text after white space and this character.
fn after_sign(text: &str, sign: char) -> Result<&str, FiguresError> {
    let text = text.trim_start();
    match text.strip_prefix(sign) {
        Some(rest) => Ok(rest),
        None if text.is_empty() => Err(CUT_OFF),
        None => Err(MALFORMED),
    }
}

/// The figures of a list's pairs. Newer runtimes have additional names, which give some figures
/// more exactly.
fn of_pairs(pairs: &[(&str, &str)]) -> Result<Figures, FiguresError> {
    let text = |key: &str| pairs.iter().find(|(known, _)| *known == key).map(|(_, value)| *value);
    let count = |key: &str| -> Result<Option<u64>, FiguresError> {
        text(key).map(|value| value.parse().map_err(|_| MALFORMED)).transpose()
    };
    let time = |key: &str| -> Result<Option<f64>, FiguresError> {
        text(key).map(|value| seconds(value).ok_or(MALFORMED)).transpose()
    };
    let either = |new: &str, old: &str| Ok(count(new)?.or(count(old)?));
    let mebibytes = count("peak_megabytes_allocated")?;
    let in_use = mebibytes.and_then(|mebibytes| mebibytes.checked_mul(MEBIBYTE));
    let was_sampled = count("num_byte_usage_samples")? != Some(0);
    let (all, major) = (count("num_GCs")?, count("major_gcs")?);
    let mut max_pause_seconds: Option<f64> = None;
    for (key, value) in pairs {
        if key.starts_with("gen_") && key.ends_with("_max_pause_seconds") {
            let pause = seconds(value).ok_or(MALFORMED)?;
            max_pause_seconds = Some(max_pause_seconds.unwrap_or(0.0).max(pause));
        }
    }
    Ok(Figures {
        allocated_bytes: either("allocated_bytes", "bytes allocated")?,
        max_live_bytes: either("max_live_bytes", "max_bytes_used")?.filter(|_| was_sampled),
        max_in_use_bytes: count("max_mem_in_use_bytes")?.or(in_use),
        copied_bytes: count("copied_bytes")?,
        collections: all,
        minor_collections: all.zip(major).and_then(|(all, major)| all.checked_sub(major)),
        major_collections: major,
        gc_cpu_seconds: time("GC_cpu_seconds")?,
        mutator_cpu_seconds: time("mut_cpu_seconds")?,
        pause_seconds: time("GC_wall_seconds")?,
        max_pause_seconds,
        ..Figures::default()
    })
}

/// The figures in the mailbox; if it is empty, those on standard error of programs that were not
/// allowed to write there.
fn exact(said: &Said<'_>) -> Result<Vec<Figures>, FiguresError> {
    let found = figures(said.mailbox)?;
    if found.is_empty() { figures(said.stderr) } else { Ok(found) }
}

/// The lines on standard error.
fn lines(said: &Said<'_>) -> Result<Vec<Figures>, FiguresError> {
    figures(said.stderr)
}

/// The runtime's message that a program was linked without permission to use its options: the line
/// without the program's name. `None` if there is no such message.
pub fn refusal(stderr: &str) -> Option<&str> {
    let line = stderr.lines().find(|line| line.contains("RTS options are disabled"))?;
    Some(line.split_once(": ").map_or(line, |(_, words)| words).trim())
}

/// The option `-S`: a table with a line for each collection, on standard error. It needs no
/// `-rtsopts`.
///
/// ```text
///     Alloc    Copied     Live     GC     GC      TOT      TOT  Page Flts
///     bytes     bytes     bytes   user   elap     user     elap
///   1043184    332160    389560  0.001  0.001    0.003    0.003    0    0  (Gen:  1)
/// ```
///
/// After a collection of the young generation `Live` includes garbage of the old one that is not
/// collected yet. The last collection is made when the program is over, and left out. Checked with
/// GHC 9.0.2.
pub static LIVE_HEAP: LiveHeapQuery =
    LiveHeapQuery { shown: "GHCRTS=-S", request: |_| options("-S"), read: live_heap };

/// The text near the end of each line of the table.
const GENERATION: &str = "(Gen:";

fn live_heap(said: &Said<'_>) -> Result<Vec<LiveSample>, LiveHeapError> {
    if said.stderr.is_empty() {
        return Err(LiveHeapError::Silent);
    }
    let lines = said.stderr.lines().filter(|line| line.trim_end().ends_with(')'));
    let lines = lines.filter(|line| line.contains(GENERATION));
    let mut samples = ordered_samples(said, lines.map(live_sample))?;
    samples.pop();
    Ok(samples)
}

fn live_sample(line: &str) -> Option<LiveSample> {
    let (table, _) = line.split_once(GENERATION)?;
    let cells: Vec<&str> = table.split_ascii_whitespace().collect();
    // Output of the program without a newline precedes the table's columns.
    let [.., allocated, copied, live, _, _, _, elapsed, _, _] = cells[..] else { return None };
    whole(allocated)?;
    whole(copied)?;
    Some(LiveSample { seconds: decimal(elapsed)?, bytes: whole(live)? as f64 })
}

/// GHC's knobs.
pub static TUNING: Tuning = Tuning {
    word: "ghc",
    knobs: &[&AREA, &FACTOR, &HEAP, &COLLECTOR, &GENERATIONS, &CHUNK, &PROCESSORS],
    conflict,
    apply,
    facts,
};

/// A knob that is an option of the runtime.
const OPTION: Knob = Knob { needs: &[Need::RtsOpts], ..KNOB };

static AREA: Knob = Knob {
    name: "-A",
    about: "size of the allocation area, for each processor",
    default: "1m (4m since 9.2)",
    levels: &sizes(
        ["256k", "512k", "2m", "4m", "8m", "16m", "32m", "64m", "128m", "256m", "512m", "1g", "2g"],
        1,
    ),
    untouched: Untouched::After(2),
    ..OPTION
};

static FACTOR: Knob = Knob {
    name: "-F",
    about: "how much the old generation may grow before it is collected",
    unit: Unit::Quotient,
    default: "2",
    levels: &plain(["1.2", "1.5", "3", "4", "6", "8"]),
    untouched: Untouched::After(2),
    ..OPTION
};

static HEAP: Knob = Knob {
    name: "-H",
    about: "heap that may be used for allocation whenever it is not needed otherwise",
    default: "0",
    levels: &sizes(["64m", "128m", "256m", "512m", "1g", "2g", "4g"], 1),
    ..OPTION
};

static COLLECTOR: Knob = Knob {
    name: "collector",
    about: "how the oldest generation is collected: compacting, or without moving (since 8.10)",
    unit: Unit::Name,
    default: "copying",
    levels: &plain(["-c", "--nonmoving-gc"]),
    effect: Effect::Unordered,
    ..OPTION
};

static GENERATIONS: Knob = Knob {
    name: "-G",
    about: "number of generations",
    unit: Unit::Count,
    default: "2",
    levels: &plain(["1", "3", "4"]),
    untouched: Untouched::After(1),
    effect: Effect::Unknown,
    ..OPTION
};

static CHUNK: Knob = Knob {
    name: "-n",
    about: "size of the pieces in which the allocation area is handed out",
    default: "none (4m with an area of 16m or more)",
    levels: &sizes(["256k", "1m", "4m", "16m"], 1),
    effect: Effect::Unknown,
    ..OPTION
};

static PROCESSORS: Knob = Knob {
    name: "-N",
    about: "number of processors that are used at once",
    unit: Unit::Count,
    default: "1",
    levels: &plain(["2", "4", "8", "16"]),
    effect: Effect::Unknown,
    needs: &[Need::RtsOpts, Need::Threaded, Need::Processors],
    ..KNOB
};

/// A lower bound of the default allocation area in all versions.
const LEAST_AREA_BYTES: u64 = 1 << 20;

fn conflict(choices: &[Choice]) -> Option<&'static str> {
    let one_generation = chosen(choices, &GENERATIONS).is_some_and(|level| level.text == "1");
    if one_generation && chosen(choices, &COLLECTOR).is_some() {
        return Some("with one generation there is only the copying collector");
    }
    let area = chosen(choices, &AREA).map_or(LEAST_AREA_BYTES, |level| level.claims_bytes);
    let chunk = chosen(choices, &CHUNK).map_or(0, |level| level.claims_bytes);
    (chunk >= area).then_some("a piece is no smaller than the allocation area")
}

/// True if a word of the user's sets the same knob as a choice.
fn is_same(word: &str, choice: &Choice) -> bool {
    match choice.knob.name {
        "collector" => is_option(word, "-c") || word == "--nonmoving-gc",
        name => is_option(word, name),
    }
}

fn apply(choices: &[Choice], start: &Start<'_>) -> Result<Change, ApplyError> {
    let mut is_for_runtime = false;
    let of_runtime = start.argv.unwrap_or_default().iter().take_while(|word| *word != "--RTS");
    let of_runtime = of_runtime.filter(move |word| {
        is_for_runtime = (is_for_runtime || *word == "+RTS") && *word != "-RTS";
        is_for_runtime
    });
    refuse_said(of_runtime, choices, is_same)?;
    let theirs = (start.variable)("GHCRTS");
    Ok(in_variable("GHCRTS", theirs, ' ', choices, option, is_same))
}

/// Facts from an executable: only the threaded runtime explains the option `-N` in its help.
fn facts(executable: &[u8]) -> Facts {
    let is_static = find(executable, b"+RTS\0").is_some();
    let threaded = is_static.then(|| find(executable, b"  -N[<n>]").is_some());
    Facts { threaded, ..Facts::default() }
}
