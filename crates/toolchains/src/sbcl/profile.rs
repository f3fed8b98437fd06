//! The flat report of SBCL's statistical profiler, `sb-sprof`.
//!
//! The profiler samples the program's position at intervals: counts are numbers of samples, and
//! small ones are chance.

/// The profiler's samples.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Samples {
    /// The number of samples.
    pub count: u64,
    /// The functions.
    pub functions: Vec<FunctionSamples>,
    /// Samples in code without a name.
    pub elsewhere: u64,
}

/// The samples of one function.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FunctionSamples {
    /// Its name, as SBCL prints it.
    pub name: String,
    /// Samples in the function itself.
    pub itself: u64,
    /// Samples in it or in its callees.
    pub total: u64,
}

/// Reads a flat report; `None` if the text is not one.
#[must_use]
pub fn samples(text: &str) -> Option<Samples> {
    let count = text.lines().find_map(|line| line.strip_prefix("Number of samples:"))?;
    let mut samples = Samples { count: count.trim().parse().ok()?, ..Samples::default() };
    let table = text.lines().skip_while(|line| !line.starts_with("---")).skip(1);
    for line in table.filter(|line| !line.starts_with("---")) {
        if let Some(function) = function(line) {
            samples.functions.push(function);
        } else if let Some(rest) = line.trim().strip_suffix("elsewhere") {
            let count = rest.split_whitespace().next().and_then(|count| count.parse().ok());
            samples.elsewhere = count.unwrap_or(0);
        }
    }
    Some(samples)
}

/// `2 8 50.0 9 56.3 8 50.0 - SB-KERNEL:TWO-ARG-+`: number, self, total and cumulated counts, each
/// with a percentage, calls, and the name, which may contain blanks.
fn function(line: &str) -> Option<FunctionSamples> {
    let mut rest = line;
    let mut word = || {
        rest = rest.trim_start();
        let end = rest.find(' ')?;
        let (word, after) = rest.split_at(end);
        rest = after;
        Some(word)
    };
    word()?.parse::<u64>().ok()?;
    let itself = word()?.parse().ok()?;
    word()?;
    let total = word()?.parse().ok()?;
    // The percentage, the cumulated count with its percentage, and the calls.
    for _ in 0..4 {
        word()?;
    }
    let name = rest.trim();
    (!name.is_empty()).then(|| FunctionSamples { name: name.to_owned(), itself, total })
}
