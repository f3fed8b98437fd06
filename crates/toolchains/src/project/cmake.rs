//! `CMake`: the programs that `add_executable` names in the project's files.

use std::collections::HashMap;

use super::{Files, Product, Recognised, System, join, last, parent, quoted, role};

const CONFIGURE: &str = "cmake -S . -B build -DCMAKE_BUILD_TYPE=Release";

pub(super) fn look(files: Files<'_>, folder: &str) -> Option<Recognised> {
    let root = files.text(&join(folder, "CMakeLists.txt"))?;
    let mut variables = HashMap::new();
    let mut products = Vec::new();
    read(&root, "", &mut variables, &mut products);
    for file in files.below(folder) {
        if last(file) == "CMakeLists.txt" && !parent(file).is_empty() {
            let text = files.text(&join(folder, file)).unwrap_or_default();
            // Variables set in a folder are not visible in its siblings.
            read(&text, parent(file), &mut variables.clone(), &mut products);
        }
    }
    let build = format!("{CONFIGURE} && cmake --build build");
    Some(Recognised { system: System::CMake, folder: folder.to_owned(), build, products })
}

/// Adds the variables and the programs of a file.
fn read(
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
    let folder = match variables.get("CMAKE_RUNTIME_OUTPUT_DIRECTORY") {
        Some(folder) => folder.trim_end_matches('/').to_owned(),
        None => join("build", place).trim_end_matches('/').to_owned(),
    };
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
    Some(text.strip_prefix("./").map_or(text.clone(), str::to_owned))
}

/// The commands of a file, in lower case, with their words.
fn commands(text: &str) -> Vec<(String, Vec<String>)> {
    let code: String = text
        .lines()
        .map(|line| line.split('#').next().unwrap_or_default())
        .collect::<Vec<_>>()
        .join("\n");
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
    for (place, letter) in text.char_indices() {
        match letter {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return (&text[..place], &text[place + 1..]);
        }
    }
    (text, "")
}
