//! SBCL, the Lisp compiler: its notes about types that it lacked to make a program fast, and the
//! samples of its statistical profiler, `sb-sprof`. (Its runtime is in `runtime::preludes`.)
//!
//! Efficiency notes are the optimisations that the compiler could not make, and the missing facts,
//! form by form. It prints them while it compiles with a `speed` above `inhibit-warnings`, as
//! comments: `; in:` with the definition, the form indented by five blanks, and notes that begin
//! with `; note:`. The profiler samples the program's position at intervals: counts are numbers of
//! samples, and small ones are chance. The texts are those of SBCL 2.2.9.

use std::collections::BTreeSet;

/// The notes about one form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FormNotes {
    /// The definition that the form is in, such as `DEFUN SQUARES`.
    pub within: String,
    /// The form, as the compiler shows it.
    pub form: String,
    /// The number of notes.
    pub count: usize,
    /// The optimisations that failed, each once: `unable to open-code float conversion`, `forced to
    /// do GENERIC-* (cost 30)`.
    pub what: Vec<String>,
    /// The reasons, each once: `The first argument is a NUMBER, not a FLOAT.`
    pub why: Vec<String>,
}

impl FormNotes {
    /// The name of the function defined there; `None` if the definition is not a function.
    pub fn function(&self) -> Option<&str> {
        let (kind, name) = self.within.split_once(' ')?;
        matches!(kind, "DEFUN" | "DEFMETHOD" | "DEFMACRO").then_some(name)
    }
}

/// Reads the compiler's output; other lines are ignored.
pub fn notes(text: &str) -> Vec<FormNotes> {
    let mut reading = Reading::default();
    for line in text.lines() {
        reading.line(line);
    }
    reading.end_note();
    reading.forms
}

#[derive(Default)]
struct Reading {
    within: String,
    forms: Vec<FormNotes>,
    /// The form that the next notes are about.
    form: Option<String>,
    /// The lines of the unfinished note.
    note: Option<Vec<String>>,
}

impl Reading {
    fn line(&mut self, line: &str) {
        let Some(words) = line.strip_prefix(';') else { return self.end_note() };
        if let Some(within) = words.strip_prefix(" in:") {
            self.end_note();
            self.form = None;
            within.trim().clone_into(&mut self.within);
        } else if self.within.is_empty() && !words.trim().is_empty() {
            // A long definition has a line of its own.
            words.trim().clone_into(&mut self.within);
        } else if let Some(what) = words.strip_prefix(" note: ") {
            self.end_note();
            self.note = Some(vec![what.to_owned()]);
        } else if words.trim().is_empty() || words.contains("caught ") {
            self.end_note();
        } else if let Some(note) = &mut self.note {
            note.push(words.to_owned());
        } else if let Some(form) = words.strip_prefix("     ") {
            self.form(form.trim_end());
        }
    }

    /// Takes a line of a form: an indented line continues the one above, others begin a form.
    fn form(&mut self, text: &str) {
        match &mut self.form {
            Some(form) if text.starts_with(' ') => {
                form.push(' ');
                form.push_str(text.trim());
            }
            _ => self.form = Some(text.trim().to_owned()),
        }
    }

    /// Ends a note, and merges it with earlier ones: the compiler returns to a form in each of its
    /// phases.
    fn end_note(&mut self) {
        let (Some(lines), Some(form)) = (self.note.take(), &self.form) else { return };
        let is_it = |known: &FormNotes| known.within == self.within && known.form == *form;
        let place = self.forms.iter().position(is_it).unwrap_or_else(|| {
            self.forms.push(FormNotes {
                within: self.within.clone(),
                form: form.clone(),
                count: 0,
                what: Vec::new(),
                why: Vec::new(),
            });
            self.forms.len() - 1
        });
        let form = &mut self.forms[place];
        form.count += 1;
        let (what, why) = taken_apart(&lines);
        let mut known: BTreeSet<String> = form.what.iter().chain(&form.why).cloned().collect();
        if known.insert(what.clone()) {
            form.what.push(what);
        }
        form.why.extend(why.into_iter().filter(|reason| known.insert(reason.clone())));
    }
}

/// The failed optimisation, and the sentences with its reasons. The compiler breaks long lines, and
/// sentences begin with a capital.
fn taken_apart(lines: &[String]) -> (String, Vec<String>) {
    let (mut what, mut why): (Vec<&str>, Vec<String>) = (Vec::new(), Vec::new());
    let mut is_why = false;
    for line in lines.iter().map(|line| line.trim()) {
        let ends_what = line.ends_with("because:") || line == "due to type uncertainty:";
        match (is_why, ends_what) {
            (_, true) => {
                let rest = line.trim_end_matches("because:").trim_end();
                what.extend((rest != "due to type uncertainty:").then_some(rest));
                is_why = true;
            }
            (false, false) => what.push(line),
            (true, false) if line.starts_with(char::is_uppercase) => why.push(line.to_owned()),
            (true, false) => match why.last_mut() {
                Some(sentence) => {
                    sentence.push(' ');
                    sentence.push_str(line);
                }
                None => why.push(line.to_owned()),
            },
        }
    }
    (what.join(" "), why)
}

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
