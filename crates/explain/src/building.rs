//! Building a GHC program in one of brisk's own folders, so that the user's files stay untouched:
//! unchanged, with symbols for all of its code, or with counters; the latter two with dumps. The
//! GHC that builds is asked for its version.

use super::subject::{Component, ExplainedSource, PACKAGE_LEVELS};
use ghc::compiling::{Compiling, last_compiling};
use measure::Outcome;
use measure::tool::{LogEnd, Tool, ToolError, output, overheard};
use prepare::{Cache, CacheError, Slot, remove_folder};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;
use std::{fs, io};
use toolchains::project::cabal::ComponentKind;

/// The way a program is built.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Way {
    /// Unchanged, but with source lines (`-g1`), which do not affect the code.
    Plain,
    /// Unchanged code with symbols for all of it, and with the dumps that know their names.
    Named,
    /// With ticky counters, and with dumps of GHC's Core.
    Counted,
}

impl Way {
    fn name(self) -> &'static str {
        match self {
            Self::Plain => "plain",
            Self::Named => "named",
            Self::Counted => "counted",
        }
    }
}

/// The parameters of a build.
#[derive(Debug, Clone)]
pub struct Building<'a> {
    /// The program.
    pub source: &'a ExplainedSource,
    /// The compiler.
    pub compiler: &'a Compiler,
    /// The user's options for GHC.
    pub options: &'a [String],
    /// Environment variables for the build.
    pub env: &'a [(String, String)],
    /// The time limit for one build.
    pub timeout: Option<Duration>,
}

/// A program that was built.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BuiltProgram {
    /// The executable.
    pub program: PathBuf,
    /// The folder below which the dumps are, if any were requested.
    pub dumps: PathBuf,
    /// The folder in it that GHC resolves the names of dump files against, just as it resolves
    /// those of sources against the source folder.
    pub dumps_root: PathBuf,
}

/// The reason why a build gave no program.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "each message says what its fields are")]
pub enum BuildingError {
    #[error("cannot build in `{}`", folder.display())]
    Folder { folder: PathBuf, source: io::Error },
    #[error("cannot run `{tool}`")]
    Start { tool: String, source: ToolError },
    #[error("the program does not build: `{tool}` {how}")]
    Failed { tool: String, how: String, log: String },
    #[error("interrupted while the program was built")]
    Interrupted,
    #[error("the build succeeded, but made no executable `{name}`")]
    NoProgram { name: String },
}

impl BuildingError {
    /// Advice for the user, if there is any.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::Failed { tool, .. } if tool == "cabal" => Some(
                "`cabal build` must work in the project's folder; without a network cabal needs an \
                 index (`cabal update`) or a config without repositories (`CABAL_CONFIG`)",
            ),
            Self::Start { tool, .. } if tool == "cabal" => {
                Some("install cabal, or name the file of Haskell that has `main`")
            }
            _ => None,
        }
    }
}

/// The number of bytes read from the end of a build's log.
const LOG_BYTES: usize = 64 * 1024;

/// The number of lines shown from the end of the log.
const LOG_LINES: usize = 20;

/// The file name of the program that GHC makes.
const PROGRAM: &str = "program";

/// Builds in `folder`, which must be empty or missing: leftovers of an earlier build change the
/// uniques in GHC's dumps. `begun` is called for each module that GHC begins to compile.
pub fn build(
    building: &Building<'_>,
    way: Way,
    folder: &Path,
    begun: &dyn Fn(Compiling),
) -> Result<BuiltProgram, BuildingError> {
    let folder = folder.join(way.name());
    let failed = |source| BuildingError::Folder { folder: folder.clone(), source };
    let dumps = deep(&folder.join("dumps"), building.source.folder()).map_err(failed)?;
    let options = options(building, way, &dumps);
    let (tool, name) = match building.source {
        ExplainedSource::File { main, .. } => (with_ghc(building, options, main, &folder), "ghc"),
        ExplainedSource::Cabal { component, .. } => {
            (with_cabal(building, &options, component, &folder).map_err(failed)?, "cabal")
        }
    };
    let tool = tool.cwd(building.source.folder());
    let set = |tool: Tool, (name, value): &(String, String)| tool.env(name, Some(value.as_ref()));
    let tool = building.env.iter().fold(tool, set);
    let tool = match building.timeout {
        Some(timeout) => tool.timeout(timeout),
        None => tool,
    };
    let mut hear = |printed: &[u8]| last_compiling(printed).into_iter().for_each(begun);
    let log = overheard(&tool, LOG_BYTES, 0, &mut hear)
        .map_err(|source| BuildingError::Start { tool: name.to_owned(), source })?;
    let how = match log.end {
        LogEnd::ByItself(Outcome::Exited(0)) => return found(building, &folder, dumps),
        LogEnd::Interrupted => return Err(BuildingError::Interrupted),
        LogEnd::ByItself(outcome) => outcome.to_string(),
        LogEnd::TimedOut => {
            let limit = building.timeout.unwrap_or_default().as_secs_f64();
            format!("did not finish within {limit} s")
        }
    };
    let log = last_lines(&log.tail);
    Err(BuildingError::Failed { tool: name.to_owned(), how, log })
}

/// The name of each nested folder made by [`deep`].
const LEVEL: &str = "level";

/// Makes a folder nested so deeply in another one that no relative path of the source leads out of
/// that one: GHC writes the dumps of `../src/A.hs` to `../src`, relative to the dump folder.
pub(super) fn deep(folder: &Path, source: &Path) -> io::Result<PathBuf> {
    let levels = source.canonicalize()?.components().count() + PACKAGE_LEVELS;
    let deep = folder.join(vec![LEVEL; levels].join("/"));
    fs::create_dir_all(&deep)?;
    Ok(deep)
}

/// The folders outside the program's folder in which `-i` lets GHC look for modules, relative to
/// the program's folder.
pub(super) fn outside(options: &[String]) -> impl Iterator<Item = &str> {
    let named = options.iter().filter_map(|option| option.strip_prefix("-i"));
    named.flat_map(|folders| folders.split(':')).filter(|folder| folder.starts_with(".."))
}

/// The option, with the search paths of `-i` made relative to `folder`: GHC would write the dumps
/// of modules with absolute paths beside their source.
fn seen_from(folder: &Path, option: &str) -> String {
    let Some(folders) = option.strip_prefix("-i") else { return option.to_owned() };
    let Ok(own) = folder.canonicalize() else { return option.to_owned() };
    let up = "../".repeat(own.components().count() - 1);
    let relative = |named: &str| match named.strip_prefix('/') {
        Some(rest) => format!("{up}{}", rest.trim_start_matches('/')),
        None => named.to_owned(),
    };
    format!("-i{}", folders.split(':').map(relative).collect::<Vec<_>>().join(":"))
}

/// GHC's options for a way of building. The user's options come after `-O1`, so that they win.
fn options(building: &Building<'_>, way: Way, dumps: &Path) -> Vec<String> {
    let mut options = vec!["-rtsopts".to_owned()];
    let folder = building.source.folder();
    options.extend(building.options.iter().map(|option| seen_from(folder, option)));
    if way == Way::Counted {
        options.extend(building.compiler.ticky_options().into_iter().map(str::to_owned));
    }
    if way == Way::Plain {
        options.push("-g1".to_owned());
    } else {
        options.extend(building.compiler.dump_options(&format!("{}/", dumps.display())));
    }
    options
}

fn with_ghc(building: &Building<'_>, options: Vec<String>, main: &str, folder: &Path) -> Tool {
    let objects = folder.join("objects");
    Tool::new(&building.compiler.program)
        .args(["--make", "-O1", "-v1"])
        .args(["-outputdir".as_ref(), objects.as_os_str()])
        .args(options)
        .args([main.as_ref(), "-o".as_ref(), folder.join(PROGRAM).as_os_str()])
}

/// A `cabal build` with the project's packages; if only stack's files list them, brisk writes a
/// project file. If cabal has not been set up, it is kept from making a folder in the user's home:
/// it gets a configuration without servers, so that it builds with the installed packages.
fn with_cabal(
    building: &Building<'_>,
    options: &[String],
    component: &Component,
    folder: &Path,
) -> io::Result<Tool> {
    let with = |option: &str, path: &Path| {
        let mut text = std::ffi::OsString::from(option);
        text.push(path);
        text
    };
    // Cabal splits this at blanks, except within quotes.
    let quoted: Vec<String> = options.iter().map(|it| quoted(it)).collect();
    let mut tool = Tool::new("cabal")
        .args(["build", "-v1"])
        .args([with("--builddir=", &folder.join("dist"))])
        .args(["-w".as_ref(), building.compiler.program.as_os_str()])
        .args([format!("--ghc-options={}", quoted.join(" "))]);
    tool = match component.kind {
        ComponentKind::Executable => tool,
        ComponentKind::TestSuite => tool.args(["--enable-tests"]),
        ComponentKind::Benchmark => tool.args(["--enable-benchmarks"]),
    };
    if !component.unlisted.is_empty() {
        let own = building.source.folder().canonicalize()?;
        let packages = component.unlisted.iter().map(|it| own.join(it).display().to_string());
        let text = format!("packages:\n  {}\n", packages.collect::<Vec<_>>().join("\n  "));
        fs::write(folder.join("cabal.project"), text)?;
        tool = tool.args([with("--project-file=", &folder.join("cabal.project"))]);
    }
    if !is_set_up(building.env) {
        let own = folder.join("cabal");
        fs::create_dir_all(&own)?;
        fs::write(own.join("config"), "")?;
        tool = tool.env("CABAL_DIR", Some(own.as_os_str()));
    }
    Ok(tool.args([component.target()]))
}

/// True if cabal has a configuration: a named one, or one in its usual folders (that of the XDG
/// specification since 3.10).
fn is_set_up(env: &[(String, String)]) -> bool {
    let named = ["CABAL_CONFIG", "CABAL_DIR"];
    let is_named =
        |name: &&str| std::env::var_os(name).is_some() || env.iter().any(|(it, _)| it == name);
    let home = std::env::home_dir();
    let xdg = std::env::var_os("XDG_CONFIG_HOME").map(PathBuf::from);
    let xdg = xdg.or_else(|| Some(home.as_ref()?.join(".config")));
    named.iter().any(is_named)
        || home.is_some_and(|home| home.join(".cabal").exists())
        || xdg.is_some_and(|folder| folder.join("cabal").exists())
}

fn quoted(option: &str) -> String {
    if option.contains(' ') { format!("\"{option}\"") } else { option.to_owned() }
}

fn found(
    building: &Building<'_>,
    folder: &Path,
    dumps_root: PathBuf,
) -> Result<BuiltProgram, BuildingError> {
    let (program, name) = match building.source {
        ExplainedSource::File { main, .. } => {
            (Some(folder.join(PROGRAM)).filter(|path| path.is_file()), main)
        }
        ExplainedSource::Cabal { component: Component { name, .. }, .. } => {
            let failed = |source| BuildingError::Folder { folder: folder.to_owned(), source };
            (executable_below(&folder.join("dist"), name).map_err(failed)?, name)
        }
    };
    let program = program.ok_or_else(|| BuildingError::NoProgram { name: name.clone() })?;
    // Cabal's builds have their dumps beside them.
    Ok(BuiltProgram { program, dumps: folder.to_owned(), dumps_root })
}

/// The executable file with this name anywhere below a folder.
fn executable_below(folder: &Path, name: &str) -> io::Result<Option<PathBuf>> {
    let mut waiting = vec![folder.to_owned()];
    while let Some(folder) = waiting.pop() {
        for entry in fs::read_dir(folder)? {
            let entry = entry?;
            let kind = entry.file_type()?;
            if kind.is_dir() {
                waiting.push(entry.path());
            } else if entry.file_name() == name
                && kind.is_file()
                && entry.metadata()?.permissions().mode() & 0o111 != 0
            {
                return Ok(Some(entry.path()));
            }
        }
    }
    Ok(None)
}

fn last_lines(log: &[u8]) -> String {
    let text = String::from_utf8_lossy(log);
    let lines: Vec<&str> = text.trim_end().lines().collect();
    lines[lines.len().saturating_sub(LOG_LINES)..].join("\n")
}

/// A GHC installation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Compiler {
    /// The program, as named or found.
    pub program: PathBuf,
    /// Its version: 9, 0, 2.
    pub version: Vec<u32>,
}

/// The reason why no GHC can be used.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "each message says what its fields are")]
pub enum CompilerError {
    #[error("there is no GHC to build with")]
    Absent(#[source] ToolError),
    #[error("`{}` is not GHC: asked for its version, it prints `{said}`", program.display())]
    NotGhc { program: PathBuf, said: String },
    #[error("`{}` was killed by signal {signal} when it was asked for its version", program.display())]
    Killed { program: PathBuf, signal: i32 },
    #[error("brisk does not know the form in which GHC {version} writes Core")]
    TooOld { version: String },
}

impl CompilerError {
    /// Advice for the user.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::Absent(_) => {
                "install GHC, or name one with `--ghc PATH`; `--core DIR` explains existing dumps"
            }
            Self::Killed { .. } => "try again; a system that is short of memory kills by signal 9",
            Self::NotGhc { .. } => "name a GHC with `--ghc PATH`",
            Self::TooOld { .. } => "GHC 8.8 to 9.12 are known; name one with `--ghc PATH`",
        }
    }
}

/// The oldest supported GHC.
const OLDEST: [u32; 2] = [8, 8];

/// The newest minor version whose dumps are known to be readable.
const NEWEST: [u32; 2] = [9, 12];

/// The timeout. GHC answers at once, but a wrapper may have to start something.
const PATIENCE: Duration = Duration::from_secs(60);

impl Compiler {
    /// Asks a GHC for its version.
    pub fn ask(program: &Path) -> Result<Self, CompilerError> {
        let tool = Tool::new(program).args(["--numeric-version"]).timeout(PATIENCE);
        let said = output(&tool).map_err(CompilerError::Absent)?;
        if let Outcome::Signalled(signal) = said.outcome {
            return Err(CompilerError::Killed { program: program.to_owned(), signal });
        }
        let text = String::from_utf8_lossy(&said.stdout).trim().to_owned();
        let version = version(&text).filter(|_| said.outcome == Outcome::Exited(0));
        let Some(version) = version else {
            let said = text.lines().next().unwrap_or_default().to_owned();
            return Err(CompilerError::NotGhc { program: program.to_owned(), said });
        };
        if version[..] < OLDEST[..] {
            return Err(CompilerError::TooOld { version: text });
        }
        Ok(Self { program: program.to_owned(), version })
    }

    /// True if it is newer than the versions whose dumps are known.
    pub fn is_newer_than_known(&self) -> bool {
        self.version.get(..2).is_some_and(|version| *version > NEWEST[..])
    }

    /// The options that make it write dumps into `dumps`, a path that ends in `/`.
    ///
    /// GHC 9.0.2 panics when it prints Core after CorePrep with its coercions, so these are always
    /// suppressed; since 9.4 their types have a separate option. `-dumpdir` is reset by
    /// `-outputdir`, so it comes last. `-g1` adds places in the source and does not affect
    /// allocation.
    pub fn dump_options(&self, dumps: &str) -> Vec<String> {
        let mut options: Vec<String> = [
            "-ddump-to-file",
            "-ddump-simpl",
            "-ddump-prep",
            "-ddump-rule-firings",
            "-ddump-inlinings",
            "-dsuppress-timestamps",
            "-dsuppress-coercions",
            "-dsuppress-unfoldings",
            "-dsuppress-type-applications",
            "-dppr-cols=200",
            "-g1",
        ]
        .map(str::to_owned)
        .to_vec();
        if self.is_at_least([9, 4]) {
            options.push("-dsuppress-coercion-types".to_owned());
        }
        options.extend(["-dumpdir".to_owned(), dumps.to_owned()]);
        options
    }

    /// The options that make it count. GHC 9.6.6 mixes up two of its columns with `-ticky-allocd`;
    /// the exact range of affected versions is unknown, so the option is left out for all versions
    /// between those that were seen to be right.
    pub fn ticky_options(&self) -> Vec<&'static str> {
        let mut options = vec!["-ticky", "-ticky-LNE", "-ticky-dyn-thunk"];
        if !self.is_at_least([9, 2]) || self.is_at_least([9, 10]) {
            options.push("-ticky-allocd");
        }
        options
    }

    /// True if programs of this GHC accept a path for their heap profile (`-po`) without being
    /// built for profiling: 9.6 and 9.10 do, 9.0 does not.
    pub fn names_heap_profiles(&self) -> bool {
        self.is_at_least([9, 6])
    }

    fn is_at_least(&self, version: [u32; 2]) -> bool {
        self.version[..] >= version[..]
    }
}

fn version(text: &str) -> Option<Vec<u32>> {
    let numbers: Option<Vec<u32>> = text.split('.').map(|number| number.parse().ok()).collect();
    numbers.filter(|numbers| numbers.len() >= 2)
}

/// A folder reserved until this is dropped, when it is removed.
#[derive(Debug)]
pub struct Workplace {
    slot: Slot,
}

/// The reason why no folder could be made.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "each message says what its fields are")]
pub enum WorkplaceError {
    #[error(transparent)]
    Cache(#[from] CacheError),
    #[error("cannot make a folder to build in, in `{}`", parent.display())]
    Folder { parent: PathBuf, source: io::Error },
}

impl Workplace {
    /// Makes a folder in the user's cache folder. Folders left behind by killed processes are
    /// removed.
    pub fn new() -> Result<Self, WorkplaceError> {
        let parent = Cache::of_the_user()?.root().join("explain");
        let made = || -> io::Result<Slot> {
            for slot in Slot::left_behind(&parent)? {
                remove_folder(&slot.folder)?;
            }
            let mut slot = Slot::first_free(&parent)?;
            remove_folder(&slot.folder)?;
            fs::create_dir_all(&slot.folder)?;
            // Tools that run elsewhere are given paths in it.
            slot.folder = slot.folder.canonicalize()?;
            Ok(slot)
        };
        let made = made();
        Ok(Self { slot: made.map_err(|source| WorkplaceError::Folder { parent, source })? })
    }

    /// Its path, without symbolic links.
    pub fn path(&self) -> &Path {
        &self.slot.folder
    }
}

impl Drop for Workplace {
    fn drop(&mut self) {
        // A folder that cannot be removed now is removed by the next process.
        let _ = remove_folder(&self.slot.folder);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ghc(text: &str) -> Compiler {
        Compiler { program: PathBuf::from("ghc"), version: version(text).expect("a version") }
    }

    #[test]
    fn every_version_gets_the_options_that_it_knows() {
        let has =
            |text: &str, option: &str| ghc(text).dump_options("d/").iter().any(|its| its == option);
        for text in ["8.8.4", "9.0.2", "9.6.6", "9.10.3"] {
            assert!(has(text, "-dsuppress-coercions"), "{text}");
            assert_eq!(ghc(text).dump_options("d/").last().map(String::as_str), Some("d/"));
            let counts = |option: &str| ghc(text).ticky_options().contains(&option);
            assert_eq!(counts("-ticky-allocd"), text != "9.6.6", "{text}");
            assert!(counts("-ticky"), "{text}");
        }
        assert!(!has("9.0.2", "-dsuppress-coercion-types"));
        assert!(has("9.4.7", "-dsuppress-coercion-types"));
    }

    #[test]
    fn versions_are_numbers_with_dots() {
        assert_eq!(version("9.0.2"), Some(vec![9, 0, 2]));
        assert_eq!(version("9.13.20250101"), Some(vec![9, 13, 20_250_101]));
        assert_eq!(version("gcc 12"), None);
        assert_eq!(version(""), None);
        assert!(ghc("9.14.1").is_newer_than_known() && !ghc("9.12.2").is_newer_than_known());
    }
}
