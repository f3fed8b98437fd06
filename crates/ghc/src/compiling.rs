//! GHC's messages while it compiles: its progress through the modules (`[ 3 of 40] Compiling
//! Data.Thing`), the rewrite rules that fired, and the inlined functions.

/// A module that GHC has begun to compile.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Compiling {
    /// Its number, from 1.
    pub module: u32,
    /// The number of modules. For a project with several packages, those of one of them.
    pub of: u32,
}

/// The last module announced in a piece of GHC's or cabal's output, if any.
pub fn last_compiling(printed: &[u8]) -> Option<Compiling> {
    String::from_utf8_lossy(printed).lines().rev().find_map(compiling)
}

fn compiling(line: &str) -> Option<Compiling> {
    let (numbers, rest) = line.trim_start().strip_prefix('[')?.split_once(']')?;
    let (module, of) = numbers.split_once(" of ")?;
    let (module, of) = (module.trim().parse().ok()?, of.trim().parse().ok()?);
    let is_possible = 0 < module && module <= of && rest.starts_with(" Compiling ");
    is_possible.then_some(Compiling { module, of })
}

/// A rewrite rule that fired: a line of `-ddump-rule-firings`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Firing {
    /// The rule's name, such as `SPEC/Main eval`.
    pub rule: String,
    /// The module of the rule, or `BUILTIN`.
    pub module: Option<String>,
}

/// A function that was inlined: a line of `-ddump-inlinings`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Inlining {
    /// Its name, as in Core.
    pub function: String,
}

/// The firings that a dump lists, in their order.
pub fn firings(text: &str) -> Vec<Firing> {
    let rules = text.lines().filter_map(|line| line.trim().strip_prefix("Rule fired:"));
    rules
        .map(|rule| {
            let rule = rule.trim();
            let parts = rule.strip_suffix(')').and_then(|rule| rule.rsplit_once(" ("));
            match parts {
                Some((rule, module)) => {
                    Firing { rule: rule.to_owned(), module: Some(module.to_owned()) }
                }
                None => Firing { rule: rule.to_owned(), module: None },
            }
        })
        .collect()
}

/// The inlinings that a dump lists, in their order.
pub fn inlinings(text: &str) -> Vec<Inlining> {
    let functions = text.lines().filter_map(|line| line.trim().strip_prefix("Inlining done:"));
    functions.map(|function| Inlining { function: function.trim().to_owned() }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_module_that_is_named_counts() {
        let of = |text: &str| last_compiling(text.as_bytes()).map(|it| (it.module, it.of));
        let ghc = "[1 of 2] Compiling Work             ( Work.hs, /o/Work.o )\n\
                   [2 of 2] Compiling Main             ( Main.hs, /o/Main.o )\nLinking program ...\n";
        assert_eq!(of(ghc), Some((2, 2)));
        assert_eq!(
            of("Building library for a-0.1..\n[ 9 of 40] Compiling A ( A.hs, A.o )\n"),
            Some((9, 40))
        );
        for other in
            ["", "[3 of 2] Compiling A", "[0 of 2] Compiling A", "[1 of 2] Linking A", "[a of b]"]
        {
            assert_eq!(of(other), None, "{other}");
        }
    }
}
