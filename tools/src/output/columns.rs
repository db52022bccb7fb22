//! Tables of text with aligned columns.

use std::io::{self, Write};

/// How a column is aligned.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Align {
    /// Words.
    Left,
    /// Numbers.
    Right,
}

/// A table of text: headings and rows.
pub struct Columns {
    aligned: Vec<Align>,
    rows: Vec<Vec<String>>,
}

impl Columns {
    /// A table with these headings.
    pub fn new(headings: &[(&str, Align)]) -> Columns {
        let first = headings.iter().map(|(heading, _)| (*heading).to_owned()).collect();
        Columns { aligned: headings.iter().map(|&(_, align)| align).collect(), rows: vec![first] }
    }

    /// Adds a row.
    pub fn row(&mut self, cells: impl IntoIterator<Item = String>) {
        self.rows.push(cells.into_iter().collect());
    }

    /// Prints the table.
    pub fn print(&self, out: &mut dyn Write) -> io::Result<()> {
        let width = |column: usize| {
            self.rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count()).max().unwrap_or(0)
        };
        let widths: Vec<usize> = (0..self.aligned.len()).map(width).collect();
        for row in &self.rows {
            let mut line = String::new();
            for ((cell, &width), align) in row.iter().zip(&widths).zip(&self.aligned) {
                line.push_str("  ");
                match align {
                    Align::Left => line.push_str(&format!("{cell:<width$}")),
                    Align::Right => line.push_str(&format!("{cell:>width$}")),
                }
            }
            writeln!(out, "{}", line.trim_end())?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn columns_are_as_wide_as_their_widest_cell() {
        let mut columns = Columns::new(&[("move", Align::Left), ("n", Align::Right), ("", Align::Left)]);
        columns.row(["a3a4".into(), "7".into(), String::new()]);
        columns.row(["b".into(), "1,000".into(), "x".into()]);
        let mut out = Vec::new();
        columns.print(&mut out).unwrap();
        assert_eq!(String::from_utf8(out).unwrap(), "  move      n\n  a3a4      7\n  b     1,000  x\n");
    }
}
