//! The parts of the environment that can change the result of a build: variables, and compilers.
//!
//! `toolchains::project` lists the compilers. No list can be complete: users of other tools that
//! affect the build have to name a variable in the recipe. `PATH` counts only through the programs
//! found in it.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io::Read as _;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use measure::tool::{Tool, output};
use toolchains::project::is_compiler;

use super::part::{Part, PartKind, version_in};

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
}
