//! Names of symbols as people know them: demangling.
//!
//! Each compiler has its own scheme, and nothing in a program tells which compiler made a symbol,
//! so the form of the symbol decides, and for GHC's also the other symbols of the program. A symbol
//! that fits no scheme is the name itself, as in C.
//!
//! Meaningless parts that change from build to build are removed: the hashes of Rust's crates, the
//! stamps of OCaml's identifiers, the uniques of GHC's, the copies that optimisers make. So a
//! function has the same name in two builds, and several functions may have one name.

mod clone;
mod ghc;
mod ocaml;
pub mod zcode;

pub use clone::context;

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
    let symbol = clone::without_marks(symbol);
    if rustc_demangle::try_demangle(symbol).is_ok() {
        Scheme::Rust
    } else if cpp(symbol).is_some() {
        Scheme::Cpp
    } else if ocaml::name(symbol).is_some() {
        Scheme::Ocaml
    } else if program.has_ghc && ghc::name(symbol).is_some() {
        Scheme::Ghc
    } else {
        Scheme::Plain
    }
}

/// The name of a function in its source, as far as its symbol tells.
#[must_use]
pub fn readable(symbol: &str, program: Program) -> String {
    let symbol = clone::without_marks(symbol);
    let name = match scheme(symbol, program) {
        Scheme::Rust => rust(symbol),
        Scheme::Cpp => cpp(symbol),
        Scheme::Ocaml => ocaml::name(symbol),
        Scheme::Ghc => ghc::name(symbol),
        Scheme::Plain => None,
    };
    name.unwrap_or_else(|| clone::without_rust_hash(symbol).to_owned())
}

/// The name without hashes, and without the number that distinguishes copies of one name in
/// whole-program linking: both differ in every build.
fn rust(symbol: &str) -> Option<String> {
    let mut symbol = symbol;
    while let Some(shorter) = clone::without_number(symbol).map(clone::without_marks)
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
