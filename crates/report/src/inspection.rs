//! Inspections for people: the title and the answer in lists, and the page.

use findings::inspection::{Found, Inspection};
use page::Page;

use super::{core_difference, explanation, instructions, lisp, time_profile};
use crate::doctor;
use words::counted;

/// The title in lists; empty if it is about the machine.
pub fn title(found: &Found) -> String {
    match found {
        Found::Explanation(part) => part.subject.clone(),
        Found::CoreDifference(part) => {
            format!("{} → {}", part.before.subject, part.after.subject)
        }
        Found::Instructions(part) => {
            let names: Vec<&str> = part.variants.iter().map(|one| &*one.name).collect();
            names.join(" → ")
        }
        Found::TimeProfile(part) => {
            let names: Vec<&str> = part.variants.iter().map(|one| &*one.name).collect();
            names.join(" → ")
        }
        Found::Lisp(part) => part.subject.clone(),
        Found::Doctor(_) => "this machine".to_owned(),
    }
}

/// The result in a few words, for lists.
pub fn answer(found: &Found) -> String {
    match found {
        Found::Explanation(part) => counted(part.findings.len(), "finding"),
        Found::CoreDifference(part) => counted(part.changes.len(), "change"),
        Found::Instructions(part) => match part.variants.len() {
            1 => counted(part.functions.len(), "function"),
            _ => format!("{} changed", counted(part.functions.len(), "function")),
        },
        Found::TimeProfile(part) => match part.variants.len() {
            1 => counted(part.functions.len(), "function"),
            _ => {
                let named = part.functions.iter().filter(|function| function.named).count();
                format!("{} changed", counted(named, "function"))
            }
        },
        Found::Lisp(part) => {
            let notes: usize = part.forms.iter().map(|form| form.notes).sum();
            counted(notes, "efficiency note")
        }
        Found::Doctor(part) => format!("{} to do", counted(part.advice.len(), "thing")),
    }
}

/// Builds the page.
pub fn page(inspection: &Inspection) -> Page {
    match &inspection.found {
        Found::Explanation(part) => explanation::page(part),
        Found::CoreDifference(part) => core_difference::page(part),
        Found::Instructions(part) => instructions::page(part, inspection.all),
        Found::TimeProfile(part) => time_profile::page(part, inspection.all),
        Found::Lisp(part) => lisp::page(part),
        Found::Doctor(part) => doctor::page(part),
    }
}

/// As Markdown.
pub fn as_markdown(inspection: &Inspection) -> String {
    page::markdown::render(&page(inspection))
}
