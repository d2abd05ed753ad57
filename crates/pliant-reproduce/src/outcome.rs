//! What an experiment leaves: numbers, tables, plots, pictures, and what had to be chosen.

use pliant_picture::Image;
use pliant_picture::plot::Plot;

use crate::Verdict;

/// Rows of numbers under named columns, with a name for each row where it has one.
#[derive(Debug, Clone, PartialEq)]
pub struct Table {
    /// Name of its file, without extension.
    pub name: String,
    /// Names of the columns, with units.
    pub columns: Vec<String>,
    /// Rows; the text stands in front, where any row has one.
    pub rows: Vec<(String, Vec<f64>)>,
}

impl Table {
    /// An empty table.
    pub fn new(name: &str, columns: &[&str]) -> Self {
        let columns = columns.iter().map(|&column| column.to_owned()).collect();
        Self { name: name.to_owned(), columns, rows: Vec::new() }
    }

    /// Adds a row of numbers.
    pub fn push(&mut self, numbers: impl Into<Vec<f64>>) {
        self.rows.push((String::new(), numbers.into()));
    }

    /// Adds a row with a name.
    pub fn push_named(&mut self, name: &str, numbers: impl Into<Vec<f64>>) {
        self.rows.push((name.to_owned(), numbers.into()));
    }
}

/// A number that was measured for a criterion.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Measured {
    pub(crate) criterion: &'static str,
    pub(crate) value: f64,
    pub(crate) note: String,
}

/// What an experiment found.
#[derive(Debug, Default)]
pub struct Outcome {
    /// Numbers.
    pub tables: Vec<Table>,
    /// Plots with the names of their files, without extension.
    pub plots: Vec<(String, Plot)>,
    /// Pictures with the names of their files, without extension.
    pub pictures: Vec<(String, Image)>,
    /// What the paper does not give, and what was taken instead.
    pub chosen: Vec<String>,
    /// What else a reader should know.
    pub remarks: Vec<String>,
    /// How each criterion came out, in the order in which they are stated.
    pub verdicts: Vec<Verdict>,
    pub(crate) measured: Vec<Measured>,
}

impl Outcome {
    /// Records the number for a criterion.
    pub(crate) fn measure(&mut self, criterion: &'static str, value: f64, note: impl Into<String>) {
        self.measured.push(Measured { criterion, value, note: note.into() });
    }

    pub(crate) fn plot(&mut self, name: &str, plot: Plot) {
        self.plots.push((name.to_owned(), plot));
    }

    pub(crate) fn choose(&mut self, choice: impl Into<String>) {
        self.chosen.push(choice.into());
    }

    /// Whether a claim of the paper fails.
    pub fn fails(&self) -> bool {
        self.verdicts.iter().any(Verdict::fails)
    }

    /// The number measured for a criterion.
    pub fn measured(&self, criterion: &str) -> Option<f64> {
        self.verdicts.iter().find(|verdict| verdict.criterion.name == criterion).map(|verdict| verdict.measured)
    }
}
