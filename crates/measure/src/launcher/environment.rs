//! The environment of a program: this process's, with the task's changes and padding.

use std::ffi::{CStr, CString, NulError, OsStr, OsString};
use std::os::unix::ffi::OsStrExt;

use crate::task::PADDING_VARIABLE;

/// One variable in the form `NAME=value`.
#[derive(Debug)]
struct Variable {
    entry: CString,
    name_bytes: usize,
}

impl Variable {
    fn new(name: &OsStr, value: &[u8]) -> Result<Self, NulError> {
        let name_bytes = name.len();
        let mut entry = Vec::with_capacity(name_bytes + 1 + value.len() + 1);
        entry.extend_from_slice(name.as_bytes());
        entry.push(b'=');
        entry.extend_from_slice(value);
        Ok(Self { entry: CString::new(entry)?, name_bytes })
    }

    fn name(&self) -> &[u8] {
        &self.entry.as_bytes()[..self.name_bytes]
    }
}

/// The environment that every program inherits, taken once.
#[derive(Debug)]
pub(super) struct Inherited(Vec<Variable>);

impl Inherited {
    /// This process's environment.
    pub(super) fn take() -> Self {
        let variables = std::env::vars_os()
            .filter_map(|(name, value)| Variable::new(&name, value.as_bytes()).ok())
            .collect();
        Self(variables)
    }
}

/// The changes of one task.
#[derive(Debug)]
pub(super) struct Changes {
    set: Vec<Variable>,
    removed: Vec<OsString>,
}

impl Changes {
    /// Fails if a name or value contains a NUL byte. The last of several changes to one variable
    /// applies.
    pub(super) fn new(
        env: &[(OsString, Option<OsString>)],
        padding_bytes: u16,
    ) -> Result<Self, NulError> {
        // The padding of an outer brisk, if this one is itself its command, is not meant for the
        // program.
        let mut changes = Self { set: Vec::new(), removed: vec![PADDING_VARIABLE.into()] };
        for (name, value) in env {
            changes.set.retain(|variable| variable.name() != name.as_bytes());
            match value {
                Some(value) => changes.set.push(Variable::new(name, value.as_bytes())?),
                None => changes.removed.push(name.clone()),
            }
        }
        if padding_bytes > 0 {
            let padding = vec![b'x'; padding_bytes.into()];
            changes.set.push(Variable::new(OsStr::new(PADDING_VARIABLE), &padding)?);
        }
        Ok(changes)
    }

    fn touch(&self, name: &[u8]) -> bool {
        self.set.iter().any(|variable| variable.name() == name)
            || self.removed.iter().any(|removed| removed.as_bytes() == name)
    }

    /// The whole environment: inherited variables that are unchanged, then those that are set.
    pub(super) fn applied_to<'a>(
        &'a self,
        inherited: &'a Inherited,
    ) -> impl Iterator<Item = &'a CStr> {
        let kept = inherited.0.iter().filter(|variable| !self.touch(variable.name()));
        kept.chain(&self.set).map(|variable| variable.entry.as_c_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn applied(changes: &[(&str, Option<&str>)], padding_bytes: u16) -> Vec<String> {
        let inherited = Inherited(
            [("HOME", "/root"), ("LANG", "C"), (PADDING_VARIABLE, "xxxxx")]
                .map(|(name, value)| {
                    Variable::new(OsStr::new(name), value.as_bytes()).expect("no NUL")
                })
                .into(),
        );
        let changes: Vec<_> = changes
            .iter()
            .map(|(name, value)| (OsString::from(name), value.map(OsString::from)))
            .collect();
        let changes = Changes::new(&changes, padding_bytes).expect("no NUL");
        let applied = changes.applied_to(&inherited);
        applied.map(|entry| entry.to_str().expect("ASCII").to_owned()).collect()
    }

    #[test]
    fn changes_replace_add_and_remove() {
        assert_eq!(applied(&[], 0), ["HOME=/root", "LANG=C"]);
        assert_eq!(applied(&[("LANG", None)], 0), ["HOME=/root"]);
        assert_eq!(
            applied(&[("LANG", Some("de")), ("A", Some("1"))], 0),
            ["HOME=/root", "LANG=de", "A=1"]
        );
        assert_eq!(
            applied(&[("A", Some("1")), ("A", Some("2"))], 0),
            ["HOME=/root", "LANG=C", "A=2"]
        );
    }

    #[test]
    fn a_name_that_begins_like_another_is_another() {
        assert_eq!(applied(&[("LAN", Some("x"))], 0), ["HOME=/root", "LANG=C", "LAN=x"]);
    }

    #[test]
    fn padding_is_a_variable_of_that_many_bytes() {
        let padded = applied(&[], 3);
        assert_eq!(padded[2], "BRISK_RANDOMIZED_ENVIRONMENT_OFFSET=xxx");
    }
}
