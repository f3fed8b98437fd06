//! Building a GHC program in one of brisk's own folders: unchanged, with symbols for all of its
//! code, or with counters; the latter two with dumps. The GHC that builds is asked for its version,
//! and a cabal project for its components.

use super::subject::{ExplainedSource, SubjectError};
use super::texts::is_passed_over;
use ghc::compiling::{Compiling, last_compiling};
use measure::Outcome;
use measure::tool::{LogEnd, Tool, ToolError, output, overheard};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;
use std::{fs, io};
use toolchains::project::cabal;
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
pub enum BuildingError {
    /// The folder cannot be made or read.
    #[error("cannot build in `{}`", folder.display())]
    Folder {
        /// The folder.
        folder: PathBuf,
        /// The cause.
        #[source]
        source: io::Error,
    },
    /// The tool that builds cannot be run.
    #[error("cannot run `{tool}`")]
    Start {
        /// The tool.
        tool: String,
        /// The cause.
        #[source]
        source: ToolError,
    },
    /// The build failed.
    #[error("the program does not build: `{tool}` {how}")]
    Failed {
        /// The tool.
        tool: String,
        /// The outcome.
        how: String,
        /// The last lines of output.
        log: String,
    },
    /// The user interrupted the build.
    #[error("interrupted while the program was built")]
    Interrupted,
    /// The build made no executable.
    #[error("the build succeeded, but made no executable `{name}`")]
    NoProgram {
        /// The program's name.
        name: String,
    },
}

impl BuildingError {
    /// Advice for the user, if there is any.
    #[must_use]
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
///
/// # Errors
///
/// When it does not build.
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
    let program = match building.source {
        ExplainedSource::File { .. } => Some(folder.join(PROGRAM)).filter(|path| path.is_file()),
        ExplainedSource::Cabal { component, .. } => {
            let failed = |source| BuildingError::Folder { folder: folder.to_owned(), source };
            executable_below(&folder.join("dist"), &component.name).map_err(failed)?
        }
    };
    let name = match building.source {
        ExplainedSource::File { main, .. } => main,
        ExplainedSource::Cabal { component, .. } => &component.name,
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
pub enum CompilerError {
    /// It cannot be run.
    #[error("there is no GHC to build with")]
    Absent(#[source] ToolError),
    /// It does not print a version.
    #[error("`{}` is not GHC: asked for its version, it prints `{said}`", program.display())]
    NotGhc {
        /// The program.
        program: PathBuf,
        /// The first line of its output.
        said: String,
    },
    /// It was killed by a signal.
    #[error("`{}` was killed by signal {signal} when it was asked for its version", program.display())]
    Killed {
        /// The program.
        program: PathBuf,
        /// The signal's number.
        signal: i32,
    },
    /// Its dumps cannot be read.
    #[error("brisk does not know the form in which GHC {version} writes Core")]
    TooOld {
        /// Its version.
        version: String,
    },
}

impl CompilerError {
    /// Advice for the user.
    #[must_use]
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
    ///
    /// # Errors
    ///
    /// When it is missing, is another program, or is too old.
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
    #[must_use]
    pub fn is_newer_than_known(&self) -> bool {
        self.version.get(..2).is_some_and(|version| *version > NEWEST[..])
    }

    /// The options that make it write dumps into `dumps`, a path that ends in `/`.
    ///
    /// GHC 9.0.2 panics when it prints Core after CorePrep with its coercions, so these are always
    /// suppressed; since 9.4 their types have a separate option. `-dumpdir` is reset by
    /// `-outputdir`, so it comes last. `-g1` adds places in the source and does not affect
    /// allocation.
    #[must_use]
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
    #[must_use]
    pub fn ticky_options(&self) -> Vec<&'static str> {
        let mut options = vec!["-ticky", "-ticky-LNE", "-ticky-dyn-thunk"];
        if !self.is_at_least([9, 2]) || self.is_at_least([9, 10]) {
            options.push("-ticky-allocd");
        }
        options
    }

    /// True if programs of this GHC accept a path for their heap profile (`-po`) without being
    /// built for profiling: 9.6 and 9.10 do, 9.0 does not.
    #[must_use]
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

/// A part of a package that can be built and run.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Component {
    /// The package's name, from its cabal file.
    pub package: String,
    /// Its kind.
    pub kind: ComponentKind,
    /// Its name.
    pub name: String,
    /// The folders of the project's packages, relative to its own, if no cabal file lists them:
    /// those of a stack project.
    pub unlisted: Vec<PathBuf>,
}

impl Component {
    /// Its name as a cabal target.
    #[must_use]
    pub fn target(&self) -> String {
        format!("{}:{}:{}", self.package, self.kind.in_targets(), self.name)
    }
}

/// The maximum depth of package folders below their project.
pub(super) const PACKAGE_LEVELS: usize = 4;

/// The components of the project in a folder, by package; `None` if there is no project.
///
/// # Errors
///
/// When a folder or file cannot be read, or the cabal files have not been generated yet.
pub(super) fn components(folder: &Path) -> Result<Option<Vec<Component>>, SubjectError> {
    let has = |name: &str| folder.join(name).exists();
    let own = cabal_files(folder, 0)?;
    // A package without a project file is the whole project; packages below it do not belong to it.
    let is_alone = !own.is_empty() && !has("cabal.project") && !has("stack.yaml");
    if !is_alone && !["cabal.project", "stack.yaml", "package.yaml"].into_iter().any(has) {
        return Ok(None);
    }
    let files = if is_alone { own } else { cabal_files(folder, PACKAGE_LEVELS)? };
    if files.is_empty() {
        return Err(SubjectError::OnlyHpack { folder: folder.to_owned() });
    }
    let mut unlisted = Vec::new();
    if !is_alone && !has("cabal.project") {
        let folders = files.iter().filter_map(|file| file.parent()?.strip_prefix(folder).ok());
        unlisted.extend(folders.map(Path::to_owned));
    }
    let mut all = Vec::new();
    for file in files {
        let text =
            fs::read(&file).map_err(|source| SubjectError::Read { path: file.clone(), source })?;
        let text = String::from_utf8_lossy(&text);
        let stem = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let package = cabal::package_name(&text).unwrap_or(stem);
        all.extend(cabal::components_of(&text, &package).into_iter().map(|(kind, name)| {
            Component { package: package.clone(), kind, name, unlisted: unlisted.clone() }
        }));
    }
    all.sort();
    Ok(Some(all))
}

/// The cabal files in a folder and this many levels below, without generated ones.
fn cabal_files(folder: &Path, levels: usize) -> Result<Vec<PathBuf>, SubjectError> {
    let failed = |source| SubjectError::Read { path: folder.to_owned(), source };
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if path.is_file() && path.extension().is_some_and(|end| end == "cabal") {
            files.push(path);
        } else if levels > 0 && path.is_dir() && !path.is_symlink() && !is_passed_over(&name) {
            files.extend(cabal_files(&path, levels - 1)?);
        }
    }
    files.sort();
    Ok(files)
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
