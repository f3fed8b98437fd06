//! OCaml's runtime, versions 4 and 5: the variable `OCAMLRUNPARAM`, with `v=0x420` and with its
//! knobs (OCaml manual, "ocamlrun: options and environment").
//!
//! The bit 0x400 of `v` makes it print its counters to standard error when the program ends: lines
//! `key: number`, counted in words of the machine, here of 8 bytes. Their order differs between
//! versions, and version 5 leaves some out. The block may follow text without a newline. It is
//! missing if the program is ended by a signal or, in version 5, by an uncaught exception.
//!
//! The bit 0x20 makes version 4 print the effective parameters at the start; version 5 prints none.
//! That matters because the variable is never refused: version 4 silently limits `s` to 2^28 words,
//! so that larger values are offered to version 5 only; a value that is not a number counts as the
//! minimum, and unknown letters are ignored. Version 5 reserves address space, not memory, of `s`
//! words for each of up to 128 domains, and reads `i` and `a` without any effect.
//!
//! Version 5 also leaves its events in a file if more variables request it
//! (`OCAML_RUNTIME_EVENTS_START` and others); these give the pauses. Version 4 ignores the
//! variables. The file (`PID.events`, version 1 of the format; `caml/runtime_events.h` of OCaml
//! 5.4) has a header of eight 64-bit words, then for each domain the beginning and end of its
//! events, then for each domain a ring of events. An event is a word with its length in words (10
//! bits), a flag for the program's own events (1), its type (4), its subject (13), and 36 unused
//! bits, followed by a time in nanoseconds.
//!
//! A pause lasts from the begin to the end of an outermost phase. The numbers of phases differ
//! between versions, so they are only compared with each other. A ring that has wrapped has lost
//! its beginning, and with several domains pauses overlap; both give no result. Checked with OCaml
//! 4.13.1 and 5.4.1.

use super::adapter::{
    Adapter, Asking, COMPILED, Difference, Kept, Pieces, Request, Said, Variable, Way, plain_path,
};
use super::figures::{Figures, FiguresError, Quantity, between, whole};
use super::tuning::{
    ApplyError, Change, Choice, Effect, Facts, KNOB, Knob, Level, Need, Start, Tuning, Unit,
    Untouched, assignment, in_variable, plain, sizes,
};
use memchr::memmem::find;

/// OCaml's runtime.
pub static ADAPTER: Adapter = Adapter {
    word: "ocaml",
    name: NAME,
    about: "OCaml, for programs in native code or bytecode",
    marks: &[&[b"OCAMLRUNPARAM\0", b"minor_collections: "]],
    interprets: true,
    ways: &[Way { shown: "OCAMLRUNPARAM=v=0x420", request, read }],
    leaves: Some(".events"),
    silence: "no program of the run gave OCaml's figures (not one of OCaml's, ended by a signal or \
              an exception, or its standard error goes elsewhere)",
    unreachable: "OCaml's runtime cannot be asked like this",
    lacking: &[
        (
            Quantity::MaxLive,
            "OCaml's runtime knows it only after walking the heap; `Gc.stat` in the program does \
             that, and costs a collection",
        ),
        (Quantity::GcTime, TIMES),
        (Quantity::MutatorTime, TIMES),
        (Quantity::PauseTime, PAUSES),
        (Quantity::MaxPause, PAUSES),
        (Quantity::Copied, "OCaml's runtime does not say it; see what was promoted"),
    ],
    live_heap: Err("OCaml's runtime traces its collections without the time"),
    differences,
    settings_variables: &[VARIABLE, OLD_VARIABLE],
    ..COMPILED
};

const NAME: &str = "OCaml's runtime";
const VARIABLE: &str = "OCAMLRUNPARAM";

/// The variable that version 4 reads if the first is not set, as does version 5.
const OLD_VARIABLE: &str = "CAMLRUNPARAM";

const TIMES: &str = "OCaml's runtime does not say it; see cpu time";
const PAUSES: &str = "only OCaml 5 says it, of programs with one domain and of no more than some \
                      4,000 minor collections; `olly gc-stats` knows of longer ones";

/// Bytes of a word on the supported machines.
const WORD: u64 = 8;

fn request(asking: &Asking<'_>) -> Option<Request> {
    // If a letter is set twice, the later setting counts. `e` is the size of the ring of events for
    // each domain, as a power of two in words: room for some 4,000 minor collections.
    let parameters = Variable::new(VARIABLE, "v=0x420,e=19", Kept::Before(","));
    let mut variables = vec![Variable { stands_in: Some(OLD_VARIABLE), ..parameters }];
    if let Some(folder) = plain_path(asking.folder, &[]) {
        variables.extend([
            Variable::new("OCAML_RUNTIME_EVENTS_START", "1", Kept::No),
            Variable::new("OCAML_RUNTIME_EVENTS_PRESERVE", "1", Kept::No),
            Variable::new("OCAML_RUNTIME_EVENTS_DIR", folder, Kept::No),
        ]);
    }
    Some(Request { variables, ..Request::default() })
}

/// The beginning of every block, in all versions.
const BEGIN: &str = "allocated_words: ";

/// A key of every block, which the program itself may print, too.
const IN_EVERY_BLOCK: &str = "forced_major_collections: ";

fn read(said: &Said<'_>) -> Result<Vec<Figures>, FiguresError> {
    let mut blocks = said.stderr.split(BEGIN);
    let before = blocks.next().unwrap_or_default();
    if !said.is_stderr_whole && before.contains(IN_EVERY_BLOCK) {
        return Err(FiguresError::CutOff { runtime: NAME });
    }
    let mut found = blocks.map(figures).collect::<Result<Vec<_>, _>>()?;
    // The process of each file is unknown, but does not matter for their sum.
    if found.len() == said.files.len() {
        for (figures, file) in found.iter_mut().zip(said.files) {
            let seconds = |nanoseconds: u64| nanoseconds as f64 / 1e9;
            let pauses = pauses(file.as_ref());
            figures.pause_seconds = pauses.map(|pauses| seconds(pauses.total_ns));
            figures.max_pause_seconds = pauses.map(|pauses| seconds(pauses.longest_ns));
        }
    }
    Ok(found)
}

/// The figures of a block, from after its first key.
fn figures(block: &str) -> Result<Figures, FiguresError> {
    let malformed = FiguresError::Malformed { runtime: NAME };
    let (allocated, rest) = block.split_once('\n').ok_or(FiguresError::CutOff { runtime: NAME })?;
    let mut pairs = vec![("allocated_words", allocated)];
    pairs.extend(rest.lines().map_while(|line| {
        let (key, value) = line.split_once(": ")?;
        let is_key = !key.is_empty() && key.bytes().all(|b| b.is_ascii_lowercase() || b == b'_');
        is_key.then_some((key, value))
    }));
    let count = |wanted: &str| {
        let pair = pairs.iter().find(|(key, _)| *key == wanted);
        pair.ok_or(FiguresError::CutOff { runtime: NAME })
            .and_then(|(_, value)| whole(value).ok_or(malformed))
    };
    let bytes = |key: &str| count(key)?.checked_mul(WORD).ok_or(malformed);
    let (minor, major) = (count("minor_collections")?, count("major_collections")?);
    Ok(Figures {
        allocated_bytes: Some(bytes("allocated_words")?),
        promoted_bytes: Some(bytes("promoted_words")?),
        max_in_use_bytes: Some(bytes("top_heap_words")?),
        collections: minor.checked_add(major),
        minor_collections: Some(minor),
        major_collections: Some(major),
        ..Figures::default()
    })
}

/// The pauses of one process, in nanoseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Pauses {
    /// Their sum.
    pub total_ns: u64,
    /// The longest.
    pub longest_ns: u64,
}

/// The supported version of the format.
const VERSION: u64 = 1;

/// An upper limit of domains (`Max_domains_max` is 4096); a file with more is invalid.
const MOST_DOMAINS: u64 = 4096;

/// The longest supported ring, in words: half a gigabyte.
const LONGEST_RING: u64 = 1 << 26;

/// Bytes of a word of the file.
const FILE_WORD: usize = 8;

/// The types of the events that begin and end a phase.
const BEGIN_PHASE: u64 = 2;
const END_PHASE: u64 = 3;

/// The pauses in the file; `None` if it does not have all of them, or is another file.
pub fn pauses(file: &dyn Pieces) -> Option<Pauses> {
    let header = words(&file.at(0, 8 * FILE_WORD)?);
    let &[version, domains, about_bytes, ring_bytes, ring_words, about_at, rings_at, _] =
        &header[..]
    else {
        return None;
    };
    if version != VERSION || domains > MOST_DOMAINS || ring_words > LONGEST_RING {
        return None;
    }
    let mut found = None;
    for domain in 0..domains {
        let about = about_at.checked_add(domain.checked_mul(about_bytes)?)?;
        let &[head, tail] = &words(&file.at(about, 2 * FILE_WORD)?)[..] else { return None };
        if tail == 0 {
            continue;
        }
        if found.is_some() || head > 0 || tail > ring_words {
            return None;
        }
        let ring = rings_at.checked_add(domain.checked_mul(ring_bytes)?)?;
        let events = file.at(ring, usize::try_from(tail).ok()?.checked_mul(FILE_WORD)?)?;
        found = Some(of_events(&words(&events))?);
    }
    found
}

fn words(bytes: &[u8]) -> Vec<u64> {
    let word = |bytes: &[u8]| u64::from_le_bytes(bytes.try_into().expect("pieces of eight"));
    bytes.chunks_exact(FILE_WORD).map(word).collect()
}

fn of_events(ring: &[u64]) -> Option<Pauses> {
    let mut pauses = Pauses::default();
    let mut open: Vec<(u64, u64)> = Vec::new();
    let mut at = 0;
    while let Some(&event) = ring.get(at) {
        let length = usize::try_from(event >> 54).ok().filter(|&length| length > 0)?;
        let (is_programs, kind, about) = (event >> 53 & 1, event >> 49 & 15, event >> 36 & 0x1fff);
        let time = ring.get(at + 1).copied();
        match kind {
            BEGIN_PHASE if is_programs == 0 => open.push((about, time?)),
            END_PHASE
                if is_programs == 0 && open.last().is_some_and(|(opened, _)| *opened == about) =>
            {
                let (_, begun) = open.pop()?;
                if open.is_empty() {
                    let pause = time?.checked_sub(begun)?;
                    pauses.total_ns = pauses.total_ns.checked_add(pause)?;
                    pauses.longest_ns = pauses.longest_ns.max(pause);
                }
            }
            _ => {}
        }
        at += length;
    }
    Some(pauses)
}

/// A parameter that version 4 reports: its letter, the text around the value, and the factor and
/// divisor that convert the requested value to the unit of the report.
const TOLD: [(&str, &str, &str, u64, u64); 8] = [
    ("s", "Initial minor heap size: ", "k words\n", 1, 1024),
    ("h", "Initial major heap size: ", "k bytes\n", WORD, 1024),
    ("o", "Initial space overhead: ", "%\n", 1, 1),
    ("O", "Initial max overhead: ", "%\n", 1, 1),
    ("i", "Initial heap increment: ", "%\n", 1, 1),
    ("i", "Initial heap increment: ", "k words\n", 1, 1024),
    ("a", "Initial allocation policy: ", "\n", 1, 1),
    ("w", "Initial smoothing window: ", "\n", 1, 1),
];

/// The letters known to version 4 or 5 (`caml_parse_ocamlrunparam`).
const KNOWN: &str = "abcdehHiIlmMnoOpRstvVwWX";

/// The letters that version 5 reads but ignores, determined by experiment with 5.4.1.
const WITHOUT_EFFECT_IN_5: &str = "hiawO";

fn differences(said: &Said<'_>, asked: &str) -> Vec<Difference> {
    let is_version_4 = said.stderr.contains("Initial minor heap size: ");
    let settings = asked.split(',').filter(|setting| !setting.is_empty());
    settings
        .filter_map(|setting| {
            let (letter, value) = setting.split_once('=').unwrap_or((setting, ""));
            let effective = match (letter, is_version_4) {
                ("v" | "b" | "c", _) => None,
                _ if !letter.chars().next().is_some_and(|first| KNOWN.contains(first)) => {
                    Some("OCaml knows no such setting".to_owned())
                }
                (_, true) => told(letter, value, said.stderr),
                (_, false) if WITHOUT_EFFECT_IN_5.contains(letter) => {
                    Some("OCaml 5 has no use for it".to_owned())
                }
                (_, false) => amount(value)
                    .is_none()
                    .then(|| "it is not a number, and OCaml silently uses another one".into()),
            }?;
            Some(Difference { asked: setting.to_owned(), effective })
        })
        .collect()
}

/// Version 4's report of a setting, if it differs from the request.
fn told(letter: &str, value: &str, stderr: &str) -> Option<String> {
    let asked = amount(value);
    let of_letter = TOLD.iter().filter(|(known, ..)| *known == letter);
    let mut lines = of_letter.filter_map(|(_, before, after, units, in_one)| {
        let effective = between(stderr, before, "\n").map(|rest| format!("{rest}\n"))?;
        let number = whole(effective.strip_suffix(after)?)?;
        let same = asked.and_then(|asked| asked.checked_mul(*units)).map(|asked| asked / in_one);
        Some((effective.trim_end().to_owned(), same == Some(number)))
    });
    lines.next().filter(|(_, same)| !same).map(|(told, _)| format!("OCaml runs with {told}"))
}

/// A value as the runtime reads it: digits, or hexadecimal, followed by a letter for a power of
/// 1024.
fn amount(value: &str) -> Option<u64> {
    if let Some(digits) = value.strip_prefix("0x") {
        return u64::from_str_radix(digits, 16).ok();
    }
    let shift = match value.chars().last()? {
        'k' => 10,
        'M' => 20,
        'G' => 30,
        _ => 0,
    };
    let number = if shift == 0 { value } else { &value[..value.len() - 1] };
    let is_plain = number.bytes().all(|byte| byte.is_ascii_digit());
    number.parse::<u64>().ok().filter(|_| is_plain)?.checked_mul(1 << shift)
}

/// OCaml's knobs.
pub static TUNING: Tuning = Tuning {
    word: "ocaml",
    knobs: &[&MINOR_HEAP_4, &MINOR_HEAP_5, &OVERHEAD, &POLICY, &INCREMENT],
    conflict: |_| None,
    apply,
    facts,
};

/// The values of `s`; version 4 accepts all but the last.
static SIZES: [Level; 14] = sizes(
    [
        "32k", "64k", "128k", "512k", "1M", "2M", "4M", "8M", "16M", "32M", "64M", "128M", "256M",
        "512M",
    ],
    WORD,
);

static MINOR_HEAP_4: Knob =
    Knob { levels: SIZES.split_at(13).0, needs: &[Need::BeforeMajor(5)], ..MINOR };
static MINOR_HEAP_5: Knob = Knob { levels: &SIZES, needs: &[Need::SinceMajor(5)], ..MINOR };

const MINOR: Knob = Knob {
    name: "s",
    about: "size of the minor heap",
    unit: Unit::Words,
    default: "256k words",
    levels: &[],
    untouched: Untouched::After(3),
    ..KNOB
};

static OVERHEAD: Knob = Knob {
    name: "o",
    about: "how much memory may be wasted before the major heap is collected",
    unit: Unit::Percent,
    default: "120 % (80 % before 4.14)",
    levels: &plain(["40", "60", "80", "200", "400", "800", "1600"]),
    untouched: Untouched::After(3),
    ..KNOB
};

static POLICY: Knob = Knob {
    name: "a",
    about: "how free blocks of the major heap are found: 0 next fit, 1 first fit, 2 best fit",
    unit: Unit::Name,
    default: "2 (best fit) since 4.14, 0 in some older ones",
    levels: &plain(["0", "1", "2"]),
    effect: Effect::Unordered,
    needs: &[Need::BeforeMajor(5)],
    ..KNOB
};

static INCREMENT: Knob = Knob {
    name: "i",
    about: "how the major heap grows: percent up to 1000, words above",
    unit: Unit::Percent,
    default: "15 %",
    levels: &plain(["30", "60", "120", "240", "480"]),
    needs: &[Need::BeforeMajor(5)],
    ..KNOB
};

fn apply(choices: &[Choice], start: &Start<'_>) -> Result<Change, ApplyError> {
    let theirs = (start.variable)(VARIABLE).or_else(|| (start.variable)(OLD_VARIABLE));
    let is_same = |word: &str, choice: &Choice| word.split('=').next() == Some(choice.knob.name);
    Ok(in_variable(VARIABLE, theirs, ',', choices, assignment, is_same))
}

/// Facts from an executable: only the runtime of version 5 contains its events variable's name.
fn facts(executable: &[u8]) -> Facts {
    let is_5 = find(executable, b"OCAML_RUNTIME_EVENTS_START").is_some();
    let is_any = find(executable, b"OCAMLRUNPARAM").is_some();
    Facts { major: is_any.then_some(if is_5 { 5 } else { 4 }), ..Facts::default() }
}
