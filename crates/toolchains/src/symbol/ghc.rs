//! Symbols of GHC, read more carefully than by `zcode` because symbols of C are among them.

use super::zcode;

/// Module and name, or the name of something local; `None` for a symbol of C.
pub(super) fn name(symbol: &str) -> Option<String> {
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
