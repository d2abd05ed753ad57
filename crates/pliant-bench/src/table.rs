//! Tables of text.

/// Rows of cells under a heading.
#[derive(Debug, Clone, Default)]
pub struct Table {
    rows: Vec<Vec<String>>,
}

impl Table {
    /// A table with a heading.
    pub fn new(heading: impl IntoIterator<Item = impl Into<String>>) -> Self {
        Self { rows: vec![heading.into_iter().map(Into::into).collect()] }
    }

    /// Adds a row.
    pub fn row(&mut self, cells: Vec<String>) {
        self.rows.push(cells);
    }

    fn widths(&self) -> Vec<usize> {
        let columns = self.rows.iter().map(Vec::len).max().unwrap_or(0);
        let width = |row: &Vec<String>, k: usize| row.get(k).map_or(0, |cell| cell.chars().count());
        (0..columns).map(|k| self.rows.iter().map(|row| width(row, k)).max().unwrap_or(0)).collect()
    }

    /// For a terminal: columns aligned by spaces, the first to the left, numbers to the right.
    pub fn to_text(&self) -> String {
        let widths = self.widths();
        let mut out = String::new();
        for row in &self.rows {
            let cells = row.iter().zip(&widths).enumerate();
            let line: Vec<String> = cells
                .map(|(k, (cell, &w))| if k == 0 { format!("{cell:<w$}") } else { format!("{cell:>w$}") })
                .collect();
            out.push_str(line.join("  ").trim_end());
            out.push('\n');
        }
        out
    }

    /// For a page in Markdown.
    pub fn to_markdown(&self) -> String {
        let mut out = String::new();
        for (k, row) in self.rows.iter().enumerate() {
            out.push_str(&format!("| {} |\n", row.join(" | ")));
            if k == 0 {
                out.push_str(&format!("|---|{}\n", "---:|".repeat(row.len() - 1)));
            }
        }
        out
    }
}

/// A number in three significant digits, for people.
pub fn three_digits(value: f64) -> String {
    let size = value.abs();
    if size == 0.0 {
        return "0".to_owned();
    }
    if !(1e-3..1e5).contains(&size) {
        return format!("{value:.1e}");
    }
    let decimals = (2 - size.log10().floor() as i32).max(0) as usize;
    format!("{value:.decimals$}")
}

/// A number, or a dash where there is none.
pub fn or_dash(value: Option<f64>) -> String {
    value.map_or_else(|| "–".to_owned(), three_digits)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_three_significant_digits() {
        let cases =
            [(0.01234, "0.0123"), (1.0, "1.00"), (56.78, "56.8"), (1234.5, "1234"), (2e-7, "2.0e-7"), (0.0, "0")];
        for (value, text) in cases {
            assert_eq!(three_digits(value), text);
        }
    }

    #[test]
    fn columns_stand_under_each_other() {
        let mut table = Table::new(["what", "ms"]);
        table.row(vec!["a longer name".to_owned(), "1.0".to_owned()]);
        assert_eq!(table.to_text(), "what            ms\na longer name  1.0\n");
        assert_eq!(table.to_markdown(), "| what | ms |\n|---|---:|\n| a longer name | 1.0 |\n");
    }
}
