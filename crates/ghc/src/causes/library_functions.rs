//! Functions of libraries that cost more than it seems where they are used, and what to use instead.

use super::library_table::{COSTLY, RUNTIME};
use super::spelled::Spelled;

/// Functions of libraries that are costly for one reason.
#[derive(Debug)]
pub(super) struct Costly {
    /// What it is called in sentences.
    pub(super) shown: &'static str,
    /// The functions as a running program has them: modules, as of GHC 9.0 (later versions put
    /// `GHC.Internal.` in place of `GHC.`), and names without worker, copy and number.
    pub(super) functions: &'static [(&'static str, &'static [&'static str])],
    /// The names by which Core mentions them.
    pub(super) mentions: &'static [&'static str],
    /// When using them is costly.
    pub(super) when: When,
    /// Of what goes through a list: so many seconds at most on the average are a few elements, and what
    /// would replace it takes as long. A cell of a list takes 2 ns where it is in the cache, and comparing
    /// a short text 20 ns.
    pub(super) short_seconds: Option<f64>,
    /// Whether it is costly only where it gets the list that it got before.
    pub(super) counts: bool,
    /// What shows it where GHC has inlined it.
    pub(super) inlined: Inlined,
    /// How a program's text names it where nothing else of it is left.
    pub(super) spelled: Option<Spelled>,
    /// The least share of the time with which it is a finding: [`LEAST`], or more where much of it may
    /// be what the program is for.
    pub(super) least: f64,
    /// What is wrong, as the end of a sentence.
    pub(super) what: &'static str,
    /// What to try.
    pub(super) remedy: &'static str,
    /// Why GHC does not do it.
    pub(super) why: &'static str,
}

/// When using a function is costly.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum When {
    /// Even once.
    Always,
    /// Again and again.
    Repeated,
    /// Where it works on its own results, many deep.
    Nested,
    /// Again and again, and for nothing else that is known to be costly.
    Otherwise,
}

/// What shows in Core that a function was inlined, so that the program's own code does its work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Inlined {
    /// Nothing does.
    Never,
    /// It still has its name, but parts of it are in the code of the same line.
    Lines,
    /// A loop passes itself other bytes in each round, and makes some.
    Bytes,
    /// Code that runs again and again makes an array, and copies elements into it.
    Boxes,
}
/// The least share of the time that is a finding. A tenth is what a program can become faster by that
/// its user notices; most programs spend less than that in any one of these functions. Arbitrary.
pub(super) const LEAST: f64 = 0.1;

/// Which of them a function of a running program is; its name is as [`plain`] gives it.
/// A function of the runtime has no module.
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
