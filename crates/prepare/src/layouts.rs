//! Artefacts in several layouts: one build, many links. The same wrappers make counter-builds, which
//! are linked once.
//!
//! During a build, wrappers with the names of compilers and linkers precede the real ones: links to
//! brisk itself, which then acts as described in its module `wrapper`. When the build links a
//! program, the same objects are linked again in other orders while they still exist. After the
//! build, the artefact is identified by its loaded sections, so it may have been moved, stripped or
//! signed, and its layouts are kept beside it. No file of the build has to change.

mod calls;

pub(crate) use calls::Role;

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::fs::{self, File, Permissions};
use std::io;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use measure::Outcome;
use measure::tool::{Tool, attended, output};
use model::spec::artifacts::{Layout, shuffling_linkers};
use serde::{Deserialize, Serialize};
use toolchains::executable::{self, FileKind};

use crate::counter_build::CounterBuild;
use crate::environment::Fingerprint;
use crate::layouts::calls::{Link, Shuffling};
use crate::worktree::remove_folder;

/// The folder of the wrappers; set while they precede the real tools.
const WRAPPERS: &str = "BRISK_WRAPPERS";
/// The folder for the links.
const LINKS: &str = "BRISK_LINKS";
/// The number of layouts.
const COUNT: &str = "BRISK_LAYOUTS";
/// The counter-build that is made, in one word.
const COUNTER_BUILD: &str = "BRISK_COUNTER_BUILD";
/// The seed of a build that shuffles by itself.
pub const SEED: &str = "BRISK_LAYOUT_SEED";

/// The wrapper folder in which compilers find the linker; they search it before their own folders.
const LINKERS: &str = "ld";
/// The wrapper folder at the beginning of `PATH`.
const PROGRAMS: &str = "bin";
/// The wrapper that runs the tools of Go's build.
const GO_TOOL: &str = "go-tool";
/// The wrapper that runs rustc for cargo.
const RUSTC_TOOL: &str = "rustc-tool";

/// File names in a folder of links: the program's fingerprint, and the linker's complaint.
const LOADED: &str = "loaded";
const TROUBLE: &str = "trouble";

/// The outcome of linking an artefact in several layouts. It is kept in the cache.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Linked {
    /// No layouts were requested.
    NotAsked,
    /// In the orders of these seeds, as they were drawn.
    InOrders(Vec<u32>),
    /// The artefact exists only as it was built.
    Not(NoLayouts),
}

/// Reasons that an artefact has no layouts.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "each message says what its fields are")]
pub enum NoLayouts {
    #[error("it is {what}")]
    NoProgram { what: String },
    #[error(
        "no linker that brisk could stand in for made it, and with another `{SEED}` the build gives \
         the same"
    )]
    NotSeen,
    #[error("with `{SEED}={seed}` its build failed: {why}")]
    Failed { seed: u32, why: String },
    #[error("it could not be linked in another order: {said}")]
    Refused { said: String },
    #[error("it is the same program in every order of linking")]
    AllEqual,
}

impl NoLayouts {
    fn no_program(what: &str) -> Self {
        Self::NoProgram { what: what.to_owned() }
    }

    /// Advice for the user.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::NoProgram { .. } => "name the program that runs as the artefact",
            Self::NotSeen => {
                "let the build find its compiler and linker by `PATH`, or give its linker the seed in \
                 `BRISK_LAYOUT_SEED`"
            }
            Self::Failed { .. } => "a build must work with every seed from 1 to 2147483647",
            Self::Refused { .. } => "lld and mold can link in another order; LTO of GCC needs mold",
            Self::AllEqual => "compile with `-ffunction-sections`, so that there is more to order",
        }
    }
}

/// True if the file at a path is a linked program.
pub fn is_program(path: &Path) -> bool {
    fs::read(path).is_ok_and(|bytes| executable::kind(&bytes) == FileKind::Program)
}

/// The wrappers that precede the real tools.
#[derive(Debug, Clone)]
pub(super) struct Wrappers {
    folder: PathBuf,
}

impl Wrappers {
    /// Puts wrappers into the cache's folder: one for every compiler and linker that exists in
    /// `path`.
    pub(super) fn put(cache: &Path, path: &OsStr) -> io::Result<Self> {
        let folder = cache.join("wrappers");
        let own = measure::own_program(&folder)?;
        for name in calls::LINKERS {
            link(&own, &folder.join(LINKERS), name.as_ref())?;
        }
        let programs = folder.join(PROGRAMS);
        for tool in [GO_TOOL, RUSTC_TOOL] {
            link(&own, &programs, tool.as_ref())?;
        }
        for there in std::env::split_paths(path).filter(|there| there.is_absolute()) {
            for entry in fs::read_dir(there).into_iter().flatten().flatten() {
                if Role::from_name(&entry.file_name()).is_some() {
                    link(&own, &programs, &entry.file_name())?;
                }
            }
        }
        Ok(Self { folder })
    }

    /// The variables of a build for `count` layouts of each program that it links, in the folder
    /// `links`. `given` are the variables that the build gets anyway.
    pub(super) fn variables(
        &self,
        links: &Path,
        count: u32,
        given: &[(OsString, OsString)],
    ) -> Vec<(OsString, OsString)> {
        let mut go = value("GOFLAGS", given).unwrap_or_default();
        go.push(" -toolexec=");
        go.push(self.folder.join(PROGRAMS).join(GO_TOOL));
        let mut all = vec![
            (WRAPPERS.into(), self.folder.clone().into_os_string()),
            (LINKS.into(), links.as_os_str().to_owned()),
            (COUNT.into(), count.to_string().into()),
            ("PATH".into(), self.before("PATH", PROGRAMS, given)),
            ("COMPILER_PATH".into(), self.before("COMPILER_PATH", LINKERS, given)),
            ("GOFLAGS".into(), go),
        ];
        if value("OCAMLPARAM", given).is_none() {
            all.push(("OCAMLPARAM".into(), "_,function-sections=1".into()));
        }
        all
    }

    /// The variables of a counter-build.
    pub(super) fn variables_of(
        &self,
        counter: CounterBuild,
        given: &[(OsString, OsString)],
    ) -> Vec<(OsString, OsString)> {
        let rustc_tool = self.folder.join(PROGRAMS).join(RUSTC_TOOL);
        let mut all = vec![
            (WRAPPERS.into(), self.folder.clone().into_os_string()),
            (COUNTER_BUILD.into(), counter.word().into()),
            ("PATH".into(), self.before("PATH", PROGRAMS, given)),
            ("RUSTC_WRAPPER".into(), rustc_tool.into_os_string()),
        ];
        all.extend(counter.variables());
        if let Some(flags) = counter.go_flags() {
            let mut go = value("GOFLAGS", given).unwrap_or_default();
            go.push(format!(" {flags}"));
            all.push(("GOFLAGS".into(), go));
        }
        all
    }

    /// The value of a variable that lists folders, with one of ours in front.
    fn before(&self, name: &str, folder: &str, given: &[(OsString, OsString)]) -> OsString {
        let own = std::iter::once(self.folder.join(folder));
        let others = value(name, given).unwrap_or_default();
        let others = std::env::split_paths(&others).filter(|path| !path.as_os_str().is_empty());
        std::env::join_paths(own.chain(others)).unwrap_or_default()
    }
}

/// The value of a variable in a build that gets these ones anyway.
fn value(name: &str, given: &[(OsString, OsString)]) -> Option<OsString> {
    let own = given.iter().rfind(|(known, _)| known == name);
    own.map_or_else(|| std::env::var_os(name), |(_, value)| Some(value.clone()))
}

/// Makes a symbolic link to `own` atomically, because other builds may be running.
fn link(own: &Path, folder: &Path, name: &OsStr) -> io::Result<()> {
    let path = folder.join(name);
    if fs::read_link(&path).is_ok_and(|target| target == own) {
        return Ok(());
    }
    fs::create_dir_all(folder)?;
    let mut beside = OsString::from(format!(".{}-", std::process::id()));
    beside.push(name);
    let beside = folder.join(beside);
    match fs::remove_file(&beside) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => symlink(own, &beside)?,
    }
    fs::rename(beside, path)
}

/// Makes an empty folder for the links of a build.
pub(super) fn clear(links: &Path) -> io::Result<()> {
    remove_folder(links)?;
    fs::create_dir_all(links)
}

/// Finds the layouts of an artefact among the links of its build, and copies them to
/// `staging/layouts`.
pub(super) fn take(
    artifact: &Path,
    links: &Path,
    count: u32,
    staging: &Path,
) -> io::Result<Linked> {
    let found = match find(artifact, links)? {
        Ok(found) => found,
        Err(reason) => return Ok(Linked::Not(reason)),
    };
    let name = artifact.file_name().unwrap_or(OsStr::new("artifact"));
    let seeds = seeds(&fs::read_to_string(found.join(LOADED))?, count);
    for seed in &seeds {
        put(&found.join(seed.to_string()), staging, *seed, name)?;
    }
    linked(seeds, staging, name)
}

/// Copies a layout to its place in the entry.
pub(super) fn put(from: &Path, staging: &Path, seed: u32, name: &OsStr) -> io::Result<()> {
    let path = path_in(staging, seed, name);
    fs::create_dir_all(path.parent().unwrap_or(staging))?;
    fs::copy(from, &path)?;
    fs::set_permissions(&path, Permissions::from_mode(0o755))?;
    File::open(&path)?.sync_all()
}

/// The outcome, from the layouts in their places in `staging`.
pub(super) fn linked(seeds: Vec<u32>, staging: &Path, name: &OsStr) -> io::Result<Linked> {
    let mut different = BTreeSet::new();
    for seed in &seeds {
        different.insert(loaded(&fs::read(path_in(staging, *seed, name))?));
    }
    if different.len() < 2 {
        remove_folder(&folder_in(staging))?;
        return Ok(Linked::Not(NoLayouts::AllEqual));
    }
    Ok(Linked::InOrders(seeds))
}

/// The seeds for a build that shuffles by itself.
pub(super) fn seeds_of(artifact: &Path, count: u32) -> io::Result<Vec<u32>> {
    Ok(seeds(&loaded(&fs::read(artifact)?).unwrap_or_default(), count))
}

/// True if the loaded sections of two files are equal.
pub(super) fn is_same_program(one: &Path, other: &Path) -> io::Result<bool> {
    Ok(loaded(&fs::read(one)?) == loaded(&fs::read(other)?))
}

/// The folder of the link that made the artefact.
fn find(artifact: &Path, links: &Path) -> io::Result<Result<PathBuf, NoLayouts>> {
    let real = fs::canonicalize(artifact)?;
    if real.is_dir() {
        return Ok(Err(NoLayouts::no_program("a folder")));
    }
    let bytes = fs::read(&real)?;
    let what = match executable::kind(&bytes) {
        FileKind::Program => None,
        FileKind::SharedLibrary => Some("a shared library"),
        FileKind::Object => Some("an object that is not linked yet"),
        FileKind::StaticArchive => Some("a static archive, which is not linked yet"),
        FileKind::Script => Some("a script"),
        FileKind::Other => Some("no program of this machine"),
    };
    let Some(loaded) = loaded(&bytes).filter(|_| what.is_none()) else {
        return Ok(Err(NoLayouts::no_program(what.unwrap_or("a damaged program"))));
    };
    let mut refused = None;
    for entry in fs::read_dir(links)? {
        let folder = entry?.path();
        if fs::read_to_string(folder.join(LOADED)).is_ok_and(|other| other == loaded) {
            match fs::read_to_string(folder.join(TROUBLE)) {
                Ok(said) => refused = Some(NoLayouts::Refused { said }),
                Err(_) => return Ok(Ok(folder)),
            }
        }
    }
    Ok(Err(refused.unwrap_or(NoLayouts::NotSeen)))
}

/// The fingerprint of a program's loaded sections, which survives changes of its file after
/// linking; `None` if it is not a program.
fn loaded(bytes: &[u8]) -> Option<String> {
    let mut fingerprint = Fingerprint::new("loaded");
    for section in executable::loaded(bytes)? {
        fingerprint.field("name", &section.name);
        fingerprint.field("address", &section.address.to_le_bytes());
        fingerprint.field("content", &section.content);
    }
    Some(fingerprint.finish())
}

/// The seeds of a program: the same in every build of it, and different for every other program, so
/// that the layouts of two programs are drawn independently.
fn seeds(loaded: &str, count: u32) -> Vec<u32> {
    let mut seeds = Vec::new();
    let mut number = 0_u32;
    while seeds.len() < count as usize {
        let mut fingerprint = Fingerprint::new("seed");
        fingerprint.field("program", loaded.as_bytes());
        fingerprint.field("number", &number.to_le_bytes());
        let digits = fingerprint.finish();
        // lld takes 32 bits, and treats all bits set as the reverse order.
        let seed = u32::from_str_radix(&digits[..8], 16).unwrap_or_default() >> 1;
        if seed > 0 && !seeds.contains(&seed) {
            seeds.push(seed);
        }
        number += 1;
    }
    seeds
}

/// The number of links in further orders below a folder, which has a subfolder for each program.
pub(super) fn count(folder: &Path) -> usize {
    let entries = |folder: &Path| fs::read_dir(folder).into_iter().flatten().flatten();
    let files = entries(folder).flat_map(|entry| entries(&entry.path()));
    files.filter(|file| ![LOADED, TROUBLE].iter().any(|name| file.file_name() == *name)).count()
}

/// The folder of the layouts in an entry of the cache.
pub(super) fn folder_in(entry: &Path) -> PathBuf {
    entry.join("layouts")
}

/// The path of a layout in an entry of the cache. All paths have the same length, because a
/// program's path length moves its stack.
fn path_in(entry: &Path, seed: u32, name: &OsStr) -> PathBuf {
    folder_in(entry).join(format!("{seed:010}")).join(name)
}

/// The layouts of an entry with this artefact.
pub(super) fn of_entry(entry: &Path, artifact: &Path, seeds: &[u32]) -> Vec<Layout> {
    let name = artifact.file_name().unwrap_or_default();
    seeds.iter().map(|&seed| Layout { seed, path: path_in(entry, seed, name) }).collect()
}

// Brisk in the role of a compiler or a linker: it runs the real tool, and if that links a program,
// links it again in other orders.
//
// The build gets the results of the real tool: its output, its messages, its exit status. Failures
// of the further links are recorded beside them, and do not affect the build.

/// A call of this process as a tool.
#[derive(Debug)]
pub struct Called {
    role: Role,
    name: OsString,
    arguments: Vec<OsString>,
    wrappers: PathBuf,
}

/// The exit status of shells for a tool that is missing or cannot be started.
const NOT_FOUND: u8 = 127;

/// The most characters kept of a failed linker's message.
const MOST_SAID: usize = 500;

/// The call of this process as a tool; `None` if it was called as brisk.
pub fn called() -> Option<Called> {
    let wrappers = PathBuf::from(std::env::var_os(WRAPPERS)?);
    let mut words = std::env::args_os();
    let name = PathBuf::from(words.next()?).file_name()?.to_owned();
    Some(Called { role: Role::from_name(&name)?, name, arguments: words.collect(), wrappers })
}

impl Called {
    /// Does the tool's work, and returns the exit status.
    pub fn run(mut self) -> u8 {
        let real = match self.role {
            Role::GoTool | Role::RustcTool if self.arguments.is_empty() => None,
            Role::GoTool | Role::RustcTool => Some(PathBuf::from(self.arguments.remove(0))),
            Role::Linker => self.real_linker(),
            Role::Compiler | Role::Ghc => self.in_path(&self.name),
        };
        let Some(real) = real else {
            return self.fail("no program of this name was found after brisk's wrapper in PATH");
        };
        let counter = std::env::var(COUNTER_BUILD).ok().and_then(|it| CounterBuild::from_word(&it));
        let arguments = match (counter, self.role) {
            (Some(counter), role) => {
                let added = counter.arguments(role).iter().map(OsString::from);
                self.arguments.iter().cloned().chain(added).collect()
            }
            (None, Role::Compiler) => {
                calls::of_compiler(&self.arguments, &self.wrappers.join(LINKERS))
            }
            (None, Role::Ghc) => calls::of_ghc(&self.arguments),
            (None, Role::Linker | Role::GoTool | Role::RustcTool) => self.arguments.clone(),
        };
        // Compilers look for their own files beside the path in their first argument.
        match attended(&real, real.as_os_str(), &arguments) {
            Ok(Outcome::Exited(0)) => {
                match self.role {
                    Role::Linker => self.link_again(),
                    Role::GoTool if real.file_name().is_some_and(|name| name == "link") => {
                        self.link_go_again(&real);
                    }
                    Role::GoTool | Role::RustcTool | Role::Compiler | Role::Ghc => {}
                }
                0
            }
            Ok(Outcome::Exited(code)) => u8::try_from(code).unwrap_or(u8::MAX),
            Ok(Outcome::Signalled(signal)) => u8::try_from(128 + signal).unwrap_or(u8::MAX),
            Ok(Outcome::TimedOut) => unreachable!("nobody limits its time"),
            Err(error) => self.fail(&error.to_string()),
        }
    }

    #[expect(clippy::print_stderr, reason = "a tool of the build says why it failed")]
    fn fail(&self, why: &str) -> u8 {
        eprintln!("{}: {why}", self.name.display());
        NOT_FOUND
    }

    /// The program of this name that follows our wrapper in `PATH`.
    fn in_path(&self, name: &OsStr) -> Option<PathBuf> {
        let path = std::env::var_os("PATH")?;
        let others = std::env::split_paths(&path).filter(|one| !one.starts_with(&self.wrappers));
        measure::resolve_program(name, None, std::env::join_paths(others).ok().as_deref()).ok()
    }

    /// The linker that the compiler would have called. The compiler is asked, because a
    /// cross-compiler has a different one.
    fn real_linker(&self) -> Option<PathBuf> {
        let said = || {
            let compiler = self.in_path(&std::env::var_os("COLLECT_GCC")?)?;
            let mut name = OsString::from("-print-prog-name=");
            name.push(&self.name);
            let folders = self.folders().into_iter().map(|folder| {
                let mut option = OsString::from("-B");
                option.push(folder);
                option
            });
            let asked = Tool::new(compiler).args(folders.chain([name])).env("COMPILER_PATH", None);
            let said = output(&asked).ok()?.stdout;
            let path = PathBuf::from(String::from_utf8(said).ok()?.trim_end());
            path.is_absolute().then_some(path)
        };
        said().or_else(|| self.in_path(&self.name))
    }

    /// The folders in which the compiler was told to look for its tools (`-B`), without ours; GCC
    /// passes its options on in a variable.
    fn folders(&self) -> Vec<PathBuf> {
        let options = std::env::var_os("COLLECT_GCC_OPTIONS").unwrap_or_default();
        let words = calls::words(options.as_encoded_bytes());
        let mut folders = Vec::new();
        let mut rest = words.iter();
        while let Some(word) = rest.next() {
            let text = word.to_string_lossy();
            match text.strip_prefix("-B") {
                Some("") => folders.extend(rest.next().map(PathBuf::from)),
                Some(folder) => folders.push(PathBuf::from(folder)),
                None => {}
            }
        }
        folders.retain(|folder| !folder.starts_with(&self.wrappers));
        folders
    }

    /// The linkers that can shuffle, beginning with those in the build's own folders. The
    /// capabilities of each are queried lazily.
    fn shuffling(&self) -> impl Iterator<Item = Shuffling> {
        let own = self.folders().into_iter().map(|folder| folder.join("ld.lld"));
        let own = own.filter(|program| program.is_file());
        let others = shuffling_linkers().filter_map(|name| self.in_path(name.as_ref()));
        let real =
            |program: &PathBuf| fs::canonicalize(program).unwrap_or_else(|_| program.clone());
        let mut known = BTreeSet::new();
        own.chain(others).filter(move |program| known.insert(real(program))).map(|program| {
            let help = output(&Tool::new(&program).args(["--help"])).map(|said| said.stdout);
            let help = help.unwrap_or_default();
            let pads = memchr::memmem::find(&help, b"randomize-section-padding").is_some();
            Shuffling { program, pads }
        })
    }

    fn link_again(&self) {
        let read = |path: &Path| fs::read(path).ok();
        let Some(link) = Link::parse(&self.arguments, &read) else { return };
        if link.is_trial(&std::env::current_dir().unwrap_or_default()) {
            return;
        }
        let Some(links) = Links::from_environment(&link.output) else { return };
        let mut said = "there is no linker that can (lld, mold)".to_owned();
        for by in self.shuffling() {
            let with = |seed: u32, output: &Path| link.shuffled(&by, seed, output);
            match links.make(&by.program, &with) {
                Ok(()) => return,
                Err(trouble) => said = trouble,
            }
        }
        links.note(&said);
    }

    fn link_go_again(&self, real: &Path) {
        let Some((output, with)) = calls::of_go(&self.arguments) else { return };
        let Some(links) = Links::from_environment(&output) else { return };
        if let Err(said) = links.make(real, &with) {
            links.note(&said);
        }
    }
}

/// The further links of one program.
struct Links {
    folder: PathBuf,
    seeds: Vec<u32>,
}

impl Links {
    /// The links of a program that was just linked; `None` if it is not a program, or no layouts
    /// are wanted.
    fn from_environment(program: &Path) -> Option<Self> {
        let count = std::env::var(COUNT).ok()?.parse().ok()?;
        let parent = PathBuf::from(std::env::var_os(LINKS)?);
        let loaded = loaded(&fs::read(program).ok()?)?;
        let folder = parent.join(std::process::id().to_string());
        fs::create_dir(&folder).ok()?;
        let seeds = seeds(&loaded, count);
        fs::write(folder.join(LOADED), loaded).ok()?;
        Some(Self { folder, seeds })
    }

    /// Links the program in each of the orders; an error is the message of a linker that failed.
    fn make(
        &self,
        linker: &Path,
        with: &dyn Fn(u32, &Path) -> Vec<OsString>,
    ) -> Result<(), String> {
        for &seed in &self.seeds {
            let path = self.folder.join(seed.to_string());
            let tool = Tool::new(linker).args(with(seed, &path));
            let ended = output(&tool).map_err(|error| error.to_string())?;
            if ended.outcome != Outcome::Exited(0) || !path.is_file() {
                let said = String::from_utf8_lossy(&ended.stderr);
                let said: String = said.trim().chars().take(MOST_SAID).collect();
                return Err(format!("{}: {said}", linker.display()));
            }
        }
        Ok(())
    }

    /// Records a failure. If the disk has no room for this line, it had none for the links.
    fn note(&self, said: &str) {
        let _ = fs::write(self.folder.join(TROUBLE), said);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_are_counted_and_not_what_is_noted_beside_them() {
        let folder = std::env::temp_dir().join(format!("brisk-links-{}", std::process::id()));
        fs::create_dir_all(folder.join("812")).expect("writable");
        for name in [LOADED, "17", "4711", TROUBLE] {
            fs::write(folder.join("812").join(name), "").expect("writable");
        }
        assert_eq!((count(&folder), count(&folder.join("812"))), (2, 0));
        fs::remove_dir_all(&folder).expect("ours");
        assert_eq!(count(&folder), 0);
    }

    #[test]
    fn seeds_are_those_of_the_program_and_more_of_them_begin_with_the_same() {
        let some = seeds("ab", 8);
        assert_eq!(seeds("ab", 20)[..8], some);
        assert_ne!(seeds("ac", 8), some);
        assert!(some.iter().all(|&seed| seed > 0 && seed < 1 << 31));
    }
}
