//! The analysis that the user wants, decided from the arguments and the files they name.

use std::path::{Path, PathBuf};

/// The arguments.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ExplainRequest {
    /// The subjects to explain.
    pub subjects: Vec<String>,
    /// Folders of dumps: one, or an old and a new one.
    pub core: Vec<PathBuf>,
    /// Files of ticky counters, one for each folder.
    pub ticky: Vec<PathBuf>,
    /// Callgrind profiles.
    pub callgrind: Vec<PathBuf>,
    /// Files of DHAT.
    pub dhat: Vec<PathBuf>,
}

/// The kind of a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum What {
    /// A folder.
    Folder,
    /// A Haskell file.
    Haskell,
    /// A Lisp file.
    Lisp,
    /// Another file.
    File,
    /// Nothing exists there.
    Nothing,
}

/// The analysis to perform.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Mode {
    /// Build and run a GHC program: a project, a folder or a file.
    Source(PathBuf),
    /// Read existing dumps, and the counters of a run if given.
    Dumps {
        /// The folder.
        folder: PathBuf,
        /// The counters.
        ticky: Option<PathBuf>,
    },
    /// Compile and run a Lisp file with SBCL.
    Lisp(PathBuf),
    /// Compare the dumps of two builds, and the counters of two runs if given.
    DumpsDifference {
        /// The folders.
        folders: [PathBuf; 2],
        /// The counters.
        ticky: Option<[PathBuf; 2]>,
    },
    /// Build, run and compare two GHC programs.
    SourceDifference([PathBuf; 2]),
    /// Count a command's instructions by function.
    Command(String),
    /// Compare the instructions of two commands.
    Difference {
        /// The old command.
        before: String,
        /// The new command.
        after: String,
    },
    /// Read existing profiles: one, or an old and a new one.
    Profiles,
}

/// The reason why the arguments cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "each message says what its fields are")]
pub enum ModeError {
    #[error("`--ticky` without `--core`: counters are explained by the Core they belong to")]
    TickyAlone,
    #[error(
        "{core} of `--core` and {ticky} of `--ticky`: each build has the counters of its own run"
    )]
    Unpaired { core: usize, ticky: usize },
    #[error(
        "`--core` and `{subject}` cannot both be given: one explains dumps, the other builds a program"
    )]
    CoreAndSubject { subject: String },
    #[error(
        "`{option}` and {other} cannot both be given: one explains profiles, the other runs a program"
    )]
    ProfilesAndMore { option: &'static str, other: String },
    #[error("there is no `{path}`")]
    NothingThere { path: String },
    #[error("{count} subjects; one is explained, or the change from one to another")]
    TooMany { count: usize },
}

impl ModeError {
    /// Advice for the user.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::TickyAlone => {
                "name the folder of the dumps with `--core DIR`; they must be of the very build that \
                 was run"
            }
            Self::Unpaired { .. } => "give one file for each folder, or none",
            Self::CoreAndSubject { .. } | Self::ProfilesAndMore { .. } => "leave one of them out",
            Self::NothingThere { .. } => {
                "name a cabal project, a folder with `Main.hs`, a file of Haskell, or a command in \
                 quotes"
            }
            Self::TooMany { .. } => {
                "arguments of the program go behind `--`; a command with arguments is quoted"
            }
        }
    }
}

/// Decides on the analysis. `look` returns the kind of a path.
pub fn decide(asked: &ExplainRequest, look: impl Fn(&Path) -> What) -> Result<Mode, ModeError> {
    let profiles = [("--callgrind", &asked.callgrind), ("--dhat", &asked.dhat)];
    if let Some((option, _)) = profiles.into_iter().find(|(_, files)| !files.is_empty()) {
        let other = match (asked.core.is_empty(), asked.subjects.first()) {
            (false, _) => "`--core`".to_owned(),
            (true, Some(subject)) => format!("`{subject}`"),
            (true, None) => return Ok(Mode::Profiles),
        };
        return Err(ModeError::ProfilesAndMore { option, other });
    }
    if !asked.core.is_empty() {
        return dumps(asked, look);
    }
    if !asked.ticky.is_empty() {
        return Err(ModeError::TickyAlone);
    }
    match &asked.subjects[..] {
        [] => Ok(Mode::Source(PathBuf::from("."))),
        [one] => match look(Path::new(one)) {
            What::Folder | What::Haskell => Ok(Mode::Source(PathBuf::from(one))),
            What::Lisp => Ok(Mode::Lisp(PathBuf::from(one))),
            What::Nothing if is_path(one) => Err(ModeError::NothingThere { path: one.clone() }),
            What::File | What::Nothing => Ok(Mode::Command(one.clone())),
        },
        [before, after] => difference(before, after, look),
        more => Err(ModeError::TooMany { count: more.len() }),
    }
}

/// The analysis of dumps.
fn dumps(asked: &ExplainRequest, look: impl Fn(&Path) -> What) -> Result<Mode, ModeError> {
    if let Some(subject) = asked.subjects.first() {
        return Err(ModeError::CoreAndSubject { subject: subject.clone() });
    }
    // A second path was meant as a second folder, unless it is source.
    let is_source = |path: &&PathBuf| {
        look(path) == What::Haskell || path.extension().is_some_and(|end| end == "hs")
    };
    if let Some(source) = asked.core.iter().skip(1).find(is_source) {
        return Err(ModeError::CoreAndSubject { subject: source.display().to_string() });
    }
    let unpaired = ModeError::Unpaired { core: asked.core.len(), ticky: asked.ticky.len() };
    match (&asked.core[..], &asked.ticky[..]) {
        ([folder], [] | [_]) => {
            Ok(Mode::Dumps { folder: folder.clone(), ticky: asked.ticky.first().cloned() })
        }
        ([before, after], ticky @ ([] | [_, _])) => {
            let folders = [before.clone(), after.clone()];
            Ok(Mode::DumpsDifference { folders, ticky: ticky.to_vec().try_into().ok() })
        }
        ([_] | [_, _], _) => Err(unpaired),
        (more, _) => Err(ModeError::TooMany { count: more.len() }),
    }
}

/// The analysis of an old and a new subject.
fn difference(before: &str, after: &str, look: impl Fn(&Path) -> What) -> Result<Mode, ModeError> {
    let is_source = |path: &str| match look(Path::new(path)) {
        What::Folder | What::Haskell => Ok(true),
        What::Nothing if is_path(path) => Err(ModeError::NothingThere { path: path.to_owned() }),
        What::Lisp | What::File | What::Nothing => Ok(false),
    };
    match (is_source(before)?, is_source(after)?) {
        (true, true) => Ok(Mode::SourceDifference([PathBuf::from(before), PathBuf::from(after)])),
        _ => Ok(Mode::Difference { before: before.to_owned(), after: after.to_owned() }),
    }
}

/// True if a word that names no file was meant as a path to source, not as a command.
fn is_path(word: &str) -> bool {
    let is_source =
        [".hs", ".lhs", ".lisp", ".lsp", ".cabal", "/"].iter().any(|end| word.ends_with(end));
    is_source && !word.contains(char::is_whitespace)
}

/// The kind of a path on this machine.
pub fn what(path: &Path) -> What {
    let is_haskell = path.extension().is_some_and(|end| end == "hs" || end == "lhs");
    let is_lisp = path.extension().is_some_and(|end| end == "lisp" || end == "lsp");
    match path.metadata() {
        Ok(there) if there.is_dir() => What::Folder,
        Ok(_) if is_haskell => What::Haskell,
        Ok(_) if is_lisp => What::Lisp,
        Ok(_) => What::File,
        Err(_) => What::Nothing,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decided(subjects: &[&str], core: Option<&str>, ticky: Option<&str>) -> Result<Mode, String> {
        let asked = ExplainRequest {
            subjects: subjects.iter().map(|&it| it.to_owned()).collect(),
            core: core.map(PathBuf::from).into_iter().collect(),
            ticky: ticky.map(PathBuf::from).into_iter().collect(),
            ..ExplainRequest::default()
        };
        let look = |path: &Path| match path.to_str() {
            Some("project") => What::Folder,
            Some("Main.hs") => What::Haskell,
            Some("a.lisp") => What::Lisp,
            Some("./program") => What::File,
            _ => What::Nothing,
        };
        decide(&asked, look).map_err(|error| error.to_string())
    }

    #[test]
    fn what_is_meant_follows_from_what_the_paths_are() {
        let source = |path: &str| Ok(Mode::Source(PathBuf::from(path)));
        assert_eq!(decided(&[], None, None), source("."));
        assert_eq!(decided(&["project"], None, None), source("project"));
        assert_eq!(decided(&["Main.hs"], None, None), source("Main.hs"));
        assert_eq!(decided(&["a.lisp"], None, None), Ok(Mode::Lisp(PathBuf::from("a.lisp"))));
        let command = |command: &str| Ok(Mode::Command(command.to_owned()));
        assert_eq!(decided(&["./program"], None, None), command("./program"));
        assert_eq!(decided(&["sort -n big"], None, None), command("sort -n big"));
        let difference = Mode::Difference { before: "a 1".into(), after: "b 1".into() };
        assert_eq!(decided(&["a 1", "b 1"], None, None), Ok(difference));
        let folder = PathBuf::from("d");
        let dumps = |ticky: Option<&str>| {
            Ok(Mode::Dumps { folder: folder.clone(), ticky: ticky.map(PathBuf::from) })
        };
        assert_eq!(decided(&[], Some("d"), None), dumps(None));
        assert_eq!(decided(&[], Some("d"), Some("t")), dumps(Some("t")));
    }

    #[test]
    fn profiles_stand_alone() {
        let files = vec![PathBuf::from("a.out"), PathBuf::from("b.out")];
        let callgrind = ExplainRequest { callgrind: files.clone(), ..ExplainRequest::default() };
        let dhat = ExplainRequest { dhat: files, ..ExplainRequest::default() };
        for (option, alone) in [("--callgrind", callgrind), ("--dhat", dhat)] {
            assert_eq!(decide(&alone, |_| What::Nothing), Ok(Mode::Profiles));
            let subject = ExplainRequest { subjects: vec!["./p".to_owned()], ..alone.clone() };
            let core = ExplainRequest { core: vec![PathBuf::from("d")], ..alone };
            for (asked, other) in [(subject, "`./p`"), (core, "`--core`")] {
                let error = decide(&asked, |_| What::File).expect_err("it is refused");
                assert_eq!(error, ModeError::ProfilesAndMore { option, other: other.to_owned() });
            }
        }
    }

    #[test]
    fn two_builds_are_compared() {
        let paths = |names: &[&str]| names.iter().map(PathBuf::from).collect::<Vec<_>>();
        let decided = |core: &[&str], ticky: &[&str]| {
            let asked = ExplainRequest {
                core: paths(core),
                ticky: paths(ticky),
                ..ExplainRequest::default()
            };
            decide(&asked, |_| What::Nothing)
        };
        let folders = [PathBuf::from("a"), PathBuf::from("b")];
        let counters = [PathBuf::from("t"), PathBuf::from("u")];
        let both = |ticky| Ok(Mode::DumpsDifference { folders: folders.clone(), ticky });
        assert_eq!(decided(&["a", "b"], &[]), both(None));
        assert_eq!(decided(&["a", "b"], &["t", "u"]), both(Some(counters)));
        assert_eq!(decided(&["a", "b"], &["t"]), Err(ModeError::Unpaired { core: 2, ticky: 1 }));
        assert_eq!(decided(&["a"], &["t", "u"]), Err(ModeError::Unpaired { core: 1, ticky: 2 }));
        let sources = ["project", "Main.hs"].map(PathBuf::from);
        assert_eq!(
            self::decided(&["project", "Main.hs"], None, None),
            Ok(Mode::SourceDifference(sources))
        );
        let error = self::decided(&["project", "Gone.hs"], None, None).expect_err("it is refused");
        assert_eq!(error, "there is no `Gone.hs`");
    }

    #[test]
    fn what_contradicts_itself_is_refused() {
        for (subjects, core, ticky, begins) in [
            (&[][..], None, Some("t"), "`--ticky` without"),
            (&["project"], Some("d"), None, "`--core` and `project` cannot both be given"),
            (&["Missing.hs"], None, None, "there is no `Missing.hs`"),
            (&["a", "b", "c"], None, None, "3 subjects"),
        ] {
            let error = decided(subjects, core, ticky).expect_err("it is refused");
            assert!(error.starts_with(begins), "{error}");
        }
    }
}
