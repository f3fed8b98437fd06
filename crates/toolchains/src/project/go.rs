//! Go: a module, and its packages that are programs.

use std::collections::BTreeMap;

use super::{Files, Product, Recognised, System, join, last, parent, quoted, role};

/// The build command. Its flags leave out the commit's name and the build folder, which would make
/// the program differ between commits.
const BUILD: &str = "go build -trimpath -buildvcs=false";

pub(super) fn look(files: Files<'_>, folder: &str) -> Option<Recognised> {
    let text = files.text(&join(folder, "go.mod"))?;
    let products = programs(files, folder).map(|package| {
        let name = name(&text, &package);
        let path = if package.is_empty() { ".".to_owned() } else { format!("./{package}") };
        let artifact = format!("bin/{name}");
        let build = format!("{BUILD} -o {} {}", quoted(&artifact), quoted(&path));
        Product { name, build, artifact, role: role(&package) }
    });
    let products = products.collect();
    let build = format!("{BUILD} -o bin/ ./...");
    Some(Recognised { system: System::Go, folder: folder.to_owned(), build, products })
}

/// The name of a program: its folder's; in the module's root, the last part of the module's path
/// that is not a version.
fn name(module: &str, package: &str) -> String {
    if !package.is_empty() {
        return last(package).to_owned();
    }
    let path = module.lines().find_map(|line| line.trim().strip_prefix("module "));
    let path = path.unwrap_or("program").split("//").next().unwrap_or_default();
    let path = path.trim().trim_matches('"');
    let is_version = last(path).strip_prefix('v').is_some_and(|n| n.parse::<u32>().is_ok());
    let path = if is_version && path.contains('/') { parent(path) } else { path };
    last(path).to_owned()
}

/// The folders of the packages `main`.
fn programs<'f>(files: Files<'f>, folder: &str) -> impl Iterator<Item = String> + use<'f> {
    let nested: Vec<&str> =
        files.below(folder).filter(|name| name.ends_with("/go.mod")).map(parent).collect();
    let is_left_out = |package: &str| {
        let is_ignored = |part: &str| {
            matches!(part, "vendor" | "testdata") || part.starts_with('_') || part.starts_with('.')
        };
        package.split('/').any(is_ignored)
            || nested.iter().any(|n| package == *n || package.starts_with(&format!("{n}/")))
    };
    let mut packages: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for name in files.below(folder) {
        if name.ends_with(".go") && !name.ends_with("_test.go") && !is_left_out(parent(name)) {
            packages.entry(parent(name)).or_default().push(name);
        }
    }
    let is_main = |sources: &mut Vec<&str>| {
        // All files of a folder belong to one package, except those excluded from the build.
        sources.sort_by_key(|name| last(name) != "main.go");
        let package = sources.iter().find_map(|name| package(&files.text(&join(folder, name))?));
        package.as_deref() == Some("main")
    };
    let found: Vec<String> = packages
        .into_iter()
        .filter_map(|(package, mut sources)| is_main(&mut sources).then(|| package.to_owned()))
        .collect();
    found.into_iter()
}

/// The package of a source file; `None` if the file is excluded from the build.
fn package(source: &str) -> Option<String> {
    let mut lines = source.lines().map(str::trim);
    let line = lines.find(|line| {
        line.starts_with("package ")
            || line.starts_with("//go:build ignore")
            || *line == "// +build ignore"
    })?;
    let name = line.strip_prefix("package ")?;
    Some(name.split("//").next().unwrap_or_default().trim().to_owned())
}
