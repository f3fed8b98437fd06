//! Names of symbols in programs compiled by GHC: the decoder of its Z-encoding.
//!
//! Assemblers accept letters, digits and underscores, so GHC writes every other character of a name
//! as `z` or `Z` and a letter; the codes are those of `GHC.Utils.Encoding` in GHC's sources. A
//! symbol is package, module, name and kind, separated by underscores, which the encoding does not
//! use: `base_GHCziBase_zpzp_info` is the code of `GHC.Base.++`.

/// A symbol of GHC's code or data, in readable form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Symbol {
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
#[must_use]
pub fn symbol(text: &str) -> Option<Symbol> {
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
        return Some(Symbol { package: None, module: None, name, what });
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
    (!name.is_empty()).then_some(Symbol { package, module, name, what })
}

/// Decodes the Z-encoding; `None` if the text has an invalid code.
#[must_use]
pub fn decode(text: &str) -> Option<String> {
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

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
            Some(Symbol { package, module, name: name.to_owned(), what })
        };
        assert_eq!(
            symbol("base_GHCziBase_zpzp_info"),
            full(Some("base"), Some("GHC.Base"), "++", "info")
        );
        assert_eq!(symbol("Interp_zdweval_info"), full(None, Some("Interp"), "$weval", "info"));
        assert_eq!(symbol("Interp_instr1_info'2"), full(None, Some("Interp"), "instr1", "info"));
        assert_eq!(
            symbol("ghczmprim_GHCziTypes_Izh_con_info"),
            full(Some("ghc-prim"), Some("GHC.Types"), "I#", "con_info")
        );
        assert_eq!(symbol("ZCMain_main_closure"), full(None, Some(":Main"), "main", "closure"));
        assert_eq!(symbol("sat_s2J2_info"), full(None, None, "sat_s2J2", "info"));
        assert_eq!(symbol("zdwgo_s1Zz_info"), full(None, None, "$wgo_s1Zz", "info"));
        assert_eq!(symbol("evacuate"), None);
        assert_eq!(symbol("_info"), None);
        assert_eq!(symbol(""), None);
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
            let _ = (decode(&text), symbol(&text));
        }
    }
}
