//! The marks in types and in the evidence of coercions: arrows, `<` and `>_N`, and the marks that
//! end a type.

/// GHC's placeholder for a hidden type.
pub(super) const HIDDEN: &[u8] = b"...";

/// True for marks that are not types.
pub(super) fn is_mark(text: &[u8]) -> bool {
    matches!(text, b"=" | b"::" | b"." | b"|" | b"..." | b"\xe2\x88\xb7")
}

/// True if a token begins with the `<` of reflexivity rather than with an operator.
pub(super) fn opens_reflexivity(text: &[u8]) -> bool {
    text.first() == Some(&b'<')
        && match text.get(1) {
            None => true,
            Some(b'*') => text.starts_with(b"<*>_") || text == b"<*",
            Some(next) => {
                next.is_ascii_alphanumeric()
                    || matches!(next, b'\'' | b'_' | b'?' | b'<' | b'@' | b'$' | b'[' | b'(')
                    || *next >= 0x80
            }
        }
}

/// `>_N` and the like, if a `<` is open.
pub(super) fn is_role(text: &[u8]) -> bool {
    matches!(text, b">_N" | b">_R" | b">_P")
}

/// The arrow that a token is, in ASCII if there is such a form.
pub(super) fn arrow_of(text: &[u8]) -> Option<&'static str> {
    Some(match text {
        b"->" | b"\xe2\x86\x92" => "->",
        b"=>" | b"\xe2\x87\x92" => "=>",
        b"-=>" => "-=>",
        b"==>" => "==>",
        b"\xe2\x8a\xb8" => "⊸",
        b"->_R" | b"\xe2\x86\x92_R" => "->_R",
        b"->_N" | b"\xe2\x86\x92_N" => "->_N",
        b"->_P" | b"\xe2\x86\x92_P" => "->_P",
        b"=>_R" | b"\xe2\x87\x92_R" => "=>_R",
        b"=>_N" | b"\xe2\x87\x92_N" => "=>_N",
        b"-=>_R" => "-=>_R",
        b"==>_R" => "==>_R",
        _ => return None,
    })
}
