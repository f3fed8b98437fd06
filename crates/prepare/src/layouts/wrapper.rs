//! Brisk in the role of a compiler or a linker: it runs the real tool, and if that links a program,
//! links it again in other orders.
//!
//! The build gets the results of the real tool: its output, its messages, its exit status. Failures
//! of the further links are recorded beside them, and do not affect the build.

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Path, PathBuf};

use measure::tool::{Tool, output};
use measure::{Outcome, attended};

use super::calls::{self, Link, Role, Shuffling};
use super::{COUNT, LINKERS, LINKS, LOADED, TROUBLE, WRAPPERS, loaded, seeds};
use model::spec::layouts::shuffling_linkers;

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
            Role::GoTool if self.arguments.is_empty() => None,
            Role::GoTool => Some(PathBuf::from(self.arguments.remove(0))),
            Role::Linker => self.real_linker(),
            Role::Compiler | Role::Ghc => self.in_path(&self.name),
        };
        let Some(real) = real else {
            return self.fail("no program of this name was found after brisk's wrapper in PATH");
        };
        let arguments = match self.role {
            Role::Compiler => calls::of_compiler(&self.arguments, &self.wrappers.join(LINKERS)),
            Role::Ghc => calls::of_ghc(&self.arguments),
            Role::Linker | Role::GoTool => self.arguments.clone(),
        };
        // Compilers look for their own files beside the path in their first argument.
        match attended::run(&real, real.as_os_str(), &arguments) {
            Ok(Outcome::Exited(0)) => {
                match self.role {
                    Role::Linker => self.link_again(),
                    Role::GoTool if real.file_name().is_some_and(|name| name == "link") => {
                        self.link_go_again(&real);
                    }
                    Role::GoTool | Role::Compiler | Role::Ghc => {}
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
