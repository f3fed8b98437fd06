//! The inputs of a build that come from its environment: variables and compilers.
//!
//! `toolchains::project` lists the compilers. No list can be complete: users of other tools that
//! affect the build have to name a variable in the recipe. `PATH` counts only through the programs
//! found in it.
//!
//! Each input is a [`Part`], kept with the result, so that the next build of the same tree can
//! report the differences; texts written by the user are kept only as hashes, because they may
//! contain secrets. All parts together have one name, a [`Fingerprint`]: a hash of fields, each
//! with its name and its length. It is SHA-256, because cache entries are looked up by it without a
//! second check, so it must be infeasible to make two inputs with the same hash; it is fast enough
//! for the products of builds.

use measure::tool::{Tool, output};
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::{OsStr, OsString};
use std::fs;
use std::fs::File;
use std::io::Read as _;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::Duration;
use toolchains::project::is_compiler;

/// Variables that compilers and build programs read, according to their documentation.
const VARIABLES: [&str; 61] = [
    "AR",
    "AS",
    "CC",
    "CFLAGS",
    "CPATH",
    "CPP",
    "CPPFLAGS",
    "CXX",
    "CXXFLAGS",
    "C_INCLUDE_PATH",
    "CPLUS_INCLUDE_PATH",
    "FC",
    "FFLAGS",
    "GCC_EXEC_PREFIX",
    "LD",
    "LDFLAGS",
    "LDLIBS",
    "LD_LIBRARY_PATH",
    "LD_PRELOAD",
    "LIBRARY_PATH",
    "MAKEFLAGS",
    "GNUMAKEFLAGS",
    "NM",
    "OBJCOPY",
    "RANLIB",
    "STRIP",
    "PKG_CONFIG",
    "PKG_CONFIG_LIBDIR",
    "PKG_CONFIG_PATH",
    "SOURCE_DATE_EPOCH",
    "RUSTC",
    "RUSTC_BOOTSTRAP",
    "RUSTC_WRAPPER",
    "RUSTFLAGS",
    "RUSTUP_HOME",
    "RUSTUP_TOOLCHAIN",
    "CARGO_ENCODED_RUSTFLAGS",
    "CARGO_HOME",
    "CARGO_TARGET_DIR",
    "GHC",
    "GHCRTS",
    "GHC_ENVIRONMENT",
    "GHC_PACKAGE_PATH",
    "CABAL_BUILDDIR",
    "CABAL_CONFIG",
    "CABAL_DIR",
    "STACK_ROOT",
    "STACK_YAML",
    "CAMLLIB",
    "CAML_LD_LIBRARY_PATH",
    "OCAMLFIND_CONF",
    "OCAMLLIB",
    "OCAMLPARAM",
    "OCAMLPATH",
    "OPAMROOT",
    "OPAMSWITCH",
    "OPAM_SWITCH_PREFIX",
    "DUNE_PROFILE",
    "SBCL_HOME",
    "GOFLAGS",
    "JAVA_HOME",
];

/// Prefixes of further variables.
const PREFIXES: [&str; 4] = ["CARGO_BUILD_", "CARGO_PROFILE_", "CARGO_TARGET_", "NIX_"];

/// Variables whose words may name the compilers.
const NAMING: [&str; 10] =
    ["AR", "AS", "CC", "CPP", "CXX", "FC", "GHC", "LD", "RUSTC", "RUSTC_WRAPPER"];

/// Programs that run the next program in `PATH` with the name by which they were called.
const WRAPPERS: [&str; 4] = ["ccache", "sccache", "distcc", "colorgcc"];

/// The time limit for a compiler to print its version.
const PATIENCE: Duration = Duration::from_secs(20);

/// The variables that matter to a build, as it will see them: `given` overrides `inherited`.
pub(super) fn variables(
    inherited: impl IntoIterator<Item = (OsString, OsString)>,
    given: &[(OsString, OsString)],
) -> BTreeMap<OsString, OsString> {
    let inherited = inherited.into_iter().filter(|(name, _)| matters(name));
    inherited.chain(given.iter().cloned()).collect()
}

fn matters(name: &OsStr) -> bool {
    let Some(name) = name.to_str() else { return false };
    VARIABLES.contains(&name) || PREFIXES.iter().any(|prefix| name.starts_with(prefix))
}

/// The programs that build, as parts: those with these names, and those that the variables name, if
/// they are in `path`.
///
/// A program is identified by its file (with symbolic links resolved), the file's size and its
/// modification time. If the first file of a name is a script or a wrapper such as ccache, the next
/// one counts as well, and so on. rustup hides the real `rustc` and `cargo` behind a file that is
/// the same for all, so these are queried for their versions; `rustc` always, because other tools
/// do the same.
pub(super) fn programs(
    names: &BTreeSet<String>,
    variables: &BTreeMap<OsString, OsString>,
    path: &OsStr,
) -> Vec<Part> {
    let named = NAMING.iter().filter_map(|name| variables.get(OsStr::new(name)));
    let named: Vec<String> = named
        .flat_map(|value| {
            value.to_string_lossy().split_whitespace().map(str::to_owned).collect::<Vec<_>>()
        })
        .collect();
    let names: BTreeSet<&str> = names.iter().chain(&named).map(String::as_str).collect();
    names.into_iter().filter_map(|name| program(name, path)).collect()
}

fn program(name: &str, path: &OsStr) -> Option<Part> {
    let mut identities = Vec::new();
    for file in files(name, path) {
        let Ok(real) = fs::canonicalize(&file) else { continue };
        let Ok(facts) = fs::metadata(&real) else { continue };
        if !facts.is_file() || facts.mode() & 0o111 == 0 {
            continue;
        }
        if real.file_name().is_some_and(|name| name == "rustup") {
            identities.push(said_by(&file, name));
            break;
        }
        let (seconds, nanoseconds) = (facts.mtime(), facts.mtime_nsec());
        identities.push(format!("{real:?} {} {seconds}.{nanoseconds:09}", facts.size()));
        if name == "rustc" {
            identities.push(said_by(&file, name));
            break;
        }
        if !runs_another(&real) {
            break;
        }
    }
    let part =
        |value| Part { kind: PartKind::Program, name: name.to_owned(), value, version: None };
    (!identities.is_empty()).then(|| part(identities.join("\n")))
}

/// True if a program may run another one of its name.
fn runs_another(program: &Path) -> bool {
    let mut begin = [0; 2];
    let is_script = File::open(program).and_then(|mut file| file.read_exact(&mut begin)).is_ok()
        && &begin == b"#!";
    let name = program.file_name().and_then(OsStr::to_str);
    is_script || name.is_some_and(|name| WRAPPERS.contains(&name))
}

/// The same parts, with the versions of compilers.
pub(super) fn with_versions(parts: &[Part], path: &OsStr) -> Vec<Part> {
    let version = |part: &Part| {
        // Only known compilers are certain to have an option for the version.
        let is_one = part.kind == PartKind::Program && is_compiler(&part.name);
        let program = files(&part.name, path).into_iter().find(|file| file.is_file())?;
        is_one.then(|| version_in(&said_by(&program, &part.name)))?
    };
    parts.iter().map(|part| Part { version: version(part), ..part.clone() }).collect()
}

fn files(name: &str, path: &OsStr) -> Vec<PathBuf> {
    if name.contains('/') {
        // A relative path lies in the tree, which is part of the key anyway.
        let file = Path::new(name);
        return if file.is_absolute() { vec![file.to_owned()] } else { Vec::new() };
    }
    std::env::split_paths(path)
        .filter(|folder| folder.is_absolute())
        .map(|f| f.join(name))
        .collect()
}

/// A compiler's description of its version; empty on failure.
fn said_by(program: &Path, name: &str) -> String {
    let args: &[&str] = match name {
        "go" => &["version"],
        "rustc" | "cargo" => &["--version", "--verbose"],
        _ => &["--version"],
    };
    let tool = Tool::new(program).args(args).cwd("/").timeout(PATIENCE);
    let said = output(&tool).map(|output| output.stdout).unwrap_or_default();
    String::from_utf8_lossy(&said).into_owned()
}

/// One input of a build.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Part {
    /// The kind of input.
    pub kind: PartKind,
    /// Its name.
    pub name: String,
    /// The value that distinguishes it from others of that name: it is part of the key.
    pub value: String,
    /// The version that a program prints; not part of the key.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
}

/// The kind of an input of a build.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PartKind {
    /// A part of the recipe.
    Recipe,
    /// A variable of the environment.
    Variable,
    /// A build program.
    Program,
}

impl Part {
    /// A part identified by a hash of its content.
    pub(super) fn from_content(kind: PartKind, name: &str, content: &[u8]) -> Self {
        let mut fingerprint = Fingerprint::new("part");
        fingerprint.field("content", content);
        let value = fingerprint.finish();
        Self { kind, name: name.to_owned(), value, version: None }
    }
}

/// The changes from one build to the next, each in a few words. Empty if only the recipe changed,
/// because the user knows that.
pub(super) fn changes(before: &[Part], now: &[Part]) -> Vec<String> {
    let is_recipe = |part: &&Part| part.kind == PartKind::Recipe;
    let others = |parts: &[Part]| -> Vec<(String, String)> {
        let rest = parts.iter().filter(|part| !is_recipe(part));
        rest.map(|part| (part.name.clone(), part.value.clone())).collect()
    };
    if others(before) == others(now) {
        return Vec::new();
    }
    let find = |parts: &[Part], part: &Part| {
        parts.iter().find(|other| (other.kind, &other.name) == (part.kind, &part.name)).cloned()
    };
    let mut told = Vec::new();
    for kind in [PartKind::Program, PartKind::Variable, PartKind::Recipe] {
        for part in now.iter().filter(|part| part.kind == kind) {
            match find(before, part) {
                Some(old) if old.value == part.value => {}
                Some(old) => told.push(changed(&old, part)),
                None => told.push(appeared(part)),
            }
        }
        for part in before.iter().filter(|part| part.kind == kind) {
            if find(now, part).is_none() {
                told.push(gone(part));
            }
        }
    }
    told
}

fn changed(old: &Part, new: &Part) -> String {
    let name = &new.name;
    match (old.kind, &old.version, &new.version) {
        (PartKind::Recipe, ..) => format!("the {name} changed"),
        (PartKind::Program, Some(before), Some(now)) if before != now => {
            format!("`{name}` changed: {before} -> {now}")
        }
        (PartKind::Program, Some(version), Some(_)) => {
            format!("`{name}` is another file, also of version {version}")
        }
        (PartKind::Program | PartKind::Variable, ..) => format!("`{name}` changed"),
    }
}

fn appeared(part: &Part) -> String {
    let name = &part.name;
    match part.kind {
        PartKind::Recipe => format!("there is a {name}"),
        PartKind::Variable => format!("`{name}` is set"),
        PartKind::Program => format!("`{name}` takes part"),
    }
}

fn gone(part: &Part) -> String {
    let name = &part.name;
    match part.kind {
        PartKind::Recipe => format!("there is no {name}"),
        PartKind::Variable => format!("`{name}` is not set"),
        PartKind::Program => format!("`{name}` takes no part"),
    }
}

/// The version in a program's output: the first word that begins with two numbers separated by a
/// dot.
pub(super) fn version_in(said: &str) -> Option<String> {
    let words = said.lines().take(3).flat_map(str::split_whitespace);
    let mut words = words.map(|word| {
        let word = word.trim_matches(|c: char| !c.is_alphanumeric());
        word.strip_prefix("go").or_else(|| word.strip_prefix('v')).unwrap_or(word)
    });
    let is_version = |word: &&str| {
        let begins = |text: &str| text.starts_with(|c: char| c.is_ascii_digit());
        word.split_once('.')
            .is_some_and(|(major, rest)| major.parse::<u64>().is_ok() && begins(rest))
    };
    words.find(is_version).map(str::to_owned)
}

/// A hash in progress.
pub(super) struct Fingerprint(Sha256);

impl Fingerprint {
    /// A fingerprint of this kind; those of different kinds never coincide.
    pub(super) fn new(kind: &str) -> Self {
        let mut fingerprint = Self(Sha256::new());
        fingerprint.piece(kind.as_bytes());
        fingerprint
    }

    /// Adds a field. Names and lengths keep `ab`, `c` apart from `a`, `bc`.
    pub(super) fn field(&mut self, name: &str, value: &[u8]) {
        self.piece(name.as_bytes());
        self.piece(value);
    }

    /// Adds bytes that arrive in pieces. Their end is not marked, so no field may follow them.
    pub(super) fn stream(&mut self, piece: &[u8]) {
        self.0.update(piece);
    }

    fn piece(&mut self, bytes: &[u8]) {
        self.0.update((bytes.len() as u64).to_le_bytes());
        self.0.update(bytes);
    }

    /// The hash as 64 hexadecimal digits.
    pub(super) fn finish(self) -> String {
        self.0.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pairs(pairs: &[(&str, &str)]) -> Vec<(OsString, OsString)> {
        pairs.iter().map(|(name, value)| (name.into(), value.into())).collect()
    }

    #[test]
    fn what_is_given_matters_always_and_what_is_inherited_if_it_is_known() {
        let inherited = pairs(&[("CC", "gcc"), ("EDITOR", "vi"), ("CARGO_PROFILE_DEV_LTO", "x")]);
        let given = pairs(&[("CC", "clang"), ("SIZE", "3")]);
        let variables: Vec<_> = variables(inherited, &given).into_iter().collect();
        let expected = [("CARGO_PROFILE_DEV_LTO", "x"), ("CC", "clang"), ("SIZE", "3")];
        assert_eq!(variables, pairs(&expected));
    }

    fn program(name: &str, value: &str, version: &str) -> Part {
        let version = (!version.is_empty()).then(|| version.to_owned());
        Part { kind: PartKind::Program, name: name.to_owned(), value: value.to_owned(), version }
    }

    #[test]
    fn what_changed_is_told_with_the_versions_before_and_now() {
        let recipe =
            |text: &str| Part::from_content(PartKind::Recipe, "build command", text.as_bytes());
        let flags =
            |text: &str| Part::from_content(PartKind::Variable, "RUSTFLAGS", text.as_bytes());
        let before = [recipe("make"), program("rustc", "1", "1.94.0"), program("cc", "a", "12.2")];
        let now = [recipe("make"), program("rustc", "2", "1.95.0"), program("cc", "a", "12.2")];
        assert_eq!(changes(&before, &now), ["`rustc` changed: 1.94.0 -> 1.95.0"]);
        assert!(changes(&before, &before).is_empty());
        let now =
            [recipe("make all"), flags("-O"), program("cc", "b", "12.2"), program("ld", "", "")];
        let told = [
            "`cc` is another file, also of version 12.2",
            "`ld` takes part",
            "`rustc` takes no part",
            "`RUSTFLAGS` is set",
            "the build command changed",
        ];
        assert_eq!(changes(&before, &now), told);
        let typed = [recipe("make all"), before[1].clone(), before[2].clone()];
        assert!(changes(&before, &typed).is_empty());
        let unknown = [recipe("make"), program("rustc", "2", ""), program("cc", "a", "")];
        assert_eq!(changes(&before, &unknown), ["`rustc` changed"]);
    }

    #[test]
    fn the_version_is_found_in_what_compilers_say() {
        for (said, version) in [
            ("rustc 1.95.0 (59807616e 2026-04-14)\nbinary: rustc", Some("1.95.0")),
            ("cc (Debian 12.2.0-14+deb12u1) 12.2.0\nCopyright", Some("12.2.0-14+deb12u1")),
            ("GNU ld (GNU Binutils for Debian) 2.40", Some("2.40")),
            ("go version go1.26.8 linux/amd64", Some("1.26.8")),
            ("The Glorious Glasgow Haskell Compilation System, version 9.6.6", Some("9.6.6")),
            ("5.1.1\n", Some("5.1.1")),
            ("SBCL 2.2.9.debian", Some("2.2.9.debian")),
            ("usage: x", None),
        ] {
            assert_eq!(version_in(said).as_deref(), version, "{said}");
        }
    }

    #[test]
    fn the_hash_is_sha_256() {
        let mut fingerprint = Fingerprint(Sha256::new());
        fingerprint.stream(b"ab");
        fingerprint.stream(b"c");
        // FIPS 180-4, the example for a one-block message.
        let known = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(fingerprint.finish(), known);
    }

    #[test]
    fn fields_do_not_run_into_each_other() {
        let of = |kind: &str, fields: &[(&str, &str)]| {
            let mut fingerprint = Fingerprint::new(kind);
            fields.iter().for_each(|(name, value)| fingerprint.field(name, value.as_bytes()));
            fingerprint.finish()
        };
        let all = [
            of("k", &[("ab", "c")]),
            of("k", &[("a", "bc")]),
            of("k", &[("a", "b"), ("c", "")]),
            of("ka", &[("b", "c")]),
            of("k", &[]),
        ];
        for (index, one) in all.iter().enumerate() {
            assert_eq!(all.iter().position(|other| other == one), Some(index));
        }
        assert_eq!(of("k", &[("a", "b")]), of("k", &[("a", "b")]));
    }
}
