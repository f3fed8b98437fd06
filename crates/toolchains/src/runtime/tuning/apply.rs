//! Adds settings to a command: as variables, joined with the user's values, or as arguments.

use std::ffi::OsString;

use super::menu::Choice;

/// A command without settings.
#[derive(Clone, Copy)]
pub struct Start<'a> {
    /// Its words, if the first one is the program itself; `None` if a shell or a script comes
    /// between.
    pub argv: Option<&'a [OsString]>,
    /// The value of a variable in the command's environment.
    pub variable: &'a dyn Fn(&str) -> Option<String>,
}

impl std::fmt::Debug for Start<'_> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Start").field("argv", &self.argv).finish_non_exhaustive()
    }
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
pub enum ApplyError {
    /// The command's own words set the same knob.
    #[error("the command itself says `{word}`")]
    SaidInCommand {
        /// The word.
        word: String,
    },
    /// Arguments do not reach the program.
    #[error("{reason}")]
    Unreachable {
        /// The reason, as a clause.
        reason: &'static str,
    },
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

/// A variable with the user's words followed by ours, since later words count. The user's words for
/// the same knob, which `is_ours` recognises, are left out.
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

/// Refuses if one of the words sets the same knob as one of the choices.
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

/// True if a word is this option with a number, or alone: `-A64m` for `-A`.
pub(super) fn is_option(word: &str, option: &str) -> bool {
    let rest = word.strip_prefix(option);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(|c: char| c.is_ascii_digit()))
}
