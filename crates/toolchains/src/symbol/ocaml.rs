//! Symbols of OCaml's native compiler.
//!
//! `caml`, the module, the names within it, and a stamp. The separator is `__` before OCaml 5.1.1,
//! then `.`; the modules of a library are joined by `__` in all versions (ocaml/ocaml issues 11430
//! and 12274). Only where callgrind does not run, on macOS and Windows, is it `$` since 5.4 (13050
//! and 14143). Characters other than letters are `$` and two hexadecimal digits.

/// The name without its stamp, separated by dots; `None` if it is not such a symbol.
pub(super) fn name(symbol: &str) -> Option<String> {
    let path = symbol.strip_prefix("caml")?;
    if !path.starts_with(|first: char| first.is_ascii_uppercase()) {
        return None;
    }
    let dots = path.replace("__", ".");
    let (_, last) = dots.rsplit_once('.')?;
    let decoded = decode(without_stamp(&dots))?;
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

fn decode(text: &str) -> Option<String> {
    let mut pieces = text.split('$');
    let mut decoded = pieces.next()?.to_owned();
    for piece in pieces {
        let code = piece.get(..2)?;
        decoded.push(char::from(u8::from_str_radix(code, 16).ok()?));
        decoded.push_str(&piece[2..]);
    }
    Some(decoded)
}
