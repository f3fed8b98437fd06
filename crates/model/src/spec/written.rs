//! Invocations in JSON, as used by commissions and subjects.

use std::ffi::OsString;

use measure::{Stdin, Stdout};
use serde::{Deserialize, Serialize};

use super::Invocation;
use crate::exact::Exact;

/// An [`Invocation`] whose texts may not be UTF-8.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Written {
    argv: Vec<Exact>,
    env: Vec<(Exact, Option<Exact>)>,
    cwd: Option<Exact>,
    stdin: Source,
    stdout: Target,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Source {
    Null,
    Inherit,
    File(Exact),
}

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Target {
    Null,
    Pipe,
    Inherit,
    File(Exact),
}

impl From<Invocation> for Written {
    fn from(invocation: Invocation) -> Self {
        let Invocation { argv, env, cwd, stdin, stdout } = invocation;
        let assigned = env.iter().map(|(name, value)| {
            (Exact::from(name.as_os_str()), value.as_deref().map(Exact::from))
        });
        Self {
            argv: argv.iter().map(|word| word.as_os_str().into()).collect(),
            env: assigned.collect(),
            cwd: cwd.map(|folder| folder.as_os_str().into()),
            stdin: match stdin {
                Stdin::Null => Source::Null,
                Stdin::Inherit => Source::Inherit,
                Stdin::File(path) => Source::File(path.as_os_str().into()),
            },
            stdout: match stdout {
                Stdout::Null => Target::Null,
                Stdout::Discard => Target::Pipe,
                Stdout::Inherit => Target::Inherit,
                Stdout::File(path) => Target::File(path.as_os_str().into()),
            },
        }
    }
}

impl From<Written> for Invocation {
    fn from(written: Written) -> Self {
        let Written { argv, env, cwd, stdin, stdout } = written;
        let env = env.into_iter().map(|(name, value)| (name.into(), value.map(Into::into)));
        Self {
            argv: argv.into_iter().map(Into::into).collect(),
            env: env.collect(),
            cwd: cwd.map(|folder| OsString::from(folder).into()),
            stdin: match stdin {
                Source::Null => Stdin::Null,
                Source::Inherit => Stdin::Inherit,
                Source::File(path) => Stdin::File(OsString::from(path).into()),
            },
            stdout: match stdout {
                Target::Null => Stdout::Null,
                Target::Pipe => Stdout::Discard,
                Target::Inherit => Stdout::Inherit,
                Target::File(path) => Stdout::File(OsString::from(path).into()),
            },
        }
    }
}
