//! Bytes for values: the encoding of the journal and of the messages between the two halves of the
//! launcher.
//!
//! Little-endian, fixed widths, strings and lists with a length before them. The layouts of runs
//! and tasks are next to those types.

use std::ffi::OsString;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::PathBuf;
use std::time::Duration;

/// The bytes do not have the form that this version of the format writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("malformed record")]
pub(crate) struct Malformed;

/// A value that is sent or stored.
pub(crate) trait Wire: Sized {
    /// Appends the value.
    fn encode(&self, out: &mut Vec<u8>);

    /// Takes a value that was encoded.
    fn decode(from: &mut Reader<'_>) -> Result<Self, Malformed>;
}

/// Encodes a struct as its fields, in this order.
macro_rules! wire_struct {
    ($name:ident { $($field:tt),* $(,)? }) => {
        impl $crate::wire::Wire for $name {
            fn encode(&self, out: &mut Vec<u8>) {
                $(self.$field.encode(out);)*
            }

            fn decode(
                from: &mut $crate::wire::Reader<'_>,
            ) -> Result<Self, $crate::wire::Malformed> {
                Ok(Self { $($field: $crate::wire::Wire::decode(from)?),* })
            }
        }
    };
}

/// Encodes an enum as a byte for the variant, and its fields in this order.
macro_rules! wire_enum {
    ($name:ident {
        $($code:literal = $variant:ident $(($value:ident))? $({ $($field:ident),* })?),* $(,)?
    }) => {
        impl $crate::wire::Wire for $name {
            fn encode(&self, out: &mut Vec<u8>) {
                match self {
                    $(Self::$variant $(($value))? $({ $($field),* })? => {
                        out.push($code);
                        $($value.encode(out);)?
                        $($($field.encode(out);)*)?
                    })*
                }
            }

            fn decode(
                from: &mut $crate::wire::Reader<'_>,
            ) -> Result<Self, $crate::wire::Malformed> {
                Ok(match u8::decode(from)? {
                    $($code => {
                        $(let $value = $crate::wire::Wire::decode(from)?;)?
                        $($(let $field = $crate::wire::Wire::decode(from)?;)*)?
                        Self::$variant $(($value))? $({ $($field),* })?
                    })*
                    _ => return Err($crate::wire::Malformed),
                })
            }
        }
    };
}

pub(crate) use {wire_enum, wire_struct};

/// Takes values from the front of a buffer.
#[derive(Debug)]
pub(crate) struct Reader<'a> {
    rest: &'a [u8],
}

/// Appends the length, then the bytes.
pub(crate) fn append(out: &mut Vec<u8>, bytes: &[u8]) {
    bytes.len().encode(out);
    out.extend_from_slice(bytes);
}

impl<'a> Reader<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self { rest: bytes }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }

    fn take(&mut self, length: usize) -> Result<&'a [u8], Malformed> {
        let (head, rest) = self.rest.split_at_checked(length).ok_or(Malformed)?;
        self.rest = rest;
        Ok(head)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], Malformed> {
        let (head, rest) = self.rest.split_first_chunk::<N>().ok_or(Malformed)?;
        self.rest = rest;
        Ok(*head)
    }

    /// The number of items that follow, each at least one byte long.
    pub(crate) fn count(&mut self) -> Result<usize, Malformed> {
        let count = usize::decode(self)?;
        // A damaged count must not cause a large allocation.
        if count > self.rest.len() { Err(Malformed) } else { Ok(count) }
    }
}

macro_rules! wire_numbers {
    ($($number:ty),*) => {$(
        impl Wire for $number {
            fn encode(&self, out: &mut Vec<u8>) {
                out.extend_from_slice(&self.to_le_bytes());
            }

            fn decode(from: &mut Reader<'_>) -> Result<Self, Malformed> {
                from.array().map(Self::from_le_bytes)
            }
        }
    )*};
}

wire_numbers!(u8, u16, u32, u64, i32, i64);

/// A length or a position, in 4 bytes.
impl Wire for usize {
    fn encode(&self, out: &mut Vec<u8>) {
        u32::try_from(*self).expect("nothing here is 4 GiB long").encode(out);
    }

    fn decode(from: &mut Reader<'_>) -> Result<Self, Malformed> {
        u32::decode(from).map(|value| value as usize)
    }
}

impl Wire for bool {
    fn encode(&self, out: &mut Vec<u8>) {
        out.push(u8::from(*self));
    }

    fn decode(from: &mut Reader<'_>) -> Result<Self, Malformed> {
        match u8::decode(from)? {
            0 => Ok(false),
            1 => Ok(true),
            _ => Err(Malformed),
        }
    }
}

impl Wire for Duration {
    fn encode(&self, out: &mut Vec<u8>) {
        u64::try_from(self.as_nanos()).unwrap_or(u64::MAX).encode(out);
    }

    fn decode(from: &mut Reader<'_>) -> Result<Self, Malformed> {
        u64::decode(from).map(Self::from_nanos)
    }
}

impl Wire for Vec<u8> {
    fn encode(&self, out: &mut Vec<u8>) {
        append(out, self);
    }

    fn decode(from: &mut Reader<'_>) -> Result<Self, Malformed> {
        let length = usize::decode(from)?;
        from.take(length).map(<[u8]>::to_vec)
    }
}

impl Wire for OsString {
    fn encode(&self, out: &mut Vec<u8>) {
        append(out, self.as_bytes());
    }

    fn decode(from: &mut Reader<'_>) -> Result<Self, Malformed> {
        Vec::decode(from).map(Self::from_vec)
    }
}

impl Wire for PathBuf {
    fn encode(&self, out: &mut Vec<u8>) {
        append(out, self.as_os_str().as_bytes());
    }

    fn decode(from: &mut Reader<'_>) -> Result<Self, Malformed> {
        OsString::decode(from).map(Self::from)
    }
}

impl<A: Wire, B: Wire> Wire for (A, B) {
    fn encode(&self, out: &mut Vec<u8>) {
        self.0.encode(out);
        self.1.encode(out);
    }

    fn decode(from: &mut Reader<'_>) -> Result<Self, Malformed> {
        Ok((A::decode(from)?, B::decode(from)?))
    }
}

/// The items of lists. Bytes are not among them: a list of bytes is copied as a whole.
pub(crate) trait Item: Wire {}

impl Item for i32 {}
impl Item for OsString {}
impl<A: Wire, B: Wire> Item for (A, B) {}

impl<T: Item> Wire for Vec<T> {
    fn encode(&self, out: &mut Vec<u8>) {
        self.len().encode(out);
        self.iter().for_each(|item| item.encode(out));
    }

    fn decode(from: &mut Reader<'_>) -> Result<Self, Malformed> {
        (0..from.count()?).map(|_| T::decode(from)).collect()
    }
}

impl<T: Wire> Wire for Option<T> {
    fn encode(&self, out: &mut Vec<u8>) {
        self.is_some().encode(out);
        self.iter().for_each(|value| value.encode(out));
    }

    fn decode(from: &mut Reader<'_>) -> Result<Self, Malformed> {
        if bool::decode(from)? { T::decode(from).map(Some) } else { Ok(None) }
    }
}

impl<T: Wire, E: Wire> Wire for Result<T, E> {
    fn encode(&self, out: &mut Vec<u8>) {
        self.is_ok().encode(out);
        match self {
            Ok(value) => value.encode(out),
            Err(error) => error.encode(out),
        }
    }

    fn decode(from: &mut Reader<'_>) -> Result<Self, Malformed> {
        if bool::decode(from)? { T::decode(from).map(Ok) } else { E::decode(from).map(Err) }
    }
}
