//! The CSV that tasty-bench writes with `--csv` and reads with `--baseline`.
//!
//! Its lines are `Name,Mean (ps),2*Stdev (ps)`, in whole picoseconds; names with commas, quotes or
//! line breaks are quoted (tasty-bench 0.4, `Test.Tasty.Bench`). Here the standard deviation is
//! that between processes. A benchmark with one process has none, and tasty-bench cannot compare a
//! line without it, so such a benchmark is left out.

use std::io::{self, Write};

use super::figures;
use super::{Document, NOTHING, entries, summary};

const PICO: f64 = 1e12;

/// Writes a line for each benchmark.
///
/// # Errors
///
/// When it cannot be written, or there is nothing to write.
pub(crate) fn write(document: &Document, out: &mut dyn Write) -> io::Result<()> {
    let time = &figures(document)[0];
    let mut rows = Vec::new();
    for entry in entries(document) {
        let Some(part) = summary(document, entry.variant, &time.id) else { continue };
        let Some(sd) = part.sd else { continue };
        let whole = |seconds: f64| format!("{:.0}", seconds * PICO);
        rows.push([entry.name, whole(part.mean), whole(2.0 * sd)]);
    }
    if rows.is_empty() {
        return Err(io::Error::other(format!("{NOTHING}: it needs two rounds at least")));
    }
    let mut table = csv::WriterBuilder::new().flexible(true).from_writer(out);
    table.write_record(["Name", "Mean (ps)", "2*Stdev (ps)"]).map_err(io::Error::other)?;
    for row in rows {
        table.write_record(row).map_err(io::Error::other)?;
    }
    table.flush()
}
