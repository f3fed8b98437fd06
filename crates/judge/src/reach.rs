//! The reach of a change: the benchmarks whose runs it can change.
//!
//! A benchmark is *not reached* only where that is proved: each changed file is a source of the
//! program, so that nothing but the compiler reads it, and a run of the new program is a run of the
//! old one ([`toolchains::code_equality`]). Everything that cannot be followed is *unknown*, and
//! counts as reached: skipping wrongly is worse than skipping nothing. `docs/design/coverage.md`
//! justifies the rule.
//!
//! The functions that a change touches are for people, and decide nothing: a compiler may have
//! compiled others otherwise.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use toolchains::code_equality::Difference;
use toolchains::debug_functions::{DebugFunctions, SourceFunction};
use toolchains::diff::{ChangeKind, FileChange};

/// The reach of a change with regard to one benchmark.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Reach {
    /// The benchmark runs code that differs.
    Reached,
    /// The benchmark does the same in both commits.
    NotReached,
    /// Neither is known; it counts as reached.
    Unknown,
}

/// The reason that nothing is known about a benchmark.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "each message says what its fields are")]
pub enum Unfollowed {
    #[error("the difference between the commits cannot be read")]
    Diff,
    #[error("`{0}` is not text")]
    Binary(String),
    #[error("`{0}` is a link or a submodule, or has other permissions")]
    Mode(String),
    #[error("`{0}` is not among the sources that the program's debug information names")]
    NoSource(String),
    #[error("the program has no debug information")]
    NoDebugInformation,
    #[error("the command names `{0}`")]
    Named(String),
    #[error("`{0}` is neither in the program nor outside of the project")]
    Object(String),
    #[error("code ran that is in no file, as a just-in-time compiler makes it")]
    NoFile,
    #[error("none of the code that ran is in the program that was built")]
    OtherProgram,
    #[error("{0}")]
    Run(String),
    #[error(transparent)]
    Program(Difference),
}

/// A change between two commits, and the sources of the programs that they build.
#[derive(Debug, Clone, Copy)]
pub struct Change<'a> {
    /// The files that differ.
    pub files: &'a [FileChange],
    /// The sources of the old program; `None` without debug information.
    pub old: Option<&'a DebugFunctions>,
    /// The sources of the new program; `None` without debug information.
    pub new: Option<&'a DebugFunctions>,
}

/// A function that a change touches.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct TouchedFunction {
    /// The name.
    pub name: String,
    /// The path of the source file in the newest commit that has the function.
    pub file: String,
    /// The function in the old program.
    pub old: Option<SourceFunction>,
    /// The function in the new program.
    pub new: Option<SourceFunction>,
}

/// The code of a program that a run executed.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ExecutedCode {
    /// The symbols.
    pub symbols: BTreeSet<String>,
    /// The lines, by file.
    pub lines: BTreeMap<String, BTreeSet<u64>>,
}

impl ExecutedCode {
    /// True if the run executed code of a function, also where it was inlined.
    pub fn runs(&self, function: &SourceFunction) -> bool {
        self.symbols.contains(&function.symbol)
            || self.lines.iter().any(|(file, lines)| {
                is_same_file(file, &function.file) && lines.range(function.lines()).next().is_some()
            })
    }
}

/// True if two tools name the same file: one of them may omit the leading folders.
fn is_same_file(one: &str, other: &str) -> bool {
    is_file(one, other) || is_file(other, one)
}

/// True if `path`, as a compiler knows it, is that of `file` in a repository. Sources of the system's
/// libraries may have the same name.
fn is_source(path: &str, file: &str) -> bool {
    !path.starts_with("/usr/") && is_file(path, file)
}

/// True if `path` ends with the whole path of `file`.
fn is_file(path: &str, file: &str) -> bool {
    path.strip_suffix(file).is_some_and(|folder| folder.is_empty() || folder.ends_with('/'))
}

/// True if `path`, as a compiler knows it, may be that of one of the files of a change.
pub fn is_changed(path: &str, files: &[FileChange]) -> bool {
    files.iter().flat_map(FileChange::paths).any(|file| is_source(path, file))
}

impl Change<'_> {
    /// Checks that only the compiler reads the changed files. `matters` is false of files that no
    /// program reads unless it is told to; `words` are those of the command.
    ///
    /// # Errors
    ///
    /// The first file of which that is not known.
    pub fn check_files(
        &self,
        matters: &dyn Fn(&str) -> bool,
        words: &[&str],
    ) -> Result<(), Unfollowed> {
        for file in self.files {
            for path in file.paths() {
                let named = words.iter().find(|word| names(word, path));
                if let Some(word) = named {
                    return Err(Unfollowed::Named((*word).to_owned()));
                }
            }
            if file.paths().any(matters) {
                self.check_source(file)?;
            }
        }
        Ok(())
    }

    fn check_source(&self, file: &FileChange) -> Result<(), Unfollowed> {
        let path = || file.paths().last().unwrap_or_default().to_owned();
        match file.kind {
            ChangeKind::Binary => return Err(Unfollowed::Binary(path())),
            ChangeKind::Mode => return Err(Unfollowed::Mode(path())),
            ChangeKind::Text => {}
        }
        for (path, sources) in [(&file.old, self.old), (&file.new, self.new)] {
            let Some(path) = path else { continue };
            let sources = sources.ok_or(Unfollowed::NoDebugInformation)?;
            if !sources.files.iter().any(|source| is_source(source, path)) {
                return Err(Unfollowed::NoSource(path.clone()));
            }
        }
        Ok(())
    }

    /// The functions with lines that differ, in the order of their files.
    pub fn touched(&self) -> Vec<TouchedFunction> {
        let mut touched: BTreeMap<(usize, String), TouchedFunction> = BTreeMap::new();
        for (number, file) in self.files.iter().enumerate() {
            for (path, sources, is_new) in
                [(&file.old, self.old, false), (&file.new, self.new, true)]
            {
                let (Some(path), Some(sources)) = (path, sources) else { continue };
                for function in sources.functions.iter().filter(|it| is_source(&it.file, path)) {
                    let is_touched = file.hunks.iter().any(|hunk| {
                        let lines = if is_new { hunk.new } else { hunk.old };
                        lines.touch(function.first, function.last)
                    });
                    if !is_touched {
                        continue;
                    }
                    let key = (number, function.symbol.clone());
                    let entry = touched.entry(key).or_insert_with(|| TouchedFunction {
                        name: function.name.clone(),
                        file: path.clone(),
                        old: None,
                        new: None,
                    });
                    let side = if is_new { &mut entry.new } else { &mut entry.old };
                    *side = Some(function.clone());
                }
            }
        }
        let mut touched: Vec<TouchedFunction> = touched.into_values().collect();
        self.complete(&mut touched);
        touched
    }

    /// Adds the other side of functions that differ on one side only, such as by a new line.
    fn complete(&self, touched: &mut [TouchedFunction]) {
        for one in touched {
            let symbol = one.old.as_ref().or(one.new.as_ref()).map(|it| it.symbol.clone());
            let of = |sources: Option<&DebugFunctions>| {
                let mut functions = sources?.functions.iter();
                functions.find(|it| Some(&it.symbol) == symbol.as_ref()).cloned()
            };
            one.old = one.old.take().or_else(|| of(self.old));
            one.new = one.new.take().or_else(|| of(self.new));
        }
    }
}

/// True if a word of a command may lead to a file: its name, or a folder that it is in.
fn names(word: &str, path: &str) -> bool {
    let word = word.trim_start_matches("./").trim_end_matches('/');
    let is_within = |path: &str| {
        path == word || path.strip_prefix(word).is_some_and(|rest| rest.starts_with('/'))
    };
    let mut tails = path.match_indices('/').map(|(at, _)| &path[at + 1..]);
    !word.is_empty() && (is_within(path) || is_file(word, path) || tails.any(is_within))
}

/// The decision about one benchmark, with its reason.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decision {
    /// The reach.
    pub reach: Reach,
    /// The reason, in words.
    pub reason: String,
}

impl From<Result<(), Unfollowed>> for Decision {
    fn from(proof: Result<(), Unfollowed>) -> Self {
        let reach = match &proof {
            Ok(()) => Reach::NotReached,
            Err(Unfollowed::Program(
                Difference::Code(_) | Difference::Gone(_) | Difference::Data(_),
            )) => Reach::Reached,
            Err(_) => Reach::Unknown,
        };
        let reason = match proof {
            Ok(()) => "all that it runs is the same in both programs".to_owned(),
            Err(why) => why.to_string(),
        };
        Self { reach, reason }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use toolchains::diff::{Hunk, Lines};

    fn function(name: &str, file: &str, first: u64, last: u64) -> SourceFunction {
        let (file, name) = (format!("/build/{file}"), name.to_owned());
        SourceFunction { file, first, last, symbol: name.clone(), name }
    }

    fn sources(functions: &[SourceFunction]) -> DebugFunctions {
        DebugFunctions {
            files: functions.iter().map(|it| it.file.clone()).collect(),
            functions: functions.iter().cloned().collect(),
        }
    }

    fn edit(path: &str, old: (u64, u64), new: (u64, u64)) -> FileChange {
        let lines = |(start, count)| Lines { start, count };
        FileChange {
            old: Some(path.to_owned()),
            new: Some(path.to_owned()),
            kind: ChangeKind::Text,
            hunks: vec![Hunk { old: lines(old), new: lines(new) }],
        }
    }

    #[test]
    fn functions_are_touched_on_either_side() {
        let old = sources(&[function("f", "src/a.c", 1, 5), function("g", "src/a.c", 7, 9)]);
        let new = sources(&[function("f", "src/a.c", 1, 7), function("g", "src/a.c", 9, 11)]);
        let touched = |change: FileChange| {
            let files = [change];
            let change = Change { files: &files, old: Some(&old), new: Some(&new) };
            change.touched().into_iter().map(|it| it.name).collect::<Vec<_>>()
        };
        assert_eq!(touched(edit("src/a.c", (3, 0), (4, 2))), ["f"]);
        assert_eq!(touched(edit("src/a.c", (5, 3), (7, 3))), ["f", "g"]);
        assert_eq!(touched(edit("src/a.c", (6, 1), (8, 1))), Vec::<String>::new());
        assert_eq!(touched(edit("a.c", (3, 1), (3, 1))), ["f"], "a suffix may be all");
        assert_eq!(touched(edit("other.c", (3, 1), (3, 1))), Vec::<String>::new());
    }

    #[test]
    fn only_sources_are_followed() {
        let program = sources(&[function("f", "src/a.c", 1, 5)]);
        let matters = |path: &str| path != "README.md";
        let check = |change: FileChange, words: &[&str]| {
            let files = [change];
            let change = Change { files: &files, old: Some(&program), new: Some(&program) };
            change.check_files(&matters, words)
        };
        let of = |path: &str| edit(path, (1, 1), (1, 1));
        let kind = |kind| FileChange { kind, ..of("src/a.c") };
        assert_eq!(check(of("src/a.c"), &["./program", "7"]), Ok(()));
        assert_eq!(check(of("README.md"), &["./program"]), Ok(()));
        let named = |word: &str| Err(Unfollowed::Named(word.to_owned()));
        for word in ["README.md", "./README.md", "/home/me/README.md"] {
            assert_eq!(check(of("README.md"), &[word]), named(word));
        }
        for word in ["src", "src/", "a.c", "src/a.c"] {
            assert_eq!(check(of("src/a.c"), &[word]), named(word));
        }
        let source = "src/a.c".to_owned();
        assert_eq!(check(kind(ChangeKind::Binary), &[]), Err(Unfollowed::Binary(source.clone())));
        assert_eq!(check(kind(ChangeKind::Mode), &[]), Err(Unfollowed::Mode(source)));
        let usr = DebugFunctions {
            files: ["/usr/include/a.h".to_owned()].into(),
            ..DebugFunctions::default()
        };
        let files = [of("a.h")];
        let change = Change { files: &files, old: Some(&usr), new: Some(&usr) };
        let expected = Err(Unfollowed::NoSource("a.h".to_owned()));
        assert_eq!(change.check_files(&matters, &[]), expected);
        for path in ["data.txt", "Makefile", "src/table.h", "a.c2"] {
            let expected = Err(Unfollowed::NoSource(path.to_owned()));
            assert_eq!(check(of(path), &[]), expected);
        }
        let files = [of("src/a.c")];
        let blind = Change { files: &files, old: None, new: Some(&program) };
        assert_eq!(blind.check_files(&matters, &[]), Err(Unfollowed::NoDebugInformation));
        let moved = FileChange { new: Some("src/b.c".to_owned()), ..of("src/a.c") };
        assert_eq!(check(moved, &[]), Err(Unfollowed::NoSource("src/b.c".to_owned())));
    }

    #[test]
    fn inlined_functions_run_by_their_lines() {
        let f = function("f", "src/a.c", 10, 20);
        let ran = |symbols: &[&str], file: &str, line: u64| ExecutedCode {
            symbols: symbols.iter().map(|&name| name.to_owned()).collect(),
            lines: BTreeMap::from([(file.to_owned(), BTreeSet::from([line]))]),
        };
        assert!(ran(&["f"], "other.c", 1).runs(&f));
        assert!(ran(&["main"], "/build/src/a.c", 15).runs(&f));
        assert!(ran(&["main"], "src/a.c", 10).runs(&f));
        assert!(!ran(&["main"], "src/a.c", 21).runs(&f));
        assert!(!ran(&["main"], "src/b.c", 15).runs(&f));
    }

    #[test]
    fn only_a_proof_is_a_reason_to_skip() {
        let reach = |proof| Decision::from(proof).reach;
        assert_eq!(reach(Ok(())), Reach::NotReached);
        let code = Unfollowed::Program(Difference::Code("f".to_owned()));
        assert_eq!(reach(Err(code)), Reach::Reached);
        assert_eq!(reach(Err(Unfollowed::Program(Difference::Unwinds))), Reach::Unknown);
        assert_eq!(reach(Err(Unfollowed::NoFile)), Reach::Unknown);
    }
}
