//! Numbers as runtimes write them: digits, possibly with a point or with commas between thousands.
//!
//! Signs, infinities and exponents are not accepted: a text with one of these is not such a number.

/// A whole number; commas between digits are ignored, as in `1,234`.
pub fn whole(text: &str) -> Option<u64> {
    let digits: String = text.chars().filter(|&sign| sign != ',').collect();
    let plain = digits.bytes().all(|byte| byte.is_ascii_digit());
    digits.parse().ok().filter(|_| plain && !text.starts_with(','))
}

/// A number with or without a point.
pub fn decimal(text: &str) -> Option<f64> {
    let plain = text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    text.parse().ok().filter(|_| plain)
}

/// A size with its unit, in powers of 1024: `512K`, `1.72M`, `2G`, or bytes without one. It is as
/// precise as the runtime's digits.
pub fn size(text: &str) -> Option<u64> {
    let (number, shift) = match text.chars().last()? {
        'K' | 'k' => (&text[..text.len() - 1], 10),
        'M' | 'm' => (&text[..text.len() - 1], 20),
        'G' | 'g' => (&text[..text.len() - 1], 30),
        'T' | 't' => (&text[..text.len() - 1], 40),
        _ => (text, 0),
    };
    let factor = 1_u64 << shift;
    if let Some(number) = whole(number) {
        return number.checked_mul(factor);
    }
    let bytes = decimal(number)? * factor as f64;
    (bytes < u64::MAX as f64).then_some(bytes.round() as u64)
}

/// The text between `before` and the next `after`.
pub fn between<'a>(text: &'a str, before: &str, after: &str) -> Option<&'a str> {
    let (_, rest) = text.split_once(before)?;
    rest.split_once(after).map(|(inner, _)| inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_as_they_are_written() {
        assert_eq!(whole("15,593,856"), Some(15_593_856));
        assert_eq!(whole("18446744073709551615"), Some(u64::MAX));
        assert_eq!(decimal("0.409"), Some(0.409));
        assert_eq!(size("64M"), Some(64 << 20));
        assert_eq!(size("65536K"), Some(64 << 20));
        assert_eq!(size("1.50M"), Some(3 << 19));
        assert_eq!(size("8192"), Some(8192));
    }

    #[test]
    fn what_is_no_number_is_none() {
        for text in ["", "-", "-1", "+1", "1e3", "inf", "NaN", "1 2", "18446744073709551616", ",1"]
        {
            assert_eq!(whole(text), None, "{text}");
        }
        for text in ["", ".", "-0.1", "+0.1", "1e3", "inf", "nan", "1.2.3"] {
            assert_eq!(decimal(text), None, "{text}");
        }
        for text in ["", "M", "-1M", "99999999999999G", "é", "18446744073709551615K"] {
            assert_eq!(size(text), None, "{text}");
        }
    }
}
