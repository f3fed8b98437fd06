//! The flat report of SBCL's statistical profiler, `sb-sprof`.
//!
//! It looks at the program every so often and notes where it is: counts are of samples, and small
//! ones are chance.

/// What the profiler saw.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Samples {
    /// How many samples there are.
    pub count: u64,
    /// The functions.
    pub functions: Vec<FunctionSamples>,
    /// Samples in code that it has no name for.
    pub elsewhere: u64,
}

/// The samples of one function.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FunctionSamples {
    /// Its name, as SBCL prints it.
    pub name: String,
    /// Samples in the function itself.
    pub itself: u64,
    /// Samples in it or in what it called.
    pub total: u64,
}

/// Reads a flat report; none where it is not one.
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

/// `2 8 50.0 9 56.3 8 50.0 - SB-KERNEL:TWO-ARG-+`: number, self, total and cumulated counts, each with
/// a percentage, calls, and the name, which may hold blanks.
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
    // Its percentage, the cumulated count with its own, and the calls.
    for _ in 0..4 {
        word()?;
    }
    let name = rest.trim();
    (!name.is_empty()).then(|| FunctionSamples { name: name.to_owned(), itself, total })
}
