//! Words and lines of a text file, with line numbers and without copies.

use super::error::{Place, Problem, ReadError};

/// A text file being read, word by word or line by line.
///
/// Bytes, not `str`: comments and names in old files are in any encoding, and numbers are ASCII anyway.
#[derive(Clone)]
pub(super) struct Text<'a> {
    bytes: &'a [u8],
    at: usize,
    line: usize,
    /// Each of these starts a comment that runs to the end of the line.
    comments: &'static [u8],
    commas: Commas,
}

/// What a comma is in a line.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Commas {
    /// Part of a word, which then is not a number: a decimal comma must not pass for two numbers.
    InWords,
    /// As good as a blank.
    BetweenWords,
}

impl<'a> Text<'a> {
    pub(super) fn new(bytes: &'a [u8], comments: &'static [u8]) -> Self {
        Self::with_commas(bytes, comments, Commas::InWords)
    }

    pub(super) fn with_commas(bytes: &'a [u8], comments: &'static [u8], commas: Commas) -> Self {
        let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
        Self { bytes, at: 0, line: 1, comments, commas }
    }

    /// Continues inside a file whose first `at` bytes have been read, which ended in the given line.
    pub(super) fn resume(bytes: &'a [u8], at: usize, line: usize) -> Self {
        Self { bytes, at: at.min(bytes.len()), line, comments: b"", commas: Commas::InWords }
    }

    pub(super) fn place(&self) -> Place {
        Place::Line(self.line)
    }

    pub(super) fn line_number(&self) -> usize {
        self.line
    }

    /// How many bytes have been read.
    pub(super) fn offset(&self) -> usize {
        self.at
    }

    pub(super) fn bytes(&self) -> &'a [u8] {
        self.bytes
    }

    pub(super) fn remaining(&self) -> usize {
        self.bytes.len() - self.at
    }

    /// The next word, or nothing at the end. A word's line is [`place`](Self::place) until the next call.
    pub(super) fn word(&mut self) -> Option<&'a [u8]> {
        loop {
            let byte = *self.bytes.get(self.at)?;
            if byte == b'\n' {
                self.line += 1;
                self.at += 1;
            } else if byte.is_ascii_whitespace() || byte == 0 {
                self.at += 1;
            } else if self.comments.contains(&byte) {
                let rest = &self.bytes[self.at..];
                self.at += rest.iter().position(|&b| b == b'\n').unwrap_or(rest.len());
            } else {
                break;
            }
        }
        let rest = &self.bytes[self.at..];
        let end = |b: &u8| b.is_ascii_whitespace() || self.comments.contains(b);
        let length = rest.iter().position(end).unwrap_or(rest.len());
        self.at += length;
        Some(&rest[..length])
    }

    /// The next word without moving on.
    pub(super) fn peek(&self) -> Option<&'a [u8]> {
        self.clone().word()
    }

    /// The next word, which must be there.
    pub(super) fn expect_word(&mut self, expected: &'static str) -> Result<&'a [u8], ReadError> {
        self.word().ok_or_else(|| Problem::Truncated { expected }.at(self.place()))
    }

    pub(super) fn number(&mut self, what: &'static str) -> Result<f64, ReadError> {
        let word = self.expect_word(what)?;
        parse_number(what, word).map_err(|problem| problem.at(self.place()))
    }

    pub(super) fn integer(&mut self, what: &'static str) -> Result<i64, ReadError> {
        let word = self.expect_word(what)?;
        parse_integer(what, word).map_err(|problem| problem.at(self.place()))
    }

    /// A count of things of at least `bytes_each` bytes, refused if the rest of the file is too short for them.
    pub(super) fn count(&mut self, what: &'static str, bytes_each: usize) -> Result<usize, ReadError> {
        let word = self.expect_word(what)?;
        let count = parse_integer(what, word).map_err(|problem| problem.at(self.place()))?;
        let Ok(claimed) = u64::try_from(count) else {
            return Err(Problem::unexpected("a count", word).at(self.place()));
        };
        self.check_count(what, claimed, bytes_each).map_err(|problem| problem.at(self.place()))
    }

    /// Refuses a count of things that the rest of the file cannot hold.
    pub(super) fn check_count(&self, what: &'static str, claimed: u64, bytes_each: usize) -> Result<usize, Problem> {
        // The last thing may lack its separator.
        check_room(what, claimed, self.remaining(), (self.remaining() + 1) / bytes_each.max(1))
    }

    /// What is left of the current line, without its end and without moving past comments specially.
    pub(super) fn rest_of_line(&mut self) -> &'a [u8] {
        let rest = &self.bytes[self.at..];
        let length = rest.iter().position(|&b| b == b'\n').unwrap_or(rest.len());
        self.at += length;
        if length < rest.len() {
            self.at += 1;
            self.line += 1;
        }
        rest[..length].trim_ascii()
    }

    /// Moves past the next occurrence of some bytes; false if there is none.
    pub(super) fn skip_past(&mut self, needle: &[u8]) -> bool {
        let rest = &self.bytes[self.at..];
        let Some(start) = rest.windows(needle.len().max(1)).position(|window| window == needle) else { return false };
        let passed = start + needle.len();
        self.line += rest[..passed].iter().filter(|&&b| b == b'\n').count();
        self.at += passed;
        true
    }

    /// The next line that has a word on it.
    pub(super) fn next_line(&mut self) -> Option<Line<'a>> {
        while self.at < self.bytes.len() {
            let number = self.line;
            let mut rest = self.rest_of_line();
            if let Some(comment) = rest.iter().position(|b| self.comments.contains(b)) {
                rest = rest[..comment].trim_ascii_end();
            }
            if !rest.is_empty() {
                return Some(Line { rest, number, commas: self.commas });
            }
        }
        None
    }
}

/// One line with at least one word.
#[derive(Clone, Copy)]
pub(super) struct Line<'a> {
    rest: &'a [u8],
    number: usize,
    commas: Commas,
}

impl<'a> Line<'a> {
    pub(super) fn place(&self) -> Place {
        Place::Line(self.number)
    }

    pub(super) fn line_number(&self) -> usize {
        self.number
    }

    pub(super) fn rest(&self) -> &'a [u8] {
        self.rest
    }

    pub(super) fn expect_word(&mut self, expected: &'static str) -> Result<&'a [u8], ReadError> {
        let number = self.number;
        self.next().ok_or_else(|| Problem::unexpected(expected, b"end of line").at(Place::Line(number)))
    }

    pub(super) fn number(&mut self, what: &'static str) -> Result<f64, ReadError> {
        let word = self.expect_word(what)?;
        parse_number(what, word).map_err(|problem| problem.at(self.place()))
    }

    pub(super) fn integer(&mut self, what: &'static str) -> Result<i64, ReadError> {
        let word = self.expect_word(what)?;
        parse_integer(what, word).map_err(|problem| problem.at(self.place()))
    }
}

impl<'a> Iterator for Line<'a> {
    type Item = &'a [u8];

    fn next(&mut self) -> Option<&'a [u8]> {
        let commas = self.commas == Commas::BetweenWords;
        let separates = |b: &u8| b.is_ascii_whitespace() || *b == 0 || (commas && *b == b',');
        let start = self.rest.iter().position(|b| !separates(b))?;
        let word = &self.rest[start..];
        let length = word.iter().position(separates).unwrap_or(word.len());
        self.rest = &word[length..];
        Some(&word[..length])
    }
}

/// Refuses a count of things that the bytes left cannot hold.
pub(super) fn check_count(
    what: &'static str,
    claimed: u64,
    available: usize,
    bytes_each: usize,
) -> Result<usize, Problem> {
    check_room(what, claimed, available, available / bytes_each.max(1))
}

fn check_room(what: &'static str, claimed: u64, available: usize, possible: usize) -> Result<usize, Problem> {
    match usize::try_from(claimed) {
        Ok(count) if count <= possible => Ok(count),
        _ => Err(Problem::ImpossibleCount { what, claimed, available: available as u64, possible: possible as u64 }),
    }
}

/// A finite number. Fortran's exponents (`1.5D-3`) are understood.
pub(super) fn parse_number(what: &'static str, word: &[u8]) -> Result<f64, Problem> {
    // No number worth reading is longer; `replace` below must stay cheap.
    const LONGEST: usize = 400;
    let bad = || Problem::unexpected(what, word);
    let text = str::from_utf8(word).ok().filter(|text| text.len() <= LONGEST).ok_or_else(bad)?;
    let number = match text.parse::<f64>() {
        Ok(number) => number,
        Err(_) if text.contains(['d', 'D']) => text.replace(['d', 'D'], "e").parse().map_err(|_| bad())?,
        Err(_) => return Err(bad()),
    };
    if !number.is_finite() {
        return Err(Problem::NotFinite { what, value: text.to_owned() });
    }
    Ok(number)
}

/// A whole number.
pub(super) fn parse_integer(what: &'static str, word: &[u8]) -> Result<i64, Problem> {
    str::from_utf8(word).ok().and_then(|text| text.parse().ok()).ok_or_else(|| Problem::unexpected(what, word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_know_their_lines() {
        let mut text = Text::new(b"\xef\xbb\xbfa # b\n\n  c\r\nd", b"#");
        let mut words = Vec::new();
        while let Some(word) = text.word() {
            words.push((String::from_utf8_lossy(word).into_owned(), text.line_number()));
        }
        assert_eq!(words, [("a".into(), 1), ("c".into(), 3), ("d".into(), 4)]);
    }

    #[test]
    fn numbers_are_finite_or_refused() {
        assert_eq!(parse_number("x", b"-1.5D-3"), Ok(-1.5e-3));
        for bad in ["nan", "inf", "1e999", "-Infinity"] {
            assert!(matches!(parse_number("x", bad.as_bytes()), Err(Problem::NotFinite { .. })), "{bad}");
        }
        for bad in ["", "1.2.3", "abc", "0x10", "1,5", "dd"] {
            assert!(matches!(parse_number("x", bad.as_bytes()), Err(Problem::Unexpected { .. })), "{bad}");
        }
    }

    #[test]
    fn impossible_counts_are_refused() {
        let mut text = Text::new(b"1000000000 1 2 3", b"");
        assert!(matches!(text.count("vertices", 6), Err(ReadError { problem: Problem::ImpossibleCount { .. }, .. })));
        assert!(Text::new(b"-1", b"").count("vertices", 6).is_err());
    }
}
