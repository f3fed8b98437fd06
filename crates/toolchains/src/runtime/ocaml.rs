//! OCaml's runtime, versions 4 and 5: the variable `OCAMLRUNPARAM` with `v=0x420`.
//!
//! The bit 0x400 of `v` makes it print its counters to standard error when the program ends (OCaml
//! manual, "ocamlrun: options and environment"): lines `key: number`, counted in words of the
//! machine, here of 8 bytes. Their order differs between versions, and version 5 leaves some out.
//! The block may follow text without a newline. It is missing if the program is ended by a signal
//! or, in version 5, by an uncaught exception.
//!
//! Version 5 also leaves its events in a file if more variables request it
//! (`OCAML_RUNTIME_EVENTS_START` and others); these give the pauses. Version 4 ignores the
//! variables.
//!
//! The bit 0x20 makes version 4 print the effective parameters at the start; version 5 prints none.
//! That matters because the variable is never refused: version 4 silently limits `s` to 2^28 words,
//! a value that is not a number counts as the minimum, and unknown letters are ignored. Checked
//! with OCaml 4.13.1 and 5.4.1.
//!
//! OCaml's knobs: letters of the variable `OCAMLRUNPARAM` (OCaml manual, "ocamlrun: options and
//! environment").
//!
//! Version 4 silently limits `s` to 2^28 words; larger values are offered to version 5 only.
//! Version 5 reserves address space, not memory, of `s` words for each of up to 128 domains, and
//! reads `i` and `a` without any effect. Checked with OCaml 4.13.1 and 5.4.1.

use super::adapter::{Adapter, Asking, Difference, Kept, Request, Said, Variable, Way, plain_path};
use super::figures::{Figures, FiguresError, Quantity, between, whole};
use super::ocaml_events::pauses;
use super::tuning::{
    ApplyError, Change, Choice, Effect, Facts, Knob, Level, Need, Start, Tuning, Unit, Untouched,
    beside, kib, mib, no_conflict, plain,
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
    refusal: super::adapter::never_refuses,
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
    let parameters = Variable {
        name: VARIABLE,
        stands_in: Some(OLD_VARIABLE),
        // If a letter is set twice, the later setting counts. `e` is the size of the ring of events
        // for each domain, as a power of two in words: room for some 4,000 minor collections.
        value: "v=0x420,e=19".to_owned(),
        kept: Kept::Before(","),
    };
    let mut variables = vec![parameters];
    if let Some(folder) = plain_path(asking.folder, &[]) {
        let event = |name, value| Variable { name, stands_in: None, value, kept: Kept::No };
        variables.push(event("OCAML_RUNTIME_EVENTS_START", "1".to_owned()));
        variables.push(event("OCAML_RUNTIME_EVENTS_PRESERVE", "1".to_owned()));
        variables.push(event("OCAML_RUNTIME_EVENTS_DIR", folder));
    }
    Some(Request { variables, ..Request::default() })
}

/// The beginning of every block, in all versions.
const BEGIN: &str = "allocated_words: ";

/// A key of every block, which the program itself may print, too.
const IN_EVERY_BLOCK: &str = "forced_major_collections: ";

fn read(said: &Said<'_>) -> Result<Vec<Figures>, FiguresError> {
    let mut found = Vec::new();
    let mut blocks = said.stderr.split(BEGIN);
    let before = blocks.next().unwrap_or_default();
    if !said.is_stderr_whole && before.contains(IN_EVERY_BLOCK) {
        return Err(FiguresError::CutOff { runtime: NAME });
    }
    for block in blocks {
        found.push(figures(block)?);
    }
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
    let (number, shift) = match value.chars().last()? {
        'k' => (&value[..value.len() - 1], 10),
        'M' => (&value[..value.len() - 1], 20),
        'G' => (&value[..value.len() - 1], 30),
        _ => (value, 0),
    };
    let is_plain = number.bytes().all(|byte| byte.is_ascii_digit());
    number.parse::<u64>().ok().filter(|_| is_plain)?.checked_mul(1 << shift)
}

/// OCaml's knobs.
pub static TUNING: Tuning = Tuning {
    word: "ocaml",
    knobs: &[&MINOR_HEAP_4, &MINOR_HEAP_5, &OVERHEAD, &POLICY, &INCREMENT],
    conflict: no_conflict,
    apply,
    facts,
};

/// The values of `s`; version 4 accepts all but the last.
static SIZES: [Level; 14] = [
    kib("32k", 256),
    kib("64k", 512),
    mib("128k", 1),
    mib("512k", 4),
    mib("1M", 8),
    mib("2M", 16),
    mib("4M", 32),
    mib("8M", 64),
    mib("16M", 128),
    mib("32M", 256),
    mib("64M", 512),
    mib("128M", 1024),
    mib("256M", 2048),
    // For version 5 only.
    mib("512M", 4096),
];

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
    effect: Effect::CostsMemory,
    needs: &[],
};

static OVERHEAD: Knob = Knob {
    name: "o",
    about: "how much memory may be wasted before the major heap is collected",
    unit: Unit::Percent,
    default: "120 % (80 % before 4.14)",
    levels: &[
        plain("40"),
        plain("60"),
        plain("80"),
        plain("200"),
        plain("400"),
        plain("800"),
        plain("1600"),
    ],
    untouched: Untouched::After(3),
    effect: Effect::CostsMemory,
    needs: &[],
};

static POLICY: Knob = Knob {
    name: "a",
    about: "how free blocks of the major heap are found: 0 next fit, 1 first fit, 2 best fit",
    unit: Unit::Name,
    default: "2 (best fit) since 4.14, 0 in some older ones",
    levels: &[plain("0"), plain("1"), plain("2")],
    untouched: Untouched::After(0),
    effect: Effect::Unordered,
    needs: &[Need::BeforeMajor(5)],
};

static INCREMENT: Knob = Knob {
    name: "i",
    about: "how the major heap grows: percent up to 1000, words above",
    unit: Unit::Percent,
    default: "15 %",
    levels: &[plain("30"), plain("60"), plain("120"), plain("240"), plain("480")],
    untouched: Untouched::After(0),
    effect: Effect::CostsMemory,
    needs: &[Need::BeforeMajor(5)],
};

fn apply(choices: &[Choice], start: &Start<'_>) -> Result<Change, ApplyError> {
    let theirs = (start.variable)(VARIABLE).or_else(|| (start.variable)(OLD_VARIABLE));
    let ours: Vec<String> =
        choices.iter().map(|c| format!("{}={}", c.knob.name, c.level.text)).collect();
    let is_ours = |word: &str| {
        let letter = word.split_once('=').map_or(word, |(letter, _)| letter);
        choices.iter().any(|choice| choice.knob.name == letter)
    };
    let value = beside(theirs, ',', &ours, is_ours);
    Ok(Change { variables: vec![(VARIABLE, value)], argv: None })
}

/// Facts from an executable: only the runtime of version 5 contains its events variable's name.
fn facts(executable: &[u8]) -> Facts {
    let is_5 = find(executable, b"OCAML_RUNTIME_EVENTS_START").is_some();
    let is_any = find(executable, b"OCAMLRUNPARAM").is_some();
    Facts { major: is_any.then_some(if is_5 { 5 } else { 4 }), ..Facts::default() }
}
