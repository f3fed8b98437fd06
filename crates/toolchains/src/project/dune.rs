//! dune: the `executable` stanzas of its files.

use super::{Files, Product, Recognised, System, join, last, parent, quoted, role};

/// A piece of an S-expression.
enum Piece {
    Word(String),
    List(Vec<Piece>),
}

pub(super) fn look(files: Files<'_>, folder: &str) -> Option<Recognised> {
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
