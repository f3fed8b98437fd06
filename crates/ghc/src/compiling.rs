//! GHC's progress through the modules: `[ 3 of 40] Compiling Data.Thing`.

/// A module that GHC has begun to compile.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Compiling {
    /// Its number, from 1.
    pub module: u32,
    /// The number of modules. For a project with several packages, those of one of them.
    pub of: u32,
}

/// The last module announced in a piece of GHC's or cabal's output, if any.
#[must_use]
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
