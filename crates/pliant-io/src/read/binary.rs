//! Numbers of binary files, and of files that come as text or binary with the same structure.

use super::error::{Place, Problem, ReadError};
use super::text::{Text, check_count};

/// The kinds of numbers that files are made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Scalar {
    I8,
    U8,
    I16,
    U16,
    I32,
    U32,
    I64,
    U64,
    F32,
    F64,
}

impl Scalar {
    /// Bytes of one in a binary file.
    pub(super) fn size(self) -> usize {
        match self {
            Self::I8 | Self::U8 => 1,
            Self::I16 | Self::U16 => 2,
            Self::I32 | Self::U32 | Self::F32 => 4,
            Self::I64 | Self::U64 | Self::F64 => 8,
        }
    }
}

/// The order of bytes in a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ByteOrder {
    Little,
    Big,
}

/// A binary file being read.
#[derive(Clone)]
pub(super) struct Binary<'a> {
    bytes: &'a [u8],
    at: usize,
    order: ByteOrder,
}

impl<'a> Binary<'a> {
    /// Starts reading at a byte.
    pub(super) fn new(bytes: &'a [u8], at: usize, order: ByteOrder) -> Self {
        Self { bytes, at: at.min(bytes.len()), order }
    }

    pub(super) fn place(&self) -> Place {
        Place::Byte(self.at)
    }

    pub(super) fn offset(&self) -> usize {
        self.at
    }

    pub(super) fn remaining(&self) -> usize {
        self.bytes.len() - self.at
    }

    pub(super) fn take(&mut self, count: usize, expected: &'static str) -> Result<&'a [u8], ReadError> {
        let end = self.at.checked_add(count).filter(|&end| end <= self.bytes.len());
        let end = end.ok_or_else(|| Problem::Truncated { expected }.at(self.place()))?;
        let taken = &self.bytes[self.at..end];
        self.at = end;
        Ok(taken)
    }

    fn array<const N: usize>(&mut self, expected: &'static str) -> Result<[u8; N], ReadError> {
        let mut array = [0; N];
        array.copy_from_slice(self.take(N, expected)?);
        if self.order == ByteOrder::Big {
            array.reverse();
        }
        Ok(array)
    }

    /// A number, which may be infinite or NaN.
    fn float(&mut self, kind: Scalar, what: &'static str) -> Result<f64, ReadError> {
        Ok(match kind {
            Scalar::F32 => f64::from(f32::from_le_bytes(self.array(what)?)),
            Scalar::F64 => f64::from_le_bytes(self.array(what)?),
            integer => self.integer(integer, what)? as f64,
        })
    }

    /// A finite number.
    pub(super) fn number(&mut self, kind: Scalar, what: &'static str) -> Result<f64, ReadError> {
        let place = self.place();
        let number = self.float(kind, what)?;
        if !number.is_finite() {
            return Err(Problem::NotFinite { what, value: number.to_string() }.at(place));
        }
        Ok(number)
    }

    /// A whole number.
    pub(super) fn integer(&mut self, kind: Scalar, what: &'static str) -> Result<i64, ReadError> {
        let place = self.place();
        Ok(match kind {
            Scalar::I8 => i64::from(i8::from_le_bytes(self.array(what)?)),
            Scalar::U8 => i64::from(u8::from_le_bytes(self.array(what)?)),
            Scalar::I16 => i64::from(i16::from_le_bytes(self.array(what)?)),
            Scalar::U16 => i64::from(u16::from_le_bytes(self.array(what)?)),
            Scalar::I32 => i64::from(i32::from_le_bytes(self.array(what)?)),
            Scalar::U32 => i64::from(u32::from_le_bytes(self.array(what)?)),
            Scalar::I64 => i64::from_le_bytes(self.array(what)?),
            Scalar::U64 => {
                let value = u64::from_le_bytes(self.array(what)?);
                let found = || Problem::unexpected(what, value.to_string().as_bytes()).at(place);
                i64::try_from(value).map_err(|_| found())?
            }
            Scalar::F32 | Scalar::F64 => {
                let value = self.float(kind, what)?;
                // Every whole number that a double holds exactly.
                if value.fract() != 0.0 || value.abs() > 9e15 {
                    return Err(Problem::unexpected(what, value.to_string().as_bytes()).at(place));
                }
                value as i64
            }
        })
    }
}

/// Numbers in a row, written as words or as bytes.
#[derive(Clone)]
pub(super) enum Numbers<'a> {
    Text(Text<'a>),
    Binary(Binary<'a>),
}

/// The least bytes of a number in a text file: a digit and a separator.
const TEXT_SIZE: usize = 2;

impl Numbers<'_> {
    pub(super) fn place(&self) -> Place {
        match self {
            Self::Text(text) => text.place(),
            Self::Binary(binary) => binary.place(),
        }
    }

    /// Where the last number was: in a text its line, in a binary file the byte before it was read.
    pub(super) fn place_of_last(&self, before: Place) -> Place {
        match self {
            Self::Text(text) => text.place(),
            Self::Binary(_) => before,
        }
    }

    /// The least bytes that a number of this kind takes here.
    pub(super) fn size(&self, kind: Scalar) -> usize {
        match self {
            Self::Text(_) => TEXT_SIZE,
            Self::Binary(_) => kind.size(),
        }
    }

    pub(super) fn number(&mut self, kind: Scalar, what: &'static str) -> Result<f64, ReadError> {
        match self {
            Self::Text(text) => text.number(what),
            Self::Binary(binary) => binary.number(kind, what),
        }
    }

    pub(super) fn integer(&mut self, kind: Scalar, what: &'static str) -> Result<i64, ReadError> {
        match self {
            Self::Text(text) => text.integer(what),
            Self::Binary(binary) => binary.integer(kind, what),
        }
    }

    /// Passes over numbers, whatever they are.
    pub(super) fn skip(&mut self, kind: Scalar, count: usize) -> Result<(), ReadError> {
        const WHAT: &str = "a number";
        match self {
            Self::Text(text) => {
                for _ in 0..count {
                    text.expect_word(WHAT)?;
                }
                Ok(())
            }
            Self::Binary(binary) => {
                let bytes = count.checked_mul(kind.size());
                let bytes = bytes.ok_or_else(|| Problem::Truncated { expected: WHAT }.at(binary.place()))?;
                binary.take(bytes, WHAT).map(|_| ())
            }
        }
    }

    /// A count of things of at least `bytes_each` bytes, refused if the rest of the file is too short for them.
    pub(super) fn count(&mut self, kind: Scalar, what: &'static str, bytes_each: usize) -> Result<usize, ReadError> {
        let before = self.place();
        let count = self.integer(kind, what)?;
        self.check_count(what, count, bytes_each).map_err(|problem| problem.at(self.place_of_last(before)))
    }

    pub(super) fn check_count(&self, what: &'static str, count: i64, bytes_each: usize) -> Result<usize, Problem> {
        let Ok(claimed) = u64::try_from(count) else {
            return Err(Problem::unexpected("a count", count.to_string().as_bytes()));
        };
        match self {
            Self::Text(text) => text.check_count(what, claimed, bytes_each),
            Self::Binary(binary) => check_count(what, claimed, binary.remaining(), bytes_each),
        }
    }
}

/// The bytes that base64 text stands for; white space is ignored, padding may occur in the middle.
pub(super) fn decode_base64(text: &[u8]) -> Result<Vec<u8>, Problem> {
    let mut bytes = Vec::with_capacity(text.len() / 4 * 3);
    let (mut bits, mut held) = (0_u32, 0);
    for &character in text {
        let value = match character {
            b'A'..=b'Z' => character - b'A',
            b'a'..=b'z' => character - b'a' + 26,
            b'0'..=b'9' => character - b'0' + 52,
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            b'=' => {
                // Padding ends a group of four; what follows starts afresh on a byte.
                (bits, held) = (0, 0);
                continue;
            }
            _ if character.is_ascii_whitespace() => continue,
            _ => return Err(Problem::unexpected("base64 text", &[character])),
        };
        bits = bits << 6 | u32::from(value);
        held += 6;
        if held >= 8 {
            held -= 8;
            bytes.push((bits >> held) as u8);
            bits &= (1 << held) - 1;
        }
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn byte_orders_agree_on_the_same_number() -> Result<(), ReadError> {
        let mut little = Binary::new(&[0x2e, 0xfb, 0xff, 0xff], 0, ByteOrder::Little);
        let mut big = Binary::new(&[0xff, 0xff, 0xfb, 0x2e], 0, ByteOrder::Big);
        assert_eq!(little.integer(Scalar::I32, "n")?, -1234);
        assert_eq!(big.integer(Scalar::I32, "n")?, -1234);
        let truncated = big.integer(Scalar::U8, "n").map_err(|error| error.place);
        assert_eq!(truncated, Err(Place::Byte(4)));
        Ok(())
    }

    #[test]
    fn base64_is_decoded_group_by_group() {
        assert_eq!(decode_base64(b"UGxp\nYW50"), Ok(b"Pliant".to_vec()));
        assert_eq!(decode_base64(b"UGxpYQ==bnQ="), Ok(b"Pliant".to_vec()));
        assert!(decode_base64(b"UG!p").is_err());
    }

    #[test]
    fn numbers_that_are_none_are_refused() {
        let mut nan = Binary::new(&[0, 0, 0xc0, 0x7f], 0, ByteOrder::Little);
        let error = nan.number(Scalar::F32, "coordinate").map_err(|error| error.to_string());
        assert_eq!(error, Err(" byte 0: coordinate NaN is not finite".to_owned()));
    }
}
