//! An artefact that was linked several times, with its parts in different places each time.
//!
//! The layout of a run follows from its round: the layouts take turns, in the order in which they
//! were drawn, so all run equally often, and changes of the machine affect all of them. The two
//! sides of a comparison have separate layouts.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

use measure::CommandLine;
use serde::{Deserialize, Serialize};

/// The smallest useful number of layouts: that number of pairs gives no p-value below 2⁻⁷.
pub const FEWEST: u32 = 8;

/// The maximum: each is a file as large as the program.
pub const MOST: u32 = 1000;

/// The minimum number linked by default.
const USUAL: u32 = 12;

/// The default number of layouts, if `enough_pairs` pairs suffice to find a clear change. In steps
/// of four, so that the links can be reused when one more comparison shares the error.
pub fn usual(enough_pairs: u32) -> u32 {
    enough_pairs.clamp(USUAL, MOST).next_multiple_of(4)
}

/// The versions of lld that are installed under versioned names, the newest first; 13 is the first
/// that shuffles the sections with a certain name.
const LLD_VERSIONS: std::ops::RangeInclusive<u32> = 13..=30;

/// The names of linkers that can shuffle, the preferred one first.
pub fn shuffling_linkers() -> impl Iterator<Item = String> {
    let versions = LLD_VERSIONS.rev().map(|version| format!("ld.lld-{version}"));
    let first = std::iter::once("ld.lld".to_owned()).chain(versions);
    first.chain(["mold", "ld.mold"].map(str::to_owned))
}

/// The linker that can shuffle, if `path` has one: of several, the preferred one.
pub fn shuffling_linker(path: &OsStr) -> Option<PathBuf> {
    shuffling_linkers().find_map(|name| {
        let places = std::env::split_paths(path).map(|folder| folder.join(&name));
        places.into_iter().find(|place| place.is_file())
    })
}

/// One linked version of an artefact.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Layout {
    /// The seed of the order.
    pub seed: u32,
    /// The path of the file.
    pub path: PathBuf,
}

/// The layouts of a variant's artefact; empty if it runs as built.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Layouts {
    /// The artefact as built: the path in the variant's command.
    pub artifact: PathBuf,
    /// The layouts, in the order in which they were drawn.
    pub all: Vec<Layout>,
}

impl Layouts {
    /// True if the artefact runs as built.
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// The number of layouts.
    pub fn count(&self) -> u32 {
        u32::try_from(self.all.len()).expect("at most a thousand")
    }

    /// The layout that runs in a round.
    pub fn of_round(&self, round: u32) -> Option<&Layout> {
        let place = round.checked_rem(self.count())?;
        self.all.get(place as usize)
    }

    /// The command with the layout of a round in place of the artefact.
    #[must_use]
    pub fn in_round(&self, round: u32, command: &CommandLine) -> CommandLine {
        match self.of_round(round) {
            Some(layout) => with(&self.artifact, &layout.path, command),
            None => command.clone(),
        }
    }
}

/// The command with every occurrence of one path replaced by another.
fn with(from: &Path, to: &Path, command: &CommandLine) -> CommandLine {
    let text = |text: &OsStr| replaced(text, from.as_os_str(), to.as_os_str());
    let path = |path: &PathBuf| PathBuf::from(text(path.as_os_str()));
    let variable =
        |(name, value): &(OsString, Option<OsString>)| (name.clone(), value.as_deref().map(text));
    CommandLine {
        argv: command.argv.iter().map(|word| text(word)).collect(),
        program: path(&command.program),
        env: command.env.iter().map(variable).collect(),
        cwd: command.cwd.as_ref().map(path),
        ..command.clone()
    }
}

/// A text with every occurrence of one piece replaced by another.
pub(super) fn replaced(text: &OsStr, from: &OsStr, to: &OsStr) -> OsString {
    let (text, from, to) = (text.as_bytes(), from.as_bytes(), to.as_bytes());
    let mut made = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some(place) = memchr::memmem::find(rest, from).filter(|_| !from.is_empty()) {
        made.extend_from_slice(&rest[..place]);
        made.extend_from_slice(to);
        rest = &rest[place + from.len()..];
    }
    made.extend_from_slice(rest);
    OsString::from_vec(made)
}

#[cfg(test)]
mod tests {
    use measure::{Stdin, Stdout};

    use super::*;

    #[test]
    fn as_many_are_linked_as_are_enough_in_steps_of_four() {
        assert_eq!([1, 11, 12, 13, 17, u32::MAX].map(usual), [12, 12, 12, 16, 20, MOST]);
    }

    fn command() -> CommandLine {
        CommandLine {
            argv: vec!["sh".into(), "-c".into(), "'/a/prog' x | /a/prog".into()],
            program: "/a/prog".into(),
            env: vec![("TOOL".into(), Some("/a/prog".into())), ("GONE".into(), None)],
            cwd: Some("/a".into()),
            stdin: Stdin::Null,
            stdout: Stdout::Null,
        }
    }

    #[test]
    fn each_round_has_the_next_layout_wherever_the_artefact_is_named() {
        let all = [(7, "/l/7/prog"), (9, "/l/9/prog")];
        let all = all.map(|(seed, path)| Layout { seed, path: path.into() }).to_vec();
        let layouts = Layouts { artifact: "/a/prog".into(), all };
        let seeds: Vec<u32> =
            (0..5).filter_map(|round| layouts.of_round(round)).map(|one| one.seed).collect();
        assert_eq!(seeds, [7, 9, 7, 9, 7]);
        let made = layouts.in_round(3, &command());
        assert_eq!(made.argv[2], "'/l/9/prog' x | /l/9/prog");
        assert_eq!(made.program, PathBuf::from("/l/9/prog"));
        assert_eq!(made.env[0].1.as_deref(), Some(OsStr::new("/l/9/prog")));
        assert_eq!((made.env[1].1.clone(), made.cwd), (None, Some("/a".into())));
    }

    #[test]
    fn without_layouts_the_command_stays_as_it_is() {
        assert_eq!(Layouts::default().in_round(4, &command()), command());
        assert_eq!(Layouts::default().of_round(0), None);
    }
}
