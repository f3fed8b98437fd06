//! Numbers and positions, as bytes.

/// Takes a number, decimal or hexadecimal after `0x`, off the front of `text`; `None` if it does
/// not begin with one, or the number needs more than 64 bits.
pub(super) fn take(text: &mut &[u8]) -> Option<u64> {
    if let Some(digits) = text.strip_prefix(b"0x") {
        let length = digits.iter().take_while(|byte| byte.is_ascii_hexdigit()).count();
        let value = std::str::from_utf8(&digits[..length]).ok()?;
        *text = &digits[length..];
        return u64::from_str_radix(value, 16).ok();
    }
    let mut value: u64 = 0;
    let mut length = 0;
    while let Some(digit) = text.get(length).map(|byte| byte.wrapping_sub(b'0'))
        && digit < 10
    {
        value = value.checked_mul(10)?.checked_add(u64::from(digit))?;
        length += 1;
    }
    *text = &text[length..];
    (length > 0).then_some(value)
}

/// Takes a position off the front: a number, `*` for that of the line before, or a signed distance
/// from it.
pub(super) fn take_position(text: &mut &[u8], before: u64) -> Option<u64> {
    match text.first()? {
        b'*' => {
            *text = &text[1..];
            Some(before)
        }
        sign @ (b'+' | b'-') => {
            *text = &text[1..];
            let distance = take(text)?;
            match sign {
                b'+' => before.checked_add(distance),
                _ => before.checked_sub(distance),
            }
        }
        _ => take(text),
    }
}

/// The text without leading blanks.
pub(super) fn skip_blanks(text: &[u8]) -> &[u8] {
    let blanks = text.iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
    &text[blanks..]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_end_where_their_digits_do() {
        for (text, value, rest) in [
            ("12 3", Some(12), " 3"),
            ("0x1fg", Some(0x1f), "g"),
            ("0", Some(0), ""),
            ("18446744073709551615", Some(u64::MAX), ""),
        ] {
            let mut bytes = text.as_bytes();
            assert_eq!(take(&mut bytes), value, "{text}");
            assert_eq!(bytes, rest.as_bytes(), "{text}");
        }
        for text in ["", "x", "18446744073709551616", "0x", "0x1ffffffffffffffff"] {
            assert_eq!(take(&mut text.as_bytes()), None, "{text}");
        }
    }

    #[test]
    fn positions_are_relative_where_they_have_a_sign() {
        for (text, value) in [("7", Some(7)), ("*", Some(10)), ("+3", Some(13)), ("-10", Some(0))] {
            assert_eq!(take_position(&mut text.as_bytes(), 10), value, "{text}");
        }
        for text in ["-11", "+18446744073709551615", "+", ""] {
            assert_eq!(take_position(&mut text.as_bytes(), 10), None, "{text}");
        }
    }
}
