//! The settings to choose from for one program on one machine, and the combinations that are ruled
//! out.

use super::apply::{ApplyError, Change, Start};
use super::knob::{Knob, Level, Need, Untouched};

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

/// No facts, for runtimes whose executable files need not be examined.
pub(super) fn no_facts(_executable: &[u8]) -> Facts {
    Facts::default()
}

/// No conflict, for runtimes whose knobs can be combined freely.
pub(super) fn no_conflict(_choices: &[Choice]) -> Option<&'static str> {
    None
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
        match place.cmp(&self.default_place) {
            std::cmp::Ordering::Less => Some(self.levels[place]),
            std::cmp::Ordering::Equal => None,
            std::cmp::Ordering::Greater => Some(self.levels[place - 1]),
        }
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
    ///
    /// # Errors
    ///
    /// When the command itself sets one of the knobs, or cannot be changed.
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
