//! cabal and stack: packages of Haskell and their executables.

use super::{Files, Product, Recognised, System, join, last, parent, quoted, role};

/// The folder that programs are copied to: `cabal build` puts them in folders that depend on the
/// compiler's version.
const FOLDER: &str = "dist-newstyle/bin";

pub(super) fn look(files: Files<'_>, folder: &str) -> Option<Recognised> {
    let has = |name: &str| files.has(&join(folder, name));
    let is_package = |name: &&str| parent(name).is_empty() && is_package(name);
    let (is_stack, is_cabal) = (has("stack.yaml"), has("cabal.project"));
    if !is_stack && !is_cabal && !files.below(folder).any(|name| is_package(&name)) {
        return None;
    }
    let packages = files.below(folder).filter(|name| is_package_file(name));
    let mut executables: Vec<(String, String, &str)> = Vec::new();
    for file in packages {
        let text = files.text(&join(folder, file)).unwrap_or_default();
        let stem = last(file).trim_end_matches(".cabal");
        let (package, names) = if last(file) == "package.yaml" {
            hpack(&text, last(parent(file)))
        } else {
            let package = package_name(&text).unwrap_or_else(|| stem.to_owned());
            let names = executables_of(&text, &package);
            (package, names)
        };
        for name in names {
            // hpack's file and the cabal file that it generates have the same executables.
            if !executables.iter().any(|(p, n, _)| (p, n) == (&package, &name)) {
                executables.push((package.clone(), name, parent(file)));
            }
        }
    }
    let by_stack = is_stack && !is_cabal;
    let product = |(package, name, place): (String, String, &str)| {
        let (build, within) =
            if by_stack { stack(&package, &name) } else { cabal(&package, &name) };
        Product { artifact: format!("{within}/{name}"), name, build, role: role(place) }
    };
    let (system, build) = match by_stack {
        true => (System::Stack, "stack build"),
        false => (System::Cabal, "cabal build all"),
    };
    let products = executables.into_iter().map(product).collect();
    Some(Recognised { system, folder: folder.to_owned(), build: build.to_owned(), products })
}

fn is_package(name: &str) -> bool {
    name.ends_with(".cabal")
}

fn is_package_file(name: &str) -> bool {
    let is_ours = |part: &str| !part.starts_with('.') && part != "dist-newstyle";
    (is_package(name) || last(name) == "package.yaml")
        && parent(name).split('/').all(|p| p.is_empty() || is_ours(p))
}

fn cabal(package: &str, name: &str) -> (String, &'static str) {
    let target = quoted(&format!("{package}:exe:{name}"));
    let build = format!(
        "cabal build {target} && mkdir -p {FOLDER} && cp \"$(cabal list-bin -v0 {target})\" {FOLDER}/"
    );
    (build, FOLDER)
}

fn stack(package: &str, name: &str) -> (String, &'static str) {
    let target = quoted(&format!("{package}:exe:{name}"));
    let folder = ".stack-work/bin";
    (format!("stack build {target} --copy-bins --local-bin-path {folder}"), folder)
}

/// The package's name in a cabal file.
pub fn package_name(text: &str) -> Option<String> {
    let field = text.lines().find_map(|line| {
        let (key, value) = line.split_once(':')?;
        key.trim().eq_ignore_ascii_case("name").then(|| value.trim().to_owned())
    });
    field.filter(|name| !name.is_empty())
}

/// A component of a package that can be built and run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ComponentKind {
    /// An `executable`.
    Executable,
    /// A `test-suite`.
    TestSuite,
    /// A `benchmark`.
    Benchmark,
}

impl ComponentKind {
    /// The prefix of its name in a target, as in `package:exe:name`.
    pub fn in_targets(self) -> &'static str {
        match self {
            Self::Executable => "exe",
            Self::TestSuite => "test",
            Self::Benchmark => "bench",
        }
    }
}

/// The runnable components in a cabal file, with their names. One without a name has the package's.
pub fn components_of(text: &str, package: &str) -> Vec<(ComponentKind, String)> {
    let heads = text.lines().filter_map(|line| {
        let mut words = line.split_whitespace();
        let kind = match words.next()?.to_ascii_lowercase().as_str() {
            "executable" => ComponentKind::Executable,
            "test-suite" => ComponentKind::TestSuite,
            "benchmark" => ComponentKind::Benchmark,
            _ => return None,
        };
        // Stanzas begin in the first column.
        let is_head = !line.starts_with(char::is_whitespace);
        is_head.then(|| (kind, words.next().unwrap_or(package).to_owned()))
    });
    heads.collect()
}

fn executables_of(text: &str, package: &str) -> Vec<String> {
    let all = components_of(text, package).into_iter();
    all.filter(|(kind, _)| *kind == ComponentKind::Executable).map(|(_, name)| name).collect()
}

/// The package and the executables in hpack's `package.yaml`: the keys at the first level below
/// `executables:`, and `executable:`, which has the package's name.
fn hpack(text: &str, folder: &str) -> (String, Vec<String>) {
    let package = package_name(text).unwrap_or_else(|| folder.to_owned());
    let package = package.trim_matches(['"', '\'']).to_owned();
    let mut names = Vec::new();
    let mut indent = None;
    for line in text.lines().filter(|line| !line.trim().is_empty() && !line.trim().starts_with('#'))
    {
        let depth = line.len() - line.trim_start().len();
        if depth == 0 {
            indent = line.trim_end().eq("executables:").then_some(0);
            if line.trim_end() == "executable:" {
                names.push(package.clone());
            }
        } else if let Some(first) = indent
            && (first == 0 || first == depth)
            && let Some(name) = line.trim().strip_suffix(':')
        {
            indent = Some(depth);
            names.push(name.trim_matches(['"', '\'']).to_owned());
        }
    }
    (package, names)
}

#[cfg(test)]
mod tests {
    use super::*;

    const CABAL: &str = "cabal-version: 2.4\nName:  tools\n\nlibrary\n  exposed-modules: A\n\n\
                         executable big-tool\n  main-is: Main.hs\n\nExecutable\n  main-is: B.hs\n\n\
                         -- executable none\ntest-suite t\n";

    #[test]
    fn components_are_the_stanzas_of_their_kinds() {
        assert_eq!(package_name(CABAL).as_deref(), Some("tools"));
        let all = components_of(CABAL, "tools");
        assert_eq!(all.last(), Some(&(ComponentKind::TestSuite, "t".to_owned())));
        assert_eq!(all.len(), 3);
        assert_eq!(executables_of(CABAL, "tools"), ["big-tool", "tools"]);
        assert_eq!(executables_of("", "tools"), [""; 0]);
    }
}
