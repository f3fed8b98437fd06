//! Counter-builds: a commit compiled with other rules of inlining, of units or of vectors. A change
//! that such a build does not have is made by these rules.
//!
//! The wrappers of compilers ([`crate::layouts`]) add the options, so no file of the project changes.

use std::collections::BTreeSet;
use std::ffi::OsString;

use crate::layouts::Role;

/// Another way to compile a commit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CounterBuild {
    /// Each library is one unit.
    OneUnit,
    /// All units are optimised together.
    WholeProgram,
    /// No function is inlined.
    NoInlining,
    /// No loop is vectorised.
    NoVectors,
}

/// Compilers that take options of their own, in the order in which they are looked for: those of a
/// crate may include a compiler of C.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Family {
    Rust,
    Go,
    Haskell,
    C,
}

const FAMILIES: [(Family, &[&str]); 4] = [
    (Family::Rust, &["cargo", "rustc"]),
    (Family::Go, &["go"]),
    (Family::Haskell, &["ghc", "cabal", "stack"]),
    (Family::C, &["cc", "gcc", "clang", "c++", "g++", "clang++"]),
];

impl CounterBuild {
    /// All of them: those first that a project may want to keep.
    pub const ALL: [Self; 4] =
        [Self::OneUnit, Self::WholeProgram, Self::NoInlining, Self::NoVectors];

    /// The options for a build by these compilers, as users write them; `None` if they have none.
    pub fn options(self, compilers: &BTreeSet<String>) -> Option<&'static str> {
        let is_used =
            |(_, names): &&(Family, &[&str])| names.iter().any(|name| compilers.contains(*name));
        let (family, _) = FAMILIES.iter().find(is_used)?;
        Some(match (self, family) {
            (Self::OneUnit, Family::Rust) => "codegen-units=1",
            (Self::WholeProgram, Family::Rust) => "lto=\"fat\"",
            (Self::WholeProgram, Family::C) => "-flto",
            (Self::WholeProgram, Family::Haskell) => {
                "-fexpose-all-unfoldings -fspecialise-aggressively"
            }
            (Self::NoInlining, Family::C) => "-fno-inline",
            (Self::NoInlining, Family::Go) => "-gcflags=all=-l",
            (Self::NoVectors, Family::Rust) => "no-vectorize-loops, no-vectorize-slp",
            (Self::NoVectors, Family::C) => "-fno-tree-vectorize -fno-tree-slp-vectorize",
            _ => return None,
        })
    }

    /// True if a project may want to keep it: it makes programs no slower as a rule.
    pub fn may_be_kept(self) -> bool {
        matches!(self, Self::OneUnit | Self::WholeProgram)
    }

    /// The arguments that a wrapper adds, behind the build's own, because later ones win.
    pub(crate) fn arguments(self, role: Role) -> &'static [&'static str] {
        match (self, role) {
            (Self::OneUnit, Role::RustcTool) => &["-Ccodegen-units=1"],
            // Archives keep code for linkers without the compiler's plug-in.
            (Self::WholeProgram, Role::Compiler) => &["-flto", "-ffat-lto-objects"],
            (Self::WholeProgram, Role::Ghc) => {
                &["-fexpose-all-unfoldings", "-fspecialise-aggressively"]
            }
            (Self::NoInlining, Role::Compiler) => &["-fno-inline"],
            (Self::NoVectors, Role::Compiler) => {
                &["-fno-tree-vectorize", "-fno-tree-slp-vectorize"]
            }
            (Self::NoVectors, Role::RustcTool) => &["-Cno-vectorize-loops", "-Cno-vectorize-slp"],
            _ => &[],
        }
    }

    /// The variables that tell build tools the same, where their compilers cannot be told.
    pub(crate) fn variables(self) -> Vec<(OsString, OsString)> {
        let settings: &[(&str, &str)] = match self {
            Self::WholeProgram => &[("CARGO_PROFILE_RELEASE_LTO", "fat")],
            _ => &[],
        };
        settings.iter().map(|&(name, value)| (name.into(), value.into())).collect()
    }

    /// The options for Go, whose tools take them from a variable.
    pub(crate) fn go_flags(self) -> Option<&'static str> {
        (self == Self::NoInlining).then_some("-gcflags=all=-l")
    }

    /// The word for a variable.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::OneUnit => "one-unit",
            Self::WholeProgram => "whole-program",
            Self::NoInlining => "no-inlining",
            Self::NoVectors => "no-vectors",
        }
    }

    /// The counter-build of a word.
    pub(crate) fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|one| one.word() == word)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_options_are_those_of_the_compiler_that_makes_the_program() {
        let options = |compilers: &[&str]| {
            let compilers = compilers.iter().map(|&name| name.to_owned()).collect();
            CounterBuild::ALL.map(|one| one.options(&compilers))
        };
        let of_rust = [
            Some("codegen-units=1"),
            Some("lto=\"fat\""),
            None,
            Some("no-vectorize-loops, no-vectorize-slp"),
        ];
        assert_eq!(options(&["cargo", "cc", "ld", "rustc"]), of_rust);
        assert_eq!(options(&["gcc", "go"]), [None, None, Some("-gcflags=all=-l"), None]);
        assert_eq!(options(&["make", "gcc"])[1], Some("-flto"));
        assert_eq!(options(&["javac", "ld"]), [None; 4]);
    }

    #[test]
    fn each_has_a_word_of_its_own() {
        for one in CounterBuild::ALL {
            assert_eq!(CounterBuild::from_word(one.word()), Some(one));
        }
        assert_eq!(CounterBuild::from_word(""), None);
    }
}
