//! The inputs of a build, part by part: kept with its result, so that the next build of the same
//! tree can report the differences.
//!
//! Texts written by the user are kept only as hashes, because they may contain secrets.

use serde::{Deserialize, Serialize};

use super::fingerprint::Fingerprint;

/// One input of a build.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Part {
    /// The kind of input.
    pub kind: PartKind,
    /// Its name.
    pub name: String,
    /// The value that distinguishes it from others of that name: it is part of the key.
    pub value: String,
    /// The version that a program prints; not part of the key.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
}

/// The kind of an input of a build.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PartKind {
    /// A part of the recipe.
    Recipe,
    /// A variable of the environment.
    Variable,
    /// A build program.
    Program,
}

impl Part {
    /// A part identified by a hash of its content.
    pub(super) fn from_content(kind: PartKind, name: &str, content: &[u8]) -> Self {
        let mut fingerprint = Fingerprint::new("part");
        fingerprint.field("content", content);
        let value = fingerprint.finish();
        Self { kind, name: name.to_owned(), value, version: None }
    }
}

/// The changes from one build to the next, each in a few words. Empty if only the recipe changed,
/// because the user knows that.
pub(super) fn changes(before: &[Part], now: &[Part]) -> Vec<String> {
    let is_recipe = |part: &&Part| part.kind == PartKind::Recipe;
    let others = |parts: &[Part]| -> Vec<(String, String)> {
        let rest = parts.iter().filter(|part| !is_recipe(part));
        rest.map(|part| (part.name.clone(), part.value.clone())).collect()
    };
    if others(before) == others(now) {
        return Vec::new();
    }
    let find = |parts: &[Part], part: &Part| {
        parts.iter().find(|other| (other.kind, &other.name) == (part.kind, &part.name)).cloned()
    };
    let mut told = Vec::new();
    for kind in [PartKind::Program, PartKind::Variable, PartKind::Recipe] {
        for part in now.iter().filter(|part| part.kind == kind) {
            match find(before, part) {
                Some(old) if old.value == part.value => {}
                Some(old) => told.push(changed(&old, part)),
                None => told.push(appeared(part)),
            }
        }
        for part in before.iter().filter(|part| part.kind == kind) {
            if find(now, part).is_none() {
                told.push(gone(part));
            }
        }
    }
    told
}

fn changed(old: &Part, new: &Part) -> String {
    let name = &new.name;
    match (old.kind, &old.version, &new.version) {
        (PartKind::Recipe, ..) => format!("the {name} changed"),
        (PartKind::Program, Some(before), Some(now)) if before != now => {
            format!("`{name}` changed: {before} -> {now}")
        }
        (PartKind::Program, Some(version), Some(_)) => {
            format!("`{name}` is another file, also of version {version}")
        }
        (PartKind::Program | PartKind::Variable, ..) => format!("`{name}` changed"),
    }
}

fn appeared(part: &Part) -> String {
    let name = &part.name;
    match part.kind {
        PartKind::Recipe => format!("there is a {name}"),
        PartKind::Variable => format!("`{name}` is set"),
        PartKind::Program => format!("`{name}` takes part"),
    }
}

fn gone(part: &Part) -> String {
    let name = &part.name;
    match part.kind {
        PartKind::Recipe => format!("there is no {name}"),
        PartKind::Variable => format!("`{name}` is not set"),
        PartKind::Program => format!("`{name}` takes no part"),
    }
}

/// The version in a program's output: the first word that begins with two numbers separated by a
/// dot.
pub(super) fn version_in(said: &str) -> Option<String> {
    let words = said.lines().take(3).flat_map(str::split_whitespace);
    let mut words = words.map(|word| {
        let word = word.trim_matches(|c: char| !c.is_alphanumeric());
        word.strip_prefix("go").or_else(|| word.strip_prefix('v')).unwrap_or(word)
    });
    let is_version = |word: &&str| {
        let begins = |text: &str| text.starts_with(|c: char| c.is_ascii_digit());
        word.split_once('.')
            .is_some_and(|(major, rest)| major.parse::<u64>().is_ok() && begins(rest))
    };
    words.find(is_version).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn program(name: &str, value: &str, version: &str) -> Part {
        let version = (!version.is_empty()).then(|| version.to_owned());
        Part { kind: PartKind::Program, name: name.to_owned(), value: value.to_owned(), version }
    }

    #[test]
    fn what_changed_is_told_with_the_versions_before_and_now() {
        let recipe =
            |text: &str| Part::from_content(PartKind::Recipe, "build command", text.as_bytes());
        let flags =
            |text: &str| Part::from_content(PartKind::Variable, "RUSTFLAGS", text.as_bytes());
        let before = [recipe("make"), program("rustc", "1", "1.94.0"), program("cc", "a", "12.2")];
        let now = [recipe("make"), program("rustc", "2", "1.95.0"), program("cc", "a", "12.2")];
        assert_eq!(changes(&before, &now), ["`rustc` changed: 1.94.0 -> 1.95.0"]);
        assert!(changes(&before, &before).is_empty());
        let now =
            [recipe("make all"), flags("-O"), program("cc", "b", "12.2"), program("ld", "", "")];
        let told = [
            "`cc` is another file, also of version 12.2",
            "`ld` takes part",
            "`rustc` takes no part",
            "`RUSTFLAGS` is set",
            "the build command changed",
        ];
        assert_eq!(changes(&before, &now), told);
        let typed = [recipe("make all"), before[1].clone(), before[2].clone()];
        assert!(changes(&before, &typed).is_empty());
        let unknown = [recipe("make"), program("rustc", "2", ""), program("cc", "a", "")];
        assert_eq!(changes(&before, &unknown), ["`rustc` changed"]);
    }

    #[test]
    fn the_version_is_found_in_what_compilers_say() {
        for (said, version) in [
            ("rustc 1.95.0 (59807616e 2026-04-14)\nbinary: rustc", Some("1.95.0")),
            ("cc (Debian 12.2.0-14+deb12u1) 12.2.0\nCopyright", Some("12.2.0-14+deb12u1")),
            ("GNU ld (GNU Binutils for Debian) 2.40", Some("2.40")),
            ("go version go1.26.8 linux/amd64", Some("1.26.8")),
            ("The Glorious Glasgow Haskell Compilation System, version 9.6.6", Some("9.6.6")),
            ("5.1.1\n", Some("5.1.1")),
            ("SBCL 2.2.9.debian", Some("2.2.9.debian")),
            ("usage: x", None),
        ] {
            assert_eq!(version_in(said).as_deref(), version, "{said}");
        }
    }
}
