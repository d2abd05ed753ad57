//! Rows of weights over coarse vertices, while they are put together.

/// Coarse vertices with their weights, ascending, each once.
pub(super) type Row = Vec<(u32, f64)>;

/// Adds up rows.
#[derive(Debug)]
pub(super) struct RowSum {
    values: Vec<f64>,
    touched: Vec<u32>,
}

impl RowSum {
    /// For rows over so many vertices.
    pub(super) fn new(vertices: usize) -> Self {
        Self { values: vec![0.0; vertices], touched: Vec::new() }
    }

    /// Σ factor · row.
    pub(super) fn of<'a>(&mut self, terms: impl IntoIterator<Item = (f64, &'a Row)>) -> Row {
        for (factor, row) in terms {
            for &(vertex, weight) in row {
                self.values[vertex as usize] += factor * weight;
                self.touched.push(vertex);
            }
        }
        self.touched.sort_unstable();
        self.touched.dedup();
        let taken = self.touched.drain(..).map(|v| (v, std::mem::take(&mut self.values[v as usize])));
        taken.filter(|&(_, weight)| weight != 0.0).collect()
    }
}
