//! Library functions that cost more than they seem to, and their replacements.

use super::library_table::{COSTLY, RUNTIME};
use super::spelled::Spelled;

/// Library functions that are costly for one reason.
#[derive(Debug)]
pub(super) struct Costly {
    /// Its name in sentences.
    pub(super) shown: &'static str,
    /// The functions in a running program: modules, as of GHC 9.0 (later versions use
    /// `GHC.Internal.` in place of `GHC.`), and names without worker prefix, copy and number.
    pub(super) functions: &'static [(&'static str, &'static [&'static str])],
    /// The names by which Core mentions them.
    pub(super) mentions: &'static [&'static str],
    /// The use that is costly.
    pub(super) when: When,
    /// For functions that traverse a list: the largest mean number of seconds that still means only
    /// a few elements, for which a replacement takes as long. A cell of a list takes 2 ns if it is
    /// in the cache, and comparing a short text 20 ns.
    pub(super) short_seconds: Option<f64>,
    /// Set if it is costly only for a list that it has processed before.
    pub(super) counts: bool,
    /// The evidence of it in Core after inlining.
    pub(super) inlined: Inlined,
    /// The names in a program's text, used if nothing else of it is left.
    pub(super) spelled: Option<Spelled>,
    /// The least share of the time that makes it a finding: [`LEAST`], or more if much of it may be
    /// the purpose of the program.
    pub(super) least: f64,
    /// The problem, as the end of a sentence.
    pub(super) what: &'static str,
    /// The suggested remedy.
    pub(super) remedy: &'static str,
    /// The reason why GHC does not do it.
    pub(super) why: &'static str,
}

/// The use of a function that is costly.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum When {
    /// Any use, even one.
    Always,
    /// Repeated use.
    Repeated,
    /// Use on its own results, deeply nested.
    Nested,
    /// Repeated use, unless another known cause explains the cost.
    Otherwise,
}

/// The evidence in Core that a function was inlined, so that the program's code does its work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Inlined {
    /// No evidence.
    Never,
    /// It still has its name, but parts of it are in the code of the same line.
    Lines,
    /// A loop passes itself other bytes in each round, and makes some.
    Bytes,
    /// Code that runs repeatedly makes an array, and copies elements into it.
    Boxes,
}
/// The least share of the time that is a finding. A program that becomes a tenth faster is noticed
/// by its user; most programs spend less than that in any one of these functions. Arbitrary.
pub(super) const LEAST: f64 = 0.1;

/// The entry for a function of a running program, with its name in the form of [`plain`]. A
/// function of the runtime has no module.
pub(super) fn of_program(module: Option<&str>, name: &str) -> Option<&'static Costly> {
    let module = module.unwrap_or(RUNTIME);
    let later = module.strip_prefix("GHC.Internal.");
    // `GHC.Internal.Data.OldList` was `Data.OldList`, `GHC.Internal.Base` was `GHC.Base`.
    let is_module = |known: &str| {
        known == module
            || later.is_some_and(|it| known == it || known.strip_prefix("GHC.") == Some(it))
    };
    COSTLY.iter().find(|it| {
        let has = |names: &[&str]| names.is_empty() || names.contains(&name);
        it.functions.iter().any(|(module, names)| is_module(module) && has(names))
    })
}

/// A name without number and prime: pieces of a function have the function's name with a number.
pub(super) fn plain(name: &str) -> &str {
    // `nub_$snub1` is a copy of `nub`.
    let copied = name.split_once("_$s").map(|(of, _)| of).filter(|of| !of.is_empty());
    let plain = super::names::in_source(copied.unwrap_or(name))
        .trim_end_matches(|last: char| last.is_ascii_digit())
        .trim_end_matches('_');
    if plain.is_empty() { name } else { plain }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(module: &str, name: &str) -> Option<&'static str> {
        of_program(Some(module), plain(name)).map(|it| it.shown)
    }

    #[test]
    fn workers_copies_and_pieces_are_the_functions_that_they_are_of() {
        assert_eq!(shown("GHC.List", "$w!!"), Some("!!"));
        assert_eq!(shown("GHC.List", "$wlenAcc"), Some("length"));
        assert_eq!(shown("GHC.Base", "++_$s++"), Some("++"));
        assert_eq!(shown("Data.OldList", "nub_$snub1"), Some("nub"));
        assert_eq!(shown("Data.OldList", "elem_by"), Some("nub"));
        assert_eq!(shown("GHC.List", "init1"), Some("last and init"));
        assert_eq!(shown("Text.Read.Lex", "expect2"), Some("read"));
    }

    #[test]
    fn later_versions_have_other_modules() {
        assert_eq!(shown("GHC.Internal.Base", "++"), Some("++"));
        assert_eq!(shown("GHC.Internal.Data.OldList", "nub"), Some("nub"));
        assert_eq!(shown("GHC.Internal.List", "$w!!"), Some("!!"));
    }

    #[test]
    fn what_is_called_alike_elsewhere_is_something_else() {
        assert_eq!(shown("Data.Map.Internal", "insert"), None);
        assert_eq!(shown("Data.Map.Internal", "lookup"), None);
        assert_eq!(shown("Data.Sequence.Internal", "length"), None);
        assert_eq!(shown("Main", "nub"), None);
        assert_eq!(shown("Main", "stmReadTVar"), None);
        assert!(of_program(None, "stmReadTVar").is_some());
    }
}
