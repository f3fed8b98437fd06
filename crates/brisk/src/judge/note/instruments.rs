//! The words of the notes on what was read in separate runs.

use std::fmt;

use super::Note;
use crate::metric::Unit;
use crate::report::quantity::{percent, quantity};

impl Note {
    pub(super) fn instrument_words(
        &self,
        out: &mut fmt::Formatter<'_>,
        name: &dyn Fn(u32) -> String,
    ) -> fmt::Result {
        match self {
            Self::Instrumented { rounds, exact: true } => write!(
                out,
                "instructions counted, caches and branches simulated by valgrind in {rounds} \
                 separate rounds that agreed exactly"
            ),
            Self::Instrumented { rounds, exact: false } => write!(
                out,
                "instructions counted, caches and branches simulated by valgrind in {rounds} \
                 separate rounds; a program of these does not do the same work every time"
            ),
            Self::RuntimeFigures { rounds, exact } => write!(
                out,
                "what the runtime says comes from {rounds} separate rounds{}",
                if *exact {
                    " that agreed exactly on what was allocated and live, or on the collections \
                     where that is not known"
                } else {
                    "; a program of these does not allocate or keep the same every time, or \
                     collects at other times"
                }
            ),
            Self::NoRuntimeFigures { variant, reason } => {
                write!(out, "the runtime says nothing of {}: {reason}", name(*variant))
            }
            Self::RuntimeSetting { variant, asked, effective } => {
                write!(out, "{} was given `{asked}`, but {effective}", name(*variant))
            }
            Self::AskingCost { variant, seconds, share } => write!(
                out,
                "asking its runtime costs {} {} ({}): such runs are not timed",
                name(*variant),
                quantity(*seconds, Unit::Seconds),
                percent(*share)
            ),
            Self::MemorySampled { rounds } => write!(
                out,
                "memory over time comes from {rounds} separate rounds, which are not timed"
            ),
            Self::SamplingCost { variant, seconds, share } => write!(
                out,
                "sampling the memory of {}, and asking its runtime meanwhile, costs {} ({}): such \
                 runs are not timed",
                name(*variant),
                quantity(*seconds, Unit::Seconds),
                percent(*share)
            ),
            _ => Ok(()),
        }
    }
}
