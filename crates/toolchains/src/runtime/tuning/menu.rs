//! What can be chosen for one program on one machine, and what must not be chosen together.

use super::apply::{ApplyError, Change, Start};
use super::knob::{Knob, Level, Need, Untouched};

/// The knobs of one runtime.
#[derive(Debug)]
pub struct Tuning {
    /// The word of the runtime's adapter.
    pub word: &'static str,
    /// Its knobs, those first that matter most.
    pub knobs: &'static [&'static Knob],
    /// Why these choices must not be together, where they must not.
    pub conflict: fn(&[Choice]) -> Option<&'static str>,
    /// What is changed in a command.
    pub apply: fn(&[Choice], &Start<'_>) -> Result<Change, ApplyError>,
    /// What its executable file tells.
    pub facts: fn(&[u8]) -> Facts,
}

/// The machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Host {
    /// Its memory in bytes, or what of it may be used.
    pub memory_bytes: u64,
    /// Its processors.
    pub processors: u32,
}

/// What is known of a program. What is not known is not held against a knob.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Facts {
    /// The major version of its runtime.
    pub major: Option<u32>,
    /// Whether it was linked with `-rtsopts`.
    pub rtsopts: Option<bool>,
    /// Whether it was linked with `-threaded`.
    pub threaded: Option<bool>,
}

/// For runtimes of whose executable files nothing needs to be known.
pub(super) fn no_facts(_executable: &[u8]) -> Facts {
    Facts::default()
}

/// For runtimes whose knobs go with each other.
pub(super) fn no_conflict(_choices: &[Choice]) -> Option<&'static str> {
    None
}

/// One knob and the value that is chosen for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Choice {
    /// The knob.
    pub knob: &'static Knob,
    /// Its value.
    pub level: Level,
}

/// The level that was chosen for a knob.
pub(super) fn chosen(choices: &[Choice], knob: &Knob) -> Option<Level> {
    choices.iter().find(|choice| choice.knob == knob).map(|choice| choice.level)
}

/// Everything that can be chosen for a program on a machine.
#[derive(Debug, Clone)]
pub struct Menu {
    /// Of which runtime.
    pub tuning: &'static Tuning,
    /// The knobs, each with its levels.
    pub items: Vec<Item>,
    /// The knobs that are left out.
    pub left_out: Vec<LeftOut>,
}

/// A knob that can be turned, and how far.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Item {
    /// The knob.
    pub knob: &'static Knob,
    /// Its levels on this machine, in order, without the default.
    pub levels: Vec<Level>,
    /// The place of the default among them: it has so many levels before it.
    pub default_place: usize,
}

impl Item {
    /// How many places there are: the levels, and the default.
    pub fn places(&self) -> usize {
        self.levels.len() + 1
    }

    /// The level at this place; none at that of the default.
    ///
    /// # Panics
    ///
    /// When there is no such place.
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
    /// What it would need; none where the machine has no room for any of its levels.
    pub need: Option<Need>,
}

impl LeftOut {
    /// Why, as a clause.
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
    /// What can be chosen of this: levels that claim more than half of the machine's memory are left
    /// out.
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
    /// When there is no such place.
    pub fn setting(&self, places: &[usize]) -> Setting {
        assert_eq!(places.len(), self.items.len(), "a place for each item");
        let choice = |(item, &place): (&Item, &usize)| {
            item.level(place).map(|level| Choice { knob: item.knob, level })
        };
        let choices = self.items.iter().zip(places).filter_map(choice).collect();
        Setting { tuning: self.tuning, choices }
    }

    /// Whether the choices at these places may be together.
    pub fn permits(&self, places: &[usize]) -> bool {
        self.setting(places).conflict().is_none()
    }
}

/// Some knobs with their values; the others are left as they are.
#[derive(Debug, Clone)]
pub struct Setting {
    tuning: &'static Tuning,
    choices: Vec<Choice>,
}

impl Setting {
    /// The knobs that are turned. None is: the default.
    pub fn choices(&self) -> &[Choice] {
        &self.choices
    }

    /// Why these values must not be together, where they must not.
    pub fn conflict(&self) -> Option<&'static str> {
        (self.tuning.conflict)(&self.choices)
    }

    /// What is changed in a command; nothing for the default.
    ///
    /// # Errors
    ///
    /// When the command says the same itself, or cannot be told.
    pub fn apply(&self, start: &Start<'_>) -> Result<Change, ApplyError> {
        if self.choices.is_empty() {
            return Ok(Change::default());
        }
        (self.tuning.apply)(&self.choices, start)
    }

    /// For tables: `s=32M o=200`; `default` for the default.
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
