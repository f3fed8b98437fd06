//! A project as recognised from its files: its build system, the programs that this builds, and the
//! commands that build them.
//!
//! Files are given as names with `/` between folders, as git lists them, and texts on request, so a
//! commit is inspected like a folder. Facts that the files do not tell are absent: no build system
//! is started, and nothing is guessed between several programs. The commands leave as few traces as
//! possible in the programs (paths, names of commits), so that equal programs have equal bytes.

pub mod cabal;
mod cargo;
mod cmake;
mod compilers;
mod dune;
mod make;
pub mod pattern;
mod scripts;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::fmt;

pub use compilers::{compilers, is_compiler};

/// The files of a project.
#[derive(Clone, Copy)]
pub struct Files<'a> {
    /// Their paths, as seen from the root.
    pub names: &'a [String],
    /// Reads the text of one; `None` if it cannot be read.
    pub read: &'a dyn Fn(&str) -> Option<String>,
}

/// The build system.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum System {
    /// Rust's.
    Cargo,
    /// Go's own.
    Go,
    /// Haskell's, with snapshots.
    Stack,
    /// Haskell's.
    Cabal,
    /// OCaml's.
    Dune,
    /// `CMake`.
    CMake,
    /// make.
    Make,
    /// JavaScript, run as it is.
    Node,
    /// Python, run as it is.
    Python,
    /// Ruby, run as it is.
    Ruby,
    /// Scripts of a shell.
    Shell,
}

/// A program that a build makes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Product {
    /// Its name.
    pub name: String,
    /// The command that builds it; empty if it is part of the checkout.
    pub build: String,
    /// The path of the result, relative to the command's folder; possibly a pattern. `.` is the
    /// whole checkout.
    pub artifact: String,
    /// Its purpose.
    pub role: Role,
}

/// The purpose of a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// A main program of the project.
    Program,
    /// A program with benchmarks, which a harness inside it runs.
    Benchmarks,
    /// A secondary program, such as a test or an example; used on request only.
    Beside,
}

/// A recognised project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Recognised {
    /// Its build system.
    pub system: System,
    /// The folder in which the commands run; empty for the root.
    pub folder: String,
    /// The command that builds everything that is not a product; empty if nothing has to be built.
    pub build: String,
    /// Its programs, in the order of the files that name them.
    pub products: Vec<Product>,
}

impl fmt::Display for System {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Cargo => "Cargo",
            Self::Go => "Go",
            Self::Stack => "stack",
            Self::Cabal => "cabal",
            Self::Dune => "dune",
            Self::CMake => "CMake",
            Self::Make => "make",
            Self::Node => "Node",
            Self::Python => "Python",
            Self::Ruby => "Ruby",
            Self::Shell => "shell",
        })
    }
}

impl Recognised {
    /// The project's main programs.
    pub fn programs(&self) -> Vec<&Product> {
        self.of_role(Role::Program)
    }

    /// The programs that hold benchmarks.
    pub fn benchmarks(&self) -> Vec<&Product> {
        self.of_role(Role::Benchmarks)
    }

    fn of_role(&self, role: Role) -> Vec<&Product> {
        self.products.iter().filter(|product| product.role == role).collect()
    }

    /// The command that builds this artefact.
    pub fn build_of(&self, artifact: &str) -> String {
        let is_meant = |product: &&Product| {
            product.artifact == artifact || pattern::matches(&product.artifact, artifact)
        };
        match self.products.iter().find(is_meant) {
            Some(product) => product.build.clone(),
            None if self.system == System::Cargo => cargo::build_of(&self.build, artifact),
            None => self.build.clone(),
        }
    }
}

/// The files by which projects are known, for messages.
pub const MARKS: &str = "Cargo.toml, go.mod, stack.yaml, cabal.project, *.cabal, dune-project, \
                         CMakeLists.txt, Makefile, package.json, pyproject.toml, setup.py, \
                         requirements.txt, Gemfile, *.gemspec, *.py, *.sh";

/// The project that `place` belongs to: the build system of that folder, or of the nearest folder
/// above it that has one. If a folder has several, the first in the order of [`System`].
pub fn recognise(files: Files<'_>, place: &str) -> Option<Recognised> {
    let mut folder = place.trim_matches('/');
    loop {
        if let Some(recognised) = in_folder(files, folder) {
            return Some(recognised);
        }
        if folder.is_empty() {
            return None;
        }
        folder = folder.rsplit_once('/').map_or("", |(above, _)| above);
    }
}

/// The folders directly below `place` that have a build system, for messages.
pub fn below(files: Files<'_>, place: &str) -> Vec<String> {
    let prefix = join(place.trim_matches('/'), "");
    let folder = |name: &String| Some(name.strip_prefix(&prefix)?.split_once('/')?.0.to_owned());
    let mut folders: Vec<String> = files.names.iter().filter_map(folder).collect();
    folders.dedup();
    folders.sort();
    folders.dedup();
    folders.retain(|folder| in_folder(files, &join(&prefix, folder)).is_some());
    folders
}

/// The project in this folder alone. Compiled languages come first; a Makefile that builds no
/// program serves another purpose, and comes last.
fn in_folder(files: Files<'_>, folder: &str) -> Option<Recognised> {
    let compiled = [cargo::look, look, cabal::look, dune::look, cmake::look, make::look]
        .into_iter()
        .find_map(|look| look(files, folder));
    match compiled {
        Some(known) if known.system != System::Make || !known.products.is_empty() => Some(known),
        other => scripts::look(files, folder).or(other),
    }
}

impl<'a> Files<'a> {
    fn has(&self, name: &str) -> bool {
        self.names.iter().any(|other| other == name)
    }

    fn text(&self, name: &str) -> Option<String> {
        if self.has(name) { (self.read)(name) } else { None }
    }

    /// The paths below a folder, as seen from there.
    fn below(&self, folder: &str) -> impl Iterator<Item = &'a str> + use<'a> {
        let prefix = join(folder, "");
        self.names.iter().filter_map(move |name| name.strip_prefix(prefix.as_str()))
    }
}

/// A path within a folder.
fn join(folder: &str, name: &str) -> String {
    let folder = folder.trim_end_matches('/');
    if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") }
}

/// The folder that a path lies in.
fn parent(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// The last part of a path.
fn last(path: &str) -> &str {
    path.rsplit_once('/').map_or(path, |(_, last)| last)
}

/// The purpose of a program in this folder if no file states it, from common names of folders for
/// tests and examples.
fn role(folder: &str) -> Role {
    let is_beside = |part: &str| {
        ["test", "example", "bench", "doc", "third", "vendor", "contrib"]
            .iter()
            .any(|word| part.to_lowercase().starts_with(word))
    };
    if folder.split('/').any(is_beside) { Role::Beside } else { Role::Program }
}

/// The word, quoted for a shell.
fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "._-+/:@%,".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

// Go: a module, and its packages that are programs.

/// The build command. Its flags leave out the commit's name and the build folder, which would make
/// the program differ between commits.
const BUILD: &str = "go build -trimpath -buildvcs=false";

fn look(files: Files<'_>, folder: &str) -> Option<Recognised> {
    let text = files.text(&join(folder, "go.mod"))?;
    let products = programs(files, folder).map(|package| {
        let name = name(&text, &package);
        let path = if package.is_empty() { ".".to_owned() } else { format!("./{package}") };
        let artifact = format!("bin/{name}");
        let build = format!("{BUILD} -o {} {}", quoted(&artifact), quoted(&path));
        Product { name, build, artifact, role: role(&package) }
    });
    let products = products.collect();
    let build = format!("{BUILD} -o bin/ ./...");
    Some(Recognised { system: System::Go, folder: folder.to_owned(), build, products })
}

/// The name of a program: its folder's; in the module's root, the last part of the module's path
/// that is not a version.
fn name(module: &str, package: &str) -> String {
    if !package.is_empty() {
        return last(package).to_owned();
    }
    let path = module.lines().find_map(|line| line.trim().strip_prefix("module "));
    let path = path.unwrap_or("program").split("//").next().unwrap_or_default();
    let path = path.trim().trim_matches('"');
    let is_version = last(path).strip_prefix('v').is_some_and(|n| n.parse::<u32>().is_ok());
    let path = if is_version && path.contains('/') { parent(path) } else { path };
    last(path).to_owned()
}

/// The folders of the packages `main`.
fn programs<'f>(files: Files<'f>, folder: &str) -> impl Iterator<Item = String> + use<'f> {
    let nested: Vec<&str> =
        files.below(folder).filter(|name| name.ends_with("/go.mod")).map(parent).collect();
    let is_left_out = |package: &str| {
        let is_ignored = |part: &str| {
            matches!(part, "vendor" | "testdata") || part.starts_with('_') || part.starts_with('.')
        };
        package.split('/').any(is_ignored)
            || nested.iter().any(|n| package == *n || package.starts_with(&format!("{n}/")))
    };
    let mut packages: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for name in files.below(folder) {
        if name.ends_with(".go") && !name.ends_with("_test.go") && !is_left_out(parent(name)) {
            packages.entry(parent(name)).or_default().push(name);
        }
    }
    let is_main = |sources: &mut Vec<&str>| {
        // All files of a folder belong to one package, except those excluded from the build.
        sources.sort_by_key(|name| last(name) != "main.go");
        let package = sources.iter().find_map(|name| package(&files.text(&join(folder, name))?));
        package.as_deref() == Some("main")
    };
    let found: Vec<String> = packages
        .into_iter()
        .filter_map(|(package, mut sources)| is_main(&mut sources).then(|| package.to_owned()))
        .collect();
    found.into_iter()
}

/// The package of a source file; `None` if the file is excluded from the build.
fn package(source: &str) -> Option<String> {
    let mut lines = source.lines().map(str::trim);
    let line = lines.find(|line| {
        line.starts_with("package ")
            || line.starts_with("//go:build ignore")
            || *line == "// +build ignore"
    })?;
    let name = line.strip_prefix("package ")?;
    Some(name.split("//").next().unwrap_or_default().trim().to_owned())
}
