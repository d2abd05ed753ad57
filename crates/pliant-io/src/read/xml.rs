//! As much of XML as VTK writes: tags with attributes, and text between them. No entities, no namespaces, and no tree: tags
//! come one after the other.

use super::error::{Place, Problem, ReadError};

/// A file of tags being read.
pub(super) struct Tags<'a> {
    bytes: &'a [u8],
    at: usize,
}

/// An opening, closing or empty tag.
#[derive(Clone, Copy)]
pub(super) struct Tag<'a> {
    /// `DataArray`, or `/DataArray` where it closes.
    pub(super) name: &'a [u8],
    attributes: &'a [u8],
    /// Where it begins in the file.
    start: usize,
    /// Where its content begins.
    pub(super) end: usize,
    /// Whether it closes itself.
    pub(super) empty: bool,
}

impl<'a> Tags<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, at: 0 }
    }

    /// The next tag; comments and declarations are passed over.
    pub(super) fn next(&mut self) -> Result<Option<Tag<'a>>, ReadError> {
        loop {
            let Some(start) = find(self.bytes, self.at, b"<") else { return Ok(None) };
            let rest = &self.bytes[start..];
            let (skipped, closing): (bool, &[u8]) = match rest {
                [b'<', b'!', b'-', b'-', ..] => (true, b"-->"),
                [b'<', b'!' | b'?', ..] => (true, b">"),
                _ => (false, b">"),
            };
            let Some(close) = find(self.bytes, start, closing) else {
                return Err(Problem::Truncated { expected: "the end of a tag" }.at(line_of(self.bytes, start)));
            };
            self.at = close + closing.len();
            if skipped {
                continue;
            }
            let inner = &self.bytes[start + 1..close];
            let (inner, empty) = inner.strip_suffix(b"/").map_or((inner, false), |inner| (inner, true));
            let name_end = inner.iter().position(u8::is_ascii_whitespace).unwrap_or(inner.len());
            let (name, attributes) = inner.split_at(name_end);
            return Ok(Some(Tag { name, attributes, start, end: self.at, empty }));
        }
    }

    /// The text from here to the next tag.
    pub(super) fn text(&self) -> &'a [u8] {
        let end = find(self.bytes, self.at, b"<").unwrap_or(self.bytes.len());
        &self.bytes[self.at..end]
    }
}

impl<'a> Tag<'a> {
    /// The value of an attribute.
    pub(super) fn attribute(&self, name: &str) -> Option<&'a [u8]> {
        let mut rest = self.attributes;
        loop {
            rest = rest.trim_ascii_start();
            let equals = rest.iter().position(|&b| b == b'=')?;
            let found = rest[..equals].trim_ascii();
            let value = rest[equals + 1..].trim_ascii_start();
            let (&quote, value) = value.split_first().filter(|(quote, _)| matches!(quote, b'"' | b'\''))?;
            let end = value.iter().position(|&b| b == quote)?;
            if found == name.as_bytes() {
                return Some(&value[..end]);
            }
            rest = &value[end + 1..];
        }
    }

    /// The line where the tag begins.
    pub(super) fn place(&self, bytes: &[u8]) -> Place {
        line_of(bytes, self.start)
    }
}

/// The line of a byte. Counted only for messages.
fn line_of(bytes: &[u8], at: usize) -> Place {
    Place::Line(1 + bytes[..at.min(bytes.len())].iter().filter(|&&b| b == b'\n').count())
}

/// Where some bytes occur at or after a place.
pub(super) fn find(bytes: &[u8], from: usize, needle: &[u8]) -> Option<usize> {
    let rest = bytes.get(from..)?;
    rest.windows(needle.len()).position(|window| window == needle).map(|at| from + at)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_have_names_attributes_and_lines() -> Result<(), ReadError> {
        let bytes = b"<?xml version='1.0'?>\n<!-- <no> -->\n<A x=\"1\" yy = '2 > 1'>text</A>\n<B/>";
        let mut tags = Tags::new(b"<A x=\"1\" yy = '2 '>text</A>\n<B/>");
        let tag = tags.next()?.ok_or(Problem::UnknownFormat.of_file())?;
        assert_eq!((tag.name, tag.attribute("yy"), tag.attribute("y")), (&b"A"[..], Some(&b"2 "[..]), None));
        assert_eq!(tags.text(), b"text");
        assert_eq!(tags.next()?.map(|tag| (tag.name, tag.empty)), Some((&b"/A"[..], false)));
        assert_eq!(tags.next()?.map(|tag| (tag.name, tag.empty)), Some((&b"B"[..], true)));
        assert!(tags.next()?.is_none());
        let first = Tags::new(bytes).next()?.map(|tag| (tag.name, tag.place(bytes)));
        assert_eq!(first, Some((&b"A"[..], Place::Line(3))));
        assert!(Tags::new(b"<A").next().is_err());
        Ok(())
    }
}
