//! Trying a finding's remedy: it is applied to the text of a module or the options of a build, as
//! far as that needs no understanding of the rest, in a copy of the program's folder, which is
//! built and compared with the unchanged program.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;
use std::{fs, io};

use ghc::causes::Program;
use ghc::causes::source::definition_line;
use measure::tool::{Tool, ToolError, output};
use measure::{Outcome, Stdin};

use super::building::{Building, BuildingError, Way, build, deep, outside};
use super::folder::is_passed_over;
use super::running::Run;
use super::subject::ExplainedSource;
use findings::explanation::{ChangeProof, ProposedChange};
use findings::{ComparedPair, Document};
use model::metric::{ALLOCATED, WALL_TIME};
use model::spec::words::quote;
use model::verdict::Verdict;

/// The baseline for remedies, and the parameters of the comparison.
#[derive(Debug)]
pub struct Proving<'a> {
    /// The parameters of the program's build.
    pub building: &'a Building<'a>,
    /// The program as read from its Core, with the texts of its modules.
    pub program: &'a Program,
    /// The unchanged program.
    pub plain: &'a Path,
    /// The parameters of a run.
    pub run: &'a Run,
    /// The time limit for measuring one remedy, in the form that `compare` takes.
    pub budget: Option<Duration>,
    /// The folder to work in.
    pub folder: &'a Path,
}

/// The reason why a remedy could not be tried.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "each message says what its fields are")]
pub enum ProvingError {
    #[error(transparent)]
    Remedy(#[from] RemedyError),
    #[error("cannot copy the program's folder: {0}")]
    Copy(#[from] io::Error),
    #[error(transparent)]
    Building(#[from] BuildingError),
    #[error("cannot compare: {0}")]
    Tool(#[from] ToolError),
    #[error("the comparison failed: {0}")]
    Comparison(String),
}

impl Proving<'_> {
    /// Tries the change with this number. A change that cannot be made, or does not build, is also
    /// a result; only an interruption by the user is an error.
    pub fn prove(
        &self,
        number: usize,
        change: &ProposedChange,
    ) -> Result<ChangeProof, ProvingError> {
        match self.tried(number, change) {
            Ok(document) => Ok(proof(change, &document)),
            Err(error) if is_interruption(&error) => Err(error),
            Err(error) => Ok(ChangeProof {
                change: in_words(change),
                verdict: "not known".to_owned(),
                allocation_ratio: None,
                time_ratio: None,
                trouble: Some(error.to_string()),
            }),
        }
    }

    fn tried(&self, number: usize, change: &ProposedChange) -> Result<Document, ProvingError> {
        let folder = self.folder.join(format!("remedy-{number}"));
        let own = self.building.source.folder();
        let copy = deep(&folder.join("source"), own)?;
        copy_folder(own, &copy, |_| true)?;
        for outside in outside(self.building.options) {
            copy_folder(&own.join(outside), &copy.join(outside), is_source)?;
        }
        self.apply(&copy, change)?;
        let mut options = self.building.options.to_vec();
        if let ProposedChange::CompilerOption { option } = change {
            options.push(option.clone());
        }
        let source = in_folder(self.building.source, &copy);
        let building = Building { source: &source, options: &options, ..self.building.clone() };
        let built = build(&building, Way::Plain, &folder, &|_| {})?;
        let runtime = match change {
            ProposedChange::RuntimeOption { option } => Some(option.as_str()),
            _ => None,
        };
        self.compared(&built.program, runtime, &folder)
    }

    /// Makes the change in the copy.
    fn apply(&self, copy: &Path, change: &ProposedChange) -> Result<(), ProvingError> {
        let Some(name) = module_of(change) else { return Ok(()) };
        let module = self.program.modules.iter().find(|module| module.name == name);
        let source = module.and_then(|module| module.source.as_ref());
        let source = source.ok_or_else(|| RemedyError::NoSource { module: name.to_owned() })?;
        fs::write(copy.join(&source.path), changed(&source.text, change)?)?;
        Ok(())
    }

    /// The document of `brisk compare` for the unchanged and the changed program.
    fn compared(
        &self,
        candidate: &Path,
        runtime: Option<&str>,
        folder: &Path,
    ) -> Result<Document, ProvingError> {
        let file = folder.join("compared.json");
        let mut tool = Tool::new(std::env::current_exe()?)
            .args(["compare", "-N", "--quiet", "--runtime", "ghc"])
            .args(["--store".as_ref(), folder.join("runs.db").as_os_str()])
            .args(["--export-json".as_ref(), file.as_os_str()])
            .args(["--cwd".as_ref(), self.run.cwd.canonicalize()?.as_os_str()])
            .args(["--timeout", &format!("{}s", self.run.timeout.as_secs_f64())]);
        if let Stdin::File(path) = &self.run.input {
            tool = tool.args(["--input".as_ref(), path.as_os_str()]);
        }
        if let Some(budget) = self.budget {
            tool = tool.args(["--budget", &format!("{}s", budget.as_secs_f64())]);
        }
        for variables in [self.variables(None), self.variables(runtime)] {
            tool = tool.args(["--env", &variables]);
        }
        tool = tool.args(["--"]).args([self.command(self.plain), self.command(candidate)]);
        let ended = output(&tool)?;
        if !matches!(ended.outcome, Outcome::Exited(0 | 1 | 3)) {
            let said = String::from_utf8_lossy(&ended.stderr);
            let first = said.lines().next().unwrap_or("it said nothing");
            return Err(ProvingError::Comparison(first.to_owned()));
        }
        let text = fs::read_to_string(&file)?;
        serde_json::from_str(&text).map_err(|error| ProvingError::Comparison(error.to_string()))
    }

    /// The environment assignments of one side.
    fn variables(&self, runtime: Option<&str>) -> String {
        let mut assignments: Vec<String> = Vec::new();
        let mut given = String::new();
        for (name, value) in &self.run.env {
            let (name, value) = (name.to_string_lossy(), value.to_string_lossy());
            if name == "GHCRTS" {
                given = value.into_owned();
            } else {
                assignments.push(format!("{name}={}", quote(&value)));
            }
        }
        let options = format!("{given} {}", runtime.unwrap_or_default());
        if !options.trim().is_empty() {
            assignments.push(format!("GHCRTS={}", quote(options.trim())));
        }
        assignments.join(" ")
    }

    fn command(&self, program: &Path) -> String {
        let arguments = self.run.arguments.iter().map(OsString::as_os_str);
        let words = std::iter::once(program.as_os_str()).chain(arguments);
        words.map(|word| quote(&word.to_string_lossy())).collect::<Vec<_>>().join(" ")
    }
}

fn is_interruption(error: &ProvingError) -> bool {
    matches!(
        error,
        ProvingError::Building(BuildingError::Interrupted)
            | ProvingError::Tool(ToolError::Interrupted { .. })
    ) || measure::interrupt::requested()
}

/// The verdict on a change, from the comparison of the two programs.
fn proof(change: &ProposedChange, document: &Document) -> ChangeProof {
    let of = |metric: &model::metric::MetricId| {
        document.comparisons.iter().find(|part| part.metric == *metric)
    };
    let (time, allocated) = (of(&WALL_TIME), of(&ALLOCATED));
    let verdict = |part: Option<&ComparedPair>| part.map(|part| part.verdict);
    let word = match (verdict(time), verdict(allocated)) {
        (Some(Verdict::Regressed), _) => "made it worse",
        (Some(Verdict::Improved), _) => "helped",
        (_, Some(Verdict::Improved)) => "helped",
        (_, Some(Verdict::Regressed)) => "made it worse",
        (Some(Verdict::Unchanged), _) => "did not help",
        _ => "undecided",
    };
    let said = |part: Option<&ComparedPair>, what: &str| {
        part.map(|part| format!("{what} {}", words::ratio(part)))
    };
    let figures: Vec<String> =
        [said(time, "time"), said(allocated, "allocations")].into_iter().flatten().collect();
    ChangeProof {
        change: in_words(change),
        verdict: format!("{word}: {}", figures.join(", ")),
        allocation_ratio: allocated.map(|part| part.ratio),
        time_ratio: time.and_then(|part| Some([part.ratio, part.low, part.high?])),
        trouble: None,
    }
}

/// The same program in another folder.
fn in_folder(source: &ExplainedSource, folder: &Path) -> ExplainedSource {
    let mut copy = source.clone();
    match &mut copy {
        ExplainedSource::File { folder: its, .. } | ExplainedSource::Cabal { folder: its, .. } => {
            *its = folder.to_owned();
        }
    }
    copy
}

/// True if GHC reads a file of this kind by itself. Other files beside a program are not copied.
fn is_source(file: &Path) -> bool {
    file.extension()
        .is_some_and(|end| ["hs", "lhs", "hs-boot", "lhs-boot", "h"].iter().any(|it| end == *it))
}

/// Copies the wanted source files, without build folders, hidden files and links to folders.
fn copy_folder(from: &Path, to: &Path, is_wanted: fn(&Path) -> bool) -> io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let target: PathBuf = to.join(entry.file_name());
        let kind = entry.file_type()?;
        if kind.is_dir() {
            if !is_passed_over(&entry.file_name().to_string_lossy()) {
                copy_folder(&entry.path(), &target, is_wanted)?;
            }
        } else if entry.path().is_file() && is_wanted(&target) {
            fs::copy(entry.path(), &target)?;
        }
    }
    Ok(())
}

/// The reason why a change cannot be made.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "each message says what its fields are")]
pub enum RemedyError {
    #[error("the source of `{module}` was not found")]
    NoSource { module: String },
    #[error("`{binding}` is not declared at the top level of `{module}`")]
    NotAtTopLevel { module: String, binding: String },
    #[error("the head of `{module}` is not `module {module} where`")]
    OtherHead { module: String },
}

/// The text with the change, if the change concerns a module's text.
fn changed(text: &str, change: &ProposedChange) -> Result<String, RemedyError> {
    match change {
        ProposedChange::Pragma { module, binding, pragma } => with_pragma(text, binding, pragma)
            .ok_or_else(|| RemedyError::NotAtTopLevel {
                module: module.clone(),
                binding: binding.clone(),
            }),
        ProposedChange::ExportList { module, exports } => with_exports(text, module, exports)
            .ok_or_else(|| RemedyError::OtherHead { module: module.clone() }),
        ProposedChange::CompilerOption { .. } | ProposedChange::RuntimeOption { .. } => {
            Ok(text.to_owned())
        }
    }
}

/// The module whose text is changed.
fn module_of(change: &ProposedChange) -> Option<&str> {
    match change {
        ProposedChange::Pragma { module, .. } | ProposedChange::ExportList { module, .. } => {
            Some(module)
        }
        ProposedChange::CompilerOption { .. } | ProposedChange::RuntimeOption { .. } => None,
    }
}

/// A change in words.
pub fn in_words(change: &ProposedChange) -> String {
    match change {
        ProposedChange::Pragma { module, pragma, .. } => {
            format!("`{{-# {pragma} #-}}` in `{module}`")
        }
        ProposedChange::ExportList { module, exports } => {
            format!("`module {module} ({}) where`", exports.join(", "))
        }
        ProposedChange::CompilerOption { option } => format!("GHC's option `{option}`"),
        ProposedChange::RuntimeOption { option } => format!("the runtime's option `{option}`"),
    }
}

/// The text with the pragma on its own line before the declaration. An existing inlining pragma of
/// the same binding is removed: GHC accepts only one.
fn with_pragma(text: &str, binding: &str, pragma: &str) -> Option<String> {
    let says_inlining = |line: &str| {
        let words: Vec<&str> = line.split_whitespace().collect();
        let name = |word: &str| word.trim_matches(['(', ')']) == binding;
        matches!(words[..], ["{-#", kind, .., named, "#-}"]
            if matches!(kind, "INLINE" | "NOINLINE" | "INLINABLE" | "INLINEABLE" | "NOTINLINE")
                && name(named))
    };
    let is_inlining = says_inlining(&format!("{{-# {pragma} #-}}"));
    let kept: Vec<&str> =
        text.lines().filter(|line| !(is_inlining && says_inlining(line))).collect();
    let line = definition_line(&kept.join("\n"), binding)? as usize;
    let mut lines: Vec<String> = kept.into_iter().map(str::to_owned).collect();
    lines.insert(line - 1, format!("{{-# {pragma} #-}}"));
    Some(lines.join("\n") + "\n")
}

fn with_exports(text: &str, module: &str, exports: &[String]) -> Option<String> {
    let head = format!("module {module}");
    let begin = text
        .match_indices(&head)
        .map(|(at, _)| at)
        .find(|at| *at == 0 || text[..*at].ends_with('\n'))?;
    let after = begin + head.len();
    let where_at = after + text[after..].find("where")?;
    let between = &text[after..where_at];
    if between.is_empty() || !between.chars().all(char::is_whitespace) {
        return None;
    }
    Some(format!("{}{head} ({}) {}", &text[..begin], exports.join(", "), &text[where_at..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_are_copied_without_what_tools_made() {
        let folder = std::env::temp_dir().join(format!("brisk-copy-{}", std::process::id()));
        let from = folder.join("from");
        for part in ["src", "dist-newstyle", ".git"] {
            fs::create_dir_all(from.join(part)).expect("writable");
            fs::write(from.join(part).join("A.hs"), "x").expect("writable");
        }
        copy_folder(&from, &folder.join("to"), |_| true).expect("it is copied");
        let there = |path: &str| folder.join("to").join(path).exists();
        assert!(there("src/A.hs") && !there("dist-newstyle") && !there(".git"));
        fs::remove_dir_all(&folder).expect("it is ours");
    }

    fn pragma(binding: &str, pragma: &str) -> ProposedChange {
        ProposedChange::Pragma {
            module: "M".to_owned(),
            binding: binding.to_owned(),
            pragma: pragma.to_owned(),
        }
    }

    #[test]
    fn a_pragma_stands_before_the_declaration_and_another_one_gives_way() {
        let text = "module M where\n\n{-# NOINLINE f #-}\nf :: Int\nf = 1\ng = 2\n";
        let expected = "module M where\n\n{-# INLINE f #-}\nf :: Int\nf = 1\ng = 2\n";
        assert_eq!(changed(text, &pragma("f", "INLINE f")).as_deref(), Ok(expected));
        let expected = "module M where\n\n{-# NOINLINE f #-}\n{-# SPECIALISE f :: Int #-}\nf :: Int\nf = 1\ng = 2\n";
        assert_eq!(changed(text, &pragma("f", "SPECIALISE f :: Int")).as_deref(), Ok(expected));
        let error = changed(text, &pragma("go", "INLINE go")).expect_err("it is not there");
        assert_eq!(error.to_string(), "`go` is not declared at the top level of `M`");
    }

    #[test]
    fn an_export_list_is_given_to_a_module_without_one() {
        let list = |text| {
            let exports = vec!["f".to_owned(), "T(..)".to_owned()];
            changed(text, &ProposedChange::ExportList { module: "A.M".to_owned(), exports })
        };
        let text = "-- module A.M\nmodule A.M where\nf = 1\n";
        let expected = "-- module A.M\nmodule A.M (f, T(..)) where\nf = 1\n";
        assert_eq!(list(text).as_deref(), Ok(expected));
        assert!(list("module A.M (f) where\n").is_err());
        assert!(list("module A.Main where\n").is_err());
        assert!(list("main = f\n").is_err());
    }
}
