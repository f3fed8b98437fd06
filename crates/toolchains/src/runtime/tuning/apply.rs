//! Putting settings into a command: as variables, beside what the user set them to, or as
//! arguments.

use std::ffi::OsString;

use super::menu::Choice;

/// A command as it is without settings.
#[derive(Clone, Copy)]
pub struct Start<'a> {
    /// Its words, where the first one is the program itself; none where a shell or a script comes
    /// between.
    pub argv: Option<&'a [OsString]>,
    /// What a variable is where the command runs.
    pub variable: &'a dyn Fn(&str) -> Option<String>,
}

impl std::fmt::Debug for Start<'_> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Start").field("argv", &self.argv).finish_non_exhaustive()
    }
}

/// What is changed in a command.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Change {
    /// Variables with their whole new values.
    pub variables: Vec<(&'static str, String)>,
    /// All words of the command, where they change.
    pub argv: Option<Vec<OsString>>,
}

impl Change {
    /// What to paste into a shell: `export OCAMLRUNPARAM=s=32M,o=200`, or the command itself; empty
    /// where nothing is changed.
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

/// A word as a shell takes it for one.
fn quoted(word: &str) -> String {
    let is_plain = |sign: char| sign.is_ascii_alphanumeric() || "-_./=,:+@%".contains(sign);
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

/// Why a setting cannot be put into a command.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ApplyError {
    /// The command's own words say the same.
    #[error("the command itself says `{word}`")]
    SaidInCommand {
        /// As it stands there.
        word: String,
    },
    /// Arguments do not reach the program.
    #[error("{reason}")]
    Unreachable {
        /// As a clause.
        reason: &'static str,
    },
}

impl ApplyError {
    /// A way out.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::SaidInCommand { .. } => "take it out of the command, so that it can be varied",
            Self::Unreachable { .. } => "name the program itself, without a shell or a script",
        }
    }
}

/// A variable with the user's words and ours behind them, of which the later ones count; words of
/// the user that `is_ours` knows as the same knob are left out.
pub(super) fn beside(
    theirs: Option<String>,
    between: char,
    ours: &[String],
    is_ours: impl Fn(&str) -> bool,
) -> String {
    let theirs = theirs.unwrap_or_default();
    let kept = theirs.split(between).filter(|word| !word.is_empty() && !is_ours(word));
    let words: Vec<&str> = kept.chain(ours.iter().map(String::as_str)).collect();
    words.join(&between.to_string())
}

/// The command's words with these inserted at a place.
pub(super) fn inserted(argv: &[OsString], at: usize, words: Vec<String>) -> Change {
    let mut argv = argv.to_vec();
    argv.splice(at..at, words.into_iter().map(OsString::from));
    Change { variables: Vec::new(), argv: Some(argv) }
}

/// Refuses when one of the words says the same as one of the choices.
pub(super) fn refuse_said<'a>(
    words: impl Iterator<Item = &'a OsString>,
    choices: &[Choice],
    is_same: impl Fn(&str, &Choice) -> bool,
) -> Result<(), ApplyError> {
    let words = words.filter_map(|word| word.to_str());
    for word in words {
        if choices.iter().any(|choice| is_same(word, choice)) {
            return Err(ApplyError::SaidInCommand { word: word.to_owned() });
        }
    }
    Ok(())
}

/// Whether a word is this option with a number, or alone: `-A64m` for `-A`.
pub(super) fn is_option(word: &str, option: &str) -> bool {
    let rest = word.strip_prefix(option);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(|c: char| c.is_ascii_digit()))
}
