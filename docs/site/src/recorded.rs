//! The output that commands of the documentation really had, instead of its patterns.
//!
//! The tests run every console block against its pattern: `[..]` is text that differs from run to run,
//! and a line `...` stands for lines left out. `docs/recorded` has what one run printed.

use std::fs;
use std::path::Path;

use pulldown_cmark::{CodeBlockKind, Event, Tag, TagEnd};

/// A command and its output, or the pattern of it.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Step {
    command: String,
    /// `? 1`, if the exit status is not 0.
    status: Option<String>,
    output: Vec<String>,
}

/// The steps of a transcript.
fn steps(transcript: &str) -> Vec<Step> {
    let mut steps: Vec<Step> = Vec::new();
    for line in transcript.lines() {
        match steps.last_mut() {
            _ if line.starts_with("$ ") => {
                steps.push(Step { command: line.to_owned(), status: None, output: Vec::new() });
            }
            Some(step) if line.starts_with("? ") && step.output.is_empty() => {
                step.status = Some(line.to_owned());
            }
            Some(step) => step.output.push(line.to_owned()),
            None => {}
        }
    }
    for step in &mut steps {
        let length = step.output.iter().rposition(|line| !line.trim().is_empty());
        step.output.truncate(length.map_or(0, |last| last + 1));
    }
    steps
}

/// True if a line fits a pattern, in which `[..]` is any text.
fn fits_line(pattern: &str, line: &str) -> bool {
    let Some((first, rest)) = pattern.split_once("[..]") else {
        return pattern.trim_end() == line.trim_end();
    };
    let Some(line) = line.strip_prefix(first) else { return false };
    let ends = line.char_indices().map(|(at, _)| at).chain([line.len()]);
    ends.into_iter().any(|at| fits_line(rest, &line[at..]))
}

/// True if lines fit patterns, of which `...` is any number of lines.
fn fits(patterns: &[String], lines: &[String]) -> bool {
    match (patterns.split_first(), lines.split_first()) {
        (None, None) => true,
        (Some((pattern, rest)), _) if pattern == "..." => {
            (0..=lines.len()).any(|count| fits(rest, &lines[count..]))
        }
        (Some((pattern, patterns)), Some((line, lines))) => {
            fits_line(pattern, line) && fits(patterns, lines)
        }
        _ => false,
    }
}

/// The recorded steps of a document that were not shown yet.
struct Recording<'a> {
    document: &'a Path,
    steps: std::vec::IntoIter<Step>,
    faults: Vec<String>,
}

impl Recording<'_> {
    /// A block with the recorded output of its commands. What was not recorded is as written.
    fn block(&mut self, block: &str) -> String {
        let mut lines = Vec::new();
        for pattern in steps(block) {
            let Step { command, status, output } = self.step(pattern);
            lines.push(command);
            lines.extend(status);
            lines.extend(output);
            lines.push(String::new());
        }
        lines.pop();
        lines.iter().map(|line| format!("{line}\n")).collect()
    }

    fn step(&mut self, pattern: Step) -> Step {
        let mut ahead = self.steps.clone();
        let Some(step) = ahead.find(|step| step.command == pattern.command) else { return pattern };
        self.steps = ahead;
        if step.status == pattern.status && fits(&pattern.output, &step.output) {
            return step;
        }
        self.faults.push(format!(
            "`{}`: the recording of `{}` does not fit its block; record it anew (CONTRIBUTING.md)",
            self.document.display(),
            pattern.command
        ));
        pattern
    }
}

/// The events of a document with recorded output in its console blocks, and what does not fit.
pub(crate) fn shown<'a>(
    root: &Path,
    document: &Path,
    events: Vec<Event<'a>>,
) -> (Vec<Event<'a>>, Vec<String>) {
    let name = document.with_extension("txt");
    let file = root.join("docs/recorded").join(name.file_name().unwrap_or_default());
    // Documents without a recording show their patterns.
    let transcript = fs::read_to_string(file).unwrap_or_default();
    let steps = steps(&transcript).into_iter();
    let mut recording = Recording { document, steps, faults: Vec::new() };
    let mut block: Option<String> = None;
    let mut all = Vec::new();
    for event in events {
        match (&event, &mut block) {
            (Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(language))), _)
                if &**language == "console" =>
            {
                block = Some(String::new());
                all.push(event);
            }
            (Event::Text(text), Some(block)) => block.push_str(text),
            (Event::End(TagEnd::CodeBlock), Some(text)) => {
                all.extend([Event::Text(recording.block(text).into()), event]);
                block = None;
            }
            _ => all.push(event),
        }
    }
    (all, recording.faults)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str) -> Vec<String> {
        text.lines().map(str::to_owned).collect()
    }

    #[test]
    fn patterns_stand_for_text_in_a_line_and_for_whole_lines() {
        for (pattern, text, expected) in [
            ("a [..] c", "a b c", true),
            ("a[..]", "a", true),
            ("[..]a[..]b", "xaab", true),
            ("a [..] c", "a b d", false),
            ("a [..]", "a b\nc", false),
            ("a\n...\nc", "a\nc", true),
            ("a\n...\nc", "a\nb\nc\nc", true),
            ("...\nb", "a\nb\nc", false),
            ("a\n...", "a", true),
            ("...", "", true),
            ("a", "a\nb", false),
            ("ü[..]ß", "über Maß", true),
        ] {
            assert_eq!(fits(&lines(pattern), &lines(text)), expected, "{pattern:?} {text:?}");
        }
    }

    fn recording(transcript: &str) -> Recording<'_> {
        let steps = steps(transcript).into_iter();
        Recording { document: Path::new("docs/guide/1-a.md"), steps, faults: Vec::new() }
    }

    #[test]
    fn blocks_show_figures_in_place_of_patterns() {
        let mut recording = recording("$ a\n? 1\n3 ms\nand\nmore\n\n$ b\nx 7\n\n$ a\n4 ms\n");
        let pattern = "$ a\n? 1\n[..] ms\n...\n\n$ b\nx [..]\n";
        assert_eq!(recording.block(pattern), "$ a\n? 1\n3 ms\nand\nmore\n\n$ b\nx 7\n");
        assert_eq!(recording.block("$ a\n[..] ms\n"), "$ a\n4 ms\n", "each step is shown once");
        assert_eq!(recording.block("$ new\n[..]\n"), "$ new\n[..]\n", "as written");
        assert!(recording.faults.is_empty(), "{:?}", recording.faults);
    }

    #[test]
    fn a_recording_that_does_not_fit_is_a_fault_that_names_the_block() {
        for (transcript, block) in
            [("$ a\nnew words\n", "$ a\nold words\n"), ("$ a\n? 2\nb\n", "$ a\nb\n")]
        {
            let mut recording = recording(transcript);
            assert_eq!(recording.block(block), block);
            let [fault] = &recording.faults[..] else { panic!("one: {:?}", recording.faults) };
            assert!(fault.contains("docs/guide/1-a.md") && fault.contains("`$ a`"), "{fault}");
        }
    }
}
