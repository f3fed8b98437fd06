//! The build files of make, CMake and dune, which name programs in small languages of their own:
//! they are read as far as that is possible without running anything.

use std::collections::{HashMap, HashSet};

use super::{Files, Product, Recognised, System, join, last, parent, quoted, role};

/// Names of Makefiles, in the order in which GNU make looks for them.
const MAKEFILES: [&str; 3] = ["GNUmakefile", "makefile", "Makefile"];

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

/// The results of a Makefile's first target.
pub(super) fn make(files: Files<'_>, folder: &str) -> Option<Recognised> {
    let text = MAKEFILES.iter().find_map(|name| files.text(&join(folder, name)))?;
    let makefile = Makefile::parse(&text);
    let there: HashSet<&str> = files.below(folder).collect();
    let programs = makefile.programs().into_iter().filter(|name| !there.contains(name.as_str()));
    let product = |name: String| Product {
        build: format!("make {}", quoted(&name)),
        artifact: name.clone(),
        role: role(parent(&name)),
        name,
    };
    let (build, products) = ("make".to_owned(), programs.map(product).collect());
    Some(Recognised { system: System::Make, folder: folder.to_owned(), build, products })
}

impl Makefile {
    fn parse(text: &str) -> Self {
        let mut makefile = Self::default();
        let joined = text.replace("\\\n", " ");
        let lines = joined.lines().filter(|line| !line.starts_with('\t'));
        let lines = lines.map(|line| line.split('#').next().unwrap_or_default().trim());
        let mut rules: Vec<(&str, &str)> = Vec::new();
        for line in lines {
            let assigned =
                ["::=", ":=", "?=", "+=", "="].iter().find_map(|sign| line.split_once(sign));
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
        let end = last(target).rsplit_once('.').map(|(_, end)| end);
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
                // A function call, empty, or defined by an included file or the environment.
                _ => all.push('\0'),
            }
            rest = behind;
        }
        all.push_str(rest);
        all
    }
}

fn is_name(text: &str) -> bool {
    let text = text.trim_start_matches("export ").trim();
    !text.is_empty() && text.chars().all(|c| c.is_alphanumeric() || "_.-".contains(c))
}

const CONFIGURE: &str = "cmake -S . -B build -DCMAKE_BUILD_TYPE=Release";

/// The programs that `add_executable` names.
pub(super) fn cmake(files: Files<'_>, folder: &str) -> Option<Recognised> {
    let root = files.text(&join(folder, "CMakeLists.txt"))?;
    let mut variables = HashMap::new();
    let mut products = Vec::new();
    read_lists(&root, "", &mut variables, &mut products);
    for file in files.below(folder) {
        if last(file) == "CMakeLists.txt" && !parent(file).is_empty() {
            let text = files.text(&join(folder, file)).unwrap_or_default();
            // Variables set in a folder are not visible in its siblings.
            read_lists(&text, parent(file), &mut variables.clone(), &mut products);
        }
    }
    let build = format!("{CONFIGURE} && cmake --build build");
    Some(Recognised { system: System::CMake, folder: folder.to_owned(), build, products })
}

/// Adds the variables and the programs of a file.
fn read_lists(
    text: &str,
    place: &str,
    variables: &mut HashMap<String, String>,
    products: &mut Vec<Product>,
) {
    for (command, words) in commands(text) {
        let words: Vec<Option<String>> =
            words.iter().map(|word| expanded(word, variables)).collect();
        match (command.as_str(), words.as_slice()) {
            ("project", [Some(name), ..]) => {
                variables.insert("PROJECT_NAME".to_owned(), name.clone());
                variables.entry("CMAKE_PROJECT_NAME".to_owned()).or_insert_with(|| name.clone());
            }
            ("set", [Some(name), Some(value)]) => {
                variables.insert(name.clone(), value.clone());
            }
            ("add_executable", [Some(name), rest @ ..]) => {
                let says = |word: &str| rest.iter().flatten().any(|other| other == word);
                if !says("IMPORTED") && !says("ALIAS") {
                    products.push(product(name, place, variables));
                }
            }
            _ => {}
        }
    }
}

fn product(name: &str, place: &str, variables: &HashMap<String, String>) -> Product {
    let folder = variables.get("CMAKE_RUNTIME_OUTPUT_DIRECTORY").cloned();
    let folder = folder.unwrap_or_else(|| join("build", place));
    let folder = folder.trim_end_matches('/');
    Product {
        name: name.to_owned(),
        build: format!("{CONFIGURE} && cmake --build build --target {}", quoted(name)),
        artifact: format!("{folder}/{name}"),
        role: role(place),
    }
}

/// The word with its variables replaced; `None` if one is unknown.
fn expanded(word: &str, variables: &HashMap<String, String>) -> Option<String> {
    let mut text = String::new();
    let mut rest = word;
    while let Some((before, behind)) = rest.split_once("${") {
        let (name, behind) = behind.split_once('}')?;
        text.push_str(before);
        match name {
            "CMAKE_BINARY_DIR" | "PROJECT_BINARY_DIR" => text.push_str("build"),
            "CMAKE_SOURCE_DIR" | "PROJECT_SOURCE_DIR" => text.push('.'),
            name => text.push_str(variables.get(name)?),
        }
        rest = behind;
    }
    text.push_str(rest);
    Some(text.strip_prefix("./").unwrap_or(&text).to_owned())
}

/// The commands of a file, in lower case, with their words.
fn commands(text: &str) -> Vec<(String, Vec<String>)> {
    let lines = text.lines().map(|line| line.split('#').next().unwrap_or_default());
    let code = lines.collect::<Vec<_>>().join("\n");
    let mut commands = Vec::new();
    let mut rest = code.as_str();
    while let Some((before, behind)) = rest.split_once('(') {
        let command = before.trim_end().rsplit(|c: char| !c.is_alphanumeric() && c != '_').next();
        let (inside, behind) = inside(behind);
        let words = inside.split_whitespace().map(|word| word.trim_matches('"').to_owned());
        commands.push((command.unwrap_or_default().to_lowercase(), words.collect()));
        rest = behind;
    }
    commands
}

/// The text before the closing bracket, and the text after it.
fn inside(text: &str) -> (&str, &str) {
    let mut depth = 1;
    let closing = text.find(|letter| {
        depth += match letter {
            '(' => 1,
            ')' => -1,
            _ => 0,
        };
        depth == 0
    });
    closing.map_or((text, ""), |place| (&text[..place], &text[place + 1..]))
}

/// A piece of an S-expression.
enum Piece {
    Word(String),
    List(Vec<Piece>),
}

/// The programs of the `executable` stanzas.
pub(super) fn dune(files: Files<'_>, folder: &str) -> Option<Recognised> {
    if !files.has(&join(folder, "dune-project")) {
        return None;
    }
    let mut products = Vec::new();
    for file in files.below(folder).filter(|name| last(name) == "dune") {
        let text = files.text(&join(folder, file)).unwrap_or_default();
        for name in executables(&text) {
            let path = join(parent(file), &format!("{name}.exe"));
            products.push(Product {
                build: format!("dune build --profile release {}", quoted(&format!("./{path}"))),
                artifact: format!("_build/default/{path}"),
                role: role(parent(file)),
                name,
            });
        }
    }
    let build = "dune build --profile release".to_owned();
    Some(Recognised { system: System::Dune, folder: folder.to_owned(), build, products })
}

fn executables(text: &str) -> Vec<String> {
    let mut names = Vec::new();
    for piece in pieces(text) {
        let Piece::List(stanza) = piece else { continue };
        let [Piece::Word(head), fields @ ..] = stanza.as_slice() else { continue };
        if head != "executable" && head != "executables" {
            continue;
        }
        for field in fields {
            let Piece::List(field) = field else { continue };
            let [Piece::Word(key), values @ ..] = field.as_slice() else { continue };
            if key == "name" || key == "names" {
                names.extend(values.iter().filter_map(|value| match value {
                    Piece::Word(word) => Some(word.clone()),
                    Piece::List(_) => None,
                }));
            }
        }
    }
    names
}

/// The top-level pieces of the text; pieces not closed at its end are left out.
fn pieces(text: &str) -> Vec<Piece> {
    let mut open: Vec<Vec<Piece>> = vec![Vec::new()];
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            ';' => drop(letters.by_ref().find(|c| *c == '\n')),
            '(' => open.push(Vec::new()),
            ')' if open.len() > 1 => {
                let list = open.pop().unwrap_or_default();
                open.last_mut().expect("the outermost stays").push(Piece::List(list));
            }
            '"' => {
                let word = letters.by_ref().take_while(|c| *c != '"').collect();
                open.last_mut().expect("the outermost stays").push(Piece::Word(word));
            }
            c if c.is_whitespace() || c == ')' => {}
            c => {
                let mut word = String::from(c);
                let is_part = |c: &char| !c.is_whitespace() && !"();\"".contains(*c);
                while let Some(c) = letters.next_if(is_part) {
                    word.push(c);
                }
                open.last_mut().expect("the outermost stays").push(Piece::Word(word));
            }
        }
    }
    open.swap_remove(0)
}
