//! Knobs of runtimes that make programs faster or smaller from outside: the values worth trying,
//! and the way to apply them to a command.
//!
//! A [`Tuning`] is a row of data for each runtime, like its adapter. [`Tuning::menu`] lists the
//! settings available for a machine and a program; a choice of places on it is a [`Setting`], which
//! [`Setting::apply`] adds to a command. Combinations that a runtime is known to refuse are not
//! permitted. A search sees only places, and which of them are permitted.

use std::ffi::OsString;

use super::{ghc, go, jvm, ocaml, preludes, sml};

/// The knobs of every runtime.
pub static ALL: [&Tuning; 9] = [
    &ghc::TUNING,
    &ocaml::TUNING,
    &preludes::SBCL_TUNING,
    &sml::MLTON_TUNING,
    &sml::POLYML_TUNING,
    &go::TUNING,
    &jvm::TUNING,
    &preludes::NODE_TUNING,
    &preludes::CPYTHON_TUNING,
];

/// The knobs of the runtime whose adapter has this word.
pub fn find(word: &str) -> Option<&'static Tuning> {
    ALL.into_iter().find(|tuning| tuning.word == word)
}

/// A setting of a runtime.
#[derive(Debug)]
pub struct Knob {
    /// The runtime's name for it: `s`, `-A`, `GOGC`.
    pub name: &'static str,
    /// Its description, for people.
    pub about: &'static str,
    /// The unit of its values.
    pub unit: Unit,
    /// The runtime's default, for people.
    pub default: &'static str,
    /// The values worth trying besides the default, in their order.
    pub levels: &'static [Level],
    /// The position of the default among them.
    pub untouched: Untouched,
    /// The effect of a later level, as far as it is known in advance.
    pub effect: Effect,
    /// Its requirements.
    pub needs: &'static [Need],
}

/// A knob whose later values cost memory, and whose default comes before all of them.
pub(super) const KNOB: Knob = Knob {
    name: "",
    about: "",
    unit: Unit::Bytes,
    default: "",
    levels: &[],
    untouched: Untouched::After(0),
    effect: Effect::CostsMemory,
    needs: &[],
};

impl PartialEq for Knob {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self, other)
    }
}

impl Eq for Knob {}

/// A value of a knob.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Level {
    /// The text for the runtime.
    pub text: &'static str,
    /// The memory that it may claim by itself, in bytes; 0 if none.
    pub claims_bytes: u64,
}

/// The unit of a knob's values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    /// Words of 8 bytes.
    Words,
    /// Bytes.
    Bytes,
    /// Mebibytes, written without a unit.
    Mebibytes,
    /// Percent.
    Percent,
    /// A quotient.
    Quotient,
    /// A count.
    Count,
    /// None: the values are names.
    Name,
}

/// The position of the default among the levels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Untouched {
    /// After this number of levels.
    After(usize),
    /// At the position of a claim of this part of the machine's memory: 64 for a sixty-fourth.
    PartOfMemory(u64),
}

/// The effect of a later level.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effect {
    /// It trades memory for time.
    CostsMemory,
    /// It trades time for memory.
    SavesMemory,
    /// Unknown, but the levels are ordered.
    Unknown,
    /// Unknown, and the levels are not ordered.
    Unordered,
}

/// A requirement of a knob.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Need {
    /// This major version of the runtime or a later one.
    SinceMajor(u32),
    /// A major version of the runtime before this one.
    BeforeMajor(u32),
    /// A program linked with `-rtsopts` (GHC).
    RtsOpts,
    /// A program linked with `-threaded` (GHC).
    Threaded,
    /// Two processors or more.
    Processors,
}

/// Values that claim no memory by themselves.
pub(super) const fn plain<const N: usize>(texts: [&'static str; N]) -> [Level; N] {
    sizes(texts, 0)
}

/// Values that may claim memory: numbers of units of this many bytes, with `k`, `M` or `G` for a
/// power of 1024.
pub(super) const fn sizes<const N: usize>(texts: [&'static str; N], unit: u64) -> [Level; N] {
    let mut levels = [Level { text: "", claims_bytes: 0 }; N];
    let mut place = 0;
    while place < N {
        let text = texts[place];
        let claims_bytes = if unit == 0 { 0 } else { unit * number(text.as_bytes()) };
        levels[place] = Level { text, claims_bytes };
        place += 1;
    }
    levels
}

const fn number(text: &[u8]) -> u64 {
    let mut number = 0;
    let mut place = 0;
    while place < text.len() {
        match text[place].to_ascii_lowercase() {
            b'k' => return number << 10,
            b'm' => return number << 20,
            b'g' => return number << 30,
            digit => number = 10 * number + (digit - b'0') as u64,
        }
        place += 1;
    }
    number
}

/// The knobs of one runtime.
#[derive(Debug)]
pub struct Tuning {
    /// The word of the runtime's adapter.
    pub word: &'static str,
    /// Its knobs, the most important ones first.
    pub knobs: &'static [&'static Knob],
    /// The reason that these choices cannot be combined, if so.
    pub conflict: fn(&[Choice]) -> Option<&'static str>,
    /// The changes to a command.
    pub apply: fn(&[Choice], &Start<'_>) -> Result<Change, ApplyError>,
    /// The facts that its executable file tells.
    pub facts: fn(&[u8]) -> Facts,
}

/// The machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Host {
    /// Its memory in bytes, or the usable part of it.
    pub memory_bytes: u64,
    /// Its processors.
    pub processors: u32,
}

/// Facts about a program. Unknown facts do not rule out a knob.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Facts {
    /// The major version of its runtime.
    pub major: Option<u32>,
    /// True if it was linked with `-rtsopts`.
    pub rtsopts: Option<bool>,
    /// True if it was linked with `-threaded`.
    pub threaded: Option<bool>,
}

/// A knob and its chosen value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Choice {
    /// The knob.
    pub knob: &'static Knob,
    /// Its value.
    pub level: Level,
}

/// The level chosen for a knob.
pub(super) fn chosen(choices: &[Choice], knob: &Knob) -> Option<Level> {
    choices.iter().find(|choice| choice.knob == knob).map(|choice| choice.level)
}

/// All settings available for a program on a machine.
#[derive(Debug, Clone)]
pub struct Menu {
    /// The runtime's knobs.
    pub tuning: &'static Tuning,
    /// The knobs, each with its levels.
    pub items: Vec<Item>,
    /// The knobs that are left out.
    pub left_out: Vec<LeftOut>,
}

/// A knob that can be turned, and its range.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Item {
    /// The knob.
    pub knob: &'static Knob,
    /// Its levels on this machine, in order, without the default.
    pub levels: Vec<Level>,
    /// The place of the default: the number of levels before it.
    pub default_place: usize,
}

impl Item {
    /// The number of places: the levels, and the default.
    pub fn places(&self) -> usize {
        self.levels.len() + 1
    }

    /// The level at this place; `None` for the default's.
    ///
    /// # Panics
    ///
    /// When the place does not exist.
    pub fn level(&self, place: usize) -> Option<Level> {
        assert!(place < self.places(), "there are {} places", self.places());
        let number = place - usize::from(place > self.default_place);
        (place != self.default_place).then(|| self.levels[number])
    }
}

/// A knob that cannot be turned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LeftOut {
    /// The knob.
    pub knob: &'static Knob,
    /// The missing requirement; `None` if the machine has no room for any of its levels.
    pub need: Option<Need>,
}

impl LeftOut {
    /// The reason, as a clause.
    pub fn reason(&self) -> String {
        match self.need {
            Some(Need::SinceMajor(major)) => format!("it works since version {major}"),
            Some(Need::BeforeMajor(major)) => format!("version {major} has no use for it"),
            Some(Need::RtsOpts) => "the program was not linked with `-rtsopts`".to_owned(),
            Some(Need::Threaded) => "the program was not linked with `-threaded`".to_owned(),
            Some(Need::Processors) => "there is one processor".to_owned(),
            None => "the machine has not enough memory for any of its levels".to_owned(),
        }
    }
}

impl Tuning {
    /// The menu for this machine and program; levels that claim more than half of the machine's
    /// memory are left out.
    pub fn menu(&'static self, host: Host, facts: Facts) -> Menu {
        let mut menu = Menu { tuning: self, items: Vec::new(), left_out: Vec::new() };
        for &knob in self.knobs {
            if let Some(need) = knob.needs.iter().find(|need| is_lacking(**need, host, facts)) {
                menu.left_out.push(LeftOut { knob, need: Some(*need) });
                continue;
            }
            let fits = |level: &&Level| level.claims_bytes <= host.memory_bytes / 2;
            let levels: Vec<Level> = knob.levels.iter().filter(fits).copied().collect();
            if levels.is_empty() {
                menu.left_out.push(LeftOut { knob, need: None });
                continue;
            }
            let before = match knob.untouched {
                Untouched::After(before) => before,
                Untouched::PartOfMemory(parts) => {
                    let bytes = host.memory_bytes / parts;
                    levels.iter().filter(|level| level.claims_bytes < bytes).count()
                }
            };
            let default_place = before.min(levels.len());
            menu.items.push(Item { knob, levels, default_place });
        }
        menu
    }
}

fn is_lacking(need: Need, host: Host, facts: Facts) -> bool {
    match need {
        Need::SinceMajor(least) => facts.major.is_some_and(|major| major < least),
        Need::BeforeMajor(least) => facts.major.is_some_and(|major| major >= least),
        Need::RtsOpts => facts.rtsopts == Some(false),
        Need::Threaded => facts.threaded == Some(false),
        Need::Processors => host.processors < 2,
    }
}

impl Menu {
    /// The setting with these places, one for each item.
    ///
    /// # Panics
    ///
    /// When a place does not exist.
    pub fn setting(&self, places: &[usize]) -> Setting {
        assert_eq!(places.len(), self.items.len(), "a place for each item");
        let choice = |(item, &place): (&Item, &usize)| {
            item.level(place).map(|level| Choice { knob: item.knob, level })
        };
        let choices = self.items.iter().zip(places).filter_map(choice).collect();
        Setting { tuning: self.tuning, choices }
    }

    /// True if the choices at these places can be combined.
    pub fn permits(&self, places: &[usize]) -> bool {
        self.setting(places).conflict().is_none()
    }
}

/// Some knobs with their values; the others keep their defaults.
#[derive(Debug, Clone)]
pub struct Setting {
    tuning: &'static Tuning,
    choices: Vec<Choice>,
}

impl Setting {
    /// The knobs that are turned; empty for the default.
    pub fn choices(&self) -> &[Choice] {
        &self.choices
    }

    /// The reason that these values cannot be combined, if so.
    pub fn conflict(&self) -> Option<&'static str> {
        (self.tuning.conflict)(&self.choices)
    }

    /// The changes to a command; none for the default.
    pub fn apply(&self, start: &Start<'_>) -> Result<Change, ApplyError> {
        if self.choices.is_empty() {
            return Ok(Change::default());
        }
        (self.tuning.apply)(&self.choices, start)
    }

    /// A label for tables: `s=32M o=200`; `default` for the default.
    pub fn label(&self) -> String {
        if self.choices.is_empty() {
            return "default".to_owned();
        }
        let word = |choice: &Choice| match choice.level.text {
            "" => choice.knob.name.to_owned(),
            text => format!("{}={text}", choice.knob.name),
        };
        self.choices.iter().map(word).collect::<Vec<_>>().join(" ")
    }
}

/// A command without settings.
#[derive(Clone, Copy)]
pub struct Start<'a> {
    /// Its words, if the first one is the program itself; `None` if a shell or a script comes
    /// between.
    pub argv: Option<&'a [OsString]>,
    /// The value of a variable in the command's environment.
    pub variable: &'a dyn Fn(&str) -> Option<String>,
}

/// The changes to a command.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Change {
    /// Variables with their whole new values.
    pub variables: Vec<(&'static str, String)>,
    /// All words of the command, if they change.
    pub argv: Option<Vec<OsString>>,
}

impl Change {
    /// A line to paste into a shell: `export OCAMLRUNPARAM=s=32M,o=200`, or the command itself;
    /// empty if nothing changes.
    pub fn line(&self) -> String {
        if let Some(argv) = &self.argv {
            let words = argv.iter().map(|word| quoted(&word.to_string_lossy()));
            return words.collect::<Vec<_>>().join(" ");
        }
        let export = |(name, value): &(&str, String)| format!("{name}={}", quoted(value));
        let variables: Vec<String> = self.variables.iter().map(export).collect();
        if variables.is_empty() { String::new() } else { format!("export {}", variables.join(" ")) }
    }
}

/// The word, quoted for a shell.
fn quoted(word: &str) -> String {
    let is_plain = |sign: char| sign.is_ascii_alphanumeric() || "-_./=,:+@%".contains(sign);
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

/// The reason that a setting cannot be added to a command.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "each message says what its fields are")]
pub enum ApplyError {
    #[error("the command itself says `{word}`")]
    SaidInCommand { word: String },
    #[error("{reason}")]
    Unreachable { reason: &'static str },
}

impl ApplyError {
    /// A hint for the user.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::SaidInCommand { .. } => "take it out of the command, so that it can be varied",
            Self::Unreachable { .. } => "name the program itself, without a shell or a script",
        }
    }
}

/// The changes for knobs that are variables of their own.
#[expect(clippy::unnecessary_wraps, reason = "other runtimes may refuse")]
pub(super) fn as_variables(choices: &[Choice], _start: &Start<'_>) -> Result<Change, ApplyError> {
    let variables = choices.iter().map(|c| (c.knob.name, c.level.text.to_owned())).collect();
    Ok(Change { variables, argv: None })
}

/// The changes for knobs that are words of one variable: the user's words are followed by ours,
/// since later words count, and those that set the same knob are left out.
pub(super) fn in_variable(
    name: &'static str,
    theirs: Option<String>,
    between: char,
    choices: &[Choice],
    word: fn(&Choice) -> String,
    is_same: fn(&str, &Choice) -> bool,
) -> Change {
    let theirs = theirs.unwrap_or_default();
    let is_ours = |word: &str| choices.iter().any(|choice| is_same(word, choice));
    let kept = theirs.split(between).filter(|word| !word.is_empty() && !is_ours(word));
    let words: Vec<String> = kept.map(str::to_owned).chain(choices.iter().map(word)).collect();
    Change { variables: vec![(name, words.join(&between.to_string()))], argv: None }
}

/// A choice as an option: the name and the value, or the value alone if it is an option itself.
pub(super) fn option(choice: &Choice) -> String {
    match choice.knob.name {
        "collector" => choice.level.text.to_owned(),
        name => format!("{name}{}", choice.level.text),
    }
}

/// A choice as `name=value`.
pub(super) fn assignment(choice: &Choice) -> String {
    format!("{}={}", choice.knob.name, choice.level.text)
}

/// The command's words with these inserted at a place.
pub(super) fn inserted(argv: &[OsString], at: usize, words: Vec<String>) -> Change {
    let mut argv = argv.to_vec();
    argv.splice(at..at, words.into_iter().map(OsString::from));
    Change { variables: Vec::new(), argv: Some(argv) }
}

/// Refuses if one of the words sets the same knob as one of the choices.
pub(super) fn refuse_said<'a>(
    words: impl Iterator<Item = &'a OsString>,
    choices: &[Choice],
    is_same: impl Fn(&str, &Choice) -> bool,
) -> Result<(), ApplyError> {
    let is_said = |word: &&str| choices.iter().any(|choice| is_same(word, choice));
    match words.filter_map(|word| word.to_str()).find(is_said) {
        Some(word) => Err(ApplyError::SaidInCommand { word: word.to_owned() }),
        None => Ok(()),
    }
}

/// True if a word is this option with a number, or alone: `-A64m` for `-A`.
pub(super) fn is_option(word: &str, option: &str) -> bool {
    let rest = word.strip_prefix(option);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(|c: char| c.is_ascii_digit()))
}
