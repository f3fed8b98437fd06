//! What of the surroundings can change what a build produces: variables, and the compilers there
//! are.
//!
//! No list can be complete: who builds with something that is not on these, and changes it, has to
//! name a variable in the recipe. Too much on a list only costs builds; too little would give old
//! artefacts for new ones, so they are generous.

use std::collections::{BTreeMap, HashMap};
use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use measure::tool::{Tool, output};

use super::fingerprint::Fingerprint;

/// Variables that compilers and build programs read, by their documentation.
const VARIABLES: [&str; 62] = [
    "PATH",
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

/// Beginnings of the names of further ones.
const PREFIXES: [&str; 4] = ["CARGO_BUILD_", "CARGO_PROFILE_", "CARGO_TARGET_", "NIX_"];

/// Programs that decide what comes out of a build, also when the build command does not name them.
const COMPILERS: [&str; 30] = [
    "ar",
    "as",
    "c++",
    "cabal",
    "cargo",
    "cc",
    "clang",
    "clang++",
    "cmake",
    "cpp",
    "dune",
    "g++",
    "gcc",
    "gfortran",
    "ghc",
    "go",
    "javac",
    "ld",
    "ld.gold",
    "ld.lld",
    "make",
    "mlton",
    "ninja",
    "ocamlc",
    "ocamlfind",
    "ocamlopt",
    "polyc",
    "rustc",
    "sbcl",
    "stack",
];

/// How long a compiler may take to say its version.
const PATIENCE: Duration = Duration::from_secs(20);

/// The variables that matter to a build, as it will see them: `given` wins over `inherited`.
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

/// Adds which programs would build: those of the list above and those whose names are words of the
/// build command, wherever `path` has them.
///
/// A program is known by its file (behind symbolic links), that file's size and its time of
/// change. All of that name count and not only the first, because the first may be a wrapper such
/// as ccache. What `rustc` is, rustup decides behind a file that never changes, so it is asked.
pub(super) fn add_programs(fingerprint: &mut Fingerprint, path: &OsStr, build: &str) {
    let mut names: Vec<&str> = COMPILERS.into_iter().chain(words(build)).collect();
    names.sort_unstable();
    names.dedup();
    // PATH may name a folder twice, and asking takes longer than all else here.
    let mut versions: HashMap<PathBuf, Vec<u8>> = HashMap::new();
    for name in names {
        for file in files(name, path) {
            let Ok(real) = fs::canonicalize(&file) else { continue };
            let Ok(facts) = fs::metadata(&real) else { continue };
            if !facts.is_file() || facts.mode() & 0o111 == 0 {
                continue;
            }
            fingerprint.field("program", name.as_bytes());
            fingerprint.field("file", real.as_os_str().as_bytes());
            fingerprint.field("size", &facts.size().to_le_bytes());
            fingerprint.field("seconds", &facts.mtime().to_le_bytes());
            fingerprint.field("nanoseconds", &facts.mtime_nsec().to_le_bytes());
            if name == "rustc" {
                let version = versions.entry(file).or_insert_with_key(|file| version(file));
                fingerprint.field("version", version);
            }
        }
    }
}

/// Whatever of a command could be the name of a program.
fn words(build: &str) -> impl Iterator<Item = &str> {
    let is_part = |c: char| c.is_alphanumeric() || "._-+/".contains(c);
    build.split(move |c| !is_part(c)).filter(|word| !word.is_empty())
}

fn files(name: &str, path: &OsStr) -> Vec<PathBuf> {
    if name.contains('/') {
        // What is relative lies in the tree, which is part of the key anyway.
        let file = Path::new(name);
        return if file.is_absolute() { vec![file.to_owned()] } else { Vec::new() };
    }
    std::env::split_paths(path)
        .filter(|folder| folder.is_absolute())
        .map(|f| f.join(name))
        .collect()
}

/// What a compiler says about itself; nothing if it says nothing.
fn version(program: &Path) -> Vec<u8> {
    let tool = Tool::new(program).args(["--version", "--verbose"]).cwd("/").timeout(PATIENCE);
    output(&tool).map(|output| output.stdout).unwrap_or_default()
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

    #[test]
    fn the_words_of_a_command_are_found_between_its_signs() {
        let found: Vec<&str> = words("CC=clang make -j4&&(./a.sh;strip 'x y')").collect();
        assert_eq!(found, ["CC", "clang", "make", "-j4", "./a.sh", "strip", "x", "y"]);
    }
}
