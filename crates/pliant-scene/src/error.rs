//! Errors that point at a position in a scene file.

use std::fmt;
use std::path::{Path, PathBuf};

/// An error in a scene, with its position.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SceneError {
    /// File, or a name for text that is not a file.
    pub file: PathBuf,
    /// Line and column, from 1; none if the error concerns the whole file.
    pub place: Option<(usize, usize)>,
    /// The line itself.
    pub excerpt: Option<String>,
    /// What is wrong.
    pub message: String,
    /// What to do about it.
    pub hint: Option<String>,
}

impl SceneError {
    pub(crate) fn new(file: &Path, message: impl Into<String>) -> Self {
        Self { file: file.to_path_buf(), place: None, excerpt: None, message: message.into(), hint: None }
    }

    /// Points at a byte of the text.
    pub(crate) fn at(mut self, text: &str, byte: usize) -> Self {
        let byte = byte.min(text.len());
        let before = &text[..byte];
        let line = before.matches('\n').count();
        let column = before.rsplit('\n').next().map_or(0, |start| start.chars().count());
        self.place = Some((line + 1, column + 1));
        self.excerpt = text.lines().nth(line).map(str::to_owned);
        self
    }

    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}

impl fmt::Display for SceneError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.file.display())?;
        if let Some((line, column)) = self.place {
            write!(f, ":{line}:{column}")?;
        }
        write!(f, ": {}", self.message)?;
        if let (Some((line, column)), Some(excerpt)) = (self.place, &self.excerpt) {
            let number = line.to_string();
            let margin = " ".repeat(number.len());
            write!(f, "\n{margin} |\n{number} | {excerpt}\n{margin} | {}^", " ".repeat(column - 1))?;
        }
        if let Some(hint) = &self.hint {
            write!(f, "\nhint: {hint}")?;
        }
        Ok(())
    }
}

impl std::error::Error for SceneError {}

/// The known name most similar to a wrong one, if any is similar enough to be a slip.
pub(crate) fn similar<'a>(wrong: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let scored = known.map(|name| (strsim::jaro_winkler(wrong, name), name));
    scored.filter(|(score, _)| *score > 0.8).max_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, name)| name)
}
