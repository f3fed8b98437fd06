//! A project as recognised from its files: its build system, the programs that this builds, and the
//! commands that build them.
//!
//! Files are given as names with `/` between folders, as git lists them, and texts on request, so a
//! commit is inspected like a folder. Facts that the files do not tell are absent: no build system
//! is started, and nothing is guessed between several programs. The commands leave as few traces as
//! possible in the programs (paths, names of commits), so that equal programs have equal bytes.

mod build_files;
pub mod cabal;
mod cargo;
mod compilers;

use std::collections::BTreeMap;
use std::fmt;

pub use compilers::{compilers, is_compiled, is_compiler};

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
            product.artifact == artifact || matches_pattern(&product.artifact, artifact)
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
    upwards(place.trim_matches('/')).find_map(|folder| in_folder(files, folder))
}

/// The folders directly below `place` that have a build system, for messages.
pub fn below(files: Files<'_>, place: &str) -> Vec<String> {
    let prefix = join(place.trim_matches('/'), "");
    let folder = |name: &String| Some(name.strip_prefix(&prefix)?.split_once('/')?.0.to_owned());
    let mut folders: Vec<String> = files.names.iter().filter_map(folder).collect();
    folders.sort();
    folders.dedup();
    folders.retain(|folder| in_folder(files, &join(&prefix, folder)).is_some());
    folders
}

/// The project in this folder alone. Compiled languages come first; a Makefile that builds no
/// program serves another purpose, and comes last.
fn in_folder(files: Files<'_>, folder: &str) -> Option<Recognised> {
    let compiled =
        [cargo::look, go, cabal::look, build_files::dune, build_files::cmake, build_files::make]
            .into_iter()
            .find_map(|look| look(files, folder));
    match compiled {
        Some(known) if known.system != System::Make || !known.products.is_empty() => Some(known),
        other => interpreted(files, folder).or(other),
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

/// A folder, and those above it up to the root.
fn upwards(folder: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(Some(folder), |below| (!below.is_empty()).then(|| parent(below)))
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

/// The build command of Go. Its flags leave out the commit's name and the build folder, which would
/// make the program differ between commits.
const GO_BUILD: &str = "go build -trimpath -buildvcs=false";

/// A module of Go, and its packages that are programs.
fn go(files: Files<'_>, folder: &str) -> Option<Recognised> {
    let text = files.text(&join(folder, "go.mod"))?;
    let products = go_programs(files, folder).into_iter().map(|package| {
        let name = go_name(&text, &package);
        let path = if package.is_empty() { ".".to_owned() } else { format!("./{package}") };
        let artifact = format!("bin/{name}");
        let build = format!("{GO_BUILD} -o {} {}", quoted(&artifact), quoted(&path));
        Product { name, build, artifact, role: role(&package) }
    });
    let products = products.collect();
    let build = format!("{GO_BUILD} -o bin/ ./...");
    Some(Recognised { system: System::Go, folder: folder.to_owned(), build, products })
}

/// The name of a program: its folder's; in the module's root, the last part of the module's path
/// that is not a version.
fn go_name(module: &str, package: &str) -> String {
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
fn go_programs(files: Files<'_>, folder: &str) -> Vec<String> {
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
    packages.retain(|_, sources| {
        // All files of a folder belong to one package, except those excluded from the build.
        sources.sort_by_key(|name| last(name) != "main.go");
        let package = sources.iter().find_map(|name| go_package(&files.text(&join(folder, name))?));
        package.as_deref() == Some("main")
    });
    packages.into_keys().map(str::to_owned).collect()
}

/// The package of a source file; `None` if the file is excluded from the build.
fn go_package(source: &str) -> Option<String> {
    let mut lines = source.lines().map(str::trim);
    let line = lines.find(|line| {
        line.starts_with("package ")
            || line.starts_with("//go:build ignore")
            || *line == "// +build ignore"
    })?;
    let name = line.strip_prefix("package ")?;
    Some(name.split("//").next().unwrap_or_default().trim().to_owned())
}

/// The files that identify a project in an interpreted language.
const INTERPRETED: [(System, &[&str]); 3] = [
    (System::Node, &["package.json"]),
    (System::Python, &["pyproject.toml", "setup.py", "setup.cfg", "requirements.txt"]),
    (System::Ruby, &["Gemfile"]),
];

/// A project in an interpreted language: nothing is compiled, so the whole checkout is the
/// artefact, and runs in place. The project's dependencies are installed if a lock file lists them.
fn interpreted(files: Files<'_>, folder: &str) -> Option<Recognised> {
    let is_marked = |names: &[&str]| names.iter().any(|name| files.has(&join(folder, name)));
    let mut marked =
        INTERPRETED.iter().filter(|(_, names)| is_marked(names)).map(|(system, _)| *system);
    let is_here = |ending: &str| {
        files.below(folder).any(|name| !name.contains('/') && name.ends_with(ending))
    };
    let others = [(System::Ruby, ".gemspec"), (System::Python, ".py"), (System::Shell, ".sh")];
    let mut ending = others.into_iter().filter(|(_, ending)| is_here(ending)).map(|(one, _)| one);
    let system = marked.next().or_else(|| ending.next())?;
    let build = match system {
        System::Node => node(files, folder),
        _ => String::new(),
    };
    let product = Product {
        name: "checkout".to_owned(),
        build: build.clone(),
        artifact: ".".to_owned(),
        role: Role::Program,
    };
    Some(Recognised { system, folder: folder.to_owned(), build, products: vec![product] })
}

/// The command that installs the packages of a lock file and runs the script `build`, as far as
/// these exist.
fn node(files: Files<'_>, folder: &str) -> String {
    let text = files.text(&join(folder, "package.json")).unwrap_or_default();
    let package: serde_json::Value = serde_json::from_str(&text).unwrap_or_default();
    let has_some = |name: &str| package[name].as_object().is_some_and(|some| !some.is_empty());
    let lock_files = [
        ("package-lock.json", "npm ci"),
        ("npm-shrinkwrap.json", "npm ci"),
        ("yarn.lock", "yarn install --frozen-lockfile"),
        ("pnpm-lock.yaml", "pnpm install --frozen-lockfile"),
    ];
    let lock = lock_files.into_iter().find(|(name, _)| files.has(&join(folder, name)));
    let needs_packages = has_some("dependencies") || has_some("devDependencies");
    let install = lock.filter(|_| needs_packages).map(|(_, command)| command);
    let is_built = package["scripts"]["build"].is_string();
    let build = is_built.then_some("npm run build");
    install.into_iter().chain(build).collect::<Vec<_>>().join(" && ")
}

/// True if a path is a pattern, with `*` for any characters and `?` for one character; neither
/// matches `/`.
pub fn is_pattern(path: &str) -> bool {
    path.contains(['*', '?'])
}

/// True if the pattern matches the path.
pub fn matches_pattern(pattern: &str, path: &str) -> bool {
    let (patterns, parts) = (pattern.split('/'), path.split('/'));
    patterns.clone().count() == parts.clone().count()
        && patterns.zip(parts).all(|(pattern, part)| part_matches_pattern(pattern, part))
}

/// True if a pattern without `/` matches the name of a file. As in a shell, a leading dot has to be
/// written.
pub fn part_matches_pattern(pattern: &str, name: &str) -> bool {
    if name.starts_with('.') && !pattern.starts_with('.') {
        return false;
    }
    let (pattern, name): (Vec<char>, Vec<char>) =
        (pattern.chars().collect(), name.chars().collect());
    let (mut at, mut seen) = (0, 0);
    // The position of the last `*`, and the number of letters of the name matched so far.
    let mut star: Option<(usize, usize)> = None;
    while seen < name.len() {
        match pattern.get(at) {
            Some('*') => {
                star = Some((at, seen));
                at += 1;
            }
            Some(c) if *c == '?' || *c == name[seen] => {
                at += 1;
                seen += 1;
            }
            _ => {
                let Some((place, taken)) = star else { return false };
                star = Some((place, taken + 1));
                at = place + 1;
                seen = taken + 1;
            }
        }
    }
    pattern[at..].iter().all(|c| *c == '*')
}

/// Small projects of each build system, as their own documentation writes them.
#[cfg(test)]
mod tests {
    use super::*;

    /// The project recognised in these files, from the folder `place`.
    fn project(place: &str, files: &[(&str, &str)]) -> Option<Recognised> {
        let names: Vec<String> = files.iter().map(|(name, _)| (*name).to_owned()).collect();
        let read = |name: &str| {
            files.iter().find(|(other, _)| *other == name).map(|(_, text)| (*text).to_owned())
        };
        recognise(Files { names: &names, read: &read }, place)
    }

    /// The commands and artefacts of the programs.
    #[track_caller]
    fn programs(files: &[(&str, &str)]) -> Vec<(String, String)> {
        let found = project("", files).expect("it is recognised");
        let both = |product: &Product| (product.build.clone(), product.artifact.clone());
        found.programs().into_iter().map(both).collect()
    }

    fn pair(build: &str, artifact: &str) -> (String, String) {
        (build.to_owned(), artifact.to_owned())
    }

    #[test]
    fn a_package_of_cargo_makes_its_main_program() {
        let manifest =
            "[package]\nname = \"words\"\n\n[[bench]]\nname = \"big-one\"\nharness = false\n";
        let files = [("Cargo.toml", manifest), ("src/main.rs", ""), ("benches/big-one.rs", "")];
        let build = "cargo build --release --bin words";
        assert_eq!(programs(&files), [pair(build, "target/release/words")]);
        let found = project("src", &files).expect("it lies above");
        assert_eq!((found.system, found.folder.as_str()), (System::Cargo, ""));
        let bench = "cargo bench --no-run --bench big-one";
        assert_eq!(found.build_of("target/release/deps/big_one-*"), bench);
        assert_eq!(found.build_of("target/release/deps/big_one-0a1b2c"), bench);
        assert_eq!(found.build_of("target/debug/words"), "cargo build");
        assert_eq!(found.build_of("target/fat/words"), "cargo build --profile fat");
        assert_eq!(found.build_of("target/release/libwords.so"), "cargo build --release");
    }

    #[test]
    fn programs_of_cargo_are_those_that_the_manifest_and_the_folders_name() {
        let manifest = "[package]\nname = \"p\"\n[[bin]]\nname = \"tool\"\npath = \"src/main.rs\"\n\
                        required-features = [\"cli\", \"x\"]\n[[bin]]\nname = \"gone\"\npath = \"no.rs\"\n";
        let files = [
            ("Cargo.toml", manifest),
            ("src/main.rs", ""),
            ("src/bin/one.rs", ""),
            ("src/bin/two/main.rs", ""),
            ("src/bin/two/part.rs", ""),
        ];
        let builds = |files: &[(&str, &str)]| -> Vec<String> {
            programs(files).into_iter().map(|(build, _)| build).collect()
        };
        let prefix = "cargo build --release --bin";
        let both = [format!("{prefix} one"), format!("{prefix} two")];
        let with_tool = [&both[..], &[format!("{prefix} tool --features cli,x")]].concat();
        assert_eq!(builds(&files), with_tool);
        let mut chosen = files;
        let text = manifest.replace("\"p\"\n", "\"p\"\ndefault-run = \"two\"\n");
        chosen[0].1 = &text;
        assert_eq!(builds(&chosen), [both[1].clone()]);
        let text = manifest.replace("\"p\"\n", "\"p\"\nautobins = false\n");
        chosen[0].1 = &text;
        assert_eq!(builds(&chosen), [with_tool[2].clone()]);
        // A library.
        assert!(
            programs(&[("Cargo.toml", "[package]\nname = \"l\""), ("src/lib.rs", "")]).is_empty()
        );
    }

    #[test]
    fn a_workspace_builds_its_default_members_at_its_root() {
        let files = [
            ("Cargo.toml", "[workspace]\nmembers = [\"crates/*\"]\nexclude = [\"crates/old\"]\n"),
            ("crates/a/Cargo.toml", "[package]\nname = \"a\""),
            ("crates/a/src/main.rs", ""),
            ("crates/b/Cargo.toml", "[package]\nname = \"b\""),
            ("crates/b/src/main.rs", ""),
            ("crates/old/Cargo.toml", "[package]\nname = \"old\""),
            ("crates/old/src/main.rs", ""),
        ];
        let of = |name: &str| {
            pair(
                &format!("cargo build --release -p {name} --bin {name}"),
                &format!("target/release/{name}"),
            )
        };
        assert_eq!(programs(&files), [of("a"), of("b")]);
        let mut chosen = files;
        chosen[0].1 = "[workspace]\nmembers = [\"crates/*\"]\ndefault-members = [\"crates/b\"]\n";
        assert_eq!(programs(&chosen), [of("b")]);
        let member = project("crates/a", &files).expect("a member");
        assert_eq!(member.folder, "", "it is built where its target folder is");
        assert_eq!(member.programs()[0].artifact, "target/release/a");
        assert_eq!(member.programs().len(), 1);
        let alone = project("crates/old", &files).expect("a package of its own");
        assert_eq!(alone.folder, "crates/old");
    }

    #[test]
    fn a_package_at_the_root_of_a_workspace_is_what_cargo_builds_there() {
        let files = [
            ("Cargo.toml", "[package]\nname = \"main\"\n[workspace]\nmembers = [\"side\"]\n"),
            ("src/main.rs", ""),
            ("side/Cargo.toml", "[package]\nname = \"side\""),
            ("side/src/main.rs", ""),
            (
                ".cargo/config.toml",
                "[build]\ntarget-dir = \"out\"\ntarget = \"x86_64-unknown-linux-musl\"",
            ),
        ];
        let folder = "out/x86_64-unknown-linux-musl/release";
        let build = "cargo build --release -p main --bin main";
        assert_eq!(programs(&files), [pair(build, &format!("{folder}/main"))]);
        let found = project("", &files).expect("recognised");
        let side = "cargo build --release -p side --bin side";
        assert_eq!(found.build_of(&format!("{folder}/side")), side);
    }

    #[test]
    fn a_module_of_go_makes_its_packages_main() {
        let module = "module example.org/tools/count/v2 // the second\n\ngo 1.22\n";
        let root =
            [("go.mod", module), ("a.go", "// Words.\npackage main\n"), ("b/b.go", "package b")];
        let build = "go build -trimpath -buildvcs=false -o";
        assert_eq!(programs(&root), [pair(&format!("{build} bin/count ."), "bin/count")]);
        let files = [
            ("go.mod", module),
            ("gen.go", "//go:build ignore\n\npackage main\n"),
            ("lib.go", "package count\n"),
            ("cmd/one/main.go", "package main // it\n"),
            ("cmd/two/x.go", "package main\n"),
            ("cmd/two/x_test.go", "package main_test\n"),
            ("examples/e/main.go", "package main\n"),
            ("vendor/v/main.go", "package main\n"),
            ("other/go.mod", "module other"),
            ("other/main.go", "package main\n"),
        ];
        let of =
            |name: &str| pair(&format!("{build} bin/{name} ./cmd/{name}"), &format!("bin/{name}"));
        assert_eq!(programs(&files), [of("one"), of("two")]);
        let found = project("cmd/one", &files).expect("recognised");
        assert_eq!(found.build_of("bin/e"), format!("{build} bin/e ./examples/e"));
        assert_eq!(project("other", &files).expect("its own module").folder, "other");
    }

    #[test]
    fn packages_of_haskell_make_their_executables_by_cabal_or_by_stack() {
        let package =
            "name: tools\n\nlibrary\n  hs-source-dirs: src\n\nexecutable zipper\n  main-is: A.hs\n";
        let by_cabal = "cabal build tools:exe:zipper && mkdir -p dist-newstyle/bin && cp \"$(cabal \
                        list-bin -v0 tools:exe:zipper)\" dist-newstyle/bin/";
        let cabal = [("tools.cabal", package), ("src/A.hs", "")];
        assert_eq!(programs(&cabal), [pair(by_cabal, "dist-newstyle/bin/zipper")]);
        let by_stack = "stack build tools:exe:zipper --copy-bins --local-bin-path .stack-work/bin";
        let stack = [("stack.yaml", ""), ("tools.cabal", package)];
        assert_eq!(programs(&stack), [pair(by_stack, ".stack-work/bin/zipper")]);
        let hpack = "name: \"tools\"\n# note\nexecutables:\n  zipper:\n    main: A.hs\n    source-dirs: app\n\
                     tests:\n  t:\n    main: T.hs\n";
        let stack = [("stack.yaml", ""), ("package.yaml", hpack), ("tools.cabal", package)];
        assert_eq!(programs(&stack), [pair(by_stack, ".stack-work/bin/zipper")]);
        let both =
            [("cabal.project", "packages: */"), ("sub/tools.cabal", package), ("stack.yaml", "")];
        let found = project("", &both).expect("recognised");
        assert_eq!((found.system, found.programs().len()), (System::Cabal, 1));
    }

    #[test]
    fn dune_makes_what_its_executables_name() {
        let files = [
            ("dune-project", "(lang dune 3.0)"),
            (
                "bin/dune",
                "; the (executable) itself\n(executable\n (public_name x)\n (name main)\n (libraries \"str\"))",
            ),
            ("tools/dune", "(executables (names a b))\n(rule (action (run a)))"),
            ("test/dune", "(test (name t)) (executable (name helper))"),
            ("src/dune", "(library (name l))) (executable (name"),
        ];
        let of = |path: &str| {
            let path = format!("{path}.exe");
            pair(
                &format!("dune build --profile release ./{path}"),
                &format!("_build/default/{path}"),
            )
        };
        assert_eq!(programs(&files), [of("bin/main"), of("tools/a"), of("tools/b")]);
    }

    #[test]
    fn cmake_makes_what_add_executable_names() {
        let root = "project( Fast LANGUAGES C) # (it)\nset(NAME \"fast-tool\")\nadd_executable(${NAME} a.c)\n\
                    ADD_EXECUTABLE(${UNKNOWN} b.c)\nadd_executable(other ALIAS fast-tool)\nadd_subdirectory(src)";
        let files = [
            ("CMakeLists.txt", root),
            ("src/CMakeLists.txt", "add_executable(${PROJECT_NAME}\n  c.c)"),
            ("tests/CMakeLists.txt", "add_executable(t t.c)"),
        ];
        let of = |name: &str, place: &str| {
            let configure = "cmake -S . -B build -DCMAKE_BUILD_TYPE=Release";
            pair(
                &format!("{configure} && cmake --build build --target {name}"),
                &format!("{place}/{name}"),
            )
        };
        assert_eq!(programs(&files), [of("fast-tool", "build"), of("Fast", "build/src")]);
        let root = format!("set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${{CMAKE_BINARY_DIR}}/bin)\n{root}");
        let placed = [("CMakeLists.txt", root.as_str())];
        assert_eq!(programs(&placed), [of("fast-tool", "build/bin")]);
    }

    #[test]
    fn make_makes_what_its_first_target_comes_to() {
        let of = |name: &str| pair(&format!("make {name}"), name);
        let make = |text: &str| programs(&[("Makefile", text), ("README", ""), ("main.c", "")]);
        let text = "CC ?= gcc\nBIN := out/$(NAME)\nNAME = fib # it\n.PHONY: all clean\n\nall: $(BIN) docs.html README\n\n\
                    $(BIN): main.o\n\t$(CC) -o $@ $<\n\nclean:\n\trm -f x:y\n";
        assert_eq!(make(text), [of("out/fib")]);
        assert_eq!(
            make("prog: main.o \\\n  util.o\n\tcc -o prog main.o\nmain.o: main.c\n"),
            [of("prog")]
        );
        assert_eq!(make("all: a b\na: a.o\nb: b.o\n"), [of("a"), of("b")]);
        assert_eq!(make(".DEFAULT_GOAL := b\na: x\nb: y\n"), [of("b")]);
        for unknown in [
            "all: $(shell ls)\n",
            "include config.mk\nall: $(PROG)\n",
            "build:\n\tcc main.c\n",
            "%.o: %.c\n",
        ] {
            assert!(make(unknown).is_empty(), "{unknown}");
        }
    }

    #[test]
    fn the_nearest_build_system_counts_and_of_several_the_more_particular_one() {
        let files = [
            ("Makefile", "prog: prog.c"),
            ("Cargo.toml", "[package]\nname = \"r\""),
            ("src/main.rs", ""),
            ("c/Makefile", "p: p.c"),
            ("c/sub/p.c", ""),
        ];
        let system = |place| project(place, &files).expect("recognised").system;
        assert_eq!(
            (system(""), system("c/sub"), system("src")),
            (System::Cargo, System::Make, System::Cargo)
        );
        let names: Vec<String> = files[3..].iter().map(|(name, _)| (*name).to_owned()).collect();
        let read = |_: &str| Some("p: p.c".to_owned());
        assert_eq!(recognise(Files { names: &names, read: &read }, ""), None);
        assert_eq!(below(Files { names: &names, read: &read }, ""), ["c"]);
        assert_eq!(project("", &[("README", "")]), None);
    }

    #[test]
    fn what_is_interpreted_is_the_whole_checkout() {
        let system = |files: &[(&str, &str)]| project("", files).map(|known| known.system);
        for (files, expected) in [
            (&[("pyproject.toml", ""), ("src/words/__init__.py", "")][..], System::Python),
            (&[("setup.py", ""), ("run.sh", "")], System::Python),
            (&[("main.py", "")], System::Python),
            (&[("Gemfile", ""), ("lib/words.rb", "")], System::Ruby),
            (&[("words.gemspec", "")], System::Ruby),
            (&[("package.json", "{}"), ("index.js", "")], System::Node),
            (&[("run.sh", "")], System::Shell),
            // A Makefile that builds no program serves another purpose.
            (
                &[("Makefile", ".PHONY: test\ntest:\n\tpytest\n"), ("pyproject.toml", "")],
                System::Python,
            ),
            // Compiled languages come first.
            (&[("Makefile", "prog: prog.c\n\tcc prog.c\n"), ("setup.py", "")], System::Make),
            (&[("Cargo.toml", "[package]\nname = \"p\""), ("pyproject.toml", "")], System::Cargo),
        ] {
            assert_eq!(system(files), Some(expected), "{files:?}");
        }
        assert_eq!(programs(&[("pyproject.toml", "")]), [pair("", ".")]);
        let package = "{\"dependencies\": {\"x\": \"1\"}, \"scripts\": {\"build\": \"tsc\"}}";
        let files = [("package.json", package), ("package-lock.json", "{}")];
        assert_eq!(programs(&files), [pair("npm ci && npm run build", ".")]);
        assert_eq!(programs(&files[..1]), [pair("npm run build", ".")]);
        assert_eq!(programs(&[("package.json", "{}"), ("yarn.lock", "")]), [pair("", ".")]);
    }

    #[test]
    fn stars_and_question_marks_stand_for_what_they_do_in_a_shell() {
        for (pattern, path, expected) in [
            ("target/release/deps/bench-*", "target/release/deps/bench-0a1b", true),
            ("target/release/deps/bench-*", "target/release/deps/bench", false),
            ("target/*/bench-*", "target/a/b/bench-1", false),
            ("*.test", "a.test", true),
            ("*.test", ".test", false),
            ("a*b*c", "aXbXbc", true),
            ("a*b*c", "aXbXb", false),
            ("a?c", "abc", true),
            ("a?c", "ac", false),
            ("größe-*", "größe-ü", true),
            ("a", "a", true),
            ("***", "", true),
        ] {
            assert_eq!(matches_pattern(pattern, path), expected, "{pattern} {path}");
        }
    }
}
