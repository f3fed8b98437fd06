//! GHC's performance notes: a line for each value, as
//! `test_env TAB test TAB way TAB metric TAB value` (`testsuite/driver/perf_notes.py` of GHC).
//!
//! A value stands alone: no runs, no interval, no machine except `test_env`.

/// One value.
#[derive(Debug, Clone, PartialEq)]
pub struct PerformanceNote {
    /// The machine, as named by the recorder.
    pub environment: String,
    /// The program.
    pub test: String,
    /// The way it was compiled or run.
    pub way: String,
    /// The metric.
    pub metric: String,
    /// Finite; its unit is the metric's.
    pub value: f64,
}

impl PerformanceNote {
    /// Reads a line; `None` if it is something else, or has no finite number.
    pub fn read(line: &[u8]) -> Option<Self> {
        let cells: Vec<&str> = std::str::from_utf8(line).ok()?.split('\t').collect();
        let [environment, test, way, metric, value] = cells.try_into().ok()?;
        let value: f64 = value.trim().parse().ok().filter(|value: &f64| value.is_finite())?;
        let [environment, test, way, metric] = [environment, test, way, metric].map(str::to_owned);
        Some(Self { environment, test, way, metric, value })
    }

    /// The line, without its end. Control characters become spaces, so that a cell cannot add
    /// another one.
    pub fn line(&self) -> Vec<u8> {
        let cells = [&self.environment, &self.test, &self.way, &self.metric];
        let cells = cells.map(|cell| cell.replace(|c: char| c.is_control(), " "));
        format!("{}\t{}", cells.join("\t"), self.value).into_bytes()
    }

    /// The name for a column of such values.
    pub fn name(&self) -> String {
        format!("{} {} {}: {}", self.environment, self.test, self.way, self.metric)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_five_cells_of_which_the_last_is_a_number() {
        let entry = PerformanceNote::read(b"x86_64-linux\tT1969\tnormal\tbytes allocated\t2.5e9");
        let entry = entry.expect("as GHC writes it");
        assert_eq!(entry.name(), "x86_64-linux T1969 normal: bytes allocated");
        assert_eq!(entry.value, 2.5e9);
        assert_eq!(PerformanceNote::read(&entry.line()), Some(entry));
        for bad in [
            "a\tb\tc\td",
            "a\tb\tc\td\te",
            "a\tb\tc\td\tinf",
            "a\tb\tc\td\tNaN",
            "a\tb\tc\td\t1\t2",
            "",
        ] {
            assert_eq!(PerformanceNote::read(bad.as_bytes()), None, "{bad}");
        }
        assert_eq!(PerformanceNote::read(b"a\tb\tc\t\xff\t1"), None);
    }

    #[test]
    fn a_cell_cannot_make_another_one() {
        let text = |text: &str| text.to_owned();
        let entry = PerformanceNote {
            environment: text("a\tb"),
            test: text("c\n\x1b[2J"),
            way: text("d"),
            metric: text("e"),
            value: 0.1,
        };
        assert_eq!(entry.line(), b"a b\tc  [2J\td\te\t0.1");
    }
}
