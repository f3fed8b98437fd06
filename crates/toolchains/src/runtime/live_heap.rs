//! The live heap over time: the live bytes after each collection, for runtimes that report them
//! with a time.
//!
//! An [`crate::runtime::adapter::Adapter`] has its [`Asked`] here, or the reason that it has none.
//! The samples are those of one process: several that report at once cannot be distinguished, and
//! are refused.

use super::adapter::{Asking, Kept, Request, Said, Variable};
use super::figures::{decimal, whole};

/// The live heap after a collection.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LiveSample {
    /// Seconds since the runtime was started, a little less than since the process was.
    pub seconds: f64,
    /// The live heap, in bytes.
    pub bytes: f64,
}

/// The query for a runtime's live heap.
#[derive(Debug)]
pub struct Asked {
    /// An equivalent that the user could type.
    pub shown: &'static str,
    /// The changes to a command.
    pub request: fn(&Asking<'_>) -> Request,
    /// Reads the live heap after each collection, in the order of time.
    pub read: fn(&Said<'_>) -> Result<Vec<LiveSample>, LiveHeapError>,
}

/// The reason that the live heap over time is missing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum LiveHeapError {
    /// The beginning of the output is lost.
    #[error("its trace of collections is too long, and its beginning was lost")]
    CutOff,
    /// A line of the trace cannot be read.
    #[error("its trace of collections is not understood")]
    Malformed,
    /// Time goes back from one line to the next.
    #[error("several programs of the run traced their collections at once")]
    Several,
    /// The trace is missing.
    #[error("no program of the run traced its collections")]
    Silent,
}

/// GHC's option `-S`: a table with a line for each collection, on standard error. It needs no
/// `-rtsopts`.
///
/// ```text
///     Alloc    Copied     Live     GC     GC      TOT      TOT  Page Flts
///     bytes     bytes     bytes   user   elap     user     elap
///   1043184    332160    389560  0.001  0.001    0.003    0.003    0    0  (Gen:  1)
/// ```
///
/// After a collection of the young generation `Live` includes garbage of the old one that is not
/// collected yet. The last collection is made when the program is over, and left out. Checked with
/// GHC 9.0.2.
pub static GHC: Asked = Asked { shown: "GHCRTS=-S", request: ask_ghc, read: read_ghc };

/// Go's `gctrace=1`; see [`super::go`]. Sizes are rounded down to mebibytes.
pub static GO: Asked = Asked { shown: "GODEBUG=gctrace=1", request: ask_go, read: read_go };

fn ask_ghc(_asking: &Asking<'_>) -> Request {
    asking("GHCRTS", "-S", " ")
}

fn ask_go(_asking: &Asking<'_>) -> Request {
    asking("GODEBUG", "gctrace=1", ",")
}

fn asking(name: &'static str, value: &str, between: &'static str) -> Request {
    let value = value.to_owned();
    let variable = Variable { name, stands_in: None, value, kept: Kept::Before(between) };
    Request { variables: vec![variable], ..Request::default() }
}

/// The text near the end of each line of GHC's table.
const GENERATION: &str = "(Gen:";

fn read_ghc(said: &Said<'_>) -> Result<Vec<LiveSample>, LiveHeapError> {
    if said.stderr.is_empty() {
        return Err(LiveHeapError::Silent);
    }
    let lines = said.stderr.lines().filter(|line| line.trim_end().ends_with(')'));
    let lines = lines.filter(|line| line.contains(GENERATION));
    let mut samples = ordered(said, lines.map(ghc_line))?;
    samples.pop();
    Ok(samples)
}

fn ghc_line(line: &str) -> Option<LiveSample> {
    let (table, _) = line.split_once(GENERATION)?;
    let cells: Vec<&str> = table.split_ascii_whitespace().collect();
    // Output of the program without a newline precedes the table's columns.
    let [.., allocated, copied, live, _, _, _, elapsed, _, _] = cells[..] else { return None };
    whole(allocated)?;
    whole(copied)?;
    Some(LiveSample { seconds: decimal(elapsed)?, bytes: whole(live)? as f64 })
}

const MEBIBYTE: f64 = 1_048_576.0;

fn read_go(said: &Said<'_>) -> Result<Vec<LiveSample>, LiveHeapError> {
    // A program that ends while its last line is printed loses the rest of it.
    let (whole_lines, _) = said.stderr.rsplit_once('\n').unwrap_or_default();
    let is_trace = |line: &&str| {
        let number = line.strip_prefix("gc ").and_then(|rest| rest.split_once(" @"));
        number.is_some_and(|(number, _)| whole(number).is_some())
    };
    ordered(said, whole_lines.lines().filter(is_trace).map(go_line))
}

fn go_line(line: &str) -> Option<LiveSample> {
    let (_, rest) = line.split_once(" @")?;
    let (seconds, rest) = rest.split_once("s ")?;
    let (sizes, _) = rest.split_once(" MB, ")?;
    let (_, live) = sizes.rsplit_once("->")?;
    Some(LiveSample { seconds: decimal(seconds)?, bytes: whole(live)? as f64 * MEBIBYTE })
}

/// The samples of all lines, if each could be read and none is earlier than the one before.
fn ordered(
    said: &Said<'_>,
    lines: impl Iterator<Item = Option<LiveSample>>,
) -> Result<Vec<LiveSample>, LiveHeapError> {
    if !said.is_stderr_whole {
        return Err(LiveHeapError::CutOff);
    }
    let samples: Option<Vec<LiveSample>> = lines.collect();
    let samples = samples.ok_or(LiveHeapError::Malformed)?;
    if samples.is_empty() {
        return Err(LiveHeapError::Silent);
    }
    if samples.windows(2).any(|pair| pair[1].seconds < pair[0].seconds) {
        return Err(LiveHeapError::Several);
    }
    Ok(samples)
}
