//! Copies of a command that run at once: their number, and the variable that identifies each.

use std::ffi::{OsStr, OsString};
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::thread;

use measure::{MOST_COPIES, Stdin, Stdout};

use super::Invocation;
use super::artifacts::replaced;

/// The variable with the number of a copy, from 0.
pub const VARIABLE: &str = "BRISK_COPY";

/// The placeholder of that number.
pub(super) const PLACEHOLDER: &str = "copy";

/// The word for one copy per processor.
const AUTO: &str = "auto";

/// The number of copies of a command that run at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Copies {
    /// The number of copies.
    pub count: u32,
    /// The number of processors available to brisk.
    pub processors: u32,
}

/// The reason that a number of copies is invalid.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "each message says what its fields are")]
pub enum CopiesError {
    #[error(
        "`--copies {0}`: write a number from 1 to {MOST_COPIES}, `{AUTO}`, or several, such as `1,2,4`"
    )]
    Number(String),
    #[error("`--copies {0}` has the number {1} twice")]
    Twice(String, u32),
    #[error("`--copies` takes one number here, and `{0}` are several")]
    Several(String),
    #[error("several copies would write one file, `{}`", .0.display())]
    OneFile(PathBuf),
    #[error("`{name}` is read from what the command prints, and several copies print at once")]
    Printed { name: String },
    #[error("a parameter cannot be called `{0}` beside `--copies`")]
    Parameter(String),
}

impl CopiesError {
    /// A suggestion for the user, if there is one.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::OneFile(_) => {
                Some("put `{copy}` into its name: the number of the copy takes its place")
            }
            Self::Printed { .. } => {
                Some("let a command read it after the run: `--measure 'NAME=cat out.*'`")
            }
            Self::Parameter(_) => Some("give it another name"),
            Self::Number(_) | Self::Twice(..) | Self::Several(_) => None,
        }
    }
}

impl Copies {
    /// A number of copies on this machine.
    pub fn here(count: u32) -> Self {
        Self { count, processors: processors() }
    }

    /// `4 copies`
    pub fn words(self) -> String {
        match self.count {
            1 => "1 copy".to_owned(),
            count => format!("{count} copies"),
        }
    }

    /// True if there are more of them than processors, so that some have to wait.
    pub fn is_crowded(self) -> bool {
        self.count > self.processors
    }
}

/// The processors that this process may use: by its affinity, and by its control group's limits.
fn processors() -> u32 {
    let count = thread::available_parallelism().map_or(1, NonZero::get);
    u32::try_from(count).unwrap_or(u32::MAX)
}

/// The requested numbers of copies, one for each size; empty for the usual single run.
///
/// # Errors
///
/// When it is not such a list.
pub fn parse(text: &str) -> Result<Vec<u32>, CopiesError> {
    let refused = || CopiesError::Number(text.to_owned());
    let mut sizes = Vec::new();
    for word in text.split(',').map(str::trim) {
        let size = match word {
            AUTO => processors().min(u32::try_from(MOST_COPIES).expect("below 2^32")),
            number => number.parse::<u32>().map_err(|_| refused())?,
        };
        if size == 0 || size as usize > MOST_COPIES {
            return Err(refused());
        }
        if sizes.contains(&size) {
            return Err(CopiesError::Twice(text.to_owned(), size));
        }
        sizes.push(size);
    }
    // On a machine with one processor `auto` still measures throughput.
    Ok(if text.trim() == "1" { Vec::new() } else { sizes })
}

/// One size for each number of copies; if empty, a single entry for a command that runs alone.
pub fn sizes(copies: &[u32]) -> Vec<Option<Copies>> {
    match copies {
        [] => vec![None],
        sizes => sizes.iter().map(|&count| Some(Copies::here(count))).collect(),
    }
}

impl Invocation {
    /// The invocation of copy `number`: its number is in [`VARIABLE`], and replaces every
    /// placeholder.
    #[must_use]
    pub fn copy(&self, number: u32) -> Self {
        let text = |text: &OsStr| in_text(text, number);
        let variable = |(name, value): &(OsString, Option<OsString>)| {
            (name.clone(), value.as_deref().map(text))
        };
        let own = (OsString::from(VARIABLE), Some(OsString::from(number.to_string())));
        Self {
            argv: self.argv.iter().map(|word| text(word)).collect(),
            env: self.env.iter().map(variable).chain([own]).collect(),
            cwd: self.cwd.clone(),
            stdin: match &self.stdin {
                Stdin::File(path) => Stdin::File(in_path(path, number)),
                other => other.clone(),
            },
            stdout: match &self.stdout {
                Stdout::File(path) => Stdout::File(in_path(path, number)),
                other => other.clone(),
            },
        }
    }
}

/// The path with the number of a copy in place of the placeholder.
pub fn in_path(path: &Path, number: u32) -> PathBuf {
    in_text(path.as_os_str(), number).into()
}

fn in_text(text: &OsStr, number: u32) -> OsString {
    replaced(text, OsStr::new(&placeholder()), OsStr::new(&number.to_string()))
}

/// `{copy}`
pub fn placeholder() -> String {
    format!("{{{PLACEHOLDER}}}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_numbers_and_one_alone_is_the_usual_run() {
        assert_eq!(parse("4"), Ok(vec![4]));
        assert_eq!(parse("1,2, 8"), Ok(vec![1, 2, 8]));
        assert_eq!(parse("1"), Ok(Vec::new()));
        assert_eq!(parse("auto"), Ok(vec![processors()]));
        for wrong in ["", "0", "-1", "two", "1.5", "513", "4,", "1-4"] {
            assert_eq!(parse(wrong), Err(CopiesError::Number(wrong.to_owned())), "{wrong}");
        }
        assert_eq!(parse("2,4,2"), Err(CopiesError::Twice("2,4,2".to_owned(), 2)));
    }

    #[test]
    fn a_copy_knows_its_number_and_has_it_in_place_of_the_placeholder() {
        let command = Invocation {
            argv: vec!["xz".into(), "in.{copy}".into(), "{print}".into()],
            env: vec![("OUT".into(), Some("out.{copy}".into())), ("GONE".into(), None)],
            cwd: None,
            stdin: Stdin::File("in/{copy}".into()),
            stdout: Stdout::File("out/{copy}".into()),
        };
        let third = command.copy(2);
        assert_eq!(third.argv, ["xz", "in.2", "{print}"]);
        let env: Vec<(OsString, Option<OsString>)> = vec![
            ("OUT".into(), Some("out.2".into())),
            ("GONE".into(), None),
            ("BRISK_COPY".into(), Some("2".into())),
        ];
        assert_eq!(third.env, env);
        assert_eq!(third.stdin, Stdin::File("in/2".into()));
        assert_eq!(third.stdout, Stdout::File("out/2".into()));
    }
}
