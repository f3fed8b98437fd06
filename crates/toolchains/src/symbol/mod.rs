//! Names of symbols as people know them: demangling.
//!
//! Each compiler has its own scheme, and nothing in a program tells which compiler made a symbol,
//! so the form of the symbol decides, and for GHC's also the other symbols of the program. A symbol
//! that fits no scheme is the name itself, as in C.
//!
//! Meaningless parts that change from build to build are removed: the hashes of Rust's crates, the
//! stamps of OCaml's identifiers, the uniques of GHC's, the copies that optimisers make. So a
//! function has the same name in two builds, and several functions may have one name.

mod ocaml;
pub mod zcode;

/// The naming scheme of a symbol, by compiler.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Scheme {
    /// None: the name is the symbol, as in C.
    Plain,
    /// rustc, in either of its schemes.
    Rust,
    /// A C++ compiler (the Itanium C++ ABI).
    Cpp,
    /// GHC.
    Ghc,
    /// OCaml's native compiler.
    Ocaml,
}

/// The schemes that a program's symbols may have, besides those that are recognised by their form.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Program {
    /// Set if it contains GHC's runtime: C has names that look like GHC's, such as
    /// `_IO_getline_info`.
    pub has_ghc: bool,
}

/// Functions of GHC's runtime that every program with it runs.
const OF_GHC_RUNTIME: [&str; 4] = ["hs_main", "hs_init_ghc", "hs_init_with_rtsopts", "schedule"];

impl Program {
    /// The schemes, judged by the symbols that ran.
    pub fn from_symbols<'a>(symbols: impl Iterator<Item = &'a str>) -> Self {
        let mut known = [false; OF_GHC_RUNTIME.len()];
        for symbol in symbols {
            if let Some(place) = OF_GHC_RUNTIME.iter().position(|known| *known == symbol) {
                known[place] = true;
            }
        }
        // A C program may have a function `schedule`.
        Self { has_ghc: known.iter().filter(|known| **known).count() >= 2 }
    }
}

/// The scheme of a symbol; marks of recursion or of copies are ignored.
#[must_use]
pub fn scheme(symbol: &str, program: Program) -> Scheme {
    let symbol = without_marks(symbol);
    if rustc_demangle::try_demangle(symbol).is_ok() {
        Scheme::Rust
    } else if cpp(symbol).is_some() {
        Scheme::Cpp
    } else if ocaml::name(symbol).is_some() {
        Scheme::Ocaml
    } else if program.has_ghc && name(symbol).is_some() {
        Scheme::Ghc
    } else {
        Scheme::Plain
    }
}

/// The name of a function in its source, as far as its symbol tells.
#[must_use]
pub fn readable(symbol: &str, program: Program) -> String {
    let symbol = without_marks(symbol);
    let name = match scheme(symbol, program) {
        Scheme::Rust => rust(symbol),
        Scheme::Cpp => cpp(symbol),
        Scheme::Ocaml => ocaml::name(symbol),
        Scheme::Ghc => name(symbol),
        Scheme::Plain => None,
    };
    name.unwrap_or_else(|| without_rust_hash(symbol).to_owned())
}

/// The name without hashes, and without the number that distinguishes copies of one name in
/// whole-program linking: both differ in every build.
fn rust(symbol: &str) -> Option<String> {
    let mut symbol = symbol;
    while let Some(shorter) = without_number(symbol).map(without_marks)
        && rustc_demangle::try_demangle(shorter).is_ok()
    {
        symbol = shorter;
    }
    rustc_demangle::try_demangle(symbol).ok().map(|name| format!("{name:#}"))
}

fn cpp(symbol: &str) -> Option<String> {
    if !symbol.starts_with("_Z") {
        return None;
    }
    cpp_demangle::Symbol::new(symbol).ok()?.demangle().ok()
}

// Symbols of GHC, read more carefully than by `zcode` because symbols of C are among them.

/// Module and name, or the name of something local; `None` for a symbol of C.
fn name(symbol: &str) -> Option<String> {
    let symbol = zcode::symbol(symbol)?;
    match (&symbol.module, &symbol.package) {
        // `_IO_getline_info` would be in a package without a name.
        (Some(_), Some(package)) if package.is_empty() => None,
        (Some(module), _) => Some(format!("{module}.{}", symbol.name)),
        (None, _) => {
            let (name, unique) = symbol.name.rsplit_once('_')?;
            (is_unique(unique) && !name.is_empty()).then(|| name.to_owned())
        }
    }
}

/// `s2J2`: the kind of thing, and digits in base 62.
fn is_unique(text: &str) -> bool {
    let is_kind = |first: char| matches!(first, 's' | 'r' | 'c' | 'n' | 'a' | 'u');
    text.len() > 2
        && text.starts_with(is_kind)
        && text.chars().all(|letter| letter.is_ascii_alphanumeric())
        && text.chars().any(|letter| letter.is_ascii_digit() || letter.is_ascii_uppercase())
}

// Symbols without the marks of callgrind, linkers and optimisers.

/// Endings that compilers append to the name of a copy of a function, or of a part of it: GCC the
/// first five, LLVM the last.
const COPIES: [&str; 6] = [".isra", ".constprop", ".part", ".cold", ".lto_priv", ".llvm"];

/// The symbol without the marks of callgrind, linkers and optimisers.
fn without_marks(symbol: &str) -> &str {
    let symbol = context(symbol).0;
    let symbol = match symbol.split_once('@') {
        // The version of a library's symbol.
        Some((name, version)) if !name.is_empty() && !version.contains(' ') => name,
        _ => symbol,
    };
    without_copies(symbol)
}

fn without_copies(mut symbol: &str) -> &str {
    loop {
        let name = symbol.trim_end_matches(|letter: char| letter.is_ascii_digit());
        let name = if name.len() < symbol.len() { name.strip_suffix('.') } else { Some(name) };
        let shorter = name.and_then(|name| COPIES.iter().find_map(|copy| name.strip_suffix(copy)));
        match shorter {
            Some(shorter) if !shorter.is_empty() => symbol = shorter,
            _ => return symbol,
        }
    }
}

/// The symbol without a number such as `.695` at its end; `None` if it has none.
fn without_number(symbol: &str) -> Option<&str> {
    let (name, number) = symbol.rsplit_once('.')?;
    let is_number = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
    (is_number && !name.is_empty()).then_some(name)
}

/// The parts of a name that callgrind has split by callers: the function, and the callers, the
/// nearest first. The marks of recursion are removed: `fib'2'main` is `fib` called by `main`.
#[must_use]
pub fn context(name: &str) -> (&str, Vec<&str>) {
    if memchr::memchr(b'\'', name.as_bytes()).is_none() {
        return (name, Vec::new());
    }
    // Names that were already demangled may contain a prime.
    let is_symbol = |part: &str| !part.contains([' ', '<', '(', '{']) || part == "(below main)";
    let is_level = |part: &&str| part.bytes().all(|byte| byte.is_ascii_digit());
    let mut parts = name.split('\'');
    let first = parts.next().unwrap_or_default();
    if is_symbol(first) && !first.is_empty() {
        return (first, parts.filter(|part| !is_level(part)).collect());
    }
    let level = name.rsplit_once('\'').filter(|(_, level)| !level.is_empty() && is_level(level));
    (level.map_or(name, |(name, _)| name), Vec::new())
}

/// The name without the final hash of rustc's older scheme, if it was already demangled:
/// `core::fmt::write::h0123456789abcdef`.
fn without_rust_hash(name: &str) -> &str {
    const DIGITS: usize = 16;
    let is_hash = |end: &str| {
        end.strip_prefix('h').is_some_and(|digits| {
            digits.len() == DIGITS && digits.bytes().all(|byte| byte.is_ascii_hexdigit())
        })
    };
    match name.rsplit_once("::") {
        Some((path, end)) if is_hash(without_number(end).unwrap_or(end)) => path,
        _ => name,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const C: Program = Program { has_ghc: false };
    const HASKELL: Program = Program { has_ghc: true };

    /// Symbols of programs built by rustc 1.97, g++ 12, OCaml 4.13 and GHC 9.0.2, and of OCaml 5.1
    /// from its issue 12274; the expected names are in their sources.
    #[test]
    fn known_symbols_are_read() {
        for (symbol, program, scheme_, name) in [
            ("main", C, Scheme::Plain, "main"),
            ("(below main)", C, Scheme::Plain, "(below main)"),
            ("fib'2", C, Scheme::Plain, "fib"),
            ("qsort_r@@GLIBC_2.8", C, Scheme::Plain, "qsort_r"),
            ("vector_push.constprop.0.isra.3", C, Scheme::Plain, "vector_push"),
            ("get_info", C, Scheme::Plain, "get_info"),
            ("_IO_getline_info", HASKELL, Scheme::Plain, "_IO_getline_info"),
            ("get_info", HASKELL, Scheme::Plain, "get_info"),
            ("stg_upd_frame_info", HASKELL, Scheme::Plain, "stg_upd_frame_info"),
            ("base_GHCziBase_zpzp_info", HASKELL, Scheme::Ghc, "GHC.Base.++"),
            ("base_GHCziBase_zpzp_info", C, Scheme::Plain, "base_GHCziBase_zpzp_info"),
            ("Main_zdwzdsgo8_info'2", HASKELL, Scheme::Ghc, "Main.$w$sgo8"),
            ("ZCMain_main_info", HASKELL, Scheme::Ghc, ":Main.main"),
            ("sat_s2J2_info", HASKELL, Scheme::Ghc, "sat"),
            (
                "_ZN5alloc7raw_vec20RawVecInner$LT$A$GT$11finish_grow17habc9c6a887144742E.llvm.168",
                C,
                Scheme::Rust,
                "alloc::raw_vec::RawVecInner<A>::finish_grow",
            ),
            ("_RNvNtCsgEmfK2I1SDS_4core3fmt5write", C, Scheme::Rust, "core::fmt::write"),
            ("_RNvNtCsgEmfK2I1SDS_4core3fmt5write.695", C, Scheme::Rust, "core::fmt::write"),
            ("_RNvNtCsgEmfK2I1SDS_4core3fmt5write.llvm.1.12", C, Scheme::Rust, "core::fmt::write"),
            ("_ZN4core3fmt5write17h0123456789abcdefE.695", C, Scheme::Rust, "core::fmt::write"),
            (
                "_ZN4core3fmt5write17h0123456789abcdefE.695.llvm.16848280405979708055'2",
                C,
                Scheme::Rust,
                "core::fmt::write",
            ),
            ("core::fmt::write::h0123456789abcdef.695", C, Scheme::Plain, "core::fmt::write"),
            ("_Z5twiceIiET_S0_.695", C, Scheme::Cpp, "int twice<int>(int) [clone .695]"),
            ("table.695", C, Scheme::Plain, "table.695"),
            ("core::fmt::write::h0123456789abcdef", C, Scheme::Plain, "core::fmt::write"),
            (
                "_ZSt18_Rb_tree_decrementPSt18_Rb_tree_node_base",
                C,
                Scheme::Cpp,
                "std::_Rb_tree_decrement(std::_Rb_tree_node_base*)",
            ),
            ("_Z5twiceIiET_S0_", C, Scheme::Cpp, "int twice<int>(int)"),
            ("_Znonsense", C, Scheme::Plain, "_Znonsense"),
            ("camlStdlib__List__map_236'2", C, Scheme::Ocaml, "Stdlib.List.map"),
            ("camlO__fun_167", C, Scheme::Ocaml, "O.fun"),
            ("camlO__$2b$21_79", C, Scheme::Ocaml, "O.+!"),
            ("camlStdlib__List.map_236", C, Scheme::Ocaml, "Stdlib.List.map"),
            ("camlO.M.$2b$21_79", C, Scheme::Ocaml, "O.M.+!"),
            ("camlO__", C, Scheme::Plain, "camlO__"),
            ("caml_alloc_shr", C, Scheme::Plain, "caml_alloc_shr"),
        ] {
            assert_eq!(scheme(symbol, program), scheme_, "{symbol}");
            assert_eq!(readable(symbol, program), name, "{symbol}");
        }
    }

    #[test]
    fn a_program_has_ghc_where_its_runtime_runs() {
        assert!(Program::from_symbols(["main", "hs_main", "schedule"].into_iter()).has_ghc);
        assert!(!Program::from_symbols(["main", "schedule"].into_iter()).has_ghc);
        assert!(!Program::from_symbols(std::iter::empty()).has_ghc);
    }

    proptest! {
        #[test]
        fn every_name_has_a_readable_form(symbol in "(_Z|_R|caml|)[A-Za-z0-9_$.'()@]{0,40}") {
            for program in [C, HASKELL] {
                let _ = (scheme(&symbol, program), readable(&symbol, program));
            }
        }
    }
}

#[cfg(test)]
mod clone_tests {
    use super::*;

    #[test]
    fn callers_are_told_from_levels_of_recursion() {
        for (name, function, callers) in [
            ("main", "main", vec![]),
            ("fib'2", "fib", vec![]),
            ("fib'2'main'(below main)", "fib", vec!["main", "(below main)"]),
            ("(below main)'0x1ab70", "(below main)", vec!["0x1ab70"]),
            ("map<'a>(x)'2", "map<'a>(x)", vec![]),
            ("map<'a>(x)", "map<'a>(x)", vec![]),
            ("", "", vec![]),
        ] {
            assert_eq!(context(name), (function, callers), "{name}");
        }
    }

    #[test]
    fn marks_of_copies_are_cut_and_others_are_not() {
        for (symbol, name) in [
            ("f.cold", "f"),
            ("f.part.0.cold", "f"),
            ("f.llvm.16848280405979708055", "f"),
            ("f.123", "f.123"),
            ("f12", "f12"),
            (".cold", ".cold"),
            ("read@GLIBC_2.2.5", "read"),
            ("@plt", "@plt"),
        ] {
            assert_eq!(without_marks(symbol), name, "{symbol}");
        }
    }
}
