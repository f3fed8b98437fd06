//! Names of symbols as people know them: demangling.
//!
//! Each compiler has its own scheme, and nothing in a program tells which compiler made a symbol,
//! so the form of the symbol decides, and for GHC's also the other symbols of the program. A symbol
//! that fits no scheme is the name itself, as in C.
//!
//! Meaningless parts that change from build to build are removed: the hashes of Rust's crates, the
//! stamps of OCaml's identifiers, the uniques of GHC's, the copies that optimisers make. So a
//! function has the same name in two builds, and several functions may have one name.

use std::collections::HashSet;

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
        let of_runtime: HashSet<&str> =
            symbols.filter(|symbol| OF_GHC_RUNTIME.contains(symbol)).collect();
        // A C program may have a function `schedule`.
        Self { has_ghc: of_runtime.len() >= 2 }
    }
}

/// The name of a function in its source, as far as its symbol tells; marks of recursion or of
/// copies are ignored.
pub fn readable(symbol: &str, program: Program) -> String {
    let symbol = without_marks(symbol);
    let of_ghc = || program.has_ghc.then(|| ghc(symbol)).flatten();
    let name = rust(symbol).or_else(|| cpp(symbol)).or_else(|| ocaml(symbol)).or_else(of_ghc);
    name.unwrap_or_else(|| without_rust_hash(symbol).to_owned())
}

/// The name without hashes, and without the number that distinguishes copies of one name in
/// whole-program linking: both differ in every build.
fn rust(mut symbol: &str) -> Option<String> {
    rustc_demangle::try_demangle(symbol).ok()?;
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

/// The name of OCaml's native compiler without its stamp, separated by dots; `None` if it is not
/// such a symbol.
///
/// It is `caml`, the module, the names within it, and a stamp. The separator is `__` before OCaml
/// 5.1.1, then `.`; the modules of a library are joined by `__` in all versions (ocaml/ocaml issues
/// 11430 and 12274). Only where callgrind does not run, on macOS and Windows, is it `$` since 5.4
/// (13050 and 14143). Characters other than letters are `$` and two hexadecimal digits.
fn ocaml(symbol: &str) -> Option<String> {
    let path = symbol.strip_prefix("caml")?;
    if !path.starts_with(|first: char| first.is_ascii_uppercase()) {
        return None;
    }
    let dots = path.replace("__", ".");
    let (_, last) = dots.rsplit_once('.')?;
    let decoded = ocaml_decoded(without_stamp(&dots))?;
    (!last.is_empty()).then_some(decoded)
}

/// The path without `_` and digits at the end.
fn without_stamp(path: &str) -> &str {
    let name = path.trim_end_matches(|letter: char| letter.is_ascii_digit());
    match name.strip_suffix('_') {
        Some(name) if name.len() + 1 < path.len() && !name.ends_with('.') => name,
        _ => path,
    }
}

fn ocaml_decoded(text: &str) -> Option<String> {
    let mut pieces = text.split('$');
    let mut decoded = pieces.next()?.to_owned();
    for piece in pieces {
        let code = piece.get(..2)?;
        decoded.push(char::from(u8::from_str_radix(code, 16).ok()?));
        decoded.push_str(&piece[2..]);
    }
    Some(decoded)
}

/// Module and name, or the name of something local; `None` for a symbol of C: it is read more
/// carefully than by [`ghc_symbol`] because these are among GHC's.
fn ghc(symbol: &str) -> Option<String> {
    let symbol = ghc_symbol(symbol)?;
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

/// A symbol of GHC's code or data, in readable form: package, module, name and kind, separated by
/// underscores, which the encoding of each does not use: `base_GHCziBase_zpzp_info` is the code of
/// `GHC.Base.++`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GhcSymbol {
    /// The package; GHC omits it for the program's own.
    pub package: Option<String>,
    /// The module; names that are not visible outside of it have none.
    pub module: Option<String>,
    /// The name.
    pub name: String,
    /// The kind of thing at the symbol, such as `info`, `closure` or `con_info`.
    pub what: &'static str,
}

/// Endings that GHC appends to names. Longer ones precede their suffixes.
const ENDINGS: [&str; 12] = [
    "con_info",
    "static_info",
    "closure_tbl",
    "closure",
    "info",
    "entry",
    "slow",
    "fast",
    "ret",
    "srt",
    "bytes",
    "ct",
];

/// Reads a symbol; `None` if it is not a Haskell name, such as those of the runtime in C. The mark
/// of recursion that callgrind adds (`'2`) is removed.
pub fn ghc_symbol(text: &str) -> Option<GhcSymbol> {
    let text = text.split('\'').next().unwrap_or_default();
    let (path, what) =
        ENDINGS.iter().find_map(|end| Some((text.strip_suffix(end)?.strip_suffix('_')?, *end)))?;
    let is_module =
        |part: &str| part.starts_with(|first: char| first.is_uppercase() || first == ':');
    // `sat_s1Zz`: a local name and its unique, which is not encoded.
    if let Some((name, unique)) = path.split_once('_')
        && !unique.contains('_')
        && let Some(name) = decode(name).filter(|name| !name.is_empty() && !is_module(name))
    {
        let name = format!("{name}_{unique}");
        return Some(GhcSymbol { package: None, module: None, name, what });
    }
    let parts: Vec<String> = path.split('_').map(decode).collect::<Option<_>>()?;
    let (package, module, name) = match parts.as_slice() {
        [name] => (None, None, name.clone()),
        [module, name] if is_module(module) => (None, Some(module.clone()), name.clone()),
        [package, module, name] if is_module(module) => {
            (Some(package.clone()), Some(module.clone()), name.clone())
        }
        _ => return None,
    };
    (!name.is_empty()).then_some(GhcSymbol { package, module, name, what })
}

/// Decodes the Z-encoding; `None` if the text has an invalid code.
///
/// Assemblers accept letters, digits and underscores, so GHC writes every other character of a name
/// as `z` or `Z` and a letter; the codes are those of `GHC.Utils.Encoding` in GHC's sources.
fn decode(text: &str) -> Option<String> {
    let mut decoded = String::with_capacity(text.len());
    let mut rest = text.chars();
    while let Some(letter) = rest.next() {
        match letter {
            'z' => lower(&mut rest, &mut decoded)?,
            'Z' => upper(&mut rest, &mut decoded)?,
            _ => decoded.push(letter),
        }
    }
    Some(decoded)
}

/// Decodes after `z`: a sign, or a character by its number, in hexadecimal digits up to `U`.
fn lower(rest: &mut std::str::Chars<'_>, decoded: &mut String) -> Option<()> {
    let code = rest.next()?;
    decoded.push(match code {
        'a' => '&',
        'b' => '|',
        'c' => '^',
        'd' => '$',
        'e' => '=',
        'g' => '>',
        'h' => '#',
        'i' => '.',
        'l' => '<',
        'm' => '-',
        'n' => '!',
        'p' => '+',
        'q' => '\'',
        'r' => '\\',
        's' => '/',
        't' => '*',
        'u' => '_',
        'v' => '%',
        'z' => 'z',
        '0'..='9' => {
            let mut number = code.to_digit(16)?;
            loop {
                match rest.next()? {
                    'U' => break char::from_u32(number)?,
                    digit => number = number.checked_mul(16)?.checked_add(digit.to_digit(16)?)?,
                }
            }
        }
        _ => return None,
    });
    Some(())
}

/// Decodes after `Z`: a bracket, or a tuple by its size.
fn upper(rest: &mut std::str::Chars<'_>, decoded: &mut String) -> Option<()> {
    /// The largest tuple of GHC has 64 elements.
    const LARGEST: usize = 64;
    let code = rest.next()?;
    decoded.push(match code {
        'L' => '(',
        'R' => ')',
        'M' => '[',
        'N' => ']',
        'C' => ':',
        'Z' => 'Z',
        '0'..='9' => {
            let mut size = code.to_digit(10)? as usize;
            let kind = loop {
                match rest.next()? {
                    kind @ ('T' | 'H') => break kind,
                    digit => size = size * 10 + digit.to_digit(10)? as usize,
                }
                if size > LARGEST {
                    return None;
                }
            };
            let commas = ",".repeat(size.saturating_sub(1));
            decoded.push_str(&match (kind, size) {
                ('H', 0 | 1) => "(# #)".to_owned(),
                ('H', _) => format!("(#{commas}#)"),
                _ => format!("({commas})"),
            });
            return Some(());
        }
        _ => return None,
    });
    Some(())
}

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
        for (symbol, program, name) in [
            ("main", C, "main"),
            ("(below main)", C, "(below main)"),
            ("fib'2", C, "fib"),
            ("qsort_r@@GLIBC_2.8", C, "qsort_r"),
            ("vector_push.constprop.0.isra.3", C, "vector_push"),
            ("get_info", C, "get_info"),
            ("_IO_getline_info", HASKELL, "_IO_getline_info"),
            ("get_info", HASKELL, "get_info"),
            ("stg_upd_frame_info", HASKELL, "stg_upd_frame_info"),
            ("base_GHCziBase_zpzp_info", HASKELL, "GHC.Base.++"),
            ("base_GHCziBase_zpzp_info", C, "base_GHCziBase_zpzp_info"),
            ("Main_zdwzdsgo8_info'2", HASKELL, "Main.$w$sgo8"),
            ("ZCMain_main_info", HASKELL, ":Main.main"),
            ("sat_s2J2_info", HASKELL, "sat"),
            (
                "_ZN5alloc7raw_vec20RawVecInner$LT$A$GT$11finish_grow17habc9c6a887144742E.llvm.168",
                C,
                "alloc::raw_vec::RawVecInner<A>::finish_grow",
            ),
            ("_RNvNtCsgEmfK2I1SDS_4core3fmt5write", C, "core::fmt::write"),
            ("_RNvNtCsgEmfK2I1SDS_4core3fmt5write.695", C, "core::fmt::write"),
            ("_RNvNtCsgEmfK2I1SDS_4core3fmt5write.llvm.1.12", C, "core::fmt::write"),
            ("_ZN4core3fmt5write17h0123456789abcdefE.695", C, "core::fmt::write"),
            (
                "_ZN4core3fmt5write17h0123456789abcdefE.695.llvm.16848280405979708055'2",
                C,
                "core::fmt::write",
            ),
            ("core::fmt::write::h0123456789abcdef.695", C, "core::fmt::write"),
            ("_Z5twiceIiET_S0_.695", C, "int twice<int>(int) [clone .695]"),
            ("table.695", C, "table.695"),
            ("core::fmt::write::h0123456789abcdef", C, "core::fmt::write"),
            (
                "_ZSt18_Rb_tree_decrementPSt18_Rb_tree_node_base",
                C,
                "std::_Rb_tree_decrement(std::_Rb_tree_node_base*)",
            ),
            ("_Z5twiceIiET_S0_", C, "int twice<int>(int)"),
            ("_Znonsense", C, "_Znonsense"),
            ("camlStdlib__List__map_236'2", C, "Stdlib.List.map"),
            ("camlO__fun_167", C, "O.fun"),
            ("camlO__$2b$21_79", C, "O.+!"),
            ("camlStdlib__List.map_236", C, "Stdlib.List.map"),
            ("camlO.M.$2b$21_79", C, "O.M.+!"),
            ("camlO__", C, "camlO__"),
            ("caml_alloc_shr", C, "caml_alloc_shr"),
        ] {
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
                let _ = readable(&symbol, program);
            }
        }
    }

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

    /// From the table in the comment on the encoding in GHC's sources, and from symbols of
    /// programs.
    #[test]
    fn known_names_are_decoded() {
        for (encoded, name) in [
            ("Trak", "Trak"),
            ("foozuwib", "foo_wib"),
            ("zg", ">"),
            ("zgzh", ">#"),
            ("zgzhzh", ">##"),
            ("foozh", "foo#"),
            ("fooZLZR", "foo()"),
            ("ZCzp", ":+"),
            ("Z0T", "()"),
            ("Z2T", "(,)"),
            ("Z4T", "(,,,)"),
            ("Z1H", "(# #)"),
            ("Z3H", "(#,,#)"),
            ("zdweval", "$weval"),
            ("GHCziBase", "GHC.Base"),
            ("zzZZ", "zZ"),
            ("grzzf6Uzzdfe", "grzf6Uzdfe"),
            ("grzf6Uzdfe", ""),
            ("grz0f6Uz0dfUe", "größe"),
        ] {
            let expected = (!name.is_empty()).then(|| name.to_owned());
            assert_eq!(decode(encoded), expected, "{encoded}");
        }
    }

    #[test]
    fn symbols_are_taken_apart() {
        let full = |package: Option<&str>, module: Option<&str>, name: &str, what| {
            let (package, module) = (package.map(str::to_owned), module.map(str::to_owned));
            Some(GhcSymbol { package, module, name: name.to_owned(), what })
        };
        assert_eq!(
            ghc_symbol("base_GHCziBase_zpzp_info"),
            full(Some("base"), Some("GHC.Base"), "++", "info")
        );
        assert_eq!(ghc_symbol("Interp_zdweval_info"), full(None, Some("Interp"), "$weval", "info"));
        assert_eq!(
            ghc_symbol("Interp_instr1_info'2"),
            full(None, Some("Interp"), "instr1", "info")
        );
        assert_eq!(
            ghc_symbol("ghczmprim_GHCziTypes_Izh_con_info"),
            full(Some("ghc-prim"), Some("GHC.Types"), "I#", "con_info")
        );
        assert_eq!(ghc_symbol("ZCMain_main_closure"), full(None, Some(":Main"), "main", "closure"));
        assert_eq!(ghc_symbol("sat_s2J2_info"), full(None, None, "sat_s2J2", "info"));
        assert_eq!(ghc_symbol("zdwgo_s1Zz_info"), full(None, None, "$wgo_s1Zz", "info"));
        assert_eq!(ghc_symbol("evacuate"), None);
        assert_eq!(ghc_symbol("_info"), None);
        assert_eq!(ghc_symbol(""), None);
    }

    #[test]
    fn what_is_no_code_is_refused() {
        for text in ["z", "Z", "zA", "Za", "z1", "z1zU", "z110000U", "Z2", "Z2X", "Z999999999999T"]
        {
            assert_eq!(decode(text), None, "{text}");
        }
    }

    /// GHC's encoder, for the characters that have codes of their own.
    fn encode(name: &str) -> String {
        let mut encoded = String::new();
        for letter in name.chars() {
            match "&|^$=>#.<-!+'\\/*_%z".find(letter) {
                Some(place) => {
                    encoded.push('z');
                    encoded.push("abcdeghilmnpqrstuvz".chars().nth(place).expect("as many codes"));
                }
                None if letter.is_ascii_alphanumeric() && letter != 'Z' => encoded.push(letter),
                None => match "()[]:Z".find(letter) {
                    Some(place) => {
                        encoded.push('Z');
                        encoded.push("LRMNCZ".chars().nth(place).expect("as many codes"));
                    }
                    None => {
                        let hex = format!("{:x}", letter as u32);
                        let zero =
                            if hex.starts_with(|c: char| c.is_ascii_digit()) { "" } else { "0" };
                        encoded.push_str(&format!("z{zero}{hex}U"));
                    }
                },
            }
        }
        encoded
    }

    proptest! {
        #[test]
        fn decoding_undoes_encoding(name in "\\PC{0,20}") {
            prop_assert_eq!(decode(&encode(&name)), Some(name));
        }

        #[test]
        fn nothing_panics(text in "[zZ0-9A-Ua-z_']{0,30}") {
            let _ = (decode(&text), ghc_symbol(&text));
        }
    }
}
