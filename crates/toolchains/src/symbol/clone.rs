//! Symbols without the marks of callgrind, linkers and optimisers.

/// Endings that compilers append to the name of a copy of a function, or of a part of it: GCC the
/// first five, LLVM the last.
const COPIES: [&str; 6] = [".isra", ".constprop", ".part", ".cold", ".lto_priv", ".llvm"];

/// The symbol without the marks of callgrind, linkers and optimisers.
pub(super) fn without_marks(symbol: &str) -> &str {
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
pub(super) fn without_number(symbol: &str) -> Option<&str> {
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
pub(super) fn without_rust_hash(name: &str) -> &str {
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
