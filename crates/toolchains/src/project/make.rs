//! make: the results of a Makefile's first target, as far as they can be read without running it.

use std::collections::{HashMap, HashSet};

use super::{Files, Product, Recognised, System, join, quoted, role};

/// Names of Makefiles, in the order in which GNU make looks for them.
const NAMES: [&str; 3] = ["GNUmakefile", "makefile", "Makefile"];

/// Targets that conventionally stand for others, even if they are not declared phony.
const GROUPS: [&str; 4] = ["all", "default", "build", "release"];

/// Endings of files that are not programs.
const NO_PROGRAMS: [&str; 22] = [
    "o", "a", "so", "d", "h", "c", "cc", "cpp", "hpp", "hi", "cmi", "cmx", "cmo", "cma", "ml",
    "pc", "1", "md", "html", "txt", "in", "gz",
];

/// The contents of a Makefile.
#[derive(Default)]
struct Makefile {
    variables: HashMap<String, String>,
    /// Targets with their prerequisites, in the order of the file.
    rules: Vec<(String, Vec<String>)>,
    phony: HashSet<String>,
}

pub(super) fn look(files: Files<'_>, folder: &str) -> Option<Recognised> {
    let text = NAMES.iter().find_map(|name| files.text(&join(folder, name)))?;
    let makefile = parse(&text);
    let there: HashSet<&str> = files.below(folder).collect();
    let programs = makefile.programs().into_iter().filter(|name| !there.contains(name.as_str()));
    let product = |name: String| Product {
        build: format!("make {}", quoted(&name)),
        artifact: name.clone(),
        role: role(super::parent(&name)),
        name,
    };
    Some(Recognised {
        system: System::Make,
        folder: folder.to_owned(),
        build: "make".to_owned(),
        products: programs.map(product).collect(),
    })
}

impl Makefile {
    /// The programs of the default goal.
    fn programs(&self) -> Vec<String> {
        let said = self.variables.get(".DEFAULT_GOAL").cloned();
        let is_goal = |name: &String| !name.starts_with('.') && !name.contains('%');
        let first = self.rules.iter().map(|(name, _)| name).find(|name| is_goal(name));
        let Some(goal) = said.or_else(|| first.cloned()) else { return Vec::new() };
        let (mut programs, mut seen) = (Vec::new(), HashSet::new());
        self.add(&goal, &mut programs, &mut seen);
        programs
    }

    fn add(&self, target: &str, programs: &mut Vec<String>, seen: &mut HashSet<String>) {
        if !seen.insert(target.to_owned()) {
            return;
        }
        if self.phony.contains(target) || GROUPS.contains(&target) {
            let rules = self.rules.iter().filter(|(name, _)| name == target);
            rules.flat_map(|(_, needs)| needs).for_each(|need| self.add(need, programs, seen));
            return;
        }
        let end = super::last(target).rsplit_once('.').map(|(_, end)| end);
        let is_inside = !target.starts_with('/') && !target.split('/').any(|part| part == "..");
        if is_inside && !end.is_some_and(|end| NO_PROGRAMS.contains(&end)) {
            programs.push(target.strip_prefix("./").unwrap_or(target).to_owned());
        }
    }

    /// The words of the text with its variables replaced; words with an unknown variable are
    /// dropped.
    fn words(&self, text: &str) -> Vec<String> {
        let expanded = self.expanded(text, 0);
        expanded.split_whitespace().filter(|w| !w.contains('\0')).map(str::to_owned).collect()
    }

    fn expanded(&self, text: &str, depth: u32) -> String {
        let mut all = String::new();
        let mut rest = text;
        while let Some((before, behind)) = rest.split_once('$') {
            all.push_str(before);
            let close = match behind.chars().next() {
                Some('(') => ')',
                Some('{') => '}',
                _ => {
                    all.push('\0');
                    rest = behind;
                    continue;
                }
            };
            let Some((name, behind)) = behind[1..].split_once(close) else { break };
            match self.variables.get(name) {
                Some(value) if depth < 10 => all.push_str(&self.expanded(value, depth + 1)),
                // GNU make does not allow blanks in names, so a name with a blank is a function
                // call.
                _ if name.contains(' ') => all.push('\0'),
                // Empty, or defined by an included file or the environment.
                _ => all.push('\0'),
            }
            rest = behind;
        }
        all.push_str(rest);
        all
    }
}

fn parse(text: &str) -> Makefile {
    let mut makefile = Makefile::default();
    let joined = text.replace("\\\n", " ");
    let lines = joined.lines().filter(|line| !line.starts_with('\t'));
    let lines = lines.map(|line| line.split('#').next().unwrap_or_default().trim());
    let mut rules: Vec<(&str, &str)> = Vec::new();
    for line in lines {
        let assigned = ["::=", ":=", "?=", "+=", "="].iter().find_map(|sign| line.split_once(sign));
        match (assigned, line.split_once(':')) {
            (Some((name, value)), _) if is_name(name.trim()) => {
                let name = name.trim().trim_start_matches("export ").trim().to_owned();
                makefile.variables.insert(name, value.trim().to_owned());
            }
            (None, Some(rule)) => rules.push(rule),
            _ => {}
        }
    }
    for (targets, needs) in rules {
        let needs = needs.trim_start_matches(':').split(';').next().unwrap_or_default();
        // Prerequisites after a bar only have to exist.
        let needs = makefile.words(needs.split('|').next().unwrap_or_default());
        for target in makefile.words(targets) {
            match target.as_str() {
                ".PHONY" => makefile.phony.extend(needs.iter().cloned()),
                _ => makefile.rules.push((target, needs.clone())),
            }
        }
    }
    makefile
}

fn is_name(text: &str) -> bool {
    let text = text.trim_start_matches("export ").trim();
    !text.is_empty() && text.chars().all(|c| c.is_alphanumeric() || "_.-".contains(c))
}
