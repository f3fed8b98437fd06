//! A table of `brisk.toml`, whose keys are read by type and rejected with their place.

use std::ops::Range;
use std::path::{Component, Path, PathBuf};
use std::time::Duration;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::super::duration;
use super::super::place::TextPosition;
use super::Placed;
use super::{LIST_OF_TABLES, ProjectFileError, ProjectProblem, TEXT};
use crate::verdict::Margin;

type Read<T> = Result<T, ProjectFileError>;

/// The text of the file, needed to report places.
#[derive(Debug, Clone, Copy)]
pub(super) struct Source<'a> {
    pub(super) text: &'a str,
    /// The name of the file, in backquotes.
    pub(super) file: &'static str,
}

impl<'a> Source<'a> {
    /// The top-level table.
    pub(super) fn root(self, keys: &'static [&'static str]) -> Read<Table<'a>> {
        match DeTable::parse(self.text) {
            Ok(root) => {
                let span = root.span();
                Table::new(self, root.into_inner(), span, self.file, keys)
            }
            Err(error) => {
                let span = error.span().unwrap_or(0..0);
                let (file, message) = (self.file, error.message().to_owned());
                Err(self.refuse(ProjectProblem::Syntax { file, message }, span))
            }
        }
    }

    /// The error for a problem at a place.
    pub(super) fn refuse(self, problem: ProjectProblem, span: Range<usize>) -> ProjectFileError {
        let place = TextPosition::new(self.text, span, self.file);
        ProjectFileError::Refused { problem: Box::new(problem), place }
    }
}

/// A table whose keys are all known for its kind.
#[derive(Debug, Clone)]
pub(super) struct Table<'a> {
    pub(super) source: Source<'a>,
    pub(super) span: Range<usize>,
    name: &'static str,
    entries: DeTable<'a>,
}

/// A value with its key.
type Entry<'t, 'a> = (&'t str, &'t Spanned<DeValue<'a>>);

impl<'a> Table<'a> {
    fn new(
        source: Source<'a>,
        entries: DeTable<'a>,
        span: Range<usize>,
        name: &'static str,
        known: &'static [&'static str],
    ) -> Read<Self> {
        let unknown = entries.keys().filter(|key| !known.contains(&key.get_ref().as_ref()));
        if let Some(key) = unknown.min_by_key(|key| key.span().start) {
            let problem = ProjectProblem::UnknownKey {
                key: key.get_ref().escape_debug().to_string(),
                table: name,
                known,
            };
            return Err(source.refuse(problem, key.span()));
        }
        Ok(Self { source, span, name, entries })
    }

    fn entry<'t>(&'t self, key: &'t str) -> Option<Entry<'t, 'a>> {
        Some((key, self.entries.get(key)?))
    }

    /// True if the key exists.
    pub(super) fn has(&self, key: &str) -> bool {
        self.entries.contains_key(key)
    }

    /// The span of the value of `key`, or of the table if the key is missing.
    pub(super) fn span_of(&self, key: &str) -> Range<usize> {
        self.entry(key).map_or_else(|| self.span.clone(), |(_, value)| value.span())
    }

    /// The error for a wrong value of `key`.
    pub(super) fn refuse(&self, key: &str, problem: ProjectProblem) -> ProjectFileError {
        self.source.refuse(problem, self.span_of(key))
    }

    /// The error for a table that is wrong as a whole.
    pub(super) fn refuse_all(&self, problem: ProjectProblem) -> ProjectFileError {
        self.source.refuse(problem, self.span.clone())
    }

    /// The place of the table, in words.
    pub(super) fn place(&self) -> String {
        let line = 1 + self.source.text[..self.span.start].matches('\n').count();
        format!("line {line} of {}", self.source.file)
    }

    fn wrong_type<T>(&self, (key, value): Entry<'_, '_>, expected: &'static str) -> Read<T> {
        let problem =
            ProjectProblem::WrongType { key: key.to_owned(), expected, found: kind(value) };
        Err(self.source.refuse(problem, value.span()))
    }

    /// The table at `key`.
    pub(super) fn table(
        &self,
        key: &str,
        name: &'static str,
        keys: &'static [&'static str],
    ) -> Read<Option<Self>> {
        let Some(entry) = self.entry(key) else { return Ok(None) };
        match entry.1.get_ref() {
            DeValue::Table(inner) => {
                Self::new(self.source, inner.clone(), entry.1.span(), name, keys).map(Some)
            }
            _ => self.wrong_type(entry, "a table"),
        }
    }

    /// The tables within the one at `key`, each with its name; empty if the key is missing.
    pub(super) fn named(
        &self,
        key: &str,
        name: &'static str,
        keys: &'static [&'static str],
    ) -> Read<Vec<(String, Self)>> {
        let Some(entry) = self.entry(key) else { return Ok(Vec::new()) };
        let DeValue::Table(tables) = entry.1.get_ref() else {
            return self.wrong_type(entry, "tables with names");
        };
        let table = |(key, value): (&Spanned<_>, &Spanned<DeValue<'a>>)| {
            let text: &str = AsRef::<str>::as_ref(key.get_ref());
            match value.get_ref() {
                DeValue::Table(inner) => {
                    let table = Self::new(self.source, inner.clone(), key.span(), name, keys)?;
                    Ok((text.to_owned(), table))
                }
                _ => self.wrong_type((text, value), "a table"),
            }
        };
        tables.iter().map(table).collect()
    }

    /// The tables at `key`; empty if the key is missing.
    pub(super) fn tables(
        &self,
        key: &str,
        name: &'static str,
        keys: &'static [&'static str],
    ) -> Read<Vec<Self>> {
        let Some(entry) = self.entry(key) else { return Ok(Vec::new()) };
        let DeValue::Array(values) = entry.1.get_ref() else {
            return self.wrong_type(entry, LIST_OF_TABLES);
        };
        let table = |value: &Spanned<DeValue<'a>>| match value.get_ref() {
            DeValue::Table(inner) => {
                Self::new(self.source, inner.clone(), value.span(), name, keys)
            }
            _ => self.wrong_type((key, value), LIST_OF_TABLES),
        };
        values.iter().map(table).collect()
    }

    /// A flag; false if the key is missing.
    pub(super) fn flag(&self, key: &str) -> Read<bool> {
        let Some(entry) = self.entry(key) else { return Ok(false) };
        match entry.1.get_ref() {
            DeValue::Boolean(flag) => Ok(*flag),
            _ => self.wrong_type(entry, "true or false"),
        }
    }

    /// A text that is not blank.
    pub(super) fn text(&self, key: &str) -> Read<Option<String>> {
        self.entry(key).map(|entry| self.text_of(entry)).transpose()
    }

    /// A text that must exist and not be blank.
    pub(super) fn required(&self, key: &'static str) -> Read<String> {
        self.text(key)?.ok_or_else(|| self.lacks(key))
    }

    /// The error for a missing key.
    pub(super) fn lacks(&self, key: &'static str) -> ProjectFileError {
        let problem = ProjectProblem::Lacks { table: self.name, key };
        self.source.refuse(problem, self.span.clone())
    }

    fn text_of(&self, entry @ (key, value): Entry<'_, '_>) -> Read<String> {
        let DeValue::String(text) = value.get_ref() else { return self.wrong_type(entry, TEXT) };
        let key = || key.to_owned();
        if text.trim().is_empty() {
            return Err(self.source.refuse(ProjectProblem::Empty { key: key() }, value.span()));
        }
        if text.contains('\0') {
            return Err(self.source.refuse(ProjectProblem::Nul { key: key() }, value.span()));
        }
        Ok(text.to_string())
    }

    /// A relative path that does not leave the project's folder.
    pub(super) fn path_within(&self, key: &str) -> Read<Option<PathBuf>> {
        let Some(text) = self.text(key)? else { return Ok(None) };
        let path = PathBuf::from(&text);
        if leaves(&path) {
            let problem = ProjectProblem::Outside { key: key.to_owned(), path: text };
            return Err(self.refuse(key, problem));
        }
        Ok(Some(path))
    }

    /// A list of texts with the place of each, or one text for a list of one.
    pub(super) fn texts(&self, key: &str) -> Read<Option<Vec<Placed<String>>>> {
        let Some(entry) = self.entry(key) else { return Ok(None) };
        let placed = |value: &Spanned<DeValue<'a>>| {
            self.text_of((key, value)).map(|text| (text, value.span()))
        };
        let texts: Vec<_> = match entry.1.get_ref() {
            DeValue::String(_) => vec![placed(entry.1)?],
            DeValue::Array(values) => values.iter().map(placed).collect::<Read<_>>()?,
            _ => return self.wrong_type(entry, "a list of texts"),
        };
        if texts.is_empty() {
            return Err(self.refuse(key, ProjectProblem::Empty { key: key.to_owned() }));
        }
        Ok(Some(texts))
    }

    /// The same without their places; empty if the key is missing.
    pub(super) fn list(&self, key: &str) -> Read<Vec<String>> {
        let texts = self.texts(key)?.unwrap_or_default();
        Ok(texts.into_iter().map(|(text, _)| text).collect())
    }

    /// A whole number from `least` to `most`.
    pub(super) fn whole(&self, key: &str, least: u32, most: u32) -> Read<Option<u32>> {
        self.entry(key).map(|entry| self.whole_of(entry, least, most)).transpose()
    }

    fn whole_of(&self, entry @ (key, value): Entry<'_, '_>, least: u32, most: u32) -> Read<u32> {
        let DeValue::Integer(integer) = value.get_ref() else {
            return self.wrong_type(entry, "a whole number");
        };
        let number = i128::from_str_radix(integer.as_str(), integer.radix()).ok();
        let fitting = number.and_then(|number| u32::try_from(number).ok());
        fitting.filter(|number| (least..=most).contains(number)).ok_or_else(|| {
            let (key, value_text) = (key.to_owned(), integer.to_string());
            let problem = ProjectProblem::OutOfRange { key, value: value_text, least, most };
            self.source.refuse(problem, value.span())
        })
    }

    /// A duration: text such as `"1m30s"`, or a number of seconds.
    pub(super) fn duration(&self, key: &str) -> Read<Option<Duration>> {
        let Some(entry) = self.entry(key) else { return Ok(None) };
        let text = match entry.1.get_ref() {
            DeValue::String(_) => self.text_of(entry)?,
            other => match number(other) {
                Some(seconds) => seconds.to_string(),
                None => return self.wrong_type(entry, "a duration such as `\"10s\"`"),
            },
        };
        duration::parse(&text).map(Some).map_err(|problem| {
            self.refuse(key, ProjectProblem::Duration { key: key.to_owned(), problem })
        })
    }

    /// A margin: a positive number of percent, or text such as `"0.5 %"`.
    pub(super) fn margin(&self, key: &str) -> Read<Option<Margin>> {
        let Some(entry) = self.entry(key) else { return Ok(None) };
        let (percent, written) = match entry.1.get_ref() {
            DeValue::String(_) => {
                let text = self.text_of(entry)?;
                let digits = text.trim().trim_end_matches('%').trim_end().parse().ok();
                (digits, format!("`{text}`"))
            }
            other => match number(other) {
                Some(percent) => (Some(percent), percent.to_string()),
                None => return self.wrong_type(entry, "a number of percent"),
            },
        };
        percent.and_then(|percent: f64| Margin::new(percent / 100.0)).map(Some).ok_or_else(|| {
            let key_text = key.to_owned();
            self.refuse(key, ProjectProblem::Percent { key: key_text, value: written })
        })
    }

    /// Variables and their values, by name.
    pub(super) fn env(&self, key: &str) -> Read<Vec<(String, String)>> {
        let Some(entry) = self.entry(key) else { return Ok(Vec::new()) };
        let DeValue::Table(variables) = entry.1.get_ref() else {
            return self.wrong_type(entry, "a table of variables");
        };
        let variable = |(name, value): (&Spanned<_>, &Spanned<DeValue<'a>>)| {
            let text: &str = AsRef::<str>::as_ref(name.get_ref());
            if text.is_empty() || text.contains(['=', '\0']) {
                let problem = ProjectProblem::VariableName(text.escape_debug().to_string());
                return Err(self.source.refuse(problem, name.span()));
            }
            match value.get_ref() {
                // A variable may be empty.
                DeValue::String(value) if value.is_empty() => Ok((text.to_owned(), String::new())),
                _ => Ok((text.to_owned(), self.text_of((text, value))?)),
            }
        };
        variables.iter().map(variable).collect()
    }

    /// Pairs of names.
    pub(super) fn names(&self, key: &str) -> Read<Vec<(String, String)>> {
        let Some(entry) = self.entry(key) else { return Ok(Vec::new()) };
        let DeValue::Table(names) = entry.1.get_ref() else {
            return self.wrong_type(entry, "a table of names");
        };
        let pair = |(name, value): (&Spanned<_>, &Spanned<DeValue<'a>>)| {
            let text: &str = AsRef::<str>::as_ref(name.get_ref());
            Ok((text.to_owned(), self.text_of((text, value))?))
        };
        names.iter().map(pair).collect()
    }

    /// The exit codes that are not a failure: `true` for all, or a list.
    pub(super) fn exit_codes(&self, key: &str) -> Read<Option<measure::AllowedExits>> {
        let Some(entry) = self.entry(key) else { return Ok(None) };
        match entry.1.get_ref() {
            DeValue::Boolean(true) => Ok(Some(measure::AllowedExits::Any)),
            DeValue::Boolean(false) => Ok(Some(measure::AllowedExits::Zero)),
            DeValue::Array(values) => {
                let code = |value| self.whole_of((key, value), 0, 255).map(|code| code as i32);
                let codes = std::iter::once(Ok(0)).chain(values.iter().map(code));
                Ok(Some(measure::AllowedExits::Codes(codes.collect::<Read<_>>()?)))
            }
            _ => self.wrong_type(entry, "`true` or a list of exit codes"),
        }
    }
}

/// An integer or a decimal fraction.
fn number(value: &DeValue<'_>) -> Option<f64> {
    match value {
        DeValue::Integer(integer) => {
            i128::from_str_radix(integer.as_str(), integer.radix()).ok().map(|whole| whole as f64)
        }
        DeValue::Float(float) => float.as_str().parse().ok(),
        _ => None,
    }
}

/// The type of a value, for people.
fn kind(value: &Spanned<DeValue<'_>>) -> &'static str {
    match value.get_ref() {
        DeValue::String(_) => TEXT,
        DeValue::Integer(_) => "a whole number",
        DeValue::Float(_) => "a number",
        DeValue::Boolean(_) => "true or false",
        DeValue::Datetime(_) => "a date or a time",
        DeValue::Array(_) => "a list",
        DeValue::Table(_) => "a table",
    }
}

/// True if a path leads out of the folder that it is relative to.
fn leaves(path: &Path) -> bool {
    let mut depth = 0_i64;
    path.components().any(|component| {
        depth += match component {
            Component::Normal(_) => 1,
            Component::CurDir => 0,
            Component::ParentDir => -1,
            Component::RootDir | Component::Prefix(_) => return true,
        };
        depth < 0
    })
}
